# SPDX-License-Identifier: Apache-2.0
"""The type of the arrays that goldens take and give; imported for annotations only."""

from __future__ import annotations

from typing import Any, TypeAlias

import numpy.typing as npt

Array: TypeAlias = npt.NDArray[Any]
Ints: TypeAlias = Any  # integers in a sequence or an array

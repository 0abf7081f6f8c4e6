# SPDX-License-Identifier: Apache-2.0
"""How fast the operators are here: against torch, and against what memory lets through.

`cases` says what is measured, `runner` measures, `report` and `plots` show. Needs only NumPy; torch
and matplotlib are used where they are installed.
"""

from __future__ import annotations

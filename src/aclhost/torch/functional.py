# SPDX-License-Identifier: Apache-2.0
"""torch.nn.functional on aclhost's operators: torch's own names, arguments and defaults."""

from __future__ import annotations

# SPDX-License-Identifier: Apache-2.0
"""The exception that operators raise."""

from __future__ import annotations


class AclnnError(ValueError):
    """A call that an operator refuses, or one that failed while it ran.

    Attributes:
        status: The code that the C function returns, for example 161002.
        parameter: The parameter at fault, with upstream's spelling; empty if there is none.
        rule: The rule that was broken, for example "same_dtype".

    """

    def __init__(self, message: str, status: int, parameter: str = "", rule: str = "") -> None:
        super().__init__(message)
        self.status = status
        self.parameter = parameter
        self.rule = rule

    def __reduce__(self) -> tuple[type[AclnnError], tuple[str, int, str, str]]:
        return type(self), (str(self), self.status, self.parameter, self.rule)

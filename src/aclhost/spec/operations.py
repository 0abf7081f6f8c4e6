# SPDX-License-Identifier: Apache-2.0
"""Arithmetic, comparisons and bits: what Python's operators stand for between symbols."""

from __future__ import annotations

from aclhost.spec.expression import Operation

LOGICAL_NOT = Operation("logical_not", "!{0}", "logical_not", "not {0}", "bool", "b", 3)
LOGICAL_AND = Operation("logical_and", "{0} & {1}", "logical_and", "{0} and {1}", "bool", "b", 2)
LOGICAL_OR = Operation("logical_or", "{0} | {1}", "logical_or", "{0} or {1}", "bool", "b", 1)
LOGICAL_XOR = Operation("logical_xor", "{0} != {1}", "logical_xor", "{0} xor {1}", "bool", "b", 1)

ADD = Operation(
    "add", "{0} + {1}", "add", "{0} + {1}", precedence=9,
    integer_cpp="loops::wrapping_add", of_bools=LOGICAL_OR,
)  # fmt: skip
SUBTRACT = Operation(
    "subtract", "{0} - {1}", "subtract", "{0} - {1}", precedence=9,
    integer_cpp="loops::wrapping_subtract", of_bools=LOGICAL_XOR,
)  # fmt: skip
MULTIPLY = Operation(
    "multiply", "{0} * {1}", "multiply", "{0} * {1}", precedence=10,
    integer_cpp="loops::wrapping_multiply", of_bools=LOGICAL_AND,
)  # fmt: skip
DIVIDE = Operation("divide", "{0} / {1}", "divide", "{0} / {1}", "float", "rc", 10)
FLOOR_DIVIDE = Operation(
    "floor_divide", "loops::floor_divide", "floor_divide", "{0} // {1}", on="uir", precedence=10
)
REMAINDER = Operation(
    "remainder", "loops::remainder", "remainder", "{0} % {1}", on="uir", precedence=10, brief=False
)
POWER = Operation("power", "loops::power", "power", "{0} ** {1}", precedence=12, brief=False)
NEGATIVE = Operation(
    "negative", "-{0}", "negative", "-{0}", precedence=11, integer_cpp="loops::wrapping_negative",
    of_bits=True,
)  # fmt: skip
ABSOLUTE = Operation("absolute", "loops::absolute", "absolute", "abs", "part", "irc", of_bits=True)

INVERT = Operation(
    "invert", "loops::invert", "invert", "~{0}", on="ui", precedence=11, of_bools=LOGICAL_NOT
)
BITWISE_AND = Operation(
    "bitwise_and", "{0} & {1}", "bitwise_and", "{0} & {1}", on="ui", precedence=7,
    integer_cpp="loops::bitwise_and", of_bools=LOGICAL_AND,
)  # fmt: skip
BITWISE_OR = Operation(
    "bitwise_or", "{0} | {1}", "bitwise_or", "{0} | {1}", on="ui", precedence=5,
    integer_cpp="loops::bitwise_or", of_bools=LOGICAL_OR,
)  # fmt: skip
BITWISE_XOR = Operation(
    "bitwise_xor", "{0} ^ {1}", "bitwise_xor", "{0} ^ {1}", on="ui", precedence=6,
    integer_cpp="loops::bitwise_xor", of_bools=LOGICAL_XOR,
)  # fmt: skip
SHIFT_LEFT = Operation(
    "shift_left", "loops::shift_left", "shift_left", "{0} << {1}", on="ui", precedence=8
)
SHIFT_RIGHT = Operation(
    "shift_right", "loops::shift_right", "shift_right", "{0} >> {1}", on="ui", precedence=8
)


def _comparison(name: str, sign: str, on: str = "buir") -> Operation:
    return Operation(name, f"{{0}} {sign} {{1}}", name, f"{{0}} {sign} {{1}}", "bool", on, 4)


LESS = _comparison("less", "<")
LESS_EQUAL = _comparison("less_equal", "<=")
GREATER = _comparison("greater", ">")
GREATER_EQUAL = _comparison("greater_equal", ">=")
EQUAL = _comparison("equal", "==", "buirc")
NOT_EQUAL = _comparison("not_equal", "!=", "buirc")

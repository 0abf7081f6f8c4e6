# SPDX-License-Identifier: Apache-2.0
"""The body of a loop: an expression in C++, as a template of the type T that is computed in."""

from __future__ import annotations

import math
import re
from collections import Counter
from collections.abc import Iterable, Iterator

from aclhost.spec import operations as op
from aclhost.spec.dtypes import DataType
from aclhost.spec.expression import (
    Call,
    Constant,
    Convert,
    Domain,
    Expression,
    Input,
    Kind,
    Number,
    parts,
    walk,
)

_INTEGERS = (Domain.INTEGER, Domain.UNSIGNED)
_NEAR_REAL = re.compile(r"(?:loops|math)::((half_)?(?:fmod|remainder|sin|cos|tan))\(")
_NEAR_COMPLEX = re.compile(r"(?:loops|math)::(a?(?:sin|cos|tan)h|sin|cos|tan|exp|log|sqrt|power)\(")
_POWER_OF_NUMBER = re.compile(r"math::power_near\(number(\d+),")
_NEAR_INTEGER = re.compile(r"loops::(power|fmod|remainder)\(")
_NEAR = {
    Domain.REAL: _NEAR_REAL,
    Domain.COMPLEX: _NEAR_COMPLEX,
    Domain.INTEGER: _NEAR_INTEGER,
    Domain.UNSIGNED: _NEAR_INTEGER,
}
# Functions that are no plain loop.
_OF_ARRAYS = {
    (Domain.REAL, "math::digamma"): "math::digamma_of_array",
    (Domain.REAL, "math::lgamma"): "math::lgamma_of_array",
    (Domain.REAL, op.POWER.cpp): "loops::power_arrays",
    (Domain.COMPLEX, op.MULTIPLY.cpp): "loops::multiply_arrays",
}
_REAL_TYPES = {Domain.REAL: "T", Domain.COMPLEX: "loops::PartOf<T>"}
_COMPLEX_TYPES = {Domain.REAL: "Complex<T>", Domain.COMPLEX: "T"}
_C_TYPES = {
    "FLOAT": "float",
    "DOUBLE": "double",
    "FLOAT16": "Half",
    "BF16": "BFloat16",
    "BOOL": "uint8_t",
    "COMPLEX64": "Complex<float>",
    "COMPLEX128": "Complex<double>",
}


def c_type(dtype: DataType) -> str:
    """The type of a loop's elements."""
    return _C_TYPES.get(dtype.name) or f"{dtype.name.lower()}_t"


def _type(kind: Kind, domain: Domain) -> str:
    """The type of a value where T is of this domain; bool for BOOL."""
    if kind.domain is Domain.BOOL:
        return "bool"
    if kind.dtype is not None:
        return c_type(kind.dtype)
    if kind.domain is Domain.REAL:
        return _REAL_TYPES.get(domain, "float")
    if kind.domain is Domain.COMPLEX:
        return _COMPLEX_TYPES.get(domain, "Complex<float>")
    if domain not in _INTEGERS:
        raise TypeError("integers need a stated type where no integers are computed")
    return "T"


def loop_body(
    results: Iterable[Expression], domain: Domain, *, halves: bool = False, in_row: bool = False
) -> str:
    """The statements of a function of the type Loop.

    Of one whose floats become 16-bit ones; of one that gets a single element of the first input.
    """
    return "\n".join(_Body(tuple(results), domain, halves, in_row).lines())


class _Body:
    """Names for what a loop reads, shares and writes."""

    def __init__(
        self, results: tuple[Expression, ...], domain: Domain, halves: bool, in_row: bool
    ) -> None:
        self.results = results
        self.domain = domain
        self.halves = halves
        self.in_row = in_row
        self.nodes = tuple(walk(results))
        self.names: dict[Expression, str] = {}
        for node in self.nodes:
            if isinstance(node, Input):
                self.names[node] = f"x{node.position}"
            elif isinstance(node, Number):
                self.names[node] = f"number{node.position}"

    def lines(self) -> Iterator[str]:
        inputs = sorted(
            (node for node in self.nodes if isinstance(node, Input)), key=lambda node: node.position
        )
        for node in inputs:
            stored = self.stored(node.kind)
            at = node.position
            yield f"  const auto* in{at} = static_cast<const {stored}*>(in[{at}]);"
        for at, result in enumerate(self.results):
            yield f"  auto* out{at} = static_cast<{self.stored(result.kind)}*>(out[{at}]);"
        yield from self.numbers()
        if self.in_row:
            yield self.constant_of(inputs.pop(0), "in0[0]")
        if call := self.of_arrays():
            yield f"  {call};"
            return
        yield from self.fixed_powers()
        near = self.near()
        if not near:
            yield from self.loop(inputs, "0", "n")
            return
        loop = tuple(self.loop(inputs, "first", "last"))
        near_loop = tuple(map(self.of_near, loop))
        for at in sorted(set(re.findall(r"\(log(\d+),", "\n".join(near_loop)))):
            yield f"  const auto log{at} = math::log_of_number(number{at});"
        yield "  for (int64_t first = 0; first < n; first += loops::kChunk) {"
        yield "  const int64_t last = n - first < loops::kChunk ? n : first + loops::kChunk;"
        yield f"  if ({near}) {{"
        yield from near_loop
        yield "    continue;"
        yield "  }"
        yield from loop
        yield "  }"

    def of_arrays(self) -> str:
        """The call that computes all elements, if it is of inputs and numbers and nothing else."""
        result = self.results[0]
        if not isinstance(result, Call):
            return ""
        operands = [part for part in result.arguments if isinstance(part, Input | Number)]
        if [self.type(each.kind) for each in operands] != ["T"] * len(result.arguments):
            return ""
        function = _OF_ARRAYS.get((self.domain, self.spelling(result)))
        return f"{function}({', '.join(map(self.whole, operands))}, out0, n)" if function else ""

    def fixed_powers(self) -> Iterator[str]:
        """Powers of numbers alone, once: no compiler takes them out of the loop."""
        for node in self.nodes:
            if _is_power(node) and not any(isinstance(each, Input) for each in walk((node,))):
                text = self.text(node)
                self.names[node] = f"v{len(self.names)}"
                yield f"  const {self.type(node.kind)} {self.names[node]} = {text};"

    def numbers(self) -> Iterator[str]:
        for number in self.nodes:
            if isinstance(number, Number):
                value = f"loops::number<{self.stored(number.kind)}>(numbers[{number.position}])"
                yield self.constant_of(number, value)

    def loop(self, inputs: list[Input], first: str, last: str) -> Iterator[str]:
        yield "#pragma GCC ivdep"
        yield f"  for (int64_t i = {first}; i < {last}; ++i) {{"
        for node in inputs:
            yield "  " + self.constant_of(node, f"in{node.position}[i]")
        yield from self.statements()
        yield "  }"

    @property
    def near_space(self) -> str:
        return "loops" if self.domain in _INTEGERS else "math"

    def of_near(self, line: str) -> str:
        """A line of the loop, for operands that are all near."""
        near = _NEAR[self.domain].sub(rf"{self.near_space}::\1_near(", line)
        return _POWER_OF_NUMBER.sub(r"math::power_of_log(log\1,", near)

    def near(self) -> str:
        """Whether all operands of a chunk are near, if that can be asked: Note [Near operands]."""
        questions = []
        for node in self.nodes:
            if not isinstance(node, Call) or node in self.names or self.domain not in _NEAR:
                continue
            if found := _NEAR[self.domain].match(f"{self.spelling(node)}("):
                real = self.domain is Domain.REAL
                question = self.is_real_near(node, found[2]) if real else self.is_near(node, found)
                if not question:
                    return ""
                questions.append(question)
        return " && ".join(dict.fromkeys(questions))

    def is_real_near(self, node: Call, prefix: str | None) -> str:
        leaves = [part for part in node.arguments if isinstance(part, Input | Number)]
        if len(leaves) < len(node.arguments):
            return ""
        operands = ", ".join(map(self.whole, leaves))
        return f"loops::all_{prefix or ''}near<T>(first, last, {operands})"

    def is_near(self, node: Call, found: re.Match[str]) -> str:
        """Of complex numbers and integers; inputs of other types are nobody's operands here."""
        inputs = [part for part in walk(node.arguments) if isinstance(part, Input)]
        if any(self.type(each.kind) != "T" for each in (*inputs, *node.arguments)):
            return ""
        word = "T" if self.domain in _INTEGERS else "uint64_t"
        values = " ".join(f"const T x{at} = in{at}[i];" for at in {x.position for x in inputs})
        operands = ", ".join(map(self.text, node.arguments))
        question = f"return {self.near_space}::{found[1]}_is_near({operands});"
        return f"loops::all_of<{word}>(first, last, [&](int64_t i) {{ {values} {question} }})"

    def whole(self, node: Input | Number) -> str:
        """All elements of an input, or the number that stands for all."""
        in_row = self.in_row and node.position == 0
        return self.names[node] if isinstance(node, Number) or in_row else f"in{node.position}"

    def statements(self) -> Iterator[str]:
        """All results are there before the first is stored: it may replace an input."""
        uses = Counter(part for node in self.nodes for part in parts(node))
        for node in self.nodes:
            if uses[node] > 1 and isinstance(node, Call | Convert) and node not in self.names:
                text = self.text(node)
                self.names[node] = f"v{len(self.names)}"
                yield f"    const {self.type(node.kind)} {self.names[node]} = {text};"
        for at, result in enumerate(self.results[:-1]):
            yield f"    const {self.type(result.kind)} result{at} = {self.text(result)};"
        for at, result in enumerate(self.results):
            value = f"result{at}" if at < len(self.results) - 1 else self.text(result)
            yield f"    out{at}[i] = {value};"

    def type(self, kind: Kind) -> str:
        return _type(kind, self.domain)

    def stored(self, kind: Kind) -> str:
        return "uint8_t" if kind.domain is Domain.BOOL else self.type(kind)

    def constant_of(self, node: Expression, value: str) -> str:
        truth = " != 0" if node.kind.domain is Domain.BOOL else ""
        return f"  const {self.type(node.kind)} {self.names[node]} = {value}{truth};"

    def text(self, node: Expression) -> str:
        """An expression of names, calls and operators; operators inside one have parentheses."""
        if node in self.names:
            return self.names[node]
        if isinstance(node, Constant):
            return self.literal(node)
        if isinstance(node, Convert):
            return f"loops::cast<{self.type(node.kind)}>({self.text(node.value)})"
        assert isinstance(node, Call)
        spelling = self.spelling(node)
        if "{0}" not in spelling:
            return f"{spelling}({', '.join(self.text(part) for part in node.arguments)})"
        return spelling.format(*(self.operand(part) for part in node.arguments))

    def spelling(self, node: Call) -> str:
        return (self.halves and node.operation.half_cpp) or _spelling(node)

    def operand(self, node: Expression) -> str:
        text = self.text(node)
        infix = node not in self.names and isinstance(node, Call) and "{0}" in _spelling(node)
        return f"({text})" if infix else text

    def literal(self, node: Constant) -> str:
        """Of the loop's type, so that nothing is computed in a wider one."""
        name, value = self.type(node.kind), node.value
        if node.kind.domain is Domain.BOOL:
            return "true" if value else "false"
        if isinstance(value, complex):
            part = _type(Kind(Domain.REAL), self.domain)
            return f"{name}{{{part}({value.real!r}), {part}({value.imag!r})}}"
        if node.kind.domain is Domain.COMPLEX:
            return f"loops::cast<{name}>({value!r})"
        if isinstance(value, float) and not math.isfinite(value):
            text = f"math::kNan<{name}>" if math.isnan(value) else f"math::kInfinity<{name}>"
            return f"-{text}" if value < 0 else text
        if node.kind.domain in _INTEGERS:
            return f"{name}({int(value) % 2**64}u)"
        return f"{name}({value!r})"


_SHORT_POWERS = {2: "loops::square", 3: "loops::cube"}


def _is_power(node: Expression) -> bool:
    return isinstance(node, Call) and _spelling(node) == op.POWER.cpp


def _spelling(node: Call) -> str:
    operation = node.operation
    if operation.cpp == op.POWER.cpp and isinstance(node.arguments[1], Constant):
        exponent = node.arguments[1].value
        if exponent in (2, 3):
            return _SHORT_POWERS[int(exponent.real)] + "({0})"
    if node.arguments[0].kind.domain in _INTEGERS and operation.integer_cpp:
        return operation.integer_cpp
    return operation.cpp

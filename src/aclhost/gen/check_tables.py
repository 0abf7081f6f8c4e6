# SPDX-License-Identifier: Apache-2.0
"""Rules as tables: terms become numbers, sentences become strings, for native/operator/rules.cc."""

from __future__ import annotations

import struct
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import fields

from aclhost.gen.text import banner, c_string
from aclhost.spec import (
    indexed,
    matrices,
    moved,
    products,
    reduced,
    sequences,
    shapes,
    terms,
    views,
    volumes,
)
from aclhost.spec.dtypes import ALL, BY_VALUE, UNDEFINED, Category, DataType, can_cast
from aclhost.spec.formats import Format
from aclhost.spec.matrices import EquationIs
from aclhost.spec.operator import Operator
from aclhost.spec.products import Product
from aclhost.spec.rules.base import Condition, Part, Rule, Shown, Step
from aclhost.spec.shapes import SameShape, ShapeOf, ShapeTerm
from aclhost.spec.terms import (
    AtMost,
    CanCast,
    Const,
    DtypeAllowed,
    DtypeOf,
    Equal,
    RankOf,
    RealIs,
    Term,
    TextIs,
    TextStarts,
)
from aclhost.spec.views import ViewTerm

AnyTerm = Term | ShapeTerm | ViewTerm


KINDS = tuple(
    kind
    for module in (terms, shapes, moved, indexed, volumes, reduced, views, matrices, sequences)
    for kind in vars(module).values()
    if isinstance(kind, type)
    and kind.__module__.startswith(module.__name__)
    and issubclass(kind, AnyTerm)
    and kind not in (Term, ShapeTerm, ViewTerm)
)
_NUMBERS = {kind: number for number, kind in enumerate(KINDS)}
# Frequent rules in one code each, for the walk in native/operator/rules.cc.
_TENSORS = ("kTensorIn", "kTensorOut", "kTensorInOut")
FUSED = ("TensorDtypeAllowed", "TensorDtypesEqual", "TensorShapesEqual", "TensorRankAtMost",
         "ScalarCasts")  # fmt: skip
_RELATIONS = {">=": "AtLeast", ">": "More", "<=": "AtMost", "<": "Less", "==": "Equal",
              "!=": "NotEqual"}  # fmt: skip

_KINDS_HEADER = """{banner}#pragma once

#include <cstdint>

namespace aclhost {{

enum class TermKind : int64_t {{
{kinds}
}};

enum class Relation : int64_t {{ {relations} }};

}}  // namespace aclhost
"""


class TermTable:
    """The terms of some operators as one array of numbers; equal terms share a place."""

    def __init__(self) -> None:
        self.code: list[int] = []
        self.words: list[str] = []
        self._places: dict[tuple[object, ...], int] = {}

    def position(self, op: Operator, term: AnyTerm) -> int:
        """Where the term stands."""
        parameters = {param.name: index for index, param in enumerate(op.params)}
        return self._place(term, {terms.MEMBER: -1, **parameters})

    def rule(self, op: Operator, term: Term) -> int:
        """Where the term of a rule stands, as one of FUSED where it can be."""
        fused = _fused(term, {param.name: param.kind for param in op.params})
        if fused is None:
            return self.position(op, term)
        name, *operands = fused
        index = {param.name: position for position, param in enumerate(op.params)}
        code = (index[each] if isinstance(each, str) else each for each in operands)
        return self._put((len(KINDS) + FUSED.index(str(name)), *code))

    def _place(self, term: AnyTerm, parameters: dict[str, int]) -> int:
        return self._put((_NUMBERS[type(term)], *self._operands(term, parameters)))

    def _put(self, code: tuple[int, ...]) -> int:
        if code not in self._places:
            self._places[code] = len(self.code)
            self.code += code
        return self._places[code]

    def _operands(self, term: AnyTerm, parameters: dict[str, int]) -> Iterator[int]:
        if isinstance(term, DtypeAllowed):
            yield self._place(term.dtype, parameters)
            yield from (_mask(allowed) for allowed in term.lists)
        elif isinstance(term, RealIs):
            yield parameters[term.parameter]
            yield list(_RELATIONS).index(term.relation)
            yield _bits(term.bound)
        elif isinstance(term, TextIs | TextStarts | EquationIs):
            yield parameters[term.parameter]
            yield len(term.words)
            yield from map(self._word, term.words)
        else:
            for each in fields(term):
                yield from self._encoded(getattr(term, each.name), parameters)

    def _encoded(self, value: object, parameters: dict[str, int]) -> Iterator[int]:
        if isinstance(value, Term | ShapeTerm):
            yield self._place(value, parameters)
        elif isinstance(value, str):
            yield parameters[value]
        elif isinstance(value, int):
            yield int(value)
        elif isinstance(value, float):
            yield _bits(value)
        elif isinstance(value, Product):
            yield products.ALL.index(value)
        elif isinstance(value, Category):
            yield list(Category).index(value)
        elif isinstance(value, DataType | Format):
            yield value.value
        elif isinstance(value, tuple):
            yield len(value)
            for each in value:
                yield from self._encoded(each, parameters)
        else:
            raise TypeError(f"{value!r} cannot stand in a table")

    def _word(self, word: str) -> int:
        if word not in self.words:
            self.words.append(word)
        return self.words.index(word)


def _fused(term: Term, kinds: Mapping[str, str]) -> tuple[str | int, ...] | None:
    """The name and the operands of a fused code: parameters and numbers."""

    def of(part: AnyTerm, kind: type, *accepted: str) -> str:
        name = getattr(part, "parameter", "") if isinstance(part, kind) else ""
        return name if kinds.get(name) in accepted else ""

    if isinstance(term, DtypeAllowed) and (name := of(term.dtype, DtypeOf, *_TENSORS)):
        return "TensorDtypeAllowed", name, *map(_mask, term.lists)
    if isinstance(term, Equal):
        dtypes = [of(part, DtypeOf, *_TENSORS) for part in (term.first, term.second)]
        return ("TensorDtypesEqual", *dtypes) if all(dtypes) else None
    if isinstance(term, SameShape):
        tensors = [of(part, ShapeOf, *_TENSORS) for part in (term.first, term.second)]
        return ("TensorShapesEqual", *tensors) if all(tensors) else None
    if isinstance(term, AtMost) and isinstance(term.second, Const):
        name = of(term.first, RankOf, *_TENSORS)
        return ("TensorRankAtMost", name, term.second.number) if name else None
    if isinstance(term, CanCast) and isinstance(term.target, Const):
        name, target = of(term.source, DtypeOf, "kScalar"), BY_VALUE[term.target.number]
        castable = [dtype for dtype in ALL if can_cast(dtype, target)]
        return ("ScalarCasts", name, _mask(castable)) if name and UNDEFINED in castable else None
    return None


def _bits(value: float) -> int:
    return int(struct.unpack("<q", struct.pack("<d", value))[0])


def _mask(allowed: Sequence[DataType]) -> int:
    bits = sum(1 << dtype.value for dtype in set(allowed) if dtype.value >= 0)
    return bits - (1 << 64) if bits >> 63 else bits


def number(value: int) -> str:
    """A 64-bit literal; the least one has no literal of its own."""
    return "INT64_MIN" if value == terms.INT64_MIN else f"{value}"


class Steps:
    """The checks of one operator, as C++ initialisers."""

    def __init__(self, op: Operator, table: TermTable) -> None:
        self.op, self.table = op, table
        self.parts: list[str] = []
        self.texts: list[str] = []
        self.rows = [self._row(step) for step in (*op.steps, *op.late_rules)]

    def source(self) -> str:
        """The arrays; empty ones get a member, because C++ knows none."""
        name = self.op.name
        return (
            f"const PartInfo {name}_parts[] = {{{', '.join(self.parts) or '{}'}}};\n"
            f"const char* const {name}_texts[] = {{\n    {self._texts()}}};\n"
            f"const StepInfo {name}_steps[] = {{\n    " + ",\n    ".join(self.rows) + "};\n"
        )

    def _texts(self) -> str:
        return ",\n    ".join(self.texts) or "nullptr"

    def _row(self, step: Step) -> str:
        if not isinstance(step, Rule):
            condition = self._condition(step.condition)
            return (
                f'{{-1, {condition}, 0, StepKind::kDone, false, 0, "", "", nullptr, nullptr, ""}}'
            )
        texts, first = self._sentences(step), len(self.texts)
        self.texts += map(c_string, texts)
        parts = len(self.parts)
        self.parts += [self._part(part) for part in step.got]
        cells = (
            str(self.table.rule(self.op, step.holds)),
            str(self._condition(step.condition)),
            str(int(step.code)),
            "StepKind::kRule",
            str(len(texts) > 1).lower(),
            str(len(step.got)),
            c_string(step.id),
            c_string(step.parameter),
            f"{self.op.name}_texts + {first}",
            f"{self.op.name}_parts + {parts}",
            c_string(step.advice),
        )
        return f"{{{', '.join(cells)}}}"

    def _sentences(self, rule: Rule) -> list[str]:
        sentences = [rule.sentence(product) for product in products.ALL]
        return sentences if len(set(sentences)) > 1 else sentences[:1]

    def _condition(self, condition: Condition | None) -> int:
        return -1 if condition is None else self.table.position(self.op, condition.term)

    def _part(self, part: Part) -> str:
        if not isinstance(part, Shown):
            return f"{{PartKind::kLiteral, 0, {c_string(part)}}}"
        if isinstance(part.of, Term | ShapeTerm):
            of = self.table.position(self.op, part.of)
        else:
            of = [param.name for param in self.op.params].index(part.of) if part.of else 0
        return f"{{PartKind::k{part.kind.capitalize()}, {of}, nullptr}}"


def emit() -> Iterator[tuple[str, str]]:
    """The numbers of the terms' kinds."""
    yield (
        "native/term_kinds.h",
        _KINDS_HEADER.format(
            banner=banner(
                "src/aclhost/spec: terms, shapes.py, moved.py, indexed.py, volumes.py, reduced.py, "
                "views.py, matrices.py"
            ),
            kinds="\n".join(f"  k{name}," for name in (*(k.__name__ for k in KINDS), *FUSED)),
            relations=", ".join(f"k{name}" for name in _RELATIONS.values()),
        ),
    )

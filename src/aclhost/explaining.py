# SPDX-License-Identifier: Apache-2.0
"""What a status means, and what the library would say about a call: `aclhost.explain`."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from html import escape
from typing import Any

from aclhost import ops
from aclhost.spec import described, names, products
from aclhost.spec.error_advice import ADVICE
from aclhost.spec.error_codes import ErrorCode
from aclhost.spec.evaluate import Outcome, evaluate
from aclhost.spec.operator import Operator
from aclhost.spec.params import TENSORS, Parameter, TensorList, TensorListOut
from aclhost.spec.products import Product

__all__ = ["Code", "Explanation", "Verdict", "explain_call", "explain_code", "explained", "is_code"]


@dataclass(frozen=True)
class Code:
    """A status code.

    Attributes:
        returned: Whether aclhost ever returns it.
        rules: The checks that return it, by operator.

    """

    value: int
    name: str
    meaning: str
    sentence: str
    returned: bool
    causes: tuple[str, ...]
    remedy: str
    rules: Mapping[str, list[str]]


@dataclass(frozen=True)
class Verdict:
    """What one product says about a call.

    Attributes:
        exists: Whether the product has the operator; if not, all that follows is empty.
        number: Which of the documented checks refuses the call.

    """

    product: str
    title: str
    soc: str
    exists: bool
    accepted: bool | None = None
    status: int | None = None
    phase: int | None = None
    number: int | None = None
    rule: str | None = None
    parameter: str | None = None
    message: str = ""

    @property
    def text(self) -> str:
        """The message without the product."""
        return self.message.replace(f" (product {self.title}, {self.soc})", "")


@dataclass(frozen=True, repr=False)
class Explanation:
    """An answer of `aclhost.explain`; notebooks show it as a table.

    Attributes:
        codes: What was asked about, if it was a code.
        operator: The C name, if it was a call.
        verdicts: One for each product that was asked, if it was a call.

    """

    codes: tuple[Code, ...] = ()
    operator: str = ""
    verdicts: tuple[Verdict, ...] = ()

    @property
    def accepted(self) -> bool:
        """Whether no product that has the operator refuses the call."""
        return not any(verdict.accepted is False for verdict in self.verdicts)

    @property
    def messages(self) -> tuple[str, ...]:
        """Why products refuse the call, each reason once."""
        texts = (verdict.text for verdict in self.verdicts if verdict.accepted is False)
        return tuple(dict.fromkeys(texts))

    def __repr__(self) -> str:
        lines = [f"{code.value} {code.name}: {code.sentence}" for code in self.codes]
        if self.operator:
            lines.append(f"{self.operator}, as described")
        lines += [f"  {each.title}: {_result(each)}" for each in self.verdicts]
        return "\n".join([*lines, *self.messages])

    def _repr_html_(self) -> str:
        parts = [_code_html(code) for code in self.codes]
        if self.operator:
            rows = "".join(
                f"<tr><td>{escape(each.title)}</td><td>{escape(_result(each))}</td>"
                f"<td>{escape(each.parameter or '')}</td><td>{escape(each.rule or '')}</td></tr>"
                for each in self.verdicts
            )
            head = "<tr><th>product</th><th>status</th><th>parameter</th><th>rule</th></tr>"
            parts.append(f"<b>{self.operator}</b><table>{head}{rows}</table>")
        parts += [f"<p>{escape(message)}</p>" for message in self.messages]
        return "".join(parts)


def _result(verdict: Verdict) -> str:
    if not verdict.exists:
        return "does not have the operator"
    return "ok" if verdict.accepted else f"{verdict.status}"


def _code_html(code: Code) -> str:
    causes = "".join(f"<li>{escape(cause)}</li>" for cause in code.causes)
    remedy = f"<p>{escape(code.remedy)}</p>" if code.remedy else ""
    return f"<b>{code.value} {code.name}</b><p>{escape(code.sentence)}</p><ul>{causes}</ul>{remedy}"


def explained(what: int | str, soc: str, arguments: Mapping[str, Any]) -> Explanation:
    """The answer to a question from Python; see `aclhost.explain`."""
    text = str(what)
    if not arguments and is_code(text):
        return explain_code(text)
    on = products.ALL if soc in ("", "all") else (names.product(soc),)
    op = names.operator(text)
    words = [
        f"{name}={_word(value, names.parameter(op, name))}" for name, value in arguments.items()
    ]
    return explain_call(op, words, on)


def is_code(text: str) -> bool:
    """Whether it is written as codes are."""
    return (
        text.removeprefix("-").isdecimal()
        or (text.isupper() and "_" in text)
        or names.is_family(text)
    )


def explain_code(text: str) -> Explanation:
    """All that is known about a status, its name, or the code of an error text.

    Raises:
        UnknownNameError: there is no such code.

    """
    return Explanation(codes=tuple(map(_code, names.status_codes(text))))


def _code(code: ErrorCode) -> Code:
    advice = ADVICE.get(code.value)
    rules: dict[str, list[str]] = defaultdict(list)
    for op in ops.ALL:
        for rule in op.rules:
            if int(rule.code) == code.value and rule.id not in rules[op.name]:
                rules[op.name].append(rule.id)
    return Code(
        code.value,
        code.name,
        code.meaning,
        code.sentence,
        code.value == 0 or advice is not None,
        tuple(advice.causes) if advice else (),
        advice.remedy if advice else "",
        {name: found for name, found in rules.items() if found},
    )


def explain_call(op: Operator, words: Iterable[str], on: tuple[Product, ...]) -> Explanation:
    """What the products say; one that does not have the operator counts only if it is alone.

    Raises:
        ValueError: a word cannot be read, or arguments are missing.

    """
    call = described.describe(op, words)
    verdicts = []
    for product in on:
        if product in op.products or len(on) == 1:
            verdicts.append(_verdict(product, evaluate(op, call.on(product))))
        else:
            verdicts.append(Verdict(product.key, product.title, product.default_soc, exists=False))
    return Explanation(operator=op.name, verdicts=tuple(verdicts))


def _verdict(product: Product, outcome: Outcome) -> Verdict:
    rule = outcome.rule
    return Verdict(
        product.key,
        product.title,
        product.default_soc,
        exists=True,
        accepted=rule is None,
        status=outcome.status,
        phase=outcome.phase if rule else None,
        number=outcome.number or None,
        rule=rule.id if rule else None,
        parameter=rule.parameter if rule else None,
        message=outcome.message,
    )


def _word(value: Any, param: Parameter) -> str:  # noqa: ANN401
    """A value as the command line has it: arrays by their dtype, sizes and strides."""
    if value is None or isinstance(value, bool):
        return {None: "null", True: "true", False: "false"}[value]
    if isinstance(value, str):
        return value
    if isinstance(param, TensorList | TensorListOut):
        return ",".join(map(_tensor, value)) or "[]"
    if isinstance(param, TENSORS):
        return _tensor(value)
    if isinstance(value, list | tuple) or getattr(value, "ndim", 0) > 0:
        return ",".join(_word(each, param) for each in value) or "[]"
    return str(getattr(value, "name", value))


def _tensor(array: Any) -> str:  # noqa: ANN401
    """Of NumPy or torch."""
    import numpy as np

    if hasattr(array, "stride"):
        dtype, steps = str(array.dtype), [*array.stride()]
        shape, is_dense = tuple(array.shape), array.is_contiguous()
    else:
        given = np.asarray(array)
        dtype, steps = given.dtype.name, [step // given.itemsize for step in given.strides]
        shape, is_dense = given.shape, given.flags.c_contiguous
    text = f"{dtype}[{','.join(map(str, shape))}]"
    if is_dense:
        return text
    extents = [(size - 1) * step for size, step in zip(shape, steps, strict=True)]
    behind = -sum(extent for extent in extents if extent < 0)
    return f"{text}:strides={','.join(map(str, steps))}" + (f":offset={behind}" if behind else "")

# SPDX-License-Identifier: Apache-2.0
"""Parameters of attention for training and of its gradients, in C order."""

from __future__ import annotations

from dataclasses import dataclass

from aclhost.ops.attention.flash_checks import DROP, MASK, PREFIXES
from aclhost.spec.dtypes import FLOAT
from aclhost.spec.params import Double, Int, IntArray, Parameter, TensorIn, TensorOut, Text
from aclhost.spec.shapes import ShapeTerm
from aclhost.spec.terms import Const, DtypeOf, const

FAR = 2**31 - 1
SHIFT = {"key": "realShiftOptional", "keyIn": "pseShiftOptional"}
STARTS = ("qStartIdxOptional", "kvStartIdxOptional")
ENDS = ("actualSeqQLenOptional", "actualSeqKvLenOptional")
STATISTICS = {
    "softmaxMaxOut": "The largest score of each row, 8 times.",
    "softmaxSumOut": "The sum of each row's powers, 8 times.",
}
FORMULA = "`attentionOut = dropout(softmax(scaleValue * (query @ key^T + pse), masked)) @ value`"
GRADIENTS = (
    "`dS = P * (dP - sum(dy * attentionIn))`, `dq = scaleValue * dS @ key`, "
    "`dk = scaleValue * dS^T @ query`, `dv = dropout(P)^T @ dy`"
)
_PSE_TYPES = (
    "1: pse is scaled, too; 0: it is not; 2: it holds slopes, which are multiplied by the "
    "distance of query and key and subtracted; 3: by the root of the distance."
)


@dataclass(frozen=True)
class Style:
    """What the members of the family have of their own."""

    layouts: tuple[str, ...]
    default_layout: str
    shift: str  # the forms of pse
    modes: str
    typed: bool = False  # has a pseType
    packed: bool = False  # has sequences that lie one after the other
    layout_of_statistics: str = ""  # the parameter that names it


def shared_params(style: Style) -> tuple[Parameter, ...]:
    """What forward and backward end their inputs with."""
    ends = (
        IntArray(name, f"Where each sequence of {what} ends.", optional=True)
        for name, what in zip(ENDS, ("queries", "keys"), strict=True)
    )
    starts = (
        IntArray(name, f"The place of the first {what}, for distances.", optional=True)
        for name, what in zip(STARTS, ("query", "key"), strict=True)
    )
    return (
        IntArray(PREFIXES, "Keys that all queries of a batch see, in modes with a prefix.",
                 optional=True),
        *(ends if style.packed else ()),
        *(starts if style.typed else ()),
        Double("scaleValue", "Factor of scores.", 1.0),
        Double("keepProb", "Share of what dropout keeps.", 1.0),
        Int("preTokens", "Keys seen before a query's place, in modes with a band.", default=FAR),
        Int("nextTokens", "Keys seen behind a query's place, in modes with a band.", default=FAR),
        Int("headNum", "Heads of query."),
        Text("inputLayout", f"One of {', '.join(style.layouts)}." if style.layouts[1:] else
             f"{style.layouts[0]}.", default=style.default_layout),
        Int("innerPrecise", "How precise rows are; here always most precise.", default=0),
        Int("sparseMode", style.modes, default=0),
        *((Int("pseType", _PSE_TYPES, default=1),) if style.typed else ()),
    )  # fmt: skip


def _tensors(style: Style, key: str, *more: TensorIn) -> tuple[Parameter, ...]:
    return (
        TensorIn("query", "Queries."),
        TensorIn(key, "Keys."),
        TensorIn("value", "Values."),
        *more,
        TensorIn(SHIFT[key], f"pse: what is added to products, {style.shift}.", optional=True),
        TensorIn(DROP, "A bit for each score, the lowest of a byte first; 0 drops it.",
                 optional=True),
        TensorIn("paddingMaskOptional", "Not used.", optional=True),
        TensorIn(MASK, "What is not 0 hides a key.", optional=True),
    )  # fmt: skip


def _layout_of_statistics(style: Style) -> tuple[Parameter, ...]:
    if not style.layout_of_statistics:
        return ()
    return (Text(style.layout_of_statistics, "same_as_input: statistics are [T, N, 8]; empty: "
                 "each sequence has its [N, S, 8].", default=""),)  # fmt: skip


def forward_params(style: Style, statistics: ShapeTerm, out: ShapeTerm) -> tuple[Parameter, ...]:
    """Of attention."""
    return (
        *_tensors(style, "key"),
        *shared_params(style),
        *_layout_of_statistics(style),
        *(TensorOut(name, doc, shape=statistics, dtype=const(FLOAT), is_const=True)
          for name, doc in STATISTICS.items()),
        TensorOut("softmaxOutOut", "Not written.", like="query", is_const=True, optional=True,
                  made_if=Const(0)),
        TensorOut("attentionOutOut", "Result.", shape=out, dtype=DtypeOf("query"), is_const=True),
    )  # fmt: skip


def backward_params(style: Style) -> tuple[Parameter, ...]:
    """Of its gradients."""
    return (
        *_tensors(style, "keyIn", TensorIn("dy", "Gradient of the result.")),
        TensorIn("softmaxMaxOptional", "The forward's largest scores.", optional=True),
        TensorIn("softmaxSumOptional", "The forward's sums.", optional=True),
        TensorIn("softmaxInOptional", "Not used.", optional=True),
        TensorIn("attentionInOptional", "The forward's result."),
        *shared_params(style),
        *(TensorOut(f"d{each[0]}Out", f"Gradient of {each}.", like=each, is_const=True)
          for each in ("query", "keyIn", "value")),
        TensorOut("dpseOut", "Not written.", like="query", is_const=True, optional=True,
                  made_if=Const(0)),
        *_layout_of_statistics(style),
    )  # fmt: skip

# SPDX-License-Identifier: Apache-2.0
"""Attention over sequences that lie one after the other: each of them by itself."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass
from itertools import accumulate
from typing import TYPE_CHECKING, Any

from aclhost.ops.attention import flash_golden
from aclhost.ops.attention.build import BAND_FROM_END, CAUSAL, CAUSAL_FROM_END
from aclhost.ops.attention.varlen_checks import COPIES
from aclhost.ops.attention.varlen_modes import BAND_THEN_CAUSAL, CAUSAL_THEN_BAND
from aclhost.spec.sequences import sequence_lengths

if TYPE_CHECKING:
    from aclhost.spec.golden import Array

Arguments = dict[str, Any]
_MASK, _DROP, _PREFIX = "atten_mask_optional", "drop_mask_optional", "prefix_optional"
_BY_QUERY = ("query", "dy", "attention_in_optional")
_BY_KEY = ("key", "key_in", "value")


@dataclass(frozen=True)
class _Sequence:
    """One of them: where it lies, and how much."""

    number: int
    query: int
    key: int
    queries: int
    keys: int
    pairs: int  # of queries and keys before it

    @property
    def own_queries(self) -> slice:
        return slice(self.query, self.query + self.queries)

    @property
    def own_keys(self) -> slice:
        return slice(self.key, self.key + self.keys)


def _sequences(arguments: Arguments) -> list[_Sequence]:
    names = "actual_seq_qlen_optional", "actual_seq_kv_len_optional"
    queries, keys = (sequence_lengths(arguments[name]) for name in names)
    products = [q * k for q, k in zip(queries, keys, strict=True)]
    starts = (accumulate(each, initial=0) for each in (queries, keys, products))
    return [
        _Sequence(number, query, key, queries[number], keys[number], pairs)
        for number, (query, key, pairs) in enumerate(zip(*starts, strict=True))
        if number < len(queries)
    ]


def _is_same_as_input(arguments: Arguments) -> bool:
    named = (arguments.get(f"softmax_{way}_layout") for way in ("out", "in"))
    return "same_as_input" in named


def _statistics(arguments: Arguments, each: _Sequence, values: Array) -> Array:
    """[1, N, S, 8] of a sequence."""
    heads = arguments["head_num"]
    if _is_same_as_input(arguments):
        own = values[each.own_queries]
        return own.transpose(1, 0, 2)[None]
    own = values[each.own_queries].reshape(-1)
    return own.reshape(1, heads, each.queries, COPIES)


def _put_statistics(arguments: Arguments, each: _Sequence, values: Array, to: Array) -> None:
    own = values[0] if not _is_same_as_input(arguments) else values[0].swapaxes(0, 1)
    to[each.own_queries] = own.reshape(each.queries, -1, COPIES)


def _mask(arguments: Arguments, each: _Sequence, everything: list[tuple[int, int]]) -> Any:  # noqa: ANN401
    mask = arguments[_MASK]
    if mask is None or arguments["sparse_mode"] > 1:
        return mask
    if mask.ndim == 4:
        number = each.number if mask.shape[0] > 1 else 0
        return mask[number : number + 1, :, : each.queries, : each.keys]
    longest = [max(part) for part in zip(*everything, strict=True)]
    if list(mask.shape) == longest:
        return mask[: each.queries, : each.keys]
    return mask[each.own_queries, each.own_keys]


def _mode(arguments: Arguments, each: _Sequence, sequences: list[_Sequence]) -> int:
    """Of a sequence: the one that was cut has a band."""
    mode = int(arguments["sparse_mode"])
    filled = [other.number for other in sequences if other.queries]
    if mode == CAUSAL_THEN_BAND:
        return BAND_FROM_END if filled[-1:] == [each.number] else CAUSAL_FROM_END
    if mode == BAND_THEN_CAUSAL:
        return BAND_FROM_END if filled[:1] == [each.number] else CAUSAL
    return mode


def _shift(arguments: Arguments, each: _Sequence, name: str, pairs: int) -> Any:  # noqa: ANN401
    shift, heads = arguments[name], arguments["head_num"]
    if shift is None:
        return None
    if arguments.get("pse_type", 1) >= flash_golden.SLOPE:
        return shift if shift.ndim == 1 else shift[each.number]
    if shift.ndim == 4 and shift.size != shift.shape[0]:  # the last rows
        return shift[each.number if shift.shape[0] > 1 else 0][None]
    full = shift.shape[0] == heads * pairs
    rows, start = (each.queries, each.pairs) if full else (1, each.key)
    count = heads * rows * each.keys
    return shift.reshape(-1)[heads * start :][:count].reshape(1, heads, rows, each.keys)


def _bits(arguments: Arguments, each: _Sequence) -> Any:  # noqa: ANN401
    import numpy as np

    mask, heads = arguments[_DROP], arguments["head_num"]
    if mask is None:
        return None
    bits = np.unpackbits(mask.astype(np.uint8).reshape(-1), bitorder="little")
    count = heads * each.queries * each.keys
    return np.packbits(bits[heads * each.pairs :][:count], bitorder="little")


def _of_sequence(arguments: Arguments, each: _Sequence, sequences: list[_Sequence]) -> Arguments:
    """The arguments of attention over one batch."""
    own = {**arguments, "input_layout": "BSND"}
    own |= {name: own[name][each.own_queries][None] for name in _BY_QUERY if name in own}
    own |= {name: own[name][each.own_keys][None] for name in _BY_KEY if name in own}
    for name in ("softmax_max_optional", "softmax_sum_optional"):
        if name in own:
            own[name] = _statistics(arguments, each, arguments[name])
    own[_MASK] = _mask(arguments, each, [(one.queries, one.keys) for one in sequences])
    own[_DROP] = _bits(arguments, each)
    own["sparse_mode"] = _mode(arguments, each, sequences)
    if own[_PREFIX]:
        own[_PREFIX] = own[_PREFIX][each.number : each.number + 1]
    pairs = sum(one.queries * one.keys for one in sequences)
    for name in ("real_shift_optional", "pse_shift_optional"):
        if name in own:
            own[name] = _shift(arguments, each, name, pairs)
    if arguments["sparse_mode"] == BAND_THEN_CAUSAL and each.number:
        own["q_start_idx_optional"] = own["kv_start_idx_optional"] = None
    return own


def _filled(arguments: Arguments) -> Iterator[tuple[_Sequence, Arguments]]:
    sequences = _sequences(arguments)
    for each in sequences:
        if each.queries and each.keys:
            yield each, _of_sequence(arguments, each, sequences)


def _forward(arguments: Arguments, attend: Callable[..., Any], empty: Any) -> Any:  # noqa: ANN401
    """Statistics and result of all sequences; 0 where there is none."""
    query, heads = arguments["query"], arguments["head_num"]
    largest, sums = (empty((query.shape[0], heads, COPIES)) for _ in range(2))
    out = empty((query.shape[0], heads, arguments["value"].shape[2]))
    for each, own in _filled(arguments):
        found = attend(**own)
        if found is NotImplemented:
            return found
        _put_statistics(arguments, each, found[0], largest)
        _put_statistics(arguments, each, found[1], sums)
        out[each.own_queries] = found[2][0]
    return largest, sums, out


def golden(**arguments: Any) -> tuple[Array, ...]:  # noqa: ANN401
    """Statistics, and the result."""
    import numpy as np

    found: tuple[Array, ...] = _forward(arguments, flash_golden.golden, np.zeros)
    return found


def forward_terms(**arguments: Any) -> tuple[Array, ...]:  # noqa: ANN401
    """Magnitudes of the same."""
    import numpy as np

    found: tuple[Array, ...] = _forward(arguments, flash_golden.forward_terms, np.zeros)
    return found


def _gradients(arguments: Arguments, differentiate: Callable[..., Any]) -> tuple[Array, ...]:
    import numpy as np

    query, key, value = (
        np.zeros(arguments[name].shape) for name in ("query", "key_in", "value")
    )  # fmt: skip
    for each, own in _filled(arguments):
        of_query, of_key, of_value = differentiate(**own)
        query[each.own_queries] = of_query[0]
        key[each.own_keys], value[each.own_keys] = of_key[0], of_value[0]
    return query, key, value


def golden_gradient(**arguments: Any) -> tuple[Array, ...]:  # noqa: ANN401
    """Of queries, keys and values."""
    return _gradients(arguments, flash_golden.golden_gradient)


def gradient_terms(**arguments: Any) -> tuple[Array, ...]:  # noqa: ANN401
    """Magnitudes of what is added up."""
    return _gradients(arguments, flash_golden.gradient_terms)


def torch_attention(torch: Any, **arguments: Any) -> Any:  # noqa: ANN401
    """Where torch has the same mask for every sequence."""
    if arguments[_DROP] is not None:
        return NotImplemented

    def attend(**own: Any) -> Any:  # noqa: ANN401
        return flash_golden.torch_attention(torch, **own)

    return _forward(arguments, attend, lambda shape: torch.zeros(shape, dtype=torch.float64))

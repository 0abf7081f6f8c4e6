# SPDX-License-Identifier: Apache-2.0
"""What of a reference in torch is work for its result.

References are written for tests: they look for what torch computes by another rule, compute in
float64 where that is exact, and get gradients from a forward call. A user of torch pays for none of
this. So the calls that a reference makes are recorded, and those made again that the result needs.

Needs torch.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterable
from dataclasses import dataclass
from typing import Any, TypeAlias

import torch
from torch.utils._python_dispatch import TorchDispatchMode

from aclhost.bench.workload import Call

Key: TypeAlias = tuple[Any, ...]

_EMPTY = ("empty_like", "new_empty", "new_empty_strided")
# They look at the shape of what they are called with, not at its elements.
_OF_SHAPES = (*_EMPTY, "full_like", "new_full", "new_ones", "new_zeros", "ones_like", "zeros_like")


@dataclass(frozen=True, eq=False)
class _Step:
    """A call of one of torch's own operators."""

    function: Any
    arguments: tuple[Any, ...]
    keywords: dict[str, Any]
    result: Any

    @property
    def inputs(self) -> list[torch.Tensor]:
        return tensors((self.arguments, list(self.keywords.values())))

    @property
    def outputs(self) -> list[torch.Tensor]:
        """What it returns; of functions in place that return nothing, what they are called with."""
        return tensors(self.result) or (self.inputs if self.mutates else [])

    @property
    def mutates(self) -> bool:
        return bool(self.function._schema.is_mutable)

    @property
    def name(self) -> str:
        return str(self.function._schema.name).removeprefix("aten::")

    @property
    def may_be_one(self) -> bool:
        """Whether it copies, or is about float64."""
        wide = any(each.dtype == torch.float64 for each in self.outputs)
        return wide or self.name in ("clone", "_to_copy", "copy_")

    @property
    def is_view(self) -> bool:
        shared = {map_of(each) for each in self.inputs}
        return not self.mutates and all(map_of(each) in shared for each in self.outputs)


class _Log(TorchDispatchMode):  # type: ignore[no-untyped-call]
    """Keeps every call and all of its tensors, so that no memory is used twice meanwhile."""

    def __init__(self) -> None:
        super().__init__()  # type: ignore[no-untyped-call]
        self.steps: list[_Step] = []

    def __torch_dispatch__(
        self,
        func: Any,  # noqa: ANN401
        types: Any,  # noqa: ANN401
        args: tuple[Any, ...] = (),
        kwargs: dict[str, Any] | None = None,
    ) -> Any:  # noqa: ANN401
        result = func(*args, **(kwargs or {}))
        self.steps.append(_Step(func, args, kwargs or {}, result))
        return result


def tensors(value: Any) -> list[torch.Tensor]:  # noqa: ANN401
    """All of them, members of lists included."""
    if isinstance(value, tuple | list):
        return [each for member in value for each in tensors(member)]
    return [value] if isinstance(value, torch.Tensor) else []


def map_of(tensor: torch.Tensor) -> int:
    """The memory that it is a part of."""
    return int(tensor.untyped_storage().data_ptr())


def _key(tensor: torch.Tensor) -> Key:
    """Which part of it: tensors that are saved for a gradient come back as other objects."""
    return tensor.data_ptr(), tuple(tensor.shape), tensor.stride(), tensor.dtype


def distilled(call: Call, given: Iterable[Any]) -> tuple[Call, list[torch.Tensor]]:
    """The same work without detours, or the call itself if it makes none; and what it gave.

    `given` are its arguments. The result is that of the call, in narrower arithmetic where that was
    in float64.

    Raises:
        NotImplementedError: torch has another rule.

    """
    with _Log() as log:
        result = call()
    if result is NotImplemented:
        raise NotImplementedError("another rule")
    results, arguments = tensors(result), tensors(list(given))
    kept = _needed(log.steps, results)
    dropped = {step.name for step in log.steps if step not in kept and not step.is_view}
    detours = dropped - {"_local_scalar_dense"} or any(step.may_be_one for step in kept)
    if not kept or not detours:  # of a number that torch gave, nothing is known
        return call, results
    program = _Program(kept, results, arguments)
    with torch.no_grad():
        program.build()
    if not (dropped - {"_local_scalar_dense"} or program.changed):
        return call, results
    return program.compiled(), results


def _needed(steps: list[_Step], results: list[torch.Tensor]) -> list[_Step]:
    """Those that write memory that the results are in or follow from."""
    wanted, used = {map_of(each) for each in results}, {_key(each) for each in results}
    kept = []
    for step in reversed(steps):
        if step.is_view:
            needed = any(_key(each) in used for each in step.outputs)
        else:
            needed = any(map_of(each) in wanted for each in step.outputs)
        if needed:
            kept.append(step)
        if needed and step.name not in _OF_SHAPES:
            wanted |= {map_of(each) for each in step.inputs}
            used |= {_key(each) for each in step.inputs}
    return kept[::-1]


def _own_dtype(given: list[torch.Tensor]) -> torch.dtype | None:
    """What float64 stands for: the dtype of the arguments, unless one has float64."""
    found = [each.dtype for each in given if each.is_floating_point()]
    return None if not found or torch.float64 in found else found[0]


class _Program:
    """Steps as the source text of a function; each is made once, to see what becomes of it."""

    def __init__(
        self, steps: list[_Step], results: list[torch.Tensor], given: list[torch.Tensor]
    ) -> None:
        self._steps, self._narrow = steps, _own_dtype(given)
        self._given = {map_of(each) for each in given}
        self._results = {_key(each): each for each in results}
        self._mutated = Counter(map_of(e) for step in steps if step.mutates for e in step.outputs)
        self._empty = {_key(step.result) for step in steps if step.name in _EMPTY}
        self._lines: list[str] = []
        self._names: dict[str, Any] = {}  # what the text speaks of
        self._places: dict[Key, tuple[str, Any]] = {}  # text and value of what a step gave
        self.changed = False

    def build(self) -> None:
        for step in self._steps:
            source = self._same_as(step)
            if source is not None:
                self.changed = True
                self._places[_key(step.outputs[0])] = source
            else:
                self._add(step)

    def compiled(self) -> Call:
        found = (self._text(each)[0] for each in self._results.values())
        body = "".join(f" {line}\n" for line in (*self._lines, f"return [{', '.join(found)}]"))
        scope = dict(self._names)
        exec(f"def replay():\n{body}", scope)
        replay: Callable[[], object] = scope["replay"]

        def call() -> object:
            with torch.no_grad():
                return replay()

        return call

    def _same_as(self, step: _Step) -> tuple[str, Any] | None:
        """Of a copy that nobody needs, what it copies: a clone, or a cast to the same dtype."""
        if step.name == "copy_":
            return self._kept_gradient(step)
        if step.name not in ("clone", "_to_copy") or not step.inputs[0].is_contiguous():
            return None
        result, (text, value) = step.outputs[0], self._text(step.inputs[0])
        if map_of(result) in self._mutated:
            return None
        if _key(result) in self._results and map_of(value) in self._given:
            return None
        target = self._narrowed(step.keywords.get("dtype"))
        same = step.name == "clone" or (target == value.dtype and len(step.keywords) == 1)
        return (text, value) if same else None

    def _kept_gradient(self, step: _Step) -> tuple[str, Any] | None:
        """Autograd's copy of a gradient that nobody else has."""
        target, source = step.inputs[:2]
        alike = _key(target)[1:] == _key(source)[1:] and _key(target) in self._empty
        if alike and self._mutated[map_of(target)] == 1:
            return self._places.get(_key(source))
        return None

    def _add(self, step: _Step) -> None:
        name = f"v{len(self._lines)}"
        arguments = [self._text(each) for each in step.arguments]
        keywords = {key: self._text(each) for key, each in step.keywords.items()}
        value = step.function(
            *(made for _, made in arguments), **{key: made for key, (_, made) in keywords.items()}
        )
        named = (f"{key}={text}" for key, (text, _) in keywords.items())
        text = ", ".join([*(text for text, _ in arguments), *named])
        self._lines.append(f"{name} = {self._constant(step.function)}({text})")
        if isinstance(value, torch.Tensor):
            self._places[_key(step.result)] = name, value
        elif isinstance(value, tuple | list):
            for number, (old, new) in enumerate(zip(step.result, value, strict=True)):
                if isinstance(old, torch.Tensor):
                    self._places[_key(old)] = f"{name}[{number}]", new

    def _text(self, value: Any) -> tuple[str, Any]:  # noqa: ANN401
        """How an argument is written, and what it is now."""
        if isinstance(value, torch.Tensor):
            value = value.detach()
            return self._places.get(_key(value)) or (self._constant(value), value)
        if isinstance(value, tuple | list):
            members = [self._text(each) for each in value]
            return f"[{', '.join(text for text, _ in members)}]", [made for _, made in members]
        value = self._narrowed(value)
        return self._constant(value), value

    def _narrowed(self, value: Any) -> Any:  # noqa: ANN401
        if value is torch.float64 and self._narrow is not None:
            self.changed = True
            return self._narrow
        return value

    def _constant(self, value: Any) -> str:  # noqa: ANN401
        name = f"c{len(self._names)}"
        self._names[name] = value
        return name

# SPDX-License-Identifier: Apache-2.0
"""What resizing operators have in common: parameters, calls, goldens, torch's functions."""

from __future__ import annotations

import inspect
import math
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from random import Random
from typing import TYPE_CHECKING, Any

from aclhost.ops.resize import goldens
from aclhost.spec.call import Argument, Call, TensorArg
from aclhost.spec.dtypes import DataType
from aclhost.spec.formats import ND, of_rank
from aclhost.spec.gradient import Derived, Gradient
from aclhost.spec.params import Double, Flag, Float, IntArray, Parameter, TensorIn, TensorOut
from aclhost.spec.products import Product
from aclhost.spec.python_names import snake_case
from aclhost.spec.shapes import ArrayShape, ShapeTerm
from aclhost.spec.terms import DtypeOf

if TYPE_CHECKING:
    from aclhost.spec.golden import Array

Sizes = tuple[int, ...]
Scales = Sequence[float]
# The scales that count, of those given, the lengths of the input and those of the output.
Policy = Callable[[Scales, Sizes, Sizes], Scales]

_AXES = {1: ("length",), 2: ("height", "width"), 3: ("depth", "height", "width")}
IMAGE_SCALES = ("scalesH", "scalesW")
VOLUME_SCALES = ("scalesD", "scalesH", "scalesW")


def each(scales: Scales, inputs: Sizes, outputs: Sizes) -> Scales:
    """Every scale counts on its own."""
    return scales


def together(scales: Scales, inputs: Sizes, outputs: Sizes) -> Scales:
    """Scales count only where all are above 0."""
    return scales if all(scale > 0 for scale in scales) else [0.0] * len(scales)


def where_lengths_change(scales: Scales, inputs: Sizes, outputs: Sizes) -> Scales:
    """The scale of an axis that keeps its length does not count."""
    lengths = zip(scales, inputs, outputs, strict=True)
    return [0.0 if before == after else scale for scale, before, after in lengths]


@dataclass(frozen=True)
class Resizing:
    """One direction of resizing in one number of dimensions."""

    axes: int
    source: str = "self"  # the tensor that is read
    result: str = "out"
    backward: bool = False
    aligns: bool = False  # whether there is a flag alignCorners
    scales: tuple[str, ...] = ()  # names; empty where the operator takes none
    float_scales: bool = False
    none: float = 0.0  # what stands for no scale
    labelled: bool = False  # whether the operator insists on formats
    policy: Policy = each
    dtypes: tuple[DataType, ...] = ()  # that calls are drawn with
    most_growth: int = 4
    most: int = 9  # longest axis of drawn inputs
    shift: float | None = None  # of nearest neighbours; None: neighbours are weighed

    @property
    def names(self) -> tuple[str, ...]:
        return _AXES[self.axes]

    def params(self, shape: ShapeTerm) -> tuple[Parameter, ...]:
        """In upstream's order; a new result of the forward has the shape."""
        sizes = (f"{listing(self.names)} of the resized tensor.", "N, C and lengths of the input.")
        array = IntArray("outputSize", sizes[0].capitalize(), length=self.axes)
        number = Float if self.float_scales else Double
        scale_doc = f"Output over input along the {{}}; {self.none:g} for none given."
        given = tuple(
            number(name, scale_doc.format(axis), default=self.none)
            for name, axis in zip(self.scales, self.names, strict=bool(self.scales))
        )
        like = ArrayShape("inputSize") if self.backward else shape
        return (
            TensorIn(
                self.source,
                "Gradient of the resized tensor." if self.backward else "Input.",
            ),
            array,
            *((IntArray("inputSize", sizes[1], length=self.axes + 2),) if self.backward else ()),
            *(
                (Flag("alignCorners", "Whether the corners' middles stay.", default=False),)
                if self.aligns
                else ()
            ),
            *given,
            TensorOut(
                self.result,
                "Gradient of the input." if self.backward else "Result.",
                shape=like,
                dtype=DtypeOf(self.source),
            ),
        )

    def call(
        self,
        dtype: DataType,
        shape: Sizes,
        outputs: Sizes,
        scales: Scales = (),
        *,
        align_corners: bool = False,
        product: Product | None = None,
    ) -> Call:
        """A call that resizes N, C and lengths to other lengths."""
        resized = (*shape[:2], *outputs)
        read, written = (resized, shape) if self.backward else (shape, resized)
        label = of_rank(len(shape)) if self.labelled else ND
        numbers = list(scales) or [self.none] * len(self.scales)
        arguments: dict[str, Argument] = {
            self.source: TensorArg(read, dtype, format=label),
            "outputSize": outputs,
            **({"inputSize": shape} if self.backward else {}),
            **({"alignCorners": align_corners} if self.aligns else {}),
            **dict(zip(self.scales, numbers, strict=bool(self.scales))),
            self.result: TensorArg(written, dtype, format=label),
        }
        call = Call(arguments)
        return call.on(product) if product else call

    def draw(self, random: Random) -> Call:
        """Small lengths; scales that lead from one to the other, or none.

        Nearest neighbours only where rounding errors leave both directions each other's adjoint.
        """
        while True:
            call = self._drawn(random)
            resized, shape = call.shape(self.source)[2:], call.shape(self.result)[2:]
            inputs, outputs = (shape, resized) if self.backward else (resized, shape)
            given = [call.real(name) for name in self.scales] or [0.0] * self.axes
            counting = self.policy(given, inputs, outputs)
            if all(map(self._is_adjoint, inputs, outputs, counting)):
                return call

    def _is_adjoint(self, sources: int, targets: int, scale: float) -> bool:
        import numpy as np

        if self.shift is None:
            return True
        starts, places = self._correspondence(sources, targets, scale)
        return bool(np.array_equal(np.searchsorted(starts, range(targets), "right") - 1, places))

    def _drawn(self, random: Random) -> Call:
        lengths = tuple(random.randint(1, self.most) for _ in range(self.axes))
        shape = (random.randint(1, 3), random.randint(1, 3), *lengths)
        scales, outputs = self._targets(random, lengths)
        given = scales if self.scales and random.random() < 0.5 else ()
        return self.call(
            random.choice(self.dtypes), shape, outputs, given, align_corners=random.random() < 0.3
        )

    def _targets(self, random: Random, lengths: Sizes) -> tuple[Scales, Sizes]:
        scales = []
        for length in lengths:
            least = math.ceil(8 / length)
            scales.append(random.randint(least, 8 * self.most_growth) / 8)
        return scales, tuple(int(n * s) for n, s in zip(lengths, scales, strict=True))

    def typical(self, elements: int) -> Call:
        """Twice as long in every direction, or half as long."""
        side = max(round((elements / 64) ** (1 / self.axes)), 2)
        small, large = (max(side // 2, 1),) * self.axes, (max(side // 2, 1) * 2,) * self.axes
        first = self.dtypes[0]
        return self.call(first, (4, 16, *small), large, (2.0,) * len(self.scales))

    def sizes(self, arguments: dict[str, Any]) -> tuple[Sizes, Sizes]:
        """Lengths of the input and of the output, from arguments by Python names."""
        outputs = tuple(arguments["output_size"])[: self.axes]
        if self.backward:
            return tuple(arguments["input_size"])[2:], outputs
        return tuple(arguments[snake_case(self.source)].shape)[2:], outputs

    def counting(self, arguments: dict[str, Any]) -> Scales:
        """The scales that count; 0 for those that do not."""
        inputs, outputs = self.sizes(arguments)
        given = [arguments[snake_case(name)] for name in self.scales] or [0.0] * self.axes
        return self.policy(given, inputs, outputs)

    def weighted(self, weights: goldens.Weights) -> Callable[..., Array]:
        """The golden of operators that weigh neighbours."""

        def golden(**arguments: Any) -> Array:  # noqa: ANN401
            x, align = arguments[snake_case(self.source)], arguments.get("align_corners", False)
            inputs, outputs = self.sizes(arguments)
            for axis, scale in enumerate(self.counting(arguments)):
                length, target = inputs[axis], outputs[axis]
                if length == target:
                    continue
                step = goldens.step(length, target, scale, align_corners=align)
                table = weights(length, target, step, align)
                if self.backward:
                    x = goldens.gradient(x, axis + 2, table, length)
                else:
                    x = goldens.resized(x, axis + 2, table)
            result: Array = x
            return result

        return golden

    def nearest(self) -> Callable[..., Array]:
        """The golden of operators that copy, or sum what was copied."""

        def golden(**arguments: Any) -> Array:  # noqa: ANN401
            x = arguments[snake_case(self.source)]
            inputs, outputs = self.sizes(arguments)
            for axis, scale in enumerate(self.counting(arguments)):
                starts, places = self._correspondence(inputs[axis], outputs[axis], scale)
                if self.backward:
                    x = goldens.window_sums(x, axis + 2, starts)
                else:
                    x = x.take(places, axis + 2)
            result: Array = x
            return result

        return golden

    def _correspondence(self, sources: int, targets: int, scale: float) -> tuple[Array, Array]:
        """Where sources' windows start, and where targets come from."""
        import numpy as np

        shift = self.shift or 0.0
        factor = np.float32(scale) if scale > 0 else np.float32(targets) / np.float32(sources)
        step = goldens.step(sources, targets, scale)
        return (
            goldens.window_starts(sources, targets, factor, shift),
            goldens.nearest_places(sources, targets, step, shift),
        )

    def facts(self, torch_name: str, weights: goldens.Weights | None = None) -> dict[str, Any]:
        """What a declaration says about numbers; nearest neighbours have no weights."""
        sums = self.backward or weights is not None
        golden = self.nearest() if weights is None else self.weighted(weights)
        return {
            "golden": self._with_parameters(golden),
            "terms": None if weights is None else self.weighted(goldens.absolute(weights)),
            "reference": self.torch(torch_name),
            "summed": (self.source,) if sums else (),
            "draw": self.draw,
            "typical": self.typical,
            "labelled": self.labelled,
        }

    def _with_parameters(self, golden: Callable[..., Array]) -> Callable[..., Array]:
        """The golden with the names that it takes, for those who look at them."""
        names = [
            self.source,
            "outputSize",
            *(["inputSize"] if self.backward else []),
            *(["alignCorners"] if self.aligns else []),
            *self.scales,
        ]
        kind = inspect.Parameter.KEYWORD_ONLY
        parameters = [inspect.Parameter(snake_case(name), kind) for name in names]
        golden.__signature__ = inspect.Signature(parameters)  # type: ignore[attr-defined]
        return golden

    def torch(self, name: str) -> Callable[..., Any]:
        """The function of torch's that takes scales, in single precision like places and weights.

        Where torch takes other neighbours, it has another rule.
        """

        def reference(torch: Any, **arguments: Any) -> Any:  # noqa: ANN401
            x, (inputs, outputs) = arguments[snake_case(self.source)], self.sizes(arguments)
            if self.shift is None and not torch.isfinite(x).all():
                return NotImplemented  # torch multiplies infinity by weights of 0
            counting = self.counting(arguments)
            if not all(map(self._is_like_torch, inputs, outputs, counting)):
                return NotImplemented
            sizes = [list(arguments["output_size"])]
            if self.backward:
                sizes.append(list(arguments["input_size"]))
            flags = [arguments["align_corners"]] if self.aligns else []
            if self.shift is None:
                counting = where_lengths_change(counting, inputs, outputs)
            scales = [scale if scale > 0 else None for scale in counting]
            x = x.float() if x.is_floating_point() else x
            return getattr(torch.ops.aten, name)(x, *sizes, *flags, *scales)

        return reference

    def _is_like_torch(self, sources: int, targets: int, scale: float) -> bool:
        """Torch takes whole factors as such, and hands gradients back the way values came."""
        import numpy as np

        if self.shift is None:
            return True
        starts, ours = self._correspondence(sources, targets, scale)
        numbers = theirs = np.arange(targets)
        if self.shift == 0 and targets == 2 * sources:
            theirs = numbers // 2
        elif self.shift != 0 or targets != sources:
            theirs = ours
        if self.backward:
            ours = np.searchsorted(starts, numbers, "right") - 1
        return bool(np.array_equal(ours, theirs))

    def gradient_of(
        self, forward: str, *, source: str = "self", saved: Mapping[str, str] | None = None,
        where: Derived | None = None,
    ) -> Gradient:  # fmt: skip
        """The forward operator with the name of its input and of what is called otherwise."""
        return Gradient(
            forward,
            results={self.result: source},
            given={self.source: "out"},
            saved=saved or {},
            derived={"inputSize": lambda arguments: tuple(arguments[source].shape)},
            where=where,
        )


def listing(names: Sequence[str]) -> str:
    """`depth, height and width`."""
    return names[0] if len(names) == 1 else f"{', '.join(names[:-1])} and {names[-1]}"

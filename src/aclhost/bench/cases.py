# SPDX-License-Identifier: Apache-2.0
"""What is measured: operators, variants, dtypes, sizes."""

from __future__ import annotations

from collections.abc import Collection, Iterator, Mapping
from dataclasses import dataclass, field
from math import prod

from aclhost.bench import derived, elementwise, volumes
from aclhost.bench.workload import BROADCAST, BY_PYTHON_NAME, CONTIGUOUS, TRANSPOSED, Workload

SINGLE_AND_HALF = ("float32", "float16", "bfloat16")
_WITH_DOUBLE = (*SINGLE_AND_HALF, "float64")
_UNPOOLED = ("float32", "float16", "float64", "int8", "uint8", "int16", "int32", "int64")

LINES = {"medium": 100_000, "tiny": 1000, "large": 1 << 25}
VOLUMES: dict[str, tuple[int, ...]] = {
    "medium": (1, 4, 16, 32, 48),
    "tiny": (1, 2, 8, 8, 8),
    "N*C=1": (1, 1, 128, 256, 256),
    "N2C32": (2, 32, 32, 64, 64),
    "N4C64": (4, 64, 32, 64, 64),
}
# For pools: planes that 16 bits cannot index, and pooled rows shorter than a vector.
_PLANES: dict[str, tuple[int, ...]] = {"wide": (1, 8, 8, 512, 512), "narrow": (2, 64, 32, 128, 24)}
SIZES = ("tiny", "medium", "N*C=1", *_PLANES, "N2C32", "N4C64", "large")
_UNIT = (20, 50, 100)  # 1e5 elements; growth adds channels


@dataclass(frozen=True)
class Kind:
    """An operator's part of the grid. Its first variant stands for it where few are run."""

    variants: tuple[str, ...]
    dtypes: tuple[str, ...] = SINGLE_AND_HALF
    further: Mapping[str, tuple[int, ...]] = field(default_factory=dict)  # for the first variant
    layouts: tuple[str, ...] = (CONTIGUOUS, TRANSPOSED)


_REDUCTIONS = Kind(("none", "mean", "sum"), layouts=(CONTIGUOUS, TRANSPOSED, BROADCAST))
_POOLS = Kind(("2/2", "3/2/1", "3/1/1"), further=_PLANES)
_UNPOOLS = Kind(("local", "random"), _UNPOOLED)
_RESIZES = Kind(("x2", "x1.5"), _WITH_DOUBLE)

ELEMENTWISE = {
    "elu": Kind(("",), _WITH_DOUBLE),
    "inplace_elu": Kind(("",), _WITH_DOUBLE),
    "elu_backward": Kind(("exp", "result")),
    "smooth_l1_loss": _REDUCTIONS,
    "smooth_l1_loss_backward": _REDUCTIONS,
}
ON_VOLUMES = {
    "max_pool3d_with_argmax": _POOLS,
    "max_pool3d_with_argmax_backward": _POOLS,
    "max_unpool3d": _UNPOOLS,
    "max_unpool3d_backward": _UNPOOLS,
    "upsample_nearest3d": _RESIZES,
    "upsample_nearest3d_backward": _RESIZES,
}
BY_HAND = (*ELEMENTWISE, *ON_VOLUMES)
# Computed operators that are not measured, and why.
WITHOUT = {
    "trans_matmul_weight": "the first call lays its tensor out anew, a second has nothing to do",
}
OPERATORS = (
    *BY_HAND,
    *(name for name in derived.BY_PYTHON_NAME if name not in BY_HAND and name not in WITHOUT),
)
# One of each family that has much work to do, for the time per element by size.
GROWING = (
    "add", "exp", "gelu", "reduce_sum", "softmax", "layer_norm", "matmul", "convolution",
    "index_select", "sort", "cat", "avg_pool2d",
)  # fmt: skip


@dataclass(frozen=True)
class Case:
    """One line of the table. The shape of a volume is that of the operator's large side."""

    operator: str
    variant: str
    dtype: str
    size: str
    shape: tuple[int, ...]
    layout: str = CONTIGUOUS

    @property
    def elements(self) -> int:
        return prod(self.shape)

    def is_of(self, sizes: Collection[str]) -> bool:
        """Whether it is tiny, medium, or else large, if that is asked for. None are all."""
        size = self.size if self.size in ("tiny", "medium") else "large"
        return not sizes or size in sizes

    @property
    def name(self) -> str:
        """All that tells it from other cases."""
        layout = "" if self.layout == CONTIGUOUS else self.layout
        words = (self.operator, self.variant, self.dtype, self.size, layout)
        return " ".join(word for word in words if word)

    @property
    def family(self) -> str:
        """The directory of its declaration."""
        path = BY_PYTHON_NAME[self.operator].source
        return path.removeprefix("src/aclhost/ops/").split("/")[0].removesuffix(".py")

    @property
    def soc(self) -> str:
        """One that has the operator."""
        return derived.product_of(BY_PYTHON_NAME[self.operator]).default_soc

    def prepare(self) -> Workload:
        """Its arrays and calls."""
        if self.operator in ELEMENTWISE:
            make_line = getattr(elementwise, self.operator)
            line: Workload = make_line(self.variant, self.dtype, self.elements, self.layout)
            return line
        if self.operator in ON_VOLUMES:
            make_volume = getattr(volumes, self.operator)
            volume: Workload = make_volume(self.variant, self.dtype, self.shape, self.layout)
            return volume
        return derived.prepared(self.operator, self.dtype, self.elements, self.layout)


def _shapes(operator: str, layout: str = CONTIGUOUS) -> dict[str, tuple[int, ...]]:
    """By size; the one that stands for all comes first."""
    if operator not in ON_VOLUMES:
        return {size: (elements,) for size, elements in LINES.items()}
    if layout == CONTIGUOUS:
        return VOLUMES
    return {size: VOLUMES[size] for size in ("medium", "tiny", "N2C32")}


def _kind(operator: str) -> Kind:
    if operator not in BY_HAND:
        dtypes, layouts = derived.dtypes_of(operator), derived.layouts_of(operator)
        return Kind(("",), dtypes, layouts=layouts)
    return (ELEMENTWISE | ON_VOLUMES)[operator]


def full(operator: str) -> Iterator[Case]:
    """Everything: each variant, dtype, layout and size, what tells most first."""
    kind = _kind(operator)
    for dtype in kind.dtypes:
        for variant in kind.variants:
            for layout in kind.layouts:
                for size, shape in _shapes(operator, layout).items():
                    yield Case(operator, variant, dtype, size, shape, layout)
    for size, shape in kind.further.items():
        for dtype in kind.dtypes:
            yield Case(operator, kind.variants[0], dtype, size, shape)


def quick(operator: str) -> Iterator[Case]:
    """The first of all."""
    yield next(full(operator))


def growing(operator: str, elements: int) -> Case:
    """One variant on that many elements; for volumes a multiple of 1e5."""
    channels = max(elements // prod(_UNIT), 1)
    shape = (1, channels, *_UNIT) if operator in ON_VOLUMES else (elements,)
    kind = _kind(operator)
    return Case(operator, kind.variants[0], kind.dtypes[0], "growth", shape)

# SPDX-License-Identifier: Apache-2.0
"""What is measured: operators, variants, dtypes, sizes."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from math import prod

from aclhost.bench import elementwise, volumes
from aclhost.bench.workload import Workload

SINGLE_AND_HALF = ("float32", "float16", "bfloat16")
_WITH_DOUBLE = (*SINGLE_AND_HALF, "float64")
_UNPOOLED = ("float32", "float16", "float64", "int8", "uint8", "int16", "int32", "int64")

LINES = {"tiny": 1000, "medium": 100_000, "large": 1 << 25}
VOLUMES: dict[str, tuple[int, ...]] = {
    "tiny": (1, 2, 8, 8, 8),
    "medium": (1, 4, 16, 32, 48),
    "N*C=1": (1, 1, 128, 256, 256),
    "N2C32": (2, 32, 32, 64, 64),
    "N4C64": (4, 64, 32, 64, 64),
}
SIZES = ("tiny", "medium", "N*C=1", "N2C32", "N4C64", "large")


@dataclass(frozen=True)
class Kind:
    """An operator's part of the grid. Its first variant stands for it where few are run."""

    variants: tuple[str, ...]
    dtypes: tuple[str, ...] = SINGLE_AND_HALF


_REDUCTIONS = Kind(("none", "mean", "sum"))
_POOLS = Kind(("2/2", "3/2/1", "3/1/1"))
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
OPERATORS = (*ELEMENTWISE, *ON_VOLUMES)


@dataclass(frozen=True)
class Case:
    """One line of the table. The shape of a volume is that of the operator's large side."""

    operator: str
    variant: str
    dtype: str
    size: str
    shape: tuple[int, ...]
    strided: bool = False

    @property
    def elements(self) -> int:
        return prod(self.shape)

    @property
    def name(self) -> str:
        """All that tells it from other cases."""
        words = (self.operator, self.variant, self.dtype, self.size, "strided" * self.strided)
        return " ".join(word for word in words if word)

    def prepare(self) -> Workload:
        """Its arrays and calls."""
        if self.operator in ELEMENTWISE:
            make_line = getattr(elementwise, self.operator)
            line: Workload = make_line(self.variant, self.dtype, self.elements, self.strided)
            return line
        make_volume = getattr(volumes, self.operator)
        volume: Workload = make_volume(self.variant, self.dtype, self.shape, self.strided)
        return volume


def _shapes(operator: str) -> dict[str, tuple[int, ...]]:
    if operator in ON_VOLUMES:
        return VOLUMES
    return {size: (elements,) for size, elements in LINES.items()}


def _kind(operator: str) -> Kind:
    return (ELEMENTWISE | ON_VOLUMES)[operator]


def full(operator: str) -> Iterator[Case]:
    """Everything: each variant, dtype and size, and strided inputs."""
    kind = _kind(operator)
    for variant in kind.variants:
        for dtype in kind.dtypes:
            for size, shape in _shapes(operator).items():
                yield Case(operator, variant, dtype, size, shape)
        for size in ("medium", "N2C32" if operator in ON_VOLUMES else "large"):
            yield Case(operator, variant, "float32", size, _shapes(operator)[size], strided=True)


def quick(operator: str) -> Iterator[Case]:
    """One variant at three sizes, and once in half precision."""
    kind, shapes = _kind(operator), _shapes(operator)
    big = "N2C32" if operator in ON_VOLUMES else "large"
    for size in ("tiny", "medium", big):
        yield Case(operator, kind.variants[0], "float32", size, shapes[size])
    yield Case(operator, kind.variants[0], "float16", "medium", shapes["medium"])

# SPDX-License-Identifier: Apache-2.0
"""The project's targets, and which of them a run meets: `python -m benchmarks.targets build/bench`.

Ratios are to torch, paired medians with results preallocated, on two threads; fractions are of the
streaming limit in the same rounds. "Close" is within the 10 % by which runs on a shared machine
differ.
"""

from __future__ import annotations

import sys
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path

from aclhost.bench.cases import BY_HAND, Case, full
from aclhost.bench.headline import WANTED_LEAST
from aclhost.bench.report import aligned
from aclhost.bench.results import Result, Run
from aclhost.bench.workload import CONTIGUOUS
from benchmarks import launch
from benchmarks.figures import Figure, load

_SLACK = 0.1
_PRINTED = 40  # lines
_FLOATS = ("float32", "float16", "bfloat16")
_BIG = ("large", "N4C64")


@dataclass(frozen=True)
class Goal:
    """What a row of the table asks of some operators and variants, by dtype.

    A single number is for every dtype. `planes` are further sizes that `large` holds for.
    """

    operators: tuple[str, ...]
    variants: tuple[str, ...]  # none: all
    tiny: float | None
    medium: float | Mapping[str, float]
    large: float | Mapping[str, float]
    fraction: float | Mapping[str, float]
    planes: tuple[str, ...] = ()


def _by_dtype(*values: float, **others: float) -> dict[str, float]:
    """In the order float32, float16, bfloat16, then by name."""
    return dict(zip(_FLOATS, values, strict=False)) | others


_SMOOTH_L1 = ("smooth_l1_loss_backward",)
_UPSAMPLE = ("upsample_nearest3d_backward",)
_MAX_POOL = ("max_pool3d_with_argmax_backward",)
_UNPOOL = ("max_unpool3d_backward",)  # upstream has no bfloat16 for it
_FORWARD = (
    "elu", "inplace_elu", "smooth_l1_loss", "max_pool3d_with_argmax", "max_unpool3d",
    "upsample_nearest3d",
)  # fmt: skip

GOALS = (
    Goal(("elu_backward",), ("exp",), 8,
         _by_dtype(3, 3.8, 3.8), _by_dtype(1.8, 3.3, 3.5), _by_dtype(0.87, 0.74, 0.70)),
    Goal(("elu_backward",), ("result",), 12,
         _by_dtype(1.8, 2.7, 2.7), _by_dtype(1.3, 1.45, 1.6), 0.95),
    Goal(_SMOOTH_L1, ("none",), 12,
         _by_dtype(1.5, 2.8, 3), _by_dtype(1.25, 1.5, 1.85), 0.93),
    Goal(_SMOOTH_L1, ("mean", "sum"), 12,
         _by_dtype(1.9, 2.8, 3), _by_dtype(1.35, 1.55, 2), 0.93),
    Goal(_UPSAMPLE, ("x2",), 9,
         _by_dtype(9, 13, 10, float64=5), _by_dtype(3.3, 7.5, 6, float64=1.6),
         _by_dtype(0.73, 0.63, 0.60)),
    Goal(_UPSAMPLE, ("x1.5",), 9,
         _by_dtype(5, 6, 5, float64=4.5), _by_dtype(4.5, 6.5, 6.5, float64=2.5),
         _by_dtype(0.60, 0.50, 0.50)),
    Goal(_MAX_POOL, ("2/2",), 9,
         _by_dtype(2.8, 3.9, 5), _by_dtype(2.3, 2.3, 2.5), 0.75, ("N*C=1", "wide", "narrow")),
    Goal(_MAX_POOL, ("3/2/1",), 9,
         _by_dtype(2.5, 2.2, 2.2), _by_dtype(2.6, 2.2, 2.2), _by_dtype(0.80, 0.70, 0.60)),
    Goal(_UNPOOL, ("local",), 15,
         _by_dtype(1.6, 3.6), _by_dtype(1.05, 1.9), 0.75),
    Goal(_UNPOOL, ("random",), None,
         {}, _by_dtype(1.4, 1.9, int8=1.25, int64=1.45), 0.40),
    Goal(_FORWARD, (), 5, 1.5, 1.15, 0.80),
)  # fmt: skip

VERDICTS = ("met", "close", "missed", "doubtful")
_AT_LEAST = "at least"
_AT_MOST = "at most"
_LONGEST_LAUNCH = 32768  # elements: of more, what launching adds cannot be told from noise
MEMORY_PER_THREAD = 4.0  # MiB: the few that an operator may take besides its arrays

# Of the other scripts' figures.
FIGURES = {
    "fresh output, float32, ratio": (_AT_LEAST, 5.0),
    "fresh output, float16, ratio": (_AT_LEAST, 5.0),
    "cold call, aclhost, p90": (_AT_MOST, 300.0),
    "import, aclhost after numpy": (_AT_MOST, 60.0),
    "call, NumPy, over the kernel": (_AT_MOST, 0.3),
    "call, ml_dtypes bfloat16, over the kernel": (_AT_MOST, 0.3),
    "call, torch, over the kernel": (_AT_MOST, 0.6),
    "call, C ABI, both phases and synchronisation": (_AT_MOST, 0.6),
    **{
        f"launch, {size} elements, over the kernel": (_AT_MOST, 1.5)
        for size in launch.SIZES
        if size <= _LONGEST_LAUNCH
    },
    **{
        f"launch, chain of 100 x {size}, each over the kernel": (_AT_MOST, 1.0)
        for size in launch.CHAINS
    },
    **{f"launch, {case.name}": (_AT_LEAST, WANTED_LEAST) for case in launch.CASES},
}


@dataclass(frozen=True)
class Check:
    """One target and the number that was measured for it."""

    what: str
    quantity: str
    bound: str
    wanted: float
    measured: float
    doubtful: bool = False  # other processes were busy, or it cannot be

    @property
    def verdict(self) -> str:
        """One of the words in VERDICTS. What was disturbed proves nothing, least of all success."""
        if self.doubtful:
            return "doubtful"
        above = self.bound == _AT_LEAST
        if self.measured >= self.wanted if above else self.measured <= self.wanted:
            return "met"
        slack = 1 - _SLACK if above else 1 + _SLACK
        limit = self.wanted * slack
        return (
            "close" if (self.measured >= limit if above else self.measured <= limit) else "missed"
        )

    def reached(self) -> float:
        """The share of what is wanted."""
        if self.bound == _AT_LEAST:
            return self.measured / self.wanted
        return self.wanted / max(self.measured, 1e-9)


def checks(run: Run, figures: Sequence[Figure]) -> Iterator[Check]:
    """Every target that something was measured for."""
    for result in run.results:
        yield from _of_case(result, run.machine.threads)
    for figure in figures:
        if figure.name in FIGURES:
            bound, wanted = FIGURES[figure.name]
            value = figure.value  # nothing takes less than no time: such a difference is noise
            yield Check(figure.name, figure.unit, bound, wanted, value, doubtful=value < 0)


def _of_case(result: Result, threads: int) -> Iterator[Check]:
    case = result.case
    wanted = _wanted(case)
    if result.ratio is not None:
        ratio = wanted.get("ratio", WANTED_LEAST)
        yield Check(case.name, "ratio", _AT_LEAST, ratio, result.ratio, result.disturbed)
    if result.c_ratio is not None:
        least = WANTED_LEAST
        yield Check(case.name, "C ratio", _AT_LEAST, least, result.c_ratio, result.disturbed)
    if result.streaming_fraction is not None and "fraction" in wanted:
        fraction = result.streaming_fraction
        limit = wanted["fraction"]
        yield Check(case.name, "of limit", _AT_LEAST, limit, fraction, result.disturbed)
    mib = result.peak_extra_bytes / 2**20
    yield Check(case.name, "MiB", _AT_MOST, MEMORY_PER_THREAD * threads, mib)


def _goal(case: Case) -> Goal | None:
    for goal in GOALS:
        if case.operator in goal.operators and case.variant in (goal.variants or (case.variant,)):
            return goal
    return None


def _wanted(case: Case) -> dict[str, float]:
    """Ratio and fraction, as far as the table has them for this case."""
    goal = _goal(case)
    if goal is None or case.layout != CONTIGUOUS:
        return {}
    found: dict[str, float | None] = {}
    if case.size == "tiny":
        found = {"ratio": goal.tiny}
    elif case.size == "medium":
        found = {"ratio": _for_dtype(goal.medium, case.dtype)}
    elif case.size in (*_BIG, *goal.planes):
        found = {"ratio": _for_dtype(goal.large, case.dtype)}
        if case.size in _BIG:
            found["fraction"] = _for_dtype(goal.fraction, case.dtype)
    return {name: value for name, value in found.items() if value is not None}


def _for_dtype(values: float | Mapping[str, float], dtype: str) -> float | None:
    return values.get(dtype) if isinstance(values, Mapping) else values


def unmeasured(run: Run, figures: Sequence[Figure]) -> list[str]:
    """Cases and figures that have a target and no number."""
    everything = (case.name for operator in BY_HAND for case in full(operator))
    found = {result.case.name for result in run.results} | {figure.name for figure in figures}
    return [name for name in (*everything, *FIGURES) if name not in found]


def table(found: Iterable[Check]) -> Iterator[str]:
    """One line for each target."""
    rows = (
        (
            check.what, check.quantity, f"{check.bound} {check.wanted:g}",
            f"{check.measured:.3g}{'?' * check.doubtful}", check.verdict,
        )
        for check in found
    )  # fmt: skip
    return aligned(("target", "", "wanted", "measured", ""), rows, left=5)


def summary(found: Sequence[Check], absent: Sequence[str]) -> str:
    """How many there are of each verdict."""
    verdicts = [check.verdict for check in found]
    counts = ", ".join(f"{verdicts.count(word)} {word}" for word in VERDICTS)
    return f"{len(found)} targets: {counts}; {len(absent)} cases or figures were not measured"


def main(directory: Path) -> None:
    """Prints what is missed by most; all targets go to targets.txt."""
    run, figures = Run.from_json((directory / "results.json").read_text()), load(directory)
    found, absent = list(checks(run, figures)), unmeasured(run, figures)
    path, end = directory / "targets.txt", summary(found, absent)
    left_out = (f"not measured: {name}" for name in absent)
    path.write_text("\n".join((run.machine.line, *table(found), end, *left_out)) + "\n")
    missed = sorted((check for check in found if check.verdict != "met"), key=Check.reached)
    print("\n".join((*table(missed[:_PRINTED]), end, f"all of them: {path}")))


if __name__ == "__main__":
    main(Path(sys.argv[1]))

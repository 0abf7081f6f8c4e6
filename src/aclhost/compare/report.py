# SPDX-License-Identifier: Apache-2.0
"""Comparisons as one HTML file that needs nothing else: no scripts, no network, both schemes."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from html import escape

from aclhost.compare import Comparison, svg

__all__ = ["Entry", "html_report"]


@dataclass(frozen=True)
class Entry:
    """One pair: compared, or the reason why not."""

    name: str
    comparison: Comparison | None = None
    problem: str = ""

    @property
    def passed(self) -> bool:
        return self.comparison is not None and self.comparison.passed

    @property
    def verdict(self) -> str:
        if self.comparison is None:
            return "error"
        return "pass" if self.passed else "fail"

    @property
    def reasons(self) -> tuple[str, ...]:
        return (self.problem,) if self.comparison is None else self.comparison.failures


_STYLE = """
:root { color-scheme: light dark; --ink: #1c2430; --soft: #5b6675; --paper: #ffffff;
  --panel: #f5f7fa; --edge: #d8dee7; --mark: #2f6fde; --good: #1a7f42; --bad: #c62f2f; }
@media (prefers-color-scheme: dark) { :root { --ink: #e4e9f0; --soft: #9aa6b5; --paper: #14181e;
  --panel: #1c222b; --edge: #323b47; --mark: #6ea1ff; --good: #56c980; --bad: #ff7b72; } }
* { box-sizing: border-box; }
body { margin: 0 auto; max-width: 1180px; padding: 28px 20px 60px; color: var(--ink);
  background: var(--paper); font: 15px/1.5 system-ui, sans-serif; }
h1 { font-size: 24px; margin: 0 0 4px; } h2 { font-size: 18px; margin: 0; }
p { margin: 4px 0; } .soft { color: var(--soft); }
.pass { color: var(--good); font-weight: 600; } .fail { color: var(--bad); font-weight: 600; }
.scroll { overflow-x: auto; margin: 14px 0; }
table { border-collapse: collapse; font-variant-numeric: tabular-nums; width: 100%; }
th, td { text-align: right; padding: 5px 10px; border-bottom: 1px solid var(--edge);
  white-space: nowrap; }
th { color: var(--soft); font-weight: 500; } th:first-child, td:first-child { text-align: left; }
section { background: var(--panel); border: 1px solid var(--edge); border-radius: 10px;
  padding: 18px 20px; margin: 22px 0; }
.plots { display: grid; grid-template-columns: repeat(auto-fit, minmax(min(100%, 440px), 1fr));
  gap: 14px; }
svg { width: 100%; background: var(--paper); border: 1px solid var(--edge); border-radius: 8px; }
svg text { fill: var(--soft); font: 11px system-ui, sans-serif; }
svg .title { fill: var(--ink); font-size: 13px; font-weight: 600; }
svg .bar, svg .cell, svg .point { fill: var(--mark); } svg .point { opacity: 0.45; }
svg .broken, svg .bad { fill: var(--bad); } svg .ground { fill: none; stroke: var(--edge); }
svg .axis { stroke: var(--edge); } svg .diagonal { stroke: var(--soft); stroke-dasharray: 4 4; }
a { color: var(--mark); }
"""

_PAGE = """<!doctype html>
<html lang="en"><head><meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<title>{title}</title><style>{style}</style></head><body>
<h1>{title}</h1>
<p class="soft">{subtitle}</p>
{summary}
{sections}
</body></html>
"""

_COLUMNS = (
    "pair", "verdict", "elements", "max abs", "mean abs", "max rel", "max ulp", "cosine", "bad",
)  # fmt: skip


def html_report(entries: Sequence[Entry], actual: str, expected: str) -> str:
    """The report's text; one section with plots for each pair."""
    failed = sum(not entry.passed for entry in entries)
    outcome = f"{len(entries) - failed} of {len(entries)} pass"
    return _PAGE.format(
        title="aclhost compare",
        style=_STYLE,
        subtitle=f"{escape(actual)} against {escape(expected)}: {outcome}.",
        summary=_summary(entries),
        sections="\n".join(_section(number, entry) for number, entry in enumerate(entries)),
    )


def _row(cells: Sequence[str], tag: str = "td") -> str:
    return "<tr>" + "".join(f"<{tag}>{cell}</{tag}>" for cell in cells) + "</tr>"


def _verdict(entry: Entry) -> str:
    kind = "pass" if entry.passed else "fail"
    return f'<span class="{kind}">{entry.verdict}</span>'


def _summary(entries: Sequence[Entry]) -> str:
    rows = [_row(_COLUMNS, "th")]
    for number, entry in enumerate(entries):
        link = f'<a href="#pair{number}">{escape(entry.name)}</a>'
        rows.append(_row((link, _verdict(entry), *_numbers(entry.comparison))))
    return f'<div class="scroll"><table>{"".join(rows)}</table></div>'


def _numbers(found: Comparison | None) -> tuple[str, ...]:
    if found is None:
        return ("",) * 7
    return (
        str(found.count),
        f"{found.max_absolute:.3g}",
        f"{found.mean_absolute:.3g}",
        f"{found.max_relative:.3g}",
        f"{found.max_ulp:g}",
        f"{found.cosine:.8f}",
        str(found.outliers),
    )


def _section(number: int, entry: Entry) -> str:
    parts = [f'<section id="pair{number}"><h2>{escape(entry.name)}: {_verdict(entry)}</h2>']
    parts += [f"<p>{escape(reason)}</p>" for reason in entry.reasons]
    if entry.comparison is not None:
        parts += _details(entry.comparison)
    return "".join([*parts, "</section>"])


def _details(found: Comparison) -> list[str]:
    standard = found.standard
    shape = " x ".join(map(str, found.shape)) or "scalar"
    plots = [
        svg.bars("Absolute error by power of ten", found.decades, "0 is equality"),
        svg.bars(f"Distance in ulps of {found.dtype}", found.ulps, "ulps"),
        svg.scatter("Expected against actual", found.points, standard.is_bad),
    ]
    if found.heat_map is not None:
        at = found.heat_map
        plots.append(svg.heat_map("Error by index", at.cells, at.rows, at.columns))
    return [
        f'<p class="soft">{shape}, {found.dtype}; rtol {standard.rtol:.3g}, atol '
        f"{standard.atol:.3g}; {found.equal} of {found.count} equal, "
        f"{found.nan_mismatches} NaN and {found.inf_mismatches} Inf mismatches</p>",
        _worst(found),
        f'<div class="plots">{"".join(plots)}</div>',
    ]


def _worst(found: Comparison) -> str:
    if not found.worst:
        return ""
    rows = [_row(("worst at", "actual", "expected", "absolute", "relative", "ulps"), "th")]
    for element in found.worst:
        index = ", ".join(map(str, element.index))
        values = (element.actual, element.expected, element.absolute, element.relative)
        rows.append(_row((f"[{index}]", *(f"{v:.6g}" for v in values), f"{element.ulps:g}")))
    return f'<div class="scroll"><table>{"".join(rows)}</table></div>'

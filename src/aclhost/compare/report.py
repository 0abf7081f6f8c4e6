# SPDX-License-Identifier: Apache-2.0
"""Comparisons as one HTML file that needs nothing else: no network, both colour schemes."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from html import escape

from aclhost.compare import Comparison, svg
from aclhost.compare.rows import Entry

__all__ = ["STYLE", "Entry", "details", "html_report"]

_PLOTS = 1_400_000  # bytes of plots in one file; the worst failures come first


STYLE = """
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
svg .bar { fill: var(--mark); } svg image { image-rendering: pixelated; }
svg .point { stroke: var(--mark); stroke-width: 4; stroke-linecap: round; opacity: 0.5; }
svg .bad { stroke: var(--bad); opacity: 1; } svg .ground { fill: none; stroke: var(--edge); }
svg .axis { stroke: var(--edge); } svg .diagonal { stroke: var(--soft); stroke-dasharray: 4 4; }
a { color: var(--mark); }
.tools { display: flex; flex-wrap: wrap; gap: 14px; margin: 14px 0; align-items: center; }
input[type=search] { font: inherit; padding: 5px 9px; min-width: 260px; color: var(--ink);
  background: var(--panel); border: 1px solid var(--edge); border-radius: 6px; }
th button { all: unset; cursor: pointer; }
th button:focus-visible { outline: 2px solid var(--mark); }
th[aria-sort=ascending] button::after { content: " \\25b2"; }
th[aria-sort=descending] button::after { content: " \\25bc"; }
"""

# Sorts by a click on a head, and leaves out rows by their words or because they pass.
_SCRIPT = """
const table = document.querySelector('#pairs'), body = table.tBodies[0];
const rows = [...body.rows], words = document.querySelector('#words');
const failing = document.querySelector('#failing'), shown = document.querySelector('#shown');
function filter() {
  const wanted = words.value.toLowerCase().split(/\\s+/);
  let count = 0;
  for (const row of rows) {
    const text = row.cells[0].textContent.toLowerCase() + ' ' + row.cells[1].textContent;
    row.hidden = !wanted.every(word => text.includes(word)) ||
      (failing.checked && row.cells[1].textContent === 'pass');
    count += !row.hidden;
  }
  shown.textContent = count + ' of ' + rows.length + ' pairs';
}
function sort(head) {
  const column = head.cellIndex, named = column < 2, before = head.getAttribute('aria-sort');
  const down = before ? before === 'ascending' : !named;  // of numbers, the largest first
  for (const other of table.tHead.rows[0].cells) other.removeAttribute('aria-sort');
  head.setAttribute('aria-sort', down ? 'descending' : 'ascending');
  const text = row => row.cells[column].textContent;
  const number = row => {  // infinite, or not compared at all: beyond all others
    const value = parseFloat(text(row));
    return isNaN(value) ? Number.MAX_VALUE : value;
  };
  const order = named ? (a, b) => text(a).localeCompare(text(b), 'en', {numeric: true})
    : (a, b) => number(a) - number(b);
  rows.sort((a, b) => (down ? -1 : 1) * order(a, b));
  body.append(...rows);
}
words.addEventListener('input', filter);
failing.addEventListener('change', filter);
for (const head of table.tHead.rows[0].cells) {
  head.firstChild.addEventListener('click', () => sort(head));
}
filter();
"""

_PAGE = """<!doctype html>
<html lang="en"><head><meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<title>{title}</title><style>{style}</style></head><body>
<h1>{title}</h1>
<p class="soft">{subtitle}</p>
<div class="tools"><input type="search" id="words" placeholder="part of a name, or fail"
aria-label="Filter"><label><input type="checkbox" id="failing"> only failures</label>
<span class="soft" id="shown"></span></div>
{summary}
{sections}
<script>{script}</script>
</body></html>
"""

_COLUMNS = (
    "pair", "verdict", "elements", "max abs", "mean abs", "max rel", "max ulp", "cosine", "bad",
)  # fmt: skip


def html_report(entries: Sequence[Entry], actual: str, expected: str) -> str:
    """The report's text: a row for each pair, failures first, and plots for failures.

    A single pair has its plots anyway. Where plots would make the file large, the worst failures
    have them.
    """
    ordered = sorted(entries, key=lambda entry: entry.badness)
    failed = sum(not entry.passed for entry in entries)
    outcome = f"{len(entries) - failed} of {len(entries)} pass"
    told = ordered if len(entries) == 1 else [entry for entry in ordered if not entry.passed]
    return _PAGE.format(
        title="aclhost compare",
        style=STYLE,
        subtitle=f"{escape(actual)} against {escape(expected)}: {outcome}.",
        summary=_summary(ordered, len(told)),
        sections="\n".join(_sections(told)),
        script=_SCRIPT,
    )


def _row(cells: Sequence[str], tag: str = "td") -> str:
    return "<tr>" + "".join(f"<{tag}>{cell}</{tag}>" for cell in cells) + "</tr>"


def _verdict(entry: Entry) -> str:
    kind = "pass" if entry.passed else "fail"
    return f'<span class="{kind}">{entry.verdict}</span>'


def _summary(entries: Sequence[Entry], linked: int) -> str:
    rows = []
    for number, entry in enumerate(entries):
        name = escape(entry.name)
        link = f'<a href="#pair{number}">{name}</a>' if number < linked else name
        rows.append(_row((link, _verdict(entry), *_numbers(entry.comparison))))
    heads = [f"<button>{column}</button>" for column in _COLUMNS]
    return (
        f'<div class="scroll"><table id="pairs"><thead>{_row(heads, "th")}</thead>'
        f"<tbody>{''.join(rows)}</tbody></table></div>"
    )


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


def _sections(entries: Sequence[Entry]) -> Iterator[str]:
    left = _PLOTS
    for number, entry in enumerate(entries):
        parts = [f'<section id="pair{number}"><h2>{escape(entry.name)}: {_verdict(entry)}</h2>']
        parts += [f"<p>{escape(reason)}</p>" for reason in entry.reasons]
        if entry.comparison is not None and left > 0:
            text = details(entry.comparison)
            left -= len(text)
            parts.append(text)
            if left <= 0 and number + 1 < len(entries):
                parts.append('<p class="soft">The failures below are less bad and have no plots; ')
                parts.append("compare one of these pairs alone for its own.</p>")
        yield "".join([*parts, "</section>"])


def details(found: Comparison) -> str:
    """The numbers of one comparison with its worst elements and plots; STYLE is for it."""
    standard = found.standard
    shape = " x ".join(map(str, found.shape)) or "scalar"
    plots = [
        svg.bars("Absolute error by power of ten", found.decades, "error; 0 is equality"),
        svg.bars(f"Distance in ulps of {found.dtype}", found.ulps, "ulps"),
        svg.scatter("Expected against actual", found.points, standard.is_bad),
    ]
    if found.heat_map is not None:
        at = found.heat_map
        plots.append(svg.heat_map("Error by index", at.cells, at.rows, at.columns))
    return "".join(
        (
            f'<p class="soft">{shape}, {found.dtype}; rtol {standard.rtol:.3g}, atol '
            f"{standard.atol:.3g}; {found.equal} of {found.count} equal, "
            f"{found.nan_mismatches} NaN and {found.inf_mismatches} Inf mismatches</p>",
            _worst(found),
            f'<div class="plots">{"".join(plots)}</div>',
        )
    )


def _worst(found: Comparison) -> str:
    if not found.worst:
        return ""
    rows = [_row(("worst at", "actual", "expected", "absolute", "relative", "ulps"), "th")]
    for element in found.worst:
        index = ", ".join(map(str, element.index))
        values = (element.actual, element.expected, element.absolute, element.relative)
        rows.append(_row((f"[{index}]", *(f"{v:.6g}" for v in values), f"{element.ulps:g}")))
    return f'<div class="scroll"><table>{"".join(rows)}</table></div>'

"""The picture of the evidence: one line a metric, its area as a dot with its interval.

Plain SVG with its own background, so that it can be read on a light and on a dark page.
"""

from __future__ import annotations

from html import escape
from typing import TYPE_CHECKING

from validity.metrics import RECOMMENDED

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from validity.evidence import Evidence
    from validity.metrics import Metric

__all__ = ["Found", "draw"]

Found = tuple["Metric", "Evidence", tuple[float, float]]

WIDTH = 1030
LEFT, RIGHT = 480, 810  # of the scale
LOWEST, HIGHEST = 0.5, 1.0  # a coin has 0.5
TICKS = (0.5, 0.6, 0.7, 0.8, 0.9, 1.0)
TOP, LINE, SECTION_GAP = 104, 28, 16
AREA_AT, AGREEMENT_AT = 875, 995  # where the two columns of numbers end

STYLE = """
  .back { fill: #ffffff; stroke: #d1d9e0 }
  text { font: 14px system-ui, -apple-system, "Segoe UI", "DejaVu Sans", sans-serif; fill: #1f2328 }
  .title { font-size: 17px; font-weight: 600 }
  .quiet { fill: #59636e; font-size: 13px }
  .number { font-variant-numeric: tabular-nums; text-anchor: end }
  .tick { text-anchor: middle }
  .grid { stroke: #d1d9e0 }
  .bar { stroke: #bc4c00; stroke-dasharray: 4 3 }
  .range { stroke: #59636e; stroke-width: 2 }
  .dot { fill: #59636e }
  .best { font-weight: 600 }
  .best.range { stroke: #0969da; stroke-width: 3 }
  .best.dot { fill: #0969da }
  @media (prefers-color-scheme: dark) {
    .back { fill: #0d1117; stroke: #3d444d }
    text { fill: #e6edf3 }
    .quiet { fill: #9198a1 }
    .grid { stroke: #3d444d }
    .bar { stroke: #f0883e }
    .range { stroke: #9198a1 }
    .dot { fill: #9198a1 }
    .best.range { stroke: #4493f8 }
    .best.dot { fill: #4493f8 }
  }
"""


def draw(rows: Sequence[Found], bars: Evidence, measured_on: str) -> str:
    """The whole picture as the text of an SVG file.

    Args:
        rows: what was found for each metric.
        bars: what the recommended metric should have at the least.
        measured_on: what all of this was measured on, in a few words.
    """
    sections = len({metric.section for metric, _, _ in rows})
    bottom = TOP + LINE * (len(rows) + sections) + SECTION_GAP * (sections - 1)
    height = bottom + 50
    parts = [
        f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {WIDTH} {height}" role="img">',
        "<title>How well each metric separates success from failure</title>",
        f"<style>{STYLE}</style>",
        f'<rect class="back" x="0.5" y="0.5" width="{WIDTH - 1}" height="{height - 1}" rx="8"/>',
        _text(24, 36, "How well a score separates success from failure", "title"),
        _text(
            24,
            58,
            f"{measured_on}; 95 % intervals over tasks; best metric of each other tool; * cannot score all",
            "quiet",
        ),
        _text(AREA_AT, TOP - 16, "AUC", "quiet number"),
        _text(AGREEMENT_AT, TOP - 16, "agreement", "quiet number"),
        *_scale(bottom, bars),
        *_lines(rows),
        "</svg>",
    ]
    return "\n".join(parts) + "\n"


def _scale(bottom: int, bars: Evidence) -> Iterator[str]:
    for tick in TICKS:
        yield _line((_x(tick), TOP - 8), (_x(tick), bottom), "grid")
        yield _text(_x(tick), bottom + 20, f"{tick:.1f}", "quiet tick")
    yield _line((_x(bars.area), TOP - 8), (_x(bars.area), bottom), "bar")
    yield _text(_x(bars.area), TOP - 16, f"bar {bars.area:.2f}", "quiet tick")
    yield _text(24, bottom + 20, "AUC: 0.5 is chance, 1 is always right", "quiet")


def _lines(rows: Sequence[Found]) -> Iterator[str]:
    y = TOP
    section = None
    for metric, found, (low, high) in rows:
        if metric.section != section:
            y += SECTION_GAP if section is not None else 0
            section = metric.section
            yield _text(24, y + 12, section, "quiet")
            y += LINE
        kind = " best" if metric is RECOMMENDED else ""
        middle = y + 7
        yield _text(40, y + 12, metric.name, f"name{kind}")
        yield _line((_x(low), middle), (_x(high), middle), f"range{kind}")
        radius = 6 if kind else 5
        yield f'<circle class="dot{kind}" cx="{_x(found.area):.1f}" cy="{middle}" r="{radius}"/>'
        yield _text(AREA_AT, y + 12, f"{found.area:.3f}", f"number{kind}")
        yield _text(AGREEMENT_AT, y + 12, f"{found.agreement:.3f}", f"number{kind}")
        y += LINE


def _x(area: float) -> float:
    """Where on the scale an area stands."""
    share = (area - LOWEST) / (HIGHEST - LOWEST)
    return LEFT + share * (RIGHT - LEFT)


def _text(x: float, y: float, text: str, kind: str) -> str:
    return f'<text class="{kind}" x="{x:.1f}" y="{y:.1f}">{escape(text)}</text>'


def _line(start: tuple[float, float], end: tuple[float, float], kind: str) -> str:
    return (
        f'<line class="{kind}" x1="{start[0]:.1f}" y1="{start[1]:.1f}"'
        f' x2="{end[0]:.1f}" y2="{end[1]:.1f}"/>'
    )

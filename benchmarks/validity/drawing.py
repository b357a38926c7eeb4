"""The picture of the evidence: a line for each metric, a panel for each benchmark.

Plain SVG with its own background, so that it can be read on a light and on a dark page.
"""

from __future__ import annotations

from html import escape
from typing import TYPE_CHECKING, NamedTuple

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

__all__ = ["Line", "Panel", "Spot", "draw"]

NAMES = 292  # how much of the width the names take
PANEL, GAP = 230, 22  # of a benchmark, and between two of them
NUMBER = 52  # of a panel, for the number at its right
LOWEST, HIGHEST = 0.4, 1.0
TICKS = (0.5, 0.75, 1.0)
TOP, LINE, SECTION_GAP = 118, 25, 12

STYLE = """
  .back { fill: #ffffff; stroke: #d1d9e0 }
  text { font: 14px system-ui, -apple-system, "Segoe UI", "DejaVu Sans", sans-serif; fill: #1f2328 }
  .title { font-size: 17px; font-weight: 600 }
  .panel { font-weight: 600 }
  .quiet { fill: #59636e; font-size: 13px }
  .number { font-variant-numeric: tabular-nums; text-anchor: end }
  .tick { text-anchor: middle }
  .grid { stroke: #d1d9e0 }
  .range { stroke: #818b98; stroke-width: 2 }
  .dot { fill: #59636e }
  .ours { font-weight: 600 }
  .ours.range { stroke: #0969da; stroke-width: 3 }
  .ours.dot { fill: #0969da }
  @media (prefers-color-scheme: dark) {
    .back { fill: #0d1117; stroke: #3d444d }
    text { fill: #e6edf3 }
    .quiet { fill: #9198a1 }
    .grid { stroke: #3d444d }
    .range { stroke: #656c76 }
    .dot { fill: #9198a1 }
    .ours.range { stroke: #4493f8 }
    .ours.dot { fill: #4493f8 }
  }
"""


class Spot(NamedTuple):
    """What was found for a metric on one benchmark; `mark` is a footnote."""

    area: float
    low: float
    high: float
    mark: str = ""


class Line(NamedTuple):
    """A metric, and what was found for it on each benchmark."""

    section: str
    name: str
    is_ours: bool
    spots: tuple[Spot | None, ...]


class Panel(NamedTuple):
    """A benchmark: its title, and what it consists of."""

    title: str
    extent: str


def draw(lines: Sequence[Line], panels: Sequence[Panel], notes: Sequence[str]) -> str:
    """The whole picture as the text of an SVG file."""
    sections = len({line.section for line in lines})
    bottom = TOP + LINE * (len(lines) + sections) + SECTION_GAP * (sections - 1)
    height = bottom + 34 + 20 * len(notes)
    width = NAMES + len(panels) * (PANEL + GAP) + 16
    parts = [
        f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {width} {height}" role="img">',
        "<title>How well each metric separates success from failure, by benchmark</title>",
        f"<style>{STYLE}</style>",
        f'<rect class="back" x="0.5" y="0.5" width="{width - 1}" height="{height - 1}" rx="8"/>',
        _text(24, 36, "How well a score separates success from failure", "title"),
        _text(
            24, 58, "AUC with 95 % intervals over tasks: 0.5 is chance, 1 is always right", "quiet"
        ),
        *(part for at, panel in enumerate(panels) for part in _scale(at, panel, bottom)),
        *_lines(lines),
        *(_text(24, bottom + 44 + 20 * at, note, "quiet") for at, note in enumerate(notes)),
        "</svg>",
    ]
    return "\n".join(parts) + "\n"


def _scale(at: int, panel: Panel, bottom: int) -> Iterator[str]:
    yield _text(_left(at), TOP - 30, panel.title, "panel")
    yield _text(_left(at), TOP - 12, panel.extent, "quiet")
    for tick in TICKS:
        yield _line((_x(at, tick), TOP), (_x(at, tick), bottom), "grid")
        yield _text(_x(at, tick), bottom + 18, f"{tick:g}", "quiet tick")


def _lines(lines: Sequence[Line]) -> Iterator[str]:
    y = TOP
    section = None
    for line in lines:
        if line.section != section:
            y += SECTION_GAP if section is not None else 0
            section = line.section
            yield _text(24, y + 14, section, "quiet")
            y += LINE
        kind = " ours" if line.is_ours else ""
        yield _text(36, y + 14, line.name, f"name{kind}")
        for at, spot in enumerate(line.spots):
            if spot is not None:
                yield from _spot(at, spot, y + 9, kind)
        y += LINE


def _spot(at: int, spot: Spot, middle: int, kind: str) -> Iterator[str]:
    yield _line((_x(at, spot.low), middle), (_x(at, spot.high), middle), f"range{kind}")
    radius = 5 if kind else 4
    yield f'<circle class="dot{kind}" cx="{_x(at, spot.area):.1f}" cy="{middle}" r="{radius}"/>'
    right = _left(at) + PANEL - 12
    yield _text(right, middle + 5, f"{spot.area:.3f}", f"number{kind}")
    if spot.mark:
        yield _text(right + 3, middle + 5, spot.mark, "quiet")


def _left(at: int) -> float:
    return NAMES + at * (PANEL + GAP)


def _x(at: int, area: float) -> float:
    """Where on the scale of a panel an area is drawn."""
    share = (max(area, LOWEST) - LOWEST) / (HIGHEST - LOWEST)
    return _left(at) + share * (PANEL - NUMBER - 20)


def _text(x: float, y: float, text: str, kind: str) -> str:
    return f'<text class="{kind}" x="{x:.1f}" y="{y:.1f}">{escape(text)}</text>'


def _line(start: tuple[float, float], end: tuple[float, float], kind: str) -> str:
    return (
        f'<line class="{kind}" x1="{start[0]:.1f}" y1="{start[1]:.1f}"'
        f' x2="{end[0]:.1f}" y2="{end[1]:.1f}"/>'
    )

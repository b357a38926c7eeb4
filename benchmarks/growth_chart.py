"""The chart of growth: one line per command, both axes logarithmic.

Plain SVG with its own background, so that it can be read on a light and on a dark page. A command
has its own color and its own mark, and its name stands at the end of its line.
"""

from __future__ import annotations

from html import escape
from math import ceil, floor, log10
from pathlib import Path
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping, Sequence

    from growth import Growth, Point

__all__ = ["NOTE", "PICTURE", "TITLE", "draw"]

PICTURE = Path(__file__).parents[1] / "docs/images/growth.svg"
TITLE = "Processor time of each command by the number of cases"
NOTE = "seconds, start included; short cases, none repeated"
WIDTH, HEIGHT = 960, 620
LEFT, RIGHT, TOP, BOTTOM = 84, 700, 84, 548
LABEL_HEIGHT = 20
BASELINE_COLOR = 0
STYLE = """
  .back { fill: #ffffff; stroke: #d1d9e0 }
  text { font: 14px system-ui, -apple-system, "Segoe UI", "DejaVu Sans", sans-serif; fill: #1f2328 }
  .title { font-size: 17px; font-weight: 600 }
  .quiet { fill: #59636e; font-size: 13px }
  .number { text-anchor: end; font-variant-numeric: tabular-nums }
  .tick { text-anchor: middle }
  .grid { stroke: #d1d9e0 }
  .leader { stroke: #aeb6be }
  .line { fill: none; stroke-width: 2.2 }
  .c0 { stroke: #59636e } .c1 { stroke: #0969da } .c2 { stroke: #bc4c00 } .c3 { stroke: #1a7f37 }
  .c4 { stroke: #8250df } .c5 { stroke: #cf222e } .c6 { stroke: #9a6700 } .c7 { stroke: #0b7285 }
  .c8 { stroke: #bf3989 }
  .line.c0 { stroke-dasharray: 5 4 }
  .mark { fill: #ffffff; stroke-width: 2 }
  @media (prefers-color-scheme: dark) {
    .back { fill: #0d1117; stroke: #3d444d }
    text { fill: #e6edf3 }
    .quiet { fill: #9198a1 }
    .grid { stroke: #3d444d }
    .leader { stroke: #656c76 }
    .c0 { stroke: #9198a1 } .c1 { stroke: #4493f8 } .c2 { stroke: #f0883e } .c3 { stroke: #3fb950 }
    .c4 { stroke: #ab7df8 } .c5 { stroke: #f85149 } .c6 { stroke: #d29922 } .c7 { stroke: #39c5cf }
    .c8 { stroke: #db61a2 }
    .mark { fill: #0d1117 }
  }
"""


class _Scale:
    """Where cases and seconds stand in the picture."""

    def __init__(self, points: Sequence[Point]) -> None:
        self.cases = _powers([point.cases for point in points])
        self.seconds = _powers([point.seconds for point in points])

    def x(self, cases: float) -> float:
        """From the left."""
        low, high = self.cases[0], self.cases[-1]
        return LEFT + (log10(cases) - low) / (high - low) * (RIGHT - LEFT)

    def y(self, seconds: float) -> float:
        """From the top."""
        low, high = self.seconds[0], self.seconds[-1]
        return BOTTOM - (log10(seconds) - low) / (high - low) * (BOTTOM - TOP)


def _powers(numbers: Sequence[float]) -> range:
    """The powers of ten around these numbers, two at least."""
    low, high = floor(log10(min(numbers)) + 1e-9), ceil(log10(max(numbers)) - 1e-9)
    return range(low, max(high, low + 1) + 1)


def draw(growth: Growth, title: str = TITLE, note: str = NOTE) -> str:
    """The whole picture as the text of an SVG file.

    Args:
        growth: a line of points for each name.
        title: what it shows.
        note: what the numbers are; the machine follows.
    """
    lines = {name: points for name, points in growth.commands.items() if points}
    scale = _Scale([point for points in lines.values() for point in points])
    parts = [
        f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {WIDTH} {HEIGHT}" role="img">',
        f"<title>{escape(title)}</title>",
        f"<style>{STYLE}</style>",
        f'<rect class="back" x="0.5" y="0.5" width="{WIDTH - 1}" height="{HEIGHT - 1}" rx="8"/>',
        _text(24, 36, title, "title"),
        _text(24, 58, f"{note}; {growth.machine}", "quiet"),
        *_grid(scale),
        *_curves(lines, scale),
        *_labels(lines, scale),
        "</svg>",
    ]
    return "\n".join(parts) + "\n"


def _grid(scale: _Scale) -> Iterator[str]:
    for power in scale.seconds:
        y = scale.y(10.0**power)
        yield _line((LEFT, y), (RIGHT, y), "grid")
        yield _text(LEFT - 10, y + 5, f"{10.0**power:g} s", "quiet number")
    for power in scale.cases:
        x = scale.x(10.0**power)
        yield _line((x, TOP), (x, BOTTOM), "grid")
        yield _text(x, BOTTOM + 22, f"{10**power:,}", "quiet tick")
    yield _text((LEFT + RIGHT) / 2, BOTTOM + 46, "cases", "quiet tick")


def _curves(lines: Mapping[str, Sequence[Point]], scale: _Scale) -> Iterator[str]:
    for number, points in enumerate(lines.values()):
        places = [(scale.x(point.cases), scale.y(point.seconds)) for point in points]
        path = " ".join(f"{x:.1f},{y:.1f}" for x, y in places)
        yield f'<polyline class="line c{number}" points="{path}"/>'
        for x, y in places:
            yield _mark(number, x, y)


def _mark(number: int, x: float, y: float) -> str:
    """A circle, a square, a diamond or a triangle."""
    kind = f"mark c{number}"
    shapes = (
        f'<circle class="{kind}" cx="{x:.1f}" cy="{y:.1f}" r="4"/>',
        f'<rect class="{kind}" x="{x - 4:.1f}" y="{y - 4:.1f}" width="8" height="8"/>',
        f'<path class="{kind}" d="M{x:.1f} {y - 5.5:.1f}l5.5 5.5-5.5 5.5-5.5-5.5z"/>',
        f'<path class="{kind}" d="M{x:.1f} {y - 5:.1f}l5 9h-10z"/>',
    )
    return shapes[number % len(shapes)]


def _labels(lines: Mapping[str, Sequence[Point]], scale: _Scale) -> Iterator[str]:
    """The names to the right, moved apart where lines end close to each other."""
    ends = sorted(
        (scale.y(points[-1].seconds), scale.x(points[-1].cases), number, name)
        for number, (name, points) in enumerate(lines.items())
    )
    heights: list[float] = []
    for y, *_ in ends:
        heights.append(max(y, heights[-1] + LABEL_HEIGHT) if heights else y)
    over = max(0.0, heights[-1] - BOTTOM) if heights else 0.0
    for (y, x, number, name), height in zip(ends, heights, strict=True):
        at = height - over if over else height
        yield _line((x + 7, y), (RIGHT + 26, at), "leader")
        yield _mark(number, RIGHT + 34, at)
        yield _text(RIGHT + 46, at + 5, name, "name")


def _text(x: float, y: float, text: str, kind: str) -> str:
    return f'<text class="{kind}" x="{x:.1f}" y="{y:.1f}">{escape(text)}</text>'


def _line(start: tuple[float, float], end: tuple[float, float], kind: str) -> str:
    return (
        f'<line class="{kind}" x1="{start[0]:.1f}" y1="{start[1]:.1f}"'
        f' x2="{end[0]:.1f}" y2="{end[1]:.1f}"/>'
    )

"""What was measured, as tables in Markdown."""

from __future__ import annotations

from typing import TYPE_CHECKING

from validity.metrics import (
    AGENT_ONLY,
    BY_TURN,
    OWN_CHECKS,
    PRESETS,
    SCORES,
    SETTINGS,
    TOOLS,
    WITHOUT_TURNS,
)
from validity.trajectories import TITLES

from callscore.metrics.registry import provider_named

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Sequence

    from validity.bars import Bar
    from validity.measuring import Measured, Row

    Found = dict[str, Measured]

__all__ = [
    "agreement_table",
    "bar_table",
    "benchmark_table",
    "best_by_tool",
    "details",
    "group_table",
    "held_out_table",
    "marks_of",
    "metric_table",
    "title_of",
    "turn_table",
]

_OURS = (PRESETS, WITHOUT_TURNS, AGENT_ONLY, SCORES, SETTINGS)
_BEST = "other tools, the best metric of each"
_SHOWN_BY_TURN = 5


def _table(heads: Sequence[str], rows: Iterable[Sequence[str]]) -> str:
    lines = [f"| {' | '.join(cells)} |" for cells in (heads, ["---"] * len(heads), *rows)]
    return "\n".join(lines) + "\n"


def _by_benchmark(found: Found) -> list[str]:
    return [TITLES[name] for name in found]


def benchmark_table(found: Found) -> str:
    """What was measured on."""
    rows = [
        (
            TITLES[name],
            f"{one.trajectories:,}",
            f"{one.successes:,}",
            f"{sum(one.tasks)}: {one.tasks[0]} and {one.tasks[1]}",
            ", ".join(f"{group} {count}" for group, count in one.groups.items()),
        )
        for name, one in found.items()
    ]
    heads = ("benchmark", "runs", "did the task", "tasks, and in each half", "groups of runs")
    return _table(heads, rows)


def metric_table(found: Found) -> str:
    """AUC and interval: metrics by benchmarks."""
    rows: list[Sequence[str]] = []
    for section in _OURS:
        rows.append(_heading(section, found))
        names = dict.fromkeys(
            row.name for one in found.values() for row in one.rows if row.section == section
        )
        rows += [(name, *_cells(name, found), _lowest(name, found)) for name in names]
    rows.append(_heading(_BEST, found))
    rows += [
        (
            title_of(tool),
            *[_cell(best, found[name]) for name, best in by_benchmark.items()],
            f"{min(best.area for best in by_benchmark.values()):.3f}",
        )
        for tool, by_benchmark in best_by_tool(found).items()
    ]
    return _table(("metric", *_by_benchmark(found), "lowest"), rows)


def _heading(section: str, found: Found) -> Sequence[str]:
    return (f"*{section}*", *[""] * (len(found) + 1))


def _lowest(name: str, found: Found) -> str:
    """The lowest of the numbers of a metric that was measured on all benchmarks."""
    areas = [row.area for one in found.values() for row in one.rows if row.name == name]
    return f"{min(areas):.3f}" if len(areas) == len(found) else ""


def _cells(name: str, found: Found) -> Iterator[str]:
    for one in found.values():
        own = next((row for row in one.rows if row.name == name), None)
        best = max((row.area for row in one.rows if row.section == PRESETS), default=0)
        if own is None:
            yield ""
        else:
            bold = own.section == PRESETS and own.area == best
            yield _cell(own, one, "**" if bold else "")


def _cell(row: Row, one: Measured, mark: str = "") -> str:
    notes = marks_of(row, one).replace("*", "\\*")
    return f"{mark}{row.area:.3f}{mark} ({row.low:.2f} to {row.high:.2f}) {notes}".rstrip()


def marks_of(row: Row, one: Measured) -> str:
    """The footnotes of a number: that it is not about all runs, or the benchmark's own check."""
    some = "" if row.scored == one.trajectories else "*"
    own = row.name.partition(":")[0] in OWN_CHECKS.get(one.benchmark, ())
    return some + ("†" if own else "")


def best_by_tool(found: Found) -> dict[str, dict[str, Row]]:
    """The best metric of each other tool on each benchmark; the tool with the best mean first."""
    best: dict[str, dict[str, Row]] = {}
    for name, one in found.items():
        for row in one.rows:
            if row.section == TOOLS:
                own = best.setdefault(row.tool, {})
                own[name] = max(own.get(name, row), row, key=lambda one: (one.area, one.scored))
    return dict(sorted(best.items(), key=lambda item: -sum(row.area for row in item[1].values())))


def title_of(tool: str) -> str:
    """What a tool calls itself."""
    return provider_named(tool).title


def agreement_table(found: Found) -> str:
    """Of the presets, how often a full score and success go together."""
    names = [row.name for row in next(iter(found.values())).rows if row.section == PRESETS]
    rows = [(name, *[f"{one.row(name).agreement:.3f}" for one in found.values()]) for name in names]
    return _table(("a full score means success", *_by_benchmark(found)), rows)


def held_out_table(found: Found) -> str:
    """What was chosen on one half of the tasks, and how it does on the other."""
    rows = [
        (
            TITLES[name],
            choice.name,
            _choices(choice.chosen),
            f"{choice.areas[0]:.3f}",
            f"{choice.areas[1]:.3f}",
            f"{choice.mean:.3f}",
        )
        for name, one in found.items()
        for choice in one.held_out
    ]
    heads = ("benchmark", "what", "chosen", "first half", "second half", "mean")
    return _table(heads, rows)


def _choices(chosen: tuple[str, str]) -> str:
    names = dict.fromkeys(name.removesuffix(" by turn") for name in chosen)
    return " and ".join(f"`{name}`" for name in names)


def bar_table(bars: Sequence[Bar]) -> str:
    """The bars and whether they hold."""
    rows = [(bar.what, f"{bar.found:.3f}", f"{bar.bar:.3f}", _verdict(bar)) for bar in bars]
    return _table(("on tasks that nothing was chosen on", "AUC", "bar", "holds"), rows)


def _verdict(bar: Bar) -> str:
    holds = "yes" if bar.holds else "NO"
    return f"{holds}, {bar.note}" if bar.note else holds


def group_table(one: Measured) -> str:
    """The presets, and the best metric of another tool, by group of runs."""
    tools = [row for row in one.rows if row.section == TOOLS]
    best = max(tools, key=lambda row: (row.area, row.scored))
    shown = [row for row in one.rows if row.section in (PRESETS, AGENT_ONLY, WITHOUT_TURNS)]
    rows = [
        (name, *["" if area is None else f"{area:.3f}" for area in row.groups.values()])
        for name, row in [*((row.name, row) for row in shown), (f"`{best.name}`", best)]
    ]
    heads = [f"{group} ({count})" for group, count in one.groups.items()]
    return _table((TITLES[one.benchmark], *heads), rows)


def turn_table(one: Measured) -> str:
    """The best of other tools' metrics if each turn is a case of its own."""
    by_turn = sorted((row for row in one.rows if row.section == BY_TURN), key=lambda row: -row.area)
    rows = [
        (f"`{row.name.removesuffix(' by turn')}`", row.variant, _cell(row, one))
        for row in by_turn[:_SHOWN_BY_TURN]
    ]
    return _table(("metric of another tool, one case per turn", "mean over", "AUC"), rows)


def details(one: Measured) -> str:
    """Everything that was found on one benchmark."""
    heads = (
        *("metric", "AUC", "95 % interval", "agreement", "scored", "first half", "second half"),
        "how it was given the calls",
    )
    rows: list[Sequence[str]] = []
    section = None
    for row in one.rows:
        if row.section != section:
            section = row.section
            rows.append((f"*{section}*", *[""] * (len(heads) - 1)))
        rows.append(
            (
                f"{row.name} {marks_of(row, one)}".replace("*", "\\*").rstrip(),
                f"{row.area:.3f}",
                f"{row.low:.3f} to {row.high:.3f}",
                f"{row.agreement:.3f}",
                str(row.scored),
                f"{row.halves[0]:.3f}",
                f"{row.halves[1]:.3f}",
                row.variant,
            )
        )
    return _table(heads, rows)

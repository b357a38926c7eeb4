"""What is measured: every metric is a name and a function from a trajectory to 0 ... 1."""

from __future__ import annotations

from statistics import fmean
from typing import TYPE_CHECKING, Any, NamedTuple

from msgspec import structs
from validity.rivals import rivals
from validity.trajectories import BFCL, TELECOM, Trajectory

from callscore import Settings
from callscore.api import score_case, tools_by_name
from callscore.core.case import Group

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

    from validity.trajectories import Benchmark

    from callscore import Score, Tool, ToolCall
    from callscore.core.case import Expected
    from callscore.metrics.metric import Metric as Rival

    Measure = Callable[[Trajectory], float | None]
    Tools = dict[str, Tool] | None

__all__ = [
    "AGENT_ONLY",
    "BY_TURN",
    "OWN_CHECKS",
    "PRESETS",
    "SCORES",
    "SETTINGS",
    "TOOLS",
    "WITHOUT_TURNS",
    "Metric",
    "expected_of",
    "made_of",
    "metrics_of",
    "score_of",
]

PRESETS = "presets"
WITHOUT_TURNS = "presets, turns not told apart"
AGENT_ONLY = "presets, only the agent's calls"
SCORES = "other scores"
SETTINGS = "single settings"
TOOLS = "other tools' metrics"
BY_TURN = "other tools' metrics, averaged over the turns by hand"

# What a benchmark itself uses, so that to agree with it says little.
OWN_CHECKS = {TELECOM: ("tau2.action_reward", "tau2.partial_action_reward")}

_PRESETS = ("strict", "flexible", "outcome", "coverage")


class Metric(NamedTuple):
    """A way to say in one number how good a trajectory is.

    Attributes:
        section: what it is listed under.
        name: what it is called there.
        variants: one or more ways to give it the calls, by name. Each gives 1 to a trajectory
            without fault and less to any other; None where it refuses. The best of them counts.
    """

    section: str
    name: str
    variants: dict[str, Measure]


def metrics_of(benchmark: Benchmark) -> tuple[Metric, ...]:
    """All that is measured on a benchmark."""
    tools = None if benchmark.tools is None else tools_by_name(benchmark.tools)
    return (
        *_presets(PRESETS, "", tools, lambda run: run),
        *(
            _presets(WITHOUT_TURNS, ", turns not told apart", tools, _without_turns)
            if benchmark.name == BFCL
            else ()
        ),
        *(
            _presets(AGENT_ONLY, ", only the agent's calls", tools, _agent_only)
            if benchmark.name == TELECOM
            else ()
        ),
        *_scores(tools),
        *(_turn_scores(tools) if benchmark.name == BFCL else ()),
        *_settings(tools),
        *(_declared(benchmark, tools) if benchmark.name == TELECOM else ()),
        *(Metric(TOOLS, rival.name, _ways(rival, benchmark, tools)) for rival in rivals()),
        *(_by_turn(tools) if benchmark.name == BFCL else ()),
    )


def score_of(run: Trajectory, settings: Settings, tools: Tools) -> Score:
    """The score of a trajectory: in turns if it has any, of those whose calls count."""
    return score_case(expected_of(run), made_of(run), settings, tools)


def expected_of(run: Trajectory) -> tuple[Expected, ...]:
    """What is expected of those whose calls count, in turns if there are any."""
    if run.turns:
        return tuple(Group("turn", turn.expected) for turn in run.turns)
    return _made_by(run.expected, run.callers)


def made_of(run: Trajectory) -> tuple[ToolCall, ...]:
    """The calls that count, with the turn in which each was made."""
    if run.turns:
        return tuple(
            structs.replace(call, turn=number)
            for number, turn in enumerate(run.turns)
            for call in turn.actual
        )
    return _made_by(run.actual, run.callers)


def _made_by(calls: tuple[ToolCall, ...], callers: tuple[str, ...]) -> tuple[ToolCall, ...]:
    return tuple(call for call in calls if (call.caller or "agent") in callers)


def _without_turns(run: Trajectory) -> Trajectory:
    return structs.replace(run, turns=())


def _agent_only(run: Trajectory) -> Trajectory:
    return structs.replace(run, callers=("agent",))


def _f1(
    tools: Tools,
    change: Callable[[Trajectory], Trajectory] = lambda run: run,
    /,
    **options: Any,
) -> dict[str, Measure]:
    settings = Settings.preset(options.pop("preset", "strict"), **options)
    return {"": lambda run: score_of(change(run), settings, tools).f1}


def _presets(
    section: str,
    suffix: str,
    tools: Tools,
    change: Callable[[Trajectory], Trajectory],
) -> Iterator[Metric]:
    for preset in _PRESETS:
        yield Metric(section, f"{preset}{suffix}", _f1(tools, change, preset=preset))


def _scores(tools: Tools) -> Iterator[Metric]:
    """What a score has beside its F1."""
    strict = Settings.preset("strict")
    for name in ("precision", "recall", "tool_selection", "argument_accuracy"):
        yield Metric(SCORES, f"strict: `{name}`", _attribute(name, strict, tools))
    yield Metric(
        SCORES, "strict: `is_exact`", {"": lambda run: float(score_of(run, strict, tools).is_exact)}
    )


def _turn_scores(tools: Tools) -> Iterator[Metric]:
    for preset in ("strict", "coverage"):
        for name in ("turn_mean", "turn_min"):
            measured = _attribute(name, Settings.preset(preset), tools)
            yield Metric(SCORES, f"{preset}: `{name}`", measured)


def _attribute(name: str, settings: Settings, tools: Tools) -> dict[str, Measure]:
    return {"": lambda run: getattr(score_of(run, settings, tools), name)}


def _settings(tools: Tools) -> Iterator[Metric]:
    """From strict to each of the other presets, one setting at a time."""
    for name, options in {
        "strict, in order": {"order": "in_order"},
        "strict, only writes": {"count_calls": "writes"},
        "… without failed calls": {"count_calls": "writes", "failed_calls": "ignore"},
        "… arrays unordered": {
            "count_calls": "writes",
            "failed_calls": "ignore",
            "arrays": "unordered",
        },
        "outcome, repeats collapsed": {"preset": "outcome", "repeated_calls": "collapse"},
        "outcome, extra calls free": {"preset": "outcome", "extra_calls": "free"},
        "strict, extra reads free": {"extra_calls": "reads_free"},
        "strict, extra calls free": {"extra_calls": "free"},
        "coverage, any order": {"preset": "coverage", "order": "any"},
        "coverage, in order": {"preset": "coverage", "order": "in_order"},
        "coverage, defaults differ": {"preset": "coverage", "schema_defaults": "differ"},
        "coverage, flexible": {"preset": "coverage", "mode": "flexible"},
    }.items():
        yield Metric(SETTINGS, name, _f1(tools, **options))
    outcome = Settings.preset("outcome")
    # To compare with tools that refuse the others.
    yield Metric(
        SETTINGS,
        "outcome, cases with expected calls",
        {"": lambda run: score_of(run, outcome, tools).f1 if run.expected else None},
    )


def _declared(benchmark: Benchmark, tools: Tools) -> Iterator[Metric]:
    """The kinds that the benchmark gives its tools, in place of what their names suggest."""
    effects = {
        tool["function"]["name"]: "read" if tool["x-tool-type"] == "READ" else "write"
        for tool in benchmark.tools
    }
    outcome = {"preset": "outcome", "effects": effects}
    yield Metric(SETTINGS, "outcome, reads declared", _f1(tools, **outcome))
    yield Metric(
        SETTINGS,
        "outcome, reads declared, extra calls free",
        _f1(tools, **outcome, extra_calls="free"),
    )


def _ways(rival: Rival, benchmark: Benchmark, tools: Tools) -> dict[str, Measure]:
    """Without the user's calls and with them; where no arguments are compared, none or empty."""
    if benchmark.name != TELECOM:
        return {"": lambda run: rival.value_of(run.expected, run.actual, tools).value}
    ways: dict[str, Measure] = {}
    for who, callers in {"agent": ("agent",), "agent and user": ("agent", "user")}.items():
        ways[who] = _told(rival, callers, tools)
        ways[f"{who}, empty arguments"] = _told(rival, callers, tools, empty={})
    return ways


def _told(
    rival: Rival,
    callers: tuple[str, ...],
    tools: Tools,
    empty: dict[str, Any] | None = None,
) -> Measure:
    def measured(run: Trajectory) -> float | None:
        expected = tuple(
            structs.replace(call, arguments=empty) if call.arguments is None else call
            for call in _made_by(run.expected, callers)
        )
        return rival.value_of(expected, _made_by(run.actual, callers), tools).value

    return measured


def _by_turn(tools: Tools) -> Iterator[Metric]:
    """What a team can do itself that makes each turn a case of its own, and takes the mean."""
    for rival in rivals():
        yield Metric(
            BY_TURN,
            f"{rival.name} by turn",
            {
                "all turns": _mean_of_turns(rival, tools),
                "turns that expect calls": _mean_of_turns(rival, tools, only_expected=True),
            },
        )


def _mean_of_turns(rival: Rival, tools: Tools, *, only_expected: bool = False) -> Measure:
    def measured(run: Trajectory) -> float | None:
        values = [
            rival.value_of(turn.expected, turn.actual, tools).value
            for turn in run.turns
            if turn.expected or not only_expected
        ]
        scored = [value for value in values if value is not None]
        return fmean(scored) if scored else None

    return measured

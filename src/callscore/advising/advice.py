"""The advice: which settings tell success from failure, with the evidence."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from typing import Any, Literal

from msgspec import Struct
from msgspec.structs import replace

from callscore.advising.candidates import CHOICES, Candidate, presets, single_changes
from callscore.advising.choosing import Measured, Sample
from callscore.advising.measuring import agreement, precision
from callscore.advising.recommending import recommend
from callscore.advising.runs import Column, LabelledInput, Runs
from callscore.advising.suspects import Suspect, find_suspects
from callscore.core.results import Noted
from callscore.core.score import Score
from callscore.core.settings import DEFAULT, Settings
from callscore.core.statistics import Interval
from callscore.errors import UnreadableInput

LEAST_LABELS = 30
LEAST_TASKS = 10
_RESAMPLES = 2000
_EDGES = (0.0, 0.2, 0.4, 0.6, 0.8, 1.0)  # of the bins; the last bin is a full score


class SettingsEvidence(Struct, frozen=True, kw_only=True):
    """How well some settings tell success from failure.

    Attributes:
        settings: the settings as in `callscore.toml`: a preset, and what differs from it.
        label: the same in one line.
        auc: how often a success has the higher score of a success and a failure drawn at random,
            where a tie is half a time. 0.5 is chance.
        interval: the 95 % interval of it, from a bootstrap over tasks.
        agreement: the share of runs that pass exactly if they succeeded.
        precision: the share of passing runs that succeeded; None if none passes.
        gain: how much larger the AUC is than under the recommended settings; None for these.
        gain_interval: the 95 % interval of the gain, over the same resamples.
    """

    settings: dict[str, Any]
    label: str
    auc: float
    interval: Interval
    agreement: float
    precision: float | None
    gain: float | None = None
    gain_interval: Interval | None = None


class Learned(Struct, frozen=True, kw_only=True):
    """Something that the labels say about a tool or an argument.

    Attributes:
        kind: the tool `read`s: its calls do not count; it `write`s: they do; or the argument is to
            `ignore`.
        name: the tool, or `tool.argument`.
        runs: how many runs have another score because of it.
        gain: how much the AUC grows by it, with everything else that is recommended.
        gain_interval: the 95 % interval of the gain.
        agreement_gain: how much the agreement grows by it.
    """

    kind: Literal["read", "write", "ignore"]
    name: str
    runs: int
    gain: float
    gain_interval: Interval
    agreement_gain: float


class KeptRules(Struct, frozen=True, kw_only=True):
    """Rules that were not chosen by the advice: they are in all settings that are measured.

    Attributes:
        file: the settings file that has them; None if they were passed.
        effects: the effects of tools, by patterns.
        arguments: the rules for arguments, by patterns.
    """

    file: str | None = None
    effects: dict[str, str] = {}
    arguments: dict[str, str] = {}


class Bin(Struct, frozen=True, kw_only=True):
    """The runs whose scores are in a range: from `low`, and below `high` unless both are 1."""

    low: float
    high: float
    runs: int
    successes: int

    @property
    def share(self) -> float | None:
        """The share of them that succeeded; None without any."""
        return self.successes / self.runs if self.runs else None


class Disagreement(Struct, frozen=True, kw_only=True):
    """A run that passes although it failed, or does not pass although it succeeded."""

    case: str
    trial: int | str | None
    place: str
    success: bool
    score: Score

    @property
    def label(self) -> str:
        """The name of the run in reports."""
        return self.case if self.trial is None else f"{self.case} #{self.trial}"


class Advice(Struct, frozen=True, kw_only=True):
    """Which settings tell success from failure, and what the labels say about tools and cases.

    Attributes:
        runs: the number of runs with a label.
        tasks: the number of different cases among them.
        successes: the number of runs that succeeded.
        is_separating: whether any settings tell success from failure; if not, the simplest settings
            are recommended.
        recommended: the recommended settings. Their numbers are cross-validated by task: each run is
            scored with settings that were chosen without the runs of its task.
        settings: the recommended settings as a value to score with.
        presets: every preset.
        alternatives: the recommended settings with one setting changed, if that changes any score.
        kept: rules that were not chosen here, and so are not cross-validated.
        extra_calls: whether unexpected calls `hurt`, do `not_hurt`, or that this is `unclear`.
        learned: what the labels say about tools and arguments.
        reliability: the share of success by score, under the cross-validated settings.
        disagreements: runs whose score and label contradict each other, the most informative first.
        suspects: cases whose reference successful runs contradict.
        unlabelled: runs without a label: how many, and the first of them.
        unscorable: likewise, cases without expected calls or without a run.
        skipped: likewise, records that cannot be read.
        unread: likewise, records with something that looks like calls and was not read.
    """

    runs: int
    tasks: int
    successes: int
    is_separating: bool
    recommended: SettingsEvidence
    settings: Settings
    presets: tuple[SettingsEvidence, ...]
    alternatives: tuple[SettingsEvidence, ...] = ()
    kept: KeptRules = KeptRules()
    extra_calls: Literal["hurt", "not_hurt", "unclear"] = "unclear"
    learned: tuple[Learned, ...] = ()
    reliability: tuple[Bin, ...] = ()
    disagreements: tuple[Disagreement, ...] = ()
    suspects: tuple[Suspect, ...] = ()
    unlabelled: Noted = Noted()
    unscorable: Noted = Noted()
    skipped: Noted = Noted()
    unread: Noted = Noted()

    def to_dict(self) -> dict[str, Any]:
        """The advice as plain data; the JSON report has the same fields."""
        from callscore.hiding.hider import hide_for_report
        from callscore.reports.advise import advice_to_dict

        return advice_to_dict(hide_for_report(self))

    def __repr__(self) -> str:
        label, auc = self.recommended.label, self.recommended.auc
        return f"Advice(runs={self.runs}, recommended={label!r}, auc={auc:.3f})"

    def __str__(self) -> str:
        from callscore.hiding.hider import hide_for_report
        from callscore.reports.advise_terminal import render
        from callscore.reports.terminal import printed_text

        return printed_text(render, hide_for_report(self)).rstrip("\n")


def advise_on(
    found: LabelledInput,
    base: Settings,
    *,
    base_file: str | None = None,
    on_scored: Callable[[], None] | None = None,
) -> Advice:
    """The advice that labelled runs give.

    `base` has the settings that are kept, and `base_file` is the file that has them; `on_scored` is
    called whenever all runs were scored.

    Raises:
        UnreadableInput: there are too few labels.
    """
    # What the candidates vary begins with the defaults.
    base = replace(base, **{name: getattr(DEFAULT, name) for name in CHOICES})
    runs = Runs(found.runs, on_scored)
    require_labels(found, runs)
    for number, run in enumerate(runs.runs):
        _require_scorable(runs, number, run.place, base)
    recommendation = recommend(runs, base)
    chosen = recommendation.chosen
    settings = chosen.candidate.settings(base)
    sample = Sample(runs, base, resamples=_RESAMPLES)
    alternatives = _alternatives(sample, chosen)
    return Advice(
        runs=len(runs.runs),
        tasks=runs.task_count,
        successes=sum(runs.outcomes),
        is_separating=recommendation.is_separating,
        recommended=_evidence(sample, chosen.candidate, recommendation.held_out),
        settings=settings,
        presets=tuple(
            [
                _evidence(sample, each.candidate, each.column, chosen.column)
                for each in sample.measured(presets())
            ]
        ),
        alternatives=alternatives,
        kept=KeptRules(
            file=base_file,
            effects=dict(base.effects),
            arguments={each.pattern: each.rule for each in base.arguments},
        ),
        extra_calls=_extra_calls(sample, chosen.candidate),
        learned=tuple(_learned(sample, chosen)),
        reliability=_reliability(runs, recommendation.held_out),
        disagreements=_disagreements(runs, settings),
        suspects=find_suspects(runs, settings),
        unlabelled=found.unlabelled,
        unscorable=found.unscorable,
        skipped=found.skipped,
        unread=found.unread,
    )


def require_labels(found: LabelledInput, runs: Runs) -> None:
    """Refuse runs from which nothing can be learned."""
    count, successes = len(runs.runs), sum(runs.outcomes)
    missing = f" {_runs_have(found.unlabelled.count)} no label." if found.unlabelled.count else ""
    if found.unscorable.count:
        missing += f" {_runs_have(found.unscorable.count)} no expected or no actual calls."
    if not count and found.absent_label:
        problem, missing = found.absent_label, ""
    elif count < LEAST_LABELS:
        problem = f"{_runs_have(count)} a success label; {LEAST_LABELS} or more are needed."
    elif successes in (0, count):
        what = "succeeded" if successes else "failed"
        problem = f"all {count} labelled runs {what}; both successes and failures are needed."
    elif runs.task_count < LEAST_TASKS:
        problem = (
            f"the {count} labelled runs are of {runs.task_count} tasks; {LEAST_TASKS} or more are"
            " needed to check settings on tasks that they were not chosen on. The runs of one task"
            " have the same id."
        )
    else:
        return
    raise UnreadableInput("labels", problem + missing)


def _runs_have(count: int) -> str:
    return "1 run has" if count == 1 else f"{count} runs have"


def _require_scorable(runs: Runs, number: int, place: str, base: Settings) -> None:
    from callscore.errors import InvalidCall

    try:
        runs.score(number, Candidate("strict").settings(base))
    except InvalidCall as error:
        raise UnreadableInput(place, str(error)) from error


def _evidence(
    sample: Sample, candidate: Candidate, column: Column, recommended: Column | None = None
) -> SettingsEvidence:
    outcomes = sample.runs.outcomes
    auc = sample.area(column)
    is_other = recommended is not None and column.values != recommended.values
    return SettingsEvidence(
        settings=candidate.options,
        label=candidate.label,
        auc=auc,
        interval=Interval(*sample.interval(column)),
        agreement=agreement(column.passes, outcomes),
        precision=precision(column.passes, outcomes),
        gain=auc - sample.area(recommended) if is_other and recommended is not None else None,
        gain_interval=Interval(*sample.gain_interval(recommended, column))
        if is_other and recommended is not None
        else None,
    )


def _alternatives(sample: Sample, chosen: Measured) -> tuple[SettingsEvidence, ...]:
    found = [
        _evidence(sample, each.candidate, each.column, chosen.column)
        for each in sample.measured(single_changes(chosen.candidate))
        if each.column.values != chosen.column.values
    ]
    return tuple(sorted(found, key=lambda each: (-each.auc, each.label)))


def _extra_calls(sample: Sample, candidate: Candidate) -> Literal["hurt", "not_hurt", "unclear"]:
    """Whether scores that extra calls lower tell success from failure better than others."""
    cost, free = (
        sample.runs.column(candidate.with_change("extra_calls", value).settings(sample.base))
        for value in ("cost", "free")
    )
    if cost is None or free is None:
        return "unclear"
    if sample.is_clearly_better(free, cost):
        return "hurt"
    return "not_hurt" if sample.is_clearly_better(cost, free) else "unclear"


def _learned(sample: Sample, chosen: Measured) -> Iterable[Learned]:
    """What each thing that was learned changes, given the others."""
    candidate = chosen.candidate
    effects = [each for each in candidate.effects if each[0] != "*"]
    for name, kind in effects:
        rest = tuple([each for each in candidate.effects if each != (name, kind)])
        yield _learned_thing(sample, chosen, (kind, name), replace(candidate, effects=rest))
    for name in candidate.ignored:
        rest_ignored = tuple([each for each in candidate.ignored if each != name])
        yield _learned_thing(
            sample, chosen, ("ignore", name), replace(candidate, ignored=rest_ignored)
        )


def _learned_thing(
    sample: Sample, chosen: Measured, about: tuple[Any, str], without: Candidate
) -> Learned:
    column = sample.runs.column(without.settings(sample.base)) or chosen.column
    kind, name = about
    changed = [old != new for old, new in zip(column.values, chosen.column.values, strict=True)]
    return Learned(
        kind=kind,
        name=name,
        runs=sum(changed),
        gain=chosen.area - sample.area(column),
        gain_interval=Interval(*sample.gain_interval(column, chosen.column)),
        agreement_gain=chosen.agreement - sample.agreement(column),
    )


def _reliability(runs: Runs, column: Column) -> tuple[Bin, ...]:
    bins = []
    for low, high in zip(_EDGES, (*_EDGES[1:], 1.0), strict=True):
        inside = [
            good
            for value, good in zip(column.values, runs.outcomes, strict=True)
            if low <= value < high or value == low == high
        ]
        bins.append(Bin(low=low, high=high, runs=len(inside), successes=sum(inside)))
    return tuple(bins)


def _disagreements(runs: Runs, settings: Settings) -> tuple[Disagreement, ...]:
    """Runs that pass but failed, and the reverse, by turns; the most surprising first."""
    found = []
    for number, run in enumerate(runs.runs):
        score = runs.score(number, settings)
        if score.passed != run.success:
            case = run.case
            found.append(
                Disagreement(
                    case=case.id,
                    trial=case.trial,
                    place=run.place,
                    success=run.success,
                    score=score,
                )
            )
    # The more calls are right, the more surprising is a failure; the fewer, a success.
    passing = sorted(
        [each for each in found if not each.success], key=lambda each: -len(each.score.correct)
    )
    failing = sorted([each for each in found if each.success], key=lambda each: each.score.f1)
    shared = min(len(passing), len(failing))
    by_turns = [each for pair in zip(passing, failing, strict=False) for each in pair]
    return (*by_turns, *passing[shared:], *failing[shared:])

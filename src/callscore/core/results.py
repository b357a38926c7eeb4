"""What scoring many cases, or running agents, gave: results of cases, evaluations and runs."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Literal, get_args

from msgspec import UNSET, Struct, UnsetType

from callscore.core.call import ToolCall
from callscore.core.case import Case
from callscore.core.score import Score
from callscore.core.settings import Settings
from callscore.core.summary import Summary, ToolOutcome

if TYPE_CHECKING:
    from collections.abc import Sequence

    from callscore.core.score import Outcome

__all__ = [
    "Answer",
    "CaseScore",
    "CaseTrials",
    "CaseValues",
    "EvaluationResults",
    "Failure",
    "FailureKind",
    "JudgeCounts",
    "KeptCase",
    "KeptComparison",
    "KeptDifference",
    "KeptFault",
    "KeptScore",
    "MetricResult",
    "MetricValue",
    "Noted",
    "Result",
    "Results",
    "RunResults",
    "ScorerResult",
    "Status",
    "Unloaded",
    "Usage",
    "answer_passes",
    "failure_kind",
]


class MetricValue(Struct, frozen=True, gc=False):
    """What a metric of another tool says of one case.

    Attributes:
        value: its number; None where it has none.
        reason: why it has none, or why the number is what it is, where that is known.
        is_broken: whether it has none because it does not work: it raises, say, or gives text.
    """

    name: str
    value: float | None = None
    reason: str | None = None
    is_broken: bool = False


class CaseScore(Struct, frozen=True, gc=False, kw_only=True):
    """The score of one case, under the names it goes by.

    Attributes:
        trial: which repetition it is, where a case was run several times.
        metrics: what other tools say of it, where they were asked.
    """

    id: str
    score: Score
    trial: int | str | None = None
    tags: tuple[str, ...] = ()
    metrics: tuple[MetricValue, ...] = ()

    @property
    def label(self) -> str:
        """The id, and the trial where there is one."""
        return self.id if self.trial is None else f"{self.id} #{self.trial}"


class Noted(Struct, frozen=True, gc=False):
    """Things that were counted, and the names of the first of them."""

    count: int = 0
    names: tuple[str, ...] = ()


class MetricResult(Struct, frozen=True, gc=False):
    """What a metric of another tool says of many cases.

    Attributes:
        mean: the mean over the cases for which it has a number; None where there are none.
        scored: how many these are.
        not_scorable: how many the others are; in place of names, the reasons, each of them once.
        version: the version of the tool that the metric was held against; None if that is not known.
    """

    name: str
    mean: float | None = None
    scored: int = 0
    not_scorable: Noted = Noted()
    version: str | None = None


class Results(Struct, frozen=True, gc=False, kw_only=True):
    """What scoring many cases gave.

    Attributes:
        cases: the cases to show, in the order of the input.
        not_shown: how many more there are of the kind that is shown.
        not_scored: cases without an `expected` field.
        not_run: references for which there is no actual side.
        without_reference: traces for which there is no reference.
        repeated: cases whose (id, trial) was there before; they are scored all the same.
        skipped: what could not be read and was skipped, as asked: places and problems.
        stopped: where the input broke off and why, where it did; the rest was not read.
        metrics: what other tools say of the scored cases, where they were asked.
    """

    settings: Settings
    summary: Summary
    cases: tuple[CaseScore, ...] = ()
    not_shown: int = 0
    not_scored: Noted = Noted()
    not_run: Noted = Noted()
    without_reference: Noted = Noted()
    repeated: Noted = Noted()
    skipped: Noted = Noted()
    stopped: Noted = Noted()
    metrics: tuple[MetricResult, ...] = ()

    @property
    def has_notes(self) -> bool:
        """Whether anything but scored cases was found in the input."""
        noted = (self.not_scored, self.not_run, self.without_reference, self.skipped)
        return any(found.count for found in noted)

    def to_dict(self) -> dict[str, Any]:
        """Everything as plain data that any JSON encoder accepts."""
        from callscore.words.plain_data import results_to_dict

        return results_to_dict(self)

    def __str__(self) -> str:
        from callscore.words.value_text import results_line

        return results_line(self)


# Why there is no answer: the task raised, took too long, tried to end the process, returned what no
# format reads, or could not be started.
FailureKind = Literal["raised", "timeout", "exited", "unreadable", "refused"]
# Whether there is a score: nothing may be expected, or there is no answer.
Status = Literal["scored", "error", "not_scored"]


def failure_kind(kind: str) -> FailureKind:
    """The stored reason why there is no answer; `raised` where it is an unknown word."""
    known = [each for each in get_args(FailureKind) if each == kind]
    return known[0] if known else "raised"


class Usage(Struct, frozen=True, gc=False):
    """What answers cost.

    Attributes:
        requests: how often a model was asked, repetitions after errors included.
        input_tokens: what it read.
        output_tokens: what it wrote.
    """

    requests: int = 0
    input_tokens: int = 0
    output_tokens: int = 0

    def __add__(self, other: Usage) -> Usage:
        return Usage(
            self.requests + other.requests,
            self.input_tokens + other.input_tokens,
            self.output_tokens + other.output_tokens,
        )


class Answer(Struct, frozen=True, kw_only=True):
    """What came back.

    Attributes:
        document: the answer as plain data, as it is kept, and as scorers are given it.
        seconds: how long it took, repetitions after errors included.
    """

    document: Any = None
    seconds: float = 0.0
    usage: Usage = Usage()
    attempts: int = 1
    is_reused: bool = False


class Failure(Struct, frozen=True, gc=False, kw_only=True):
    """A case to which there is no answer: an error of the agent, and no score.

    Attributes:
        problem: what happened, in a sentence.
        details: where it happened, such as the end of a traceback; empty if unknown.
        trial: which repetition it is, where there are several.
    """

    case: str
    kind: FailureKind
    problem: str
    details: str = ""
    trial: int | None = None
    attempts: int = 1

    @property
    def label(self) -> str:
        """The case, and the trial where there is one."""
        return self.case if self.trial is None else f"{self.case} #{self.trial}"


class KeptDifference(Struct, frozen=True, gc=False, kw_only=True):
    """How the calls of a pair differ, as a history keeps it; `pair` is a position in the pairs."""

    pair: int
    path: str
    kind: str = ""
    expected: Any = None
    actual: Any = None
    reason: str


class KeptFault(Struct, frozen=True, gc=False, kw_only=True):
    """What is wrong with a call by the definition of its tool, as a history keeps it."""

    tool: str
    kind: str
    index: int
    path: str = ""
    reason: str


class KeptComparison(Struct, frozen=True, kw_only=True):
    """Which calls are paired and how they differ, as a history keeps it.

    Calls are named by their positions among those that count. `expected` and `actual` hold these
    calls where they are not simply those of the case.
    """

    pairs: list[tuple[int, int, bool]] = []
    missed: list[int] = []
    extra: list[int] = []
    forbidden: list[int] = []
    differences: list[KeptDifference] = []
    faults: list[KeptFault] = []
    expected: list[Any] | UnsetType = UNSET
    actual: list[dict[str, Any]] | UnsetType = UNSET


class KeptScore(Struct, frozen=True, gc=False, kw_only=True):
    """What is kept of a score.

    Attributes:
        f1: the score of the calls; None where nothing is scored.
        counts: correct, incorrect, missed, extra, expected, actual, forbidden; empty where nothing
            is scored.
        tools: how the calls of each tool went; None where they were not counted.
        comparison: the pairs and the differences, as plain data.
    """

    f1: float | None = None
    counts: tuple[int, ...] = ()
    tools: dict[str, ToolOutcome] | None = None
    comparison: dict[str, Any] | None = None

    @property
    def outcome(self) -> Outcome:
        """What the case came to; only where it is scored."""
        correct, _, _, _, expected, actual, forbidden = self.counts
        return correct, expected, actual, forbidden


class Result(Struct, frozen=True, kw_only=True):
    """One scored answer: the same value from a file, from an agent or from the database.

    Attributes:
        case: what was asked and expected; `actual` holds the calls that were made, and `trial` is
            set where there are several.
        answer: what came back; None where nothing did, or there are only calls.
        score: how the calls compare; None where nothing is expected.
        passed: whether every scorer that has a number passes it, and nothing forbidden was called;
            None where no scorer has one.
        failure: why there is no answer, or why it cannot be scored.
        kept: what the database holds of the score, where the result was read back.
    """

    case: Case
    status: Status = "scored"
    answer: Answer | None = None
    score: Score | None = None
    values: tuple[MetricValue, ...] = ()
    passed: bool | None = None
    failure: Failure | None = None
    kept: KeptScore | None = None

    def shown(self) -> CaseScore | CaseValues:
        """The result as a report lists it."""
        case = self.case
        tags = tuple(case.tags)
        if self.score is not None:
            return CaseScore(
                id=case.id, score=self.score, trial=case.trial, tags=tags, metrics=self.values
            )
        return CaseValues(
            id=case.id,
            calls=case.actual or (),
            values=self.values,
            trial=case.trial if isinstance(case.trial, int) else None,
            tags=tags,
        )


class ScorerResult(Struct, frozen=True, gc=False, kw_only=True):
    """What one scorer says of all answers of an evaluation.

    Attributes:
        mean: the mean over the answers that it has a number for; None where there are none.
        scored: how many these are.
        passed: for how many of them the number is enough.
        threshold: what the mean must reach; None where there is none.
        not_scorable: the others; in place of names, the reasons, each of them once.
        broken: the answers for which it does not work, which are none of these; in place of names,
            the reasons, with the line of the scorer where it is known.
    """

    name: str
    mean: float | None = None
    scored: int = 0
    passed: int = 0
    threshold: float | None = None
    not_scorable: Noted = Noted()
    broken: Noted = Noted()

    @property
    def is_below(self) -> bool:
        """Whether the mean, or the lack of one, misses the threshold."""
        return self.threshold is not None and (self.mean is None or self.mean < self.threshold)


class CaseTrials(Struct, frozen=True, gc=False):
    """The repetitions of one case.

    Attributes:
        trials: how many there were; one without an answer did not pass.
        passed: how many of these passed.
    """

    case: str
    trials: int
    passed: int

    @property
    def is_flaky(self) -> bool:
        """Whether it sometimes passes, and sometimes does not."""
        return 0 < self.passed < self.trials


class CaseValues(Struct, frozen=True, gc=False, kw_only=True):
    """A case that says nothing about the calls that are expected, and what the scorers say of it.

    Attributes:
        trial: which repetition it is, where there are several.
    """

    id: str
    calls: tuple[ToolCall, ...] = ()
    values: tuple[MetricValue, ...] = ()
    trial: int | None = None
    tags: tuple[str, ...] = ()

    @property
    def label(self) -> str:
        """The id, and the trial where there is one."""
        return self.id if self.trial is None else f"{self.id} #{self.trial}"


def answer_passes(
    values: Sequence[MetricValue], at_least: float, *, has_forbidden: bool = False
) -> bool | None:
    """Whether an answer is good enough: every scorer works, and its number is at least this.

    None where no scorer has a number. No number makes up for a forbidden call.
    """
    numbers = [found.value for found in values if found.value is not None]
    if has_forbidden or any(found.is_broken for found in values):
        return False
    return all(number >= at_least for number in numbers) if numbers else None


class EvaluationResults(Struct, frozen=True, kw_only=True):
    """What one evaluation gave, under one of its variants.

    Attributes:
        place: the file that it stands in.
        variant: the variant; None where there is only one way to run it.
        results: the scores: the summary of all, and under `cases` those to show, each with what the
            scorers say under `metrics`.
        scorers: what each scorer says of all cases, in the order they are named.
        cases: the number of planned cases.
        questions: the number of planned answers: one per case, or one per trial of it.
        answered: how many answers were scored; a case counts once per trial.
        passed: how many of these every scorer passes, with nothing forbidden called.
        undecided: how many of these no scorer has a number for; they neither pass nor fail.
        unreferenced: of the cases to show those that say nothing about the calls that are expected;
            they are not among the scores.
        failures: the first cases without an answer.
        errors: how many there are.
        skipped: cases that were left out on purpose, with the reasons where there are any.
        trials: the cases that were repeated; empty where none was.
        usage: what the answers cost that were asked for in this run.
        seconds: the median time that an answer took; None without answers.
        reused: how many answers were there before, and were not asked for again.
    """

    name: str
    place: str
    results: Results
    variant: str | None = None
    scorers: tuple[ScorerResult, ...] = ()
    cases: int = 0
    questions: int = 0
    answered: int = 0
    passed: int = 0
    undecided: int = 0
    unreferenced: tuple[CaseValues, ...] = ()
    failures: tuple[Failure, ...] = ()
    errors: int = 0
    skipped: Noted = Noted()
    trials: tuple[CaseTrials, ...] = ()
    usage: Usage = Usage()
    seconds: float | None = None
    reused: int = 0

    @property
    def label(self) -> str:
        """The name, and the variant where there is one."""
        return self.name if self.variant is None else f"{self.name} [{self.variant}]"

    def passes(self, case: CaseScore | CaseValues) -> bool | None:
        """Whether one of the cases to show passes; None where no scorer has a number."""
        at_least = self.results.settings.at_least
        if isinstance(case, CaseValues):
            return answer_passes(case.values, at_least)
        return answer_passes(case.metrics, at_least, has_forbidden=bool(case.score.forbidden))


class JudgeCounts(Struct, frozen=True, gc=False):
    """What a model was asked as a judge.

    Attributes:
        judged: how many values it was to judge.
        asked: how many requests were sent to it; the other answers were known.
    """

    model: str
    judged: int = 0
    asked: int = 0


class Unloaded(Struct, frozen=True, gc=False):
    """A file of evaluations that cannot be used.

    Attributes:
        place: the file, and the line where it is known.
        problem: what is wrong, in a sentence.
        details: the end of a traceback; empty where there is none.
    """

    place: str
    problem: str
    details: str = ""


class RunResults(Struct, frozen=True, kw_only=True):
    """What running evaluations gave.

    Attributes:
        id: the name of the run in the history; empty where it was not kept.
        unloaded: files that could not be used.
        judges: the models that were asked as judges.
        is_interrupted: whether it was stopped before the end.
        warnings: what else should be known, in sentences: that nothing could be kept, say.
    """

    id: str = ""
    evaluations: tuple[EvaluationResults, ...] = ()
    unloaded: tuple[Unloaded, ...] = ()
    seconds: float = 0.0
    judges: tuple[JudgeCounts, ...] = ()
    is_interrupted: bool = False
    warnings: tuple[str, ...] = ()

    @property
    def errors(self) -> int:
        """How many cases have no answer."""
        return sum(each.errors for each in self.evaluations)

    @property
    def below(self) -> tuple[str, ...]:
        """Which evaluations and scorers miss their thresholds: `assistant: accuracy`."""
        return tuple(
            f"{each.label}: {scorer.name}"
            for each in self.evaluations
            for scorer in each.scorers
            if scorer.is_below
        )

    @property
    def forbidden(self) -> int:
        """How many answers have calls that must not be made."""
        return sum(each.results.summary.forbidden_cases for each in self.evaluations)

    def to_dict(self) -> dict[str, Any]:
        """Everything as plain data that any JSON encoder accepts."""
        from callscore.words.plain_data import run_to_dict

        return run_to_dict(self)

    def __str__(self) -> str:
        from callscore.words.value_text import run_text

        return run_text(self)


class KeptCase(Struct, frozen=True, kw_only=True):
    """A case of a run with all that was kept of it.

    Attributes:
        evaluation: what the evaluation is called, with its variant.
        place: the file that it stands in.
        expected: what was expected, as a case file spells it; None where nothing was.
        at_least: the number from which a scorer passes an answer.
        trials: the result of each trial, in order; each says which one it is.
    """

    run: str
    evaluation: str
    place: str = ""
    id: str
    tags: tuple[str, ...] = ()
    input: Any = None
    expected: list[Any] | None = None
    metadata: Any = None
    at_least: float = 1.0
    trials: tuple[Result, ...] = ()

"""What should be known about a comparison besides its numbers."""

from __future__ import annotations

from typing import TYPE_CHECKING

from callscore.core.phrase import Note, Phrase

if TYPE_CHECKING:
    from collections.abc import Iterator

    from callscore.comparing.matching import Matching
    from callscore.comparing.sides import EvaluationSide, Side

__all__ = ["labelled", "notes_on"]

_SAME_RUN = Phrase(
    "both are the same run: {run}",
    "это один и тот же прогон: {run}",
)
_UNFINISHED = Phrase(
    "{side} did not come to its end",
    "{side}: прогон не дошёл до конца",
)
_ERRORS = Phrase(
    "{side}: {count} without an answer, taken as not passed",
    "{side}: без ответа {count}, считаются непройденными",
)
_OTHER_RULES = Phrase(
    "{evaluation}: the settings or the scorers are others than before, and a difference may come "
    "from them",
    "{evaluation}: настройки или оценщики другие, чем раньше, и разница может быть из-за них",
)
_LONE = Phrase(
    "only {side} has {evaluation}",
    "{evaluation} есть только в {side}",
)
_REPEATED = Phrase(
    "cases whose id is there twice count as one case: {count}",
    "повторные id считаются одним случаем: {count}",
)
_OTHER_TRIALS = Phrase(
    "the runs tried a case {before} and {after} times",
    "число попыток на случай разное: {before} и {after}",
)


def labelled(evaluation: str, note: Note) -> Note:
    """A note with the evaluation that it is about in front."""
    phrase = Phrase(*(f"{{evaluation}}: {sentence}" for sentence in note.phrase))
    return Note(phrase, {**note.values, "evaluation": evaluation})


def notes_on(before: Side, after: Side, matching: Matching) -> Iterator[Note]:
    """What should be known, the gravest first."""
    if before.run and before.run == after.run and _labels(before) == _labels(after):
        yield Note(_SAME_RUN, {"run": before.run})
    for side in (before, after):
        if not side.is_finished:
            yield Note(_UNFINISHED, {"side": side.label})
    yield from _about_evaluations(before, after, matching)
    yield from _about_trials(before, after)
    if matching.repeated:
        yield Note(_REPEATED, {"count": len(matching.repeated)})


def _labels(side: Side) -> list[str]:
    return [evaluation.label for evaluation in side.evaluations]


def _about_evaluations(before: Side, after: Side, matching: Matching) -> Iterator[Note]:
    for first, second in matching.evaluations:
        if first.settings and second.settings and first.settings != second.settings:
            yield Note(_OTHER_RULES, {"evaluation": second.label})
    for side, lone in ((before, matching.lone_before), (after, matching.lone_after)):
        for evaluation in lone:
            yield Note(_LONE, {"side": side.label, "evaluation": evaluation.label})


def _about_trials(before: Side, after: Side) -> Iterator[Note]:
    for side in (before, after):
        errors = sum(
            trial.status == "error"
            for evaluation in side.evaluations
            for case in evaluation.cases
            for trial in case.trials
        )
        if errors:
            yield Note(_ERRORS, {"side": side.label, "count": errors})
    first, second = _trials(before.evaluations), _trials(after.evaluations)
    if first and second and first != second:
        yield Note(_OTHER_TRIALS, {"before": first, "after": second})


def _trials(evaluations: tuple[EvaluationSide, ...]) -> int:
    """The largest number of trials that a case has."""
    return max((len(case.trials) for each in evaluations for case in each.cases), default=0)

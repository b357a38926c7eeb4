"""What should be known about a comparison besides its numbers."""

from __future__ import annotations

from typing import TYPE_CHECKING

from callscore.core.phrase import Note, Phrase

if TYPE_CHECKING:
    from collections.abc import Iterator

    from callscore.comparing.matching import Matching
    from callscore.comparing.sides import Side

__all__ = ["labelled", "notes_on"]

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
_OTHER_NAME = Phrase(
    "{before} and {after} are compared as one evaluation, though their names differ",
    "{before} и {after} сравниваются как одна оценка, хотя имена разные",
)
_REPEATED = Phrase(
    "cases whose id is there twice count as one case: {count}",
    "повторные id считаются одним случаем: {count}",
)
_OTHER_TRIALS = Phrase(
    "cases that one run tried more often than the other: {count} (up to {before} and {after} times); "
    "as many trials are compared as both have, the first ones",
    "случаи, которые один прогон пробовал чаще другого: {count} (до {before} и {after} попыток); "
    "сравнивается столько первых попыток, сколько есть в обоих",
)


def labelled(evaluation: str, note: Note) -> Note:
    """A note with the evaluation that it is about in front."""
    phrase = Phrase(*(f"{{evaluation}}: {sentence}" for sentence in note.phrase))
    return Note(phrase, {**note.values, "evaluation": evaluation})


def notes_on(before: Side, after: Side, matching: Matching) -> Iterator[Note]:
    """What should be known, the gravest first."""
    for side in (before, after):
        if not side.is_finished:
            yield Note(_UNFINISHED, {"side": side.label})
    yield from _about_evaluations(before, after, matching)
    yield from _about_trials(before, after, matching)
    if matching.repeated:
        yield Note(_REPEATED, {"count": len(matching.repeated)})


def _about_evaluations(before: Side, after: Side, matching: Matching) -> Iterator[Note]:
    for first, second in matching.evaluations:
        # Two files have two names, and whoever compares them has just written both.
        if first.name != second.name and (before.run or after.run):
            yield Note(_OTHER_NAME, {"before": first.label, "after": second.label})
        if first.settings and second.settings and first.settings != second.settings:
            yield Note(_OTHER_RULES, {"evaluation": second.label})
    for side, lone in ((before, matching.lone_before), (after, matching.lone_after)):
        for evaluation in lone:
            yield Note(_LONE, {"side": side.label, "evaluation": evaluation.label})


def _about_trials(before: Side, after: Side, matching: Matching) -> Iterator[Note]:
    for side in (before, after):
        errors = sum(
            trial.status == "error"
            for evaluation in side.evaluations
            for case in evaluation.cases
            for trial in case.trials
        )
        if errors:
            yield Note(_ERRORS, {"side": side.label, "count": errors})
    tried = [(len(pair.before.trials), len(pair.after.trials)) for pair in matching.cases]
    uneven = [trials for trials in tried if trials[0] != trials[1]]
    if uneven:
        first, second = (max(trials) for trials in zip(*uneven, strict=True))
        yield Note(_OTHER_TRIALS, {"count": len(uneven), "before": first, "after": second})

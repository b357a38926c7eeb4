"""What should be known of an evaluation beside its numbers, each as a sentence and some names."""

from __future__ import annotations

from typing import TYPE_CHECKING

from callscore.core.text import clip, escape
from callscore.core.wording import Phrase, Plural, count_of, say
from callscore.reports.metric_table import number_text
from callscore.reports.wording import CASES, UNCOUNTED_CASES, first_names, forbidden_line

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Sequence

    from callscore.core.results import Noted
    from callscore.core.run import EvaluationResults, ScorerResult
    from callscore.core.wording import Language

__all__ = ["group_notes"]

_BELOW = Phrase("{scorer} {mean} is below {threshold}", "{scorer} {mean} ниже порога {threshold}")
_NO_NUMBER = Phrase("{scorer} has no number for {cases}", "{scorer}: без оценки {cases}")
_BROKEN = Phrase("{scorer} does not work for {cases}", "{scorer} не работает: {cases}")
_FLAKY = Plural(
    ("flaky case", "flaky cases"),
    ("нестабильный случай", "нестабильных случая", "нестабильных случаев"),
)
_SKIPPED = Phrase("{cases} skipped", "пропущено: {cases}")
_REASON_WIDTH = 160


def group_notes(
    group: Sequence[EvaluationResults], lang: Language, *, write: Callable[[str], str] = escape
) -> list[tuple[str, str]]:
    """The notes of an evaluation: sentences, and the first names in each.

    Args:
        group: the evaluation under each of its variants.
        lang: the language.
        write: makes the names of scorers and variants safe to show.
    """
    alike: dict[tuple[str, str], list[str]] = {}
    has_column = len(group) == 1  # then the table has a column for thresholds
    for each in group:
        for line in _notes(each, lang, write, has_column=has_column):
            alike.setdefault(line, []).append(write(each.variant or ""))
    return [
        (sentence if len(variants) == len(group) else f"{', '.join(variants)}: {sentence}", names)
        for (sentence, names), variants in alike.items()
    ]


def _notes(
    each: EvaluationResults, lang: Language, write: Callable[[str], str], *, has_column: bool
) -> Iterator[tuple[str, str]]:
    summary = each.results.summary
    forbidden = forbidden_line(summary, lang)
    if forbidden is not None:
        yield forbidden
    for scorer in each.scorers:
        if scorer.is_below and not has_column:
            yield _below(scorer, lang, write), ""
    yield from _not_working(each, lang, write)
    yield from _without_number(each, lang, write)
    if summary.uncounted_cases:
        yield count_of(UNCOUNTED_CASES, summary.uncounted_cases, lang), ""
    flaky = [f"{case.case} {case.passed}/{case.trials}" for case in each.trials if case.is_flaky]
    if flaky:
        yield count_of(_FLAKY, len(flaky), lang), first_names(flaky, len(flaky), lang)
    if each.skipped.count:
        cases = count_of(CASES, each.skipped.count, lang)
        names = first_names(each.skipped.names, each.skipped.count, lang)
        yield say(_SKIPPED, lang, cases=cases), names


def _not_working(
    each: EvaluationResults, lang: Language, write: Callable[[str], str]
) -> Iterator[tuple[str, str]]:
    for scorer in each.scorers:
        if scorer.broken.count:
            cases = count_of(CASES, scorer.broken.count, lang)
            sentence = say(_BROKEN, lang, scorer=write(scorer.name), cases=cases)
            yield sentence, _reasons(scorer.broken)


def _without_number(
    each: EvaluationResults, lang: Language, write: Callable[[str], str]
) -> Iterator[tuple[str, str]]:
    for scorer in each.scorers:
        if scorer.not_scorable.count:
            cases = count_of(CASES, scorer.not_scorable.count, lang)
            sentence = say(_NO_NUMBER, lang, scorer=write(scorer.name), cases=cases)
            yield sentence, _reasons(scorer.not_scorable)


def _below(scorer: ScorerResult, lang: Language, write: Callable[[str], str]) -> str:
    mean, threshold = number_text(scorer.mean), number_text(scorer.threshold)
    return say(_BELOW, lang, scorer=write(scorer.name), mean=mean, threshold=threshold)


def _reasons(noted: Noted) -> str:
    """The first reasons; that they are sentences is lost on a list."""
    shown = [clip(escape(why).removesuffix("."), _REASON_WIDTH) for why in noted.names[:2]]
    return "; ".join(shown)

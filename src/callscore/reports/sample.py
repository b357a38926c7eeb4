"""A sample of a log in words: its strata, and what its scores say about the whole log."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

from callscore.core.phrases import Language, Phrase, Plural, count_of, say
from callscore.core.rendering import clip_middle, escape
from callscore.reports.formatting import INTERVAL_TEXT, grouped_number
from callscore.reports.styled import Text
from callscore.reports.tables import Column, column_lines
from callscore.words.value_text import MORE, percent

if TYPE_CHECKING:
    from callscore.core.statistics import Interval
    from callscore.engines.sampling import Sample, SampledResults
    from callscore.engines.stratified_pool import StratumCount

_MAX_ROWS = 20
_NAME_WIDTH = 48
# From this width of an interval on, one decimal of the percentages is enough; below, one more each.
_WIDE = 0.01
_MAX_PLACES = 5

# After a preposition, in Russian.
_CASES = Plural(("case", "cases"), ("случая", "случаев", "случаев"))
_TRIALS = Plural(("trial", "trials"), ("попытки", "попыток", "попыток"))
_ABOUT = Phrase("about {count}", "около {count}")
_SAMPLED = Phrase("{sampled} of {cases} in the sample", "в выборке {sampled} из {cases}")
_ALL_SAMPLED = Phrase(
    "the log has only {cases}; all of them are in the sample",
    "в логе меньше случаев, чем запрошено: в выборку вошло всё, {cases}",
)
_RECORDS = Phrase(
    "{sampled} of {records} with the trials of these cases",
    "с попытками этих случаев {sampled} из {records}",
)
_RECORD_COUNT = Plural(("record", "records"), ("записи", "записей", "записей"))
_REWRITTEN = Phrase(
    "written in the notation of case files, because they have no record of their own: {count}",
    "записано в формате файла случаев, так как отдельной записи у них нет: {count}",
)
_POOLED = Phrase(
    "more than 1,000 strata: the cases of all further ones are in 'other'",
    "страт больше 1000: случаи остальных собраны в «other»",
)
_UNSAMPLED = Phrase(
    "strata without a sampled case: {count}. Sample more cases",
    "страт без единого случая в выборке: {count}. Увеличьте выборку",
)
_DIVIDED = Phrase(
    "cases with trials in several strata, which are sampled separately: {count}",
    "случаев с попытками в разных стратах (эти части отбираются отдельно): {count}",
)
_SKIPPED = Phrase("records skipped: {count}", "не прочитано записей: {count}")
_STRATUM = {
    "tool": Phrase("tool", "инструмент"),
    "tag": Phrase("tag", "тег"),
}
_NAMELESS = {
    "tool": Phrase("(no calls)", "(нет вызовов)"),
    "tag": Phrase("(no tags)", "(нет тегов)"),
}
_NO_VALUE = Phrase("(no value)", "(нет значения)")
_OTHER = "other"
_IN_LOG = Phrase("in the log", "в логе")
_IN_SAMPLE = Phrase("in the sample", "в выборке")

_ESTIMATE = Phrase(
    "Estimated for all {population}: macro F1 {mean} ({interval}), from a sample of {sampled}",
    "Для всех {population}: macro F1 {mean} ({interval}), по выборке из {sampled}",
)
_NO_ESTIMATE = Phrase(
    "No estimate for all {population}: no sampled case was scored",
    "Для всех {population} вывода нет: ни один случай выборки не оценён",
)
_NOT_COVERED = Phrase("Not part of the estimate: {parts}", "В расчёт не вошли: {parts}")
_UNREADABLE = Phrase("unreadable records: {count}", "нечитаемые записи: {count}")
_WITHOUT_REFERENCE = Phrase(
    "cases without expected calls: {count}", "случаи без ожидаемых вызовов: {count}"
)
_UNSCORED = Phrase(
    "sampled cases that could not be scored: {count}",
    "случаи выборки, которые не удалось оценить: {count}",
)


def sample_lines(sample: Sample, requested: int, lang: Language) -> list[str]:
    """The notes about a sample: how much of the log it is, and what is unusual about it."""
    cases, trials, sampled = _totals(sample.strata)
    lines = [
        say(
            _SAMPLED,
            lang,
            sampled=grouped_number(sampled, lang),
            cases=_population(sample.strata, lang),
        )
    ]
    if sampled < requested:
        lines = [say(_ALL_SAMPLED, lang, cases=_counted(_CASES, cases, lang))]
    if len(sample.lines) > sampled:
        written = grouped_number(len(sample.lines), lang)
        of = _counted(_RECORD_COUNT, trials, lang)
        lines.append(say(_RECORDS, lang, sampled=written, records=of))
    notes = (
        (_REWRITTEN, sample.rewritten),
        (_UNSAMPLED, sum(not stratum.sampled for stratum in sample.strata)),
        (_DIVIDED, sample.divided),
        (_SKIPPED, sample.skipped.count),
    )
    if any(stratum.is_other for stratum in sample.strata):
        lines.append(say(_POOLED, lang))
    return lines + [
        say(phrase, lang, count=grouped_number(count, lang)) for phrase, count in notes if count
    ]


def strata_lines(strata: Sequence[StratumCount], by: str | None, lang: Language) -> list[str]:
    """The table of the strata, the largest first; empty if there is only one without a name."""
    if by is None:
        return []
    shown = sorted(strata, key=lambda stratum: (-stratum.cases, stratum.name))
    rows = shown[:_MAX_ROWS]
    header = say(_STRATUM[by], lang) if by in _STRATUM else escape(by)
    numbers = [
        (say(_IN_LOG, lang), [stratum.cases for stratum in rows]),
        (say(_IN_SAMPLE, lang), [stratum.sampled for stratum in rows]),
    ]
    columns = [
        Column(header, [Text(_name(stratum, by, lang)) for stratum in rows], is_left=True),
        *[
            Column(title, [Text(grouped_number(count, lang)) for count in counts])
            for title, counts in numbers
        ],
    ]
    lines = [line.plain for line in column_lines(columns)]
    rest = len(shown) - len(rows)
    return lines + ([say(MORE, lang, count=grouped_number(rest, lang))] if rest else [])


def _name(stratum: StratumCount, by: str, lang: Language) -> str:
    if stratum.is_other:
        return _OTHER
    if not stratum.name:
        return say(_NAMELESS.get(by, _NO_VALUE), lang)
    return clip_middle(escape(stratum.name), _NAME_WIDTH)


def estimate_lines(sampled: SampledResults, lang: Language) -> list[str]:
    """What the scores of a sample say about the whole log, and what they do not cover."""
    cases, trials, _ = _totals(sampled.strata)
    population = _population(sampled.strata, lang)
    if trials > cases:
        population += f", {_counted(_TRIALS, trials, lang)}"
    if sampled.estimate is None or sampled.interval is None:
        lines = [say(_NO_ESTIMATE, lang, population=population)]
    else:
        mean, interval = _percentages(sampled.estimate, sampled.interval)
        lines = [
            say(
                _ESTIMATE,
                lang,
                population=population,
                mean=mean,
                interval=say(INTERVAL_TEXT, lang, interval=interval),
                sampled=_counted(_CASES, sampled.sampled, lang),
            )
        ]
    parts = [
        say(phrase, lang, count=grouped_number(count, lang))
        for phrase, count in _not_covered(sampled)
        if count
    ]
    return lines + ([say(_NOT_COVERED, lang, parts=", ".join(parts))] if parts else [])


def _not_covered(sampled: SampledResults) -> list[tuple[Phrase, int]]:
    *_, chosen = _totals(sampled.strata)
    return [
        (_UNREADABLE, sampled.results.skipped.count),
        (_WITHOUT_REFERENCE, sampled.results.not_scored.count),
        (_UNSCORED, chosen - sampled.sampled),
    ]


def estimate_to_dict(sampled: SampledResults) -> dict[str, Any]:
    """The same as plain data, with the strata."""
    interval = sampled.interval
    cases, trials, _ = _totals(sampled.strata)
    return {
        "macro_f1": sampled.estimate,
        "macro_f1_interval": None if interval is None else [interval.low, interval.high],
        "cases": cases,
        "cases_are_counted": _is_exact(sampled.strata),
        "trials": trials,
        "sampled_cases": sampled.sampled,
        "sampled_trials": sampled.sampled_trials,
        "unreadable_records": sampled.results.skipped.count,
        "cases_without_reference": sampled.results.not_scored.count,
        "by": sampled.by,
        "seed": sampled.seed,
        "strata": [
            {
                "name": _OTHER if stratum.is_other else stratum.name or None,
                "is_other": stratum.is_other,
                "cases": stratum.cases,
                "trials": stratum.trials,
                "sampled_cases": stratum.sampled,
            }
            for stratum in sampled.strata
        ],
    }


def _percentages(mean: float, interval: Interval) -> tuple[str, str]:
    """A mean and its interval with enough decimals to tell the ends apart."""
    places, width = 1, interval.high - interval.low
    while 0 < width < _WIDE and places < _MAX_PLACES:
        places, width = places + 1, width * 10
    low, high = (percent(end, places=places) for end in interval)
    return percent(mean, places=places), f"{low} – {high}"


def _totals(strata: Sequence[StratumCount]) -> tuple[int, ...]:
    """The cases and the records of the log, and the cases in the sample."""
    counts = [(each.cases, each.trials, each.sampled) for each in strata]
    return tuple([sum(column) for column in zip(*counts, strict=True)]) or (0, 0, 0)


def _is_exact(strata: Sequence[StratumCount]) -> bool:
    """Whether the cases of the log were counted, and not estimated."""
    return all(each.is_exact for each in strata)


def _population(strata: Sequence[StratumCount], lang: Language) -> str:
    counted = _counted(_CASES, _totals(strata)[0], lang)
    return counted if _is_exact(strata) else say(_ABOUT, lang, count=counted)


def _counted(noun: Plural, count: int, lang: Language) -> str:
    """A number with separators, and its noun."""
    return count_of(noun, count, lang).replace(str(count), grouped_number(count, lang), 1)

"""What is said of two runs that were compared, in English and in Russian."""

# ruff: noqa: RUF001  (Russian letters that look like Latin ones, and minus signs, are meant)

from __future__ import annotations

from time import gmtime, strftime
from typing import TYPE_CHECKING

from callscore.core.text import clip, escape
from callscore.core.wording import Phrase, Plural, count_of, percent, say
from callscore.reports.metric_table import NO_NUMBER
from callscore.reports.run_wording import ERROR_COUNT
from callscore.reports.wording import CASES

if TYPE_CHECKING:
    from collections.abc import Callable

    from callscore.comparing.comparison import (
        ChangeKind,
        ChangeReason,
        ChangeReasonKind,
        Comparison,
        Difference,
        Method,
        SideSummary,
        Slice,
        Verdict,
    )
    from callscore.core.statistics import Interval
    from callscore.core.wording import Language

__all__ = [
    "AFTER",
    "BEFORE",
    "CASE",
    "CASE_COUNT",
    "CHANGES",
    "DIFFERENCE",
    "F1",
    "INTERVAL",
    "KINDS",
    "MEASURE",
    "MORE",
    "P_VALUE",
    "TRIALS",
    "VERDICT",
    "VERDICTS",
    "WHY",
    "change_line",
    "flips",
    "holm_line",
    "interval_text",
    "measure_name",
    "nothing_compared",
    "p_text",
    "points",
    "points_words",
    "reason_text",
    "share",
    "side_words",
    "slice_heading",
    "sure_line",
    "visible_lines",
]

BEFORE = Phrase("before", "было")
AFTER = Phrase("after", "стало")
CASE = Phrase("case", "случай")
CASE_COUNT = Phrase("cases", "случаев")
MEASURE = Phrase("measure", "мера")
DIFFERENCE = Phrase("difference", "разница")
INTERVAL = Phrase("95% interval", "95% интервал")
P_VALUE = Phrase("p", "p")
VERDICT = Phrase("verdict", "вывод")
TRIALS = Phrase("trials passed", "попыток пройдено")
F1 = Phrase("F1", "F1")
WHY = Phrase("remarks", "примечания")
KINDS = {"tool": Phrase("tool", "инструмент"), "tag": Phrase("tag", "тег")}
# A tool is judged by its own calls, whatever else decides.
_SLICES = {
    "tool": Phrase("Tools, by the F1 of their calls", "Инструменты, по F1 их вызовов"),
    "tag": Phrase("Tags, by {measure}", "Теги, по мере «{measure}»"),
}
CHANGES: dict[ChangeKind, Phrase] = {
    "broken": Phrase("Broken: {cases}", "Сломано: {cases}"),
    "fixed": Phrase("Fixed: {cases}", "Исправлено: {cases}"),
    "changed": Phrase("Changed: {cases}", "Изменилось: {cases}"),
}
VERDICTS: dict[Verdict, Phrase] = {
    "improved": Phrase("improved", "стало лучше"),
    "regressed": Phrase("regressed", "стало хуже"),
    "no evidence": Phrase("no evidence", "разница не доказана"),
    "not enough data": Phrase("not enough data", "мало данных"),
}
MORE = Phrase("… {count} more; --most shows more", "… ещё {count}; --most покажет больше")

_METHODS: dict[Method, Phrase] = {
    "exact McNemar": Phrase("exact McNemar", "точный критерий Макнемара"),
    "paired bootstrap": Phrase("paired bootstrap", "парный бутстреп"),
}
_MEASURES = {"passed": Phrase("passed", "пройдено"), "f1": Phrase("F1", "F1")}
_NOTHING_COMMON = Phrase("no case is in both", "общих случаев нет")
_NO_NUMBERS = Phrase(
    "no case has a number for {measure} in both",
    "ни у одного общего случая нет оценки «{measure}» и раньше, и теперь",
)
_CHANGE = Phrase("{measure} {before} → {after}", "{measure} {before} → {after}")
_POINTS = Phrase("{points} points", "{points} п. п.")
_RANGE = Phrase("{low} to {high}", "от {low} до {high}")
_INTERVAL = Phrase("95% interval {interval}", "95% интервал {interval}")
_P = Phrase("p {sign} {p}, {method}", "p {sign} {p}, {method}")
_COMPARED = Phrase("{cases} in both", "общих: {cases}")
_VISIBLE = Phrase(
    "a difference of {points} points or more would show, four times in five",
    "разница от {points} п. п. была бы видна в четырёх случаях из пяти",
)
_INVISIBLE = Phrase("so few cases show no difference at all", "так мало случаев не покажут разницы")
_ADVICE = Phrase(
    "more cases, or more trials of each, would tell", "нужно больше случаев или попыток"
)
_FLIPS: dict[ChangeKind, Phrase] = {
    "broken": Phrase("{count} broken", "сломано {count}"),
    "fixed": Phrase("{count} fixed", "исправлено {count}"),
    "changed": Phrase("{count} changed", "изменилось {count}"),
}
_SAME = Phrase("{count} as before", "без изменений {count}")
_RUN = Phrase("run {id}", "прогон {id}")
_COMMIT = Phrase("commit {commit}", "коммит {commit}")
_DIRTY = Phrase("commit {commit} with changes", "коммит {commit} с изменениями")
_HOLM = Phrase(
    "p is corrected after Holm for {slices}",
    "p с поправкой Холма на {slices}",
)
_SLICE_COUNT = Plural(("tool or tag", "tools and tags"), ("срез", "среза", "срезов"))
# What is to be known about a case.
_REASONS: dict[ChangeReasonKind, Phrase] = {
    "forbidden call": Phrase("forbidden call", "запрещённый вызов"),
    "schema error": Phrase("schema error", "ошибка по схеме"),
    "no answer before": Phrase("no answer before", "раньше не было ответа"),
    "no answer": Phrase("no answer", "нет ответа"),
}
_REASON_WIDTH = 160
_COMMIT_WIDTH = 7
_SURE = 0.05
_SMALLEST_P = 0.001


def share(value: float | None) -> str:
    """A mean from 0 to 1 in percent; a dash where there is none."""
    return NO_NUMBER if value is None else percent(value)


def points(change: float | None) -> str:
    """A difference in percentage points, with its sign: 0.0 is said only of none at all."""
    if change is None:
        return NO_NUMBER
    if not change:
        return "0.0"
    size = max(round(abs(change) * 1000), 1) / 10
    return f"{'+' if change > 0 else '−'}{size:.1f}"


def interval_text(interval: Interval | None, lang: Language) -> str:
    """The two ends of an interval of a difference, in points."""
    if interval is None:
        return NO_NUMBER
    return say(_RANGE, lang, low=points(interval.low), high=points(interval.high))


def p_text(p_value: float | None) -> str:
    """A p-value with three decimals, which are never on the other side of 0.05 than it is."""
    if p_value is None:
        return NO_NUMBER
    if p_value < _SMALLEST_P:
        return "< 0.001"
    text = f"{p_value:.3f}"
    return f"< {text}" if p_value < _SURE <= float(text) else text


def measure_name(measure: str, lang: Language, *, write: Callable[[str], str] = escape) -> str:
    """What is compared: a word of ours, or the name of a scorer."""
    return say(_MEASURES[measure], lang) if measure in _MEASURES else write(measure)


def change_line(
    comparison: Comparison, lang: Language, *, write: Callable[[str], str] = escape
) -> str:
    """The number before and after, and how far they are apart; or why there is none."""
    main = comparison.main
    if main.change is None:
        return nothing_compared(comparison, lang, write=write)
    change = say(
        _CHANGE,
        lang,
        measure=measure_name(main.measure, lang, write=write),
        before=share(main.before),
        after=share(main.after),
    )
    return f"{change}, {points_words(main.change, lang)}"


def points_words(change: float | None, lang: Language) -> str:
    """A difference in percentage points, and what it is counted in."""
    return say(_POINTS, lang, points=points(change))


def nothing_compared(
    comparison: Comparison, lang: Language, *, write: Callable[[str], str] = escape
) -> str:
    """Why nothing was compared: there is no case in both, or none with a number."""
    if not comparison.in_common:
        return say(_NOTHING_COMMON, lang)
    return say(_NO_NUMBERS, lang, measure=measure_name(comparison.main.measure, lang, write=write))


def sure_line(difference: Difference, lang: Language) -> str:
    """How sure the difference is, how it was tested, and on how many cases."""
    parts = []
    if difference.interval is not None:
        parts.append(say(_INTERVAL, lang, interval=interval_text(difference.interval, lang)))
    if difference.p_value is not None:
        sign, _, p_value = p_text(difference.p_value).rpartition(" ")
        method = say(_METHODS[difference.method], lang)
        parts.append(say(_P, lang, sign=sign or "=", p=p_value, method=method))
    parts.append(say(_COMPARED, lang, cases=count_of(CASES, difference.cases, lang)))
    return ", ".join(parts)


def visible_lines(difference: Difference, lang: Language) -> list[str]:
    """What the cases could have shown, and what to do where that is too little."""
    if difference.smallest is None:
        lines = [say(_INVISIBLE, lang)]
    else:
        smallest = points(difference.smallest).removeprefix("+")
        lines = [say(_VISIBLE, lang, points=smallest)]
    if difference.verdict == "not enough data":
        lines.append(say(_ADVICE, lang))
    return lines


def flips(comparison: Comparison, lang: Language) -> list[tuple[str, ChangeKind | None]]:
    """How many cases went otherwise in each way, in a few words each, and how many did not."""
    parts: list[tuple[str, ChangeKind | None]] = []
    for kind, phrase in _FLIPS.items():
        count = len(comparison.changed(kind))
        if count:
            parts.append((say(phrase, lang, count=count), kind))
    if comparison.same:
        parts.append((say(_SAME, lang, count=comparison.same), None))
    return parts


def side_words(
    side: SideSummary, lang: Language, *, write: Callable[[str], str] = escape
) -> list[str]:
    """A run in a few words each: what it is called, its id, its commit, its age, its cases."""
    parts = [write(side.label)]
    if side.run and side.run != side.label:
        parts.append(say(_RUN, lang, id=write(side.run)))
    if side.git_commit:
        phrase = _DIRTY if side.git_dirty else _COMMIT
        parts.append(say(phrase, lang, commit=write(side.git_commit[:_COMMIT_WIDTH])))
    if side.started_at is not None:
        parts.append(strftime("%Y-%m-%d %H:%M UTC", gmtime(side.started_at)))
    parts.append(count_of(CASES, side.cases, lang))
    if side.errors:
        parts.append(count_of(ERROR_COUNT, side.errors, lang))
    return parts


def holm_line(comparison: Comparison, lang: Language) -> str:
    """For how many slices their p-values are corrected."""
    tested = [
        part
        for part in (*comparison.tools, *comparison.tags)
        if part.difference.p_value is not None
    ]
    return say(_HOLM, lang, slices=count_of(_SLICE_COUNT, len(tested), lang)) if tested else ""


def slice_heading(part: Slice, lang: Language, *, write: Callable[[str], str] = escape) -> str:
    """What stands above the slices of one kind: by which number they are compared."""
    measure = measure_name(part.difference.measure, lang, write=write)
    return say(_SLICES[part.kind], lang, measure=measure)


def reason_text(reason: ChangeReason, lang: Language) -> str:
    """What is to be known about a case; why there is no answer is in the words of whoever said it."""
    words = say(_REASONS[reason.kind], lang)
    return clip(f"{words}: {escape(reason.text)}", _REASON_WIDTH) if reason.text else words

"""The report of two compared runs: its phrases, and its JSON and Markdown forms."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from time import gmtime, strftime
from typing import TYPE_CHECKING, NamedTuple

from callscore.comparing.comparison import Comparison, SideSummary, comparison_to_dict
from callscore.comparing.sides import case_name
from callscore.core.phrases import Language, Phrase, Plural, count_of, say
from callscore.core.rendering import EMPTY_NAME, clip, escape
from callscore.reports.compare_notes import (
    alarm_notes,
    below_notes,
    comparison_notes,
    has_several_evaluations,
    lost_lists,
)
from callscore.reports.formatting import (
    INTERVAL_TEXT,
    NO_NUMBER,
    RUN_ID,
    Escaper,
    case_counts,
    code,
    html_entities,
    join_blocks,
    note_items,
    table,
)
from callscore.words.turns import tool_label
from callscore.words.value_text import CASES, ERROR_COUNT, decimal, percent, safe_document

if TYPE_CHECKING:
    from callscore.comparing.changes import CaseChange, ChangeKind, ChangeReason, ChangeReasonKind
    from callscore.comparing.differences import Difference, Method, Slice, Verdict
    from callscore.core.statistics import Interval

BEFORE = Phrase("before", "было")
AFTER = Phrase("after", "стало")
CASE = Phrase("case", "случай")
CASE_COUNT = Phrase("cases", "случаев")
MEASURE = Phrase("measure", "показатель")
DIFFERENCE = Phrase("difference", "разница")
INTERVAL = Phrase("95% interval", "95%-й интервал")
P_VALUE = Phrase("p", "p")
VERDICT = Phrase("verdict", "вывод")
TRIALS = Phrase("trials passed", "пройдено попыток")
F1 = Phrase("F1", "F1")
REMARKS = Phrase("notes", "примечания")
MEASURE_LABELS = (BEFORE, AFTER, DIFFERENCE, INTERVAL, P_VALUE)
SLICE_LABELS = (CASE_COUNT, BEFORE, AFTER, DIFFERENCE, P_VALUE, VERDICT)
SLICE_KINDS = {"tool": Phrase("tool", "инструмент"), "tag": Phrase("tag", "тег")}
# A tool is always compared by its own calls.
_SLICES = {
    "tool": Phrase("Tools, by the F1 of their calls", "Инструменты по F1 их вызовов"),
    "tag": Phrase("Tags, by {measure}", "Теги по показателю «{measure}»"),
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
MORE = Phrase("… {count} more; --max-shown shows more", "… ещё {count}; --max-shown покажет больше")

_METHODS: dict[Method, Phrase] = {
    "exact McNemar": Phrase("exact McNemar", "точный критерий Макнемара"),
    "paired bootstrap": Phrase("paired bootstrap", "парный бутстреп"),
    "two-sample z": Phrase("two-sample z-test", "двухвыборочный z-критерий"),
}
_MEASURES = {"passed": Phrase("passed", "пройдено"), "f1": Phrase("F1", "F1")}
_OVER_CASES = Phrase("{measure}, mean over cases", "{measure}, среднее по случаям")
_NOTHING_COMMON = Phrase("the runs have no cases in common", "у прогонов нет общих случаев")
_NO_NUMBERS = Phrase(
    "no case has a value of {measure} in both runs",
    "ни у одного случая нет значения «{measure}» в обоих прогонах",
)
_POINTS = Phrase("{points} points", "{points} п. п.")
_RANGE = Phrase("{low} to {high}", "от {low} до {high}")
_P = Phrase("p {sign} {p}, {method}", "p {sign} {p}, {method}")
_COMPARED = Plural(
    ("case in both", "cases in both"), ("общий случай", "общих случая", "общих случаев")
)
_MEANINGS: dict[Verdict, Phrase] = {
    "improved": Phrase(
        "A difference of this size is unlikely to be chance.", "Такая разница вряд ли случайна."
    ),
    "regressed": Phrase(
        "A difference of this size is unlikely to be chance.", "Такая разница вряд ли случайна."
    ),
    "no evidence": Phrase(
        "A difference of this size can be chance.", "Такая разница может быть случайной."
    ),
    "not enough data": Phrase(
        "Too few cases to tell a difference from chance. Add cases, or trials per case.",
        "Данных слишком мало, чтобы отличить разницу от случайной. Добавьте случаи или попытки.",
    ),
}
_NO_DIFFERENCE = Phrase("The two means are equal.", "Средние равны.")
_DETECTABLE = Phrase(
    "detectable with 80% power: ≥ {points} points",
    "при мощности 80% обнаружима разница ≥ {points} п. п.",
)
_NOT_DETECTABLE = Phrase(
    "no difference is detectable with 80% power", "при мощности 80% никакая разница не обнаружима"
)
_FLIPS: dict[ChangeKind, Phrase] = {
    "broken": Phrase("{count} broken", "сломано {count}"),
    "fixed": Phrase("{count} fixed", "исправлено {count}"),
    "changed": Phrase("{count} changed", "изменилось {count}"),
}
_SAME = Phrase("{count} unchanged", "без изменений {count}")
_PASSED_OF = Phrase("{part} of {whole} passed", "пройдено {part} из {whole}")
_TRIALS_PASSED_OF = Phrase("{part} of {whole} trials passed", "пройдено попыток: {part} из {whole}")
_FAILED = Phrase("{count} failed", "не пройдено {count}")
_COMMIT = Phrase("commit {commit}", "коммит {commit}")
_DIRTY = Phrase(
    "commit {commit} with uncommitted changes", "коммит {commit} с незафиксированными изменениями"
)
_HOLM = Phrase("p with Holm's correction for {slices}", "p с поправкой Холма на {slices}")
_SLICE_COUNT = Plural(("tool or tag", "tools and tags"), ("срез", "среза", "срезов"))
_REASONS: dict[ChangeReasonKind, Phrase] = {
    "forbidden call": Phrase("forbidden call", "запрещённый вызов"),
    "schema error": Phrase("schema error", "ошибка по схеме"),
    "no answer before": Phrase("no answer before", "раньше не было ответа"),
    "no answer": Phrase("no answer", "нет ответа"),
}
_REASON_WIDTH = 160
_COMMIT_WIDTH = 7
_SIGNIFICANCE = 0.05
_SMALLEST_P = 0.001


def share_text(value: float | None, required: float | None = None) -> str:
    """A mean from 0 to 1 in percent, on its side of the required mean; a dash for None."""
    return NO_NUMBER if value is None else percent(value, border=required)


def _means(difference: Difference) -> tuple[str, str]:
    before, after = difference.required
    return share_text(difference.before, before), share_text(difference.after, after)


def points_text(change: float | None) -> str:
    """A difference in percentage points, with its sign: 0.0 only for exactly 0."""
    if change is None:
        return NO_NUMBER
    if not change:
        return "0.0"
    return f"{'+' if change > 0 else '−'}{percent(abs(change))[:-1]}"


def change_interval_text(interval: Interval | None, lang: Language) -> str:
    """The two ends of an interval of a difference, in points."""
    if interval is None:
        return NO_NUMBER
    return say(_RANGE, lang, low=points_text(interval.low), high=points_text(interval.high))


def p_text(p_value: float | None) -> str:
    """A p-value with three decimals; rounding never moves it to the other side of 0.05."""
    if p_value is None:
        return NO_NUMBER
    if p_value < _SMALLEST_P:
        return "< 0.001"
    return decimal(p_value, border=_SIGNIFICANCE)


def measure_name(
    measure: str, lang: Language, *, write: Escaper = escape, over_cases: bool = False
) -> str:
    """What is compared: a translated word, or the name of a scorer.

    `over_cases` says that it is a mean over cases, where the numbers of a run are over all trials.
    """
    name = say(_MEASURES[measure], lang) if measure in _MEASURES else write(measure)
    return say(_OVER_CASES, lang, measure=name) if over_cases else name


def is_over_cases(comparison: Comparison) -> bool:
    """Whether a case has several trials, so that a mean over cases is another than that over trials."""
    return comparison.before.is_repeated or comparison.after.is_repeated


def change_line(comparison: Comparison, lang: Language, *, write: Escaper = escape) -> str:
    """The number before and after, and the difference; or why there is none."""
    main = comparison.main
    if main.change is None:
        return nothing_compared_text(comparison, lang, write=write)
    measure = measure_name(main.measure, lang, write=write, over_cases=is_over_cases(comparison))
    before, after = _means(main)
    return f"{measure} {before} → {after}, {points_with_unit(main.change, lang)}"


def points_with_unit(change: float | None, lang: Language) -> str:
    """A difference in percentage points, with the unit."""
    return say(_POINTS, lang, points=points_text(change))


def nothing_compared_text(
    comparison: Comparison, lang: Language, *, write: Escaper = escape
) -> str:
    """Why nothing was compared: no case is in both runs, or none has a number."""
    if not comparison.in_common and not comparison.is_totals:
        return say(_NOTHING_COMMON, lang)
    return say(_NO_NUMBERS, lang, measure=measure_name(comparison.main.measure, lang, write=write))


def certainty_line(difference: Difference, lang: Language) -> str:
    """The interval, the test and its p-value, and the number of cases."""
    parts = []
    if difference.interval is not None:
        parts.append(
            say(INTERVAL_TEXT, lang, interval=change_interval_text(difference.interval, lang))
        )
    if difference.p_value is not None:
        sign, _, p_value = p_text(difference.p_value).rpartition(" ")
        method = say(_METHODS[difference.method], lang)
        parts.append(say(_P, lang, sign=sign or "=", p=p_value, method=method))
    if difference.method != "two-sample z":  # else each run has its own cases
        parts.append(count_of(_COMPARED, difference.cases, lang))
    return ", ".join(parts)


def meaning_line(difference: Difference, lang: Language) -> str:
    """The verdict in a sentence."""
    if difference.verdict == "no evidence" and not difference.change:
        return say(_NO_DIFFERENCE, lang)
    return say(_MEANINGS[difference.verdict], lang)


def power_line(difference: Difference, lang: Language) -> str:
    """The smallest difference that can be detected; empty if one was."""
    if difference.verdict in {"improved", "regressed"}:
        return ""
    if difference.smallest is None:
        return say(_NOT_DETECTABLE, lang)
    return say(_DETECTABLE, lang, points=points_text(difference.smallest).removeprefix("+"))


def certainty_texts(difference: Difference, lang: Language) -> list[str]:
    """What the verdict means, and how certain it is, a line each; empty if nothing was compared."""
    if difference.change is None:
        return []
    lines = (meaning_line, certainty_line, power_line)
    return [text for line in lines if (text := line(difference, lang))]


def flip_counts(comparison: Comparison, lang: Language) -> list[tuple[str, ChangeKind | None]]:
    """How many cases broke, were fixed or changed, each in a few words; and how many did not."""
    parts: list[tuple[str, ChangeKind | None]] = []
    for kind, phrase in _FLIPS.items():
        count = len(comparison.changed(kind))
        if count:
            parts.append((say(phrase, lang, count=count), kind))
    if comparison.same:
        parts.append((say(_SAME, lang, count=comparison.same), None))
    return parts


def side_parts(side: SideSummary, lang: Language, *, write: Escaper = escape) -> list[str]:
    """A run in a few words each: its label, id, commit, time, cases and outcomes."""
    parts = [write(side.label)]
    if side.run and side.run != side.label:
        parts.append(say(RUN_ID, lang, id=write(side.run)))
    if side.git_commit:
        phrase = _DIRTY if side.git_dirty else _COMMIT
        parts.append(say(phrase, lang, commit=write(side.git_commit[:_COMMIT_WIDTH])))
    if side.started_at is not None:
        parts.append(strftime("%Y-%m-%d %H:%M UTC", gmtime(side.started_at)))
    counts = side.cases, side.variants, side.trials
    parts.append(case_counts(*counts, lang, is_repeated=side.is_repeated))
    return [*parts, *_outcome_parts(side, lang)]


def _outcome_parts(side: SideSummary, lang: Language) -> Iterator[str]:
    """How many trials passed and failed, and how many are errors, as in the report of the run."""
    decided = side.passed + side.failed + side.errors
    if decided:
        phrase = _TRIALS_PASSED_OF if side.is_repeated else _PASSED_OF
        yield say(phrase, lang, part=side.passed, whole=decided)
    if side.failed:
        yield say(_FAILED, lang, count=side.failed)
    if side.errors:
        yield count_of(ERROR_COUNT, side.errors, lang)


def holm_line(comparison: Comparison, lang: Language) -> str:
    """For how many slices the p-values are corrected; empty if none was tested."""
    slices = (*comparison.tools, *comparison.tags)
    tested = sum(part.difference.p_value is not None for part in slices)
    return say(_HOLM, lang, slices=count_of(_SLICE_COUNT, tested, lang)) if tested else ""


def slice_heading(part: Slice, lang: Language, *, write: Escaper = escape) -> str:
    """The heading above the slices of one kind: by which number they are compared."""
    measure = measure_name(part.difference.measure, lang, write=write)
    return say(_SLICES[part.kind], lang, measure=measure)


def reason_text(reason: ChangeReason, lang: Language) -> str:
    """A remark on a case; the reason of a missing answer is quoted."""
    words = say(_REASONS[reason.kind], lang)
    return clip(f"{words}: {escape(reason.text)}", _REASON_WIDTH) if reason.text else words


def measure_cells(difference: Difference, lang: Language) -> list[str]:
    """The cells below `MEASURE_LABELS`."""
    interval = change_interval_text(difference.interval, lang)
    return [*_number_cells(difference), interval, p_text(difference.p_value)]


def slice_cells(difference: Difference, lang: Language) -> list[str]:
    """The cells below `SLICE_LABELS`."""
    verdict = say(VERDICTS[difference.verdict], lang)
    p_value = p_text(difference.p_value)
    return [str(difference.cases), *_number_cells(difference), p_value, verdict]


def _number_cells(difference: Difference) -> list[str]:
    return [*_means(difference), points_text(difference.change)]


# The mark before the name of a case that changed.
MARKS: dict[ChangeKind, str] = {"broken": "-", "fixed": "+", "changed": "~"}
_OTHER_CALLS = Phrase("different calls", "другие вызовы")
_EXPECTATION_CHANGED = Phrase("expected calls changed", "эталон изменился")
_SLICE_NAMES = {
    "tool": Phrase("tool {name}", "инструмент {name}"),
    "tag": Phrase("tag {name}", "тег {name}"),
}


class ChangeRow(NamedTuple):
    """A case that changed, as text for a table.

    Attributes:
        case: its id, not escaped, with the evaluation if there are several.
        trials: how many passed before and after; empty if each was run once.
        f1: the mean F1 before and after; empty if it is the same.
        remarks: other notes, safe to show.
    """

    case: str
    trials: str
    f1: str
    remarks: str


def change_rows(
    changes: Sequence[CaseChange], lang: Language, *, has_evaluation: bool = False
) -> list[ChangeRow]:
    """One row per case, with the name of its evaluation if `has_evaluation`."""
    rows = []
    for change in changes:
        case = case_name(change.evaluation, change.case) if has_evaluation else change.case
        (passed, tried), (passes, tries) = change.before, change.after
        trials = f"{passed}/{tried} → {passes}/{tries}" if max(tried, tries) > 1 else ""
        before, after = change.f1
        f1 = "" if before == after else f"{share_text(before)} → {share_text(after)}"
        rows.append(ChangeRow(case, trials, f1, ", ".join(_change_remarks(change, lang))))
    return rows


def _change_remarks(change: CaseChange, lang: Language) -> list[str]:
    """What is to know about a case that changed, beside its numbers."""
    remarks = [reason_text(reason, lang) for reason in change.reasons]
    if change.before == change.after and change.f1[0] == change.f1[1]:
        remarks.append(say(_OTHER_CALLS, lang))
    if change.is_expectation_changed:
        remarks.append(say(_EXPECTATION_CHANGED, lang))
    return remarks


def change_sentences(change: CaseChange, lang: Language) -> list[str]:
    """What changed in a case: the numbers, with their names, and the remarks, each by itself."""
    [row] = change_rows([change], lang)
    numbers = ((TRIALS, row.trials), (F1, row.f1))
    named = [f"{say(label, lang)}: {text}" for label, text in numbers if text]
    return [*named, *_change_remarks(change, lang)]


def changed_slices(comparison: Comparison) -> list[Slice]:
    """The slices in which cases changed, the smallest p-value first."""

    def certainty(part: Slice) -> tuple[float, float]:
        p_value, change = part.difference.p_value, part.difference.change
        return (2.0 if p_value is None else p_value), -abs(change or 0.0)

    slices = (*comparison.tools, *comparison.tags)
    moved = [part for part in slices if part.difference.up or part.difference.down]
    return sorted(moved, key=certainty)


def slices_by_kind(slices: Sequence[Slice]) -> list[list[Slice]]:
    """Tools, and then tags, since they are compared by different numbers."""
    groups = [[part for part in slices if part.kind == kind] for kind in SLICE_KINDS]
    return [group for group in groups if group]


def slice_name(part: Slice, lang: Language) -> str:
    """The tool or the tag of a slice."""
    return say(_SLICE_NAMES[part.kind], lang, name=short_slice_name(part, lang))


def short_slice_name(part: Slice, lang: Language) -> str:
    """The name of a tool or a tag; the end state is among the tools."""
    name = tool_label(part.name, lang) if part.kind == "tool" else part.name
    return escape(name) or EMPTY_NAME


def write_json(
    comparison: Comparison, *, max_shown: int | None = None, lang: Language = "en"
) -> str:
    """An indented document with all cases, also beyond `max_shown`; its keys are always English."""
    del max_shown
    return safe_document(comparison_to_dict(comparison, lang=lang))


DEFAULT_MAX_SHOWN = 10


def write_markdown(
    comparison: Comparison, *, max_shown: int = DEFAULT_MAX_SHOWN, lang: Language = "en"
) -> str:
    """The verdict, the notes, and the tables; names from the data stay plain text.

    At most `max_shown` cases of each kind of change are shown, and as many tools and tags.
    """
    verdict = say(VERDICTS[comparison.main.verdict], lang).capitalize()
    grave = [*alarm_notes(comparison, lang), *below_notes(comparison, lang, write=code)]
    others = comparison_notes(comparison, lang, write=code)
    blocks = [
        f"## {verdict}: {change_line(comparison, lang, write=code)}",
        *fact_blocks(comparison, lang),
        "\n".join(filter(None, [note_items(grave), note_items(others, is_bold=False)])),
        *_measure_blocks(comparison, lang),
        *lost_blocks(comparison, max_shown, lang),
        *change_blocks(comparison, max_shown, lang),
        *slice_blocks(comparison, changed_slices(comparison), max_shown, lang),
    ]
    return join_blocks(blocks)


def fact_blocks(comparison: Comparison, lang: Language) -> Iterator[str]:
    """How certain the verdict is, how many cases changed, and the two runs."""
    main = comparison.main
    lines = certainty_texts(main, lang)
    flips = ", ".join(words for words, _ in flip_counts(comparison, lang))
    yield "  \n".join([*lines, *([flips] if flips else [])])
    sides = ((BEFORE, comparison.before), (AFTER, comparison.after))
    yield "  \n".join(
        f"{say(label, lang)}: {', '.join(side_parts(side, lang, write=code))}"
        for label, side in sides
    )


def _measure_blocks(comparison: Comparison, lang: Language) -> Iterator[str]:
    """The table of all measures; nothing if there is only the one that decides."""
    if comparison.others:
        measures = (comparison.main, *comparison.others)
        over_cases = is_over_cases(comparison)
        names = [
            measure_name(each.measure, lang, write=code, over_cases=over_cases) for each in measures
        ]
        rows = [measure_cells(each, lang) for each in measures]
        yield _cells_table((MEASURE, *MEASURE_LABELS), names, rows, lang)


def _cells_table(
    labels: Iterable[Phrase], names: Iterable[str], rows: Iterable[list[str]], lang: Language
) -> str:
    cells = [
        (name, *[cell.replace("<", "&lt;") for cell in row])
        for name, row in zip(names, rows, strict=True)
    ]
    return table([say(label, lang) for label in labels], cells)


def change_blocks(comparison: Comparison, max_shown: int, lang: Language) -> Iterator[str]:
    """The cases that changed, one table per kind of change."""
    for kind in MARKS:
        changes = comparison.changed(kind)
        if changes and max_shown:
            cases = count_of(CASES, len(changes), lang)
            yield f"### {say(CHANGES[kind], lang, cases=cases)}"
            is_named = has_several_evaluations(comparison)
            yield _changes_table(
                change_rows(changes[:max_shown], lang, has_evaluation=is_named), lang
            )
            if len(changes) > max_shown:
                yield say(MORE, lang, count=len(changes) - max_shown)


def lost_blocks(comparison: Comparison, max_shown: int, lang: Language) -> Iterator[str]:
    """The cases that are missing, and those that were removed on purpose, with the reasons."""
    for title, rows in lost_lists(comparison, lang) if max_shown else ():
        yield f"### {title}"
        lines = [code(name) + (f": {html_entities(why)}" if why else "") for name, why in rows]
        shown = "\n".join(f"- {line}" for line in lines[:max_shown])
        yield shown
        if len(rows) > max_shown:
            yield say(MORE, lang, count=len(rows) - max_shown)


def _changes_table(changes: Sequence[ChangeRow], lang: Language) -> str:
    """A table without the columns that are empty."""
    rows = [(code(row.case), row.trials, row.f1, html_entities(row.remarks)) for row in changes]
    labels = [say(label, lang) for label in (CASE, TRIALS, F1, REMARKS)]
    filled = [column for column in zip(labels, *rows, strict=True) if any(column[1:])]
    shown, *cells = zip(*filled, strict=True)
    return table(shown, cells)


def slice_blocks(
    comparison: Comparison, slices: Sequence[Slice], max_shown: int, lang: Language
) -> Iterator[str]:
    """The tools, and then the tags, in one table each."""
    groups = slices_by_kind(slices) if max_shown else []
    for group in groups:
        yield f"### {slice_heading(group[0], lang, write=code)}"
        names = [
            code(tool_label(part.name, lang)) if part.kind == "tool" else code(part.name)
            for part in group[:max_shown]
        ]
        rows = [slice_cells(part.difference, lang) for part in group[:max_shown]]
        yield _cells_table((SLICE_KINDS[group[0].kind], *SLICE_LABELS), names, rows, lang)
        if len(group) > max_shown:
            yield say(MORE, lang, count=len(group) - max_shown)
    if groups:
        yield holm_line(comparison, lang)

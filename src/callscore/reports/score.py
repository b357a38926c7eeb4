"""The words of the report of scored cases, in all its formats."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, NamedTuple

from callscore.core.phrases import Language, Phrase, Plural, count_of, say
from callscore.core.rendering import clip_middle, escape
from callscore.core.results import OWN_FORMAT, InputFiles, Noted, Result, Results, ScorerResult
from callscore.core.score import Score, has_no_counted_calls
from callscore.core.settings import DEFAULT
from callscore.reports.formatting import (
    INTERVAL_TEXT,
    LONG_NAME_WIDTH,
    NO_NUMBER,
    SKIPPED_NOTE,
    UNREAD_NOTE,
    Escaper,
    first_names,
    first_reasons,
    forbidden_line,
    number_text,
    scored_noun,
    turn_notes,
    uncounted_line,
    unread_places,
)
from callscore.words.diff import NOTHING_COUNTS
from callscore.words.reasons import fault_kind_name
from callscore.words.turns import tool_label
from callscore.words.value_text import (
    CASES,
    MORE,
    NOT_SCORED,
    TRACES,
    assumed_notes,
    call_counts,
    confused_tools,
    decimal,
    has_meaningful_precision,
    percent,
    rating_meaning,
    shown_rating,
    worst_arguments,
    worst_faults,
    worst_tools,
)
from callscore.words.value_text import TRIALS as TRIAL_COUNT

if TYPE_CHECKING:
    from callscore.core.statistics import Interval
    from callscore.core.summary import Summary

HEADLINE = Phrase("Macro F1 {score}", "Macro F1 {score}")
# Whether a case passed, and the colour of the word.
OUTCOMES = {
    True: (Phrase("passed", "пройден"), "green"),
    False: (Phrase("failed", "не пройден"), "red"),
}
RATES = Phrase("precision {precision}, recall {recall}", "precision {precision}, recall {recall}")
RECALL_ALONE = Phrase("recall {recall}", "recall {recall}")
NOTHING_SCORED = Phrase("No case was scored.", "Ни один случай не оценён.")

# The first is for cases, the second for trials.
MACRO = (
    Phrase("macro, mean over cases", "macro, среднее по случаям"),
    Phrase("macro, mean over trials", "macro, среднее по попыткам"),
)
MICRO = Phrase("micro, calls pooled", "micro, все вызовы вместе")
# The first of each is for cases, the second for trials.
PASSED = (
    Phrase("cases passed", "пройдено случаев"),
    Phrase("trials passed", "пройдено попыток"),
)
EXACT = (
    Phrase("cases exact", "случаев совпало точно"),
    Phrase("trials exact", "попыток совпало точно"),
)
PART_OF_WHOLE = Phrase("{part} of {whole}", "{part} из {whole}")
CALLS = Phrase("calls", "вызовы")
CALL_TOTALS = Phrase(
    "{expected} expected, {actual} actual", "ожидалось {expected}, фактически {actual}"
)
FREE_CALLS = Phrase(", {free} free", ", без штрафа {free}")
CALL_COUNTS = Phrase(
    "{correct} correct, {incorrect} incorrect, {missed} missed, {extra} extra",
    "верно {correct}, неверно {incorrect}, пропущено {missed}, лишних {extra}",
)

TOOLS = Phrase("Tools", "Инструменты")
TOOL = Phrase("tool", "инструмент")
EXPECTED = Phrase("expected", "ожидалось")
CORRECT = Phrase("correct", "верно")
INCORRECT = Phrase("incorrect", "неверно")
MISSED = Phrase("missed", "пропущено")
EXTRA = Phrase("extra", "лишних")
FORBIDDEN = Phrase("forbidden", "запрещённых")
UNKNOWN_ARGUMENTS = Phrase("unknown arguments", "неизвестные аргументы")
CONFUSED_TOOLS = Phrase(
    "Missed calls, and the extra calls made in the same cases",
    "Пропущенные вызовы и лишние вызовы в тех же случаях",
)
CALLED = Phrase("called instead", "вместо него")
WRONG_ARGUMENTS = Phrase("Arguments most often wrong", "Аргументы с самыми частыми ошибками")
ARGUMENT = Phrase("argument", "аргумент")
TIMES = Phrase("times", "раз")
CHECKS = Phrase("Schema checks", "Проверки по схемам")
CHECK_HINT = Phrase("details: {command}", "подробности: {command}")
VALID_CALLS = Phrase("calls valid under their schemas", "соответствуют схеме")
FAILURE = Phrase("fault", "ошибка")
TRIALS = Phrase("Repeated trials", "Повторные попытки")
# The formats of the input: `read golden.jsonl as cases, run.json as anthropic`.
READ = Phrase("read {inputs}", "прочитано: {inputs}")
READ_AS = Phrase("{files} as {formats}", "{files} как {formats}")
FORMAT_WITH = Phrase("{first} with {others}", "{first} с {others}")
_PLUS = " + "
FILES = Plural(("file", "files"), ("файл", "файла", "файлов"))
_INPUTS_SHOWN = 6
MORE_CASES = Phrase(
    "… {cases} not shown; --max-shown shows more",
    "… не показано: {cases}; --max-shown покажет больше",
)


_NOT_SCORED = Phrase("{count} not scored: {reason}", "не оценено, {reason}: {count}")
# A counted noun and a sentence for each other field of the results.
_NOTES = {
    "not_run": (
        CASES,
        Phrase(
            "{count} without an answer: not passed, and 0 in the macro means",
            "нет ответа: {count}; не пройдено, в средних (macro) — 0",
        ),
    ),
    "without_reference": (
        TRACES,
        Phrase("{count} not scored: no reference", "не оценено, нет эталона: {count}"),
    ),
    "repeated": (
        CASES,
        Phrase(
            "{count} with a repeated id and trial, also scored",
            "повторяются id и попытка: {count}, учтено в оценке",
        ),
    ),
    "skipped": SKIPPED_NOTE,
    "unread": UNREAD_NOTE,
}
_INCOMPLETE = Phrase(
    "Incomplete: stopped at {count} that cannot be read; the rest of the input is not in this report",
    "Отчёт неполный: чтение остановлено, не удалось прочитать: {count}; остальных данных в отчёте нет",
)
# The same for a single case or record.
SKIPPED = Phrase("skipped: unreadable", "не удалось прочитать")
STOPPED = Phrase(
    "stopped here: the rest of the input is not in this report",
    "остановлено здесь: остальных данных в отчёте нет",
)
NOT_RUN = Phrase("no answer", "нет ответа")


def incomplete_lines(results: Results, lang: Language) -> list[tuple[str, str]]:
    """That the input was not read to its end, and where it stopped: the first line of a report."""
    stopped = results.stopped
    if not stopped.count:
        return []
    count = count_of(SKIPPED_NOTE[0], stopped.count, lang)
    names = first_names(stopped.names, stopped.count, lang, width=LONG_NAME_WIDTH)
    return [(say(_INCOMPLETE, lang, count=count), names)]


def note_lines(
    results: Results, lang: Language, *, has_uncounted: bool = True, has_turns: bool = True
) -> list[tuple[str, str]]:
    """Forbidden calls, and cases not scored, not run, repeated or skipped: sentences, and names."""
    forbidden = forbidden_line(results.summary, lang)
    lines: list[tuple[str, str]] = [] if forbidden is None else [forbidden]
    uncounted = uncounted_line(results.summary, lang)
    if has_uncounted:
        lines += [(uncounted, "")] if uncounted else []
        lines += [(text, "") for text in assumed_notes(results.summary.assumed_writes, lang)]
    lines += turn_notes(results.summary, lang) if has_turns else []
    lines += not_scored_lines(results, lang)
    for field, (nouns, sentence) in _NOTES.items():
        noted: Noted = getattr(results, field)
        if noted.count:
            count = count_of(nouns, noted.count, lang)
            names = first_names(noted.names, noted.count, lang, width=LONG_NAME_WIDTH)
            if field == "unread":
                names = unread_places(noted, lang)
            lines.append((say(sentence, lang, count=count), names))
    return lines


def not_scored_lines(
    results: Results, lang: Language, *, nouns: Plural = CASES
) -> list[tuple[str, str]]:
    """How many cases are not scored because nothing says what is expected, and their names."""
    noted = results.not_scored
    if not noted.count:
        return []
    count = count_of(nouns, noted.count, lang)
    unique = tuple(dict.fromkeys(noted.names))  # of trials, which have the name of their case
    different = noted.count - len(noted.names) + len(unique)
    names = first_names(unique, different, lang, width=LONG_NAME_WIDTH)
    return [(say(_NOT_SCORED, lang, count=count, reason=say(NOT_SCORED, lang)), names)]


def counts_text(summary: Summary, lang: Language) -> str:
    """How many cases there are, and how many trials if a case has several: `50 cases, 200 trials`."""
    counted = [count_of(CASES, summary.distinct_cases, lang)]
    if summary.has_repeated_trials:
        counted.append(count_of(TRIAL_COUNT, summary.cases, lang))
    return ", ".join(counted)


def inputs_text(results: Results, lang: Language, *, write: Escaper = escape) -> str:
    """The format of each file of the input; empty if the cases are not from files."""
    if not results.inputs:
        return ""
    shown = [
        say(
            READ_AS,
            lang,
            files=_files_text(each.files, lang, write),
            formats=format_text(each, lang),
        )
        for each in results.inputs[:_INPUTS_SHOWN]
    ]
    shown += more_items(len(results.inputs) - len(shown), lang)
    return say(READ, lang, inputs=", ".join(shown))


def _files_text(files: Noted, lang: Language, write: Escaper) -> str:
    if files.count > 1:
        return count_of(FILES, files.count, lang)
    return write(clip_middle(escape(files.names[0]), LONG_NAME_WIDTH))


def format_text(files: InputFiles, lang: Language) -> str:
    """The formats of some files: `openai_chat`, `cases with openai_chat + gemini`."""
    first, *others = files.formats
    if not others:
        return first
    if first != OWN_FORMAT:
        return _PLUS.join(files.formats)
    return say(FORMAT_WITH, lang, first=first, others=_PLUS.join(others))


def not_shown_text(results: Results, lang: Language) -> str:
    """How many cases, or trials, are not shown."""
    cases = count_of(scored_noun(results.summary), results.not_shown, lang)
    return say(MORE_CASES, lang, cases=cases)


def meaning_text(f1: float, lang: Language, **known: bool) -> str:
    """What the rating of a score means, as a sentence; empty if it would praise what failed."""
    meaning = rating_meaning(f1, **known, lang=lang)
    return f"{meaning[0].upper()}{meaning[1:]}." if meaning else ""


def is_below(results: Results) -> bool:
    """Whether the results do not reach the required mean, or have forbidden or missing calls."""
    f1, summary = results.summary.macro_f1, results.summary
    if results.fail_under is None:
        return False
    return (f1 or 0.0) < results.fail_under or bool(summary.forbidden_cases or summary.unanswered)


def summary_meaning(results: Results, lang: Language, *, is_failed: bool) -> str:
    """What the rating of the mean means, as a sentence; empty if it would praise what failed."""
    summary, f1 = results.summary, results.summary.macro_f1 or 0.0
    if summary.uncounted_cases == summary.scored:
        return say(NOTHING_COUNTS, lang)
    is_exact = summary.exact == summary.cases
    return meaning_text(
        f1, lang, has_extra=summary.extra > 0, is_exact=is_exact, is_failed=is_failed
    )


def score_parts(score: Score, lang: Language) -> tuple[str, str]:
    """The score of a case with its rating, and its precision and recall; no numbers if no call counts.

    Precision is left out if it says nothing.
    """
    word = shown_rating(score, is_failed=not score.passed, lang=lang)
    if has_no_counted_calls(score):
        return word, ""
    f1 = percent(score.f1, border=score.settings.pass_mark)
    rates = {name: percent(getattr(score, name)) for name in ("precision", "recall")}
    phrase = RATES if has_meaningful_precision(score.settings) else RECALL_ALONE
    return f"{f1} {word}".rstrip(), say(phrase, lang, **rates)


def single_case(results: Results) -> Result | None:
    """The only case that was scored; None if there are several, or none."""
    if results.summary.cases != 1:
        return None
    return results.only or next(iter(results.cases), None)


def interval_text(interval: Interval) -> str:
    """The two ends of an interval in percent."""
    return f"{percent(interval.low)} – {percent(interval.high)}"


def count_text(part: int, whole: int, lang: Language) -> str:
    """A part of a whole that is not 0, in numbers and in percent."""
    return f"{say(PART_OF_WHOLE, lang, part=part, whole=whole)}, {percent(part / whole)}"


def count_shown_faults(results: Results) -> int:
    """How many faults the cases have that are shown."""
    return sum(len(case.required_score.faults or ()) for case in results.cases)


def check_hint(
    results: Results, shown: int, lang: Language, *, write: Escaper = escape
) -> str | None:
    """How to find faults in cases that are not shown; None if all are in the `shown` ones."""
    if sum(results.summary.faults.values()) <= shown:
        return None
    return say(CHECK_HINT, lang, command=write("callscore check"))


def rate_rows(results: Results, lang: Language) -> list[list[str]]:
    """The rows of the table of rates: a label, F1, precision and recall; a dash if it says nothing."""
    summary = results.summary
    macro = (summary.macro_f1, summary.macro_precision, summary.macro_recall)
    micro = (summary.micro_f1, summary.micro_precision, summary.micro_recall)
    rows = []
    for label, found in ((MACRO[summary.has_repeated_trials], macro), (MICRO, micro)):
        rates = [percent(rate, border=results.fail_under) for rate in found if rate is not None]
        if rates and not has_meaningful_precision(results.settings):
            rates[1] = NO_NUMBER
        rows.append([say(label, lang), *rates])
    return rows


def total_texts(summary: Summary, lang: Language) -> tuple[str, str, str, str, str]:
    """How many cases passed and are exact, its interval; the calls of both sides, and the counts."""
    interval = say(INTERVAL_TEXT, lang, interval=interval_text(summary.exact_interval))
    passed = count_text(summary.passed, summary.cases, lang)
    exact = count_text(summary.exact, summary.cases, lang)
    calls = say(CALL_TOTALS, lang, expected=summary.total_expected, actual=summary.total_actual)
    if summary.free:
        calls += say(FREE_CALLS, lang, free=summary.free)
    kinds = ("correct", "incorrect", "missed", "extra")
    counts = say(CALL_COUNTS, lang, **{kind: getattr(summary, kind) for kind in kinds})
    return passed, exact, interval, calls, counts


METRICS = Phrase("Metrics of other tools", "Метрики других фреймворков")
METRIC = Phrase("metric", "метрика")
MEAN = Phrase("mean", "среднее")
SCORED = Phrase("scored", "оценено")
NOT_SCORABLE = Phrase("not scorable", "без оценки")
_OWN_SCORE = Phrase("callscore, macro F1", "callscore, macro F1")
_OWN_SCORE_WITH_SETTINGS = Phrase(
    "callscore, macro F1, settings as above", "callscore, macro F1, настройки как выше"
)
_NOT_SCORABLE_CASES = Phrase("{metrics}: {cases} not scorable", "{metrics}: {cases} без оценки")
_OTHERS_GET_ALL_CALLS = Phrase(
    "The settings apply only to the first row. The other metrics get all calls as they were read.",
    "Настройки относятся только к первой строке. Остальные метрики получают все вызовы как есть.",
)
_OTHERS_GET_FIRST_ANSWER = Phrase(
    "The settings apply only to the first row. The other metrics get all calls of the first answer,"
    " as they were read.",
    "Настройки относятся только к первой строке. Остальные метрики получают все вызовы первого"
    " ответа как есть.",
)
METRIC_LABELS = (MEAN, SCORED, NOT_SCORABLE)
_METRICS_SHOWN = 4
_REASONS_SHOWN = 2
_REASON_WIDTH = 160


class MetricRow(NamedTuple):
    """A metric, its mean as text, and the numbers below the other `METRIC_LABELS`."""

    name: str
    mean: str
    scored: int
    not_scorable: int


def metric_rows(results: Results, lang: Language) -> list[MetricRow]:
    """Callscore's own mean, and one row per metric; empty if no metric was requested."""
    if not results.metrics:
        return []
    summary = results.summary
    # The metric `callscore.f1` is the score under the default settings.
    name = say(_OWN_SCORE if results.settings == DEFAULT else _OWN_SCORE_WITH_SETTINGS, lang)
    own = MetricRow(name, number_text(summary.macro_f1), summary.cases, 0)
    others = [
        MetricRow(metric.name, number_text(metric.mean), metric.scored, metric.not_scorable.count)
        for metric in results.metrics
    ]
    return [own, *others]


def not_scorable_notes(
    metrics: Sequence[ScorerResult],
    lang: Language,
    *,
    write: Escaper = escape,
    noun: Plural = CASES,
) -> list[tuple[str, str]]:
    """The metrics that have no number for some cases: for how many, and the first reasons.

    `noun` is what is counted, cases or trials.
    """
    alike: dict[Noted, list[str]] = {}  # tools often refuse the same cases
    for metric in metrics:
        if metric.not_scorable.count:
            alike.setdefault(metric.not_scorable, []).append(write(metric.name))
    notes = []
    for why, names in alike.items():
        shown = [*names[:_METRICS_SHOWN], *more_items(len(names) - _METRICS_SHOWN, lang)]
        cases = count_of(noun, why.count, lang)
        sentence = say(_NOT_SCORABLE_CASES, lang, metrics=", ".join(shown), cases=cases)
        more = more_items(len(why.names) - _REASONS_SHOWN, lang)
        notes.append((sentence, "; ".join([first_reasons(why.names, _REASON_WIDTH), *more])))
    return notes


def more_items(count: int, lang: Language) -> list[str]:
    """How many further items there are; nothing without any."""
    return [say(MORE, lang, count=count)] if count > 0 else []


def settings_note(results: Results, lang: Language) -> str:
    """That the settings apply to callscore alone; empty if they are the defaults."""
    if not results.metrics or results.settings == DEFAULT:
        return ""
    return say(
        _OTHERS_GET_FIRST_ANSWER if results.settings.top_k > 1 else _OTHERS_GET_ALL_CALLS, lang
    )


# The columns that the table of tools always has; optional ones follow.
FIXED_TOOL_COLUMNS = 5


class NumberColumn(NamedTuple):
    """A column of counts, and the colour of those that are not 0."""

    label: Phrase
    colour: str
    counts: list[int]


class Ranking(NamedTuple):
    """A table of what went wrong, worst first: columns of names, then columns of counts."""

    heading: Phrase
    labels: tuple[Phrase, ...]
    names: list[tuple[str, ...]]
    columns: list[NumberColumn]
    most: int


def rankings(summary: Summary, lang: Language) -> list[Ranking]:
    """The tools, the tools that were confused, and the wrong arguments.

    Forbidden calls and unknown arguments have a column only if there are any.
    """
    ranked = worst_tools(summary)
    tools = [(tool_label(tool, lang),) for tool, _ in ranked]
    counts = [found for _, found in ranked]
    unknown = [summary.unknown_arguments(tool) or 0 for tool, _ in ranked]
    columns = [
        NumberColumn(EXPECTED, "", [found.expected for found in counts]),
        NumberColumn(CORRECT, "green", [found.correct for found in counts]),
        NumberColumn(INCORRECT, "yellow", [found.incorrect for found in counts]),
        NumberColumn(MISSED, "red", [found.missed for found in counts]),
        NumberColumn(EXTRA, "magenta", [found.extra for found in counts]),
        NumberColumn(FORBIDDEN, "bold red", [found.forbidden for found in counts]),
        NumberColumn(UNKNOWN_ARGUMENTS, "yellow", unknown),
    ]
    optional = [column for column in columns[FIXED_TOOL_COLUMNS:] if any(column.counts)]
    confusions = [
        (tool_label(expected, lang), tool_label(called, lang), count)
        for expected, called, count in confused_tools(summary)
        if expected is not None and called is not None
    ]
    arguments = [
        (tool_label(tool, lang), argument, count)
        for tool, argument, count in worst_arguments(summary)
    ]
    return [
        Ranking(TOOLS, (TOOL,), [*tools], [*columns[:FIXED_TOOL_COLUMNS], *optional], 15),
        _ranking_by_times(CONFUSED_TOOLS, (EXPECTED, CALLED), confusions, 10),
        _ranking_by_times(WRONG_ARGUMENTS, (TOOL, ARGUMENT), arguments, 10),
    ]


def fault_ranking(summary: Summary, lang: Language) -> Ranking:
    """The faults by tool and kind."""
    faults = [
        (tool, fault_kind_name(kind, lang=lang), count)
        for tool, kind, count in worst_faults(summary)
    ]
    return _ranking_by_times(CHECKS, (TOOL, FAILURE), faults, 15)


def _ranking_by_times(
    heading: Phrase, labels: tuple[Phrase, ...], rows: list[tuple[str, str, int]], most: int
) -> Ranking:
    times = NumberColumn(TIMES, "", [count for _, _, count in rows])
    return Ranking(heading, labels, [(first, second) for first, second, _ in rows], [times], most)


MOST_TRIAL_COLUMNS = 8
_FEWEST_TRIAL_COLUMNS = 2


def rate_table(
    at_k: Sequence[float], hat_k: Sequence[float], *, most: int = MOST_TRIAL_COLUMNS
) -> tuple[list[str], list[tuple[str, ...]]]:
    """The headers and rows of pass@k and pass^k for as many k as fit; empty without trials."""
    shown = shown_trials(len(at_k), most=most)
    if not shown:
        return [], []
    rows = [
        (name, *[decimal(values[k - 1]) for k in shown])
        for name, values in (("pass@k", at_k), ("pass^k", hat_k))
    ]
    return [f"k={k}" for k in shown], rows


def shown_trials(trials: int, *, most: int = MOST_TRIAL_COLUMNS) -> list[int]:
    """Which k to show: all, or the first ones, then twice as many each time, and the last."""
    most = max(most, _FEWEST_TRIAL_COLUMNS)
    if trials <= most:
        return list(range(1, trials + 1))
    factor, shown = 1, set(range(1, trials + 1))
    while len(shown) > most:
        factor += 1  # with very many trials, doubling is too slow
        shown, power = {trials}, 1
        while power < trials:
            shown.add(power)
            power *= factor
    others = [k for k in range(1, most + 1) if k not in shown]
    return sorted(shown.union(others[: most - len(shown)]))


def single_meaning(case: Result, lang: Language) -> list[str]:
    """What the rating of a case means, and the counts of its calls; empty if no call counts."""
    score = case.required_score
    if has_no_counted_calls(score):  # the line below says so
        return []
    meaning = meaning_text(
        score.f1,
        lang,
        has_extra=bool(score.extra),
        is_exact=score.is_exact,
        is_failed=not score.passed,
    )
    counts = say(CALL_COUNTS, lang, **call_counts(score))
    return [meaning, counts] if meaning else [counts]


def single_notes(results: Results, lang: Language) -> list[tuple[str, str]]:
    """The notes about a single case; its calls already say which of them count."""
    return note_lines(results, lang, has_uncounted=False, has_turns=False)

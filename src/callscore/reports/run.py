"""The report of a run: its phrases, and its JSON and Markdown forms."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from itertools import compress, groupby
from typing import NamedTuple

from callscore.core.phrases import Language, Phrase, Plural, count_of, say
from callscore.core.rendering import clip_middle, display_width, escape
from callscore.core.results import (
    CaseTrials,
    EvaluationResults,
    Failure,
    FailureKind,
    Noted,
    Result,
    RunResults,
    ScorerResult,
    Usage,
)
from callscore.core.statistics import mean_of
from callscore.core.summary import pass_rates
from callscore.reports.formatting import (
    NO_NUMBER,
    RUN_ID,
    Escaper,
    case_counts,
    code,
    code_title,
    details,
    duration,
    fenced,
    first_names,
    first_reasons,
    forbidden_line,
    grouped_number,
    html_entities,
    join_blocks,
    limit_text,
    note_items,
    number_text,
    same_count,
    settings_text,
    table,
    turn_notes,
    uncounted_line,
    unread_places,
    value_blocks,
)
from callscore.reports.score import MEAN, MOST_TRIAL_COLUMNS, TRIALS, not_scored_lines, rate_table
from callscore.words.diff import calls_text
from callscore.words.turns import first_wrong_text
from callscore.words.value_text import (
    CASES,
    ERROR_COUNT,
    MORE,
    NOT_SCORED_REASON,
    assumed_notes,
    call_text,
    lacks_expected_calls,
)
from callscore.words.value_text import TRIALS as TRIAL_COUNT

SCORER = Phrase("scorer", "метрика")
CASE = Phrase("case", "случай")
SCORE = Phrase("score", "оценка")
TIME = Phrase("time", "время")
VARIANT = Phrase("variant", "вариант")
PASSED = Phrase("passed", "пройдено")
TRIALS_PASSED = Phrase("{part}/{whole} passed", "пройдено {part}/{whole}")
REQUIRED = Phrase("required", "требуется")
ERRORS = Phrase("errors", "ошибки")
MEDIAN = Phrase("median", "медиана")
TOKENS = Phrase("tokens", "токены")

# The outcome of a case by whether it passes, and the style it is shown in.
OUTCOMES = {
    True: (Phrase("passed", "пройден"), "green"),
    False: (Phrase("failed", "не пройден"), "red"),
    None: (Phrase("no score", "без оценки"), "dim"),
}
# The mark of a case in the list of all cases.
MARKS = {True: ("✓", "green"), False: ("✗", "red"), None: ("·", "dim")}
_ERROR_MARK = ("!", "red")
_ERROR = Phrase("error", "ошибка")
LEFT_OUT = Phrase("skipped", "исключён")
UNLOADED = Phrase("cannot be used", "не удалось использовать")
NOTHING_RUN = Phrase("No case was run.", "Ни один случай не запущен.")
NO_CALLS = Phrase("No calls.", "Вызовов нет.")
# Why there is no answer, or no score: an error, not a failure.
FAILURE_KINDS: dict[FailureKind, Phrase] = {
    "raised": Phrase("error: raised", "ошибка: исключение"),
    "timeout": Phrase("error: timeout", "ошибка: истекло время"),
    "exited": Phrase("error: exited", "ошибка: завершение процесса"),
    "unreadable": Phrase("error: unreadable", "ошибка: ответ не прочитан"),
    "refused": Phrase("error: refused", "ошибка: ответ не принят"),
    "missing": Phrase("error: missing", "ошибка: ответа нет"),
    "unscored": Phrase("error: not scored", "ошибка: не оценён"),
}
ATTEMPTS = Plural(("attempt", "attempts"), ("запуск", "запуска", "запусков"))
MORE_CASES = Phrase(
    "… {cases} not shown; --max-shown shows more",
    "… не показано: {cases}; --max-shown покажет больше",
)
MORE_ERRORS = Phrase("… {errors} more", "… ещё {errors}")

REQUESTS = Plural(("request", "requests"), ("запрос", "запроса", "запросов"))
_VALUES = Plural(("value", "values"), ("значение", "значения", "значений"))
_ALL_PASSED = Phrase("All {count} passed", "Все {count} пройдены")
_PASSED = Phrase("{count} passed", "пройдено {count}")
_SOME_PASSED = Phrase("{part} of {whole} passed", "пройдено {part} из {whole}")
_ALL_TRIALS_PASSED = Phrase("All {count} trials passed", "Все попытки ({count}) пройдены")
_TRIALS_PASSED = Phrase("{count} trials passed", "пройдено попыток: {count}")
_SOME_TRIALS_PASSED = Phrase(
    "{part} of {whole} trials passed", "пройдено попыток: {part} из {whole}"
)
_NONE_ANSWERED = Phrase("No answers", "Ответов нет")
_NONE_SCORED = Phrase("No scores", "Оценок нет")
_FAILED = Phrase("{count} failed", "не пройдено {count}")
_UNDECIDED = Phrase("{count} without a score", "без оценки {count}")
_SKIPPED = Phrase("{count} skipped", "исключено {count}")
INTERRUPTED = Phrase("interrupted: {count} not run", "прервано: не запущено {count}")
STOPPED = Phrase(
    "stopped after the first failure: {count} not run",
    "остановлено после первой неудачи: не запущено {count}",
)
_BROKEN_OFF = Phrase("interrupted", "прервано")
_REUSED = Phrase("({count} reused)", "(из истории {count})")
_DURATION = Phrase("in {time}", "за {time}")
_MEDIAN = Phrase("median {time}", "медиана {time}")
_TOKENS = Phrase("{read} tokens in, {written} out", "токены: {read} на входе, {written} на выходе")
_JUDGED = Phrase("judge {model}: {values}, {requests}", "судья {model}: {values}, {requests}")


def subtitle(group: Sequence[EvaluationResults], lang: Language, *, write: Escaper = escape) -> str:
    """How many cases an evaluation has, how their calls were compared, and how long they took."""
    first = group[0]
    parts = [_counts_text([group], lang), settings_text(first.results.settings, lang, write=write)]
    if first.seconds is not None and first.variant is None:  # the table of variants has a column
        parts.append(say(_MEDIAN, lang, time=duration(first.seconds, lang)))
    return ", ".join(parts)


def _is_repeated(evaluations: Iterable[EvaluationResults]) -> bool:
    """Whether a case has several trials; one per variant is not several."""
    return any(each.questions > each.cases for each in evaluations)


def _counts_text(groups: Sequence[Sequence[EvaluationResults]], lang: Language) -> str:
    evaluations = [each for group in groups for each in group]
    return case_counts(
        sum(max(each.cases for each in group) for group in groups),
        same_count(map(len, groups)),
        sum(each.questions for each in evaluations),
        lang,
        is_repeated=_is_repeated(evaluations),
    )


def verdict_parts(run: RunResults, lang: Language) -> list[tuple[str, str]]:
    """The totals in a few words each, and whether these are `good`, `bad` or neither."""
    each = run.evaluations
    answered, passed = sum(it.answered for it in each), sum(it.passed for it in each)
    undecided, skipped = sum(it.undecided for it in each), sum(it.skipped.count for it in each)
    failed = answered - undecided - passed
    parts = [_passed(run, lang)]
    if failed:
        is_bad = any(it.is_failed for it in each)
        parts.append((say(_FAILED, lang, count=failed), "bad" if is_bad else ""))
    if run.errors:
        parts.append((count_of(ERROR_COUNT, run.errors, lang), "bad"))
    if undecided:
        parts.append((say(_UNDECIDED, lang, count=undecided), ""))
    if skipped:
        parts.append((say(_SKIPPED, lang, count=skipped), ""))
    if run.is_interrupted or run.is_stopped:
        phrase, not_run = (
            INTERRUPTED if run.is_interrupted else STOPPED,
            sum(it.not_run for it in each),
        )
        # How many are left of a run that broke off is not always known.
        parts.append((say(phrase if not_run else _BROKEN_OFF, lang, count=not_run), "bad"))
    return parts


def _passed(run: RunResults, lang: Language) -> tuple[str, str]:
    """How many trials passed; a missing answer did not pass."""
    each = run.evaluations
    passed, decided = sum(it.passed for it in each), sum(it.decided for it in each)
    if not any(it.answered for it in each):
        return say(_NONE_SCORED if any(it.unscored for it in each) else _NONE_ANSWERED, lang), ""
    is_repeated = _is_repeated(each)
    if passed < decided:
        phrase = _SOME_TRIALS_PASSED if is_repeated else _SOME_PASSED
        return say(phrase, lang, part=passed, whole=decided), ""
    is_all = not (any(it.undecided for it in each) or run.is_interrupted or run.is_stopped)
    if passed > 1 and is_all:
        return say(_ALL_TRIALS_PASSED if is_repeated else _ALL_PASSED, lang, count=passed), "good"
    phrase = _TRIALS_PASSED if is_repeated else _PASSED
    return say(phrase, lang, count=passed), "good" if is_all else ""


def facts_line(run: RunResults, lang: Language) -> str:
    """How many cases were run, how long they took, and what they cost."""
    each = run.evaluations
    answered, reused = sum(it.answered for it in each), sum(it.reused for it in each)
    usage = sum((it.usage for it in each), Usage())
    counts = _counts_text(variant_groups(run), lang)
    if reused:
        counts += f" {say(_REUSED, lang, count=reused)}"
    parts = [f"{counts} {say(_DURATION, lang, time=duration(run.seconds, lang))}"]
    if usage.requests > answered - reused:  # several steps, or retries
        parts.append(count_of(REQUESTS, usage.requests, lang))
    return ", ".join([*parts, *tokens_text(usage, lang)])


def tokens_text(usage: Usage, lang: Language) -> list[str]:
    """The tokens that were used; empty if they are unknown."""
    if not usage.input_tokens and not usage.output_tokens:
        return []
    read = grouped_number(usage.input_tokens, lang)
    return [say(_TOKENS, lang, read=read, written=grouped_number(usage.output_tokens, lang))]


def judge_lines(run: RunResults, lang: Language, *, write: Escaper = escape) -> list[str]:
    """How many values each judge has judged, and how often it was asked."""
    return [
        say(
            _JUDGED,
            lang,
            model=write(judge.model),
            values=count_of(_VALUES, judge.judged, lang),
            requests=count_of(REQUESTS, judge.asked, lang),
        )
        for judge in run.judges
    ]


_BELOW = Phrase("{scorer} {mean}, required {required}", "{scorer} {mean}, требуется {required}")
_BELOW_WITHOUT_MEAN = Phrase(
    "{scorer} has no score, required {required}", "{scorer}: нет оценки, требуется {required}"
)


def below_text(scorer: ScorerResult, lang: Language, write: Escaper = str) -> str:
    """Why a scorer fails the run."""
    about = {"scorer": write(scorer.name), "required": required_text(scorer)}
    if scorer.mean is None:
        return say(_BELOW_WITHOUT_MEAN, lang, **about)
    return say(_BELOW, lang, mean=mean_text(scorer), **about)


_NOT_SCORABLE = Phrase("{scorer} has no score for {cases}", "{scorer}: {cases} без оценки")
_BROKEN = Phrase("{scorer} failed to score {cases}", "сбой метрики {scorer}: {cases}")
_FLAKY = Plural(
    ("flaky case", "flaky cases"),
    ("нестабильный случай", "нестабильных случая", "нестабильных случаев"),
)
_METRIC = Phrase("{metric}: mean {mean}, {cases}", "{metric}: среднее {mean}, {cases}")
_UNREAD = Phrase(
    "{cases} with something in the answer that looks like calls and was not read",
    "в ответе есть похожее на вызовы, но не прочитанное: {cases}",
)
_CASES_SKIPPED = Phrase("{cases} skipped", "исключено: {cases}")
_NOTE_REASON_WIDTH = 160


def group_notes(
    group: Sequence[EvaluationResults], lang: Language, *, write: Escaper = escape
) -> list[tuple[str, str]]:
    """The notes on all variants of an evaluation: sentences, and the first names in each."""
    alike: dict[tuple[str, str], list[str]] = {}
    for each in group:
        for line in _evaluation_notes(each, lang, write):
            alike.setdefault(line, []).append(write(each.variant or ""))
    return [
        (sentence if len(variants) == len(group) else f"{', '.join(variants)}: {sentence}", names)
        for (sentence, names), variants in alike.items()
    ]


def _evaluation_notes(
    each: EvaluationResults, lang: Language, write: Escaper
) -> Iterator[tuple[str, str]]:
    summary = each.results.summary
    forbidden = forbidden_line(summary, lang)
    if forbidden is not None:
        yield forbidden
    for scorer in each.scorers:
        if scorer.is_below:
            yield below_text(scorer, lang, write), ""
    for phrase, noted_of in ((_BROKEN, "broken"), (_NOT_SCORABLE, "not_scorable")):
        for scorer in each.scorers:
            noted: Noted = getattr(scorer, noted_of)
            if noted.count and noted.names != (NOT_SCORED_REASON,):  # said once, below
                cases = count_of(_nouns(each), noted.count, lang)
                sentence = say(phrase, lang, scorer=write(scorer.name), cases=cases)
                yield sentence, first_reasons(noted.names, _NOTE_REASON_WIDTH)
    for metric in each.results.metrics:  # of a run of which not every case is saved
        numbers = {
            "mean": number_text(metric.mean),
            "cases": count_of(CASES, metric.scored, lang),
        }
        yield say(_METRIC, lang, metric=write(metric.name), **numbers), ""
    yield from _case_notes(each, lang)


def _nouns(each: EvaluationResults) -> Plural:
    return TRIAL_COUNT if each.questions > each.cases else CASES


def _case_notes(each: EvaluationResults, lang: Language) -> Iterator[tuple[str, str]]:
    summary = each.results.summary
    if lacks_expected_calls(each):
        yield from not_scored_lines(each.results, lang, nouns=_nouns(each))
    uncounted = uncounted_line(summary, lang)
    if uncounted:
        yield uncounted, ""
    for text in assumed_notes(summary.assumed_writes, lang):
        yield text, ""
    yield from turn_notes(summary, lang)
    flaky = [f"{case.case} {case.passed}/{case.trials}" for case in each.trials if case.is_flaky]
    if flaky:
        yield count_of(_FLAKY, len(flaky), lang), first_names(flaky, len(flaky), lang)
    unread = each.results.unread
    if unread.count:
        sentence = say(_UNREAD, lang, cases=count_of(CASES, unread.count, lang))
        yield sentence, unread_places(unread, lang)
    if each.skipped.count:
        cases = count_of(CASES, each.skipped.count, lang)
        names = first_names(each.skipped.names, each.skipped.count, lang)
        yield say(_CASES_SKIPPED, lang, cases=cases), names


_MOST_FAILURE_GROUPS = 20


class FailureGroup(NamedTuple):
    """Cases of one evaluation without an answer, all for the same reason."""

    evaluation: EvaluationResults
    kind: FailureKind
    problem: str
    details: str
    failures: list[Failure]

    @property
    def attempts(self) -> int:
        """The highest number of attempts."""
        return max(failure.attempts for failure in self.failures)


def variant_groups(run: RunResults) -> list[list[EvaluationResults]]:
    """The evaluations, each with all its variants."""
    return [
        list(group) for _, group in groupby(run.evaluations, lambda each: (each.name, each.place))
    ]


_MAX_LISTED = 20


def listed_rows(
    group: Sequence[EvaluationResults], lang: Language
) -> list[tuple[str, list[str], list[tuple[str, list[Cell]]]]]:
    """Every case of a small evaluation, by variant: the name, the headers, and the rows.

    A row has the name of the case and its cells: the mark, the score, how many trials passed if there
    are several, and the time if it is known.
    """
    if sum(len(each.listed) for each in group) > _MAX_LISTED:
        return []
    return [
        (each.variant or "", *_listed_table(each.listed, each.results.settings.pass_mark, lang))
        for each in group
        if each.listed
    ]


def _listed_table(
    listed: Sequence[Sequence[Result]], pass_mark: float, lang: Language
) -> tuple[list[str], list[tuple[str, list[Cell]]]]:
    rows = [(trials[0].id, _listed_row(trials, pass_mark, lang)) for trials in listed]
    is_shown = (
        *(True, True, any(len(trials) > 1 for trials in listed)),
        any(cells[-1][0] for _, cells in rows),
    )
    headers = ["", say(SCORE, lang), say(PASSED, lang), say(TIME, lang)]
    found = [(name, list(compress(cells, is_shown))) for name, cells in rows]
    return list(compress(headers, is_shown)), found


def _listed_row(trials: Sequence[Result], pass_mark: float, lang: Language) -> list[Cell]:
    """The mark, the score, how many trials passed, and the time of an answer."""
    answered = [each for each in trials if each.failure is None]
    passed = [each.passed for each in answered] + [False] * (len(trials) - len(answered))
    lowest = [
        min(found)
        for each in answered
        if (found := [one.value for one in each.values if one.value is not None])
    ]
    values = lowest + [0.0] * (len(trials) - len(answered))
    seconds = mean_of([each.answer.seconds for each in trials if each.answer is not None] or [0])
    mark, score = _ERROR_MARK, (say(_ERROR, lang), "red")
    if answered:
        is_undecided = all(each is None for each in passed)
        mark = MARKS[None if is_undecided else False not in passed]
        value = mean_of(values) if values else None
        score = number_text(value, border=pass_mark), "dim" if value is None else ""
    time = duration(seconds, lang) if seconds else ""
    return [mark, score, share_cell(passed.count(True), len(trials)), (time, "dim")]


def evaluation_label(run: RunResults, evaluation: EvaluationResults) -> str:
    """The label of an evaluation beside one of its cases; empty if there is only one."""
    return evaluation.label if len(run.evaluations) > 1 else ""


def trials_of_case(evaluation: EvaluationResults, result: Result) -> CaseTrials | None:
    """How often a case was asked, and how often it passed; None if it was asked once."""
    if result.case.trial is None:
        return None
    return next((each for each in evaluation.trials if each.case == result.case.id), None)


def failure_groups(run: RunResults) -> list[FailureGroup]:
    """The cases without an answer, grouped by evaluation and reason; the first groups."""
    groups = []
    for each in run.evaluations:
        alike: dict[tuple[FailureKind, str, str], list[Failure]] = {}
        for failure in each.failures:
            reason = failure.kind, failure.problem, failure.details
            alike.setdefault(reason, []).append(failure)
        groups += [FailureGroup(each, *reason, failures) for reason, failures in alike.items()]
    return groups[:_MOST_FAILURE_GROUPS]


def unnamed_errors(run: RunResults) -> int:
    """How many cases without an answer are in none of these groups."""
    shown = sum(len(group.failures) for group in failure_groups(run))
    return sum(each.errors for each in run.evaluations) - shown


Cell = tuple[str, str]  # a text, and the style that it is shown in

COLUMN_SPACE = 3
_RATE_WIDTH = len("0.123")


def required_text(scorer: ScorerResult) -> str:
    """What the mean must reach, `≥ 0.900`; empty for no requirement."""
    if scorer.fail_under is None:
        return ""
    return f"≥ {limit_text(scorer.fail_under)}"


def mean_text(scorer: ScorerResult) -> str:
    """The mean, rounded to the side of `fail_under` that it is on."""
    return number_text(scorer.mean, border=scorer.fail_under)


def mean_cell(scorer: ScorerResult) -> Cell:
    """The mean, red if it is below `fail_under`."""
    style = "bold red" if scorer.is_below else ("dim" if scorer.mean is None else "")
    return mean_text(scorer), style


def share_cell(part: int, whole: int) -> Cell:
    """A part of a whole, green if it is all of it."""
    if not whole:
        return NO_NUMBER, "dim"
    return f"{part}/{whole}", "green" if part == whole else "yellow" if part else "red"


def variant_columns(
    group: Sequence[EvaluationResults], lang: Language
) -> list[tuple[str, list[Cell]]]:
    """The header of each column, and one cell per variant.

    The means of the scorers, how many answers passed, and, if known, the errors, the median time
    and the tokens.
    """
    scorers = [
        (escape(scorer.name), [mean_cell(each.scorers[place]) for each in group])
        for place, scorer in enumerate(group[0].scorers)
    ]
    passed = [share_cell(each.passed, each.decided) for each in group]
    columns = [*scorers, (say(PASSED, lang), passed)]
    if any(each.errors for each in group):
        errors = [(str(each.errors), "red" if each.errors else "dim") for each in group]
        columns.append((say(ERRORS, lang), errors))
    if any(each.seconds is not None for each in group):
        times = [
            (NO_NUMBER if each.seconds is None else duration(each.seconds, lang), "dim")
            for each in group
        ]
        columns.append((say(MEDIAN, lang), times))
    tokens = [each.usage.input_tokens + each.usage.output_tokens for each in group]
    if any(tokens):
        cells = [(grouped_number(count, lang), "dim") for count in tokens]
        columns.append((say(TOKENS, lang), cells))
    return columns


def trial_rows(
    group: Sequence[EvaluationResults], width: int
) -> tuple[list[str], list[tuple[str, ...]]]:
    """The headers of the columns, and the rows: a variant, pass@k or pass^k, and the rates.

    Both are empty if no case was run several times.
    """
    rates = [pass_rates(each.trials) for each in group]
    # With errors, one variant may have fewer trials than the others.
    fewest = min((len(found.at_k) for found in rates if found.at_k), default=0)
    room = width - COLUMN_SPACE - len("pass@k")
    # A long name is cut, so that there is room for the first and the last rate.
    longest = max(room - 2 * (COLUMN_SPACE + _RATE_WIDTH), 1)
    names = [clip_middle(escape(each.variant or ""), longest) for each in group]
    room -= max(map(display_width, names))
    most = min(room // (COLUMN_SPACE + _RATE_WIDTH), MOST_TRIAL_COLUMNS)
    labels: list[str] = []
    rows: list[tuple[str, ...]] = []
    for name, found in zip(names, rates, strict=True):
        shown, cells = rate_table(found.at_k[:fewest], found.hat_k[:fewest], most=most)
        labels = labels or shown
        rows += [(name, *row) for row in cells]
    return labels, rows


_MARKDOWN_WIDTH = 1000
_REASON_WIDTH = 300
_MOST_CALLS = 20
CALL_WIDTH = 100


def write_markdown(run: RunResults, *, lang: Language = "en") -> str:
    """The verdict, the tables, and the cases folded in; names from the data stay plain text."""
    return join_blocks(_markdown_blocks(run, lang))


def _markdown_blocks(run: RunResults, lang: Language) -> Iterator[str]:
    yield from _markdown_verdict(run, lang)
    for group in variant_groups(run):
        yield from _markdown_group(group, lang)
    for evaluation in run.evaluations:
        yield from [_markdown_case(run, evaluation, result, lang) for result in evaluation.shown]
    not_shown = sum(each.results.not_shown for each in run.evaluations)
    if not_shown:
        yield say(MORE_CASES, lang, cases=count_of(CASES, not_shown, lang))
    yield from [_markdown_failures(run, alike, lang) for alike in failure_groups(run)]
    more = unnamed_errors(run)
    if more:
        yield say(MORE_ERRORS, lang, errors=count_of(ERROR_COUNT, more, lang))
    for each in run.unloaded:
        title = f"{code_title(each.place)} {say(UNLOADED, lang)}"
        yield _markdown_traceback(title, each.problem, each.details)


def _markdown_verdict(run: RunResults, lang: Language) -> Iterator[str]:
    if not run.evaluations:
        yield f"## {say(NOTHING_RUN, lang)}"
    else:
        yield f"## {', '.join(words for words, _ in verdict_parts(run, lang))}"
        lines = [facts_line(run, lang), *judge_lines(run, lang, write=code)]
        if run.id:
            lines.append(say(RUN_ID, lang, id=code(run.id)))
        yield "  \n".join(lines)
    yield note_items((html_entities(escape(warning)), "") for warning in run.warnings)


def _markdown_group(group: Sequence[EvaluationResults], lang: Language) -> Iterator[str]:
    first = group[0]
    yield f"### {code(first.name)}"
    place = f"{code(first.place)}  \n" if first.place else ""
    yield f"{place}{subtitle(group, lang, write=code)}"
    yield _variants_table(group, lang) if first.variant is not None else _scorers_table(first, lang)
    labels, rows = trial_rows(group, _MARKDOWN_WIDTH)
    if rows:
        yield f"#### {say(TRIALS, lang)}"
        cells = [(code(f"{name} {kind}".strip()), *rates) for name, kind, *rates in rows]
        yield table(("", *labels), cells)
    yield note_items(group_notes(group, lang, write=code))
    yield from _markdown_lists(group, lang)


def _markdown_lists(group: Sequence[EvaluationResults], lang: Language) -> Iterator[str]:
    for variant, headers, rows in listed_rows(group, lang):
        if variant:
            yield f"#### {code(variant)}"
        cells = [(mark[0], code(name), *[cell for cell, _ in rest]) for name, (mark, *rest) in rows]
        yield table([headers[0], say(CASE, lang), *headers[1:]], cells)


def _scorers_table(each: EvaluationResults, lang: Language) -> str:
    labels = (SCORER, MEAN, PASSED, REQUIRED)
    rows = [
        (
            code(scorer.name),
            mean_text(scorer),
            f"{scorer.passed}/{scorer.scored}" if scorer.scored else NO_NUMBER,
            required_text(scorer),
        )
        for scorer in each.scorers
    ]
    if not rows:  # of a run that ended before its first result
        return ""
    has_required = any(scorer.fail_under for scorer in each.scorers)
    columns = len(labels) if has_required else len(labels) - 1
    return table([say(label, lang) for label in labels[:columns]], [row[:columns] for row in rows])


def _variants_table(group: Sequence[EvaluationResults], lang: Language) -> str:
    columns = variant_columns(group, lang)
    scorers = [code(scorer.name) for scorer in group[0].scorers]
    labels = [say(VARIANT, lang), *scorers, *[name for name, _ in columns[len(scorers) :]]]
    rows: list[tuple[object, ...]] = [
        (code(each.variant or ""), *[cells[row][0] for _, cells in columns])
        for row, each in enumerate(group)
    ]
    cells = [required_text(scorer) for scorer in group[0].scorers]
    if any(scorer.fail_under for scorer in group[0].scorers):
        rest = [""] * (len(columns) - len(cells))
        rows.append((say(REQUIRED, lang), *cells, *rest))
    return table(labels, rows)


def _markdown_case(
    run: RunResults, evaluation: EvaluationResults, result: Result, lang: Language
) -> str:
    outcome, _ = OUTCOMES[result.passed]
    title = f"{code_title(result.label)} {say(outcome, lang)}"
    if result.score is not None:
        calls = fenced(calls_text(result.score, width=CALL_WIDTH, lang=lang), "diff")
        wrong = first_wrong_text(result.score, lang)
        title += f", {wrong}" if wrong else ""
    else:
        made = result.case.actual or ()
        lines = [call_text(call, limit=CALL_WIDTH) for call in made[:_MOST_CALLS]]
        if len(made) > _MOST_CALLS:
            lines.append(say(MORE, lang, count=len(made) - _MOST_CALLS))
        calls = fenced("\n".join(lines or [say(NO_CALLS, lang)]), "text")
    pass_mark = evaluation.results.settings.pass_mark
    values = value_blocks(result.values, _REASON_WIDTH, pass_mark=pass_mark)
    body = "\n\n".join([*values, calls])
    return details(title + _evaluation_suffix(run, evaluation), body)


def _evaluation_suffix(run: RunResults, evaluation: EvaluationResults) -> str:
    label = evaluation_label(run, evaluation)
    return f", {html_entities(escape(label))}" if label else ""


def _markdown_failures(run: RunResults, alike: FailureGroup, lang: Language) -> str:
    names = first_names([failure.label for failure in alike.failures], len(alike.failures), lang)
    title = f"{code_title(names)} {say(FAILURE_KINDS[alike.kind], lang)}"
    if alike.attempts > 1:
        title += f", {count_of(ATTEMPTS, alike.attempts, lang)}"
    title += _evaluation_suffix(run, alike.evaluation)
    return _markdown_traceback(title, alike.problem, alike.details)


def _markdown_traceback(title: str, problem: str, traceback: str) -> str:
    lines = [problem, *traceback.splitlines()]
    return details(title, fenced("\n".join(escape(line) for line in lines if line.strip()), "text"))

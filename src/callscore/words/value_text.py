"""Calls, paths, numbers, scores and results as short text; any value as safe JSON."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from decimal import ROUND_CEILING, ROUND_FLOOR, ROUND_HALF_EVEN, Decimal
from functools import lru_cache
from math import floor, isfinite
from typing import TYPE_CHECKING, Any, NamedTuple

import msgspec

from callscore.core.call import NOT_CAPTURED, ToolCall
from callscore.core.equality import json_type
from callscore.core.large_number import LargeNumber, large_integer
from callscore.core.phrases import Language, Phrase, Plural, count_of, say
from callscore.core.rendering import (
    EMPTY_NAME,
    clip,
    clip_middle,
    display_width,
    escape,
    integer_text,
    mention,
    render_arguments,
    render_value,
    safe_repr,
    scalar_text,
)
from callscore.core.rules import Matcher
from callscore.core.score import FaultKind, Score, has_no_counted_calls, turn_count
from callscore.words.callers import caller_suffix

if TYPE_CHECKING:
    from callscore.core.results import EvaluationResults, Results, RunResults, ScorerResult
    from callscore.core.settings import Settings
    from callscore.core.summary import Summary, ToolCounts
    from callscore.core.unused_rules import UnusedRule

CASES = Plural(("case", "cases"), ("случай", "случая", "случаев"))
TRIALS = Plural(("trial", "trials"), ("попытка", "попытки", "попыток"))
ERROR_COUNT = Plural(("error", "errors"), ("ошибка", "ошибки", "ошибок"))
UNREADABLE_COUNT = Plural(
    ("record could not be read", "records could not be read"),
    ("запись не прочитана", "записи не прочитаны", "записей не прочитано"),
)
FILES = Plural(("file", "files"), ("файл", "файла", "файлов"))
RESULTS = Plural(("result", "results"), ("результат", "результата", "результатов"))
RUNS = Plural(("run", "runs"), ("прогон", "прогона", "прогонов"))
TRACES = Plural(("trace", "traces"), ("трасса", "трассы", "трасс"))
TOOLS = Plural(("tool", "tools"), ("инструмент", "инструмента", "инструментов"))
MORE = Phrase("… {count} more", "… ещё {count}")
NO_EFFECT = Phrase(
    "{name} has no effect: it applies only with {condition}",
    "{name} не действует: эта настройка учитывается только с {condition}",
)
TOOL_DEFINITIONS = Phrase(
    "tool definitions, and none are known", "определениями инструментов, а они неизвестны"
)


ANY_ARGUMENTS = Phrase("any arguments", "любые аргументы")


def call_text(call: ToolCall, *, limit: int, lang: Language = "en") -> str:
    """The call on one line of at most `limit` columns: `get_weather(city="Oslo")`.

    Its caller follows if it is not the agent.
    """
    name, caller = name_text(call.name, limit=limit), caller_suffix(call, lang)
    taken = display_width(name) + display_width(caller)
    return clip(name + arguments_text(call, limit=limit - taken, lang=lang) + caller, limit)


def has_meaningful_precision(settings: Settings) -> bool:
    """Whether precision says how many actual calls are right.

    If extra calls are free, so are those with wrong arguments: only forbidden calls can lower it, and a
    case in which everything went wrong would have 100%. Reports leave it out then.
    """
    return settings.extra_calls != "free"


def name_text(name: str, *, limit: int) -> str:
    """The name of a tool in at most `limit` columns."""
    return clip(escape(name[: limit + 1]) or EMPTY_NAME, limit)


def arguments_text(call: ToolCall, *, limit: int, lang: Language = "en") -> str:
    """The arguments of a call in brackets, in about `limit` columns."""
    limit = max(limit - len("()"), 1)
    if call.error == NOT_CAPTURED:
        inside = "?"
    elif call.error is not None:
        inside = render_value(call.raw, limit=limit)
    elif call.arguments is None:
        inside = clip(say(ANY_ARGUMENTS, lang), limit)
    else:
        inside = render_arguments(call.arguments, limit=limit)
    return f"({inside})"


# Encoders recurse into nested values, and the interpreter's stack holds about a thousand levels.
_MAX_DEPTH = 100
_MAX_DEEP_TEXT = 10_000
# Python refuses to print longer integers, and so does every encoder written in it.
_MAX_INTEGER_BITS = 10_000


def json_safe(value: object, *, depth: int = 0, exact: bool = False) -> Any:
    """The value with everything that is not JSON turned into text.

    NaN and infinities, dates and other objects become strings; so do integers of more than 3,000
    digits, and values nested more than 100 levels deep (at most 10,000 characters of them). In
    strings, halves of surrogate pairs are escaped. Rules are written as in case files. With `exact`,
    numbers stay numbers, for the encoders of the history.
    """
    if value is None or isinstance(value, bool) or (exact and isinstance(value, LargeNumber)):
        return value
    if isinstance(value, str):
        return json_safe_string(value)
    if isinstance(value, int | float):
        large = large_integer(value) if exact and isinstance(value, int) else value
        return large if isinstance(large, LargeNumber) else _safe_number(value)
    return _safe_container(value, depth, exact=exact)


def _safe_number(value: float) -> int | float | str:
    if isinstance(value, int):
        return int(value) if value.bit_length() < _MAX_INTEGER_BITS else integer_text(value)
    return float(value) if isfinite(value) else scalar_text(value)


def json_safe_string(value: str) -> str:
    """A string with the halves of surrogate pairs escaped."""
    if value.isascii():
        return str(value)
    return value.encode("utf-8", "backslashreplace").decode()


def _safe_container(value: object, depth: int, *, exact: bool) -> Any:
    if isinstance(value, Matcher):
        value = {value.key: value.value, **value.options}
    if not isinstance(value, dict | list | tuple):
        return json_safe_string(safe_repr(value))
    if depth == _MAX_DEPTH:
        return render_value(value, limit=_MAX_DEEP_TEXT)
    if isinstance(value, dict):
        keys = [key if isinstance(key, str) else scalar_text(key) for key in value]
        members = [json_safe(member, depth=depth + 1, exact=exact) for member in value.values()]
        return dict(zip(map(json_safe_string, keys), members, strict=True))
    return [json_safe(member, depth=depth + 1, exact=exact) for member in value]


def encode_json(value: object) -> bytes:
    """The value as JSON on one line; integers keep all their digits."""
    return msgspec.json.encode(json_safe(value))


def json_document(value: object) -> str:
    """The value as an indented JSON document."""
    return safe_document(json_safe(value))


def safe_document(value: object) -> str:
    """The same for a value that `json_safe` has returned, or that was made from such values."""
    return msgspec.json.format(msgspec.json.encode(value), indent=2).decode() + "\n"


_BARS = "▁▂▃▄▅▆▇█"
# The smallest range from the lowest to the highest bar, so that noise does not look like a fall.
_MIN_RANGE = 0.1
_ROUNDING_SLACK = 1e-9


def sparkline(shares: Sequence[float], *, least: float = _MIN_RANGE) -> str:
    """One bar per share (a number from 0 to 1), with a range of at least `least`."""
    if not shares:
        return ""
    low, high = min(shares), max(shares)
    spare = max(least - (high - low), 0.0)
    low = max(low - spare / 2, 0.0)
    high = min(max(high, low + least), 1.0)
    low = min(low, high - least)
    last = len(_BARS) - 1
    steps = [(share - low) / (high - low) if high > low else 1.0 for share in shares]
    # Half a bar is rounded up, despite rounding errors.
    return "".join(
        [_BARS[min(max(floor(step * last + 0.5 + _ROUNDING_SLACK), 0), last)] for step in steps]
    )


# A number is shown on the side of these borders that it is on: the lower ends of the ratings.
_BORDERS = (0.9, 0.7, 0.5)
# With this many decimals every float differs from its neighbours.
_MOST_PLACES = 18
# Larger numbers are shown as they are, and so are infinities; they are no shares.
_LARGE = 10**9


def percent(value: float, *, places: int = 1, border: float | None = None) -> str:
    """A share in percent, rounded as `round_for_display` does: 0.89952 is 89.9%."""
    return f"{round_for_display(value, places + 2, border).scaleb(2):f}%"


def decimal(value: float, *, places: int = 3, border: float | None = None) -> str:
    """A number with three decimals, rounded as `round_for_display` does: 0.9996 is 0.999."""
    return f"{round_for_display(value, places, border):f}"


@lru_cache(maxsize=4096)
def round_for_display(value: float, places: int, border: float | None = None) -> Decimal:
    """The nearest number with `places` decimals that is on the same side of every border.

    The borders are 0, 1, the lower ends of the ratings, and `border`, such as a pass mark. 0 and 1 are
    shown only for exactly 0 and 1. There are more decimals only where two borders are too close.
    """
    exact = Decimal(repr(float(value)))
    if not abs(exact) < _LARGE:
        return exact
    borders = _BORDERS if border is None else (*_BORDERS, border)
    for digits in range(places, max(places, _MOST_PLACES)):
        unit = Decimal(1).scaleb(-digits)
        for rounding in (ROUND_HALF_EVEN, ROUND_FLOOR, ROUND_CEILING):
            shown = exact.quantize(unit, rounding)
            if _is_on_same_side(value, float(shown), borders):
                return abs(shown) if shown == 0 else shown
    return exact


def _is_on_same_side(value: float, shown: float, borders: Sequence[float]) -> bool:
    if any((shown >= border) != (value >= border) for border in borders):
        return False
    return all((shown > end, shown < end) == (value > end, value < end) for end in (0, 1))


def exact_percent(value: float) -> str:
    """A limit in percent with all its decimals: 90.0%, 89.95%."""
    return f"{_all_digits(value, 3).scaleb(2):f}%"


def exact_decimal(value: float) -> str:
    """A limit with all its decimals: 0.900, 0.8995."""
    return f"{_all_digits(value, 3):f}"


def _all_digits(value: float, least: int) -> Decimal:
    exact = Decimal(repr(float(value)))
    exponent = exact.as_tuple().exponent
    has_few = isinstance(exponent, int) and exponent > -least  # text for NaN and infinities
    return exact.quantize(Decimal(1).scaleb(-least)) if has_few else exact


_TYPE_NAMES = {
    "boolean": Phrase("boolean", "логическое"),
    "number": Phrase("number", "число"),
    "string": Phrase("string", "строка"),
    "object": Phrase("object", "объект"),
    "array": Phrase("array", "массив"),
}


def type_name(value: object, *, lang: Language = "en") -> str:
    """The JSON type of a value in one word; untranslated for null and values that are not JSON."""
    kind = json_type(value)
    return say(_TYPE_NAMES[kind], lang) if kind in _TYPE_NAMES else kind


def path_text(path: str) -> str:
    """A JSON path without its root: `passengers[0].name`."""
    return path.removeprefix("$").removeprefix(".") or path


def short_path(path: str, *, width: int = 80) -> str:
    """A JSON path without its root, in at most `width` columns."""
    inner = path_text(path)
    if len(inner) > 8 * width:  # no screen is wide enough for the middle
        inner = inner[: 4 * width] + inner[-4 * width :]
    return clip_middle(escape(inner), width)


class _Band(NamedTuple):
    """A rating: the lowest score that has it, its name, and what it means."""

    start: float
    name: Phrase
    meaning: Phrase
    meaning_with_extra: Phrase | None = None  # if there are extra calls


_BANDS = (
    _Band(
        0.9,
        Phrase("Excellent", "Отлично"),
        Phrase("almost all tool calls are correct", "почти все вызовы инструментов корректны"),
    ),
    _Band(
        0.7,
        Phrase("Good", "Хорошо"),
        Phrase("most tool calls are correct", "большинство вызовов инструментов корректны"),
    ),
    _Band(
        0.5,
        Phrase("Moderate", "Средне"),
        Phrase(
            "some tool calls are incorrect or missing",
            "часть вызовов инструментов некорректна или отсутствует",
        ),
        Phrase(
            "some tool calls are incorrect, missing or extra",
            "часть вызовов инструментов некорректна, отсутствует или лишняя",
        ),
    ),
    _Band(
        0.0,
        Phrase("Poor", "Плохо"),
        Phrase(
            "many tool calls are incorrect or missing",
            "многие вызовы инструментов некорректны или отсутствуют",
        ),
        Phrase(
            "many tool calls are incorrect, missing or extra",
            "многие вызовы инструментов некорректны, отсутствуют или лишние",
        ),
    ),
)


_ALL_EQUAL = Phrase(
    "all tool calls match expected calls perfectly",
    "все вызовы инструментов точно совпадают с ожидаемыми",
)
_ALL_CORRECT = Phrase(
    "all tool calls are correct, with differences that the settings allow",
    "все вызовы инструментов верны, с расхождениями, которые допускают настройки",
)
_PERFECT_MATCH = Phrase("{rating}, perfect match", "{rating}, полное совпадение")
GOOD = 0.7  # from here on the rating is praise
NO_RATING = Phrase("no rating", "без уровня")


def rating(score: float, *, lang: Language = "en") -> str:
    """The name of a score's rating; a score between two bands belongs to the lower one."""
    return say(_band(score).name, lang)


def rating_text(
    score: float, *, is_exact: bool = False, is_failed: bool = False, lang: Language = "en"
) -> str:
    """The rating as reports show it, which is empty if it would praise what failed.

    `is_exact` means that every call was made with equal arguments, and no other.
    """
    if is_failed and score >= GOOD:
        return ""
    word = rating(score, lang=lang)
    return say(_PERFECT_MATCH, lang, rating=word) if is_exact else word


def rating_meaning(
    score: float,
    *,
    has_extra: bool,
    is_exact: bool = False,
    is_failed: bool = False,
    lang: Language = "en",
) -> str:
    """What a score's rating means, as a clause; empty if it would praise what failed.

    `has_extra` means that there are extra calls, and `is_exact` is as for `rating_text`.
    """
    if is_failed and score >= GOOD:
        return ""
    if score == 1:
        return say(_ALL_EQUAL if is_exact else _ALL_CORRECT, lang)
    band = _band(score)
    with_extra = band.meaning_with_extra if has_extra else None
    return say(with_extra or band.meaning, lang)


def rating_of(found: Score | Summary, *, lang: Language = "en") -> str | None:
    """The name of the rating of a case, or of the mean of cases; None without calls that count."""
    f1 = _rated_f1(found)
    return None if f1 is None else rating(f1, lang=lang)


def shown_rating(found: Score | Summary, *, is_failed: bool, lang: Language = "en") -> str:
    """The rating of a case, or of the mean of cases, as reports show it."""
    f1 = _rated_f1(found)
    if f1 is None:
        return say(NO_RATING, lang)
    is_exact = found.is_exact if isinstance(found, Score) else found.exact == found.cases
    return rating_text(f1, is_exact=is_exact, is_failed=is_failed, lang=lang)


def _rated_f1(found: Score | Summary) -> float | None:
    if isinstance(found, Score):
        return None if has_no_counted_calls(found) else found.f1
    return found.macro_f1 if found.uncounted_cases < found.scored else None


def _band(score: float) -> _Band:
    return next(band for band in _BANDS if score >= band.start)


SUMMARY_LINE = Phrase(
    "Accuracy Score: {score} | Correct: {correct}/{expected} | Incorrect: {incorrect}"
    " | Missed: {missed} | Extra: {extra}",
    "Оценка: {score} | Верно: {correct}/{expected} | Неверно: {incorrect}"
    " | Пропущено: {missed} | Лишних: {extra}",
)
FORBIDDEN_PART = Phrase(" | Forbidden: {forbidden}", " | Запрещённых: {forbidden}")
JOINED_TURNS_PART = Phrase(" | Turns compared as one", " | Ходы сравнивались как один")
WRONG_TURN_PART = Phrase(" | First wrong turn: {number}", " | Первый неверный ход: {number}")


def call_counts(score: Score) -> dict[str, int]:
    """How many calls are correct, incorrect, missed and extra."""
    # Counted by position: the pairs and the lists of calls are made on each access.
    correct, incorrect = score.equal_start + len(score.other_correct), len(score.incorrect)
    paired = correct + incorrect
    missed, extra = len(score.expected) - paired, len(score.actual) - paired
    return {"correct": correct, "incorrect": incorrect, "missed": missed, "extra": extra}


def summary_line(score: Score, *, lang: Language = "en") -> str:
    """The score and the counts of a case on one line."""
    correct, incorrect = score.equal_start + len(score.other_correct), len(score.incorrect)
    counts = correct, incorrect, len(score.expected), len(score.actual), len(score.forbidden)
    line = _summary_text(counts, score.f1, score.settings.pass_mark, lang)
    number = score.first_wrong_turn
    if number is not None:
        return line + say(WRONG_TURN_PART, lang, number=number)
    return line + say(JOINED_TURNS_PART, lang) if turn_count(score) == 0 else line


# Cases have few calls, so that many have the same counts.
@lru_cache(maxsize=1024)
def _summary_text(
    counts: tuple[int, int, int, int, int], f1: float, mark: float, lang: Language
) -> str:
    correct, incorrect, expected, actual, forbidden = counts
    paired = correct + incorrect
    line = say(
        SUMMARY_LINE,
        lang,
        score=percent(f1, border=mark),
        correct=correct,
        expected=expected,
        incorrect=incorrect,
        missed=expected - paired,
        extra=actual - paired,
    )
    return line + say(FORBIDDEN_PART, lang, forbidden=forbidden) if forbidden else line


_COUNTED_AS = Plural(
    ("tool counts as a write", "tools count as writes"),
    (
        "инструмент считается записью",
        "инструмента считаются записью",
        "инструментов считаются записью",
    ),
)
_ASSUMED_WRITES = (
    Phrase(
        "{tools} without evidence: {names}; `callscore effects` lists them",
        "{tools} без оснований: {names}; их покажет `callscore effects`",
    ),
    Phrase(
        "{tools} without evidence: {names}; `callscore effects` lists it",
        "{tools} без оснований: {names}; его покажет `callscore effects`",
    ),
)
_AND_MORE_NAMES = Phrase("{names} and {count} more", "{names} и ещё {count}")
_NAMES_SHOWN = 5
_TOOL_WIDTH = 80


def assumed_notes(tools: Sequence[str], lang: Language) -> list[str]:
    """That these tools count as writes although nothing says so; nothing if there are none."""
    if not tools:
        return []
    names = ", ".join([name_text(tool, limit=_TOOL_WIDTH) for tool in tools[:_NAMES_SHOWN]])
    more = len(tools) - _NAMES_SHOWN
    if more > 0:
        names = say(_AND_MORE_NAMES, lang, names=names, count=more)
    counted = count_of(_COUNTED_AS, len(tools), lang)
    return [say(_ASSUMED_WRITES[len(tools) == 1], lang, tools=counted, names=names)]


_UNUSED_RULES = Plural(
    ("rule matches nothing", "rules match nothing"),
    ("правило ни с чем не совпало", "правила ни с чем не совпали", "правил ни с чем не совпали"),
)
_DID_YOU_MEAN = Phrase("{rule} (did you mean {nearest}?)", "{rule} (возможно, {nearest}?)")


def unused_rules_text(rules: Sequence[UnusedRule], lang: Language) -> str:
    """Which rules of the settings match nothing, each with the nearest name, on one line."""
    shown = []
    for setting, pattern, nearest in rules[:_NAMES_SHOWN]:
        rule = f"{setting} {mention(pattern)}"
        if nearest is not None:
            rule = say(_DID_YOU_MEAN, lang, rule=rule, nearest=mention(nearest))
        shown.append(rule)
    names, more = ", ".join(shown), len(rules) - len(shown)
    if more:
        names = say(_AND_MORE_NAMES, lang, names=names, count=more)
    return f"{count_of(_UNUSED_RULES, len(rules), lang)}: {names}"


RESULTS_LINE = Phrase(
    "Macro F1: {score} | Cases: {cases}{trials} | Passed: {passed} | Exact: {exact}",
    "Macro F1: {score} | Случаев: {cases}{trials} | Пройдено: {passed} | Точно: {exact}",
)
TRIALS_PART = Phrase(" | Trials: {count}", " | Попыток: {count}")


# Why a case is not scored that does not say what is expected.
NOT_SCORED = Phrase("no expected calls given", "ожидаемые вызовы не указаны")
_NOT_SCORED_PART = Phrase(" | Not scored: {count} ({reason})", " | Не оценено: {count} ({reason})")
_UNREADABLE_PART = Phrase(" | Unreadable: {count}", " | Не прочитано: {count}")


def results_line(results: Results, *, lang: Language = "en") -> str:
    """The headline of many cases on one line."""
    summary = results.summary
    f1 = "-" if summary.macro_f1 is None else percent(summary.macro_f1)
    is_repeated = summary.has_repeated_trials
    trials = say(TRIALS_PART, lang, count=summary.cases) if is_repeated else ""
    counts = {"cases": summary.distinct_cases, "passed": summary.passed, "exact": summary.exact}
    line = say(RESULTS_LINE, lang, score=f1, trials=trials, **counts)
    if results.not_scored.count:
        reason = say(NOT_SCORED, lang)
        line += say(_NOT_SCORED_PART, lang, count=results.not_scored.count, reason=reason)
    skipped = results.skipped.count
    line += say(_UNREADABLE_PART, lang, count=skipped) if skipped else ""
    return "\n".join([line, *assumed_notes(summary.assumed_writes, lang)])


# What scorers say of such a case that need its expected calls.
NOT_SCORED_REASON = f"{say(NOT_SCORED, 'en')}."


def lacks_expected_calls(each: EvaluationResults) -> bool:
    """Whether a scorer has no number for a case because nothing says what is expected."""
    return any(NOT_SCORED_REASON in scorer.not_scorable.names for scorer in each.scorers)


def run_text(run: RunResults) -> str:
    """One line per evaluation: how many passed, and the mean of each scorer; then all problems."""
    return "\n".join(_run_lines(run)) or "nothing was run"


def _run_lines(run: RunResults) -> Iterator[str]:
    for each in run.evaluations:
        line = f"{escape(each.label)}: {each.passed} of {each.decided} passed"
        if each.errors:
            line += f", {count_of(ERROR_COUNT, each.errors, 'en')}"
        if lacks_expected_calls(each):
            reason = say(NOT_SCORED, "en")
            line += f", {each.results.not_scored.count} not scored ({reason})"
        scorers = ", ".join(map(_scorer_text, each.scorers))
        yield f"{line}; {scorers}" if scorers else line
        yield from assumed_notes(each.results.summary.assumed_writes, "en")
    for unloaded in run.unloaded:
        yield f"{escape(unloaded.place)}: {escape(unloaded.problem)}"
    if run.is_interrupted:
        yield "interrupted"
    if run.is_stopped:
        yield "stopped after the first failure"
    yield from map(escape, run.warnings)


def _scorer_text(scorer: ScorerResult) -> str:
    border = scorer.fail_under
    mean = "-" if scorer.mean is None else decimal(scorer.mean, border=border)
    text = f"{escape(scorer.name)} {mean}"
    if scorer.is_below and scorer.fail_under is not None:
        text += f" (required ≥ {exact_decimal(scorer.fail_under)})"
    return text


def worst_tools(summary: Summary) -> list[tuple[str, ToolCounts]]:
    """Every tool with its counts: most incorrect, missed and extra calls first, then by name.

    Tools with forbidden calls come before all others.
    """

    def severity(entry: tuple[str, ToolCounts]) -> tuple[int, int, str]:
        tool, counts = entry
        return -counts.forbidden, -(counts.incorrect + counts.missed + counts.extra), tool

    return sorted(summary.tools.items(), key=severity)


def forbidden_tools(summary: Summary) -> list[tuple[str, int]]:
    """Tool, and how often it was called although it is forbidden: most often first, then by name."""
    return [(tool, counts.forbidden) for tool, counts in worst_tools(summary) if counts.forbidden]


def worst_faults(summary: Summary) -> list[tuple[str, FaultKind, int]]:
    """Tool, kind of fault, and how often the schemas find it: most often first, then by name."""
    found = [(tool, kind, count) for (tool, kind), count in summary.faults.items()]
    return sorted(found, key=lambda entry: (-entry[2], entry[:2]))


def worst_arguments(summary: Summary) -> list[tuple[str, str, int]]:
    """Tool, argument, and in how many incorrect calls it differs: most often first, then by name."""
    found = [(tool, argument, count) for (tool, argument), count in summary.wrong_arguments.items()]
    return sorted(found, key=lambda entry: (-entry[2], entry[0], _key_text(entry[1])))


def _key_text(key: object) -> str:
    """The key of an argument, which in an object of Python may be anything."""
    return key if isinstance(key, str) else safe_repr(key)


def confused_tools(summary: Summary) -> list[tuple[str | None, str | None, int]]:
    """Expected tool, called tool, and how often: most often first, then by name.

    None means that nothing was called, or that nothing was expected.
    """
    found = [(expected, called, count) for (expected, called), count in summary.confusion.items()]
    return sorted(found, key=lambda entry: (-entry[2], entry[0] or "", entry[1] or ""))

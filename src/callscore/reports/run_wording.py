"""What is said of a run, in English and in Russian."""

# ruff: noqa: RUF001  (Russian letters that look like Latin ones, and en dashes, are meant)

from __future__ import annotations

from typing import TYPE_CHECKING

from callscore.core.run import Usage
from callscore.core.text import escape
from callscore.core.wording import Phrase, Plural, count_of, say
from callscore.reports.wording import CASES, comparison_text

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

    from callscore.core.results import MetricValue
    from callscore.core.run import EvaluationResults, FailureKind, RunResults, ScorerResult
    from callscore.core.wording import Language

__all__ = [
    "ATTEMPTS",
    "ERRORS",
    "ERROR_COUNT",
    "HAS_FAILED",
    "HAS_NO_NUMBER",
    "HAS_PASSED",
    "INTERRUPTED",
    "KINDS",
    "LEFT_OUT",
    "MEAN",
    "MEDIAN",
    "MORE_CASES",
    "MORE_ERRORS",
    "NOTHING_RUN",
    "NO_CALLS",
    "PASSED",
    "RUN",
    "SCORER",
    "THRESHOLD",
    "TOKENS",
    "TRIALS_PASSED",
    "UNLOADED",
    "VARIANT",
    "duration",
    "facts",
    "gate_hint",
    "judge_lines",
    "low_scorers",
    "number",
    "subtitle",
    "verdict",
]

SCORER = Phrase("scorer", "критерий")
VARIANT = Phrase("variant", "вариант")
MEAN = Phrase("mean", "среднее")
PASSED = Phrase("passed", "пройдено")
TRIALS_PASSED = Phrase("{part}/{whole} passed", "пройдено {part}/{whole}")
THRESHOLD = Phrase("threshold", "порог")
ERRORS = Phrase("errors", "ошибки")
MEDIAN = Phrase("median", "медиана")
TOKENS = Phrase("tokens", "токены")

# What became of a case, or of a file.
HAS_PASSED = Phrase("passed", "пройден")
HAS_FAILED = Phrase("failed", "не пройден")
HAS_NO_NUMBER = Phrase("no number", "без оценки")
LEFT_OUT = Phrase("left out on purpose", "намеренно пропущено")
UNLOADED = Phrase("cannot be used", "не удалось использовать")
NOTHING_RUN = Phrase("Nothing was run.", "Ничего не запущено.")
NO_CALLS = Phrase("No calls were made.", "Вызовов не сделано.")
RUN = Phrase("run {id}", "прогон {id}")
# Why there is no answer, which is an error and no failure.
KINDS: dict[FailureKind, Phrase] = {
    "raised": Phrase("error: raised", "ошибка: исключение"),
    "timeout": Phrase("error: timeout", "ошибка: истекло время"),
    "exited": Phrase("error: exited", "ошибка: попытка завершить процесс"),
    "unreadable": Phrase("error: unreadable", "ошибка: ответ не прочитан"),
    "refused": Phrase("error: refused", "ошибка: не запущено"),
}
ATTEMPTS = Plural(("attempt", "attempts"), ("запуск", "запуска", "запусков"))
MORE_CASES = Phrase(
    "… {cases} not shown; --most shows more", "… не показано: {cases}; --most покажет больше"
)
MORE_ERRORS = Phrase("… {errors} more", "… ещё {errors}")
ERROR_COUNT = Plural(("error", "errors"), ("ошибка", "ошибки", "ошибок"))

_ANSWERS = Plural(("answer", "answers"), ("ответ", "ответа", "ответов"))
_REQUESTS = Plural(("request", "requests"), ("запрос", "запроса", "запросов"))
_VALUES = Plural(("value", "values"), ("значение", "значения", "значений"))
_ALL_PASSED = Phrase("All {count} passed", "Все {count} пройдены")
_PASSED = Phrase("{count} passed", "пройдено {count}")
_SOME_PASSED = Phrase("{part} of {whole} passed", "пройдено {part} из {whole}")
_NONE_ANSWERED = Phrase("No answers", "Ответов нет")
_FAILED = Phrase("{count} failed", "не пройдено {count}")
_UNDECIDED = Phrase("{count} without a number", "без оценки {count}")
_SKIPPED = Phrase("{count} skipped", "пропущено {count}")
INTERRUPTED = Phrase("interrupted: {count} unanswered", "прервано: без ответа {count}")
_NO_GATE = Phrase(
    "No threshold is set, so the exit code is 0: --fail-under 1 makes this a gate.",
    "Порог не задан, поэтому код завершения 0: --fail-under 1 сделает проверку строгой.",
)
_REUSED = Phrase("({count} reused)", "(из сохранённых {count})")
_IN = Phrase("in {time}", "за {time}")
_MEDIAN = Phrase("median {time}", "медиана {time}")
_TOKENS = Phrase("{read} tokens in, {written} out", "токены: {read} на входе, {written} на выходе")
_JUDGED = Phrase(
    "judged by {model}: {values}, {questions} asked", "судья {model}: {values}, задано {questions}"
)
_QUESTIONS = Plural(("question", "questions"), ("вопрос", "вопроса", "вопросов"))
_MILLISECONDS = Phrase("{count} ms", "{count} мс")
_SECONDS = Phrase("{count:.1f} s", "{count:.1f} с")
_MINUTES = Phrase("{minutes} min {seconds} s", "{minutes} мин {seconds} с")
_HOURS = Phrase("{hours} h {minutes} min", "{hours} ч {minutes} мин")

_MINUTE = 60
_HOUR = 3600


def number(count: int, lang: Language) -> str:
    """A number with its thousands apart, as the language has it."""
    return f"{count:,}".replace(",", "\N{NO-BREAK SPACE}" if lang == "ru" else ",")


def duration(seconds: float, lang: Language) -> str:
    """A time as people say it: `230 ms`, `4.2 s`, `2 min 5 s`."""
    if round(seconds, 1) < 1:
        return say(_MILLISECONDS, lang, count=round(seconds * 1000) or "< 1")
    if round(seconds, 1) < _MINUTE:
        return say(_SECONDS, lang, count=seconds)
    whole = round(seconds)
    if whole < _HOUR:
        return say(_MINUTES, lang, minutes=whole // _MINUTE, seconds=whole % _MINUTE)
    return say(_HOURS, lang, hours=whole // _HOUR, minutes=whole % _HOUR // _MINUTE)


def subtitle(
    group: Sequence[EvaluationResults], lang: Language, *, write: Callable[[str], str] = escape
) -> str:
    """How many cases an evaluation has, how their calls were compared, and how long they took."""
    first, *others = group
    parts = [count_of(CASES, max(each.cases for each in group), lang)]
    if first.questions > first.cases and not others:
        parts.append(count_of(_ANSWERS, first.answered, lang))
    parts.append(comparison_text(first.results.settings, lang, write=write))
    if first.seconds is not None and first.variant is None:  # variants have a column for it
        parts.append(say(_MEDIAN, lang, time=duration(first.seconds, lang)))
    return ", ".join(parts)


def verdict(run: RunResults, lang: Language) -> list[tuple[str, str]]:
    """What it all comes to: a few words each, and whether they are `good`, `bad` or neither."""
    each = run.evaluations
    answered, passed = sum(it.answered for it in each), sum(it.passed for it in each)
    undecided, skipped = sum(it.undecided for it in each), sum(it.skipped.count for it in each)
    decided = answered - undecided
    is_all = not (run.errors or undecided or run.is_interrupted)
    parts: list[tuple[str, str]] = [_passed(passed, decided, answered, lang, is_all=is_all)]
    if decided > passed:
        parts.append((say(_FAILED, lang, count=decided - passed), "bad"))
    if run.errors:
        parts.append((count_of(ERROR_COUNT, run.errors, lang), "bad"))
    if undecided:
        parts.append((say(_UNDECIDED, lang, count=undecided), ""))
    if skipped:
        parts.append((say(_SKIPPED, lang, count=skipped), ""))
    if run.is_interrupted:
        left = sum(it.questions - it.answered - it.errors for it in each)
        parts.append((say(INTERRUPTED, lang, count=left), "bad"))
    return parts


def _passed(
    passed: int, decided: int, answered: int, lang: Language, *, is_all: bool
) -> tuple[str, str]:
    if not answered:
        return say(_NONE_ANSWERED, lang), ""
    if passed < decided:
        return say(_SOME_PASSED, lang, part=passed, whole=decided), ""
    if passed > 1 and is_all:
        return say(_ALL_PASSED, lang, count=passed), "good"
    return say(_PASSED, lang, count=passed), "good" if is_all else ""


def gate_hint(run: RunResults, lang: Language) -> str | None:
    """That nothing but people will notice what failed, where that is so."""
    scorers = [scorer for each in run.evaluations for scorer in each.scorers]
    has_failed = any(each.passed < each.answered - each.undecided for each in run.evaluations)
    has_code = run.errors or run.is_interrupted or run.unloaded
    if not has_failed or has_code or any(_is_gate(scorer) for scorer in scorers):
        return None
    return say(_NO_GATE, lang)


def _is_gate(scorer: ScorerResult) -> bool:
    return scorer.threshold is not None or bool(scorer.broken.count)


def low_scorers(values: Sequence[MetricValue], at_least: float) -> list[MetricValue]:
    """The scorers that are not content."""
    return [found for found in values if found.value is not None and found.value < at_least]


def facts(run: RunResults, lang: Language) -> str:
    """How many answers there were, how long they took, and what they cost."""
    each = run.evaluations
    answered, reused = sum(it.answered for it in each), sum(it.reused for it in each)
    usage = sum((it.usage for it in each), Usage())
    answers = count_of(_ANSWERS, answered, lang)
    if reused:
        answers += f" {say(_REUSED, lang, count=reused)}"
    parts = [f"{answers} {say(_IN, lang, time=duration(run.seconds, lang))}"]
    if usage.requests > answered - reused:  # models were asked in several steps, or again
        parts.append(count_of(_REQUESTS, usage.requests, lang))
    if usage.input_tokens or usage.output_tokens:
        read, written = number(usage.input_tokens, lang), number(usage.output_tokens, lang)
        parts.append(say(_TOKENS, lang, read=read, written=written))
    return ", ".join(parts)


def judge_lines(
    run: RunResults, lang: Language, *, write: Callable[[str], str] = escape
) -> list[str]:
    """What models were asked as judges."""
    return [
        say(
            _JUDGED,
            lang,
            model=write(judge.model),
            values=count_of(_VALUES, judge.judged, lang),
            questions=count_of(_QUESTIONS, judge.asked, lang),
        )
        for judge in run.judges
    ]

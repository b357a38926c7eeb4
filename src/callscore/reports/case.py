"""The report of one case of a run: its phrases, and its JSON and Markdown forms."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import TYPE_CHECKING, Any

from msgspec import UNSET
from msgspec.structs import asdict, replace

from callscore.core.case import is_state
from callscore.core.phrases import Language, Phrase, count_of, say
from callscore.core.rendering import display_width, escape, render_value, wrap
from callscore.core.results import Answer, Result, SavedCase
from callscore.reports.formatting import (
    RUN_ID,
    UNLIMITED_WIDTH,
    code,
    duration,
    fenced,
    join_blocks,
    value_blocks,
)
from callscore.reports.run import ATTEMPTS, FAILURE_KINDS, NO_CALLS, OUTCOMES, REQUESTS, tokens_text
from callscore.words.diff import call_lines
from callscore.words.diff_rows import Line, plain_text
from callscore.words.plain_data import call_to_dict, score_to_dict, value_to_dict
from callscore.words.turns import END_STATE_TITLE, first_wrong_text
from callscore.words.value_text import call_text, json_document, json_safe

if TYPE_CHECKING:
    from callscore.core.call import ToolCall
    from callscore.core.score import Score

INPUT = Phrase("Input", "Входные данные")
METADATA = Phrase("Metadata", "Метаданные")
TRIAL = Phrase("Trial {number}", "Попытка {number}")
TAGS = Phrase("tags: {tags}", "теги: {tags}")
_TRIALS = Phrase("{part} of {whole} trials passed", "пройдено попыток: {part} из {whole}")
_REUSED = Phrase("reused", "ответ из истории")
# A trial is feminine in Russian, a case is masculine.
_TRIAL_OUTCOMES: dict[bool | None, Phrase] = {
    True: Phrase("passed", "пройдена"),
    False: Phrase("failed", "не пройдена"),
}


def outcome_text(trial: Result, lang: Language, *, is_of_trial: bool = False) -> tuple[str, str]:
    """The outcome of a case or one of its trials in a few words, and their style."""
    if trial.failure is not None:
        return say(FAILURE_KINDS[trial.failure.kind], lang), "red"
    phrase, style = OUTCOMES[trial.passed]
    if is_of_trial:
        phrase = _TRIAL_OUTCOMES.get(trial.passed, phrase)
    return say(phrase, lang), style


def trials_passed_text(case: SavedCase, lang: Language) -> str:
    """How many trials passed; empty if there is only one."""
    if len(case.trials) == 1:
        return ""
    passed = sum(trial.passed is True for trial in case.trials)
    return say(_TRIALS, lang, part=passed, whole=len(case.trials))


def cost_text(trial: Result, lang: Language) -> str:
    """How long a trial took, and what it cost."""
    answer = trial.answer or Answer()
    parts = [duration(answer.seconds, lang)] if answer.seconds else []
    if answer.attempts > 1:
        parts.append(count_of(ATTEMPTS, answer.attempts, lang))
    if answer.usage.requests > 1:
        parts.append(count_of(REQUESTS, answer.usage.requests, lang))
    parts += tokens_text(answer.usage, lang)
    if answer.is_reused:
        parts.append(say(_REUSED, lang))
    return ", ".join(parts)


def text_lines(value: Any, width: int) -> list[str]:
    """A value as safe lines: text as it is, chat messages with their roles, other values as JSON."""
    if isinstance(value, str):
        texts = value.splitlines() or [""]
    elif isinstance(value, list) and value and all(_is_message(item) for item in value):
        texts = [text for item in value for text in "{role}: {content}".format(**item).splitlines()]
    else:
        texts = json_document(value).splitlines()
    return [line for text in texts for line in wrap(escape(text), width)]


def _is_message(item: Any) -> bool:
    is_plain = isinstance(item, dict) and set(item) == {"role", "content"}
    return is_plain and all(isinstance(text, str) for text in item.values())


_INDENT = "  "
_EXPECTED_IN_FULL = Phrase("Expected, in full", "Ожидаемые вызовы полностью")
_ACTUAL_IN_FULL = Phrase("Actual, in full", "Фактические вызовы полностью")


def full_call_lines(score: Score, *, width: int, lang: Language) -> list[str]:
    """All calls of both sides below each other; empty if they fit into two columns."""
    calls_alone = replace(score, assumed_writes=())  # a note is wrapped, and never cut
    if lines_width(call_lines(calls_alone, width=UNLIMITED_WIDTH, lang=lang)) <= width:
        return []
    lines: list[str] = []
    for header, calls in ((_EXPECTED_IN_FULL, score.expected), (_ACTUAL_IN_FULL, score.actual)):
        if calls:
            lines += [say(header, lang), *wrapped_calls(calls, width - len(_INDENT), lang)]
    return lines


def wrapped_calls(calls: Sequence[ToolCall], width: int, lang: Language = "en") -> list[str]:
    """Calls in indented lines of at most `width` columns."""
    return [_INDENT + line for call in calls for line in wrap(_whole_text(call, lang), width)]


def _whole_text(call: ToolCall, lang: Language) -> str:
    if is_state(call):
        state = render_value(call.arguments, limit=UNLIMITED_WIDTH)
        return f"{say(END_STATE_TITLE, lang)}: {state}"
    return call_text(call, limit=UNLIMITED_WIDTH)


def lines_width(lines: Sequence[Line]) -> int:
    """How many columns the widest of the lines takes."""
    return max([display_width("".join([text for text, _ in line])) for line in lines], default=0)


def write_json(cases: Sequence[SavedCase], *, lang: Language = "en") -> str:
    """An array with one object per evaluation that has the case; the keys are always English."""
    return json_document(
        [
            {
                **{name: json_safe(getattr(case, name)) for name in ("run", "evaluation", "place")},
                **{name: json_safe(getattr(case.case, name)) for name in ("id", "tags", "input")},
                "expected": None if case.case.expected is UNSET else json_safe(case.case.expected),
                "metadata": json_safe(case.case.metadata),
                "trials": [_trial_to_dict(trial, lang) for trial in case.trials],
            }
            for case in cases
        ]
    )


def _trial_to_dict(trial: Result, lang: Language) -> dict[str, Any]:
    answer, score, failure = trial.answer or Answer(), trial.score, trial.failure
    return {
        "trial": trial.case.trial,
        "status": trial.status,
        "passed": trial.passed,
        "f1": None if score is None else score.f1,
        "values": [value_to_dict(found) for found in trial.values],
        "calls": [call_to_dict(call) for call in trial.case.actual or ()],
        "score": None if score is None else score_to_dict(score, lang=lang),
        "answer": json_safe(answer.document),
        "failure": None
        if failure is None
        else {"kind": failure.kind, "problem": json_safe(failure.problem)},
        "seconds": answer.seconds,
        "usage": asdict(answer.usage),
        "attempts": answer.attempts,
        "is_reused": answer.is_reused,
    }


_WIDTH = 100


def write_markdown(cases: Sequence[SavedCase], *, lang: Language = "en") -> str:
    """The input, and both sides of every trial; names from the data stay plain text."""
    return join_blocks(block for case in cases for block in _markdown_blocks(case, lang))


def _markdown_blocks(case: SavedCase, lang: Language) -> Iterator[str]:
    is_repeated = len(case.trials) > 1
    words = trials_passed_text(case, lang) or _markdown_outcome(case.trials[0], lang)
    asked = case.case
    yield f"## {code(asked.id)}: {words}"
    about = [code(case.evaluation), say(RUN_ID, lang, id=code(case.run))]
    if asked.tags:
        about.append(say(TAGS, lang, tags=", ".join(code(tag) for tag in asked.tags)))
    if not is_repeated and cost_text(case.trials[0], lang):
        about.append(cost_text(case.trials[0], lang))
    yield "  \n".join(about)
    for heading, value in ((INPUT, asked.input), (METADATA, asked.metadata or None)):
        if value is not None:
            yield f"### {say(heading, lang)}"
            yield fenced("\n".join(text_lines(value, _WIDTH)), "text")
    for trial in case.trials:
        if is_repeated:
            head = say(TRIAL, lang, number=trial.case.trial)
            yield f"### {head}: {_markdown_outcome(trial, lang, is_of_trial=True)}"
        yield from _markdown_trial(case, trial, lang)


def _markdown_outcome(trial: Result, lang: Language, *, is_of_trial: bool = False) -> str:
    words, _ = outcome_text(trial, lang, is_of_trial=is_of_trial)
    wrong = "" if trial.score is None else first_wrong_text(trial.score, lang)
    return f"{words}, {wrong}" if wrong else words


def _markdown_trial(case: SavedCase, trial: Result, lang: Language) -> Iterator[str]:
    if trial.failure is not None:
        yield fenced(escape(trial.failure.problem), "text")
        return
    yield from value_blocks(trial.values, UNLIMITED_WIDTH, pass_mark=case.pass_mark)
    if trial.score is None:
        calls = wrapped_calls(trial.case.actual or (), UNLIMITED_WIDTH)
        yield fenced("\n".join(calls) or say(NO_CALLS, lang), "diff")
        return
    yield fenced(plain_text(call_lines(trial.score, width=_WIDTH, lang=lang)), "diff")
    if whole := full_call_lines(trial.score, width=_WIDTH, lang=lang):
        yield fenced("\n".join(whole), "text")

"""A value that a model accepts."""

from __future__ import annotations

from typing import Any

from callscore.core.equality import is_fraction
from callscore.core.phrases import Note, Phrase
from callscore.core.rules import Context, Matcher, Verdict, operand_problem, option_problem
from callscore.core.value_comparison import ask_once_about, require_fraction, shortened
from callscore.errors import InvalidSettings

KEYS = ("$judge",)
OPTIONS = ("at_least",)
SCHEMA: dict[str, Any] = {
    "value": {
        "description": "The question about the value: `same meaning as: ...`.",
        "type": "string",
        "minLength": 1,
    },
    "options": {
        "at_least": {
            "description": "The smallest answer that matches, if the judge answers with a number; 0.5"
            " by default.",
            "type": "number",
            "minimum": 0,
            "maximum": 1,
        }
    },
}
EXAMPLES = (({"$judge": "same meaning as: hello"}, "hello", "good-bye"),)

REFUSED = Phrase("the judge: {reason}", "судья: {reason}")
TOO_LOW = Phrase("judge score {given} < {least}", "оценка судьи {given} < {least}")
TOO_LOW_BECAUSE = Phrase(
    "judge score {given} < {least}: {reason}", "оценка судьи {given} < {least}: {reason}"
)

_DEFAULT_AT_LEAST = 0.5
_ANSWER_AND_REASON = 2


def check(matcher: Matcher) -> str | None:
    """The value is a question."""
    if not isinstance(matcher.value, str) or not matcher.value.strip():
        return operand_problem(matcher, "a question as a string")
    if "at_least" in matcher.options and not is_fraction(matcher.options["at_least"]):
        return option_problem(matcher, "at_least", "a number from 0 to 1")
    return None


def compare(matcher: Matcher, actual: Any, context: Context) -> Verdict:
    """The judge's answer; it is asked once for each value.

    Raises:
        InvalidSettings: there is no judge, or its answer is invalid.
    """
    if context.judge is None:
        raise InvalidSettings(
            "judge: '$judge' requires a judge. Specify a model with --judge. In Python, pass a"
            " function of the question and the value: score(..., judge=ask_model)"
        )
    answer, reason = ask_once_about("judge", context.judge, matcher.value, actual), ""
    is_pair = isinstance(answer, tuple) and len(answer) == _ANSWER_AND_REASON
    if is_pair and isinstance(answer[1], str):
        answer, reason = answer[0], shortened(answer[1])
    if isinstance(answer, bool):
        note = Note(REFUSED, {"reason": reason}) if reason else None
        return Verdict(answer, float(answer), None if answer else note)
    least = matcher.options.get("at_least", _DEFAULT_AT_LEAST)
    value = require_fraction("judge", answer)
    if value >= least:
        return Verdict(matched=True, value=value)
    values = {"given": f"{value:g}", "least": f"{least:g}", "reason": reason}
    note = Note(TOO_LOW_BECAUSE if reason else TOO_LOW, values)
    return Verdict(matched=False, value=value, note=note)

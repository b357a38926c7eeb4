"""Compares a value with an expected one in which rules may stand in place of values.

Rules may ask callbacks of the user, a judge or a similarity: their errors are reported from here.
"""

# ruff: noqa: RUF001  (Russian letters that look like Latin ones are meant)

from __future__ import annotations

from collections import OrderedDict
from numbers import Real
from typing import TYPE_CHECKING, Any, Final
from weakref import ref

from callscore.core.equality import digest, equal, fingerprint, json_type
from callscore.core.phrases import Note, Phrase
from callscore.core.rendering import clip, escape, safe_repr
from callscore.core.rules import (
    ABSENT,
    Context,
    FailedPart,
    Matcher,
    Verdict,
    comparator_for,
    contains_matchers,
)
from callscore.errors import InvalidSettings, MissingExtra, MissingKey, ModelFailed

if TYPE_CHECKING:
    from collections.abc import Callable
    from typing import Literal

    from callscore.core.rules import Timeouts
    from callscore.core.settings import Settings

__all__ = [
    "ask_once_about",
    "call_user_function",
    "compare_value",
    "failing_members",
    "is_accepted",
    "make_context",
    "may_be_absent",
    "require_fraction",
    "shortened",
    "wrong_type",
]


_MATCH = Verdict(matched=True)
_MISMATCH = Verdict(matched=False, value=0.0)


def make_context(settings: Settings, timeouts: Timeouts | None = None) -> Context:
    """What rules need beside two values, under these settings.

    `timeouts` holds what ran out of time so far in the case that is scored; None where none is.
    """

    def compare_inside(expected: Any, actual: Any) -> Verdict:
        return compare_value(expected, actual, context)

    context = Context(compare_inside, settings.similarity, settings.judge, timeouts)
    return context


def compare_value(expected: Any, actual: Any, context: Context) -> Verdict:
    """How an actual value does for an expected one; a value without rules wants an equal one.

    `actual` is ABSENT where none was given.
    """
    if expected.__class__ is Matcher:
        comparator = comparator_for(expected.key)
        is_lacking = actual is ABSENT and not comparator.may_be_absent(expected)
        return _MISMATCH if is_lacking else comparator.compare(expected, actual, context)
    if not contains_matchers(expected):
        return _MATCH if equal(expected, actual) else _MISMATCH
    if isinstance(expected, dict):
        failing = _failing_in_object(expected, actual, context)
    else:
        failing = _failing_items(expected, actual, context)
    if not failing:
        return _MISMATCH if failing is None else _MATCH
    value = max(0.0, 1 - len(failing) / len(expected))
    return Verdict(matched=False, value=value, parts=tuple(failing))


def is_accepted(expected: Any, actual: Any, context: Context) -> bool:
    """Whether a value is accepted for an expected one; `actual` is ABSENT where none was given."""
    return compare_value(expected, actual, context).matched


def may_be_absent(expected: Any) -> bool:
    """Whether nothing at all can be compared with what is expected."""
    if expected.__class__ is not Matcher:
        return False
    return comparator_for(expected.key).may_be_absent(expected)


def failing_members(
    expected: dict[str, Any], actual: dict[str, Any], context: Context
) -> list[FailedPart]:
    """The expected members that an object does not have as expected."""
    return [
        FailedPart(key, value, actual.get(key, ABSENT))
        for key, value in expected.items()
        if not is_accepted(value, actual.get(key, ABSENT), context)
    ]


def _failing_in_object(
    expected: dict[str, Any], actual: Any, context: Context
) -> list[FailedPart] | None:
    """The members that are not as expected, others included; None where it is no object."""
    if not isinstance(actual, dict):
        return None
    unexpected = [key for key in actual if key not in expected]
    return failing_members(expected, actual, context) + [
        FailedPart(key, ABSENT, actual[key]) for key in unexpected
    ]


def _failing_items(expected: Any, actual: Any, context: Context) -> list[FailedPart] | None:
    if not isinstance(actual, list | tuple):
        return None
    wanted = [*expected, *[ABSENT] * (len(actual) - len(expected))]
    given = [*actual, *[ABSENT] * (len(expected) - len(actual))]
    return [
        FailedPart(position, left, right)
        for position, (left, right) in enumerate(zip(wanted, given, strict=True))
        if left is ABSENT or not is_accepted(left, right, context)
    ]


_TYPES: Final = {
    "boolean": Phrase("a boolean", "логическое значение"),
    "number": Phrase("a number", "число"),
    "string": Phrase("a string", "строка"),
    "object": Phrase("an object", "объект"),
    "array": Phrase("an array", "массив"),
}


def wrong_type(actual: Any, expected: Literal["number", "string"]) -> Verdict:
    """A verdict that rejects a value of another JSON type, with a note."""
    given = json_type(actual)
    if given == expected:  # a number that JSON cannot spell
        return Verdict(matched=False, value=0.0)
    kind = _TYPES.get(given, Phrase("{given}", "{given}"))
    rest = _TYPES[expected]
    phrase = Phrase(f"{kind.en}, not {rest.en}", f"{kind.ru}, а не {rest.ru}")
    return Verdict(matched=False, value=0.0, note=Note(phrase, {"given": given}))


# Functions that users pass in (`similarity`, `judge`): called, checked, and remembered.

_MAX_WIDTH = 200  # columns of foreign text
_MAX_ANSWERS = 2**16  # answers

# By function, question and value. Each answer is kept with a weak reference to its function,
# because the id of a deleted object can be reused.
_answers: OrderedDict[tuple[int, bytes], tuple[Callable[[], Any], Any]] = OrderedDict()


def call_user_function(function_name: str, function: Callable[..., Any], *arguments: Any) -> Any:
    """Call a function of the user, by the name that it has in the settings.

    Raises:
        InvalidSettings: it raised an error.
        ModelFailed: it asks a model, which gives no answer.
        MissingKey: it asks a model, and there is no key for it.
        MissingExtra: it asks a model with a package that is not installed.
    """
    try:
        return function(*arguments)
    except (ModelFailed, MissingKey, MissingExtra):  # their messages say what to do
        raise
    except Exception as error:  # user code may raise anything
        problem = shortened(f"{type(error).__name__}: {error}")
        raise InvalidSettings(f"{function_name}: the function raised {problem}") from error


def ask_once_about(
    function_name: str, function: Callable[..., Any], question: str, value: Any
) -> Any:
    """Call a function of the user once for each question and value, and remember the answer.

    An answer may cost money, and another one could contradict the first. Answers are remembered for
    as long as the function exists.

    Raises:
        InvalidSettings: it raised an error, which is not remembered.
    """
    key = (id(function), digest(f"{len(question)} {question}{fingerprint(value)}"))
    asked, answer = _answers.get(key, (_no_function, None))
    if asked() is not function:
        answer = call_user_function(function_name, function, question, value)
        _answers[key] = _reference_to(function), answer
        if len(_answers) > _MAX_ANSWERS:
            _answers.popitem(last=False)
    return answer


def _no_function() -> None:
    """Stands for "not asked yet"."""


def _reference_to(function: Callable[..., Any]) -> Callable[[], Any]:
    try:
        return ref(function)
    except TypeError:  # not every callable supports weak references
        return lambda: function


def require_fraction(function_name: str, answer: Any) -> float:
    """Check that a function of the user returned a number from 0 to 1.

    Raises:
        InvalidSettings: it answered something else.
    """
    # Not only int and float: similarity functions often return numbers of numpy.
    share = float(answer) if isinstance(answer, Real) else -1.0
    if not isinstance(answer, bool) and 0 <= share <= 1:
        return share
    problem = f"the function answered {shortened(safe_repr(answer))}, not a number from 0 to 1"
    raise InvalidSettings(f"{function_name}: {problem}")


def shortened(text: str) -> str:
    """Foreign text on one line of bounded length."""
    return clip(escape(text[: _MAX_WIDTH + 1]), _MAX_WIDTH)

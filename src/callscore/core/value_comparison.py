"""Compares a value with an expected one that may contain rules.

Rules may call functions of the user (`similarity`, `judge`); their errors are reported from here.
"""

from __future__ import annotations

from collections import OrderedDict
from collections.abc import Callable
from functools import partial
from itertools import zip_longest
from numbers import Real
from typing import TYPE_CHECKING, Any, Final, Literal
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
    from callscore.core.budget import Budget
    from callscore.core.settings import Settings

_CONTAINERS = (dict, list, tuple)
_STEPS_PER_RULE = 15
_STEPS_PER_VALUE = 4
_EQUALITY = "arguments"
_MATCH = Verdict(matched=True)
_MISMATCH = Verdict(matched=False, value=0.0)


def make_context(settings: Settings, budget: Budget) -> Context:
    """What rules need beside two values, under these settings and within a budget."""

    def compare_inside(expected: Any, actual: Any) -> Verdict:
        return compare_value(expected, actual, context)

    context = Context(compare_inside, budget, settings.similarity, settings.judge)
    return context


def compare_value(expected: Any, actual: Any, context: Context) -> Verdict:
    """Compare an actual value with an expected one; without rules the two must be equal.

    `actual` is ABSENT if the argument was not given.

    Raises:
        OverBudget: that takes too many steps.
    """
    if expected.__class__ is Matcher:
        return _compare_by_rule(expected, actual, context)
    budget = context.budget
    if not isinstance(expected, _CONTAINERS) or not budget.about(expected, contains_matchers):
        budget.spend(_STEPS_PER_VALUE * budget.size_of(expected), _EQUALITY)
        return _MATCH if equal(expected, actual) else _MISMATCH
    budget.spend(_STEPS_PER_RULE * len(expected), _EQUALITY)
    failing = _failing_parts(expected, actual, context)
    if not failing:
        return _MISMATCH if failing is None else _MATCH
    value = max(0.0, 1 - len(failing) / len(expected))
    return Verdict(matched=False, value=value, parts=tuple(failing))


def _compare_by_rule(expected: Matcher, actual: Any, context: Context) -> Verdict:
    budget = context.budget
    budget.spend(_STEPS_PER_RULE, expected.key)
    comparator = comparator_for(expected.key)
    if actual is ABSENT and not comparator.may_be_absent(expected):
        return _MISMATCH
    if not comparator.nests:
        return comparator.compare(expected, actual, context)
    compare = partial(comparator.compare, expected, actual, context)
    found: Verdict = budget.verdict(expected, actual, compare)
    return found


def is_accepted(expected: Any, actual: Any, context: Context) -> bool:
    """Whether a value, or ABSENT, is accepted for an expected one: `compare_value` without the why."""
    if expected.__class__ is Matcher:
        return _is_accepted_by_rule(expected, actual, context)
    budget = context.budget
    if not isinstance(expected, _CONTAINERS) or not budget.about(expected, contains_matchers):
        budget.spend(_STEPS_PER_VALUE * budget.size_of(expected), _EQUALITY)
        return equal(expected, actual)
    budget.spend(_STEPS_PER_RULE * len(expected), _EQUALITY)
    return _are_parts_accepted(expected, actual, context)


def _are_parts_accepted(expected: Any, actual: Any, context: Context) -> bool:
    """Whether `_failing_parts` would be empty; all parts are compared, as a judge may be asked."""
    if isinstance(expected, dict):
        if not isinstance(actual, dict):
            return False
        accepted = [
            is_accepted(value, actual.get(key, ABSENT), context) for key, value in expected.items()
        ]
        return all(accepted) and actual.keys() <= expected.keys()
    if not isinstance(actual, list | tuple):
        return False
    both = zip_longest(expected, actual[: len(expected)], fillvalue=ABSENT)
    accepted = [is_accepted(left, right, context) for left, right in both]
    return all(accepted) and len(actual) <= len(expected)


def _is_accepted_by_rule(expected: Matcher, actual: Any, context: Context) -> bool:
    comparator = comparator_for(expected.key)
    accepts = comparator.accepts
    if accepts is None:
        return _compare_by_rule(expected, actual, context).matched
    context.budget.spend(_STEPS_PER_RULE, expected.key)
    if actual is ABSENT and not comparator.may_be_absent(expected):
        return False
    return accepts(expected, actual, context)


def may_be_absent(expected: Any) -> bool:
    """Whether ABSENT can be compared with what is expected."""
    return expected.__class__ is Matcher and comparator_for(expected.key).may_be_absent(expected)


def failing_members(
    expected: dict[str, Any], actual: dict[str, Any], context: Context
) -> list[FailedPart]:
    """The expected members that an object lacks, or has with another value."""
    return [
        FailedPart(key, value, actual.get(key, ABSENT))
        for key, value in expected.items()
        if not is_accepted(value, actual.get(key, ABSENT), context)
    ]


def _failing_parts(expected: Any, actual: Any, context: Context) -> list[FailedPart] | None:
    """The members or items that are not as expected; None for a value of another type."""
    if isinstance(expected, dict) and isinstance(actual, dict):
        unexpected = [key for key in actual if key not in expected]
        return failing_members(expected, actual, context) + [
            FailedPart(key, ABSENT, actual[key]) for key in unexpected
        ]
    if isinstance(expected, dict) or not isinstance(actual, list | tuple):
        return None
    return [
        FailedPart(position, left, right)
        for position, (left, right) in enumerate(zip_longest(expected, actual, fillvalue=ABSENT))
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
        return _MISMATCH
    kind = _TYPES.get(given, Phrase("{given}", "{given}"))
    rest = _TYPES[expected]
    phrase = Phrase(f"{kind.en}, not {rest.en}", f"{kind.ru}, а не {rest.ru}")
    return Verdict(matched=False, value=0.0, note=Note(phrase, {"given": given}))


# --- functions that users pass in (`similarity`, `judge`): called, checked, and remembered -----

_MAX_WIDTH = 200  # columns of foreign text
_MAX_ANSWERS = 2**16

# By function, question and value. Each answer is kept with a weak reference to its function,
# because the id of a deleted object can be reused.
_answers: OrderedDict[tuple[int, bytes], tuple[Callable[[], Any], Any]] = OrderedDict()


def call_user_function(function_name: str, function: Callable[..., Any], *arguments: Any) -> Any:
    """Call a function of the user; `function_name` is its name in the settings.

    Raises:
        InvalidSettings: the function raised an error.
        ModelFailed, MissingKey, MissingExtra: the function could not ask its model.
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
    """Call a function of the user once per question and value, and remember the answer.

    An answer may cost money, and a second one could contradict the first. Answers are remembered
    as long as the function exists; errors are not remembered.
    """
    key = (id(function), digest(f"{len(question)} {question}{fingerprint(value)}"))
    known = _answers.get(key)
    if known is not None and known[0]() is function:
        return known[1]
    answer = call_user_function(function_name, function, question, value)
    _answers[key] = _reference_to(function), answer
    if len(_answers) > _MAX_ANSWERS:
        _answers.popitem(last=False)
    return answer


def _reference_to(function: Callable[..., Any]) -> Callable[[], Any]:
    try:
        return ref(function)
    except TypeError:  # not every callable supports weak references
        return lambda: function


def require_fraction(function_name: str, answer: Any) -> float:
    """The answer of a function of the user, if it is a number from 0 to 1.

    Raises:
        InvalidSettings: it is something else.
    """
    # Not only int and float: similarity functions often return numbers of numpy.
    share = float(answer) if isinstance(answer, Real) else -1.0
    if not isinstance(answer, bool) and 0 <= share <= 1:
        return share
    problem = f"the function must return a number from 0 to 1, got {shortened(safe_repr(answer))}"
    raise InvalidSettings(f"{function_name}: {problem}")


def shortened(text: str) -> str:
    """Foreign text on one line of bounded length."""
    return clip(escape(text[: _MAX_WIDTH + 1]), _MAX_WIDTH)

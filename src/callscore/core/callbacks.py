"""Functions that users pass in (`similarity`, `judge`): called, checked, and remembered."""

from __future__ import annotations

from collections import OrderedDict
from numbers import Real
from typing import TYPE_CHECKING, Any
from weakref import ref

from callscore.core.equality import digest, fingerprint
from callscore.core.rendering import clip, escape, safe_repr
from callscore.errors import InvalidSettings, MissingExtra, MissingKey, ModelFailed

if TYPE_CHECKING:
    from collections.abc import Callable

__all__ = ["ask_once_about", "call_user_function", "require_fraction", "shortened"]

_MAX_WIDTH = 200  # columns of foreign text
_MAX_ANSWERS = 2**16  # answers

# By function, question and value. Each answer is kept with a weak reference to its function,
# because the id of a deleted object can be reused.
_answers: OrderedDict[tuple[int, bytes], tuple[Callable[[], Any], Any]] = OrderedDict()


def call_user_function(function_name: str, function: Callable[..., Any], *arguments: Any) -> Any:
    """Calls a user's function.

    Args:
        function_name: what the function is called in settings.
        function: the function.
        arguments: what it is given.

    Raises:
        InvalidSettings: it raised an error.
        ModelFailed: it asks a model, which gives no answer.
        MissingKey: likewise; there is no key for it.
        MissingExtra: likewise; what asks it is not installed.
    """
    try:
        return function(*arguments)
    except (ModelFailed, MissingKey, MissingExtra):  # which say themselves what to do
        raise
    except Exception as error:  # user code may raise anything
        problem = shortened(f"{type(error).__name__}: {error}")
        raise InvalidSettings(f"{function_name}: the function raised {problem}") from error


def ask_once_about(
    function_name: str, function: Callable[..., Any], question: str, value: Any
) -> Any:
    """Calls a user's function once for each question and value, and remembers the answer.

    It is asked only once about the same value, for the answer may cost money, and another one would
    contradict the first. Answers are remembered for as long as the function exists.

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
    except TypeError:  # not everything that can be called can be referred to weakly
        return lambda: function


def require_fraction(function_name: str, answer: Any) -> float:
    """Checks that a user's function returned a number from 0 to 1.

    Raises:
        InvalidSettings: it answered something else.
    """
    # Not only int and float: what measures texts often answers in numpy's numbers.
    share = float(answer) if isinstance(answer, Real) else -1.0
    if not isinstance(answer, bool) and 0 <= share <= 1:
        return share
    problem = f"the function answered {shortened(safe_repr(answer))}, not a number from 0 to 1"
    raise InvalidSettings(f"{function_name}: {problem}")


def shortened(text: str) -> str:
    """Foreign text on one line of bounded length."""
    return clip(escape(text[: _MAX_WIDTH + 1]), _MAX_WIDTH)

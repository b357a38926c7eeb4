"""Answers of functions that the user brings: what they must be, and what is said where they are not."""

from __future__ import annotations

from collections import OrderedDict
from numbers import Real
from typing import TYPE_CHECKING, Any
from weakref import ref

from callscore.core.equality import digest, fingerprint
from callscore.core.text import clip, escape, repr_text
from callscore.errors import InvalidSettings, MissingExtra, MissingKey, ModelFailed

if TYPE_CHECKING:
    from collections.abc import Callable

__all__ = ["ask", "ask_once", "share_answered", "shown"]

_LONGEST = 200  # columns of what somebody else says
_REMEMBERED = 2**16  # answers

# By function, question and value. Each is kept with a way to the function that gave it, for the
# number of one that is gone may be given to another.
_answers: OrderedDict[tuple[int, bytes], tuple[Callable[[], Any], Any]] = OrderedDict()


def ask(who: str, function: Callable[..., Any], *arguments: Any) -> Any:
    """What a function of the user answers.

    Args:
        who: what the function is called in settings.
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
    except Exception as error:  # whatever a function of somebody else does wrong
        problem = shown(f"{type(error).__name__}: {error}")
        raise InvalidSettings(f"{who}: the function raised {problem}") from error


def ask_once(who: str, function: Callable[..., Any], question: str, value: Any) -> Any:
    """What a function of the user answers to a question about a value.

    It is asked only once about the same value, for the answer may cost money, and another one would
    contradict the first. Answers are remembered for as long as the function exists.

    Raises:
        InvalidSettings: it raised an error, which is not remembered.
    """
    key = (id(function), digest(f"{len(question)} {question}{fingerprint(value)}"))
    asked, answer = _answers.get(key, (_nobody, None))
    if asked() is not function:
        answer = ask(who, function, question, value)
        _answers[key] = _way_to(function), answer
        if len(_answers) > _REMEMBERED:
            _answers.popitem(last=False)
    return answer


def _nobody() -> None:
    """Nobody was asked."""


def _way_to(function: Callable[..., Any]) -> Callable[[], Any]:
    try:
        return ref(function)
    except TypeError:  # not everything that can be called can be referred to weakly
        return lambda: function


def share_answered(who: str, answer: Any) -> float:
    """The number from 0 to 1 that a function of the user answered.

    Raises:
        InvalidSettings: it answered something else.
    """
    # Not only int and float: what measures texts often answers in numpy's numbers.
    share = float(answer) if isinstance(answer, Real) else -1.0
    if not isinstance(answer, bool) and 0 <= share <= 1:
        return share
    problem = f"the function answered {shown(repr_text(answer))}, not a number from 0 to 1"
    raise InvalidSettings(f"{who}: {problem}")


def shown(text: str) -> str:
    """What somebody else says, on one line of bounded length."""
    return clip(escape(text[: _LONGEST + 1]), _LONGEST)

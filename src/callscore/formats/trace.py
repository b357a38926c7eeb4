"""What a dialect gives: the calls of one run, and what it was asked to give."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Mapping
from typing import Any, Literal, get_args

from msgspec import Struct

from callscore.core.call import Tool, ToolCall
from callscore.core.case import Expected
from callscore.errors import InvalidSettings

__all__ = ["DEFAULT_WANTED", "Part", "Trace", "View", "Wanted", "wanted_for"]

View = Literal["requested", "executed"]
Part = Literal["user", "subagent", "code", "server"]


class Trace(Struct, frozen=True, gc=False, kw_only=True, repr_omit_defaults=True):
    """One run of an agent, or one task for it, as a document has it.

    Attributes:
        calls: what was called; None where the document only says what is expected.
        expected: what should have been called; None where the document does not say.
        id: the name of the task, where the document has one that another document can have, too.
        trial: which repetition of the task this is.
        input: what the agent was asked.
        view: whether the calls are those that the model asked for or those that were run.
    """

    calls: tuple[ToolCall, ...] | None = None
    expected: tuple[Expected, ...] | None = None
    id: str | None = None
    trial: int | str | None = None
    input: Any = None
    view: View = "requested"

    @property
    def says_anything(self) -> bool:
        """Whether there is an answer, or an expectation, at all: a request may have failed."""
        return self.calls is not None or self.expected is not None

    @property
    def any_calls(self) -> tuple[ToolCall, ...]:
        """What was called, or what is expected where the document says no more than that."""
        if self.calls is not None:
            return self.calls
        from callscore.core.case import calls_in

        return tuple(calls_in(self.expected or ()))


def _require_choice(option: str, value: object, choices: Any) -> None:
    if value not in get_args(choices):
        known = ", ".join(get_args(choices))
        raise InvalidSettings(f"{option}: {value!r} is not one of {known}")


class Wanted(Struct, frozen=True, kw_only=True):
    """What to take from a document that offers a choice.

    Attributes:
        view: the calls that were requested or those that were run; None for the first of the two
            that the document has.
        candidate: which of several answers to the same question, from 0.
        tools: the definitions of the tools, by name, for texts that do not say of which type an
            argument is.
        failure: pattern of the text of a failed result, used if there is no explicit flag.
        leave_out: whose calls to leave out: `user`, `subagent` and `code` are callers, `server` is
            a kind of tool.
        inner: finds the dialect of a document within a document; whoever reads a whole file
            remembers here what it was before.
        on_answers: is told of each question how many answers it has. Where somebody wants to know
            that, a question with fewer answers than `candidate` has its first one taken, with which
            the run went on; otherwise it has none.
    """

    view: View | None = None
    candidate: int = 0
    tools: Mapping[str, Tool] = {}
    failure: re.Pattern[str] = re.compile("^Error")
    leave_out: tuple[Part, ...] = ("user",)
    inner: Callable[..., Any] | None = None
    on_answers: Callable[[int], None] | None = None

    def choose(self, numbers: Iterable[int]) -> int:
        """Which of several answers to the same question to take, by its number.

        Every dialect that can have several answers asks this, or else the best of them is unknown.

        Args:
            numbers: those of the answers that there are; `range` of their count will do.
        """
        if self.on_answers is None:
            return self.candidate
        known = sorted({0, *(number for number in numbers if number > 0)})
        self.on_answers(len(known))
        return known[self.candidate] if self.candidate < len(known) else 0

    def __post_init__(self) -> None:
        if not isinstance(self.leave_out, tuple):
            raise InvalidSettings(f"leave_out: {self.leave_out!r} is not a tuple of words")
        for part in self.leave_out:
            _require_choice("leave_out", part, Part)
        if self.view is not None:
            _require_choice("view", self.view, View)
        candidate: Any = self.candidate
        if candidate.__class__ is not int or candidate < 0:
            raise InvalidSettings(f"candidate: {candidate!r} is not an integer from 0 on")


DEFAULT_WANTED = Wanted()


def wanted_for(
    *,
    view: str | None = None,
    candidate: Any = 0,
    tools: Iterable[Tool] = (),
    failure: str = DEFAULT_WANTED.failure.pattern,
    leave_out: Any = DEFAULT_WANTED.leave_out,
) -> Wanted:
    """What a user asks for, once it is checked.

    Raises:
        InvalidSettings: one of the values is none that it can have.
    """
    parts = (leave_out,) if isinstance(leave_out, str) else tuple(leave_out or ())
    try:
        pattern = re.compile(failure)
    except (re.error, TypeError) as error:
        raise InvalidSettings(f"failure: {failure!r} is no regular expression ({error})") from error
    defined = {tool.name: tool for tool in tools}
    return Wanted(
        view=view,  # type: ignore[arg-type]  # it is checked there
        candidate=candidate,
        tools=defined,
        failure=pattern,
        leave_out=parts,
    )

"""The calls of one run, written down one after another, with their results as these come in."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from callscore.core.call import ToolCall
from callscore.formats.calls import raw_text, read_arguments
from callscore.formats.shape import name_of, text_in
from callscore.formats.trace import DEFAULT_WANTED, Trace

if TYPE_CHECKING:
    import re

    from callscore.formats.trace import Wanted

__all__ = ["NAMELESS", "Transcript"]

NAMELESS = "?"  # the agent has made a call, if of no tool there is

# The places of what is still to be filled in, or to be looked up, in a call's fields.
_NAME, _ARGUMENTS, _ID, _STEP, _RESULT, _FAILED, _RAW = range(7)


class Transcript:
    """What a dialect writes a run into, in the order in which things happened.

    Args:
        wanted: what was asked for.
        once: whether a call that stands there twice, with the same id, name and arguments, was
            written down twice rather than made twice.
        failure: what the text of a failed call's result matches, where that is not as it is wanted.
    """

    def __init__(
        self,
        wanted: Wanted = DEFAULT_WANTED,
        *,
        once: bool = False,
        failure: re.Pattern[str] | None = None,
    ) -> None:
        self._failure = failure or wanted.failure
        self._once = once
        self._calls: list[list[Any]] = []
        self._waiting: dict[int, None] = {}  # positions, in order
        self._waiting_by_id: dict[str, list[int]] = {}
        self._made: dict[str, list[int]] = {}  # by id, where calls may stand there twice
        self._step: int | None = None

    def __len__(self) -> int:
        return len(self._calls)

    def step(self) -> None:
        """Begin a new message: the calls that follow belong together."""
        self._step = 0 if self._step is None else self._step + 1

    def call(  # noqa: PLR0913  (one argument a field of a call)
        self,
        name: Any,
        arguments: Any,
        id: Any = None,  # noqa: A002  (as the field is called)
        *,
        kind: str | None = None,
        caller: str | None = None,
        positional: bool = False,
        error: str | None = None,
    ) -> None:
        """Add a call.

        Args:
            name: the tool; what is no text is no tool's name, but still a call.
            arguments: an object, its JSON text, or whatever stands there.
            id: what a result will name the call by; a number will do.
            kind: as in `ToolCall`.
            caller: as in `ToolCall`.
            positional: as in `ToolCall`.
            error: what the trace itself says is wrong with the arguments.
        """
        if arguments.__class__ is dict and error is None:
            value, raw, fault, warning = arguments, None, None, None
        else:
            value, raw, fault, warning = _checked(arguments, error)
        if name.__class__ is not str or not name:
            name = NAMELESS
        calls = self._calls
        if id is not None:
            if id.__class__ is not str:
                id = name_of(id)  # noqa: A001  (as the field is called)
            if id:
                if self._once:
                    made = self._made.setdefault(id, [])
                    if made and self._has(made, name, value, raw):
                        return
                    made.append(len(calls))
                self._waiting_by_id.setdefault(id, []).append(len(calls))
        self._waiting[len(calls)] = None
        calls.append(
            [name, value, id, self._step, None, None, raw, fault, kind, caller, positional, warning]
        )

    def _has(self, known: list[int], name: str, value: Any, raw: str | None) -> bool:
        """Whether one of the calls that are known has the same name and arguments."""
        for position in known:
            call = self._calls[position]
            if (call[_NAME], call[_ARGUMENTS], call[_RAW]) == (name, value, raw):
                return True
        return False

    def result(
        self,
        value: Any,
        id: Any = None,  # noqa: A002  (as the field is called)
        *,
        name: Any = None,
        failed: bool | None = None,
    ) -> None:
        """Add the result of the nearest call before it that it can belong to.

        Ids are not unique in real traces, and some have none. Of the calls that have no result
        yet, the first one in the last message that has any is taken.

        Args:
            value: the result.
            id: of the call, where the result names one.
            name: of the tool, where that is all that the result names.
            failed: whether the call has failed, where the trace says so.
        """
        position = self._find_waiting(id, name)
        if position is None:
            return
        if failed is None:
            text = value if isinstance(value, str) else text_in(value)
            failed = None if text is None else self._failure.search(text) is not None
        call = self._calls[position]
        call[_RESULT], call[_FAILED] = value, failed
        del self._waiting[position]
        if call[_ID]:
            self._waiting_by_id[call[_ID]].remove(position)

    def _find_waiting(self, id: Any, name: Any) -> int | None:  # noqa: A002
        if id is not None and id.__class__ is not str:
            id = name_of(id)  # noqa: A001  (as the field is called)
        calls = self._calls
        known = self._waiting_by_id.get(id) if id else None
        if known is None and id:
            # Some stacks give the result an id that they did not give the call.
            known = [at for at in self._waiting if calls[at][_ID] is None] if name else []
        found = None
        for position in reversed(self._waiting if known is None else known):
            call = calls[position]
            if isinstance(name, str) and call[_NAME] != name:
                continue
            if found is not None and call[_STEP] != calls[found][_STEP]:
                break
            found = position
        return found

    def calls(self) -> tuple[ToolCall, ...]:
        """What was written down."""
        return tuple([ToolCall(*fields) for fields in self._calls])

    def trace(self, **fields: Any) -> Trace:
        """The run, with whatever else is known of it."""
        return Trace(calls=self.calls(), **fields)


def _checked(arguments: Any, error: str | None) -> tuple[Any, str | None, str | None, str | None]:
    """The arguments, or what stood in their place and what is wrong with it; and a warning."""
    read = read_arguments(arguments)
    if error is not None and read.error is None:
        return None, raw_text(arguments), error, read.warning
    return read.value, read.raw, read.error, read.warning

"""Records the calls of one run in sequence, and their results as they come in."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from msgspec.structs import astuple

from callscore.core.call import ToolCall
from callscore.core.case import Expected, Group
from callscore.formats.calls import NAMELESS, raw_text, read_arguments
from callscore.formats.shape import name_of, text_in
from callscore.formats.trace import DEFAULT_READ_OPTIONS, ReadOptions, Trace
from callscore.formats.unknown_kinds import RESULT_ALONE, RESULT_FIRST, is_unknown_call

if TYPE_CHECKING:
    import re


# The positions of some fields in a call.
_NAME, _ARGUMENTS, _ID, _STEP, _RESULT, _FAILED, _RAW = range(7)
_TURN = 12  # the last one
# The roles in messages, in lower case.
AGENT_ROLES = frozenset(("assistant", "model", "ai", "agent", "chatbot", "gpt", "chatgpt", "bot"))
USER_ROLES = frozenset(("user", "human"))


class Transcript:
    """Records a run, in the order in which things happened.

    With `once`, calls with the same id, name and arguments are one call that was written twice.
    `failure` is the pattern of the text of a failed result, if not that of `read_options`.
    """

    def __init__(
        self,
        read_options: ReadOptions = DEFAULT_READ_OPTIONS,
        *,
        once: bool = False,
        failure: re.Pattern[str] | None = None,
    ) -> None:
        self.options = read_options
        self._failure = failure or read_options.failure
        self._once = once
        self._calls: list[list[Any]] = []
        self._waiting: dict[int, None] = {}  # positions, in order
        self._waiting_by_id: dict[str, list[int]] = {}
        self._made: dict[str, list[int]] = {}  # by id, if calls can be written twice
        self._with_id = 0  # how many calls have one
        self._step: int | None = None
        self._turn = 0
        self._is_asked = self._is_answered = False  # in this turn
        self.is_open = False  # whether `open_step` has begun a message that has not ended

    def __len__(self) -> int:
        return len(self._calls)

    def step(self) -> None:
        """Begin a new message: the calls that follow belong together."""
        self._step = 0 if self._step is None else self._step + 1

    def speaker(self, *, is_user: bool) -> None:
        """Note who wrote the next message: a user who asks again after an answer begins a turn."""
        if not is_user:
            self._is_answered = True
        elif self._is_asked and self._is_answered:
            self.begin_turn(self._turn + 1)
        else:
            self._is_asked, self._is_answered = True, False

    def role(self, role: Any) -> None:
        """Like `speaker`, by the role of a message; of others than user and agent, nothing is noted."""
        name = role.lower() if role.__class__ is str else ""
        if name in AGENT_ROLES:
            self._is_answered = True
        elif name in USER_ROLES:
            self.speaker(is_user=True)

    @property
    def turn(self) -> int:
        """The number of the turn of the user that has begun, from 0."""
        return self._turn

    def begin_turn(self, number: int) -> None:
        """Begin a turn of the user, by its number from 0."""
        self._turn = number
        self._is_asked, self._is_answered = True, False

    def open_step(self) -> None:
        """Begin a new message, unless `open_step` has begun one since the last `close_step`."""
        if not self.is_open:
            self.step()
        self.is_open = True

    def close_step(self) -> None:
        """End the message: the model has seen something new before its next call."""
        self.is_open = False

    def call(  # noqa: PLR0913  (one argument per field of a call)
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
        """Add a call, with the fields of `ToolCall`.

        A call without a name, or with something else in its place, is still a call. The arguments are
        an object, its JSON text, or anything else; `error` is what the trace itself says about them.
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
                    known = [
                        (calls[at][_NAME], calls[at][_ARGUMENTS], calls[at][_RAW]) for at in made
                    ]
                    if (name, value, raw) in known:
                        return
                    made.append(len(calls))
                self._waiting_by_id.setdefault(id, []).append(len(calls))
                self._with_id += 1
        self._waiting[len(calls)] = None
        calls.append(
            [
                *(name, value, id, self._step, None, None),
                *(raw, fault, kind, caller, positional, warning, self._turn),
            ]
        )
        self._is_answered = self._is_answered or caller != "user"

    def add(self, call: ToolCall, *, has_result: bool = True) -> None:
        """Add a call that another format has read, to the message that has begun."""
        fields = list(astuple(call))
        fields[_STEP], fields[_TURN] = self._step, self._turn
        self._is_answered = True
        if not has_result:
            fields[_RESULT] = fields[_FAILED] = None
        waiting = [] if call.id is None else self._waiting_by_id.setdefault(call.id, [])
        self._with_id += call.id is not None
        if fields[_RESULT] is None:
            self._waiting[len(self._calls)] = None
            waiting.append(len(self._calls))
        self._calls.append(fields)

    def result(
        self,
        value: Any,
        id: Any = None,  # noqa: A002  (as the field is called)
        *,
        name: Any = None,
        failed: Any = None,
    ) -> None:
        """Add the result of the nearest call before it that it can belong to, by id or name.

        Ids are not unique in real traces, and some have none. Of the calls that have no result yet,
        the first one in the last message that has any is taken. The text of the result decides
        whether the call failed, if `failed` is anything but a boolean.
        """
        position = self._find_waiting(id, name)
        if position is None:
            if self.options.is_searched and self._is_alone(id):
                self.options.note_unknown(RESULT_ALONE if self._calls else RESULT_FIRST)
            return
        if failed.__class__ is not bool:
            text = value if isinstance(value, str) else text_in(value)
            failed = None if text is None else self._failure.search(text) is not None
        call = self._calls[position]
        call[_RESULT], call[_FAILED] = value, failed
        del self._waiting[position]
        if call[_ID]:
            self._waiting_by_id[call[_ID]].remove(position)

    def _is_alone(self, id: Any) -> bool:  # noqa: A002  (as the field is called)
        """Whether a result is that of no call so far."""
        if not self._calls:
            return True
        name = name_of(id)
        has_ids = self._with_id == len(self._calls)
        return name is not None and has_ids and name not in self._waiting_by_id

    def _find_waiting(self, id: Any, name: Any) -> int | None:  # noqa: A002
        if id is not None and id.__class__ is not str:
            id = name_of(id)  # noqa: A001  (as the field is called)
        calls = self._calls
        known = self._waiting_by_id.get(id) if id else None
        if known is None and id:
            # In some formats the result has an id, and the call has none.
            known = [at for at in self._waiting if calls[at][_ID] is None]
            known = known if isinstance(name, str) else []
        found = None
        for position in reversed(self._waiting if known is None else known):
            call = calls[position]
            if isinstance(name, str) and call[_NAME] != name:
                continue
            if found is not None and call[_STEP] != calls[found][_STEP]:
                break
            found = position
        return found

    def unknown(self, kind: Any, item: Any = None, *, is_call: bool = False) -> None:
        """Note an item of a kind that the format does not know, if it looks like a call.

        With `is_call` it is one, because of the place where it is.
        """
        if is_unknown_call(kind, item) or (is_call and isinstance(kind, str)):
            options = self.options
            if options.is_searched:
                options.note_unknown(kind, item)

    def unknown_keys(self, item: dict[str, Any], known: frozenset[str]) -> None:
        """Like `unknown`, for an item whose kind is one of its keys, with the call below it."""
        if self.options.is_searched:
            for key in item.keys() - known:
                if item[key] is not None:
                    self.unknown(key, item[key])

    def calls(self) -> tuple[ToolCall, ...]:
        """The recorded calls; with their turns, if there are several or the options ask for them."""
        if not self._turn and not (self.options.numbers_turns and self._is_asked):
            return tuple([ToolCall(*fields[:_TURN]) for fields in self._calls])
        return tuple([ToolCall(*fields) for fields in self._calls])

    def expected(self) -> tuple[Expected, ...]:
        """The recorded calls as what is expected; in a group for each turn, if there are several."""
        calls = [ToolCall(*fields[:_TURN]) for fields in self._calls]
        if not self._turn:
            return tuple(calls)
        turns: list[list[Expected]] = [[] for _ in range(self._turn + 1)]
        for call, fields in zip(calls, self._calls, strict=True):
            turns[fields[_TURN]].append(call)
        return tuple([Group("turn", tuple(members)) for members in turns])

    def trace(self, **fields: Any) -> Trace:
        """The run, with these other fields."""
        return Trace(calls=self.calls(), **fields)


def _checked(arguments: Any, error: str | None) -> tuple[Any, str | None, str | None, str | None]:
    """The arguments, or what is in their place and what is wrong with it; and a warning."""
    read = read_arguments(arguments)
    if error is not None and read.error is None:
        return None, raw_text(arguments), error, read.warning
    return read.value, read.raw, read.error, read.warning

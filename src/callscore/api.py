"""The verbs: calls in any spelling become a score, a list of calls, a list of tools."""

from __future__ import annotations

from os import PathLike
from typing import TYPE_CHECKING, Any

from callscore.core.scoring import score_calls
from callscore.core.settings import DEFAULT, Mode, Settings, settings_for
from callscore.errors import InvalidSettings
from callscore.formats.calls import read_plain
from callscore.formats.sides import read_side

if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence

    from callscore.core.model import Score, ToolCall
    from callscore.core.settings import ExtraArguments, NamePart, Order
    from callscore.core.tool import Tool
    from callscore.formats.calls import Side
    from callscore.formats.trace import Part, View

__all__ = ["read_calls", "read_tools", "score"]

_NO_OPTIONS = ("strict", 0.8, "any", "ignore", 1.0, (), ())


def score(  # noqa: PLR0913  (one argument a setting, which is how people call it)
    expected: Any,
    actual: Any,
    *,
    mode: Mode | str = Mode.STRICT,
    argument_match_threshold: float = 0.8,
    order: Order = "any",
    extra_arguments: ExtraArguments = "ignore",
    at_least: float = 1.0,
    strip_prefix: str | Sequence[str] = (),
    normalise_name: NamePart | Sequence[NamePart] = (),
    settings: Settings | None = None,
) -> Score:
    """Score the calls that were made against the calls that were expected.

    Each side is a list of calls, or a trace of any stack: a response, a list of messages, spans, a
    transcript, as data, as an object of an SDK or as text. A call is
    `{"name": ..., "arguments": ...}`, `{"tool", "args"}`, `{"toolName", "input"}`,
    `("name", {...})`, `"name"` or a `ToolCall`. An expected call without arguments accepts any.

    Args:
        expected: the calls that should be made; `[]` or None where no tool should be called.
        actual: the calls that were made.
        mode: `strict` wants equal arguments; `flexible` wants enough of them.
        argument_match_threshold: the overlap from which a flexible pair is correct, 0 to 1.
        order: `any`, `in_order` (pairs do not cross) or `exact` (position by position).
        extra_arguments: whether arguments that nobody expected lower a flexible overlap.
        at_least: the score from which the case passes.
        strip_prefix: what to take off the front of tools' names: `mcp__*__`.
        normalise_name: what not to mind in tools' names: `namespace`, `dots`, `case`.
        settings: all of these together, in place of them, never beside them.

    Raises:
        InvalidCall: a side holds no calls that can be read, or an expected call cannot be.
        UnknownFormat: a side is a document in no format that callscore knows.
        InvalidSettings: a setting has a value that it cannot have.
    """
    given = (
        mode,
        argument_match_threshold,
        order,
        extra_arguments,
        at_least,
        strip_prefix,
        normalise_name,
    )
    if given == _NO_OPTIONS and at_least is not True:  # which Python takes for 1.0
        settings = settings or DEFAULT
    elif settings is not None:
        raise InvalidSettings("give `settings` or single options, not both")
    else:
        settings = _settings_from(given)
    return score_calls(
        _read(expected, "expected"),
        _read(actual, "actual"),
        settings,
    )


def _read(value: Any, side: Side) -> tuple[ToolCall, ...]:
    if value.__class__ is list:
        calls = read_plain(value)  # the short way, for what most people hand over
        if calls is not None:
            return calls
    return read_side(_decoded(value), side=side, where=side)


def _decoded(value: Any) -> Any:
    """A text, bytes or a file as the document that they hold."""
    if isinstance(value, str | bytes | bytearray | PathLike):
        from callscore.documents import content_of

        return content_of(value)
    return value


def _settings_from(given: tuple[Any, ...]) -> Settings:
    mode, threshold, order, extra_arguments, at_least, strip_prefix, normalise_name = given
    try:
        return settings_for(
            mode=mode,
            argument_match_threshold=threshold,
            order=order,
            extra_arguments=extra_arguments,
            at_least=at_least,
            strip_prefix=_texts(strip_prefix),
            normalise_name=_texts(normalise_name),
        )
    except TypeError as error:  # what cannot be hashed is no setting either
        raise InvalidSettings(f"a setting is not text or a number: {error}") from error


def _texts(value: Any) -> Any:
    return (value,) if isinstance(value, str) else tuple(value) if value else ()


def read_calls(  # noqa: PLR0913  (one argument a choice that a document can offer)
    document: Any,
    *,
    format: str | None = None,  # noqa: A002  (as the command line calls it)
    view: View | None = None,
    candidate: int = 0,
    leave_out: Iterable[Part] = ("user",),
    tools: Any = None,
    failure: str = "^Error",
) -> list[ToolCall]:
    """Read the calls in a document of any stack, each once, in the order in which they were made.

    A document is a response, a list of messages, spans, a transcript, an evaluation sample: as
    data, as JSON or JSON lines, as an object of an SDK, as what a model wrote, or as the path of a
    file. From a document that only says what is expected, the expected calls are read.

    Args:
        document: the document.
        format: what it is written in; by default that is recognised.
        view: the calls that were `requested` by the model or those that were `executed`; by default
            the first of the two that the document has.
        candidate: which of several answers to the same question to read, from 0.
        leave_out: whose calls to leave out: those of the simulated `user`, of a `subagent`, of
            `code` that the model wrote, or of `server` tools, which the provider runs itself.
        tools: the tools' definitions, for texts that do not say of which type an argument is.
        failure: what the text of a failed call's result matches, where nothing else tells.

    Raises:
        InvalidCall: the document cannot be read.
        UnknownFormat: it is in no format that callscore knows.
        UnreadableInput: it is a file that cannot be read.
        InvalidSettings: an option has a value that it cannot have.
    """
    from callscore.documents import traces_in
    from callscore.formats.trace import wanted_for

    wanted = wanted_for(
        view=view,
        candidate=candidate,
        tools=() if tools is None else read_tools(tools),
        failure=failure,
        leave_out=leave_out,
    )
    return [
        call for trace in traces_in(document, wanted, format=format) for call in trace.any_calls
    ]


def read_tools(
    document: Any,
    *,
    format: str | None = None,  # noqa: A002  (as the command line calls it)
) -> list[Tool]:
    """Read the definitions of the tools in a document of any stack, each once.

    Args:
        document: as for `read_calls`; a list of definitions will do.
        format: what it is written in; by default that is recognised.

    Raises:
        InvalidCall: the document cannot be read.
        UnknownFormat: it is in no format that callscore knows.
        UnreadableInput: it is a file that cannot be read.
    """
    from callscore.documents import tools_in

    return tools_in(document, format=format)

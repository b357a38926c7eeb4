"""Tools as a model is offered them: in OpenAI's form, with the functions that run them."""

from __future__ import annotations

from collections.abc import Callable
from contextlib import suppress
from typing import TYPE_CHECKING, Any

from msgspec import Struct, field

from callscore.api import tools_by_name
from callscore.core.equality import digest, fingerprint
from callscore.core.plain import plain
from callscore.formats.function_tools import function_tool, is_function

if TYPE_CHECKING:
    from callscore.core.tool import Tool

__all__ = ["NOTHING", "Offer", "offer_of"]

_PLAIN = (str, int, float, bool, type(None))
_NO_PARAMETERS: dict[str, Any] = {"type": "object", "properties": {}}


class Offer(Struct, frozen=True, eq=False):
    """What a model may call.

    Attributes:
        definitions: the tools in OpenAI's form.
        functions: the functions by the names of their tools, where tools are functions.
    """

    definitions: tuple[dict[str, Any], ...] = ()
    functions: dict[str, Callable[..., Any]] = {}
    _known: dict[str, Any] = field(default_factory=dict)  # its identity, once somebody asked

    @property
    def names(self) -> list[str]:
        """The names of the tools."""
        return [str(definition["function"]["name"]) for definition in self.definitions]

    def identity(self) -> dict[str, Any]:
        """What of it decides the answers, as plain data: a function by what it does."""
        if not self._known:  # every case of a run asks for the same
            self._known["tools"] = plain(self.definitions)
            self._known["functions"] = {
                name: _code_of(each) for name, each in self.functions.items()
            }
        return self._known


NOTHING = Offer()


def offer_of(tools: Any) -> Offer:
    """The offer that tools are: functions, and definitions in any form that `read_tools` takes.

    A definition that is in OpenAI's form already is sent as it is.

    Raises:
        InvalidCall: there are no tools in it.
        InvalidSettings: two tools of the same name differ.
        UnreadableInput: it is a file of which the same is true, or that cannot be read.
    """
    if tools is None:
        return NOTHING
    given = list(tools) if isinstance(tools, tuple | set | frozenset) else tools
    known = tools_by_name(given)
    ready = {
        item["function"]["name"]: item
        for item in (given if isinstance(given, list) else ())
        if _is_ready(item)
    }
    definitions = [ready.get(name) or _definition(tool) for name, tool in known.items()]
    return Offer(tuple(definitions), _functions_in(given))


def _functions_in(tools: Any) -> dict[str, Callable[..., Any]]:
    if is_function(tools):
        return {function_tool(tools).name: tools}
    if isinstance(tools, dict):
        return {name: each for name, each in tools.items() if is_function(each)}
    items = tools if isinstance(tools, list) else []
    return {function_tool(item).name: item for item in items if is_function(item)}


def _is_ready(item: Any) -> bool:
    function = item.get("function") if isinstance(item, dict) else None
    return isinstance(function, dict) and isinstance(function.get("name"), str) and "type" in item


def _definition(tool: Tool) -> dict[str, Any]:
    function: dict[str, Any] = {"name": tool.name}
    if tool.description is not None:
        function["description"] = tool.description
    function["parameters"] = _NO_PARAMETERS if tool.parameters is None else tool.parameters
    return {"type": "function", "function": function}


def _code_of(function: Any) -> str:
    """A text that changes when the function does; its name where nobody has its code."""
    from inspect import getsource, unwrap

    inner = getattr(function, "func", function)  # of a partial
    innermost = unwrap(inner)
    try:
        text = getsource(innermost)
    except (OSError, TypeError):
        text = str(getattr(inner, "__qualname__", type(inner).__qualname__))
    kept = [
        *([function.args, function.keywords] if inner is not function else ()),
        *_enclosed(inner),
        *(_enclosed(innermost) if innermost is not inner else ()),
    ]
    # What is filled in may be a secret: this tells functions apart, and cannot be read.
    return text + digest(fingerprint(kept)).hex() if kept else text


def _enclosed(function: Any) -> list[Any]:
    """The plain values that a function has from where it was made; two of one text may differ."""
    found = []
    for cell in getattr(function, "__closure__", None) or ():
        with suppress(ValueError):  # nothing was put into it yet
            if isinstance(cell.cell_contents, _PLAIN):
                found.append(cell.cell_contents)
    return found

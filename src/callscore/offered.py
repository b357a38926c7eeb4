"""The tools that somebody hands over: definitions in any form, values that were read, or names."""

from __future__ import annotations

from os import PathLike, fspath
from typing import TYPE_CHECKING, Any, get_args

from callscore.core.nearest import meant_by
from callscore.core.tool import Effect, Tool
from callscore.documents import content_of, read_documents, stop
from callscore.errors import InvalidCall, InvalidSettings, UnreadableInput
from callscore.formats.definitions import read_definitions, unknown_effects
from callscore.formats.function_tools import with_functions_read
from callscore.formats.reading import read_definitions_in
from callscore.formats.recognition import find_dialect

if TYPE_CHECKING:
    from collections.abc import Iterable

    from callscore.documents import Document
    from callscore.formats.dialect import Dialect

__all__ = ["brought_tools", "listed_tools", "offered_tools", "tools_named"]

_NOTHING: tuple[Any, ...] = ([], {})
_NONE = "there are no definitions of tools in it."
_STANDARD_INPUT = "-"
_DIFFERING = {"parameters": "schemas", "effect": "effects"}
_EFFECTS = get_args(Effect)
_LISTS = ("tools", "functions")
_WRAPPERS = ("function", "toolSpec", "tool_spec", "custom")
# What nothing but a call has.
_CALLED = frozenset(("arguments", "args", "input", "kwargs"))
# What a definition has beside its name; where names are keys, one of these shows what they name.
_DEFINING = frozenset(("description", "effect", "parameters", "input_schema", "inputSchema"))
# Formats for which definitions that are short, or wrong, look like calls or like nothing at all.
_UNSURE = ("tool_definitions", "generic")


def offered_tools(document: Any) -> dict[str, Tool]:
    """The tools by name; none at all where what is handed over is empty.

    Args:
        document: what `read_tools` takes, what it gives, or the names of the tools alone; functions
            are tools, too.

    Raises:
        InvalidCall: there are no definitions in it.
        InvalidSettings: two definitions of the same name differ, or there is no such effect.
        UnreadableInput: it is a file of which the same is true, or that cannot be read.
    """
    if isinstance(document, dict) and all(isinstance(tool, Tool) for tool in document.values()):
        return document
    if isinstance(document, PathLike):
        return _in_file(document)
    given = with_functions_read(document)
    found = listed_tools(given) if _are_read(given) else _in_value(content_of(given))
    return tools_named(found)


def brought_tools(document: Document) -> list[Tool]:
    """The tools that a trace itself defines; none where they cannot be read, for its calls can be."""
    try:
        return read_definitions_in(document.value, dialect=document.dialect)
    except Exception:  # noqa: BLE001  (nested too deep, or of a dialect that another package brings)
        return []


def tools_named(tools: Iterable[Tool]) -> dict[str, Tool]:
    """The tools by name.

    Raises:
        InvalidSettings: two of the same name differ, or there is no such effect.
    """
    found: dict[str, Tool] = {}
    for tool in tools:
        if tool.effect is not None:
            _require_effect(tool.name, tool.effect)
        other = found.setdefault(tool.name, tool)
        for field, what in _DIFFERING.items():
            if getattr(other, field) != getattr(tool, field):
                problem = f"there are two tools {tool.name!r} with different {what}."
                raise InvalidSettings(problem)
    return found


def listed_tools(value: Any) -> list[Tool]:
    """The tools that a list defines, for whom it is sure to be one; none where it holds more.

    Calls can be written as definitions are, which is why they are not taken for any elsewhere.

    Args:
        value: a list of definitions, of tools or of their names, an object that has such a list or
            that is a definition, or an object that has definitions by name.
    """
    found = [_tools_of(entry) for entry in _entries(value)]
    return [tool for tools in found for tool in tools] if all(found) else []


def _entries(value: Any) -> list[Any]:
    if not isinstance(value, dict):
        return value if isinstance(value, list) else []
    lists = [value[key] for key in _LISTS if isinstance(value.get(key), list)]
    if lists:
        return [*lists[0]]
    if "name" in value or any(key in value for key in _WRAPPERS):
        return [value]
    return [{"name": name, **entry} if _defines(entry) else None for name, entry in value.items()]


def _defines(entry: Any) -> bool:
    return isinstance(entry, dict) and not _DEFINING.isdisjoint(entry)


def _tools_of(entry: Any) -> list[Tool]:
    if isinstance(entry, Tool):
        return [entry]
    if isinstance(entry, str):
        return [Tool(entry)] if _is_name(entry) else read_definitions([entry])
    return [] if _is_call(entry) else read_definitions([entry])


def _is_name(text: str) -> bool:
    return text.isprintable() and text[:1] not in ("", "{", "[")


def _is_call(entry: Any) -> bool:
    if not isinstance(entry, dict):
        return False
    inner = [entry, *[entry[key] for key in _WRAPPERS if isinstance(entry.get(key), dict)]]
    return any(not _CALLED.isdisjoint(item) for item in inner)


def _are_read(value: Any) -> bool:
    """Whether it is a list of which nothing has to be read: of names, and of tools."""
    return isinstance(value, list) and all(
        isinstance(item, Tool) or (isinstance(item, str) and _is_name(item)) for item in value
    )


def _in_value(value: Any) -> list[Tool]:
    if value in _NOTHING:
        return []
    found = _in_document(value, find_dialect(value)) or read_definitions_in(value)
    if not found:
        raise InvalidCall(_NONE)
    return found


def _in_document(value: Any, dialect: Dialect | None) -> list[Tool]:
    """The tools in a document; one that defines nothing else must do it as it should."""
    found = [] if dialect is None else read_definitions_in(value, dialect=dialect)
    if dialect is None or dialect.name in _UNSURE:
        found = found or listed_tools(value)
        for name, effect in unknown_effects(value) if found else ():
            _require_effect(name, effect)
    return found


def _require_effect(name: str, effect: Any) -> None:
    if effect not in _EFFECTS:
        problem = f"the effect of the tool {name!r} is one of {', '.join(_EFFECTS)}; got {effect!r}"
        raise InvalidSettings(problem + meant_by(effect, _EFFECTS))


def _in_file(path: PathLike[str]) -> dict[str, Tool]:
    try:
        return tools_named(_all_in_file(path))
    except (InvalidCall, InvalidSettings) as error:
        raise UnreadableInput(fspath(path), str(error)) from error


def _all_in_file(path: PathLike[str]) -> list[Tool]:
    if fspath(path) == _STANDARD_INPUT:  # which cannot be read again
        return _in_value(content_of(path))
    tools: list[Tool] = []
    is_empty = False
    try:
        for document in read_documents(path):
            tools += _in_document(document.value, document.dialect)
            is_empty = document.value == []
    except UnreadableInput:
        tools = _in_document(content_of(path), None)
        if not tools:
            raise
    if not tools and not is_empty:
        stop(fspath(path), _NONE)
    return tools

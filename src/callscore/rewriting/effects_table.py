"""Adds the effects of tools to a file of settings; everything else in it stays as it is."""

from __future__ import annotations

import tomllib
from collections.abc import Mapping
from typing import TYPE_CHECKING, Any, NamedTuple

from callscore.core.tool_names import is_for_all
from callscore.rewriting import reasons
from callscore.rewriting.applying import open_source, replace_source
from callscore.rewriting.change import CannotRewrite, DataPath, Edit, in_file
from callscore.rewriting.edits import TextNode, apply_edits, indent_at, line_start, quote
from callscore.rewriting.toml_file import Layout, scan_toml, toml_key

if TYPE_CHECKING:
    from pathlib import Path

    from callscore.core.call import Effect

_EFFECTS = "effects"


class AddedEffect(NamedTuple):
    """An effect to write, and a comment that says where it is from."""

    effect: Effect
    comment: str


def add_effects(path: Path, table: tuple[str, ...], effects: Mapping[str, AddedEffect]) -> None:
    """Write effects, by the patterns of tools, into a file; it is created if it does not exist.

    `table` is the table of the settings in the file.

    Raises:
        CannotRewrite: the file cannot be read or written, or its `effects` cannot be extended.
    """
    try:
        if not path.exists():
            with path.open("x", encoding="utf-8", newline="\n") as file:
                file.write(with_effects("", table, effects))
            return
    except OSError as error:
        raise in_file(str(path), reasons.UNWRITABLE, why=error.strerror) from error
    source = open_source(path, path.parent)
    replace_source(source, with_effects(source.text, table, effects))


def with_effects(text: str, table: tuple[str, ...], effects: Mapping[str, AddedEffect]) -> str:
    """The text of a file with further effects, which is read back before it is returned.

    Raises:
        CannotRewrite: the effects in it cannot be extended.
    """
    effects = dict(sorted(effects.items(), key=lambda each: is_for_all(each[0])))
    lines = [_line(pattern, added) for pattern, added in effects.items()]
    refused = CannotRewrite(
        reasons.EFFECTS_NOT_ADDED, lines="\n".join([f"[{_header(table)}]", *lines])
    )
    try:
        written = _extended(text, table, effects, lines)
        document = tomllib.loads(written)
        is_intended = _intended(text, table, effects) == document and _decides(
            document, table, effects
        )
    except (CannotRewrite, tomllib.TOMLDecodeError, RecursionError, IndexError) as error:
        raise refused from error
    if not is_intended:
        raise refused
    return written


def _line(pattern: str, added: AddedEffect) -> str:
    return f'{quote(pattern)} = "{added.effect}"  # {added.comment}'


def _header(table: tuple[str, ...]) -> str:
    return ".".join(map(toml_key, (*table, _EFFECTS)))


def _intended(
    text: str, table: tuple[str, ...], effects: Mapping[str, AddedEffect]
) -> dict[str, Any]:
    """What the file should have: what it has, and the new effects."""
    document = tomllib.loads(text)
    known = document
    for key in (*table, _EFFECTS):
        known = known.setdefault(key, {})
        if not isinstance(known, dict):
            raise CannotRewrite(reasons.NOT_UNDERSTOOD)
    known.update({pattern: added.effect for pattern, added in effects.items()})
    return document


def _decides(
    document: dict[str, Any], table: tuple[str, ...], effects: Mapping[str, AddedEffect]
) -> bool:
    """Whether the new patterns come before one for all tools, after which no other decides."""
    for key in (*table, _EFFECTS):
        document = document[key]
    first = next((at for at, pattern in enumerate(document) if is_for_all(pattern)), None)
    new = {pattern for pattern in effects if not is_for_all(pattern)}
    return first is None or new <= {*list(document)[:first]}


def _extended(
    text: str, table: tuple[str, ...], effects: Mapping[str, AddedEffect], lines: list[str]
) -> str:
    layout, path = scan_toml(text), (*table, _EFFECTS)
    inline = layout.values.get(path)
    if inline is not None:
        return apply_edits(text, [_inline_edit(inline, effects)])
    last = _last_value_end(layout, path)
    caught = _first_for_all(layout, path)
    place = last
    if caught is not None:
        pad = indent_at(text, caught)
        lines, place = [f"{pad}{line}" for line in lines], line_start(text, caught)
    if path in layout.tables:
        return _inserted(text, layout.tables[path].body if place is None else place, lines)
    if last is not None:  # as in `effects.get_user = "read"`
        blocks = [(block.body, header) for header, block in layout.tables.items()]
        header = max(block for block in blocks if block[0] <= last)[1]
        prefix = ".".join([toml_key(str(key)) for key in path[len(header) :]])
        lines = [f"{prefix}.{line.lstrip()}" for line in lines]
        return _inserted(text, last if place is None else place, lines)
    before = text.rstrip("\n") + "\n\n" if text.strip() else ""
    return "\n".join([f"{before}[{_header(table)}]", *lines, ""])


def _inline_edit(node: TextNode, effects: Mapping[str, AddedEffect]) -> Edit:
    """The edit that adds effects to an inline table, which cannot have comments."""
    added = ", ".join([f'{quote(key)} = "{each.effect}"' for key, each in effects.items()])
    known = (node.members or {}).values()
    if not known:
        return Edit(node.start, node.end, f"{{ {added} }}")
    starts = [start for key, start in (node.keys or {}).items() if is_for_all(key)]
    if starts:
        return Edit(min(starts), min(starts), f"{added}, ")
    end = max(each.end for each in known)
    return Edit(end, end, f", {added}")


def _first_for_all(layout: Layout, path: DataPath) -> int | None:
    """The position of the first pattern for all tools: what comes after it never decides."""
    found = [at for key, at in layout.keys.items() if key[:-1] == path and is_for_all(str(key[-1]))]
    return min(found, default=None)


def _last_value_end(layout: Layout, path: DataPath) -> int | None:
    """The end of the last value below a path; None if there is none."""
    ends = [node.end for key, node in layout.values.items() if key[: len(path)] == path]
    return max(ends, default=None)


def _inserted(text: str, position: int, lines: list[str]) -> str:
    """The text with lines after the line of a position, or at a position that begins a line."""
    if position and text[position - 1] != "\n":
        end = text.find("\n", position)
        pad = indent_at(text, position - 1)
        before, after = (f"{text}\n", "") if end < 0 else (text[: end + 1], text[end + 1 :])
    else:
        pad, before, after = "", text[:position], text[position:]
    return before + "".join([f"{pad}{line}\n" for line in lines]) + after

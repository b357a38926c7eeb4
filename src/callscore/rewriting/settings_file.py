"""Writes recommended settings into a settings file; everything else in it stays as it is."""

from __future__ import annotations

import tomllib
from typing import TYPE_CHECKING, Any, Final

from callscore.advising.candidates import CHOICES
from callscore.core.rendering import escape, wrap
from callscore.core.settings import read_argument_rules, settings_from
from callscore.errors import CallscoreError, InvalidSettings
from callscore.reports.advise import evidence_lines, toml_key, toml_text
from callscore.rewriting.applying import open_source, replace_source
from callscore.rewriting.change import CannotRewrite, Edit
from callscore.rewriting.edits import apply_edits, line_start
from callscore.rewriting.toml_file import scan_toml

if TYPE_CHECKING:
    from collections.abc import Iterator
    from pathlib import Path

    from callscore.advising.advice import Advice
    from callscore.rewriting.toml_file import Layout

__all__ = ["settings_text", "write_settings"]

_MARK: Final = "# advise: "  # begins each line of the evidence, which is replaced the next time
_WIDTH: Final = 100
_PRESET: Final = "preset"
_NOT_SETTINGS: Final = ("gate", "judge")


def write_settings(path: Path, table: tuple[str, ...], advice: Advice) -> None:
    """Write the recommended settings into a file, with the evidence as a comment above them.

    `table` is the table of the settings in the file; it is empty if they are at the top level.

    Raises:
        InvalidSettings: the file cannot be read or written, or the settings would not be the
            recommended ones.
    """
    try:
        if path.exists():
            file = open_source(path, path.resolve().parent)
            replace_source(file, settings_text(file.text, table, advice))
        else:
            path.write_text(settings_text("", table, advice), encoding="utf-8")
    except (CannotRewrite, CallscoreError, ValueError, OSError) as error:
        raise InvalidSettings(
            f"{path}: the settings were not written: {str(error).rstrip('.')}. Add those of the report"
            " by hand"
        ) from error


def settings_text(text: str, table: tuple[str, ...], advice: Advice) -> str:
    """The text of a settings file with the recommended settings in it."""
    kept = "".join(line for line in text.splitlines(keepends=True) if not line.startswith(_MARK))
    single, tables = _wanted(_settings_in(kept, table), advice)
    new = apply_edits(kept, [*_single_edits(kept, table, single, advice)])
    for name, members in tables.items():
        new = apply_edits(new, [*_table_edits(new, (*table, name), members)])
    _require_recommended(_settings_in(new, table), advice)
    return new


def _settings_in(text: str, table: tuple[str, ...]) -> dict[str, Any]:
    """The settings in a text."""
    found = tomllib.loads(text)
    for name in table:
        found = found.get(name, {})
    return found


def _wanted(
    document: dict[str, Any], advice: Advice
) -> tuple[dict[str, str], dict[str, dict[str, str]]]:
    """The single values and the tables to write.

    Settings that the file has and the recommendation does not mention get the value of the preset.
    """
    options = advice.recommended.settings
    single = {name: value for name, value in options.items() if isinstance(value, str)}
    tables = {name: value for name, value in options.items() if isinstance(value, dict)}
    given = {name: str(getattr(advice.settings, name)) for name in CHOICES if name in document}
    return {**single, **given}, tables


def _single_edits(
    text: str, table: tuple[str, ...], single: dict[str, str], advice: Advice
) -> Iterator[Edit]:
    layout = scan_toml(text)
    comment = "".join(
        f"{_MARK}{line}\n"
        for sentence in evidence_lines(advice)
        for line in wrap(escape(sentence), _WIDTH - len(_MARK))
    )
    new = ""
    for name, value in single.items():
        node = layout.values.get((*table, name))
        if node is None:
            new += f"{name} = {toml_text(value)}\n"
        else:
            yield Edit(node.start, node.end, toml_text(value))
    known = layout.keys.get((*table, _PRESET))
    if known is not None:
        start = line_start(text, known)
        yield Edit(start, start, comment + new)
        return
    if table:
        yield _below_header(text, layout, table, comment + new)
        return
    start = min((block.start for path, block in layout.tables.items() if path), default=len(text))
    before = "\n" if text[:start].strip() and not text[:start].endswith("\n") else ""
    after = "\n" if text[start:].strip() else ""
    yield Edit(start, start, f"{before}{comment}{new}{after}")


def _below_header(text: str, layout: Layout, table: tuple[str, ...], lines: str) -> Edit:
    """The edit that adds lines at the beginning of a table."""
    block = layout.tables.get(table)
    if block is None:
        raise CannotRewrite(f"it has no table [{'.'.join(table)}]")
    end = text.find("\n", block.body - 1)
    return Edit(end + 1, end + 1, lines) if end >= 0 else Edit(len(text), len(text), f"\n{lines}")


def _table_edits(text: str, table: tuple[str, ...], members: dict[str, str]) -> Iterator[Edit]:
    """The edits that make members the first of a table: the first rule that matches decides."""
    layout = scan_toml(text)
    inline = layout.values.get(table)
    if inline is not None:
        known = {key: node for key in members if (node := layout.values.get((*table, key)))}
        yield from [
            Edit(node.start, node.end, toml_text(members[key])) for key, node in known.items()
        ]
        new = _pairs({key: value for key, value in members.items() if key not in known})
        if new:
            rest = ", " if inline.members else " "
            yield Edit(inline.start + 1, inline.start + 1, f" {', '.join(new)}{rest}")
        return
    lines = "".join(f"{pair}\n" for pair in _pairs(members))
    if table not in layout.tables:
        before = "" if not text or text.endswith("\n") else "\n"
        yield Edit(len(text), len(text), f"{before}\n[{'.'.join(table)}]\n{lines}")
        return
    for key in members:  # moved to the beginning
        if (*table, key) in layout.keys:
            start = layout.keys[*table, key]
            end = text.find("\n", layout.values[*table, key].end)
            yield Edit(line_start(text, start), len(text) if end < 0 else end + 1, "")
    yield _below_header(text, layout, table, lines)


def _pairs(members: dict[str, str]) -> list[str]:
    return [f"{toml_key(key)} = {toml_text(value)}" for key, value in members.items()]


def _require_recommended(document: dict[str, Any], advice: Advice) -> None:
    """Refuse a file with which other settings would be used."""
    options = {name: value for name, value in document.items() if name not in _NOT_SETTINGS}
    found = settings_from(
        {name: value for name, value in options.items() if name != _PRESET},
        preset=options.get(_PRESET),
    )
    wanted = advice.settings
    learned = advice.recommended.settings
    effects = tuple(learned.get("effects", {}).items())
    rules = read_argument_rules(learned.get("arguments", {}))
    is_same = (
        all(getattr(found, name) == getattr(wanted, name) for name in CHOICES)
        and found.effects[: len(effects)] == effects
        and found.arguments[: len(rules)] == rules
    )
    if not is_same:
        raise CannotRewrite("another setting in the file would take precedence")

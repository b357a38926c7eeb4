"""Writes recommended settings into a settings file; everything else in it stays as it is."""

from __future__ import annotations

import re
import tomllib
from collections.abc import Iterator
from typing import TYPE_CHECKING, Any, Final

from callscore.advising.candidates import CHOICES
from callscore.core.rendering import escape, wrap
from callscore.core.settings import read_argument_rules, settings_from
from callscore.errors import CallscoreError, InvalidSettings
from callscore.reports.advise import evidence_lines, rule_lines, toml_key, toml_text
from callscore.rewriting.applying import open_source, replace_source
from callscore.rewriting.change import CannotRewrite, Edit
from callscore.rewriting.edits import apply_edits, line_start
from callscore.rewriting.toml_file import Layout, scan_toml

if TYPE_CHECKING:
    from pathlib import Path

    from callscore.advising.advice import Advice

_MARK: Final = "# advise: "  # begins each line of the evidence, which is replaced the next time
# Ends the line of a learned rule: the next advice does not take it for a rule of the project.
_RULE_MARK: Final = re.compile(r"[ \t]*#[ \t]*advise\b")
_RULE_TABLES: Final = ("effects", "arguments")
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
    tomllib.loads(kept)  # its positions can be found only if it is valid
    learned = learned_rules(kept, table)
    kept = _without_rules(kept, table, learned)
    single, tables = _wanted(_settings_in(kept, table), advice)
    new = apply_edits(kept, [*_single_edits(kept, table, single, advice)])
    for name, members in tables.items():
        new = _with_lines(new, (*table, name))
        new = apply_edits(new, [*_table_edits(new, (*table, name), members)])
    for name in [name for name, rules in learned.items() if rules and name not in tables]:
        new = _without_empty(new, (*table, name))
    _require_recommended(_settings_in(new, table), advice)
    return new


def learned_rules(text: str, table: tuple[str, ...]) -> dict[str, tuple[str, ...]]:
    """The patterns of the effects and arguments in a text that an earlier advice wrote.

    Raises:
        CannotRewrite: the text is not understood.
    """
    layout = scan_toml(text)
    found = {}
    for name in _RULE_TABLES:
        path = (*table, name)
        found[name] = tuple(
            [
                str(key[-1])
                for key in layout.keys
                if key[:-1] == path and _RULE_MARK.match(text, layout.values[key].end)
            ]
        )
    return found


def read_learned_rules(path: Path, table: tuple[str, ...]) -> dict[str, tuple[str, ...]]:
    """The same of a file; it need not be writable.

    Raises:
        CannotRewrite: the text is not understood.
    """
    try:
        text = path.read_text(encoding="utf-8-sig")
    except (OSError, UnicodeDecodeError) as error:
        raise CannotRewrite(str(error)) from error
    # Most files have none, whatever their layout.
    return learned_rules(text, table) if "advise" in text else {}


def _without_rules(text: str, table: tuple[str, ...], rules: dict[str, tuple[str, ...]]) -> str:
    layout = scan_toml(text)
    paths = [(*table, name, key) for name, keys in rules.items() for key in keys]
    return apply_edits(text, [_line_edit(text, layout, path) for path in paths])


def _line_edit(text: str, layout: Layout, path: tuple[str, ...], new: str = "") -> Edit:
    """The edit that replaces the lines of a key and its value."""
    end = text.find("\n", layout.values[path].end)
    return Edit(line_start(text, layout.keys[path]), len(text) if end < 0 else end + 1, new)


def _without_empty(text: str, table: tuple[str, ...]) -> str:
    """The text without a table that has lost all its rules, unless there is a comment in it."""
    block = scan_toml(text).tables.get(table)
    if block is None or text[block.body : block.end].strip():
        return text
    rest = text[block.end :]
    return text[: block.start].rstrip("\n") + ("\n\n" if rest else "\n") + rest


def _with_lines(text: str, table: tuple[str, ...]) -> str:
    """The text in which a table in braces, where no rule can have a comment, has lines instead."""
    layout = scan_toml(text)
    inline = layout.values.get(table)
    if inline is None or inline.members is None or table not in layout.keys:
        return text
    removed = _line_edit(text, layout, table)
    comment = text[inline.end : removed.end].strip()
    starts = inline.keys or {}
    lines = [text[starts[key] : node.end] for key, node in inline.members.items()]
    header = f"[{'.'.join(map(toml_key, table))}]{'  ' if comment else ''}{comment}"
    kept = apply_edits(text, [removed])
    before = "" if not kept.strip() else kept.rstrip("\n") + "\n\n"
    new = "\n".join([before + header, *lines, ""])
    if tomllib.loads(new) != tomllib.loads(text):
        raise CannotRewrite("a table in braces is not understood")
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
    lines = "".join(f"{line}\n" for line in rule_lines(members))
    if table not in layout.tables:
        before = "" if not text or text.endswith("\n") else "\n"
        yield Edit(len(text), len(text), f"{before}\n[{'.'.join(table)}]\n{lines}")
        return
    for key in members:  # a rule that was written by hand stays as a comment
        if (*table, key) in layout.keys:
            edit = _line_edit(text, layout, (*table, key))
            old = text[edit.start : edit.end].splitlines(keepends=True)
            yield Edit(edit.start, edit.end, "".join(f"# {line}" for line in old))
    yield _below_header(text, layout, table, lines)


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

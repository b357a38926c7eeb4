"""The settings of a project, from its `callscore.toml` or `pyproject.toml`."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from pathlib import Path
from typing import Any, Final

from msgspec import Struct

from callscore.core.settings import Settings, get_preset, resolve_aliases, settings_from
from callscore.core.suggestions import did_you_mean
from callscore.errors import CallscoreError, InvalidSettings, UnreadableInput
from callscore.hiding.redaction import NO_REDACTION, Redaction, redaction_from, use_redaction

OWN_FILE: Final = "callscore.toml"
_PROJECT: Final = "pyproject.toml"
_TABLE: Final = "callscore"
_PRESET: Final = "preset"
_PYTHON_ONLY: Final = ("similarity",)  # a file cannot hold a function
_JUDGE: Final = "judge"  # but it can name a model
_KEYS: Final = (_PRESET, *(name for name in Settings.__struct_fields__ if name not in _PYTHON_ONLY))
_GATE: Final = "gate"
_REMOVED: Final = "removed"  # the only key of its table
_REDACT: Final = "redact"
_JUDGE_KEYS: Final = ("name", "base_url", "key_variable")


class Config(Struct, frozen=True):
    """The settings in a file.

    Attributes:
        values: the settings, with those of its preset.
        place: the file, for messages; None if there is none.
        given: the names of the settings that it sets itself, without those of its preset.
        judge: the `name` of the model that answers `$judge`, and optionally its `base_url` and
            `key_variable`; empty if the file names none.
        removed: the cases that were removed on purpose, with the reasons, from `[gate.removed]`.
        redaction: the data of customers that are hidden, from `[redact]`.
    """

    values: dict[str, Any] = {}
    place: str | None = None
    judge: dict[str, str] = {}
    given: tuple[str, ...] = ()
    removed: dict[str, str] = {}
    redaction: Redaction = NO_REDACTION


EMPTY: Final = Config()


def config_for(path: str | None, *, is_wanted: bool = True) -> Config:
    """The settings of the named file, or, if `is_wanted`, of the current project."""
    if path is not None:
        config = read_config(Path(path))
        use_redaction(config.redaction)
        return config
    if not is_wanted:
        return EMPTY
    try:
        folder = Path.cwd()
    except OSError:  # it was deleted
        return EMPTY
    return find_config(folder)


def settings_table(path: Path) -> tuple[str, ...]:
    """The table of a file that has the settings; empty if they are at the top level."""
    return ("tool", _TABLE) if path.name == _PROJECT else ()


def find_config(folder: Path) -> Config:
    """The settings of the nearest folder that has any, up to the root of a repository."""
    path = find_config_file(folder)
    return EMPTY if path is None else read_config(path)


def redaction_of(folder: Path) -> Redaction:
    """The table `redact` of the nearest folder that has settings; other settings may be invalid.

    Raises:
        InvalidSettings: the file cannot be read, or the table is invalid.
    """
    path = find_config_file(folder)
    if path is None:
        return NO_REDACTION
    values, place = _own_table(_document_of(path), path)
    return _redaction_in(values, place)


def find_config_file(folder: Path) -> Path | None:
    """The file with the settings of the nearest folder that has any; None if none has."""
    for candidate in (folder, *folder.parents):
        for name in (OWN_FILE, _PROJECT):
            path = candidate / name
            if _exists(path) and (name == OWN_FILE or _has_own_table(path)):
                if not path.is_file():  # a link to a device could be read forever
                    raise InvalidSettings(f"{path}: not a regular file")
                return path
        if _exists(candidate / ".git"):
            break
    return None


def _exists(path: Path) -> bool:
    try:
        return path.exists()
    except OSError:  # no permission
        return False


def _has_own_table(path: Path) -> bool:
    """Whether a `pyproject.toml` has a table for callscore; without one it need not be valid."""
    try:
        is_mentioned = path.is_file() and b"callscore" in path.read_bytes()
    except OSError:
        return False
    return is_mentioned and _TABLE in _tools_of(_document_of(path))


def read_config(path: Path) -> Config:
    """The settings in a file, each of them checked."""
    return _config_in(_document_of(path), path)


def config_mistakes(path: Path, name: str) -> Iterator[tuple[str, str]]:
    """The mistakes in a `callscore.toml`, one for each setting: the places in the file, and what is wrong.

    After each mistake its setting is taken out, and the rest is read again. `name` is the file in places.
    """
    from callscore.sources.toml_document import line_in_toml

    try:
        document = _document_of(path)
        text = path.read_bytes().decode("utf-8-sig")
    except InvalidSettings as error:
        yield _unreadable(error, path, name)
        return
    key: str | None = ""
    while key is not None:
        try:
            _config_in(document, path)
        except InvalidSettings as error:
            problem = _without_place(error, path)
        else:
            return
        key = next((each for each in document if _is_about(problem, each)), None)
        line = None if key is None else line_in_toml(text, (key,))
        yield (name if line is None else f"{name}:{line}"), problem
        document.pop(key or "", None)


def _unreadable(error: InvalidSettings, path: Path, name: str) -> tuple[str, str]:
    """The place in a file where it is not TOML, and why it cannot be read."""
    from callscore.sources.toml_document import read_toml

    try:
        read_toml(path.read_bytes().decode("utf-8-sig"), name)
    except UnreadableInput as located:
        return located.place, located.problem
    except (OSError, ValueError):  # as the error says
        pass
    return name, _without_place(error, path)


def _is_about(problem: str, key: str) -> bool:
    """Whether a problem is about a setting: it begins with the key, or names it in its first sentence."""
    named = (repr(key), f"[{key}]", f"[{key}.")
    return problem.startswith((f"{key}:", f"{key}.")) or any(
        each in problem.partition(". ")[0] for each in named
    )


def _without_place(error: InvalidSettings, path: Path) -> str:
    text = str(error).removeprefix(f"{path}: ")
    return text if text.endswith((".", "?", "!")) else f"{text}."


def _config_in(document: dict[str, Any], path: Path) -> Config:
    values, place = _own_table(document, path)
    values = _with_place(place, resolve_aliases, values)
    redaction = _redaction_in(values, place)
    values.pop(_REDACT, None)
    removed = _removed_in(values.pop(_GATE), place) if _GATE in values else {}
    for key in values:
        _require_key(key, place)
    rules = values.get("arguments")
    for pattern, rule in rules.items() if isinstance(rules, Mapping) else ():
        if "." not in pattern and isinstance(rule, Mapping):
            # TOML takes `book_flight.date = "date"` for a table in a table.
            meant = f'"{pattern}.{next(iter(rule), "*")}"'
            raise InvalidSettings(f"{place}: arguments: quote names with dots: {meant}")
    settings = {key: value for key, value in values.items() if key != _JUDGE}
    given = tuple(name for name in settings if name != _PRESET)
    checked = _with_place(place, _checked, settings)
    return Config(checked, place, _judge_in(values, place), given, removed, redaction)


def _own_table(document: dict[str, Any], path: Path) -> tuple[Mapping[str, Any], str]:
    """The settings in a file, and their place."""
    values = _tools_of(document).get(_TABLE, {}) if path.name == _PROJECT else document
    place = f"{path} [tool.{_TABLE}]" if path.name == _PROJECT else str(path)
    if not isinstance(values, Mapping):
        raise InvalidSettings(f"{place}: {values!r} is not a table of settings")
    return values, place


def _redaction_in(values: Mapping[str, Any], place: str) -> Redaction:
    return redaction_from(values.get(_REDACT, {}), f"{place}: {_REDACT}")


def _document_of(path: Path) -> dict[str, Any]:
    from callscore.sources.toml_document import load_toml  # most folders have no such file

    try:
        return load_toml(path.read_bytes().decode("utf-8-sig"))
    except OSError as error:
        raise InvalidSettings(f"{path}: cannot be read ({error.strerror})") from error
    except RecursionError as error:
        raise InvalidSettings(f"{path}: nested too deeply") from error
    except ValueError as error:  # of the text, or of the bytes
        raise InvalidSettings(f"{path}: not valid TOML: {error}") from error


def _tools_of(document: dict[str, Any]) -> Mapping[str, Any]:
    tools = document.get("tool")
    return tools if isinstance(tools, Mapping) else {}


def _require_key(key: str, place: str) -> None:
    if key in _PYTHON_ONLY:
        raise InvalidSettings(f"{place}: {key!r} is a function, so it can be set in Python only")
    if key in ("tool", _TABLE):
        table = f"tool.{_TABLE}" if key == "tool" else _TABLE
        problem = f"remove the line [{table}]: in {OWN_FILE} the settings are at the top level"
        raise InvalidSettings(f"{place}: {problem}")
    if key not in _KEYS:
        known = (*_KEYS, _GATE, _REDACT)
        hint = did_you_mean(key, known) or f". Choose from: {', '.join(known)}"
        raise InvalidSettings(f"{place}: unknown setting {key!r}{hint}")


def _removed_in(gate: Any, place: str) -> dict[str, str]:
    """The removed cases of a file: `[gate.removed]`, with a reason for each case."""
    removed = gate.get(_REMOVED, {}) if isinstance(gate, Mapping) else None
    others = [key for key in gate if key != _REMOVED] if isinstance(gate, Mapping) else []
    if others or not isinstance(removed, Mapping):
        unknown = f"unknown key {others[0]!r}; " if others else ""
        raise InvalidSettings(
            f"{place}: gate: {unknown}expected a table [gate.removed] with lines"
            ' "CASE" = "why it was removed". Pass other options to `callscore gate`'
        )
    from callscore.comparing.removals import checked_removals  # rarely needed

    return checked_removals(removed, where=f"{place}: gate.removed")


def _judge_in(values: Mapping[str, Any], place: str) -> dict[str, str]:
    """The judge of a file: `judge = "model"`, or a table with its `base_url` and `key_variable`."""
    if _JUDGE not in values:
        return {}
    given = values[_JUDGE]
    judge = {"name": given} if isinstance(given, str) else given
    if not isinstance(judge, Mapping) or not judge.get("name"):
        raise InvalidSettings(f'{place}: judge: specify a model, as in judge = "gpt-4.1-mini"')
    for key, value in judge.items():
        if key not in _JUDGE_KEYS:
            raise InvalidSettings(
                f"{place}: judge: unknown key {key!r}{did_you_mean(key, _JUDGE_KEYS)}"
            )
        if not isinstance(value, str):
            raise InvalidSettings(f"{place}: judge: {key}: {value!r} is not a string")
    return dict(judge)


def _with_place(
    place: str, read: Callable[[Mapping[str, Any]], dict[str, Any]], values: Mapping[str, Any]
) -> dict[str, Any]:
    try:
        return read(values)
    except CallscoreError as error:
        raise InvalidSettings(f"{place}: {error}") from error


def _checked(values: Mapping[str, Any]) -> dict[str, Any]:
    """The settings, with those of their preset."""
    chosen = get_preset(values[_PRESET]) if _PRESET in values else {}
    checked = {**chosen, **{key: value for key, value in values.items() if key != _PRESET}}
    settings_from(checked)
    return checked

"""Options of a command as they are typed: for a command that a report suggests."""

from __future__ import annotations

import shlex
from collections.abc import Iterator, Mapping
from typing import Any

from callscore.core.settings import ArgumentRule, Settings
from callscore.words.value_text import encode_json

_NAMES = {"effects": "effect", "arguments": "argument"}
_INPUTS = {
    "input_format": "input-format",
    "view": "view",
    "id_from": "id-from",
    "tools": "tools",
}


def settings_as_typed(options: Mapping[str, Any]) -> Iterator[str]:
    """The given settings as options of the command line."""
    if options.get("no_config"):
        yield "--no-config"
    for name in ("config", "preset", *Settings.__struct_fields__):
        given = options.get(name)
        for value in given if isinstance(given, tuple) else (given,):
            if value is not None:
                option = _NAMES.get(name, name).replace("_", "-")
                yield f"--{option} {shlex.quote(option_text(value))}"


def inputs_as_typed(options: Mapping[str, Any]) -> Iterator[str]:
    """How files are read, as options of the command line."""
    for name, path in dict(options.get("fields") or ()).items():
        yield f"--map {shlex.quote(f'{name}={path}')}"
    for name, option in _INPUTS.items():
        value = options.get(name)
        if isinstance(value, str):
            yield f"--{option} {shlex.quote(value)}"


def option_text(value: Any) -> str:
    """The value of a setting as it is written on the command line."""
    if isinstance(value, ArgumentRule):
        options = f":{encode_json(value.options).decode()}" if value.options else ""
        return f"{value.pattern}={value.rule}{options}"
    if isinstance(value, tuple):  # an effect
        return "=".join(value)
    return f"{value:g}" if isinstance(value, float) else str(value)

"""What every output must be: valid in its format, and without characters that a terminal obeys."""

from __future__ import annotations

import re
from xml.etree import ElementTree as ET

import msgspec

__all__ = ["Wrong", "check_output", "check_text"]

# C0 but for tabs and line ends, DEL, C1, directions and marks of bidirectional text, line separators.
_CONTROLS = re.compile(
    "[\x00-\x08\x0b-\x1f\x7f-\x9f\u061c\u200e\u200f\u2028-\u202e\u2066-\u2069\ud800-\udfff]"
)
_COMMANDS = re.compile(r"^\s*(::[\w-]+[ :]|##\[)", re.MULTILINE)
_TRACEBACK = "Traceback (most recent call last)"


class Wrong(AssertionError):
    """An output that is not what it must be; `what` is the same for all outputs of this fault."""

    def __init__(self, what: str, more: str = "") -> None:
        super().__init__(f"{what}: {more}" if more else what)
        self.what = what


def check_text(text: str, where: str) -> None:
    """Require that a text can be shown on a terminal and in the log of a build."""
    found = _CONTROLS.search(text)
    if found:
        around = text[max(0, found.start() - 30) : found.end() + 30]
        raise Wrong(f"a raw control character in {where}", ascii(around))
    if _TRACEBACK in text:
        raise Wrong(f"a traceback in {where}", text[-300:])


def check_output(arguments: tuple[str, ...], out: bytes, error: bytes) -> None:
    """Require that the two outputs of a command are as its format says."""
    command = arguments[0]
    for data, where in ((out, "the output"), (error, "the messages")):
        try:
            text = data.decode()
        except UnicodeDecodeError as failure:
            raise Wrong(f"{where} of {command}: not UTF-8", str(failure)) from failure
        check_text(text, f"{where} of {command}")
        # The gate annotates its own findings, in a form that the runner of a build obeys.
        found = _COMMANDS.search(text) if command != "gate" else None
        if found:
            raise Wrong(f"a workflow command in {where} of {command}", ascii(found.group()))
    kind = _format_of(arguments)
    if out.strip():
        _check_format(kind, out, f"the {kind} output of {command}")


def _format_of(arguments: tuple[str, ...]) -> str:
    command = arguments[0]
    if command in ("extract", "capture", "generate", "export"):
        return "jsonl"
    if "--json" in arguments:
        return "json"
    return arguments[arguments.index("--format") + 1] if "--format" in arguments else "table"


def _check_format(kind: str, out: bytes, where: str) -> None:
    try:
        if kind == "json":
            msgspec.json.decode(out)
        elif kind == "jsonl":
            for line in out.split(b"\n"):
                if line.strip():
                    msgspec.json.decode(line)
        elif kind == "junit":
            ET.fromstring(out)  # noqa: S314  (the program's own output)
    except (msgspec.DecodeError, ET.ParseError, UnicodeDecodeError, RecursionError) as error:
        raise Wrong(f"{where} is invalid", f"{error}: {out[:200]!r}") from error

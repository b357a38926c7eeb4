"""GitHub workflow commands: annotations for a gate, and text in which no line is such a command."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

from callscore.core.phrases import say
from callscore.core.rendering import escape
from callscore.reports.compare import (
    CHANGES,
    certainty_line,
    change_line,
    change_rows,
    has_several_evaluations,
)
from callscore.reports.gate import gate_title, inconclusive_line, reason_lines

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping

    from callscore.comparing.gating import Gate
    from callscore.core.phrases import Language

__all__ = ["annotation_lines", "escape_commands"]

# GitHub shows ten of a kind for each step, and drops the others.
_MOST = 10
# What a runner executes as a command, wherever the text comes from; colours may precede it.
_COMMAND = re.compile(r"^((?:\s|\x1b\[[\d;]*m)*):(?=:)", re.MULTILINE)
_OLD_COMMAND = re.compile(r"#(?=#\[)")
# How the first character of a command is escaped: a runner ignores it, and people see the same.
_ESCAPES = {"json": ("\\u003a", "\\u0023"), "junit": ("&#58;", "&#35;")}
_PLAIN_ESCAPES = (": ", "# ")


def annotation_lines(
    gate: Gate, *, files: Mapping[str, str] | None = None, lang: Language = "en"
) -> list[str]:
    """The lines, each an annotation: why the gate is closed, and the cases that broke.

    Args:
        gate: what it says.
        files: the file of each evaluation of the second run, by its name.
        lang: the language.
    """
    title, about = gate_title(gate, lang)
    if gate.is_open:
        main = gate.comparison.main
        warning = inconclusive_line(gate, lang)
        sure = warning or f"{change_line(gate.comparison, lang)}, {certainty_line(main, lang)}"
        message = f"{about}; {sure}"
        return [_command("notice", message, title=f"callscore: {title}")]
    lines = [
        _command("error", sentence + (f" ({names})" if names else ""), title=f"callscore: {title}")
        for _, sentence, names in reason_lines(gate, lang)
    ]
    return [*lines, *_case_annotations(gate, files or {}, lang)][:_MOST]


def _case_annotations(gate: Gate, files: Mapping[str, str], lang: Language) -> Iterator[str]:
    """The cases that broke, each where its evaluation stands."""
    changes = gate.comparison.changed("broken")
    rows = change_rows(changes, lang, has_evaluation=has_several_evaluations(gate.comparison))
    for change, row in zip(changes, rows, strict=True):
        about = {"title": say(CHANGES["broken"], lang, cases=row.case)}
        file = files.get(change.evaluation)
        if file:
            about = {"file": file, **about}
        details = (row.trials, row.f1 and f"F1 {row.f1}", row.remarks)
        parts = [change.evaluation, *[part for part in details if part]]
        yield _command("error", ", ".join(parts), **about)


def _command(kind: str, message: str, **properties: str) -> str:
    said = ",".join(f"{name}={_property(value)}" for name, value in properties.items())
    return f"::{kind} {said}::{_message(message)}"


def _message(text: str) -> str:
    """Text that ends where the line ends: what could end it earlier is spelled out."""
    return escape_commands(escape(text)).replace("%", "%25")


def _property(text: str) -> str:
    return _message(text).replace(":", "%3A").replace(",", "%2C")


def escape_commands(text: str, output_format: str = "table") -> str:
    """A report in which no line is a command to a runner, whatever a case is called.

    Args:
        text: the report, as it is printed.
        output_format: what it is; what programs read has the same meaning afterwards.
    """
    colon, hash_sign = _ESCAPES.get(output_format, _PLAIN_ESCAPES)
    text = _COMMAND.sub(lambda found: f"{found[1]}{colon}", text)
    return _OLD_COMMAND.sub(lambda _: hash_sign, text)

"""What a gate says as Markdown, for a comment on a pull request or the summary of a build step."""

from __future__ import annotations

from typing import TYPE_CHECKING

from callscore.core.wording import say
from callscore.reports import compare_wording
from callscore.reports import gate_wording as wording
from callscore.reports.compare_markdown import FEW, change_blocks, facts, note_items
from callscore.reports.compare_notes import compare_notes
from callscore.reports.markdown_text import code, entities

if TYPE_CHECKING:
    from collections.abc import Iterator

    from callscore.comparing.gating import Gate
    from callscore.core.wording import Language

__all__ = ["NAME", "write"]

NAME = "markdown"

_LONG = 1000


def write(gate: Gate, *, next_command: str, lang: Language = "en") -> str:
    """The verdict with its reasons; the cases are folded in.

    Args:
        gate: what it says.
        next_command: what to type next.
        lang: the language.
    """
    return "\n\n".join(block for block in _blocks(gate, next_command, lang) if block) + "\n"


def _blocks(gate: Gate, next_command: str, lang: Language) -> Iterator[str]:
    comparison, main = gate.comparison, gate.comparison.main
    title, about = wording.gate_title(gate, lang, write=code)
    yield f"## {title}: {about}"
    reasons = wording.reason_lines(gate, lang, write=code)
    items = [(words, "" if kind == "regressed" else names) for kind, words, names in reasons]
    yield "\n".join(note_items(items, is_grave=True))
    if main.change is not None and "regressed" not in [kind for kind, _, _ in reasons]:
        yield f"**{compare_wording.change_line(main, lang, write=code)}**"
    yield from facts(comparison, lang)
    yield "\n".join(note_items(compare_notes(comparison, lang, write=code)))
    changes = [*change_blocks(comparison, FEW, lang)]
    if changes:
        title = ", ".join(words for words, _ in compare_wording.flips(comparison, lang))
        body = "\n\n".join(changes)
        yield f"<details><summary>{entities(title)}</summary>\n\n{body}\n\n</details>"
    command = code(next_command, width=_LONG)
    yield f"{say(wording.NEXT, lang, command=command)} ({code(wording.strictness(gate, lang))})"

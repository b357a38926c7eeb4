"""What a gate says as Markdown, for a comment on a pull request or the summary of a build step."""

from __future__ import annotations

from typing import TYPE_CHECKING

from callscore.core.wording import say
from callscore.reports import compare_wording
from callscore.reports import gate_wording as wording
from callscore.reports.compare_markdown import (
    FEW,
    change_blocks,
    facts,
    note_items,
    slice_blocks,
)
from callscore.reports.compare_notes import compare_notes
from callscore.reports.markdown_text import code, details, entities

if TYPE_CHECKING:
    from collections.abc import Iterator

    from callscore.comparing.gating import Gate
    from callscore.core.wording import Language

__all__ = ["write"]

_LONG = 1000


def write(gate: Gate, *, next_command: str, most: int = FEW, lang: Language = "en") -> str:
    """The verdict with its reasons; the cases are folded in.

    Args:
        gate: what it says.
        next_command: what to type next.
        most: how many cases to show that went otherwise in the same way, and how many tools and tags.
        lang: the language.
    """
    blocks = [*_beginning(gate, lang), *_details(gate, most, lang), _next(gate, next_command, lang)]
    return "\n\n".join(block for block in blocks if block) + "\n"


def _beginning(gate: Gate, lang: Language) -> Iterator[str]:
    comparison, main = gate.comparison, gate.comparison.main
    title, about = wording.gate_title(gate, lang, write=code)
    yield f"## {title}: {about}"
    reasons = wording.reason_lines(gate, lang, write=code)
    items = [(words, "" if kind == "regressed" else names) for kind, words, names in reasons]
    doubt = wording.doubt_line(gate, lang)
    doubts = [(doubt, "")] if doubt else []
    yield "\n".join([*note_items(items, is_grave=True), *note_items(doubts)])
    if main.change is not None and "regressed" not in [kind for kind, _, _ in reasons]:
        yield f"**{compare_wording.change_line(comparison, lang, write=code)}**"
    yield from facts(comparison, lang)
    said = {reason.kind for reason in gate.reasons}
    yield "\n".join(note_items(compare_notes(comparison, lang, write=code, said=said)))


def _details(gate: Gate, most: int, lang: Language) -> Iterator[str]:
    comparison = gate.comparison
    yield from slice_blocks(comparison, wording.regressed_slices(comparison), most, lang)
    changes = [*change_blocks(comparison, most, lang)]
    if changes:
        title = ", ".join(words for words, _ in compare_wording.flips(comparison, lang))
        body = "\n\n".join(changes)
        yield details(entities(title), body)


def _next(gate: Gate, next_command: str, lang: Language) -> str:
    command = code(next_command, width=_LONG)
    return f"{say(wording.NEXT, lang, command=command)} ({code(wording.strictness(gate, lang))})"

"""What a gate says, for people: open or closed, why, and what to type next."""

from __future__ import annotations

from typing import TYPE_CHECKING

from rich.text import Text

from callscore.core.text import escape
from callscore.core.wording import say
from callscore.reports import compare_wording
from callscore.reports import gate_wording as wording
from callscore.reports.compare_markdown import FEW
from callscore.reports.compare_notes import compare_notes
from callscore.reports.compare_tables import VERDICT_STYLES, side_table
from callscore.reports.compare_terminal import (
    change_section,
    flip_section,
    slice_sections,
    sure_lines,
)
from callscore.reports.sections import SPACE, Section, note_line, print_sections, width_of, written

if TYPE_CHECKING:
    from collections.abc import Iterator

    from rich.console import Console

    from callscore.comparing.gating import Gate
    from callscore.core.wording import Language

__all__ = ["render", "write"]

_SHOWN_BELOW = ("broken", "in doubt")


def write(gate: Gate, *, next_command: str, most: int = FEW, lang: Language = "en") -> str:
    """The block as plain text, for a file."""
    return written(
        lambda console: render(
            gate, console=console, next_command=next_command, most=most, lang=lang
        )
    )


def render(
    gate: Gate, *, console: Console, next_command: str, most: int = FEW, lang: Language = "en"
) -> None:
    """Print the block.

    Args:
        gate: what it says.
        console: where to print it.
        next_command: what to type next.
        most: how many cases to show that broke, and how many tools and tags that regressed.
        lang: the language.
    """
    sections = _sections(gate, width_of(console), most, lang)
    print_sections([section for section in sections if section], console)
    console.print()
    line = Text().append(say(wording.NEXT, lang, command="")).append(escape(next_command), "bold")
    console.print(line, soft_wrap=True)  # somebody copies it


def _sections(gate: Gate, width: int, most: int, lang: Language) -> Iterator[Section]:
    comparison, main = gate.comparison, gate.comparison.main
    kinds = {reason.kind for reason in gate.reasons}
    yield [_title(gate, lang), *_reasons(gate, lang)]
    numbers = sure_lines(main, lang)
    if "regressed" in kinds:  # then the reason has the others
        numbers = numbers[1:]
    elif numbers:
        change = compare_wording.change_line(comparison, lang)
        numbers = [Text(change, VERDICT_STYLES[main.verdict]), *numbers]
    yield [*numbers, *flip_section(comparison, lang)]
    slices = wording.regressed_slices(comparison)
    yield from slice_sections(comparison, slices, width, most=most, lang=lang)
    yield change_section(comparison, wording.shown_kind(gate), width, most=most, lang=lang)
    yield [side_table(comparison, lang)]
    yield [note_line(*line) for line in compare_notes(comparison, lang, said=kinds)]


def _title(gate: Gate, lang: Language) -> Text:
    title, about = wording.gate_title(gate, lang)
    line = Text().append(title, "bold green" if gate.is_open else "bold red")
    return line.append(SPACE + about).append(SPACE + wording.strictness(gate, lang), "dim")


def _reasons(gate: Gate, lang: Language) -> Section:
    """Why it is closed, or is not; the cases that broke are shown below."""
    doubt = wording.doubt_line(gate, lang)
    return [
        *[
            note_line(sentence, "" if kind in _SHOWN_BELOW else names, style="bold red")
            for kind, sentence, names in wording.reason_lines(gate, lang)
        ],
        *([note_line(doubt, "")] if doubt else []),
    ]

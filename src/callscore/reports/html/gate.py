"""The report of a gate as an HTML file: the comparison, and why the gate is open or closed."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from typing import TYPE_CHECKING

from msgspec.structs import replace

from callscore.core.phrases import Language, Phrase, say
from callscore.hiding.hider import hide_for_report, hide_text
from callscore.reports.compare import change_line
from callscore.reports.compare_notes import CHANGED, removal_hint
from callscore.reports.formatting import with_names
from callscore.reports.gate import first_notes, gate_title, reason_lines
from callscore.reports.html.compare import ComparedRuns, compared_document, parts_of_runs
from callscore.reports.html.document import Document, NextStep, Note, Verdict

if TYPE_CHECKING:
    from callscore.comparing.gating import Gate
    from callscore.reports.html.compared_trials import PairTrials

# By the command that `suggested_command` proposes.
_WHY = {
    "show": Phrase("See what closed the gate", "Посмотреть, из-за чего гейт не пройден"),
    "baseline": Phrase("Make this run the baseline", "Сделать этот прогон базовым"),
    "run": Phrase("Run the evaluations again", "Запустить проверки снова"),
    "compare": Phrase("Compare the two runs", "Сравнить два прогона"),
    "history": Phrase("Choose another run", "Выбрать другой прогон"),
}
_SEE_CASE = Phrase("See the case in full", "Посмотреть случай целиком")


def html_parts(
    gate: Gate,
    runs: ComparedRuns,
    cases: Iterable[PairTrials],
    *,
    next_command: str,
    lang: Language = "en",
) -> Iterator[bytes]:
    """The file of a report on a gate, in parts; `runs` are those that it compares."""
    return parts_of_runs(runs, cases, lambda: gate_document(gate, runs, next_command, lang), lang)


def gate_document(gate: Gate, runs: ComparedRuns, next_command: str, lang: Language) -> Document:
    """The document of a gate: that of its comparison, with the verdict of the gate."""
    gate = hide_for_report(gate)
    kinds = {reason.kind for reason in gate.reasons}
    document = compared_document(runs, lang, said=kinds | CHANGED)
    word, about = gate_title(gate, lang, write=str)
    first = [with_names(*note) for note in first_notes(gate, lang, write=str)]
    change = [change_line(gate.comparison, lang, write=str)] if gate.comparison.main.cases else []
    details = [*first, *change, *document.verdict.details]
    return replace(
        document,
        kind="gate",
        verdict=Verdict("good" if gate.is_open else "bad", f"{word}: {about}", tuple(details)),
        gate={
            "passed": gate.is_open,
            "reasons": [
                with_names(sentence, names)
                for _, sentence, names in reason_lines(gate, lang, write=str)
            ],
        },
        notes=(*document.notes, *_removal_notes(gate, lang)),
        next=[NextStep(hide_text(next_command), say(_why(gate, next_command), lang))],
    )


def _removal_notes(gate: Gate, lang: Language) -> Iterator[Note]:
    """How to remove missing cases on purpose."""
    if gate.comparison.missing and not gate.is_partial:
        hint, lines = removal_hint(gate.comparison, lang)
        yield Note(hint, tuple(lines))


def _why(gate: Gate, next_command: str) -> Phrase:
    _, _, words = next_command.partition(" ")
    name = words.partition(" ")[0]
    if name == "show" and gate.is_open:  # a loss that is too small to close it
        return _SEE_CASE
    return _WHY.get(name, _SEE_CASE)

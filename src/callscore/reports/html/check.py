"""The report of checked calls as an HTML file: every run with faults, with all its calls."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from contextlib import closing
from pathlib import PurePath
from typing import TYPE_CHECKING, Literal

from msgspec import UNSET

from callscore.core.phrases import Language, Phrase, count_of, say
from callscore.hiding.hider import hide_for_report
from callscore.reports.check import (
    FINDINGS,
    check_notes,
    headline_parts,
    more_findings,
    parameters_line,
)
from callscore.reports.html.case_view import (
    CaseView,
    IndexRow,
    Problem,
    Row,
    argument_of,
    encode_view,
)
from callscore.reports.html.document import (
    Counts,
    Document,
    Fact,
    Heading,
    Headline,
    Note,
    Verdict,
    document_parts,
    notes_of,
)
from callscore.reports.html.packing import Packer, packed_line, read_line
from callscore.words.case_json import call_part
from callscore.words.reasons import fault_kind_name, fault_reason
from callscore.words.value_text import TRACES, json_safe

if TYPE_CHECKING:
    from callscore.checks.check import CheckResults, FaultyRun
    from callscore.core.score import Fault

_TRACES = Phrase("Traces", "Трассы")
_CALLS = Phrase("Calls", "Вызовы")
_FAULTY_CALLS = Phrase("Calls with faults of any kind", "Вызовы с любыми ошибками")
_VALID_CALLS = Phrase("Calls valid under their schemas", "Вызовы по схеме")
_FAULTLESS = Phrase("{traces} without faults: not listed", "без ошибок, в списке нет: {traces}")


def html_parts(
    results: CheckResults,
    lines: Iterable[bytes],
    *,
    lang: Language = "en",
    heading: Heading | None = None,
) -> Iterator[bytes]:
    """The file of a report on checked calls, in parts, from runs as `run_line` writes them."""
    results, heading = hide_for_report((results, heading or Heading()))
    with closing(Packer()) as packer:
        for line in lines:
            row, _, view = read_line(line)
            packer.add(row, view)
        document = _document(results, packer.count, lang, heading)
        yield from document_parts(document, packer, lang)


def run_line(run: FaultyRun, lang: Language) -> bytes:
    """A run with faults as it waits to be packed; its secrets are hidden already."""
    name = run.run or PurePath(run.place).name
    view = CaseView(
        id=json_safe(name),
        evaluation=json_safe(run.place),
        status="failed",
        summary=count_of(FINDINGS, len(run.faults), lang),
        rows=_rows(run, lang),
    )
    row = IndexRow(
        name,
        None,
        "failed",
        None,
        (),
        tuple(dict.fromkeys([call.name for call in run.calls])),
        tuple(dict.fromkeys([_problem(fault, lang) for fault in run.faults])),
    )
    return packed_line(row, encode_view(view))


def _rows(run: FaultyRun, lang: Language) -> list[Row]:
    """All calls in order; what is wrong with a call is below it."""
    notes: dict[int, list[str]] = {}
    for fault in run.faults:
        title, reason = fault_kind_name(fault.kind, lang=lang), fault_reason(fault, lang=lang)
        note = reason if reason.startswith(title) else f"{title}: {reason}"
        notes.setdefault(fault.index, []).append(note)
    return [
        Row(
            "!" if position in notes else "=",
            actual=call_part(call),
            actual_index=position,
            notes=notes.get(position, UNSET),
        )
        for position, call in enumerate(run.calls)
    ]


def _problem(fault: Fault, lang: Language) -> Problem:
    title = fault_kind_name(fault.kind, lang=lang)
    argument = argument_of(fault.path) or None
    return Problem("schema", fault.tool, argument, detail=fault.kind, title=title)


# --- the document ---------------------------------------------------------------------------------


def _document(results: CheckResults, listed: int, lang: Language, heading: Heading) -> Document:
    checked, faulty = headline_parts(results, lang)
    status: Literal["good", "bad", "neutral"] = "bad" if results.faulty_calls else "good"
    faultless = results.runs - results.faulty_runs
    return Document(
        kind="check",
        lang=lang,
        title=heading.title,
        verdict=Verdict(status if results.calls else "neutral", f"{checked}: {faulty}"),
        headline=_headline(results, lang),
        facts=tuple(_facts(results, lang)),
        counts=Counts(
            cases=results.runs,
            trials=results.runs,
            passed=faultless,
            failed=results.faulty_runs,
        ),
        tools=[
            {
                "tool": json_safe(name),
                "expected": tool.calls,
                "correct": tool.calls - tool.faulty_calls,
                "incorrect": tool.faulty_calls,
                "missed": 0,
                "extra": 0,
                "forbidden": 0,
            }
            for name, tool in results.tools.items()
        ],
        notes=tuple(_notes(results, faultless, lang)),
        next=heading.next,
        not_shown=results.faulty_runs - listed,
    )


def _headline(results: CheckResults, lang: Language) -> Headline | None:
    """The share of valid calls; None if no call could be checked against a schema."""
    valid = parameters_line(results, lang)
    if valid is None:
        return None
    return Headline(say(_VALID_CALLS, lang), results.parameters_valid, meaning=valid)


def _facts(results: CheckResults, lang: Language) -> Iterator[Fact]:
    yield Fact(say(_TRACES, lang), results.runs, "number")
    yield Fact(say(_CALLS, lang), results.calls, "number")
    yield Fact(say(_FAULTY_CALLS, lang), results.faulty_calls, "number")
    for kind, count in results.totals.items():
        yield Fact(fault_kind_name(kind, lang=lang).capitalize(), count, "number")


def _notes(results: CheckResults, faultless: int, lang: Language) -> Iterator[Note]:
    yield from notes_of(check_notes(results, lang))
    if faultless and results.faulty_runs:
        yield Note(say(_FAULTLESS, lang, traces=count_of(TRACES, faultless, lang)))
    more = more_findings(results, lang)
    if more:
        yield Note(more)

"""What checking calls gave, as GitHub Markdown."""

from __future__ import annotations

from typing import TYPE_CHECKING

from callscore.core.fault_text import fault_sentence, kind_name
from callscore.core.wording import say
from callscore.reports import check_wording as wording
from callscore.reports.markdown_text import code, note_item, table
from callscore.reports.wording import MORE

if TYPE_CHECKING:
    from collections.abc import Iterator

    from callscore.checks.results import CheckResults, Finding
    from callscore.core.phrase import Language

__all__ = ["write"]

_MOST_TOOLS = 20
_SENTENCE_WIDTH = 300


def write(results: CheckResults, *, lang: Language = "en") -> str:
    """Headline, notes, faults by tool, and findings; what the traces hold stays plain text."""
    return "\n\n".join(_blocks(results, lang)) + "\n"


def _blocks(results: CheckResults, lang: Language) -> Iterator[str]:
    checked, faulty = wording.headline(results, lang)
    yield f"## {checked}: {faulty}"
    valid = wording.parameters_line(results, lang)
    if valid is not None:
        yield valid
    notes = [note_item(*line, width=_SENTENCE_WIDTH) for line in wording.check_notes(results, lang)]
    if notes:
        yield "\n".join(notes)
    yield from _by_tool(results, lang)
    findings = [_finding(finding, lang) for finding in results.findings]
    if findings:
        yield "\n".join(findings)
    more = wording.more_findings(results, lang)
    if more is not None:
        yield more


def _by_tool(results: CheckResults, lang: Language) -> Iterator[str]:
    kinds = list(results.totals)
    rows = [
        (code(name), tool.calls, *(tool.faults.get(kind, 0) for kind in kinds))
        for name, tool in results.tools.items()
        if tool.total
    ]
    if rows:
        labels = [say(wording.TOOL, lang), say(wording.CALLS, lang)]
        labels += [kind_name(kind, lang=lang) for kind in kinds]
        yield f"### {say(wording.FAULTS, lang)}"
        yield table(labels, rows[:_MOST_TOOLS])
    if len(rows) > _MOST_TOOLS:
        yield say(MORE, lang, count=len(rows) - _MOST_TOOLS)


def _finding(finding: Finding, lang: Language) -> str:
    kind = kind_name(finding.fault.kind, lang=lang)
    sentence = fault_sentence(finding.fault, lang=lang)
    place = code(wording.place_of(finding, lang), width=_SENTENCE_WIDTH)
    return f"- **{kind}** {place}: {code(sentence, width=_SENTENCE_WIDTH)}"

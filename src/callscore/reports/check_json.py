"""What checking calls gave, as one JSON document or as one line for each finding."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import msgspec

from callscore.core.export import call_to_dict
from callscore.core.fault_text import fault_sentence
from callscore.core.plain import encode_json

if TYPE_CHECKING:
    from callscore.checks.results import CheckResults, Finding
    from callscore.core.phrase import Language
    from callscore.core.results import Noted

__all__ = ["finding_line", "write"]

_NOTES = ("without_tools", "unusable", "without_calls", "skipped")


def write(results: CheckResults, *, lang: Language = "en") -> str:
    """The document, indented; the language is that of the sentences in it, never of the keys."""
    document = {
        "files": results.files,
        "runs": results.runs,
        "calls": results.calls,
        "faulty_calls": results.faulty_calls,
        "checked_calls": results.checked_calls,
        "unchecked_calls": results.unchecked_calls,
        "invalid_calls": results.invalid_calls,
        "parameters_valid": results.parameters_valid,
        "faults": results.totals,
        "tools": {
            name: {"calls": tool.calls, "faults": tool.faults}
            for name, tool in results.tools.items()
        },
        "findings": [_finding(finding, lang) for finding in results.findings],
        "not_shown": results.not_shown,
        **{field: _noted(getattr(results, field)) for field in _NOTES},
    }
    return msgspec.json.format(encode_json(document), indent=2).decode() + "\n"


def finding_line(finding: Finding, *, lang: Language = "en") -> str:
    """One finding as a line of JSON, with its line break."""
    return encode_json(_finding(finding, lang)).decode() + "\n"


def _finding(finding: Finding, lang: Language) -> dict[str, Any]:
    fault = finding.fault
    return {
        "kind": fault.kind,
        "tool": fault.tool,
        "message": fault_sentence(fault, lang=lang),
        "place": finding.place,
        "run": finding.run,
        "index": fault.index,
        "path": fault.path,
        "value": fault.value,
        "wanted": fault.wanted,
        "keyword": fault.keyword,
        "since": fault.since,
        "call": call_to_dict(finding.call),
    }


def _noted(noted: Noted) -> dict[str, Any]:
    return {"count": noted.count, "names": list(noted.names)}

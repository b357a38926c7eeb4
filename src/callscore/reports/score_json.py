"""The report of scored cases as a JSON document, and as JSON lines."""

from __future__ import annotations

from functools import lru_cache
from typing import TYPE_CHECKING

import msgspec
from msgspec.structs import replace

from callscore.reports.case_by_case import CaseFormat, ShownCases
from callscore.words.case_json import case_to_json, plain_case_to_json, settings_to_json
from callscore.words.plain_data import results_to_dict
from callscore.words.value_text import json_document

if TYPE_CHECKING:
    from callscore.core.phrases import Language
    from callscore.core.results import Result, Results
    from callscore.hiding.hider import Hider

# Where the cases are in a document without any: no other line begins so, as line breaks in texts are escaped.
_NO_CASES = '\n  "cases": []'
_BEFORE_CASE, _AFTER_CASE = len("[\n  ["), -len("\n  ]\n]")
_START_OF_CASE, _END_OF_CASE = len("\n    {"), -len("\n    }")


def write_json(results: Results, *, lang: Language = "en") -> str:
    """An indented document; the language affects its sentences, never its keys."""
    others = replace(results, shown=())
    if not results.counted:
        return json_document(results_to_dict(others, lang=lang))
    before, after = _around(others, ShownCases(), lang)
    cases = b",".join([_case(case, lang) for case in results.counted])
    return f"{before}{cases.decode()}{after}"


def jsonl_line(case: Result, hider: Hider | None = None, *, lang: Language = "en") -> bytes:
    """The score of one case as a line of JSON, with its line break; `hider` hides secrets in it."""
    return _encoded(case, lang, hider) + b"\n"


def _case(case: Result, lang: Language, hider: Hider | None = None) -> bytes:
    """The score of one case on its own lines of the document."""
    return _indented_case(_encoded(case, lang, hider), case)


def _encoded(case: Result, lang: Language, hider: Hider | None) -> bytes:
    if hider is not None and hider.has_any:
        # The quick check takes less time in the text that is written than in the values. If these
        # are not written as they are, the values have to be checked.
        found = plain_case_to_json(case, lang=lang)
        if found is not None and not hider.occurs_in(found.decode()):
            return found
        case = hider.data(case)
    return case_to_json(case, lang=lang)


def _indented_case(found: bytes, case: Result) -> bytes:
    if case.score is None:
        return _indented(found)
    # The settings come last, are the same in all cases, and make up a third of a short one.
    settings, indented = _indented_settings(settings_to_json(case.score.settings))
    if not found.endswith(settings):
        return _indented(found)
    return _indented(found[: -len(settings)] + b"}")[:_END_OF_CASE] + indented


@lru_cache(maxsize=1)
def _indented_settings(settings: bytes) -> tuple[bytes, bytes]:
    """The end of a case with these settings, as it is encoded, and as it is in the document."""
    end = b'"settings":%b}' % settings
    return b"," + end, b"," + _indented(b"{" + end)[_START_OF_CASE:]


def _indented(found: bytes) -> bytes:
    # In two arrays it is indented as in the document. What precedes and follows it is cut off.
    return msgspec.json.format(b"[[%b]]" % found, indent=2)[_BEFORE_CASE:_AFTER_CASE]


def _around(results: Results, _: ShownCases, lang: Language) -> tuple[str, str]:
    before, after = write_json(results, lang=lang).split(_NO_CASES, 1)
    return f'{before}\n  "cases": [', f"\n  ]{after}"


CASE_FORMAT = CaseFormat(_case, _around, b",", _case)

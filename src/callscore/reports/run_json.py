"""The report of a run as a JSON document. Its cases, of which there may be many, are encoded one by one."""

from __future__ import annotations

from functools import partial
from typing import TYPE_CHECKING

import msgspec
from msgspec.structs import replace

from callscore.words.case_json import case_to_json
from callscore.words.plain_data import case_in_run, run_to_dict
from callscore.words.value_text import json_document

if TYPE_CHECKING:
    from callscore.core.phrases import Language
    from callscore.core.results import EvaluationResults, Result, RunResults

# Where the cases of an evaluation are in a document without any: line breaks in texts are escaped.
_NO_CASES = '\n      "cases": []'
_CASE_INDENT = b"\n        "


def write_json(run: RunResults, *, lang: Language = "en") -> str:
    """An indented document; the language affects its sentences, never its keys."""
    without = [
        replace(each, results=replace(each.results, shown=each.unreferenced))
        for each in run.evaluations
    ]
    document = json_document(run_to_dict(replace(run, evaluations=tuple(without)), lang=lang))
    first, *rest = document.split(_NO_CASES)
    parts = [first]
    for evaluation, after in zip(run.evaluations, rest, strict=True):
        parts += [_cases(evaluation, lang), after]
    return "".join(parts)


def _cases(evaluation: EvaluationResults, lang: Language) -> str:
    found = [_case(case, lang) for case in evaluation.results.counted]
    if not found:
        return _NO_CASES
    return f'\n      "cases": [{b",".join(found).decode()}\n      ]'


def _case(case: Result, lang: Language) -> bytes:
    arranged = partial(case_in_run, case)
    found = case_to_json(case, lang=lang, arranged=arranged)
    return _CASE_INDENT + msgspec.json.format(found, indent=2).replace(b"\n", _CASE_INDENT)

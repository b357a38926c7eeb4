"""Reports that are written case by case."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest
from msgspec.structs import replace

from callscore.cli.output import report_text
from callscore.reports.case_by_case import ShownCases, case_format

if TYPE_CHECKING:
    from callscore.core.phrases import Language
    from callscore.core.results import CaseScore, Results


@pytest.mark.parametrize("lang", ["en", "ru"])
@pytest.mark.parametrize("output_format", ["json", "junit", "markdown", "table"])
def test_the_parts_together_are_the_whole_report(
    results: Results, hostile: Results, output_format: str, lang: Language
) -> None:
    found = case_format(output_format)
    assert found is not None
    cases: tuple[CaseScore, ...] = (*results.cases, *hostile.cases, *results.cases)
    whole = report_text("score", output_format, replace(results, cases=cases), lang=lang)

    shown = ShownCases(len(cases), sum(not case.score.passed for case in cases))
    before, after = found.around(replace(results, cases=()), shown, lang)
    written = found.separator.join(found.case(case, lang) for case in cases)

    assert before + written.decode() + after == whole


def test_other_formats_are_written_as_a_whole() -> None:
    assert case_format("jsonl") is None

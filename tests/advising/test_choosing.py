from __future__ import annotations

from tests.advising.planted import BASE, case_records, labelled, sample_of

from callscore.advising.candidates import Candidate
from callscore.advising.choosing import Measured, Sample, choose_settings
from callscore.advising.runs import Runs


def _measured(sample: Sample, candidate: Candidate) -> Measured:
    (found,) = sample.measured([candidate])
    return found


def test_one_change_is_enough_for_order_that_matters() -> None:
    # A failure makes the right calls in the wrong order, with extra calls that do not matter.
    records = case_records("free")
    for record in records:
        right = record["expected"]
        record["actual"] = [*(right if record["success"] else right[::-1]), *record["actual"][2:]]

    found = choose_settings(sample_of(records))

    assert found.candidate == Candidate("coverage", (("order", "in_order"),))
    assert found.area == 1.0


def test_candidates_that_cannot_score_a_case_are_left_out() -> None:
    records = case_records("plain")
    runs = [*labelled(records).runs]
    sample = Sample(Runs(runs), BASE)
    assert len(sample.measured([Candidate("strict", (("order", "exact"),))])) == 1

    from msgspec.structs import replace

    from callscore.core.case import Group  # groups have no position

    first = runs[0]
    grouped = replace(first.case, expected=(Group("any_order", tuple(first.case.expected or ())),))
    runs[0] = replace(first, case=grouped)
    sample = Sample(Runs(runs), BASE)

    assert sample.measured([Candidate("strict", (("order", "exact"),))]) == []
    assert choose_settings(sample).candidate == Candidate("strict")


def test_a_gain_that_is_noise_is_no_clear_gain() -> None:
    sample = sample_of(case_records("random"))
    strict = _measured(sample, Candidate("strict")).column
    flexible = _measured(sample, Candidate("flexible")).column

    assert not sample.is_clearly_better(strict, flexible)
    assert not sample.is_clearly_better(strict, strict)

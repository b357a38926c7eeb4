from __future__ import annotations

from typing import Any

from msgspec.structs import replace
from tests.advising.planted import labelled

from callscore import Settings, ToolCall
from callscore.advising.runs import Runs
from callscore.advising.suspects import Suspect, find_suspects
from callscore.core.case import Group
from callscore.core.scoring import score_calls
from callscore.formats.case_sides import read_expected_side

_STRICT = Settings()


def _call(name: str, **arguments: Any) -> dict[str, Any]:
    return {"name": name, "arguments": arguments}


def _runs(
    expected: list[dict[str, Any]], *made: tuple[list[dict[str, Any]], bool], case: str = "a"
) -> list[dict[str, Any]]:
    return [
        {"id": case, "trial": trial, "expected": expected, "actual": actual, "success": success}
        for trial, (actual, success) in enumerate(made)
    ]


def _suspects(records: list[dict[str, Any]], settings: Settings = _STRICT) -> tuple[Suspect, ...]:
    return find_suspects(Runs(labelled(records).runs), settings)


BOOK, REFUND, PAY = _call("book", seat=1), _call("refund", by="card"), _call("pay", by="card")


def test_successful_runs_that_agree_against_the_reference_make_it_suspect() -> None:
    records = _runs(
        [BOOK, PAY], ([BOOK, REFUND], True), ([REFUND, BOOK], True), ([BOOK, PAY], False)
    )

    (found,) = _suspects(records)

    assert (found.case, found.successes, found.agreeing, found.passing) == ("a", 2, 2, 0)
    assert found.failures == 0
    assert found.places == ("runs.jsonl:1", "runs.jsonl:2")
    assert [call.name for call in found.score.missed] == ["pay"]


def test_the_alternative_is_offered_beside_what_was_expected() -> None:
    records = _runs([BOOK, PAY], ([BOOK, REFUND], True), ([BOOK, REFUND], True))

    (found,) = _suspects(records)

    assert found.expected == [BOOK, PAY]
    assert found.proposed == [BOOK, {"one_of": [PAY, REFUND]}]
    proposed = read_expected_side(found.proposed, where="expected", spelled=True)
    for made in ([BOOK, REFUND], [BOOK, PAY]):
        calls = tuple([ToolCall(**call) for call in made])
        assert score_calls(proposed, calls, _STRICT).passed
    neither = (ToolCall(**BOOK), ToolCall("other", {}))
    assert not score_calls(proposed, neither, _STRICT).passed


def test_a_call_that_successful_runs_never_make_becomes_optional() -> None:
    records = _runs([BOOK, PAY], ([BOOK], True), ([BOOK], True))

    (found,) = _suspects(records)

    assert found.proposed == [BOOK, {"optional": PAY}]


def test_as_many_failures_with_the_same_calls_are_no_evidence() -> None:
    alike = [([PAY], True), ([PAY], True), ([PAY], False), ([PAY], False)]

    assert not _suspects(_runs([BOOK], *alike))
    (found,) = _suspects(_runs([BOOK], *alike[:-1]))
    assert found.failures == 1


def test_calls_that_do_not_count_do_not_divide_runs() -> None:
    look = [_call("get_seat", number=number) for number in (1, 2)]
    records = _runs([BOOK], ([look[0], PAY], True), ([look[1], PAY], True))

    assert not _suspects(records)
    (found,) = _suspects(records, Settings.preset("outcome"))
    assert found.proposed == [{"one_of": [BOOK, PAY]}]


def test_an_alternative_call_is_proposed_even_where_extra_calls_are_free() -> None:
    records = _runs([BOOK, PAY], ([BOOK, REFUND], True), ([BOOK, REFUND], True))

    (found,) = _suspects(records, Settings.preset("coverage"))

    assert found.proposed == [BOOK, {"one_of": [PAY, REFUND]}]
    assert [call.name for call in found.score.extra] == ["refund"]


def test_a_reference_with_groups_is_listed_and_left_to_people() -> None:
    runs = [*labelled(_runs([BOOK], ([PAY], True), ([PAY], True))).runs]
    grouped = [
        replace(
            run,
            case=replace(
                run.case, expected=(Group("one_of", (ToolCall(**BOOK), ToolCall(**REFUND))),)
            ),
        )
        for run in runs
    ]

    (found,) = find_suspects(Runs(grouped), _STRICT)

    assert found.expected == [{"one_of": [BOOK, REFUND]}]
    assert found.proposed is None


def test_the_strongest_evidence_comes_first() -> None:
    records = [
        *_runs([BOOK], ([PAY], True), ([PAY], True), ([BOOK], True), case="passing"),
        *_runs([BOOK], ([PAY], True), ([PAY], True), case="two"),
        *_runs([BOOK], ([PAY], True), ([PAY], True), ([PAY], True), case="three"),
    ]

    assert [found.case for found in _suspects(records)] == ["three", "two", "passing"]

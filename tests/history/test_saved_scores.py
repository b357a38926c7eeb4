"""A score that was saved is the same score: nothing of it is compared again."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import pytest
from tests.tables import outcomes
from tests.tables.rows import rows

from callscore import CallscoreError, Settings, expect, score
from callscore.core.case import Case
from callscore.core.large_number import decode_json
from callscore.core.results import Result
from callscore.core.score import Pair
from callscore.core.settings import PRESETS
from callscore.engines.payloads import case_payload, settings_payload
from callscore.history.records import json_bytes
from callscore.history.saved_scores import calls_payload, read_calls, read_score, save_score
from callscore.reports.case import full_call_lines
from callscore.reports.html.case_view import encode_view, index_row, view_of_result
from callscore.runner.stored_runs import read_settings
from callscore.words.case_json import case_to_json
from callscore.words.diff import call_lines

if TYPE_CHECKING:
    from collections.abc import Iterator

    from callscore import Score

TABLES = ("scoring", "counting", "pairing", "groups", "turns", "states", "effects", "texts")
CITY = {"name": "get_weather", "arguments": {"city": "Oslo"}}


def saved(value: Any) -> Any:
    return decode_json(json_bytes(value))


def through_the_history(found: Score, expected: Any) -> Score:
    """The score as a history gives it back; its case is saved as every case is."""
    case = Case(expected=expected, actual=found.actual)
    payload = case_payload(case)
    kept = save_score(found, case, payload)
    calls = read_calls(saved(calls_payload(found.actual)))
    settings = read_settings(saved(settings_payload(found.settings)))
    read = read_score(saved(kept), saved(payload), calls, settings)
    assert read is not None
    return read


def shown(found: Score) -> Iterator[Any]:
    """Everything that is shown of a score, in every report."""
    result = Result(case=Case(id="a"), score=found, passed=found.passed)
    for lang in ("en", "ru"):
        yield found.explain(lang=lang)
        yield call_lines(found, width=100, lang=lang)
        view = view_of_result(result, lang)
        yield encode_view(view)
        yield index_row(view, found, lang)
        yield case_to_json(Result(case=Case(id="a"), score=found), lang=lang)
    yield full_call_lines(found, width=40, lang="en")
    yield found.to_dict()
    yield found.to_dict(style="camel")
    yield outcomes.outcome(found)
    yield str(found)
    for pair in (*found.correct, *found.incorrect):
        yield repr(pair.differences), pair.differing_arguments, pair.overlap_parts
        if not found.has_equal_pairs:
            yield pair.matched_arguments, pair.expected_arguments


def text_of(found: Score) -> str:
    """The `repr`; a setting that was given as a word is a word again, and equal to the default."""
    return repr(found).replace("<Mode.STRICT: 'strict'>", "'strict'")


def scored_rows(table: str, preset: str) -> Iterator[tuple[Any, Score]]:
    for row in rows(table):
        data = {**row.data, "preset": row.data.get("preset", preset)}
        expected = data.get("expected")
        try:
            found = outcomes.scored(data)
        except CallscoreError:
            continue
        yield () if expected is None else tuple(expect.from_json(expected)), found


def compare_again(*_: Any) -> Any:
    raise AssertionError("a pair is compared again")


def assert_is_the_same(found: Score, expected: Any) -> None:
    before = [text_of(found), *shown(found)]
    read = through_the_history(found, expected)
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(Pair, "_compared", compare_again)
        patch.setattr(Pair, "_counted", compare_again)
        assert [text_of(read), *shown(read)] == before
    assert read.settings == found.settings


@pytest.mark.parametrize("table", TABLES)
def test_the_score_of_every_row_is_the_same_when_it_is_read(table: str) -> None:
    for expected, found in scored_rows(table, "strict"):
        assert_is_the_same(found, expected)


@pytest.mark.slow
@pytest.mark.parametrize("preset", PRESETS[1:])
@pytest.mark.parametrize("table", TABLES)
def test_it_is_the_same_under_every_preset(table: str, preset: str) -> None:
    for expected, found in scored_rows(table, preset):
        assert_is_the_same(found, expected)


@pytest.mark.parametrize(
    ("expected", "arguments"),
    [
        ({"$where": 1, "limit": expect.gt(3)}, {"$where": 1, "limit": 2}),
        ({"limit": expect.one_of(1, {"$gt": 2})}, {"limit": {"$gt": 3}}),
        ({"limit": 10**30}, {"limit": 10**31}),
        ({"name": expect.regex("^a"), "n": expect.approx(3, abs=1)}, {"name": "b", "n": 5}),
    ],
)
def test_what_only_python_can_say_is_the_same(expected: Any, arguments: Any) -> None:
    call = expect.call("search", expected)
    for wanted in ([call], [expect.optional(call), expect.forbid("log")]):
        found = score(wanted, [("search", arguments), ("log", {})])

        assert_is_the_same(found, tuple(wanted))


def test_a_judge_is_not_asked_again() -> None:
    def judge(_: str, value: Any) -> tuple[float, str]:
        return (0.2 if value == "Oslo" else 1.0), "it is a city"

    judge.model = "a model"  # type: ignore[attr-defined]
    wanted = [expect.call("go", to=expect.judge("Is it a town?"), by=expect.judge("Is it fast?"))]
    found = score(wanted, [("go", {"to": "Oslo", "by": "train"})], judge=judge)
    case = Case(expected=tuple(wanted), actual=found.actual)
    payload = case_payload(case)
    kept = save_score(found, case, payload)
    settings = read_settings({"judge": {"model": "a model"}})

    read = read_score(saved(kept), saved(payload), found.actual, settings)

    assert read is not None
    assert read.to_dict() == found.to_dict()
    assert read.explain() == found.explain()


def test_the_first_hundred_differences_are_saved_and_all_names() -> None:
    call = {f"a{number}": [1] * 30 for number in range(10)}
    found = score([("go", call)], [("go", {name: [2] * 30 for name in call})])

    read = through_the_history(found, (expect.call("go", call),))

    assert len(read.incorrect[0].differences) == 100
    assert read.incorrect[0].differing_arguments == [*call]
    assert read.argument_accuracy == found.argument_accuracy


@pytest.mark.parametrize(
    "kept",
    [
        {"correct": [[5, 5]]},
        {"equal": "two"},
        {"equal": 999_999_999},
        {"incorrect": [{"expected": 0}]},
        {"expected": [[]]},
        {"expected": [{"kind": "optional", "members": 3}]},
    ],
)
def test_something_else_is_no_score(kept: dict[str, Any]) -> None:
    assert read_score(kept, {"expected": [CITY]}, (), Settings()) is None

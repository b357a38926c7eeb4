"""What all adapters share: options are checked at once, and a sample gets the score of `score`."""

from __future__ import annotations

import re
from types import SimpleNamespace
from typing import Any

import pytest

import callscore
from callscore.adapters.scored import (
    REFERENCE_KEYS,
    Places,
    check_calls_from,
    reference_in,
    sample_scorer,
    settings_of,
)
from callscore.errors import InvalidCall, InvalidSettings

EXPECTED = [{"name": "search", "arguments": {"query": "AI news", "limit": 3}}, {"name": "save"}]
ACTUAL = [("search", {"query": "AI news", "limit": 4}), ("save", {}), ("translate", {})]


@pytest.mark.parametrize("options", [{}, {"preset": "flexible"}, {"order": "exact"}])
def test_the_score_is_the_one_of_score(options: Any) -> None:
    scored = sample_scorer(**options)(EXPECTED, ACTUAL)
    alone = callscore.score(EXPECTED, ACTUAL, **options)

    assert scored.score == alone
    assert (scored.value, scored.passed) == (alone.f1, alone.passed)
    assert scored.explanation == str(alone)
    assert scored.numbers == {
        "precision": alone.precision,
        "recall": alone.recall,
        "f1": alone.f1,
        "correct": len(alone.correct),
        "incorrect": len(alone.incorrect),
        "missed": len(alone.missed),
        "extra": len(alone.extra),
    }


@pytest.mark.parametrize(
    ("actual", "label"), [(EXPECTED, "pass"), ([], "fail")], ids=["correct", "nothing called"]
)
def test_the_label_is_the_verdict(actual: Any, label: str) -> None:
    assert sample_scorer()(EXPECTED, actual).label == label


@pytest.mark.parametrize("key", REFERENCE_KEYS)
def test_the_expected_calls_are_found_in_a_reference_that_is_an_object(key: str) -> None:
    assert sample_scorer()({key: EXPECTED, "answer": "..."}, EXPECTED).value == 1


def test_the_key_of_the_expected_calls_can_be_named() -> None:
    score_sample = sample_scorer("gold")

    assert score_sample({"gold": [], "expected": EXPECTED}, []).value == 1
    with pytest.raises(InvalidCall, match=r"no key 'gold'.*'answer'.*expected_key"):
        score_sample({"answer": 1}, [])


PLACES = Places("case", "'expected_output'", "its metadata")
KEYS = "'expected', 'expected_calls', 'expected_tool_calls', 'expected_tools' or 'tool_calls'"


@pytest.mark.parametrize(
    "metadata",
    [{"expected_call": EXPECTED, "level": 1}, SimpleNamespace(expected_call=EXPECTED, level=1)],
)
def test_a_missing_reference_is_an_error_that_says_where_to_put_it(metadata: Any) -> None:
    with pytest.raises(InvalidCall) as caught:
        reference_in(None, metadata, key=None, places=PLACES)

    assert str(caught.value) == (
        "expected: the case has no reference. There is only ['expected_call', 'level'] in its metadata. "
        f"Put the expected calls into 'expected_output', or into its metadata under {KEYS}; [] if no "
        "tool should be called."
    )


@pytest.mark.parametrize(
    ("places", "key", "put"),
    [
        (PLACES, "gold", "'expected_output', or into its metadata under 'gold';"),
        (Places("row", "'expected'"), None, "'expected';"),
        (Places("row", keyed="the columns"), None, f"the columns under {KEYS};"),
        (
            Places("row", keyed="the columns", keys=("a", "b")),
            None,
            "the columns under 'a' or 'b';",
        ),
    ],
)
def test_a_missing_reference_names_the_places_of_the_library(
    places: Places, key: str | None, put: str
) -> None:
    with pytest.raises(InvalidCall) as caught:
        reference_in(None, None, key=key, places=places)

    assert f"the {places.sample} has no reference. Put the expected calls into {put}" in str(
        caught.value
    )


@pytest.mark.parametrize(
    "reference", [{"expected_call": EXPECTED}, {"expected_call": EXPECTED, "level": 1}, {"gold": 1}]
)
def test_an_object_without_a_known_key_is_an_error_that_names_both(reference: Any) -> None:
    found = re.escape(str(sorted(reference)))

    with pytest.raises(
        InvalidCall, match=rf"none of the keys {KEYS}, only {found}\. .*'expected_key'"
    ):
        sample_scorer()(reference, [])


@pytest.mark.parametrize(
    ("reference", "output", "problem"),
    [
        ({"name": "search", "argumnts": {}}, [], "unknown field 'argumnts'"),
        ({"any_ordr": EXPECTED}, [], "unknown group 'any_ordr'"),
        ({"any_order": EXPECTED}, {"answer": 1}, "actual: a call needs a name"),
    ],
    ids=["a call", "a group", "the other side"],
)
def test_an_object_that_is_the_reference_itself_keeps_its_error(
    reference: Any, output: Any, problem: str
) -> None:
    with pytest.raises(InvalidCall, match=problem):
        sample_scorer()(reference, output)


@pytest.mark.parametrize("reference", [None, {"expected": None}])
def test_a_missing_reference_is_not_an_empty_one(reference: Any) -> None:
    with pytest.raises(InvalidCall, match=r"no reference.*\[\] if no tool"):
        sample_scorer()(reference, [])


def test_a_missing_output_is_not_an_empty_one() -> None:
    with pytest.raises(InvalidCall, match="actual"):
        sample_scorer()([], None)


@pytest.mark.parametrize(
    "options",
    [
        {"mode": "loose"},
        {"treshold": 1},
        {"settings": callscore.Settings(), "mode": "flexible"},
        {"settings": {}},
    ],
)
def test_invalid_options_are_an_error_before_the_first_sample(options: Any) -> None:
    with pytest.raises(InvalidSettings):
        sample_scorer(**options)


@pytest.mark.parametrize(
    ("name", "hint"),
    [
        ("presett", r"\. Did you mean 'preset'\?$"),
        ("tool", r"\. Did you mean 'tools'\?$"),
        ("expected_kye", r"\. Did you mean 'expected_key'\?$"),
        ("modee", r"\. Did you mean 'mode'\?$"),
        ("treshold", r"\. 'pass_mark' is the score from which"),
        ("threshold", r"\. 'pass_mark' is the score from which"),
        ("argument_match_treshold", r"\. Did you mean 'argument_match_threshold'\?$"),
        ("colour", r"\. Choose from: name, expected_key, .*mode, .*preset, .*tools"),
    ],
)
def test_an_unknown_option_is_refused_with_those_that_adapters_take(name: str, hint: str) -> None:
    options: Any = {name: 1}

    with pytest.raises(InvalidSettings, match=f"^unknown option '{name}'{hint}"):
        sample_scorer(**options)


def test_an_adapter_that_reads_traces_takes_calls_from() -> None:
    with pytest.raises(InvalidSettings, match=r"'calls_form'\. Did you mean 'calls_from'\?"):
        check_calls_from(None, {"calls_form": "trace"})
    with pytest.raises(
        InvalidSettings, match=r"'calls_form'\. Choose from: name, expected_key, mode"
    ):
        settings_of({"calls_form": "trace"})  # type: ignore[typeddict-unknown-key]


def test_settings_have_their_aliases() -> None:
    options: Any = {"argumentMatchThreshold": 0.5, "mode": "flexible"}

    assert settings_of(options).argument_match_threshold == 0.5


def test_settings_can_be_one_value() -> None:
    settings = callscore.Settings(pass_mark=0.5)

    assert settings_of({"settings": settings, "tools": []}) is settings
    assert sample_scorer(settings=settings)(EXPECTED, ACTUAL).score.settings is settings


def test_tools_are_read_once_and_used_for_every_sample() -> None:
    tools = [
        {
            "name": "search",
            "parameters": {"type": "object", "properties": {"limit": {"type": "integer"}}},
        }
    ]

    scored = sample_scorer(tools=tools)([("search", {"limit": 1})], [("search", {"limit": "x"})])

    assert scored.score.faults

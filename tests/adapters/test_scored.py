"""What all adapters share: options are checked at once, and a sample gets the score of `score`."""

from __future__ import annotations

import re
from importlib import import_module
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
    "reference", [{"expected_call": EXPECTED}, {"expected_call": EXPECTED, "level": 1}, {"gold": 1}]
)
def test_an_object_without_a_known_key_is_an_error_that_names_both(reference: Any) -> None:
    found = re.escape(str(sorted(reference)))

    with pytest.raises(
        InvalidCall, match=rf"none of the keys {KEYS}, only {found}\. .*'expected_key'"
    ):
        sample_scorer()(reference, [])


@pytest.mark.parametrize("reference", [None, {"expected": None}])
def test_a_missing_reference_is_not_an_empty_one(reference: Any) -> None:
    with pytest.raises(InvalidCall, match=r"no reference.*\[\] if no tool"):
        sample_scorer()(reference, [])


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


@pytest.mark.parametrize("adapter", ["agentevals", "promptfoo", "trl"])  # they need no library
def test_invalid_options_are_an_error_when_an_adapter_is_made(adapter: str) -> None:
    with pytest.raises(InvalidSettings, match="loose"):
        import_module(f"callscore.adapters.{adapter}").tool_calls(mode="loose")

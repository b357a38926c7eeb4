from __future__ import annotations

import json  # noqa: TID251  (what we export must please the standard library's encoder as well)
from datetime import date
from enum import IntEnum
from math import inf, nan
from typing import Any

import msgspec
import pytest
from hypothesis import given
from hypothesis import strategies as st

from callscore.core.export import encode_json, plain, results_to_dict, score_to_dict
from callscore.core.model import Score, ToolCall
from callscore.core.results import CaseScore, Noted, Results
from callscore.core.scoring import score_calls
from callscore.core.settings import Settings
from callscore.core.summary import Summary


class Level(IntEnum):
    HIGH = 3


def nested(depth: int) -> list[Any]:
    value: list[Any] = []
    for _ in range(depth):
        value = [value]
    return value


def example() -> Score:
    """Worked example (a), with the id of a call and a call that cannot be read."""
    expected = (
        ToolCall("searchWeb", {"query": "AI"}, id="call_1"),
        ToolCall("summarize", {"text": "long"}),
    )
    actual = (
        ToolCall("searchWeb", {"query": "AI"}),
        ToolCall("summarize", {"text": "short"}),
        ToolCall("translateText", raw="{oops", error="unexpected end"),
    )
    return score_calls(expected, actual, Settings())


def accepted_by_all(value: Any) -> Any:
    """What comes back from every encoder, which must be the same."""
    standard = json.loads(json.dumps(value, allow_nan=False))
    assert msgspec.json.decode(msgspec.json.encode(value)) == standard
    return standard


@pytest.mark.parametrize(
    ("value", "exported"),
    [
        (None, None),
        (True, True),
        (1.5, 1.5),
        (2**70, 2**70),
        (Level.HIGH, 3),
        (nan, "NaN"),
        (-inf, "-Infinity"),
        ((1, [2]), [1, [2]]),
        ({1: "a", "b": {"c": nan}}, {"1": "a", "b": {"c": "NaN"}}),
        (date(2024, 1, 15), "datetime.date(2024, 1, 15)"),
        ({7}, "{7}"),
        ("a\ud800b", "a\\ud800b"),
        ("поиск", "поиск"),
        pytest.param(10**5000, "1" + "0" * 5000, id="an integer too long to print"),
    ],
)
def test_what_json_does_not_know_becomes_text(value: object, exported: object) -> None:
    assert accepted_by_all(plain(value)) == exported


def test_deep_values_are_kept_up_to_a_depth_that_every_encoder_can_follow() -> None:
    assert plain(nested(90)) == nested(90)
    assert encode_json(nested(100_000)).startswith(b"[" * 100 + b'"[[[[')
    accepted_by_all(plain({"a": nested(100_000)}))


def test_integers_keep_all_their_digits_in_json() -> None:
    assert encode_json({"n": [2**64, -(2**63) - 1, 10**30]}) == (
        b'{"n":[18446744073709551616,-9223372036854775809,1000000000000000000000000000000]}'
    )


ANYTHING = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats() | st.text() | st.dates() | st.binary(),
    lambda inner: st.lists(inner) | st.dictionaries(st.text() | st.integers(), inner),
    max_leaves=8,
)


@given(ANYTHING)
def test_every_encoder_accepts_whatever_was_called(value: object) -> None:
    accepted_by_all(plain(value))


@given(ANYTHING)
def test_a_plain_value_stays_as_it_is(value: object) -> None:
    once = plain(value)

    assert plain(once) == once


def test_the_worked_example_is_exported_whole() -> None:
    exported = accepted_by_all(example().to_dict())

    assert exported == {
        "score": 0.4,
        "f1": 0.4,
        "precision": 1 / 3,
        "recall": 0.5,
        "total_expected": 2,
        "total_actual": 3,
        "is_exact": False,
        "passed": False,
        "tool_selection": 0.8,
        "argument_accuracy": 0.5,
        "tool_called": 1,
        "rating": "Poor",
        "summary": "Accuracy Score: 40.0% | Correct: 1/2 | Incorrect: 1 | Missed: 0 | Extra: 1",
        "correct": [
            {
                "expected": {"name": "searchWeb", "arguments": {"query": "AI"}, "id": "call_1"},
                "actual": {"name": "searchWeb", "arguments": {"query": "AI"}},
                "expected_index": 0,
                "actual_index": 0,
                "overlap": 1.0,
                "differences": [],
            }
        ],
        "incorrect": [
            {
                "expected": {"name": "summarize", "arguments": {"text": "long"}},
                "actual": {"name": "summarize", "arguments": {"text": "short"}},
                "expected_index": 1,
                "actual_index": 1,
                "overlap": 0.0,
                "differences": [
                    {
                        "path": "$.text",
                        "kind": "value",
                        "expected": "long",
                        "actual": "short",
                        "reason": 'text: expected "long", got "short"',
                    }
                ],
            }
        ],
        "missed": [],
        "extra": [{"name": "translateText", "raw": "{oops", "error": "unexpected end"}],
        "settings": {
            "mode": "strict",
            "argument_match_threshold": 0.8,
            "order": "any",
            "extra_arguments": "ignore",
            "at_least": 1.0,
            "strip_prefix": [],
            "normalise_name": [],
        },
    }


def test_sentences_are_exported_in_the_language_asked_for() -> None:
    exported = score_to_dict(example(), lang="ru")

    assert exported["rating"] == "Плохо"
    assert exported["incorrect"][0]["differences"][0]["reason"] == (
        'text: ожидалось "long", получено "short"'
    )


def test_a_call_that_cannot_be_read_exports_why() -> None:
    broken = ToolCall("f", raw="{oops", error="unexpected end")

    exported = score_calls((ToolCall("f", {"a": 1}),), (broken,), Settings()).to_dict()

    assert exported["incorrect"][0]["differences"][0]["reason"] == (
        "the arguments are not a JSON object: unexpected end"
    )


def test_results_are_exported_with_everything_that_was_not_scored() -> None:
    summary = Summary()
    for trial in range(2):
        summary.add(example(), trial_of=f"case {trial}")
        summary.add(example(), trial_of=f"case {trial}")
    results = Results(
        settings=Settings(),
        summary=summary,
        cases=(CaseScore(id="a", trial=1, tags=("x",), score=example()),),
        not_shown=3,
        not_scored=Noted(2, ("b", "c")),
        skipped=Noted(1, ("file:7",)),
        stopped=Noted(1, ("file:9: not JSON",)),
    )

    exported = accepted_by_all(results_to_dict(results))

    assert exported["totals"]["cases"] == 4
    assert exported["totals"]["passed"] == exported["totals"]["exact"] == 0
    assert exported["totals"]["exact_interval"][0] == 0
    assert exported["totals"]["macro"]["f1"] == 0.4
    assert exported["totals"]["macro"]["f1_interval"] is None
    assert exported["totals"]["micro"] == {"f1": 0.4, "precision": 1 / 3, "recall": 0.5}
    assert exported["calls"] == {
        "expected": 8,
        "actual": 12,
        "correct": 4,
        "incorrect": 4,
        "missed": 0,
        "extra": 4,
    }
    assert [row["tool"] for row in exported["tools"]] == ["summarize", "translateText", "searchWeb"]
    assert exported["wrong_arguments"] == [{"tool": "summarize", "argument": "text", "count": 4}]
    assert exported["confusion"] == [{"expected": None, "called": "translateText", "count": 4}]
    assert exported["trials"] == {"cases": 2, "pass_at_k": [0, 0], "pass_hat_k": [0, 0]}
    assert exported["not_scored"] == {"count": 2, "names": ["b", "c"]}
    assert exported["not_run"] == {"count": 0, "names": []}
    assert exported["skipped"] == {"count": 1, "names": ["file:7"]}
    assert exported["stopped"] == {"count": 1, "names": ["file:9: not JSON"]}
    assert exported["not_shown"] == 3
    assert exported["settings"]["mode"] == "strict"
    assert exported["cases"][0]["id"] == "a"
    assert exported["cases"][0]["trial"] == 1
    assert exported["cases"][0]["tags"] == ["x"]
    assert exported["cases"][0]["f1"] == 0.4


def test_the_interval_of_enough_cases_is_exported_by_its_ends() -> None:
    summary = Summary()
    for _ in range(10):
        summary.add(example())

    exported = accepted_by_all(results_to_dict(Results(settings=Settings(), summary=summary)))

    assert exported["totals"]["macro"]["f1_interval"] == pytest.approx([0.4, 0.4])


def test_results_of_nothing_have_no_macro_numbers_and_no_trials() -> None:
    exported = accepted_by_all(results_to_dict(Results(settings=Settings(), summary=Summary())))

    assert exported["totals"]["macro"]["f1"] is None
    assert exported["totals"]["macro"]["f1_interval"] is None
    assert exported["trials"] is None
    assert exported["cases"] == []

"""Evaluations as pytest sees them."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Any

import pytest

from callscore import Case, ToolCall, expect, score
from callscore.core.results import Answer, MetricValue, Result
from callscore.models.limits import Limits
from callscore.testing.item_record import decode_record
from callscore.testing.items import (
    AskOptions,
    EvaluationCase,
    EvaluationFile,
    SessionJudges,
    ask_options_key,
    error_text,
    failed_text,
    holds_evaluations,
)
from callscore.testing.marker import record_key

if TYPE_CHECKING:
    from collections.abc import Callable

Collected = dict[str, Any]

TEXT = """
from callscore import Case, evaluation

CASES = [
    Case("hi", id="a", expected=[], tags=["smoke", "skip", "odd tag"]),
    Case("ho", id="b", expected=["f"]),
    Case("hm", id="c", skip="not yet"),
]

@evaluation(cases=CASES, trials=2, variants={"x": {"is_ready": True}, "y": {"is_ready": False}})
def assistant(case, is_ready):
    if not is_ready:
        raise ValueError("boom")
    return []
"""


@pytest.mark.parametrize(
    ("name", "is_named", "holds"),
    [
        ("eval_x.py", False, True),
        ("eval_x.yml", False, True),
        ("eval_x.txt", True, False),
        ("other.yaml", False, False),
        ("other.yaml", True, True),
        ("other.py", True, False),
    ],
)
def test_a_file_is_known_by_its_name_or_because_it_is_named(
    name: str, is_named: bool, holds: bool
) -> None:
    assert holds_evaluations(Path(name), is_named=is_named) is holds


@pytest.fixture
def collected(pytester: pytest.Pytester) -> Callable[[str], Collected]:
    """Gives the tests in a file of evaluations by their names."""

    def collect(text: str) -> Collected:
        config = pytester.parseconfigure()
        config.stash[ask_options_key] = AskOptions(Limits(retries=0), SessionJudges({}), [])
        path = pytester.path / "eval_x.py"
        path.write_text(text)
        session = pytest.Session.from_config(config)
        file: Any = EvaluationFile.from_parent(session, path=path)
        return {item.name: item for item in file.collect()}

    return collect


def test_there_is_a_test_for_each_question(collected: Callable[[str], Collected]) -> None:
    items = collected(TEXT)

    assert list(items) == [
        *("assistant[x-a#1]", "assistant[x-a#2]", "assistant[x-b#1]", "assistant[x-b#2]"),
        "assistant[x-c]",
        *("assistant[y-a#1]", "assistant[y-a#2]", "assistant[y-b#1]", "assistant[y-b#2]"),
        "assistant[y-c]",
    ]
    assert items["assistant[x-c]"].reason == "not yet"
    assert items["assistant[x-c]"].get_closest_marker("skip") is not None
    assert items["assistant[x-a#1]"].reportinfo()[1:] == (9, "assistant[x-a#1]")


def test_a_tag_is_there_for_those_who_ask_for_all_markers(
    collected: Callable[[str], Collected],
) -> None:
    item: EvaluationCase = collected(TEXT)["assistant[x-a#1]"]

    assert {mark.name for mark in item.iter_markers()} == {"smoke", "skip"}
    assert item.get_closest_marker("skip") is None
    assert "odd tag" in item.listextrakeywords()


def test_an_answer_is_told_and_judged_when_the_test_is_called(
    collected: Callable[[str], Collected],
) -> None:
    items = collected(TEXT)
    right, wrong = items["assistant[x-a#1]"], items["assistant[x-b#2]"]

    right.setup()
    wrong.setup()

    right.runtest()
    with pytest.raises(pytest.fail.Exception, match=r"accuracy 0\.000"):
        wrong.runtest()
    result = decode_record(wrong.stash[record_key])
    assert result.about is not None
    assert (result.about.variant, result.case, result.trial) == ("x", "b", 2)
    assert (result.passed, [each.value for each in result.values]) == (False, [0.0])
    assert ("callscore.trial", 2) in wrong.user_properties


def test_no_answer_is_an_error_before_the_test_is_called(
    collected: Callable[[str], Collected],
) -> None:
    item = collected(TEXT)["assistant[y-a#1]"]

    with pytest.raises(pytest.fail.Exception, match="the task raised ValueError: boom"):
        item.setup()

    result = decode_record(item.stash[record_key])
    assert result.failure is not None
    assert result.failure.kind == "raised"


def test_who_only_wants_to_see_the_setup_asks_nobody(
    collected: Callable[[str], Collected],
) -> None:
    item = collected(TEXT)["assistant[y-a#1]"]
    item.config.option.setuponly = True

    item.setup()

    assert record_key not in item.stash


@pytest.mark.parametrize(
    ("text", "why"),
    [
        ("raise RuntimeError('boom')", "RuntimeError: boom"),
        (TEXT.replace("cases=CASES", "cases='missing.jsonl'"), "missing.jsonl"),
    ],
)
def test_a_file_that_cannot_be_used_is_an_error(
    text: str, why: str, collected: Callable[[str], Collected]
) -> None:
    with pytest.raises(pytest.Collector.CollectError, match=why):
        collected(text)


def test_a_file_without_evaluations_is_noted(pytester: pytest.Pytester) -> None:
    config = pytester.parseconfigure()
    notes: list[str] = []
    config.stash[ask_options_key] = AskOptions(Limits(), SessionJudges({}), notes)
    path = pytester.path / "eval_x.py"
    path.write_text("X = 1\n")
    session = pytest.Session.from_config(config)
    file: Any = EvaluationFile.from_parent(session, path=path)

    assert list(file.collect()) == []
    assert notes == ["eval_x.py: no evaluations found; the file is ignored"]


# What a failed question says, and one without an answer.

MADE = (ToolCall("getWeather", {"location": "London"}),)


def _scored(expected: list[object] | None, *values: MetricValue, calls: int = 1) -> Result:
    return Result(
        case=Case(id="a", actual=MADE * calls),
        answer=Answer(document=None),
        score=None if expected is None else score(expected, list(MADE * calls)),
        values=values,
        passed=False,
    )


def test_the_first_line_says_why_and_the_rest_shows_it() -> None:
    outcome = _scored(
        [expect.call("getWeather", location="Paris")],
        MetricValue("tool_called", 1.0),
        MetricValue("accuracy", 0.0),
        MetricValue("polite", None, "it said\nnothing."),
    )

    assert failed_text(outcome, 1.0) == (
        "accuracy 0.000, required ≥ 1.000\n"
        "\n"
        "1.000 tool_called       \N{EN DASH} polite\n"
        "polite: it said\\nnothing.\n"
        "\n"
        "  Expected              Actual\n"
        "~ getWeather            getWeather\n"
        '  ~ location: "Paris"     location: "London"'
    )


def test_a_forbidden_call_is_why() -> None:
    text = failed_text(_scored([expect.forbid("get*")]), 1.0)

    assert text.startswith("forbidden tool called: getWeather\n")


def test_without_an_expectation_the_calls_are_shown() -> None:
    low = MetricValue("mine", 0.2)

    assert failed_text(_scored(None, low), 0.5).endswith(
        '\nActual calls:\n  getWeather(location="London")'
    )
    assert failed_text(_scored(None, low, calls=25), 0.5).endswith("\n  … 5 more")
    assert failed_text(_scored(None, low, calls=0), 0.5).endswith("\nNo calls were made.")


def test_an_error_is_a_sentence_and_where_it_happened() -> None:
    assert error_text("boom\x1b", "") == "boom\\u001b"
    assert error_text("boom", "  File x\n    y") == "boom\n\n  File x\n    y"

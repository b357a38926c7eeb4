"""Values without secrets."""

from __future__ import annotations

import re
from datetime import date
from typing import Any

import pytest

from callscore import Case, expect, score
from callscore.core.call import ToolCall
from callscore.hiding.hider import Hider, contains_marker, hide_for_report, hide_text

MARKER = re.compile(r"\[hidden MY_\w+\]")
SECRET = 'sk/live-1234"é'  # noqa: S105  (it is for these tests only)
OTHER = "another-secret"


@pytest.fixture(autouse=True)
def _secrets(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("MY_API_KEY", SECRET)
    monkeypatch.setenv("MY_TOKEN", OTHER)
    monkeypatch.setenv("MY_SECRET", "12345678")


def shown(value: Any) -> Any:
    """What is shown, as text with `#` for each marker."""
    return MARKER.sub("#", str(hide_for_report(value)))


def test_secrets_are_hidden_anywhere_in_data() -> None:
    data = {SECRET: [f"<{SECRET}>", {"a": (SECRET, None, True, 1.5)}], "b": {OTHER}}

    assert shown(data) == "{'#': ['<#>', {'a': ('#', None, True, 1.5)}], 'b': {'#'}}"


def test_numbers_are_hidden_as_numbers() -> None:
    hidden = Hider().data([12345678, 12345678.0, "12345678", 123456780, 0.12345678, 10**50, 7])

    mark = "[hidden MY_SECRET]"
    assert hidden == [mark, mark, mark, f"{mark}0", f"0.{mark}", 10**50, 7]


def test_objects_of_python_are_hidden_as_text() -> None:
    class Key:
        def __repr__(self) -> str:
            return f"Key({SECRET})"

    assert shown([Key(), SECRET.encode(), date(2026, 1, 2)]) == (
        "['Key(#)', '#', datetime.date(2026, 1, 2)]"
    )


def test_a_value_that_is_too_deep_is_hidden_as_a_whole() -> None:
    deep: Any = SECRET
    for _ in range(5000):
        deep = [deep]

    assert OTHER not in str(Hider().data({"a": OTHER, "deep": deep})["a"])


def test_a_score_keeps_its_numbers_and_its_differences() -> None:
    found = score(
        [
            ToolCall("f", {"a": expect.regex("^sk/"), "b": SECRET, "c": 1}),
            ToolCall("g", {"a": expect.regex("^sk/")}),
        ],
        [ToolCall("f", {"a": SECRET, "b": OTHER, "c": 1}), ToolCall("g", {"a": SECRET})],
        mode="flexible",
        argument_match_threshold=0.9,
    )

    hidden = hide_for_report(found)

    assert hidden.f1 == found.f1 == 0.5
    assert hidden.argument_accuracy == found.argument_accuracy
    assert [pair.overlap for pair in hidden.incorrect] == [pair.overlap for pair in found.incorrect]
    assert hidden.incorrect[0].matched_arguments == 2
    assert hidden.incorrect[0].expected_arguments == 3
    assert hidden.incorrect[0].differing_arguments == ["b"]
    assert [each.path for each in hidden.incorrect[0].differences] == ["$.b"]
    assert hidden.correct[0].differences == ()
    assert SECRET not in f"{hidden} {hidden.explain()} {hidden.to_dict()}"
    assert OTHER not in f"{hidden} {hidden.explain()} {hidden.to_dict()}"


def test_text_that_looks_like_a_marker_is_escaped_if_it_is_live() -> None:
    live, stored = Hider(is_live=True), Hider()

    assert live.data(["[hidden MY_TOKEN]"]) == ["[\\hidden MY_TOKEN]"]
    assert live.text(live.text("[hidden MY_TOKEN]")) == "[\\hidden MY_TOKEN]"
    assert stored.data(["[hidden MY_TOKEN]"]) == ["[hidden MY_TOKEN]"]


def test_the_environment_is_read_again(monkeypatch: pytest.MonkeyPatch) -> None:
    hider = Hider()
    monkeypatch.setenv("A_KEY", "new-in-the-environment")

    hider.refresh()

    assert contains_marker(hider.text("new-in-the-environment"))
    assert hider.has_secret(["new-in-the-environment"])
    assert not hider.has_secret(["[hidden A_KEY]"])


def test_a_case_is_hidden_on_both_sides() -> None:
    case = Case(
        SECRET,
        id="a",
        expected=[expect.any_order(expect.call("f", a=SECRET))],
        metadata={"k": OTHER},
    )

    hidden = hide_for_report(case)

    assert SECRET not in str(hidden)
    assert OTHER not in str(hidden)
    assert hidden.id == "a"


def test_a_text_is_hidden_before_it_is_shown() -> None:
    assert MARKER.sub("#", hide_text(f"{SECRET} and {OTHER}")) == "# and #"

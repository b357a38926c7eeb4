from __future__ import annotations

import re
from pathlib import Path
from typing import Any

import pytest

from callscore import InvalidSettings
from callscore.formats.labels import LabelPath, field_names, is_success


@pytest.mark.parametrize(
    ("value", "success"),
    [
        (True, True),
        (False, False),
        (1, True),
        (0, False),
        (1.0, True),
        (0.0, False),
        ("success", True),
        (" Passed ", True),
        ("FAIL", False),
        ("false", False),
        ("0", False),
        ("Y", True),
        ("n", False),
        ("ok", True),
        ("error", False),
        ("correct", True),
        ("incorrect", False),
        ("wrong", False),
        ("solved", True),
        (None, None),
    ],
)
def test_clear_labels_are_read(value: Any, success: bool | None) -> None:
    assert is_success(value) is success


def test_the_words_that_are_documented_are_clear() -> None:
    docs = Path(__file__).parents[2] / "docs"
    page = (docs / "how-to" / "choose-the-settings.md").read_text(encoding="utf-8")
    rows = re.findall(
        r"^\| (`.+`.*) \| (`.+`.*) \|$", page.partition("### Labels")[2], re.MULTILINE
    )
    words = [re.findall(r"`(\w+)`", " ".join(cells)) for cells in zip(*rows, strict=True)]
    reference = (docs / "reference" / "cli.md").read_text(encoding="utf-8")

    assert [{is_success(word) for word in column} for column in words] == [{True}, {False}]
    assert len(words[0]) + len(words[1]) == 24
    assert all(re.search(rf"\b{word}[,;.]", reference) for column in words for word in column[1:])


@pytest.mark.parametrize(
    "value",
    [
        0.5,
        2,
        -1,
        float("nan"),
        float("inf"),
        "",
        "maybe",
        "done",
        "partial",
        "not done",
        "successfully failed",
        [],
        {},
        [1],
    ],
)
def test_labels_that_are_not_clear_are_refused(value: Any) -> None:
    with pytest.raises(InvalidSettings, match="label"):
        is_success(value)


def test_a_number_may_be_a_success_from_a_limit_on() -> None:
    assert [is_success(value, 0.5) for value in (0.4, 0.5, 1)] == [False, True, True]
    assert is_success("fail", 0.5) is False


def test_the_option_for_a_limit_is_named_without_a_number() -> None:
    with pytest.raises(InvalidSettings, match=r"5 is neither 1 nor 0.* as label_at_least$"):
        is_success(5)
    with pytest.raises(InvalidSettings, match=r"as --label-at-least$"):
        is_success(5, option="--label-at-least")


def test_fields_are_named_as_a_path_to_a_label_names_them() -> None:
    document = {"id": "a", "metadata": {"ok": 1}, "runs": [{"reward": {"value": 1}}, 5]}

    own = ["id", "metadata", "metadata.ok", "runs", "ok"]
    assert [*field_names(document)] == own
    assert [*field_names([document], 2)] == own
    assert [*field_names(document, 2)] == [*own, "reward", "reward.value"]
    assert [*field_names("text")] == []


def test_a_field_is_there_even_if_it_is_null() -> None:
    path = LabelPath.parse("ok")

    assert path.is_in({"ok": None})
    assert path.is_in({"runs": [{"a": 1}, {"ok": None}]})
    assert LabelPath.parse("$.runs[*].ok").is_in({"runs": [{"ok": 1}]})
    assert not path.is_in({"oks": 1})


def test_the_label_is_a_field_or_in_the_metadata() -> None:
    path = LabelPath.parse("success")

    assert path.find({"id": "a", "success": True}) is True
    assert path.find({"id": "a", "metadata": {"success": False}}) is False
    assert path.find({"success": True, "metadata": {"success": False}}) is True
    assert path.find({"id": "a"}) is None
    assert path.find("text") is None


def test_the_label_may_be_at_a_path() -> None:
    document = {"reward_info": {"reward": 1.0}, "checks": [{"ok": 0}, {"ok": 1}]}

    assert LabelPath.parse("reward_info.reward").find(document) == 1.0
    assert LabelPath.parse("$.checks[1].ok").find(document) == 1


def test_many_runs_of_a_document_have_a_label_each() -> None:
    runs = [{"reward": 1}, {"other": 2}, {"reward": 0}]
    path = LabelPath.parse("reward")

    assert [path.find(runs, index, 3) for index in range(3)] == [1, None, 0]
    document = {"tasks": [{"id": 1}], "simulations": runs}
    assert [path.find(document, index, 4) for index in range(4)] == [1, None, 0, None]
    assert LabelPath.parse("$.simulations[*].reward").find({"simulations": runs[::2]}, 1, 2) == 0


def test_a_label_in_two_lists_is_ambiguous_and_not_found() -> None:
    document = {"first": [{"ok": 1}], "second": [{"ok": 0}]}

    assert LabelPath.parse("ok").find(document, 0, 1) is None


def test_the_last_line_of_a_run_of_many_lines_has_the_label() -> None:
    lines = [{"role": "user"}, {"ok": 0}, {"role": "assistant", "ok": 1}]

    assert LabelPath.parse("ok").find(lines, 0, 1) == 1


@pytest.mark.parametrize("text", ["$", "", "a..b", "a[b"])
def test_a_path_without_a_field_is_refused(text: str) -> None:
    with pytest.raises(InvalidSettings):
        LabelPath.parse(text)

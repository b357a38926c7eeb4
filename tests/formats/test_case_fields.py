"""Which records are cases of our own."""

from __future__ import annotations

from typing import Any

import pytest

from callscore.errors import InvalidSettings, UnreadableInput
from callscore.formats.case_fields import (
    is_case,
    name_from_input,
    parse_field_paths,
    parse_json_path,
)
from callscore.formats.cases import read_case, read_reference, read_trace


@pytest.mark.parametrize(
    ("record", "is_ours"),
    [
        ({"expected": [], "x": 1}, True),
        ({"actual": None}, True),
        ({"id": 1, "toolCalls": ["f"], "model": "x"}, True),
        ({"id": 1, "tool_calls": ["f"], "messages": []}, True),
        ({"referenceToolCalls": ["f"], "toolCalls": ["f"], "model": "x"}, True),
        ({"id": 1, "toolCalls": []}, True),
        ({"id": 1, "tool_calls": [], "messages": []}, False),
        ({"tool_calls": ["f"], "type": "ai"}, False),
        ({"id": 1, "messages": []}, False),
        ([], False),
    ],
)
def test_a_record_is_ours_if_nothing_else_can_be_meant(record: Any, is_ours: bool) -> None:
    assert is_case(record) == is_ours


def test_an_empty_side_beside_nothing_but_words_is_a_side() -> None:
    record = {"id": "a", "text": "Hello!", "toolCalls": [], "finishReason": "stop"}

    assert is_case(record)
    assert not is_case({**record, "steps": [{"toolCalls": []}]})


# Names of cases from what is asked.


@pytest.mark.parametrize(
    ("asked", "name"),
    [
        ("What is the weather in Paris?", "what-is-the-weather-in-paris"),
        ("  Какая погода? ", "какая-погода"),
        ([{"role": "system", "content": "x"}, {"role": "user", "content": "Hi!"}], "hi"),
        ([{"role": "user", "content": [{"type": "text"}]}], ""),
        ({"question": "x"}, ""),
        ([], ""),
        (None, ""),
        ("?!", ""),
        ("a" * 100, "a" * 48),
        ("word " * 30, "-".join(["word"] * 9)),
    ],
)
def test_a_name_is_the_first_words(asked: Any, name: str) -> None:
    assert name_from_input(asked) == name


# Fields of a case that stand elsewhere in a record.

RECORD = {"meta": {"task": 7}, "calls": [{"c": 1}, {"c": 2}], "id": "own"}


def test_field_paths_find_their_values_and_an_absent_trial_is_left_out() -> None:
    fields = parse_field_paths(
        {"id": "$.meta.task", "actual": "$.calls[*].c", "trial": "$.meta.trial"}
    )

    assert fields.apply(RECORD, "file:1") == {"id": 7, "actual": [1, 2]}


def test_a_field_can_be_left_out() -> None:
    fields = parse_field_paths({"id": "$.meta.task", "actual": "$.calls"})

    assert fields.without("actual").apply(RECORD, "file:1") == {"id": 7}


def test_an_id_or_a_side_that_is_not_there_is_a_mistake() -> None:
    with pytest.raises(UnreadableInput) as caught:
        parse_field_paths({"expected": "$.meta.actions"}).apply(RECORD, "file:1")

    assert str(caught.value) == (
        "file:1: field 'expected': nothing at $.meta.actions; $.meta is an object with the key 'task'."
    )


def test_a_case_has_no_other_fields() -> None:
    with pytest.raises(
        InvalidSettings, match=r"unknown field 'name' of a case\. Choose from: id, exp"
    ):
        parse_field_paths({"name": "$.x"})


def test_a_path_without_a_value_is_refused_with_the_last_value_that_it_reaches() -> None:
    for path, told in (
        ("$.x", "$ is an object with the keys 'meta', 'calls', 'id'"),
        ("$.calls[0].c.d", "$.calls[0].c is 1"),
        ("$.calls[5]", "$.calls is a list of 2"),
    ):
        with pytest.raises(UnreadableInput) as caught:
            parse_field_paths({"actual": path}).apply(RECORD, "f")
        assert f"field 'actual': nothing at {path}; {told}." in str(caught.value)


def test_an_id_under_its_own_name_need_not_be_at_its_path() -> None:
    assert parse_field_paths({"id": "$.meta.name"}).apply(RECORD, "f") == {}


# Paths to places in a record.

NESTED_RECORD = {
    "id": "r",
    "metadata": {"task_id": 7, "task id": 8, "it's": 9},
    "turns": [{"calls": ["a", "b"]}, {"calls": ["c"]}, {}],
}


@pytest.mark.parametrize(
    ("path", "found"),
    [
        ("$", [NESTED_RECORD]),
        ("$.id", ["r"]),
        ("id", ["r"]),
        (".id", ["r"]),
        ("$.metadata.task_id", [7]),
        ("metadata.task_id", [7]),
        ("$['metadata']['task id']", [8]),
        ('$.metadata["it\'s"]', [9]),
        ("$.turns[0].calls", [["a", "b"]]),
        ("$.turns[-2].calls[0]", ["c"]),
        ("$.turns[*].calls[*]", ["a", "b", "c"]),
        ("$.turns[3]", []),
        ("$.turns[-4]", []),
        ("$.id[0]", []),
        ("$.id.x", []),
        ("$.id[*]", []),
        ("$.nothing", []),
    ],
)
def test_a_path_leads_to_what_stands_there(path: str, found: list[Any]) -> None:
    assert parse_json_path(path).find(NESTED_RECORD) == found


def test_a_path_with_a_star_leads_to_many_places() -> None:
    assert parse_json_path("$.turns[*]").is_many
    assert not parse_json_path("$.turns[0]").is_many


@pytest.mark.parametrize("path", ["$..id", "$.a[", "$.a[b]", "$a b", "$.", "$.a[1:2]", "$.a['b"])
def test_an_invalid_path_is_refused(path: str) -> None:
    with pytest.raises(InvalidSettings, match=r"invalid path .* at"):
        parse_json_path(path)


@pytest.mark.parametrize(
    ("key", "meant"),
    [
        ("expected_stat", "expected_state"),
        ("expectedState", "expected_state"),
        ("expect-state", "expected_state"),
        ("Actual_State", "actual_state"),
        ("actualstate", "actual_state"),
        ("actual_states", "actual_state"),
        ("turn", "turns"),
        ("Turns", "turns"),
    ],
)
def test_nearly_the_name_of_a_state_or_of_turns_is_refused_whatever_else_there_is(
    key: str, meant: str
) -> None:
    record = {"id": "a", "expected": [], "actual": [], key: [[]]}

    for read in (read_case, read_reference, read_trace):
        with pytest.raises(UnreadableInput, match=rf"'{key}'. Did you mean '{meant}'\?"):
            read(record, place="p")


@pytest.mark.parametrize(
    "key", ["expected_status", "actual_status", "returns", "turn_ids", "state", "return", "burns"]
)
def test_other_names_are_fields_of_others(key: str) -> None:
    record = {"id": "a", "expected": [], "actual": [], key: [[]], "turn": 3}

    assert read_case(record, place="p").id == "a"

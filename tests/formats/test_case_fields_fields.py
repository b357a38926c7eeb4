"""Fields of a case that stand elsewhere in a record."""

from __future__ import annotations

import pytest

from callscore.errors import InvalidSettings, UnreadableInput
from callscore.formats.case_fields import parse_field_paths

RECORD = {"meta": {"task": 7}, "calls": [{"c": 1}, {"c": 2}], "id": "own"}


def test_what_stands_at_the_paths_is_found() -> None:
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
        "file:1: there is no $.meta.actions for `expected`; $.meta is an object with the key 'task'."
    )


def test_a_case_has_no_other_fields() -> None:
    with pytest.raises(InvalidSettings, match="a case has no field 'name'; its fields are id, exp"):
        parse_field_paths({"name": "$.x"})


def test_what_is_there_is_told_as_far_as_the_path_leads() -> None:
    for path, told in (
        ("$.x", "$ is an object with the keys 'meta', 'calls', 'id'"),
        ("$.calls[0].c.d", "$.calls[0].c is 1"),
        ("$.calls[5]", "$.calls is a list of 2"),
    ):
        with pytest.raises(UnreadableInput) as caught:
            parse_field_paths({"actual": path}).apply(RECORD, "f")
        assert f"there is no {path} for `actual`; {told}." in str(caught.value)


def test_what_stands_under_its_own_name_need_not_stand_elsewhere() -> None:
    assert parse_field_paths({"id": "$.meta.name"}).apply(RECORD, "f") == {}

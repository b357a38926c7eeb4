"""YAML, read as the JSON it stands for."""

from __future__ import annotations

from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from callscore.sources import yaml_document, yaml_nodes
from callscore.sources.record import Array, BadRecord, Record
from callscore.sources.yaml_document import read_yaml, read_yaml_with_lines

FRAGMENTS = [
    *"{}[]:?-|>!&*%#'\" \n\\a1",
    ": ",
    "- ",
    "\n  ",
    "---\n",
    "!!int ",
    "&a ",
    "*a",
    "<<: ",
]


def batches(text: str) -> list[Record | BadRecord | Array]:
    return list(read_yaml(text.encode(), "f.yaml"))


def read(text: str) -> list[Record | BadRecord]:
    records: list[Record | BadRecord] = []
    for batch in batches(text):
        records += batch.records() if isinstance(batch, Array) else [batch]
    return records


def bad(text: str) -> BadRecord:
    *_, record = read(text)
    assert isinstance(record, BadRecord)
    return record


@pytest.mark.parametrize("version", ["openapi: 3.0.0", 'swagger: "2.0"'])
def test_the_codes_of_responses_in_an_openapi_document_may_be_numbers(version: str) -> None:
    text = f"{version}\npaths:\n  /a:\n    get:\n      responses:\n        200: ok\n"

    (record,) = read(text)

    assert isinstance(record, Record)
    assert record.value["paths"] == {"/a": {"get": {"responses": {"200": "ok"}}}}


@given(st.lists(st.sampled_from(FRAGMENTS)).map("".join))
def test_any_text_is_records_and_bad_records(text: str) -> None:
    places = [record.place for record in read(text)]

    assert all(place.startswith("f.yaml") for place in places)


def test_only_the_first_keys_are_examined_at_each_token(monkeypatch: pytest.MonkeyPatch) -> None:
    examined = 0

    class Keys(dict[int, Any]):
        def items(self) -> Any:
            nonlocal examined
            for member in super().items():
                examined += 1
                yield member

    def count_keys(scanner: Any) -> None:
        if not isinstance(scanner.possible_simple_keys, Keys):
            scanner.possible_simple_keys = Keys(scanner.possible_simple_keys)
        stale(scanner)

    stale = yaml_nodes._Scanner.stale_possible_simple_keys
    monkeypatch.setattr(yaml_nodes._Scanner, "stale_possible_simple_keys", count_keys)

    batches("[" * 190 + "]" * 190)

    assert 190 < examined < 190 * 20


def test_aliases_nested_deeper_than_the_stack_are_refused() -> None:
    lines = ["a0: &a0 [x]", *[f"a{n}: &a{n} [*a{n - 1}]" for n in range(1, 600)]]

    assert "the aliases are nested too deeply" in bad("\n".join(lines)).problem


_LAUGHS = ["a0: &a0 [x, x]", *[f"a{n}: &a{n} [*a{n - 1}, *a{n - 1}]" for n in range(1, 60)]]


@pytest.mark.slow
@pytest.mark.parametrize("joint", ["\n", "\n---\n"], ids=["records", "documents"])
def test_all_records_of_a_file_share_the_budget_of_aliases(
    joint: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    built = 0

    def count(builder: Any, node: Any) -> Any:
        nonlocal built
        built += 1
        return build_container(builder, node)

    build_container = yaml_document._Builder.build_container
    monkeypatch.setattr(yaml_document._Builder, "build_container", count)
    records = "\n".join(f"- {line.partition(': ')[2]}" for line in _LAUGHS)

    found = batches(joint.join([records] * 20))

    assert any(isinstance(each, BadRecord) for each in found)
    assert built < yaml_document.MAX_REPEATED


def test_a_long_text_that_aliases_repeat_counts_by_its_length() -> None:
    record = batches("- &a " + "x" * 50_000 + "\n" + "- *a\n" * 5000)[-1]

    assert isinstance(record, BadRecord)
    assert "the aliases repeat more than 200,000 values" in record.problem


def test_many_values_without_aliases_have_no_limit(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(yaml_document, "MAX_REPEATED", 10)

    assert batches("[[1, 2, 3, 4, 5, 6, 7], [1, 2, 3, 4, 5, 6, 7]]") == [
        Array("f.yaml:1", [[1, 2, 3, 4, 5, 6, 7]] * 2, ("f.yaml:1",) * 2)
    ]


def test_the_parts_of_a_document_stand_on_lines() -> None:
    value, lines = read_yaml_with_lines("a: 1\nb:\n  - c: 1\n    d: [1, {e: 2}]\n", "f.yaml")

    assert value == {"a": 1, "b": [{"c": 1, "d": [1, {"e": 2}]}]}
    assert lines[("a",)] == 1
    assert lines[("b", 0)] == 3
    assert lines[("b", 0, "d", 1, "e")] == 4


def test_an_alias_has_its_own_line_and_the_keys_it_repeats_are_located_once() -> None:
    value, lines = read_yaml_with_lines("a: &x {b: 1}\nc: *x\n", "f.yaml")

    assert value["c"] == {"b": 1}
    assert lines[("c",)] == 2
    assert (("a", "b") in lines) is not (("c", "b") in lines)


def test_many_deep_lists_are_refused_before_they_are_read() -> None:
    record = bad(("- " + "[" * 100 + "]" * 100 + "\n") * 200)

    assert record.problem.startswith(
        "more than 10,000 lists and mappings are nested deeper than 20"
    )
    assert record.place.startswith("f.yaml:")


@pytest.mark.slow
def test_many_lists_are_read_where_they_are_not_deep() -> None:
    records = read("- [[1], {a: [2]}]\n" * 4000)

    assert [record.value for record in records if isinstance(record, Record)] == [
        [[1], {"a": [2]}]
    ] * 4000

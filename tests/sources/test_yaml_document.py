"""YAML, read as the JSON it stands for."""

from __future__ import annotations

from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from callscore.core.call import Malformed, malformed_part
from callscore.errors import UnreadableInput
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


def value_of(text: str) -> Any:
    (record,) = read(f"x: {text}")
    assert isinstance(record, Record)
    return record.value["x"]


def bad(text: str) -> BadRecord:
    *_, record = read(text)
    assert isinstance(record, BadRecord)
    return record


@pytest.mark.parametrize(
    "text",
    [
        "no",
        "on",
        "Yes",
        "y",
        "2024-01-15",
        "2024-01-15T10:00:00Z",
        "12:30",
        "1_000",
        "0b11",
        "=",
        "<<",
    ],
)
def test_what_is_not_a_json_word_stays_text(text: str) -> None:
    assert value_of(text) == text


@pytest.mark.parametrize(
    ("text", "value"),
    [
        ("true", True),
        ("False", False),
        ("null", None),
        ("~", None),
        ("", None),
        ("5", 5),
        ("-5", -5),
        ("0o17", 15),
        ("0x1F", 31),
        ("123456789012345678901", 123456789012345678901),
        ("1.5", 1.5),
        (".5", 0.5),
        ("1e3", 1000.0),
        ("!!float 5", 5),
        ("'5'", "5"),
        ("!!str 5", "5"),
        ("[1, [a]]", [1, ["a"]]),
        ("{a: {b: 1}}", {"a": {"b": 1}}),
        ("Москва", "Москва"),
    ],
)
def test_json_values_are_what_they_look_like(text: str, value: Any) -> None:
    read_value = value_of(text)

    assert read_value == value
    assert type(read_value) is type(value)


def test_a_document_of_yaml_1_1_is_read_by_the_same_rules() -> None:
    assert read("%YAML 1.1\n---\nx: no\n") == [Record("f.yaml:3", {"x": "no"})]


@pytest.mark.parametrize(
    "text", ["- id: 1\n- id: 2\n", "cases:\n- id: 1\n- id: 2\n", "---\nid: 1\n---\nid: 2\n"]
)
def test_lists_and_documents_are_records(text: str) -> None:
    assert [record.value for record in read(text) if isinstance(record, Record)] == [
        {"id": 1},
        {"id": 2},
    ]


def test_a_list_comes_as_one_with_the_places_of_its_items() -> None:
    text = "# two\n- id: 1\n\n- id: 2\n---\nid: 3\n---\n[]\n"

    assert batches(text) == [
        Array("f.yaml:2", [{"id": 1}, {"id": 2}], ("f.yaml:2", "f.yaml:4")),
        Record("f.yaml:6", {"id": 3}),
        Array("f.yaml:8", []),
    ]


def test_a_list_knows_what_is_malformed_in_it() -> None:
    (array,) = batches("[1, .nan]")

    assert isinstance(array, Array)
    assert malformed_part(array.items) == Malformed("[1, .nan]", ".nan is not a JSON number")


def test_a_list_with_a_bad_item_comes_item_by_item() -> None:
    kinds = [type(batch) for batch in batches("- 1\n- !x 2\n- 3\n")]

    assert kinds == [Record, BadRecord, Record]


def test_an_item_that_contains_itself_does_not_cost_the_others() -> None:
    kinds = [type(batch) for batch in batches("- 1\n- &a [*a]\n- 3\n")]

    assert kinds == [Record, BadRecord, Record]


def test_the_place_of_a_record_is_its_line() -> None:
    records = read("# two cases\n- id: 1\n  expected: []\n\n- id: 2\n")

    assert [record.place for record in records] == ["f.yaml:2", "f.yaml:5"]


@pytest.mark.parametrize("text", ["", "# nothing\n", "---\n...\n", "null\n"])
def test_a_document_without_content_has_no_records(text: str) -> None:
    assert read(text) == []


def test_an_alias_stands_for_what_its_anchor_holds() -> None:
    records = read("- &a {q: [1]}\n- *a\n")

    assert [record.value for record in records if isinstance(record, Record)] == [{"q": [1]}] * 2


def test_an_anchor_may_be_used_again() -> None:
    assert read("[&a 1, *a, &a 2, *a]") == [Record("f.yaml:1", value) for value in (1, 1, 2, 2)]


@pytest.mark.parametrize(
    ("merged", "value"),
    [
        ("{<<: {a: 1, b: 1}, b: 2}", {"a": 1, "b": 2}),
        ("{b: 2, <<: {a: 1, b: 1}}", {"a": 1, "b": 2}),
        ("{<<: [{a: 1}, {a: 2, b: 3}]}", {"a": 1, "b": 3}),
    ],
)
def test_merge_keys_fill_in_what_is_not_given(merged: str, value: Any) -> None:
    assert value_of(merged) == value


@pytest.mark.parametrize(
    ("text", "problem"),
    [
        (".nan", ".nan is not a JSON number"),
        ("-.inf", "-.inf is not a JSON number"),
    ],
)
def test_a_number_that_json_does_not_have_is_marked(text: str, problem: str) -> None:
    value = value_of(text)

    assert isinstance(value, Malformed)
    assert value.problem == problem


def test_containers_know_what_is_wrong_in_them() -> None:
    value = value_of("{ok: [1], bad: [.nan]}")

    assert malformed_part(value["ok"]) is None
    assert malformed_part(value["bad"]) == Malformed("[.nan]", ".nan is not a JSON number")
    assert malformed_part(value) == Malformed("{ok: [1], bad: [.nan]}", ".nan is not a JSON number")


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("!!binary aGk=", "hi"),
        ('!!binary "w6k="', "é"),
        ("!binary |-\n    aG\n    k=", "hi"),  # as Ruby writes it
        ("!!binary H4sIAAAA/w==", "H4sIAAAA/w=="),
        ("!!binary ''", ""),
    ],
)
def test_binary_data_is_its_text_or_else_base64(text: str, expected: str) -> None:
    assert value_of(text) == expected


@pytest.mark.parametrize("version", ["openapi: 3.0.0", 'swagger: "2.0"'])
def test_the_codes_of_responses_in_an_openapi_document_may_be_numbers(version: str) -> None:
    text = f"{version}\npaths:\n  /a:\n    get:\n      responses:\n        200: ok\n"

    (record,) = read(text)

    assert isinstance(record, Record)
    assert record.value["paths"] == {"/a": {"get": {"responses": {"200": "ok"}}}}


@pytest.mark.parametrize(
    ("text", "place", "problem"),
    [
        ("a: [1,\n", "f.yaml:2:1", "expected the node content"),
        ("a: b: c\n", "f.yaml:1:5", "mapping values are not allowed here"),
        ("ok: 1\n\tb: 2\n", "f.yaml:2:1", "cannot start any token"),
        ("a: *b\n", "f.yaml:1:4", "undefined alias"),
        ("x: 1\na: \x1b[31m\n", "f.yaml:2:4", "the character U+001B is not allowed in it"),
        ("a: 1\na: 2\n", "f.yaml:2:1", "duplicate key 'a'. Remove one of them."),
        ("a:\n  1: x\n", "f.yaml:2:3", "a key is not text. Put it in quotes."),
        ("a:\n  [b]: x\n", "f.yaml:2:3", "a key is not text"),
        ("a: !!binary aGk\n", "f.yaml:1:4", "the binary value is not base64"),
        ("a: !!binary [aGk=]\n", "f.yaml:1:4", "the tag !!binary has no equivalent in JSON"),
        ("a: !!python/object:os.system x\n", "f.yaml:1:4", "the tag !!python/object:os.system"),
        (
            "a: !!python/object/apply:os.system [a, b]\n",
            "f.yaml:1:4",
            "the tag !!python/object/apply",
        ),
        ("a: !!python/object/apply:os.system x\n", "f.yaml:1:4", "the tag !!python/object/apply"),
        (
            "a: !!python/object/new:m.C {state: 1}\n",
            "f.yaml:1:4",
            "the tag !!python/object/new:m.C",
        ),
        ("a: !ruby/object:Proc x\n", "f.yaml:1:4", "the tag !ruby/object:Proc has no equivalent"),
        ("a: !ruby/array:A {b: 1}\n", "f.yaml:1:4", "the tag !ruby/array:A has no equivalent"),
        ("a: !!set {b}\n", "f.yaml:1:4", "the tag !!set has no equivalent in JSON"),
        ("a: !mine [b]\n", "f.yaml:1:4", "the tag !mine has no equivalent in JSON"),
        ("a: !!python/object/apply:m.istr [b, c]\n", "f.yaml:1:4", "has no equivalent in JSON"),
        ("a: !!python/object/apply:m.istr {b: c}\n", "f.yaml:1:4", "has no equivalent in JSON"),
        ("<<: 5\n", "f.yaml:1:1", "'<<' requires a mapping"),
        ("|\n \n  a\n", "f.yaml:3:3", "more indented follow up line"),
        ('a: "\\U00110000"\n', "f.yaml:1:7", "not YAML: an escape or a number"),
        ('a: "\\UFFFFFFFF"\n', "f.yaml:1:7", "not YAML: an escape or a number"),
        ("%YAML 1.3\n---\na: 1\n", "f.yaml:1:10", "the YAML version is not supported."),
        ("%YAML 1.0\n---\na: 1\n", "f.yaml:1:10", "the YAML version is not supported."),
        ("%YAML 2.0\n---\na: 1\n", "f.yaml:1:10", "the YAML version is not supported."),
        ("-\n%YAML 2.0", "f.yaml:2:10", "the YAML version is not supported."),
        (f"%YAML 1.{'9' * 5000}\n---\n", "f.yaml:1:9", "not YAML: an escape or a number"),
        ("%YAML 1.2\n%YAML 1.2\n---\n", "f.yaml:2:1", "not YAML: found duplicate"),
        ("%TAG ! a\n%TAG ! b\n---\n", "f.yaml:2:1", "not YAML: duplicate tag handle"),
    ],
)
def test_what_is_not_yaml_or_not_json_is_refused_with_its_place(
    text: str, place: str, problem: str
) -> None:
    record = bad(text)

    assert record.place == place
    assert problem in record.problem


@pytest.mark.parametrize(
    ("text", "value"),
    [
        ("a: !!python/object/apply:multidict._multidict.istr [Accept]\n", {"a": "Accept"}),
        ("? !!python/object/new:multidict.istr\n- Accept\n: - x\n", {"Accept": ["x"]}),
        ("a: !!python/object/new:m.C {args: [x], state: {b: 1}}\n", {"a": "x"}),
        ("a: !!python/tuple [1, 2]\n", {"a": [1, 2]}),
        ("a: !!python/unicode 'no'\n", {"a": "no"}),
        ("a: !!python/object:m.C {b: 1}\n", {"a": {"b": 1}}),
        ("a: !ruby/hash:Net::Headers {b: [c]}\n", {"a": {"b": ["c"]}}),
        ("a: !ruby/object:M {b: 1}\n", {"a": {"b": 1}}),
        ("a: !ruby/array:A [b]\n", {"a": ["b"]}),
        ("a: !ruby/string:S b\n", {"a": "b"}),
        ("a: !ruby/symbol b\n", {"a": "b"}),
    ],
)
def test_objects_of_python_and_ruby_are_the_data_in_them(text: str, value: object) -> None:
    assert read(text) == [Record("f.yaml:1", value)]


def test_lines_are_known_below_a_key_that_is_an_object_of_python() -> None:
    text = "? !!python/object/apply:m.istr\n- Accept\n: - x\n"

    value, lines = read_yaml_with_lines(text, "f.yaml")

    assert value == {"Accept": ["x"]}
    assert ("Accept", 0) in lines


def test_bytes_that_are_not_utf_8_are_refused_with_their_place() -> None:
    records = list(read_yaml("имя: 1\nлипы: ".encode() + b"\xcc\xee", "f.yaml"))

    problem = "the byte 0xcc is not UTF-8. Save the file as UTF-8."
    assert records == [BadRecord("f.yaml:2:7", problem)]


@given(st.lists(st.sampled_from(FRAGMENTS)).map("".join))
def test_any_text_is_records_and_bad_records(text: str) -> None:
    places = [record.place for record in read(text)]

    assert all(place.startswith("f.yaml") for place in places)


def test_one_bad_record_does_not_cost_the_others() -> None:
    records = read("- {id: 1}\n- {id: !x 2}\n- {id: 3}\n")

    assert [type(record) for record in records] == [Record, BadRecord, Record]


def test_documents_before_a_broken_one_are_kept() -> None:
    records = read("id: 1\n---\n[1\n")

    assert [type(record) for record in records] == [Record, BadRecord]


@pytest.mark.parametrize("opening", ["[", "{", "- ", "? ", "{a: ", "[[{", "- ? ", "&a ["])
def test_deep_nesting_is_refused_where_it_begins(opening: str) -> None:
    record = bad(opening * 20_000)

    assert "the YAML is nested deeper than 200 levels" in record.problem
    assert record.place.startswith("f.yaml:1:")


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


@pytest.mark.parametrize("text", ["- &a [*a]\n", "- &a {x: *a}\n", "- &a {<<: *a}\n"])
def test_an_alias_that_contains_itself_is_refused(text: str) -> None:
    assert bad(text).problem == "an alias contains itself. Remove it."


def test_aliases_nested_deeper_than_the_stack_are_refused() -> None:
    lines = ["a0: &a0 [x]", *[f"a{n}: &a{n} [*a{n - 1}]" for n in range(1, 600)]]

    assert "the aliases are nested too deeply" in bad("\n".join(lines)).problem


_LAUGHS = ["a0: &a0 [x, x]", *[f"a{n}: &a{n} [*a{n - 1}, *a{n - 1}]" for n in range(1, 60)]]


def test_aliases_that_repeat_too_much_are_refused(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(yaml_document, "MAX_REPEATED", 1000)

    record = bad("\n".join(_LAUGHS))

    assert "the aliases repeat more than 1,000 values" in record.problem


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


def test_what_an_alias_repeats_stands_where_it_was_named() -> None:
    value, lines = read_yaml_with_lines("a: &x {b: 1}\nc: *x\n", "f.yaml")

    assert value["c"] == {"b": 1}
    assert lines[("c",)] == 2
    assert (("a", "b") in lines) is not (("c", "b") in lines)


def test_an_empty_document_is_nothing() -> None:
    assert read_yaml_with_lines("", "f.yaml") == (None, {})
    assert read_yaml_with_lines("text", "f.yaml") == ("text", {})


@pytest.mark.parametrize(
    ("text", "place", "problem"),
    [
        ("a: [\n", "f.yaml:2:1", "not YAML: "),
        ("a: 1\n---\nb: 2\n", "f.yaml:3:1", "a second document begins here."),
        ("a: 1\na: 2\n", "f.yaml:2:1", "duplicate key 'a'."),
        ("a: !!python/object:os.system x\n", "f.yaml:1:4", "the tag "),
        ("a: \x01\n", "f.yaml:1:4", "not YAML: the character U+0001"),
        ("a: &a [*a]\n", "f.yaml:1:4", "an alias contains itself."),
        ("[" * 5000, "f.yaml:1:202", "the YAML is nested deeper than 200 levels."),
    ],
)
def test_what_is_no_document_is_refused_with_its_place(text: str, place: str, problem: str) -> None:
    with pytest.raises(UnreadableInput) as caught:
        read_yaml_with_lines(text, "f.yaml")

    assert caught.value.place == place
    assert caught.value.problem.startswith(problem)


def test_a_tab_that_indents_gets_a_hint() -> None:
    (bad,) = read_yaml(b"a:\n\tb: 1\n", "f.yaml")

    assert isinstance(bad, BadRecord)
    assert bad.place == "f.yaml:2:1"
    assert bad.problem.endswith("Indent with spaces.")


def test_many_deep_lists_are_refused_before_they_are_read() -> None:
    record = bad(("- " + "[" * 100 + "]" * 100 + "\n") * 200)

    assert record.problem.startswith(
        "more than 10,000 lists and mappings are nested deeper than 20"
    )
    assert record.place.startswith("f.yaml:")


def test_many_lists_are_read_where_they_are_not_deep() -> None:
    records = read("- [[1], {a: [2]}]\n" * 4000)

    assert [record.value for record in records if isinstance(record, Record)] == [
        [[1], {"a": [2]}]
    ] * 4000


def test_the_name_of_a_header_that_was_written_as_an_object_is_its_text() -> None:
    tag = "!!python/object/apply:multidict._multidict.istr"

    (record,) = read(f"headers:\n  ? {tag}\n  - Accept\n  : - text\n  Host: [a]\n")

    assert isinstance(record, Record)
    assert record.value == {"headers": {"Accept": ["text"], "Host": ["a"]}}

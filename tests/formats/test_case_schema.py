"""The JSON Schema of case files: valid itself, and it accepts every case that there is."""

from __future__ import annotations

import re
from pathlib import Path
from typing import Any

import jsonschema_rs
import msgspec
import pytest

from callscore.core.expectation_json import parse_matchers
from callscore.core.rules import Comparator, comparators
from callscore.errors import InvalidCall, UnreadableInput
from callscore.formats.case_fields import ACTUAL_FIELDS, CASE_FIELDS, EXPECTED_FIELDS, is_case
from callscore.formats.case_schema import _plain_or_any_of, build_case_schema, value_definitions
from callscore.formats.cases import read_case
from callscore.sources import BadRecord, read_records

ROOT = Path(__file__).parents[2]
SCHEMA = build_case_schema()
VALIDATOR = jsonschema_rs.Draft7Validator(SCHEMA)
HERE = re.compile(
    r"^cat > (\S+\.(?:jsonl|json|ya?ml)) <<'(\w+)'\n(.*?)^\2$", re.DOTALL | re.MULTILINE
)
BLOCK = re.compile(r"^```(json|yaml)\n(.*?)^```$", re.DOTALL | re.MULTILINE)


def accepts(value: Any) -> bool:
    return VALIDATOR.is_valid(value)


def is_read(value: Any) -> bool:
    try:
        read_case(value, place="case")
    except UnreadableInput:
        return False
    return True


def test_the_case_schema_is_a_valid_schema_of_draft_07() -> None:
    assert jsonschema_rs.meta.is_valid(SCHEMA)
    assert SCHEMA["$schema"] == "http://json-schema.org/draft-07/schema#"


def test_the_case_schema_is_plain_json_without_external_references() -> None:
    text = msgspec.json.encode(SCHEMA).decode()

    references = set(re.findall(r'"\$ref":"([^"]*)"', text))

    assert msgspec.json.decode(text) == SCHEMA
    assert references == {f"#/definitions/{name}" for name in SCHEMA["definitions"]}


CASES: list[Any] = [
    *({"id": "a"}, {"input": 1}, {"expected": []}, {"actual": []}, {"toolCalls": None}),
    {"id": 7, "input": {"any": "thing"}, "expected": None, "actual": None},
    {"id": None, "expected": ["a"], "trial": None, "tags": None, "metadata": 1, "tools": "?"},
    {"expectedTool": "a", "toolCalls": [{"toolName": "a"}]},
    {"expectedTool": None},
    {"referenceToolCalls": [{"tool": "a", "args": {}}], "trial": "x", "tags": "word"},
    {"$schema": "case.schema.json", "id": "a", "expected": [], "tags": ["x", "y"], "more": {}},
    {"id": "a", "actual": {"tool_calls": []}, "cases": "none"},
    {"expected": ["a"], "actual": [], "actul": 1, "expectd": 2},
    {"id": "a", "actual": ["a", ["b", {}], {"name": None}, {"name": "c", "args": "{"}]},
    {"turns": [{"expected": ["a"], "toolCalls": [], "input": "?"}, {"question": 1}, None, []]},
    *(
        {"id": "a", "turns": 3, "turn": 7, "expected_status": 200},
        {"turns": [{"role": 1}], "id": 1},
    ),
]


@pytest.mark.parametrize("case", CASES, ids=repr)
def test_a_case_that_the_reader_accepts_is_valid_alone_and_among_others(case: Any) -> None:
    assert is_read(case)
    assert accepts(case)
    assert accepts([case, case])
    assert accepts({"cases": [case], "$schema": "x"})


MISTAKES: list[Any] = [
    *({}, {"name": "a"}, "a", 1),
    *({"id": ""}, {"id": 1.5}, {"id": True}, {"id": ["a"]}),
    *({"id": "a", "trial": 1.5}, {"id": "a", "trial": []}),
    *({"id": "a", "tags": 1}, {"id": "a", "tags": ["x", 1]}),
    *({"id": "a", "expectedTool": ["a"]}, {"id": "a", "expectedTool": ""}),
    *({"expected": [], "referenceToolCalls": []}, {"expected": [], "expectedTool": None}),
    *({"expectedTool": None, "referenceToolCalls": []}, {"actual": [], "toolCalls": []}),
    *({"expected": 5}, {"expected": "search"}, {"referenceToolCalls": [{"in_ordre": ["a"]}]}),
    *({"actual": 5}, {"toolCalls": True}),
    *({"id": "a", "expectd": []}, {"expected": [], "acutal": []}, {"Expected": [], "actual": []}),
    *({"turns": [["a"], {"expected": [], "forbid": "b"}]}, {"turns": [["a"], {"notes": "b"}]}),
    {"expected": ["a"], "actual": [], "expectedState": {}},
    {"expected": ["a"], "actual": [], "actual_sate": {}},
]


@pytest.mark.parametrize("case", MISTAKES, ids=repr)
def test_a_case_that_the_reader_refuses_is_not_valid_alone_or_among_others(case: Any) -> None:
    assert not is_read(case)
    assert not accepts(case)
    assert not accepts([{"id": "fine"}, case])
    assert not accepts({"cases": [case]})


def test_every_field_that_is_called_a_typo_is_one_to_the_reader() -> None:
    (typos,) = [
        rule["else"]["propertyNames"]["not"]["enum"]
        for rule in SCHEMA["definitions"]["case"]["allOf"]
        if "else" in rule
    ]

    taken = [typo for typo in typos if is_read({"id": "a", typo: []})]
    hiding = SCHEMA["definitions"]["case"]["propertyNames"]["not"]["enum"]
    hidden = [typo for typo in hiding if is_read({"expected": [], "actual": [], typo: 1})]

    assert min(len(typos), len(hiding)) > 20
    assert not taken
    assert not hidden


@pytest.mark.parametrize("calls", ["calls", "tool_calls"])
def test_a_file_of_one_side_may_call_its_calls_so(calls: str) -> None:
    assert accepts({calls: ["a"]})


def test_a_yaml_document_without_content_is_no_mistake() -> None:
    assert accepts(None)


def test_every_field_of_a_case_says_on_hover_what_it_means() -> None:
    case = SCHEMA["definitions"]["case"]
    fields = case["properties"]
    sides = {
        "expected": SCHEMA["definitions"]["expected"],
        "actual": SCHEMA["definitions"]["actual"],
    }

    assert set(fields) == {*CASE_FIELDS, "only", "skip", "$schema"}
    assert set(case["patternProperties"]) == {
        f"^{name}$" for name in EXPECTED_FIELDS[1:] + ACTUAL_FIELDS[1:]
    }
    assert all((fields | sides)[field]["title"] for field in CASE_FIELDS)


def _texts(page: Path) -> list[tuple[str, str]]:
    """The case files that a page shows: their names and what is in them."""
    text = page.read_text(encoding="utf-8")
    files = [(name, content) for name, _, content in HERE.findall(text)]
    return files + [(f"block.{kind}", content) for kind, content in BLOCK.findall(text)]


def test_every_case_that_the_documentation_shows_is_valid(tmp_path: Path) -> None:
    cases: list[Any] = []
    for page in sorted([*ROOT.glob("*.md"), *ROOT.glob("docs/**/*.md")]):
        for name, content in _texts(page):
            file = tmp_path / name
            file.parent.mkdir(exist_ok=True)
            file.write_text(content, encoding="utf-8")
            cases += [
                record.value
                for record in read_records(str(file))
                if not isinstance(record, BadRecord) and is_case(record.value)
            ]

    refused = [case for case in cases if is_read(case) and not accepts(case)]

    assert len(cases) >= 10
    assert not refused


def test_every_case_among_the_samples_is_valid() -> None:
    samples = sorted((ROOT / "tests/samples/formats/callscore_case").glob("*s*.json"))
    documents = [path for path in samples if path.name.count(".") == 1]

    refused = [path for path in documents if not accepts(msgspec.json.decode(path.read_bytes()))]

    assert len(documents) >= 2
    assert not refused


# What may stand in place of an argument's value, as editors are told.

VALIDATORS = {
    name: jsonschema_rs.Draft7Validator(
        {"$ref": f"#/definitions/{name}", "definitions": definitions}
    )
    for definitions in (value_definitions(),)
    for name in definitions
}
EXAMPLES = [example for comparator in comparators() for example, _, _ in comparator.examples]
OPERANDS: list[Any] = [
    *(
        None,
        True,
        False,
        0,
        -1,
        0.5,
        "",
        "x",
        "2024-01-15",
        [],
        ["x"],
        ["string"],
        [{"$any": True}],
    ),
    *({}, {"a": 1}, {"a": {"$gt": 1}}, {"$any": True}, {"$literal": [1]}, {"$literal": {"$a": 1}}),
]


def accepts_value(value: Any, name: str = "value") -> bool:
    return VALIDATORS[name].is_valid(value)


def is_readable_value(value: Any) -> bool:
    try:
        parse_matchers(value, where="value")
    except InvalidCall:
        return False
    return True


def _name(comparator: Comparator) -> str:
    return comparator.name


every_comparator = pytest.mark.parametrize("comparator", comparators(), ids=_name)


@pytest.mark.parametrize("example", EXAMPLES, ids=repr)
def test_the_example_of_a_rule_is_valid_wherever_a_value_stands(example: dict[str, Any]) -> None:
    assert accepts_value(example)
    assert accepts_value({"a": [example, {"b": example}]})
    assert accepts_value({"$one_of": [1, example]})
    assert accepts_value({"a": example}, "values")


@every_comparator
def test_no_operand_is_refused_that_the_reader_takes(comparator: Comparator) -> None:
    for key in comparator.keys:
        for operand in OPERANDS:
            assert accepts_value({key: operand}) or not is_readable_value({key: operand}), operand


@every_comparator
def test_operands_of_a_wrong_type_are_refused_as_by_the_reader(comparator: Comparator) -> None:
    for key in comparator.keys:
        refused = [operand for operand in OPERANDS if not is_readable_value({key: operand})]
        seen = [operand for operand in refused if not accepts_value({key: operand})]

        # The reader alone knows which text is a date, and which object is a schema.
        assert len(seen) >= len(refused) - 2
        assert seen or comparator.name == "optional"


@every_comparator
def test_options_are_checked_and_strange_ones_refused(comparator: Comparator) -> None:
    rule = comparator.examples[0][0]
    options = [option for option in comparator.options if option not in comparator.keys]

    assert not accepts_value({**rule, "tolerance": 1})
    assert not accepts_value({**rule, "$literal": 1})
    for option in options:
        assert not accepts_value({**rule, option: {"strange": True}})
        assert not is_readable_value({**rule, option: {"strange": True}})


@pytest.mark.parametrize(
    "value",
    [
        {"$rgx": "x"},
        {"a": [{"b": {"$rgx": "x"}}]},
        {"$gt": 1, "$contains": "x"},
        {"$any": True, "a": 1},
        {"$optional": {"$rgx": "x"}},
        {"$one_of": [{"$rgx": "x"}]},
        {"$subset": {"a": {"$rgx": "x"}}},
        {"$subset": {"$any": True}},
        {"$": 1},
    ],
    ids=repr,
)
def test_a_mistake_is_refused_at_any_depth(value: Any) -> None:
    assert not is_readable_value(value)
    assert not accepts_value(value)


@pytest.mark.parametrize(
    "value",
    [
        {"$literal": {"$rgx": {"$gt": "x"}}},
        {"a": {"$literal": 1}},
        {"$one_of": {"$literal": [{"$set": 1}]}},
        {"$unordered": {"$literal": []}},
        {"$subset": {"$literal": {"$set": 1}}},
        {"$schema": {"$ref": "#/$defs/x", "$defs": {"x": {"type": "string"}}}},
        {"": 1, "a$": {"": []}},
        {"$gte": 1, "$lt": 2},
    ],
    ids=repr,
)
def test_a_value_that_only_looks_like_a_mistake_is_accepted(value: Any) -> None:
    assert is_readable_value(value)
    assert accepts_value(value)


def test_an_object_of_values_is_no_rule_itself() -> None:
    assert accepts_value({"a": {"$any": True}}, "values")
    assert accepts_value({"$literal": {"$set": 1}}, "values")
    assert not accepts_value({"$subset": {"a": 1}}, "values")
    assert not accepts_value({"$literal": 1}, "values")
    assert not accepts_value([], "values")


def test_every_rule_says_on_hover_what_it_means() -> None:
    properties = value_definitions()["value"]["properties"]

    silent = [key for key, about in properties.items() if not about["title"]]
    undescribed = [key for key, about in properties.items() if not about["description"]]

    assert set(properties) == {"$literal", *[key for each in comparators() for key in each.keys]}
    assert not silent
    assert not undescribed


def test_a_rule_of_another_package_may_be_spelled_with_any_character() -> None:
    pattern = _plain_or_any_of(["$a.b", "$c|d"])
    names = jsonschema_rs.Draft7Validator({"propertyNames": {"pattern": pattern}})

    assert names.is_valid({"$a.b": 1, "$c|d": 2, "": 3, "x$": 4})
    assert not names.is_valid({"$aXb": 1})
    assert not names.is_valid({"$c": 1})

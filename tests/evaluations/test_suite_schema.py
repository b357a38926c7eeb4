"""The JSON Schema of a suite: valid itself, and of one mind with the program."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING, Any

import jsonschema_rs
import msgspec
import pytest

from callscore import Settings
from callscore.core.results import Unloaded
from callscore.core.settings import ALIASES
from callscore.evaluations.scorers import SCORERS
from callscore.evaluations.suite_schema import suite_json_schema
from callscore.evaluations.suites import JUDGE_KEYS, KEYS, MODEL_KEYS, VARIANT_KEYS, load_suite

if TYPE_CHECKING:
    from pathlib import Path

SCHEMA = suite_json_schema()
VALIDATOR = jsonschema_rs.Draft7Validator(SCHEMA)
DEFINITIONS = SCHEMA["definitions"]


def test_the_suite_schema_is_a_valid_schema_of_draft_07() -> None:
    assert jsonschema_rs.meta.is_valid(SCHEMA)
    assert SCHEMA["$schema"] == "http://json-schema.org/draft-07/schema#"


def test_the_suite_schema_is_plain_json_without_external_references() -> None:
    text = msgspec.json.encode(SCHEMA).decode()

    references = set(re.findall(r'"\$ref":"([^"]*)"', text))

    assert msgspec.json.decode(text) == SCHEMA
    assert references <= {f"#/definitions/{name}" for name in DEFINITIONS}


def test_the_suite_schema_has_exactly_the_keys_that_the_program_reads() -> None:
    settings = set(Settings.__struct_fields__) - {"judge", "similarity"}

    assert set(SCHEMA["properties"]) == set(KEYS)
    assert set(DEFINITIONS["model"]["properties"]) == set(MODEL_KEYS)
    assert set(DEFINITIONS["judge"]["properties"]) == set(JUDGE_KEYS)
    assert set(DEFINITIONS["variant"]["properties"]) == set(VARIANT_KEYS)
    assert set(DEFINITIONS["settings"]["properties"]) == settings | {"preset", *ALIASES}
    assert SCHEMA["properties"]["scorers"]["else"]["anyOf"][0]["enum"] == list(SCORERS)


SUITES: list[dict[str, Any]] = [
    {"cases": [{"input": "Hi", "expected": []}]},
    {"cases": [{"id": "a"}, "more.jsonl"], "$schema": "suite.schema.json", "name": "x"},
    {"cases": [{"input": "a", "expected": [{"name": "b", "arguments": {"c": {"$contains": "d"}}}]}]},
    {"cases": [{"id": "a"}], "tools": [{"name": "b"}], "system": "x", "prompt": "{{input}}"},
    {"cases": [{"id": "a"}], "scorers": "exact", "fail_under": 0.5, "tags": "x", "trials": 2},
    {"cases": [{"id": "a"}], "scorers": ["exact", "ragas.tool_call_f1"], "fail_under": {"exact": 1}},
    {"cases": [{"id": "a"}], "settings": {"preset": "flexible", "normalize_name": ["case"]}},
    {"cases": [{"id": "a"}], "settings": {"mode": "FLEXIBLE", "argumentMatchThreshold": 0.5}},
    {"cases": [{"id": "a"}], "settings": {"effects": {"get_*": "read"}, "strip_prefix": "x"}},
    {"cases": [{"id": "a"}], "settings": {"arguments": {"*.q": "ignore"}, "top_k": 2}},
    {"cases": [{"id": "a"}], "variants": {"v": {"model": "n", "parameters": {"seed": 1}}, "w": {}}},
    {"cases": [{"id": "a"}], "variants": {"v": {"model": {"name": "n"}}}, "skip": "why"},
    {"cases": [{"id": "a"}], "judge": {"name": "j", "key_variable": "K"}, "only": False},
    {"cases": [{"id": "a"}], "model": {"name": "m", "base_url": "http://localhost/v1"}},
    {"cases": [{"id": "a"}], "trials": 2.0, "variants": {}},
    {"cases": [{"id": "a"}], "answers": "more.jsonl"},
    {"cases": [{"id": "a"}], "answers": "more.jsonl", "variants": {}},
    {"cases": [{"id": "a"}], "variants": {"v": {"answers": "more.jsonl"}}},
]  # fmt: skip


def loads(value: dict[str, Any], folder: Path) -> bool:
    (folder / "more.jsonl").write_text('{"id": "a", "actual": []}\n')
    (folder / "eval_a.yaml").write_bytes(msgspec.json.encode(value))
    return not isinstance(load_suite(folder / "eval_a.yaml"), Unloaded)


@pytest.mark.parametrize("value", SUITES, ids=repr)
def test_a_suite_that_the_program_loads_is_valid(value: dict[str, Any], tmp_path: Path) -> None:
    value = value if _is_recorded(value) else {"model": "m", **value}

    assert loads(value, tmp_path)
    assert VALIDATOR.is_valid(value)


def _is_recorded(value: dict[str, Any]) -> bool:
    return "answers" in value or any(
        "answers" in each for each in value.get("variants", {}).values()
    )


MISTAKES: list[dict[str, Any]] = [
    *({}, {"cases": []}, {"cases": 7}, {"cases": [7]}, {"cases": [{"expectd": []}]}),
    *({"scorer": "exact"}, {"scorers": ["acuracy"]}, {"scorers": []}, {"scorers": ["f1", "f1"]}),
    *({"model": {}}, {"model": {"name": "m", "temperature": 0}}, {"model": 7}, {"model": ""}),
    *({"fail_under": "x"}, {"fail_under": {"exact": "x"}}, {"trials": 0}, {"tags": [1]}),
    *({"settings": {"mod": "x"}}, {"settings": {"mode": "x"}}, {"settings": {"judge": "x"}}),
    *({"variants": {"v": {"x": 1}}}, {"variants": ["v"]}, {"only": "x"}, {"skip": 1}),
    *({"judge": {"name": "j", "parameters": {}}}, {"name": ""}, {"tools": 7}),
    *({"model": {"name": "m", "base_url": "x"}}, {"model": {"name": "m", "key_variable": "a b"}}),
    *({"fail_under": 1.5}, {"fail_under": {"accuracy": -1}}, {"trials": 2.5}, {"mode": "strict"}),
    *({"model": {"name": "m", "parameters": {"messages": []}}}, {"answers": "more.jsonl"}),
    *({"variants": {"v": {"answers": "more.jsonl"}}}, {"variants": {"v": {"parameters": {"tools": 1}}}}),
]  # fmt: skip
# Of recorded answers: nobody is asked, and those of the suite are all there are.
MIXED: list[dict[str, Any]] = [
    {},
    {"answers": "more.jsonl", "system": "Be kind."},
    {"answers": "more.jsonl", "variants": {"v": {"answers": "more.jsonl"}}},
    {"answers": "more.jsonl", "variants": {"v": {}}},
    {"variants": {"v": {"answers": "more.jsonl"}, "w": {}}},
    {"variants": {"v": {"answers": "more.jsonl"}}, "prompt": "{{input}}"},
    {"variants": {"v": {"model": "m"}}},
]


@pytest.mark.parametrize("mistake", MISTAKES, ids=repr)
def test_a_suite_that_the_program_refuses_is_not_valid(
    mistake: dict[str, Any], tmp_path: Path
) -> None:
    value = mistake if not mistake or "cases" in mistake else {"cases": [{"id": "a"}], **mistake}
    value = {"model": "m", **value}

    assert not loads(value, tmp_path)
    assert not VALIDATOR.is_valid(value)


@pytest.mark.parametrize("mistake", MIXED, ids=repr)
def test_a_suite_asks_a_model_or_has_recorded_answers(
    mistake: dict[str, Any], tmp_path: Path
) -> None:
    value = {"cases": [{"id": "a"}], **mistake}

    assert not loads(value, tmp_path)
    assert not VALIDATOR.is_valid(value)

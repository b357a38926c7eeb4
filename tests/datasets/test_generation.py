"""Cases from the definitions of tools."""

from __future__ import annotations

import sys
from collections import Counter
from typing import TYPE_CHECKING, Any, get_args
from unittest.mock import patch

import pytest

from callscore import InvalidSettings, Tool, UnreadableInput
from callscore.datasets.generation import (
    CASE_KINDS,
    CaseKind,
    generate_cases,
    load_python_tools,
    parse_python_tools,
)
from callscore.datasets.near_misses import FAILURE_CLASSES, fails_only_with, passes_without_faults

if TYPE_CHECKING:
    from pathlib import Path

TEXT = {"type": "string"}
TOOLS = {
    "search": Tool("search", "Search the web.", {"type": "object", "properties": {"query": TEXT, "limit": {"type": "integer", "minimum": 1, "maximum": 9}}, "required": ["query"]}),
    "mail": Tool("mail", "Send a mail.", {"type": "object", "properties": {"to": {"type": "string", "format": "email"}, "text": TEXT}, "required": ["to", "text"]}),
    "ping": Tool("ping", "Ping.", {"type": "object", "properties": {}}),
}  # fmt: skip
PING = {"ping": TOOLS["ping"]}


def _kinds(records: list[dict[str, Any]]) -> Counter[str]:
    return Counter(record["tags"][0] for record in records)


def test_there_are_as_many_as_were_asked_for_of_every_kind() -> None:
    made = generate_cases(TOOLS, 100)

    assert len(made.records) == 100
    assert made.missing == 0
    assert made.impossible == ()
    kinds = _kinds(made.records)
    assert set(kinds) == {"single", "several", "negative", "near_miss"}
    assert kinds["single"] >= 30


def test_every_case_is_what_its_tags_say() -> None:
    for record in generate_cases(TOOLS, 150).records:
        kind = record["tags"][0]
        if kind == "near_miss":
            assert fails_only_with(record, record["tags"][1], TOOLS)
        else:
            assert passes_without_faults(record, TOOLS)
            assert record["actual"] == record["expected"]
            assert bool(record["expected"]) is (kind != "negative")


def test_every_class_of_failure_comes_up() -> None:
    made = generate_cases(TOOLS, len(FAILURE_CLASSES), kinds=["near_miss"])

    assert {record["tags"][1] for record in made.records} == set(FAILURE_CLASSES)
    assert {record["metadata"]["failure"] for record in made.records} == set(FAILURE_CLASSES)


def test_cases_are_spread_over_the_tools() -> None:
    made = generate_cases(TOOLS, 12, kinds=["single"])

    called = Counter(record["metadata"]["tools"][0] for record in made.records)
    assert set(called.values()) == {4}


def test_several_calls_are_different_ones() -> None:
    for record in generate_cases(TOOLS, 20, kinds=["several"]).records:
        names = [str(call) for call in record["expected"]]
        assert 2 <= len(names) == len(set(names))


def test_ids_and_questions_are_unique() -> None:
    records = generate_cases(TOOLS, 300).records

    assert len({record["id"] for record in records}) == len(records)
    assert len({record["input"] for record in records}) == len(records)


def test_the_same_seed_gives_the_same_cases_and_another_others() -> None:
    first, again, other = (generate_cases(TOOLS, 40, seed=seed) for seed in (1, 1, 2))

    assert first == again
    assert first.records != other.records


def test_more_cases_begin_with_the_same_ones() -> None:
    few = generate_cases(TOOLS, 10, kinds=["single"]).records
    many = generate_cases(TOOLS, 30, kinds=["single"]).records

    assert many[:10] == few


def test_what_the_tools_do_not_give_is_told() -> None:
    made = generate_cases(PING, 200)

    assert made.missing == 200 - len(made.records) > 0
    assert {"wrong_value", "wrong_type", "wrong_tool", "extra_call"} <= set(made.impossible)


def test_what_one_kind_cannot_give_others_make_up_for() -> None:
    made = generate_cases(PING, 12, kinds=["several", "negative"])

    assert len(made.records) == 12
    assert set(_kinds(made.records)) == {"negative"}


def test_where_no_near_miss_is_possible_there_is_none() -> None:
    made = generate_cases({"f": Tool("f")}, 4, kinds=["near_miss"])

    assert "wrong_value" in made.impossible


@pytest.mark.parametrize("kind", CASE_KINDS)
def test_a_single_kind_can_be_asked_for(kind: CaseKind) -> None:
    made = generate_cases(TOOLS, 5, kinds=[kind])

    assert set(_kinds(made.records)) == {kind}


def test_there_are_four_kinds() -> None:
    assert get_args(CaseKind) == CASE_KINDS


def test_without_tools_there_is_nothing_to_make() -> None:
    with pytest.raises(InvalidSettings, match="no tools to make"):
        generate_cases({}, 5)


def test_a_schema_that_cannot_be_used_is_named() -> None:
    with pytest.raises(InvalidSettings, match="'f'"):
        generate_cases({"f": Tool("f", None, {"type": "strange"})}, 5)


def test_a_tool_without_a_value_is_left_out_and_the_others_are_not() -> None:
    text = {"type": "string", "pattern": "^(a)\\1$"}
    hard = Tool("hard", None, {"type": "object", "properties": {"a": text}, "required": ["a"]})
    strange = Tool("strange", None, {"type": "strange"})

    made = generate_cases({"hard": hard, **PING, "strange": strange}, 12)

    assert len(made.records) == 12
    assert set(made.left_out) == {"hard", "strange"}
    assert "no value found for $.a" in made.left_out["hard"]
    assert "is invalid" in made.left_out["strange"]
    assert made.records == generate_cases(PING, 12).records


def test_where_all_tools_are_left_out_the_first_problem_is_told() -> None:
    strange = Tool("strange", None, {"type": "strange"})

    with pytest.raises(
        InvalidSettings, match=r"'strange' .* The other tools cannot be used either."
    ):
        generate_cases({"a": strange, "b": strange}, 5)


def test_a_schema_that_has_a_value_only_now_and_then_is_no_reason_to_stop() -> None:
    seldom = {"anyOf": [{"const": 1}, {"allOf": [{"const": 1}, {"const": 2}]}]}
    both = {"type": "object", "properties": {"a": seldom}, "required": ["a"], "allOf": [{"properties": {"a": seldom}}] * 5}  # fmt: skip

    assert generate_cases({**PING, "both": Tool("both", None, both)}, 30).records


def test_literal_keys_of_rules_are_told_from_rules() -> None:
    tool = Tool("f", None, {"type": "object", "properties": {"a": {"const": {"$any": True}}}, "required": ["a"]})  # fmt: skip

    (record,) = generate_cases({"f": tool}, 1, kinds=["single"]).records

    assert record["expected"][0]["arguments"] == {"a": {"$literal": {"$any": True}}}
    assert record["actual"][0]["arguments"] == {"a": {"$any": True}}


def test_many_arguments_are_no_reason_to_score_each_of_them_in_vain() -> None:
    wide = Tool("f", None, {"type": "object", "properties": {f"p{n}": TEXT for n in range(60)}})

    with patch("callscore.datasets.generation.fails_only_with", wraps=fails_only_with) as scored:
        made = generate_cases({"f": wide}, 20)

    assert "invalid_value" in made.impossible
    assert scored.call_count < 100


def test_a_tool_is_asked_for_in_other_words_where_it_has_no_other_arguments() -> None:
    made = generate_cases(PING, 3, kinds=["single"])

    assert [record["expected"] for record in made.records] == [
        [{"name": "ping", "arguments": {}}]
    ] * 3


# The tools in a Python file.

BISTRO = '''
from __future__ import annotations

from dataclasses import dataclass
from os.path import join

@dataclass
class Guest:
    name: str

def find_table(guests: int) -> str: ...

def book(guest: Guest) -> str: ...

def described(a):
    """Do it."""

def undescribed(a): ...

def _hidden(a: int) -> int: ...

LIMIT = 5
'''


def _write(tmp_path: Path, text: str) -> str:
    file = tmp_path / "bistro.py"
    file.write_text(text)
    return str(file)


@pytest.mark.parametrize(
    ("given", "found"),
    [
        ("tools.json", None),
        ("a/tools.py", ("a/tools.py", ())),
        ("tools.py:one", ("tools.py", ("one",))),
        ("tools.py:one, two,", ("tools.py", ("one", "two"))),
        ("C:/tools.py", ("C:/tools.py", ())),
    ],
)
def test_a_file_and_names_are_told_apart(given: str, found: object) -> None:
    assert parse_python_tools(given) == found


def test_the_functions_of_the_file_itself_that_say_something_are_tools(tmp_path: Path) -> None:
    path = list(sys.path)

    tools = load_python_tools(_write(tmp_path, BISTRO))

    assert list(tools) == ["find_table", "book", "described"]
    assert tools["find_table"].parameters is not None
    assert tools["find_table"].parameters["required"] == ["guests"]
    assert "Guest" in str(tools["book"].parameters)
    assert sys.path == path


def test_functions_that_are_named_are_tools_whatever_they_say(tmp_path: Path) -> None:
    assert list(load_python_tools(_write(tmp_path, BISTRO), ("_hidden", "join"))) == [
        "_hidden",
        "join",
    ]


@pytest.mark.parametrize(
    ("text", "names", "problem"),
    [
        ("LIMIT = 5", (), "no tools found"),
        (BISTRO, ("find_tabel",), "unknown function 'find_tabel'. Did you mean 'find_table'?"),
        (BISTRO, ("LIMIT",), "unknown function 'LIMIT'."),
        ("f = lambda a: a", ("f",), "lambda"),
        ("1 / 0", (), "importing it raises ZeroDivisionError: division by zero."),
        ("exit(3)", (), "importing it raises SystemExit: 3."),
        ("def f(:", (), "importing it raises SyntaxError"),
    ],
)  # fmt: skip
def test_what_gives_no_tools_is_an_error_that_says_why(
    tmp_path: Path, text: str, names: tuple[str, ...], problem: str
) -> None:
    with pytest.raises(UnreadableInput) as raised:
        load_python_tools(_write(tmp_path, text), names)

    assert problem in str(raised.value)


def test_there_must_be_such_a_file(tmp_path: Path) -> None:
    with pytest.raises(UnreadableInput, match="does not exist"):
        load_python_tools(str(tmp_path / "none.py"))

"""Cases, settings and tools as the plain data that a history keeps."""

from __future__ import annotations

from callscore import Case, Settings, expect
from callscore.core.rules import Matcher
from callscore.engines.payloads import (
    PYTHON_KEY,
    case_payload,
    function_payload,
    settings_payload,
    tools_payload,
)
from callscore.models.judging import judge


def test_a_case_is_kept_as_a_file_has_it() -> None:
    case = Case(
        "hi",
        id="a",
        expected=(expect.call("f", {"n": 1}), expect.forbid("g")),
        tags=("slow",),
        metadata={"by": "me"},
        trial=2,
    )

    assert case_payload(case) == {
        "input": "hi",
        "metadata": {"by": "me"},
        "tags": ["slow"],
        "expected": [{"name": "f", "arguments": {"n": 1}}, {"forbid": "g"}],
    }


def test_to_expect_no_calls_is_kept_apart_from_saying_nothing() -> None:
    assert case_payload(Case(id="a", expected=())) == {"expected": []}
    assert case_payload(Case(id="a")) == {}


def test_what_no_file_can_spell_is_kept_as_it_looks() -> None:
    odd = expect.call("f", {"when": Matcher("$nobody", len)})

    (kept,) = case_payload(Case(id="a", expected=(odd,)))["expected"]

    assert list(kept) == [PYTHON_KEY]


class Thing:
    """Something that looks as Python has it by default."""


def test_where_an_object_is_in_memory_is_not_kept() -> None:
    made = [
        Case({"who": [Thing()], "said": "it is at 0x12"}, id="a", expected=(call,))
        for call in (expect.call("f", x={"y": [lambda: 1]}), expect.call("f", x={"y": [lambda: 1]}))
    ]

    first, second = map(case_payload, made)

    assert first == second
    assert first["input"]["said"] == "it is at 0x12"
    assert list(first["expected"][0]) == [PYTHON_KEY]


def test_tools_are_kept_as_they_are_where_that_is_data() -> None:
    definitions = [{"name": "f", "parameters": {"type": "object"}}]

    assert case_payload(Case(id="a", tools=definitions))["tools"] == definitions


def test_tools_that_are_functions_say_what_they_are() -> None:
    def search(query: str) -> str:
        """Search the web."""
        return query

    (kept,) = case_payload(Case(id="a", tools=[search]))["tools"]

    assert (kept["name"], kept["description"]) == ("search", "Search the web.")


def test_tools_that_nobody_can_read_are_kept_as_text() -> None:
    (kept,) = case_payload(Case(id="a", tools=[_Alike()]))["tools"]

    assert kept.startswith("<")


def test_nobody_knows_no_tools() -> None:
    assert tools_payload(None) is None
    assert tools_payload({}) == []


def test_functions_in_settings_are_known_by_their_names() -> None:
    assert settings_payload(Settings(similarity=_alike))["similarity"].endswith("_alike")
    assert function_payload(_Alike()).endswith("_Alike")


def test_of_a_judge_is_kept_what_he_is_made_of_and_no_key() -> None:
    kept = function_payload(judge("small", base_url="http://localhost:1/v1"))

    assert kept["model"] == "small"
    assert set(kept) == {"model", "base_url", "key_variable"}


def _alike(_: str, __: str) -> float:
    return 1.0


class _Alike:
    def __call__(self, _: str, __: str) -> float:
        return 1.0

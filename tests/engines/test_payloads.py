"""Cases, settings and tools as the plain data that a history keeps."""

from __future__ import annotations

from typing import Any

import msgspec
from hypothesis import given
from hypothesis import strategies as st

from callscore import Case, Settings, expect, score
from callscore.api import tools_by_name
from callscore.core.call import DecodedCalls, ToolCall
from callscore.core.rules import Matcher
from callscore.core.settings import settings_from
from callscore.engines.payloads import (
    PYTHON_KEY,
    calls_payload,
    case_payload,
    comparison_payload,
    function_payload,
    score_payload,
    settings_payload,
    tools_payload,
)
from callscore.history.records import ResultRecord, json_bytes
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


_SCALARS = (
    st.none()
    | st.booleans()
    | st.integers()
    | st.floats(allow_nan=False, allow_infinity=False)
    | st.text(st.characters(exclude_categories=["Cs"], exclude_characters="$"))
)
_NAMES = st.text(st.characters(exclude_categories=["Cs"], exclude_characters="$"), min_size=1)
_VALUES = st.recursive(
    _SCALARS, lambda inner: st.lists(inner, max_size=3) | st.dictionaries(_NAMES, inner, max_size=3)
)


@given(st.lists(st.tuples(_NAMES, st.dictionaries(_NAMES, _VALUES, max_size=4)), max_size=4))
def test_decoded_calls_are_kept_as_any_others(calls: list[tuple[str, dict[str, Any]]]) -> None:
    decoded = msgspec.json.decode(json_bytes(calls))

    others = tuple([ToolCall(name, arguments) for name, arguments in decoded])
    known = DecodedCalls(others)

    assert json_bytes(calls_payload(known)) == json_bytes(calls_payload(others))
    assert json_bytes(case_payload(Case(id="a", expected=known))) == json_bytes(
        case_payload(Case(id="a", expected=others))
    )


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


# What a result keeps of a score: pairs and differences by positions, and no call twice.

SEARCH = {"name": "search", "arguments": {"q": "news", "n": 5}}
TOOLS = [
    {
        "name": "search",
        "parameters": {"type": "object", "properties": {"q": {"type": "string"}}},
        "effect": "read",
    }
]


def test_without_a_score_nothing_is_kept() -> None:
    assert score_payload(None) == {}


def test_the_counts_of_a_score_are_kept() -> None:
    found = score(expected=[SEARCH, {"name": "book"}], actual=[{"name": "search", "arguments": {}}])

    kept = score_payload(found)

    assert (kept["f1"], kept["counts"]) == (0.0, (0, 1, 1, 0, 2, 1, 0))
    assert kept["faults"] is None
    assert kept["tools"] == {"search": (0, 1, 0, 0, 0), "book": (0, 0, 1, 0, 0)}


def test_what_is_kept_fits_a_record() -> None:
    found = score(expected=[SEARCH], actual=[SEARCH])

    record = ResultRecord(
        run="run", evaluation=0, case="a", status="scored", **score_payload(found)
    )

    assert record.f1 == 1.0


def test_pairs_are_named_by_their_positions() -> None:
    found = score(
        expected=[SEARCH, {"name": "book", "arguments": {"to": "Oslo"}}, {"name": "pay"}],
        actual=[{"name": "log", "arguments": {}}, SEARCH, {"name": "book", "arguments": {"to": 1}}],
    )

    kept = comparison_payload(found)

    assert kept == {
        "pairs": [(0, 1, True), (1, 2, False)],
        "missed": [2],
        "extra": [0],
        "forbidden": [],
        "differences": [
            {
                "pair": 1,
                "path": "$.to",
                "kind": "type",
                "expected": "Oslo",
                "actual": 1,
                "reason": found.incorrect[0].differences[0].reason,
            }
        ],
        "faults": [],
    }


def test_a_forbidden_call_is_named() -> None:
    found = score(expected=[{"forbid": "rm"}], actual=[{"name": "rm", "arguments": {}}])

    kept = comparison_payload(found)

    assert (kept["extra"], kept["forbidden"], kept["expected"]) == ([0], [0], [])


def test_what_a_group_comes_to_is_told() -> None:
    wanted = [{"one_of": [{"name": "a"}, {"name": "b"}]}]

    kept = comparison_payload(score(expected=wanted, actual=[{"name": "b", "arguments": {}}]))

    assert kept["pairs"] == [(0, 0, True)]
    assert kept["expected"] == [{"name": "b"}]
    assert "actual" not in kept


def test_where_calls_do_not_count_those_that_do_are_told() -> None:
    from callscore.api import score_case
    from callscore.core.call import ToolCall

    settings = settings_from({"count_calls": "writes"})
    calls = (ToolCall("search", {"q": "a"}), ToolCall("book", {}))

    kept = comparison_payload(score_case(calls, calls, settings, tools_by_name(TOOLS)))

    assert [call["name"] for call in kept["actual"]] == ["book"]
    assert [call["name"] for call in kept["expected"]] == ["book"]


def test_errors_by_the_schema_are_counted_and_told() -> None:
    wrong: dict[str, Any] = {"name": "search", "arguments": {"q": 7, "x": 1}}

    kept = score_payload(score(expected=[wrong], actual=[wrong], tools=TOOLS))

    assert kept["faults"] == len(kept["comparison"]["faults"]) > 0
    assert kept["comparison"]["faults"][0]["tool"] == "search"
    assert kept["comparison"]["faults"][0]["reason"]


def test_a_flexible_pair_that_counts_says_how_it_differs() -> None:
    near = {"name": "search", "arguments": {"q": "news", "n": 6}}

    kept = comparison_payload(
        score(expected=[SEARCH], actual=[near], mode="flexible", argument_match_threshold=0.5)
    )

    assert kept["pairs"] == [(0, 0, True)]
    assert [each["path"] for each in kept["differences"]] == ["$.n"]


def test_a_call_with_thousands_of_differences_does_not_fill_the_history() -> None:
    before = {"name": "f", "arguments": {"items": list(range(5_000))}}
    after = {"name": "f", "arguments": {"items": list(range(1, 5_001))}}

    assert len(comparison_payload(score(expected=[before], actual=[after]))["differences"]) == 100

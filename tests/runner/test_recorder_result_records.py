"""What a run keeps: all of it can be scored again, and gives the same."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import msgspec
import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st
from tests.runner.agents import WEATHER, a_plan, an_evaluation

from callscore import Case, expect
from callscore.api import score_case, tools_by_name
from callscore.core.call import Tool, ToolCall
from callscore.core.case import Forbidden, Group, Times
from callscore.core.rules import ABSENT, comparators
from callscore.core.settings import settings_from
from callscore.evaluations.plan import Group as Questions
from callscore.history.records import json_bytes
from callscore.runner.answers import plain_case_payload
from callscore.runner.rescoring import RescoreOptions, rescore
from callscore.runner.resuming import group_record
from callscore.runner.running import RunHooks, RunOptions, run
from callscore.runner.stored_runs import (
    case_from_payload,
)

if TYPE_CHECKING:
    from callscore.core.results import Result
    from callscore.evaluations.evaluation import Question
    from callscore.history.store import Store

# --- every kind of expectation ------------------------------------------------------------------

NAMES = st.sampled_from(["search", "book_flight", "погода", "a b\n"])
VALUES = st.recursive(
    st.none()
    | st.booleans()
    | st.integers()
    | st.sampled_from([2**64, -(2**70), 10**400])
    | st.floats(allow_nan=False, allow_infinity=False)
    | st.text(st.characters(exclude_categories=["Cs"]), max_size=5),
    lambda inner: (
        st.lists(inner, max_size=3)
        | st.dictionaries(st.sampled_from(["a", "b", "$gt", "$literal", ""]), inner, max_size=3)
    ),
    max_leaves=5,
)
EXAMPLES = [
    example
    for comparator in comparators()
    for example in comparator.examples
    if "$judge" not in example[0]  # nobody is there to be asked
]


def _ruled(spelled: Any) -> Any:
    """A rule as a file spells it, as a value."""
    (call,) = expect.from_json([{"name": "x", "arguments": {"value": spelled}}])
    assert isinstance(call, ToolCall)
    assert call.arguments is not None
    return call.arguments["value"]


RULES = st.sampled_from([_ruled(spelled) for spelled, _, _ in EXAMPLES])
WANTED = RULES | VALUES
# Where rules stand deeper, no key beside them may look like one: no file could say it.
DEEP = st.builds(lambda rule: {"a": [rule]}, RULES) | st.builds(expect.one_of, RULES, st.integers())
GIVEN = VALUES | st.sampled_from(
    [value for example in EXAMPLES for value in example[1:] if value is not ABSENT]
)


def _calls(values: st.SearchStrategy[Any]) -> st.SearchStrategy[ToolCall]:
    arguments = st.none() | st.dictionaries(st.sampled_from(["query", "date"]), values, max_size=2)
    return st.builds(ToolCall, NAMES, arguments)


@st.composite
def _times(draw: st.DrawFn) -> Times:
    least = draw(st.integers(0, 2))
    most = draw(st.none() | st.integers(max(least, 1), 3))
    return Times(draw(_calls(WANTED)), least, most)


def _groups(inner: st.SearchStrategy[Any]) -> st.SearchStrategy[Group]:
    several = st.lists(inner, min_size=1, max_size=2).map(tuple)
    kinds = st.sampled_from(["in_order", "any_order", "one_of"])
    return st.builds(Group, kinds, several) | st.builds(
        Group, st.just("optional"), inner.map(lambda one: (one,))
    )


NODES = st.recursive(_calls(WANTED | DEEP) | _times(), _groups, max_leaves=3)
EXPECTED = st.lists(NODES | st.builds(Forbidden, st.sampled_from(["delete_*", "drop"])), max_size=3)
MADE = st.lists(
    st.builds(
        lambda name, arguments: {"name": name, "arguments": arguments},
        NAMES | st.just("delete_all"),
        st.dictionaries(st.sampled_from(["query", "date"]), GIVEN, max_size=2)
        | st.sampled_from(['{"query": ', "[1]", "null", '{"query": 1, "query": 2}', ""]),
    ),
    max_size=3,
)
TOOLS: list[dict[str, Any]] = [
    {
        "name": "search",
        "parameters": {
            "type": "object",
            "properties": {"query": {"type": "string", "maxLength": 10**30}},
            "required": ["query"],
        },
    },
    {"name": "book_flight", "description": "Book.", "effect": "write"},
]
SETTINGS = st.sampled_from(
    [
        {},
        {"mode": "flexible", "argument_match_threshold": 0.5, "extra_arguments": "count"},
        {"order": "in_order", "arrays": "unordered", "nested_objects": "subset"},
        {"count_calls": "writes", "effects": {"search": "read"}, "pass_mark": 0.25},
        {"arguments": {"*.query": {"text": {"similarity": 0.5}}, "*.date": "ignore"}},
        {"strip_prefix": ["mcp__*__"], "normalize_name": ["case", "dots"], "top_k": 2},
        {"failed_calls": "ignore", "repeated_calls": "collapse"},
    ]
)


def outcomes(found: list[tuple[str, Result]]) -> RunHooks:
    def note(question: Question, outcome: Result) -> None:
        found.append((question.case.id, outcome))

    return RunHooks(on_done=note)


@settings(max_examples=40, suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(
    st.lists(st.tuples(EXPECTED, MADE), min_size=1, max_size=4),
    SETTINGS,
    st.sampled_from([None, TOOLS]),
)
def test_rescoring_a_stored_run_gives_the_same_results(
    store: Store, pairs: list[tuple[list[Any], Any]], options: dict[str, Any], tools: Any
) -> None:
    cases = [Case("Go", id=f"case {at}", expected=wanted) for at, (wanted, _) in enumerate(pairs)]
    made = {case.id: answer for case, (_, answer) in zip(cases, pairs, strict=True)}
    asked = a_plan(lambda case: made[case.id], *cases, tools=tools, **options)
    before: list[tuple[str, Result]] = []
    after: list[tuple[str, Result]] = []

    ran = run(asked, RunOptions(show="all"), outcomes(before), store)
    again = rescore(store, store.find(ran.id), RescoreOptions(show="all"), outcomes(after))

    assert [each for each in again.warnings if " nothing: " not in each] == []  # of an unused rule
    first, second = dict(before), dict(after)
    for case in cases:
        was, now = first[case.id], second[case.id]
        assert was.failure is None, was
        assert now.failure is None, now
        assert was.case.expected == tuple(case.expected or ())
        assert now.case == was.case
        assert now.score == was.score
        assert now.score == score_case(
            tuple(case.expected or ()),
            was.case.actual or (),
            settings_from(options),
            None if tools is None else tools_by_name(tools),
            others=was.case.others,
        )
        assert (now.values, now.passed) == (was.values, was.passed)
    assert again.evaluations[0].results.summary == ran.evaluations[0].results.summary
    kept = {result.case: result for result in store.results(again.id)}
    for result in store.results(ran.id):
        other = kept[result.case]
        assert (result.calls, result.counts, result.f1) == (other.calls, other.counts, other.f1)
        score = second[result.case].score
        assert score is not None
        assert result.counts == (
            len(score.correct),
            len(score.incorrect),
            len(score.missed),
            len(score.extra),
            score.total_expected,
            score.total_actual,
            len(score.forbidden),
        )


# --- cases ----------------------------------------------------------------------------------------


def back(case: Case) -> Case:
    """A case as it comes out of the history."""
    return case_from_payload(case.id, msgspec.json.decode(json_bytes(plain_case_payload(case))))


def test_a_case_comes_back_as_it_was() -> None:
    whole = Case(
        [{"role": "user", "content": "Привет 🌍\x00"}],
        id="a/b c",
        expected=(ToolCall("search", {"query": "x"}, step=2, result="Error: no", failed=True),),
        tools=[WEATHER],
        tags=("smoke",),
        metadata={"cost": 2**80, "nothing": None},
    )
    bare = Case(id="bare")

    assert back(whole) == whole
    assert back(bare) == bare
    assert plain_case_payload(bare) == {}


def getWeather(city: str) -> str:  # noqa: N802  (as tools are called)
    """Tell the weather."""
    return city


@pytest.mark.parametrize(
    "tools",
    [[getWeather], [Tool("getWeather", None, {"type": "object"})], ({"name": "getWeather"},)],
)
def test_the_tools_of_a_case_are_kept_by_what_they_say(tools: Any) -> None:
    kept = back(Case(id="own", tools=tools)).tools

    assert tools_by_name(kept) == tools_by_name(tools)


def test_a_file_of_tools_is_kept_as_what_is_in_it(tmp_path: Any) -> None:
    file = tmp_path / "tools.json"
    file.write_bytes(json_bytes([WEATHER]))

    kept = back(Case(id="own", tools=file)).tools
    file.unlink()

    assert list(tools_by_name(kept)) == ["get_weather"]


# --- settings, scorers and tools ------------------------------------------------------------------


def test_a_function_that_is_called_like_a_scorer_of_our_own_is_told_from_it() -> None:
    def accuracy() -> float:
        return 0.5

    def polite() -> float:
        return 0.5

    asked = an_evaluation(list, scorers=[accuracy, polite, "f1", "ragas.tool_call_f1"])

    kept = group_record("run", 2, Questions(evaluation=asked, variant="small"))

    assert kept.scorers == ("accuracy()", "polite", "f1", "ragas.tool_call_f1")
    assert (kept.number, kept.name, kept.variant) == (2, "assistant", "small")

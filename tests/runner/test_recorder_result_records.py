"""What a run keeps: all of it can be scored again, and gives the same."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import msgspec
import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st
from msgspec.structs import replace
from tests.runner.agents import RIGHT, WEATHER, a_case, a_plan, a_question, an_evaluation

from callscore import Case, evaluation, expect, models
from callscore.api import score_case, tools_by_name
from callscore.core.call import Tool, ToolCall
from callscore.core.case import Forbidden, Group, Times
from callscore.core.results import Answer, Failure, Result, Usage
from callscore.core.rules import ABSENT, comparators
from callscore.core.settings import ArgumentRule, Settings, settings_from
from callscore.core.totals import summary_payload
from callscore.engines.payloads import settings_payload, tools_payload
from callscore.errors import InvalidCall
from callscore.history.records import ResultRecord, json_bytes
from callscore.runner.answers import stored_answer, stored_failure
from callscore.runner.recorder import (
    evaluation_record,
    given_settings,
    plain_case_payload,
    result_record,
)
from callscore.runner.rescoring import RescoreOptions, rescore
from callscore.runner.running import RunHooks, RunOptions, run
from callscore.runner.stored_payloads import (
    case_from_payload,
    stored_settings,
)

if TYPE_CHECKING:
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
def test_what_is_kept_is_scored_as_it_was_before(
    store: Store, pairs: list[tuple[list[Any], Any]], options: dict[str, Any], tools: Any
) -> None:
    cases = [Case("Go", id=f"case {at}", expected=wanted) for at, (wanted, _) in enumerate(pairs)]
    made = {case.id: answer for case, (_, answer) in zip(cases, pairs, strict=True)}
    asked = a_plan(lambda case: made[case.id], *cases, tools=tools, **options)
    before: list[tuple[str, Result]] = []
    after: list[tuple[str, Result]] = []

    ran = run(asked, RunOptions(show="all"), outcomes(before), store)
    again = rescore(store, store.find(ran.id), RescoreOptions(show="all"), outcomes(after))

    assert not again.warnings
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


def test_a_case_that_expects_nothing_is_not_one_that_says_nothing() -> None:
    assert back(Case(id="none", expected=())).expected == ()
    assert back(Case(id="unknown")).expected is None


def test_what_only_python_can_say_is_not_taken_for_something_else() -> None:
    wanted = ToolCall("search", {"$where": 1, "limit": expect.gt(3)})

    with pytest.raises(
        InvalidCall, match=r"the expected calls can be written only in Python: .*search"
    ):
        back(Case(id="mixed", expected=(wanted,)))


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


def test_what_a_case_takes_for_tools_need_not_be_any() -> None:
    assert back(Case(id="own", tools=3.5)).tools == 3.5
    assert back(Case(id="own", tools=[object])).tools == [f"{object!r}"]


def test_a_file_of_tools_is_kept_as_what_is_in_it(tmp_path: Any) -> None:
    file = tmp_path / "tools.json"
    file.write_bytes(json_bytes([WEATHER]))

    kept = back(Case(id="own", tools=file)).tools
    file.unlink()

    assert list(tools_by_name(kept)) == ["get_weather"]


# --- settings, scorers and tools ------------------------------------------------------------------


@given(SETTINGS)
def test_settings_come_back_as_they_were(options: dict[str, Any]) -> None:
    given_settings = settings_from(options)

    kept = msgspec.json.decode(json_bytes(settings_payload(given_settings)))

    assert settings_from(stored_settings(kept)) == given_settings


class _Alike:
    def __call__(self, one: str, other: str) -> float:
        return float(one == other)


def _same(one: str, other: str) -> float:
    return float(one == other)


def test_of_functions_in_settings_the_names_are_kept_and_of_judges_what_they_are_made_of() -> None:
    judged = models.judge("small", base_url="http://localhost:1/v1", key_variable="OTHER_KEY")

    kept = settings_payload(Settings(judge=judged, similarity=_Alike()))

    assert kept["judge"] == {
        "model": "small",
        "base_url": "http://localhost:1/v1",
        "key_variable": "OTHER_KEY",
    }
    assert kept["similarity"].endswith("test_recorder_result_records._Alike")
    assert settings_payload(Settings(similarity=_same))["similarity"].endswith("._same")


def test_a_function_that_is_called_like_a_scorer_of_our_own_is_told_from_it() -> None:
    def accuracy() -> float:
        return 0.5

    def polite() -> float:
        return 0.5

    asked = an_evaluation(list, scorers=[accuracy, polite, "f1", "ragas.tool_call_f1"])

    kept = evaluation_record("run", 2, asked, "small")

    assert kept.scorers == ("accuracy()", "polite", "f1", "ragas.tool_call_f1")
    assert (kept.number, kept.name, kept.variant) == (2, "assistant", "small")


def test_no_tools_are_not_unknown_tools() -> None:
    assert tools_payload(None) is None
    assert tools_payload({}) == []


# --- results --------------------------------------------------------------------------------------


def test_a_failure_is_kept_with_its_sentence_and_the_answer_that_there_was() -> None:
    question = a_question(list)
    failed = Failure(case="weather", kind="unreadable", problem="no calls", attempts=3)
    answer = Answer(document={"odd": 1}, seconds=2.0, usage=Usage(1, 2, 3), attempts=1)

    result = Result(case=question.case, status="error", failure=failed)

    without = result_record("run", 1, question, result, digest="00ff")
    result = replace(result, answer=answer)
    with_answer = result_record("run", 1, question, result, digest="00ff")

    assert with_answer.status == without.status == "error"
    assert with_answer.failure == ("unreadable", "no calls")
    assert (with_answer.answer, with_answer.attempts) == ({"odd": 1}, 3)
    assert (without.answer, without.seconds, without.usage) == (None, 0.0, Usage())


def test_a_case_without_expectations_is_kept_as_not_scored(store: Store) -> None:
    ran = run(a_plan(lambda _: RIGHT, a_case(expected=None)), store=store)

    (kept,) = store.results(ran.id)

    assert (kept.status, kept.f1, kept.counts, kept.passed) == ("not_scored", None, (), None)
    assert kept.calls == [{"name": "get_weather", "arguments": {"city": "Paris"}}]


def test_what_evaluations_come_to_is_counted() -> None:
    @evaluation(
        cases=[a_case("one"), a_case("two"), a_case("three", skip="broken")],
        fail_under=0.5,
        variants={"a": {"city": "Paris"}, "b": {"city": "Oslo"}},
    )
    def assistant(_: Case, *, city: str) -> Any:
        return [("get_weather", {"city": city})]

    from callscore.evaluations.plan import make_plan

    results = run(make_plan([assistant])).evaluations
    both, one = summary_payload(results), summary_payload(results[1:])

    assert (both["answered"], both["passed"], both["errors"], both["skipped"]) == (4, 2, 0, 2)
    assert (both["cases"], both["passed_share"], both["macro_f1"]) == (4, 0.5, 0.5)
    assert "scorers" not in both
    assert (one["answered"], one["passed"], one["macro_f1"]) == (2, 0, 0.0)
    assert one["scorers"] == [
        {"name": "accuracy", "mean": 0.0, "scored": 2, "passed": 0, "fail_under": 0.5}
    ]


# What was kept, as the values that it was made of.


def a_result(**others: Any) -> ResultRecord:
    fields: dict[str, Any] = {"run": "r", "evaluation": 0, "case": "weather", "status": "error"}
    return ResultRecord(**fields | others)


def test_settings_are_told_as_they_were_given() -> None:
    judged = models.judge("small", base_url="http://localhost:1/v1")

    assert given_settings({}) == {}
    assert given_settings({"mode": "flexible", "effects": {"get_*": "read"}, "judge": judged}) == {
        "settings": {
            "mode": "flexible",
            "effects": {"get_*": "read"},
            "judge": {
                "model": "small",
                "base_url": "http://localhost:1/v1",
                "key_variable": "OPENAI_API_KEY",
            },
        }
    }


def test_kept_settings_are_what_settings_take() -> None:
    kept = {
        "arguments": [{"pattern": "*.query", "rule": "text", "options": {"similarity": 0.5}}],
        "strip_prefix": ["mcp__*__"],
        "effects": [["get_*", "read"]],
        "mode": "flexible",
    }

    found = stored_settings(kept)

    assert found["arguments"] == (ArgumentRule("*.query", "text", {"similarity": 0.5}),)
    assert found["strip_prefix"] == ("mcp__*__",)
    assert settings_from(found).effects == (("get_*", "read"),)
    assert kept["strip_prefix"] == ["mcp__*__"]


def test_an_answer_that_was_kept_was_there_before() -> None:
    result = a_result(answer=[], seconds=2.0, usage=Usage(1, 2, 3), attempts=2)

    assert stored_answer(a_result()) is None
    assert stored_answer(result) == Answer(
        document=[], seconds=2.0, usage=Usage(1, 2, 3), attempts=2, is_reused=True
    )


def test_a_failure_is_told_as_it_was_then() -> None:
    question = a_question(list)

    told = stored_failure(a_result(failure=("timeout", "too long"), attempts=3), question)
    unknown = stored_failure(a_result(failure=("of a later version", "odd")), question)
    nothing = stored_failure(a_result(), question)

    assert (told.kind, told.problem, told.attempts) == ("timeout", "too long", 3)
    assert (unknown.kind, unknown.problem) == ("raised", "odd")
    assert (nothing.kind, nothing.problem) == ("raised", "there is no answer")

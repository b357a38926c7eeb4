"""How a record spells a case."""

from __future__ import annotations

from typing import Any

import pytest
from msgspec import UNSET
from msgspec.structs import replace

from callscore.core.call import Malformed, ToolCall
from callscore.core.case import Case, Group
from callscore.core.scoring import score_calls
from callscore.core.settings import DEFAULT
from callscore.errors import UnreadableInput
from callscore.formats.case_fields import TRACE_FIELDS
from callscore.formats.cases import (
    NO_ID,
    actual_from_trace,
    case_from_trace,
    case_record,
    has_own_id,
    join_case,
    read_case,
    read_reference,
    read_trace,
    trace_field,
)
from callscore.formats.reading import read_document
from callscore.formats.trace import ReadOptions
from callscore.sources.record import Record
from callscore.sources.text_document import decode_line
from callscore.words.value_text import encode_json

F = {"name": "f", "arguments": {"q": 1}}
CALL = ToolCall("f", {"q": 1})
NO_TOOL = "'expectedTool' must be the name of a tool, or null if no tool should be called"
NO_ARGUMENTS = (
    "in the call of 'g' the arguments are not a JSON object: a value of another type. "
    "Write them as a JSON object instead of '[1]'."
)


def case(**record: Any) -> Case:
    return read_case(record, place="f.jsonl:3")


def refusal(value: Any) -> str:
    with pytest.raises(UnreadableInput) as caught:
        read_case(value, place="f.jsonl:3")
    assert caught.value.place == "f.jsonl:3"
    return caught.value.problem


def test_a_case_has_an_id_and_two_sides() -> None:
    assert case(id="a", expected=[F], actual=[F]) == Case(id="a", expected=(CALL,), actual=(CALL,))


def test_everything_else_of_a_case_is_kept_as_it_is() -> None:
    read = case(
        id="a",
        input="hello",
        tools=[{"name": "f"}],
        trial=2,
        tags=["x", "y"],
        metadata={"k": 1},
        note="ignored",
    )

    assert read == Case(
        id="a",
        input="hello",
        tools=[{"name": "f"}],
        trial=2,
        tags=("x", "y"),
        metadata={"k": 1},
    )


@pytest.mark.parametrize(
    ("record", "expected"),
    [
        ({"expected": [F]}, (CALL,)),
        ({"expected": F}, (CALL,)),
        ({"expected": ["f"]}, (ToolCall("f"),)),
        ({"referenceToolCalls": [F]}, (CALL,)),
        ({"expectedTool": "f"}, (ToolCall("f"),)),
        ({"expectedTool": None}, ()),
        ({"expected": None}, ()),
        ({"expected": []}, ()),
        ({}, UNSET),
    ],
)
def test_the_expected_side_has_three_names_and_null_means_no_calls(
    record: dict[str, Any], expected: Any
) -> None:
    assert case(id="a", **record).expected == expected
    assert read_reference({"id": "a", **record}, place="f").expected == expected


@pytest.mark.parametrize(
    ("record", "actual"),
    [
        ({"actual": [F]}, (CALL,)),
        ({"actual": F}, (CALL,)),
        ({"actual": ["f"]}, (ToolCall("f", {}),)),
        ({"toolCalls": [{"toolName": "f", "input": {"q": 1}}]}, (CALL,)),
        ({"actual": None}, ()),
    ],
)
def test_the_actual_side_has_two_names_and_null_means_no_calls(
    record: dict[str, Any], actual: Any
) -> None:
    assert case(id="a", **record).actual == actual
    assert read_trace({"id": "a", **record}, place="f").actual == actual


def test_a_case_without_an_actual_side_was_not_run() -> None:
    assert case(id="a", expected=[]).actual is None


@pytest.mark.parametrize("field", ["calls", "tool_calls"])
def test_in_a_file_of_one_side_the_calls_need_no_side(field: str) -> None:
    record = {"id": "a", field: [F]}

    assert read_reference(record, place="f") == Case(id="a", expected=(CALL,))
    assert read_trace(record, place="f") == Case(id="a", actual=(CALL,))


def test_a_reference_keeps_what_belongs_to_the_case() -> None:
    record = {"id": 1, "expected": [F], "input": "x", "tags": "t", "tools": [], "metadata": 5}

    assert read_reference(record, place="f") == Case(
        id="1", expected=(CALL,), input="x", tags=("t",), tools=[], metadata=5
    )


def test_a_trace_keeps_its_trial() -> None:
    record = {"id": 1, "actual": [F], "trial": "second"}

    assert read_trace(record, place="f") == Case(id="1", actual=(CALL,), trial="second")


def test_a_reference_and_a_trace_without_an_id_may_still_be_joined() -> None:
    assert read_reference({"expected": []}, place="f:1").id == NO_ID
    assert read_trace({"actual": []}, place="f:1").id == NO_ID


def test_a_trace_without_calls_is_not_taken_for_one_with_none() -> None:
    with pytest.raises(UnreadableInput, match="under one of actual, toolCalls, calls, tool_calls"):
        read_trace({"id": "a", "messages": []}, place="f:1")


@pytest.mark.parametrize(
    ("given", "kept"), [("a", "a"), ("задача 1", "задача 1"), (7, "7"), (10**30, "1" + "0" * 30)]
)
def test_an_id_is_text_or_an_integer(given: Any, kept: str) -> None:
    assert case(id=given).id == kept


@pytest.mark.parametrize(
    "given", [1.0, True, [1], {}, "", 10**400, Malformed("NaN", "not a number")]
)
def test_any_other_id_is_refused(given: Any) -> None:
    assert refusal({"id": given}).startswith("'id' must be text or an integer; got ")


def test_without_an_id_the_content_names_the_case() -> None:
    first = case(expected=[F], actual=[], input="x")

    assert first.id == case(id=None, input="x", actual=None, referenceToolCalls=F).id
    assert first.id.startswith("sha-")
    assert len(first.id) == len("sha-") + 12


def test_the_name_from_the_content_is_the_same_on_every_machine() -> None:
    assert case(expected=[F], actual=[F], input="привет").id == "sha-2317819bf059"


def test_an_id_from_the_content_does_not_depend_on_the_actual_calls() -> None:
    assert case(expected=[F], actual=[F]).id == case(expected=[F], actual=[]).id


def test_only_a_name_from_the_content_is_not_the_case_s_own() -> None:
    assert has_own_id(case(id="a", expected=[F]))
    assert not has_own_id(case(expected=[F]))


def test_the_order_of_keys_does_not_change_the_name() -> None:
    one = {"name": "f", "arguments": {"a": 1, "b": 2}}
    other = {"arguments": {"b": 2, "a": 1}, "name": "f"}

    assert case(expected=[one]).id == case(expected=[other]).id


@pytest.mark.parametrize(
    "other",
    [
        {"expected": [F]},
        {"expected": [F], "actual": []},
        {"expected": [F], "actual": [F], "input": "y"},
        {"expected": [F, F], "actual": [F], "input": "x"},
        {"expected": ["f"], "actual": [F], "input": "x"},
        {"expected": [F], "actual": [F], "input": "\ud800"},
    ],
)
def test_other_content_has_another_name(other: dict[str, Any]) -> None:
    assert case(**other).id != case(expected=[F], actual=[F], input="x").id


@pytest.mark.parametrize(
    ("given", "kept"), [(None, ()), ("a", ("a",)), ([], ()), (["a", "b"], ("a", "b"))]
)
def test_tags_are_one_text_or_several(given: Any, kept: tuple[str, ...]) -> None:
    assert case(id="a", tags=given).tags == kept


@pytest.mark.parametrize(("given", "shown"), [(5, "5"), (["a", 5], "5"), ({}, "an empty object")])
def test_other_tags_are_refused(given: Any, shown: str) -> None:
    assert refusal({"id": "a", "tags": given}) == f"'tags' must be a list of texts; got {shown}."


@pytest.mark.parametrize("given", [None, 0, "first"])
def test_a_trial_is_an_integer_or_text(given: Any) -> None:
    assert case(id="a", trial=given).trial == given


@pytest.mark.parametrize("given", [1.5, True, []])
def test_another_trial_is_refused(given: Any) -> None:
    assert refusal({"id": "a", "trial": given}).startswith(
        "'trial' must be an integer or text; got "
    )


@pytest.mark.parametrize(
    ("record", "problem"),
    [
        ([], "a case must be an object with an 'id'; got an empty list."),
        ("a", "a case must be an object with an 'id'; got 'a'."),
        (None, "a case must be an object with an 'id'; got null."),
        (
            Malformed("NaN", "no number"),
            "a case must be an object with an 'id'; got NaN (no number).",
        ),
        (
            {"id": "a", "expected": [], "referenceToolCalls": []},
            "'expected' and 'referenceToolCalls' are the same field. Keep one of them.",
        ),
        (
            {"id": "a", "actual": [], "toolCalls": []},
            "'actual' and 'toolCalls' are the same field. Keep one of them.",
        ),
        (
            {"id": "a", "expectedTool": ["f"]},
            f"{NO_TOOL}; got a list of 1.",
        ),
        (
            {"id": "a", "expectedTool": ""},
            f"{NO_TOOL}; got ''.",
        ),
        (
            {"id": "a", "toolCalls": 5},
            "toolCalls: must be a list of calls; got 5.",
        ),
        (
            {"id": "a", "referenceToolCalls": [F, {"name": "g", "arguments": [1]}]},
            f"referenceToolCalls[1]: {NO_ARGUMENTS}",
        ),
    ],
)
def test_a_malformed_case_is_refused_with_a_sentence(record: Any, problem: str) -> None:
    assert refusal(record) == problem


@pytest.mark.parametrize(
    ("argument", "error"),
    [
        ("NaN", "NaN is not a JSON number"),
        ('"\\ud800"', "half of a surrogate pair, which is not text"),
        ("[" * 100_000 + "]" * 100_000, "nested deeper than 500 levels"),
    ],
    ids=["NaN", "surrogate", "brackets"],
)
def test_one_faulty_argument_is_one_malformed_call_and_not_a_lost_case(
    argument: str, error: str
) -> None:
    arguments = f'{{"q": [{{"x": {argument}}}]}}'
    calls = f'[{{"name": "f", "arguments": {arguments}}}, ["f", {{}}]]'
    line = f'{{"id": "a", "expected": ["f"], "actual": {calls}}}'
    record = decode_line(line.encode(), "f:1")
    assert isinstance(record, Record)

    read = read_case(record.value, place="f:1")

    assert read.actual is not None
    assert read.actual[0].error == error
    assert read.actual[0].raw is not None
    assert read.actual[0].raw[:1990] == arguments[:1990]
    assert read.actual[1] == ToolCall("f", {})


def test_a_reference_and_a_trace_make_a_case() -> None:
    reference = read_reference(
        {"id": "a", "expected": [F], "input": "hi", "tools": [1], "tags": ["x", "y"]}, place="f"
    )
    trace = read_trace({"id": "a", "actual": [F], "trial": 2, "tags": ["y", "z"]}, place="f")

    assert join_case(reference, trace) == Case(
        id="a",
        expected=(CALL,),
        actual=(CALL,),
        input="hi",
        trial=2,
        tools=[1],
        tags=("x", "y", "z"),
    )


def test_the_input_and_metadata_of_a_trace_come_before_those_of_its_reference() -> None:
    reference = read_reference({"id": "a", "input": "old", "metadata": 1}, place="f")
    trace = read_trace({"id": "a", "actual": [], "input": "new", "metadata": 2}, place="f")

    joined = join_case(reference, trace)

    assert (joined.input, joined.metadata) == ("new", 2)


@pytest.mark.parametrize(
    ("field", "meant"), [("expectd", "expected"), ("actaul", "actual"), ("toolcalls", "toolCalls")]
)
def test_a_field_that_is_nearly_a_side_is_refused(field: str, meant: str) -> None:
    assert refusal({"id": "a", field: []}) == (f"unknown field {field!r}. Did you mean '{meant}'?")


def test_an_object_with_nothing_of_a_case_is_none() -> None:
    assert refusal({"tests": []}) == (
        "a case must have 'id', 'expected' and 'actual'; got an object with the key 'tests'."
    )


def test_a_typo_in_a_reference_is_refused_as_well() -> None:
    with pytest.raises(UnreadableInput, match="unknown field 'expectd'"):
        read_reference({"id": "a", "expectd": []}, place="r.jsonl:1")


def test_a_reference_without_expected_calls_may_have_other_fields() -> None:
    reference = read_reference({"id": "a", "notes": "later", "actual": []}, place="r.jsonl:1")

    assert reference.expected is UNSET


def test_a_side_that_is_there_makes_other_fields_no_typos() -> None:
    case = read_case({"id": "a", "expected": [], "actual": [], "actuals": 3}, place="c.jsonl:1")

    assert (case.expected, case.actual) == ((), ())


def test_a_key_that_is_no_text_is_no_typo() -> None:
    assert read_case({"id": "a", 5: 1, "expected": []}, place="cases[0]").actual is None


@pytest.mark.parametrize("read", [read_case, read_reference])
def test_a_forbid_field_beside_the_expected_list_is_refused(read: Any) -> None:
    record = {"id": "a", "expected": ["f"], "actual": ["f"], "forbid": "delete_*"}

    with pytest.raises(UnreadableInput, match="'forbid' must be inside the list 'expected'"):
        read(record, place="cases.jsonl:1")


@pytest.mark.parametrize(
    ("given", "kept"),
    [(True, True), (False, False), ("broken", "broken"), (None, False), ({"a": 1}, False)],
)
def test_a_case_says_whether_it_is_left_out_of_runs(given: Any, kept: bool | str) -> None:
    assert read_case({"id": "a", "skip": given}, place="here").skip == kept


@pytest.mark.parametrize(("given", "kept"), [(True, True), ("true", False), (None, False)])
def test_a_case_says_whether_it_is_run_alone(given: Any, kept: bool) -> None:
    assert read_case({"id": "a", "only": given}, place="here").only is kept


def test_a_case_becomes_the_record_that_a_file_has() -> None:
    case = Case("Hi!", expected=["greet"], tags=["short"])

    record = case_record(case)

    assert "id" not in record
    assert read_case(record, place="here").expected == (ToolCall("greet"),)
    assert case_record(Case(id="a"))["id"] == "a"


def test_a_case_gets_an_id_of_its_content_only_if_one_is_needed() -> None:
    record = {"expected": ["f"], "actual": ["f"]}

    assert read_case(record, place="x").id.startswith("sha-")
    assert read_case(record, place="x", needs_id=False).id == NO_ID
    assert read_case({**record, "id": 1}, place="x", needs_id=False).id == "1"


# --- a trace in place of actual calls -------------------------------------------------------------

USER = {"role": "user", "content": "What is f?"}
AGENT: dict[str, Any] = {
    "role": "assistant",
    "tool_calls": [{"function": {"name": "f", "arguments": '{"q": 1}'}}],
}
TEXT = '<tool_call>{"name": "f", "arguments": {"q": 1}}</tool_call>'


@pytest.mark.parametrize("field", TRACE_FIELDS)
@pytest.mark.parametrize("trace", [[USER, AGENT], [F], TEXT, f"[{encode_json(AGENT).decode()}]"])
def test_a_trace_beside_expected_calls_is_what_was_done(field: str, trace: Any) -> None:
    record = {"id": "a", "expected": [F], field: trace}

    read = read_case(record, place="f.jsonl:3", takes_trace=True)

    assert [(call.name, call.arguments) for call in read.actual or ()] == [("f", {"q": 1})]
    assert read_case(record, place="f.jsonl:3").actual is None


@pytest.mark.parametrize(
    "question",
    [
        [USER],
        [{"role": "system", "content": ""}, USER],
        [{"role": "developer", "content": ""}],
        [{"type": "human", "content": "What is f?"}],
        [{"from": "human", "value": "What is f?"}],
        {"messages": [USER]},
        f"[{encode_json(USER).decode()}]",
        "What is f?",
        "",
        [],
        {},
        None,
        3,
    ],
)
def test_a_question_is_no_answer(question: Any) -> None:
    record = {"id": "a", "expected": [F], "messages": question}

    assert read_case(record, place="f.jsonl:3", takes_trace=True).actual is None
    assert trace_field({**record, "output": [F]}) == "output"


@pytest.mark.parametrize("question", [[USER], {"messages": [USER], "tools": [{"name": "f"}]}])
def test_a_question_is_no_answer_under_any_name(question: Any) -> None:
    assert case(id="a", expected=[], actual=question).actual is None
    for field in ("calls", "messages", "trace"):
        assert read_trace({"id": "a", field: question}, place="f:1").actual is None
    assert case(id="a", expected=question).expected == ()


def test_a_text_that_was_cut_off_is_refused_and_not_overlooked() -> None:
    record = {"id": "a", "expected": [F], "messages": '[{"role": "assistant", "tool_calls": [{"id"'}

    with pytest.raises(UnreadableInput, match=r"messages: the text begins like JSON, but is not"):
        read_case(record, place="f.jsonl:3", takes_trace=True)


def test_of_two_traces_none_is_taken_and_actual_calls_come_first() -> None:
    assert trace_field({"messages": [AGENT], "trace": [AGENT]}) is None

    read = read_case(
        {"id": "a", "expected": [F], "actual": [], "messages": [AGENT]},
        place="f.jsonl:3",
        takes_trace=True,
    )
    assert read.actual == ()


def test_a_trace_without_expected_calls_is_not_taken_for_half_a_case() -> None:
    read = read_case({"id": "a", "messages": [AGENT]}, place="f.jsonl:3", takes_trace=True)

    assert read.actual is None


def test_an_unreadable_trace_is_named_by_its_field() -> None:
    record = {"id": "a", "expected": [F], "output": {"answer": 3}}

    with pytest.raises(UnreadableInput, match=r"output: a call needs a name"):
        read_case(record, place="f.jsonl:3", takes_trace=True)


def calls(*callers: str | None) -> list[dict[str, Any]]:
    return [{"name": str(caller), "arguments": {}, "caller": caller} for caller in callers]


def callers_of(side: Any) -> list[str | None]:
    return [call.caller for call in side]


BOTH = {"expected": calls(None, "user"), "actual": calls(None, "user", "code")}


def test_a_case_may_say_whose_calls_count() -> None:
    case = read_case({"id": "a", **BOTH, "callers": ["agent"]}, place="p")

    assert case.callers == ("agent",)
    assert callers_of(case.expected) == callers_of(case.actual) == [None]
    assert case_record(case)["callers"] == ("agent",)


def test_without_a_word_about_it_all_calls_but_those_of_the_user_count() -> None:
    record = {"id": "a", "expected": calls(None), "actual": calls(None, "user", "code")}
    case = read_case(record, place="p")

    assert case.callers is None
    assert callers_of(case.actual) == [None, "code"]


@pytest.mark.parametrize("field", ["actual", "turns"])
def test_the_user_counts_in_our_own_notation_as_in_any_other(field: str) -> None:
    made = calls("user", None)
    wanted: Any = {"expected": calls(None), "actual": made}
    expecting: Any = {"expected": calls("user", None), "actual": made}
    if field == "turns":
        wanted, expecting = {"turns": [wanted]}, {"turns": [{"expected": []}, expecting]}

    assert callers_of(case(id="a", **wanted).actual) == [None]
    assert callers_of(case(id="a", **wanted, callers=["agent", "user"]).actual) == ["user", None]
    assert callers_of(case(id="a", **expecting).actual) == ["user", None]


def test_calls_of_left_out_callers_are_left_out_of_a_plain_list_too() -> None:
    record = {"id": "a", "expected": [], "actual": calls(None, "user", "subagent")}
    kept = read_case(record, place="p", read_options=ReadOptions(leave_out=()))
    cut = read_case(record, place="p", read_options=ReadOptions(leave_out=("user", "subagent")))

    assert callers_of(kept.actual) == [None, "user", "subagent"]
    assert callers_of(cut.actual) == [None]


def test_a_wish_is_more_important_than_what_a_case_says() -> None:
    options = ReadOptions(callers=("user",))
    case = read_case({"id": "a", **BOTH, "callers": "agent"}, place="p", read_options=options)

    assert callers_of(case.expected) == callers_of(case.actual) == ["user"]


@pytest.mark.parametrize("value", ["me", [], 7, {"agent": True}])
def test_unknown_callers_are_refused(value: Any) -> None:
    with pytest.raises(UnreadableInput, match="Choose from: agent, user, subagent, code"):
        read_case({"id": "a", **BOTH, "callers": value}, place="p")


def test_an_expected_call_of_an_unknown_caller_is_refused() -> None:
    record = {"id": "a", "expected": calls("me"), "actual": []}

    with pytest.raises(UnreadableInput, match=r"unknown caller 'me'. Choose from: agent, user"):
        read_case(record, place="p")


def test_a_call_that_the_agent_must_make_is_not_one_that_the_user_made() -> None:
    expected = [{"name": "f", "arguments": {}, "caller": "agent"}]
    scores = []
    for caller in (None, "agent", "user"):
        actual: list[dict[str, Any]] = [{"name": "f", "arguments": {}, "caller": caller}]
        case = read_case({"id": "a", "expected": expected, "actual": actual}, place="p")
        scores.append(score_calls(tuple(case.expected or ()), case.actual or (), DEFAULT).f1)

    assert scores == [1, 1, 0]


TALK = [
    {
        "role": "user",
        "tool_calls": [{"id": "1", "name": "u", "arguments": {}, "requestor": "user"}],
    },
    {
        "role": "assistant",
        "tool_calls": [{"id": "2", "name": "a", "arguments": {}, "requestor": "assistant"}],
    },
]


@pytest.mark.parametrize(
    ("record", "found"),
    [
        ({"expected": ["a"]}, [None]),
        ({"expected": ["a"], "callers": ["agent", "user"]}, ["user", None]),
        # Who expects a call of the user cannot leave it out.
        ({"expected": [{"name": "u", "arguments": {}, "caller": "user"}]}, ["user", None]),
        ({"expected": [{"one_of": [{"name": "u", "caller": "user"}, "a"]}]}, ["user", None]),
    ],
)
def test_a_trace_in_a_case_has_the_calls_that_count(
    record: dict[str, Any], found: list[str | None]
) -> None:
    case = read_case({"id": "a", **record, "actual": TALK}, place="p")

    assert callers_of(case.actual) == found


def test_a_reference_says_whose_calls_of_a_trace_count() -> None:
    trace = read_trace({"id": "a", "actual": calls(None, "user", "code")}, place="t")
    reference = read_reference({"id": "a", "expected": ["f"], "callers": "agent"}, place="r")

    assert callers_of(join_case(reference, trace).actual) == [None]


@pytest.mark.parametrize(
    ("expected", "leave_out", "found"),
    [
        (["f"], ("user",), [None, "code"]),
        (calls("user"), ("user",), [None, "user", "code"]),
        (["f"], (), [None, "user", "code"]),
    ],
)
def test_a_reference_decides_whether_plain_calls_of_the_user_count(
    expected: Any, leave_out: Any, found: list[str | None]
) -> None:
    options = ReadOptions(leave_out=leave_out)
    record = {"id": "a", "calls": calls(None, "user", "code")}
    trace = read_trace(record, place="t", read_options=options)
    reference = read_reference({"id": "a", "calls": expected}, place="r", read_options=options)

    assert callers_of(join_case(reference, trace).actual) == found


def test_a_trace_without_a_reference_leaves_the_user_out() -> None:
    trace = read_trace({"id": "a", "calls": calls(None, "user")}, place="t", is_alone=True)

    assert callers_of(trace.actual) == [None]


def test_a_reference_without_callers_demands_nothing_of_a_user() -> None:
    made = tuple([ToolCall("f", caller=caller) for caller in (None, "user", "code")])
    trace = Case(id="a", actual=made, callers=("agent", "user", "code"))
    reference = read_reference({"id": "a", "expected": ["f"]}, place="r")

    assert callers_of(join_case(reference, trace).actual) == [None, "code"]


ONE_MESSAGE = [
    {"role": "user", "content": "q"},
    {"role": "assistant", "tool_calls": [*AGENT["tool_calls"], *AGENT["tool_calls"]]},
]


def turns_of(case: Case) -> list[int | None]:
    return [call.turn for call in case.actual or ()]


@pytest.mark.parametrize(
    ("expected", "turns"),
    [
        ({"expected": [{"turn": [F]}, {"turn": [F]}]}, [0, 0]),
        ({"turns": [[F], [F]]}, [0, 0]),
        ({"expected": [F, F]}, [None, None]),
    ],
)
def test_one_message_of_the_user_is_the_first_turn_where_turns_are_expected(
    expected: dict[str, Any], turns: list[int | None]
) -> None:
    read = read_case({"id": "a", **expected, "messages": ONE_MESSAGE}, place="p", takes_trace=True)
    unasked = read_case(
        {"id": "a", **expected, "messages": ONE_MESSAGE[1:]}, place="p", takes_trace=True
    )

    assert turns_of(read) == turns
    assert turns_of(unasked) == [None, None]


def test_the_only_turn_of_a_trace_counts_where_the_reference_has_turns() -> None:
    options = ReadOptions(numbers_turns=True)
    (found,) = read_document(ONE_MESSAGE, options)
    trace = replace(actual_from_trace(found, place="t"), others=(found.calls or (),))
    plain = join_case(Case(expected=(ToolCall("f"),)), trace)
    cut = join_case(Case(expected=(Group("turn", ()), Group("turn", ()))), trace)

    assert (turns_of(plain), turns_of(cut)) == ([None, None], [0, 0])
    assert [call.turn for calls in plain.others for call in calls] == [None, None]
    assert [call.turn for calls in cut.others for call in calls] == [0, 0]
    assert turns_of(case_from_trace(found, place="t")) == [None, None]


def test_turns_that_differ_stay_without_expected_ones() -> None:
    made = (ToolCall("f", turn=0), ToolCall("f", turn=1))

    assert turns_of(join_case(Case(expected=()), Case(actual=made))) == [0, 1]

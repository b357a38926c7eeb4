"""How calls are spelled."""

from __future__ import annotations

from datetime import date
from types import MappingProxyType
from typing import Any

import msgspec
import pytest

from callscore.core.call import (
    CONCATENATED,
    INVALID,
    NOT_AN_OBJECT,
    NOT_CAPTURED,
    TOO_DEEP,
    TRUNCATED,
    FaultyObject,
    Malformed,
    ToolCall,
)
from callscore.errors import InvalidCall
from callscore.formats.calls import (
    ParsedArguments,
    Side,
    raw_text,
    read_arguments,
    read_call,
    read_calls,
    read_simple_calls,
    read_simple_sides,
)

SIDES: tuple[Side, ...] = ("expected", "actual")
NAN = Malformed('{"q": NaN}', "NaN is not a JSON number")


def actual(arguments: Any) -> ToolCall:
    return read_call({"name": "f", "arguments": arguments}, side="actual", where="actual[0]")


def refusal(value: Any, side: Side = "expected") -> str:
    with pytest.raises(InvalidCall) as caught:
        read_calls(value, side=side, where=side)
    return str(caught.value)


@pytest.mark.parametrize("side", SIDES)
@pytest.mark.parametrize(
    "value",
    [
        {"name": "search", "arguments": {"q": "a"}},
        {"tool": "search", "args": {"q": "a"}},
        {"toolName": "search", "input": {"q": "a"}},
        {"tool_name": "search", "parameters": {"q": "a"}},
        {"name": "search", "kwargs": {"q": "a"}},
        {"function_name": "search", "tool_input": {"q": "a"}},
        {"function": "search", "tool_kwargs": {"q": "a"}},
        {"tool_name": "search", "tool_args": {"q": "a"}},
        {"name": "search", "input_parameters": {"q": "a"}},
        {"name": "search", "inputParameters": {"q": "a"}},
        {"name": "search", "params": '{"q": "a"}'},
        {"name": None, "tool": "search", "arguments": None, "args": {"q": "a"}},
        {"type": "tool-call", "name": "search", "arguments": {"q": "a"}},
        {"name": "search", "arguments": '{"q": "a"}'},
        MappingProxyType({"name": "search", "arguments": MappingProxyType({"q": "a"})}),
        ("search", {"q": "a"}),
        ["search", {"q": "a"}],
        ToolCall("search", {"q": "a"}),
    ],
)
def test_every_spelling_of_a_call_is_the_same_call(value: Any, side: Side) -> None:
    call = ToolCall("search", {"q": "a"})

    assert read_call(value, side=side, where=side) == call
    assert read_calls([value], side=side, where=side) == (call,)


@pytest.mark.parametrize(
    "value",
    ["f", ("f", None), {"name": "f"}, {"name": "f", "arguments": None}, ToolCall("f")],
)
def test_missing_arguments_accept_any_when_expected_and_are_none_when_made(value: Any) -> None:
    assert read_call(value, side="expected", where="expected") == ToolCall("f", None)
    assert read_call(value, side="actual", where="actual") == ToolCall("f", {})


def nested(levels: int) -> dict[str, Any]:
    value: Any = 1
    for _ in range(levels):
        value = [value]
    return {"name": "f", "arguments": {"x": value}}


PLAIN_SIDES: tuple[list[Any], ...] = (
    [],
    [{"name": "f", "arguments": {"a": 1}}] * 2,
    [nested(3)] * 70,
    [nested(20)],
)


@pytest.mark.parametrize("expected", PLAIN_SIDES)
@pytest.mark.parametrize("made", PLAIN_SIDES)
def test_two_sides_are_read_as_each_of_them(expected: list[Any], made: list[Any]) -> None:
    both = read_simple_calls(expected), read_simple_calls(made)

    assert None not in both
    assert read_simple_sides(expected, made) == both


@pytest.mark.parametrize("other", [["f"], [{"name": "f"}], [nested(600)]])
def test_two_sides_are_not_simple_if_one_is_not(other: list[Any]) -> None:
    simple = [{"name": "f", "arguments": {}}]

    assert read_simple_sides(simple, simple) is not None
    assert read_simple_sides(simple, other) is None
    assert read_simple_sides(other, simple) is None


@pytest.mark.parametrize("side", SIDES)
def test_an_empty_object_means_no_arguments(side: Side) -> None:
    assert read_call({"name": "f", "arguments": {}}, side=side, where=side) == ToolCall("f", {})


@pytest.mark.parametrize("side", SIDES)
def test_calls_come_in_lists_tuples_alone_or_not_at_all(side: Side) -> None:
    one = {"name": "f", "arguments": {}}
    call = ToolCall("f", {})

    assert read_calls([one, call], side=side, where=side) == (call, call)
    assert read_calls((one,), side=side, where=side) == (call,)
    assert read_calls(one, side=side, where=side) == (call,)
    assert read_calls(call, side=side, where=side) == (call,)
    assert read_calls([], side=side, where=side) == ()
    assert read_calls(None, side=side, where=side) == ()


def test_cyrillic_names_are_kept_as_they_are() -> None:
    (call,) = read_calls(
        [{"name": "найти", "arguments": {"город": "Москва"}}], side="actual", where=""
    )

    assert call == ToolCall("найти", {"город": "Москва"})


def test_the_id_step_result_and_failure_of_an_actual_call_are_kept() -> None:
    value = {
        "name": "f",
        "arguments": {},
        "id": "call_1",
        "step": 2,
        "result": [1],
        "failed": True,
    }

    call = read_call(value, side="actual", where="actual")

    assert call == ToolCall("f", {}, id="call_1", step=2, result=[1], failed=True)


@pytest.mark.parametrize(
    ("key", "given", "kept"),
    [
        ("toolCallId", "x", "x"),
        ("tool_call_id", "x", "x"),
        ("id", 7, "7"),
        ("id", True, None),
        ("id", [1], None),
    ],
)
def test_an_id_is_text(key: str, given: Any, kept: str | None) -> None:
    call = read_call({"name": "f", key: given}, side="actual", where="actual")

    assert call.id == kept


def test_a_step_or_a_failure_of_another_type_is_left_out() -> None:
    call = read_call({"name": "f", "step": True, "failed": "no"}, side="actual", where="actual")

    assert (call.step, call.failed) == (None, None)


@pytest.mark.parametrize("side", SIDES)
def test_arguments_given_in_python_may_hold_any_value_and_are_not_copied(side: Side) -> None:
    arguments = {"day": date(2024, 1, 15), "limit": float("nan"), 5: {"$gt": 1}}

    assert read_call(("f", arguments), side=side, where=side).arguments is arguments


@pytest.mark.parametrize("text", ["", "  \n", "null", '"null"', '""'])
@pytest.mark.parametrize("side", SIDES)
def test_arguments_that_are_text_without_content_are_none(text: str, side: Side) -> None:
    call = read_call({"name": "f", "arguments": text}, side=side, where=side)

    assert (call.arguments, call.error) == ({}, None)


def test_arguments_that_were_encoded_twice_are_decoded_twice() -> None:
    assert actual('"{\\"q\\": 1}"').arguments == {"q": 1}


def test_integers_in_encoded_arguments_stay_exact() -> None:
    assert actual('{"n": 123456789012345678901}').arguments == {"n": 123456789012345678901}


def test_of_a_key_that_is_there_twice_the_last_wins() -> None:
    assert actual('{"a": 1, "a": 2}').arguments == {"a": 2}


OTHER = "a value of another type"


@pytest.mark.parametrize(
    ("arguments", "raw", "error", "words"),
    [
        ('"\\"\\\\\\"x\\\\\\"\\""', '"\\"\\\\\\"x\\\\\\"\\""', NOT_AN_OBJECT, OTHER),
        ("[1, 2]", "[1, 2]", NOT_AN_OBJECT, OTHER),
        ("5", "5", NOT_AN_OBJECT, OTHER),
        ([1, 2], "[1,2]", NOT_AN_OBJECT, OTHER),
        ([date(2024, 1, 15)], '["2024-01-15"]', NOT_AN_OBJECT, OTHER),
        ([object], "[\"<class 'object'>\"]", NOT_AN_OBJECT, OTHER),
        (5, "5", NOT_AN_OBJECT, OTHER),
        (True, "true", NOT_AN_OBJECT, OTHER),
        pytest.param(10**5000, "a very large integer", NOT_AN_OBJECT, OTHER, id="10**5000"),
        ('{"q": "a', '{"q": "a', TRUNCATED, "truncated text"),
        ("{'q': 1}", "{'q': 1}", INVALID, "not JSON"),
        ("{}{}", "{}{}", CONCATENATED, "several objects in a row"),
        (FaultyObject({"q": NAN}, NAN), '{"q": NaN}', NAN.problem, NAN.problem),
        (NAN, '{"q": NaN}', NAN.problem, NAN.problem),
    ],
)
def test_arguments_that_are_no_json_object_are_data_when_made_and_a_mistake_when_expected(
    arguments: Any, raw: str, error: str, words: str
) -> None:
    call = {"name": "f", "arguments": arguments}

    assert actual(arguments) == ToolCall("f", None, raw=raw, error=error)
    advice = "Write them as a JSON object instead of "
    if error == "nested_too_deeply":
        advice = "Use at most 500 levels."
    elif error == NAN.problem:
        advice = "Write null or a text instead, in '{\"q\": NaN}'."
    assert refusal([call]).startswith(
        f"expected[0]: in the call of 'f' the arguments are not a JSON object: {words}. {advice}"
    )


@pytest.mark.parametrize(
    "text",
    ['{"q": NaN}', '{"q": "a', "{'q': 1}", "{}{}", "```json\n{}\n```", '{"q": 1,}', '"{oops"'],
)
def test_text_that_is_not_json_is_never_repaired(text: str) -> None:
    call = actual(text)

    assert (call.arguments, call.raw) == (None, text)
    assert call.error in (INVALID, TRUNCATED, CONCATENATED)


def test_arguments_that_are_no_unicode_text_are_malformed_and_can_be_printed() -> None:
    assert actual('"\ud800"') == ToolCall("f", None, raw='"\\ud800"', error=INVALID)


@pytest.mark.parametrize("is_text", [True, False])
def test_arguments_of_100000_nested_brackets_are_malformed(is_text: bool) -> None:
    nested: Any = []
    for _ in range(100_000):
        nested = [nested]

    call = actual('{"a": ' + "[" * 100_000 + "]" * 100_000 + "}" if is_text else nested)

    assert call.arguments is None
    assert call.error == (TOO_DEEP if is_text else NOT_AN_OBJECT)
    assert call.raw == ('{"a": ' + "[" * 1994 + "…" if is_text else "a list of 1")


def test_the_raw_text_of_malformed_arguments_is_shortened() -> None:
    assert actual("x" * 10_000_000).raw == "x" * 2000 + "…"


def test_a_malformed_call_that_was_written_down_is_read_back() -> None:
    call = ToolCall("f", None, raw="{oops", error=INVALID)

    assert read_call(call, side="actual", where="actual") == call
    assert read_call(msgspec.to_builtins(call), side="actual", where="actual") == call
    assert "in the call of 'f' the arguments are not a JSON object: not JSON" in refusal([call])


def test_a_recorded_error_needs_no_raw_text() -> None:
    call = read_call({"name": "f", "error": NOT_CAPTURED}, side="actual", where="actual")

    assert call == ToolCall("f", None, error=NOT_CAPTURED)


@pytest.mark.parametrize("side", SIDES)
def test_everything_that_can_be_known_of_a_call_is_read_back(side: Side) -> None:
    call = ToolCall(
        "f",
        {"0": 1},
        id="c1",
        step=3,
        result={"ok": True},
        failed=False,
        kind="mcp",
        caller="subagent",
        positional=True,
        warning="double_encoded",
    )

    assert read_call(msgspec.to_builtins(call), side=side, where=side) == call


def test_a_kind_a_caller_or_a_warning_of_another_type_is_left_out() -> None:
    given = {"name": "f", "kind": 1, "caller": [], "positional": "yes", "warning": {}}

    assert read_call(given, side="actual", where="actual") == ToolCall("f", {})


def test_duplicate_keys_and_double_encoded_arguments_get_a_warning() -> None:
    assert actual('{"a": 1, "a": 2}').warning == "duplicate_keys"
    assert actual('"{}"').warning == "double_encoded"


def test_an_error_beside_readable_arguments_is_not_about_them() -> None:
    value = {"name": "f", "arguments": {"q": 1}, "error": "timeout"}

    assert read_call(value, side="actual", where="actual") == ToolCall("f", {"q": 1})


def test_an_unknown_dollar_key_is_a_literal_key() -> None:
    value = {"name": "f", "arguments": {"filter": {"$gt": 5}}}

    assert read_call(value, side="expected", where="").arguments == {"filter": {"$gt": 5}}


@pytest.mark.parametrize("side", SIDES)
@pytest.mark.parametrize(
    ("value", "message"),
    [
        (5, ": must be a list of calls; got 5."),
        ({"q": 1}, ": a call needs a name, as in"),
        ([5], "[0]: expected a call such as"),
        (["f", None], "[1]: expected a call such as"),
        ([["f", {}, {}]], "[0]: expected a call such as"),
        ([[5, {}]], "[0]: expected a call such as"),
        (
            [{"name": "f", "tool": "g"}],
            "[0]: 'name' and 'tool' are the same field. Keep one of them.",
        ),
        (
            [{"tool": "f", "input": {"a": 1}, "args": {"a": 2}}],
            "[0]: 'args' and 'input' are the same field. Keep one of them.",
        ),
        ([{"name": "f", "argumnts": {"a": 1}}], "[0]: unknown field 'argumnts' of a call."),
        ([{"name": "f", "argv": '{"a": 1}'}], "[0]: unknown field 'argv' of a call."),
    ],
)
def test_a_malformed_call_is_refused_with_its_place(value: Any, message: str, side: Side) -> None:
    assert refusal(value, side).startswith(side + message)


@pytest.mark.parametrize(
    "name", ["search", "web.search", "mcp__files__read", "get-weather", "a:b/c"]
)
def test_a_name_in_place_of_expected_calls_belongs_into_a_list(name: str) -> None:
    advice = refusal(name, "expected").partition("Write ")[2].removesuffix(".")

    assert refusal(name, "expected").startswith("expected: a tool name must be inside a list.")
    assert read_calls(msgspec.json.decode(advice), side="expected", where="") == (ToolCall(name),)


@pytest.mark.parametrize("text", ["Refunded A-20", "please refund", "Done.", "", "Paris: 18"])
def test_words_in_place_of_expected_calls_are_no_name(text: str) -> None:
    message = refusal(text, "expected")

    assert message.startswith(
        f"expected: the text does not say which calls are expected: {text!r}."
    )
    assert message.endswith("or [] if no tool should be called.")


@pytest.mark.parametrize("text", ["ok", "search", "Done.", "It is sunny."])
def test_text_in_place_of_actual_calls_is_an_answer_and_no_name(text: str) -> None:
    message = refusal(text, "actual")

    assert message.startswith(f"actual: the text does not say which tools were called: {text!r}.")
    assert message.endswith("or [] if no tool was called.")


@pytest.mark.parametrize("side", SIDES)
@pytest.mark.parametrize(
    ("text", "advice"),
    [
        ("['search']", "Write its texts in double quotes, not in single ones."),
        (
            "[{'name': 'f', 'arguments': {}}]",
            "Write its texts in double quotes, not in single ones.",
        ),
        ('["search"', "Check that it is complete."),
        ("['search'", "Check that it is complete."),
    ],
)
def test_text_that_is_nearly_json_is_refused_with_what_to_change(
    text: str, advice: str, side: Side
) -> None:
    message = refusal(text, side)

    assert message.startswith(f"{side}: the text begins like JSON, but is not JSON: ")
    assert message.endswith(f". {advice}")


def test_a_refusal_shows_what_was_there_and_not_all_of_it() -> None:
    message = refusal([{"query": "x" * 10_000, "limit": 5}])

    assert message.endswith("got an object with the keys 'query', 'limit'.")


NAMELESS = [
    "",
    ("", {}),
    ToolCall("", {}),
    {"name": "", "arguments": {}},
    {"name": 5},
    {"name": None},
    {"name": Malformed('"\\ud800"', "x")},
]


@pytest.mark.parametrize("call", NAMELESS)
def test_an_expected_call_needs_a_name(call: Any) -> None:
    with pytest.raises(InvalidCall, match=r"expected\[1\]: a call needs a name"):
        read_calls(["f", call], side="expected", where="expected")


@pytest.mark.parametrize("call", NAMELESS)
def test_a_call_that_an_agent_gave_no_name_has_an_empty_name(call: Any) -> None:
    assert read_calls([call], side="actual", where="actual")[0].name == ""


def test_the_same_value_under_two_names_is_no_contradiction() -> None:
    call = {"name": "f", "tool": "f", "arguments": {"a": 1}, "args": {"a": 1.0}}

    assert read_call(call, side="expected", where="") == ToolCall("f", {"a": 1})


def test_a_function_may_be_nested_as_in_chat_completions() -> None:
    call = {"id": "c1", "type": "function", "function": {"name": "f", "arguments": '{"a": 1}'}}

    assert read_call(call, side="actual", where="") == ToolCall("f", {"a": 1}, id="c1")


def test_a_nested_function_is_checked_like_any_call() -> None:
    typo = {"type": "function", "function": {"name": "f", "argumnts": "{}"}}

    assert read_call({"function": {"name": None}}, side="actual", where="").name == ""
    with pytest.raises(InvalidCall, match="unknown field 'argumnts' of a call"):
        read_call(typo, side="expected", where="")


def test_a_name_and_an_argument_object_are_what_counts() -> None:
    call = {"name": "f", "arguments": {"a": 1}, "input": "what the user wrote", "tool": "g"}

    assert read_call(call, side="expected", where="") == ToolCall("f", {"a": 1})


def test_calls_may_come_from_a_generator() -> None:
    calls = (name for name in "fg")

    assert [call.name for call in read_calls(calls, side="actual", where="")] == ["f", "g"]


def test_a_pair_may_hold_its_arguments_as_text() -> None:
    assert read_call(("f", '{"a": 1}'), side="actual", where="").arguments == {"a": 1}
    assert read_call(("f", [1]), side="actual", where="").error is not None


def test_an_unknown_field_is_ignored_in_an_actual_call_and_refused_in_an_expected_one() -> None:
    call = {"name": "f", "latency": 3}

    assert read_call(call, side="actual", where="") == ToolCall("f", {})
    with pytest.raises(InvalidCall, match="unknown field 'latency' of a call"):
        read_call(call, side="expected", where="")


# Arguments in every spelling, and in none.


@pytest.mark.parametrize("given", [None, "", " \n\t", "null", '"null"', '""', "{}", {}])
def test_no_arguments_are_an_empty_object(given: Any) -> None:
    assert read_arguments(given).value == {}
    assert read_arguments(given).error is None


def test_an_object_is_taken_as_it_is() -> None:
    given = {"a": 1}

    assert read_arguments(given).value is given
    assert read_arguments(MappingProxyType(given)) == ParsedArguments({"a": 1})


def test_text_is_parsed_strictly_and_exactly() -> None:
    text = '{"id": 9007199254740993, "x": 2.50, "s": "é\\u00e9"}'

    assert read_arguments(text).value == {"id": 9007199254740993, "x": 2.5, "s": "éé"}


def test_text_within_text_was_encoded_twice() -> None:
    assert read_arguments('"{\\"a\\": 1}"') == ParsedArguments({"a": 1}, warning="double_encoded")


@pytest.mark.parametrize(
    ("given", "raw", "error"),
    [
        ('["Paris"]', '["Paris"]', "not_an_object"),
        ("5", "5", "not_an_object"),
        ([1], "[1]", "not_an_object"),
        (5, "5", "not_an_object"),
        ('{"a": NaN}', '{"a": NaN}', "invalid_json"),
        ("{'a': True}", "{'a': True}", "invalid_json"),
        ('{"a": 1} thanks', '{"a": 1} thanks', "invalid_json"),
        ('{"a": 1}[2]', '{"a": 1}[2]', "invalid_json"),
        ('{"a": 1}[{}]', '{"a": 1}[{}]', "invalid_json"),
        ('{"a": "Par', '{"a": "Par', "truncated_json"),
        ('{"é": -', '{"é": -', "truncated_json"),
        ('{"a": 1.5e+', '{"a": 1.5e+', "truncated_json"),
        ('{"a": 1.}', '{"a": 1.}', "invalid_json"),
        (r'{"a": "\ud800"}', r'{"a": "\ud800"}', "invalid_json"),
        (r'{"a": "\ud83d', r'{"a": "\ud83d', "truncated_json"),
        ('{"a": 1}{"b": 2}', '{"a": 1}{"b": 2}', "concatenated_json"),
        ('{"a": 1}\n{"b": 2}\n', '{"a": 1}\n{"b": 2}\n', "concatenated_json"),
        ('"{oops"', '"{oops"', "invalid_json"),
        ("[" * 5000, ("[" * 2000) + "…", "nested_too_deeply"),
        ("[" * 600, "[" * 600, "nested_too_deeply"),  # the decoder would go on
        ("[" * 600 + "]" * 600, "[" * 600 + "]" * 600, "nested_too_deeply"),
        ('{"a": "' + "[" * 600, '{"a": "' + "[" * 600, "truncated_json"),  # text is not nested
        ('["' + "[" * 600 + '", ', '["' + "[" * 600 + '", ', "truncated_json"),
        ("[[]" + ",[]" * 600, "[[]" + ",[]" * 600, "truncated_json"),
    ],
)
def test_arguments_that_are_not_a_json_object_are_kept_as_text_with_an_error_code(
    given: Any, raw: str, error: str
) -> None:
    assert read_arguments(given) == ParsedArguments(None, raw, error)


def test_an_object_with_a_fault_inside_keeps_its_text() -> None:
    faulty = FaultyObject({"a": None}, Malformed('{"a": NaN}', "NaN is not JSON"))

    assert read_arguments(faulty) == ParsedArguments(None, '{"a": NaN}', "NaN is not JSON")


@pytest.mark.parametrize(
    ("text", "warning"),
    [
        ('{"a": 1, "a": 2}', "duplicate_keys"),
        ('{"a": {"b": 1, "b": 2}}', "duplicate_keys"),
        ('{"a": [{"b": 1, "b": 2}]}', "duplicate_keys"),
        ('{"a" : 1, "a":2}', "duplicate_keys"),
        ('{"a": {"a": 1}, "b": [{"a": 2}]}', None),
        ('{"url": "https://example.com:80"}', None),
        ('{"url": "https://example.com:80", "a": 1, "a": 2}', "duplicate_keys"),
        (r'{"said": "\"yes\": no", "a": {"b": 1}}', None),
    ],
)
def test_a_key_that_stands_twice_in_one_object_is_noted(text: str, warning: str | None) -> None:
    assert read_arguments(text).warning == warning


def test_large_numbers_and_many_objects_are_no_trouble() -> None:
    digits = "9" * 5000

    assert read_arguments('{"a": {"b": ' + digits + "}}").warning is None
    assert read_arguments('{"a": ' + digits + '}{"a": 1}').error == "concatenated_json"
    assert read_arguments("{} " * 100_000).error == "concatenated_json"


def test_of_a_key_that_stands_twice_the_last_value_counts() -> None:
    assert read_arguments('{"a": 1, "a": 2}').value == {"a": 2}


@pytest.mark.parametrize(
    ("given", "text"),
    [(None, None), ("x", "x"), ({"a": [1]}, '{"a":[1]}'), (object, "\"<class 'object'>\"")],
)
def test_anything_has_a_text(given: Any, text: str | None) -> None:
    assert raw_text(given) == text


def test_a_value_that_json_cannot_encode_is_described() -> None:
    endless: list[Any] = []
    endless.append(endless)

    assert raw_text(endless) == "a list of 1"


def test_arguments_may_be_any_kind_of_text() -> None:
    class Text(str):
        __slots__ = ()

    assert read_arguments(Text('{"a": 1}')).value == {"a": 1}

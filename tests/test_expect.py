"""The functions that say what is expected."""

from __future__ import annotations

from typing import Any, get_args

import pytest
from hypothesis import given
from hypothesis import strategies as st

from callscore import InvalidCall, ToolCall, expect, score
from callscore.core.case import Forbidden, Group, GroupKind, Times
from callscore.core.rules import Matcher, comparators


def test_a_call_takes_its_arguments_as_keywords_or_as_an_object() -> None:
    assert expect.call("f", a=1) == ToolCall("f", {"a": 1})
    assert expect.call("f", {"from": 1}, to=2) == ToolCall("f", {"from": 1, "to": 2})
    assert expect.call("f", name="x", call=1) == ToolCall("f", {"name": "x", "call": 1})


def test_a_function_that_there_is_not_is_named_with_the_one_that_is_meant() -> None:
    with pytest.raises(
        AttributeError, match=r"expect has no function 'contain'. Did you mean 'contains'"
    ):
        expect.contain("x")
    assert not hasattr(expect, "__wrapped__")


def test_a_call_keeps_no_arguments_and_an_empty_object_apart() -> None:
    assert expect.call("f") == ToolCall("f")
    assert expect.call("f", {}) == ToolCall("f", {})


@pytest.mark.parametrize(
    ("made", "matcher"),
    [
        (expect.any(), Matcher("$any")),
        (expect.type("string"), Matcher("$type", "string")),
        (expect.type("string", "null"), Matcher("$type", ["string", "null"])),
        (expect.one_of("a", "b"), Matcher("$one_of", ["a", "b"])),
        (expect.regex("^a"), Matcher("$regex", "^a")),
        (expect.contains("a"), Matcher("$contains", "a")),
        (expect.approx(3.14, abs=0.01), Matcher("$approx", 3.14, {"abs": 0.01})),
        (expect.gt(1, lte=5), Matcher("$gt", 1, {"$lte": 5})),
        (expect.gte(1, lt=5), Matcher("$gte", 1, {"$lt": 5})),
        (expect.lt(5), Matcher("$lt", 5)),
        (expect.lt(5, gt=3), Matcher("$gt", 3, {"$lt": 5})),
        (expect.lte(5, gte=3), Matcher("$gte", 3, {"$lte": 5})),
        (expect.lte(5), Matcher("$lte", 5)),
        (expect.text("a", ignore=("case",)), Matcher("$text", "a", {"ignore": ["case"]})),
        (expect.text("a", ignore="case"), Matcher("$text", "a", {"ignore": ["case"]})),
        (expect.text("a", ignore=()), Matcher("$text", "a", {"ignore": []})),
        (expect.text("a", similarity=0.9), Matcher("$text", "a", {"similarity": 0.9})),
        (expect.date("2024-01-15"), Matcher("$date", "2024-01-15")),
        (expect.unordered(iter("ab")), Matcher("$unordered", ["a", "b"])),
        (expect.subset({"a": 1}), Matcher("$subset", {"a": 1})),
        (expect.optional("a"), Matcher("$optional", "a")),
        (expect.absent(), Matcher("$absent")),
        (expect.schema({"type": "string"}), Matcher("$schema", {"type": "string"})),
        (expect.schema(True), Matcher("$schema", True)),
        (expect.judge("polite?"), Matcher("$judge", "polite?")),
    ],
)
def test_each_function_gives_the_rule_it_is_named_after(made: Any, matcher: Matcher) -> None:
    assert made == matcher


def test_every_rule_there_is_has_a_function() -> None:
    keys = {key.removeprefix("$") for comparator in comparators() for key in comparator.keys}

    assert keys <= set(expect.__all__)


def test_groups_take_calls_and_names_of_tools() -> None:
    a, b = expect.call("a"), expect.call("b")

    assert expect.in_order(a, "b") == Group("in_order", (a, b))
    assert expect.any_order("a", "b") == Group("any_order", (a, b))
    assert expect.one_of(a, "b") == Group("one_of", (a, b))
    assert expect.optional(a) == Group("optional", (a,))
    assert expect.optional(expect.in_order(a, b)) == Group("optional", (Group("in_order", (a, b)),))
    assert expect.times("a", min=2) == Times(a, 2, None)
    assert expect.times(a, max=3) == Times(a, 1, 3)
    assert expect.times(a, 2) == Times(a, 2, 2)
    assert expect.forbid("delete_*") == Forbidden("delete_*")


@pytest.mark.parametrize(
    ("make", "said"),
    [
        (lambda: expect.call(""), "expect.call: expected the name of a tool"),
        (lambda: expect.forbid(3), "expect.forbid: expected the name of a tool, or a pattern"),  # type: ignore[arg-type]  # on purpose
        (lambda: expect.regex("("), "expect.regex: "),
        (
            lambda: expect.call("f", a=expect.any),
            r"a: expect.any is a function. Write expect.any\(\)",
        ),
        (expect.in_order, "^expect.in_order: the group is empty"),
        (lambda: expect.any_order(expect.forbid("x")), "'forbid' applies to the whole case"),
        (lambda: expect.times("a", min=3, max=1), "^expect.times: 'max' is 1"),
        (lambda: expect.in_order(5), "expected a call such as"),  # type: ignore[arg-type]  # on purpose
        (lambda: expect.type("text"), "expect.type: "),
        (lambda: expect.call("f", [1]), "expected an object of arguments, got a list of 1"),  # type: ignore[arg-type]  # on purpose
        (lambda: expect.call("f", {"a": 1}, a=2), "the argument 'a' is given twice"),
        (lambda: expect.call("f", arguments={"a": 1}), "looks like the object of all arguments"),
        (lambda: expect.call("f", a=expect.call("g")), "a call or a group cannot be the value"),
        (lambda: expect.call("f", a=[{"b": expect.any}]), "a: expect.any is a function"),
        (lambda: expect.times(expect.in_order("a")), "only a call can be repeated"),  # type: ignore[arg-type]  # on purpose
        (lambda: expect.in_order(["a", "b"]), "expect.in_order: pass the members one by one"),  # type: ignore[arg-type]  # on purpose
        (lambda: expect.one_of(["a", "b"]), "expect.one_of: pass the members one by one"),
        (
            lambda: expect.optional([expect.call("a")]),
            "expect.optional: pass the members one by one",
        ),
        (lambda: expect.unordered("abc"), "expect.unordered: "),
        (lambda: expect.text("a", ignore=True), "expect.text: "),  # type: ignore[arg-type]  # on purpose
        (lambda: expect.unordered(5), "expect.unordered: "),  # type: ignore[arg-type]  # on purpose
        (lambda: expect.subset([1]), "expect.subset: "),  # type: ignore[arg-type]  # on purpose
        (lambda: expect.schema(5), "expect.schema: "),  # type: ignore[arg-type]  # on purpose
    ],
)
def test_a_mistake_is_found_where_it_is_made(make: Any, said: str) -> None:
    with pytest.raises(InvalidCall, match=said):
        make()


def test_a_rule_in_python_and_in_json_say_the_same() -> None:
    expected = [
        expect.call("search", query=expect.contains("Paris"), filter={"$gt": 5}),
        expect.in_order("a", expect.optional(expect.call("b", {"x": expect.optional(1)}))),
        expect.forbid("delete_*"),
    ]

    spelled = expect.to_json(expected)

    assert spelled == [
        {
            "name": "search",
            "arguments": {"query": {"$contains": "Paris"}, "filter": {"$literal": {"$gt": 5}}},
        },
        {
            "in_order": [
                {"name": "a"},
                {"optional": {"name": "b", "arguments": {"x": {"$optional": 1}}}},
            ]
        },
        {"forbid": "delete_*"},
    ]
    assert expect.from_json(spelled) == expected


CALLS = st.builds(
    expect.call,
    st.sampled_from(["f", "g"]),
    st.none()
    | st.dictionaries(
        st.sampled_from(["a", "$b"]),
        st.integers() | st.just({"$gt": 1}),
        max_size=2,
    )
    | st.dictionaries(
        st.sampled_from("ab"),
        st.just(expect.any()) | st.builds(lambda n: expect.gt(n, lte=n + 1), st.integers(0, 3)),
        max_size=2,
    ),
)
NODES = st.recursive(
    CALLS | st.builds(lambda call, least: expect.times(call, min=least), CALLS, st.integers(0, 2)),
    lambda inner: st.lists(inner, min_size=1, max_size=3).flatmap(
        lambda members: st.sampled_from(
            [each for each in get_args(GroupKind) if each != "turn"]
        ).map(lambda kind: Group(kind, tuple(members[:1] if kind == "optional" else members)))
    ),
    max_leaves=6,
)


TURNS = st.lists(NODES, max_size=2).map(lambda members: Group("turn", tuple(members)))
FORBIDDEN = st.just(expect.forbid("x_*"))


@given(
    st.tuples(
        st.lists(NODES | FORBIDDEN, max_size=4) | st.lists(TURNS | FORBIDDEN, max_size=3),
        st.sampled_from([[], [expect.end_state({"a": expect.any()})]]),
    ).map(lambda parts: parts[0] + parts[1])
)
def test_anything_that_can_be_expected_goes_to_json_and_back_without_loss(expected: Any) -> None:
    assert expect.from_json(expect.to_json(expected)) == expected


def test_a_matcher_shows_itself_as_files_spell_it() -> None:
    assert repr(expect.approx(3.14, abs=0.01)) == "$approx 3.14 ± 0.01"


def test_a_value_that_contains_itself_is_refused() -> None:
    value: dict[str, Any] = {"a": 1}
    value["b"] = [value, value]

    for make in (expect.schema, expect.subset, lambda given: expect.unordered([given])):
        with pytest.raises(
            InvalidCall, match=r"the value contains itself, or is nested too deeply"
        ):
            make(value)


def test_an_argument_that_contains_itself_is_refused_when_it_is_scored() -> None:
    value: list[Any] = [1]
    value += [value, value]

    called = expect.call("f", a=value)

    with pytest.raises(InvalidCall):
        score([called], [called])

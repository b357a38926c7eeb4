"""How deep the arguments of a call may be nested, by calls and by settings of any shape."""

from __future__ import annotations

import gc
from dataclasses import dataclass
from decimal import Decimal
from fractions import Fraction
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

import callscore
from callscore import (
    CallscoreError,
    InvalidCall,
    InvalidSettings,
    Score,
    Settings,
    ToolCall,
    expect,
    score,
)
from callscore.core import nesting
from callscore.core.nesting import MAX_DEPTH, are_shallow, end_soon, nesting_fault
from callscore.core.rules import Matcher


def nested(levels: int, *, kind: type = list) -> Any:
    value: Any = 1
    for _ in range(levels):
        value = [value] if kind is list else {"a": value}
    return value


def cyclic() -> Any:
    value: list[Any] = []
    value.append({"a": (value,)})
    return value


class SelfDict:
    def to_dict(self) -> Any:
        return self


class EndlessDict:
    def to_dict(self) -> Any:
        return {"next": EndlessDict()}


class Hostile:
    """An object that raises whatever is asked of it."""

    def __repr__(self) -> str:
        raise RuntimeError("repr")

    def __eq__(self, other: object) -> bool:
        raise RuntimeError("eq")

    def __hash__(self) -> int:
        raise RuntimeError("hash")


class HostileList(list[Any]):
    def __len__(self) -> int:
        raise RuntimeError("len")

    def __iter__(self) -> Any:
        raise RuntimeError("iter")


ABSURD = {
    "10,000 lists": nested(10_000),
    "100,000 objects": nested(100_000, kind=dict),
    "cycle": cyclic(),
    "itself": SelfDict(),
    "endless": EndlessDict(),
    "hostile": Hostile(),
    "hostile list": HostileList(),
    "huge": 10**5000,
    "-huge": -(10**5000),
    "NaN": float("nan"),
    "infinite": float("inf"),
    "Decimal": Decimal("1e999999999999999999"),
    "signaling": Decimal("sNaN"),
    "fraction": Fraction(1, 3),
    "set": {1, 2},
    "bytes": b"\xff",
    "long": "x" * 1_000_000,
}


PARTS = st.recursive(
    st.sampled_from([0, True, "x", None, 1.5, Decimal(1), {1}]),
    lambda inner: st.one_of(
        st.lists(inner, max_size=4),
        st.lists(inner, max_size=3).map(tuple),
        st.dictionaries(st.sampled_from(["a", "b", 1]), inner, max_size=3),
        st.builds(Matcher, st.just("$unordered"), inner),
        st.tuples(inner, st.integers(1, 30)).map(lambda pair: [pair[0]] * pair[1]),
    ),
    max_leaves=8,
)


@given(parts=st.lists(st.dictionaries(st.sampled_from("xyz"), PARTS), max_size=4))
def test_the_fast_nesting_check_finds_the_same_faults_as_the_full_search(
    parts: list[dict[str, Any]],
) -> None:
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(nesting, "MAX_VALUES", 20)
        patch.setattr(nesting, "MAX_DEPTH", 3)
        patch.setattr(nesting, "_MAX_REPEATS", 2)
        patch.setattr(nesting, "_MAX_ASKED", 2)
        patch.setattr(nesting, "_FEW_LEVELS", 1)  # below the two that are always searched

        faults = [nesting._fault_below(part) for part in parts]

        assert not end_soon(parts) or not any(faults)
        assert [nesting_fault(part) for part in parts] == faults


def test_shared_tuples_expand_to_too_much_also_after_a_collection() -> None:
    value: Any = (1, 2)
    for _ in range(60):
        value = (value, value)
    gc.collect()  # the collector ignores tuples of numbers from now on

    assert nesting_fault({"x": value}) == "too_large"


def test_deep_arguments_of_an_agent_are_a_mistake_of_the_agent() -> None:
    found = score([("f", {"x": 1})], [{"name": "f", "arguments": {"x": nested(10_000)}}])

    assert found.actual[0].error == "nested_too_deeply"
    assert found.f1 == 0


@pytest.mark.parametrize("depth", [MAX_DEPTH, 10_000, 100_000])
def test_deep_arguments_in_a_reference_are_refused(depth: int) -> None:
    deep = {"x": nested(depth, kind=dict)}

    for call in ({"name": "f", "arguments": deep}, ("f", deep), ToolCall("f", deep)):
        with pytest.raises(InvalidCall, match="nested too deeply"):
            score([call], [])


def test_cyclic_arguments_are_refused_on_both_sides() -> None:
    with pytest.raises(InvalidCall, match="contain themselves"):
        score([("f", {"x": cyclic()})], [])
    with pytest.raises(InvalidCall, match="contain themselves"):
        score([], [ToolCall("f", {"x": cyclic()})])


@pytest.mark.slow
@pytest.mark.parametrize("name", [name for name in ABSURD if name != "hostile list"])
def test_absurd_values_of_calls_are_scored_or_refused(name: str) -> None:
    value = ABSURD[name]
    calls: list[Any] = [
        *([{"name": "f", "arguments": {"x": value}}], [("f", {"x": value})], [("f", value)]),
        *([{"name": value}], value, [value], {"messages": value}),
        {"messages": [{"role": "assistant", "tool_calls": [{"function": value}]}]},
    ]
    tools: list[Any] = [None, value, [{"name": "f", "parameters": {"const": value}}]]
    for call in calls:
        for use in (callscore.read_calls, callscore.read_tools, callscore.check_calls):
            _allow_errors_of_callscore(lambda use=use, call=call: use(call))
        for offered in tools:
            _allow_errors_of_callscore(lambda call=call, o=offered: _show(score(call, [], tools=o)))
            _allow_errors_of_callscore(lambda call=call, o=offered: _show(score([], call, tools=o)))
    _allow_errors_of_callscore(lambda: callscore.evaluate(value))


def _show(found: Any) -> None:
    assert str(found)
    assert found.explain()
    assert found.to_dict()


def _allow_errors_of_callscore(use: Any) -> None:
    found = _result_of(use)
    assert not isinstance(found, CallscoreError) or 0 < len(str(found)) < 1000


@pytest.mark.slow
@pytest.mark.parametrize("name", ABSURD)
def test_absurd_settings_are_refused_with_a_short_sentence(name: str) -> None:
    value = ABSURD[name]
    for setting in Settings.__struct_fields__:
        shapes = [value, [value], (value,), {"*.x": value}, {value: "x"} if _has_hash(value) else 0]
        shapes += [{"*.x": {"text": {"similarity": value}}}, [("a", value)]]
        for shape in shapes:
            found = _result_of(score, [], [], **{setting: shape})
            is_error = isinstance(found, InvalidSettings)
            assert 0 < len(str(found)) < 1000 if is_error else isinstance(found, Score)
            assert isinstance(_result_of(Settings, **{setting: shape}), Settings | CallscoreError)
    for keyword in ("preset", "settings"):
        assert isinstance(_result_of(score, [], [], **{keyword: value}), InvalidSettings)


def _has_hash(value: Any) -> bool:
    try:
        return hash(value) is not None
    except (TypeError, RuntimeError, ValueError):
        return False


def _result_of(function: Any, *args: Any, **options: Any) -> Any:
    try:
        return function(*args, **options)
    except CallscoreError as error:
        return error


@dataclass
class Node:
    part: Any


def shared(*, levels: int = 60) -> Any:
    """Few lists that stand for very many."""
    value: Any = ["x"]
    for _ in range(levels):
        value = [value, value]
    return value


def test_shared_parts_that_expand_to_too_much_are_refused() -> None:
    for call in (ToolCall("f", {"x": shared()}), ("f", {"x": shared()}), ("f", shared())):
        with pytest.raises(InvalidCall, match="the same parts too many times"):
            score([call], [])
        with pytest.raises(InvalidCall, match="the same parts too many times"):
            score([], [call])
    with pytest.raises(InvalidCall, match="the same parts too many times"):
        score([], [("f", Node(Node(shared())))])
    with pytest.raises(InvalidCall, match="the value contains itself"):
        expect.schema({"type": Node(shared())})
    with pytest.raises(InvalidCall, match="the results of a call contain the same parts"):
        score([], [{"name": "f", "arguments": {}, "result": shared()}])
    with pytest.raises(InvalidCall, match="the results of a call contain themselves"):
        score([], [ToolCall("f", {}, result=cyclic())])
    with pytest.raises(InvalidCall, match="the same parts too many times"):
        callscore.read_calls({"messages": shared()})
    with pytest.raises(InvalidCall, match="the same parts too many times"):
        callscore.read_tools(shared())


@pytest.mark.parametrize(
    ("fields", "problem"),
    [
        ({"name": 5}, "name: must be text; got 5"),
        ({"id": cyclic()}, "id: must be text; got a list of"),
        ({"step": cyclic()}, "step: must be an integer; got a list of"),
        ({"step": True}, "step: must be an integer; got true"),
        ({"failed": "no"}, "failed: must be true or false; got 'no'"),
        ({"positional": shared()}, "positional: must be true or false; got a list of 2"),
        *[
            ({field: shared()}, f"{field}: must be text; got a list of 2")
            for field in ("raw", "error", "kind", "caller", "warning")
        ],
    ],
)
def test_a_tool_call_has_fields_of_the_types_that_it_declares(
    fields: dict[str, Any], problem: str
) -> None:
    call = ToolCall(**{"name": "f", "arguments": {}, **fields})

    with pytest.raises(InvalidCall, match=rf"^expected\[0\]\.{problem}"):
        score([call], [])
    with pytest.raises(InvalidCall, match=rf"^actual\[1\]\.{problem}"):
        score([], [("f", {}), call])


@pytest.mark.parametrize("lang", ["xx" * 100_000, 10**5000, Hostile(), [], None], ids=list("abcde"))
def test_languages_of_any_shape_are_refused(lang: Any) -> None:
    with pytest.raises(InvalidSettings, match="lang: unknown value") as caught:
        score([], []).explain(lang=lang)

    assert len(str(caught.value)) < 120


def test_arguments_with_keys_that_are_not_text_are_compared_by_rules() -> None:
    call = ToolCall("f", {1: "2024-01-15", None: 3, ("a",): 4})  # type: ignore[dict-item]

    assert score([call], [call], arguments={"f.1": "date", "f.null": "approx"}).f1 == 1


def test_many_values_have_none_if_they_are_in_memory(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(nesting, "MAX_VALUES", 1000)

    assert nesting_fault({"x": [[[[[{"y": number}]]]] for number in range(2000)]}) is None
    assert nesting_fault({"x": [[[[[{"y": 1}]]]]] * 2000}) is None  # of a list of 2,000 items
    assert nesting_fault({"x": [[1] * 2000] * 2000}) == "too_large"
    assert nesting_fault({"x": Matcher("$unordered", [[1] * 2000] * 2000, {})}) == "too_large"


@pytest.mark.parametrize(("depth", "expected"), [(0, True), (4, True), (5, False), (50, False)])
def test_any_number_of_values_is_searched_for_deep_ones(depth: int, expected: bool) -> None:
    deep: Any = "x"
    for _ in range(depth):
        deep = [deep]

    assert are_shallow([{"a": 1}] * 100 + [{"a": deep}]) == expected
    assert are_shallow([])


def test_levels_that_are_each_small_enough_may_be_too_large_together(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setattr(nesting, "MAX_VALUES", 100)
    monkeypatch.setattr(nesting, "_MAX_REPEATS", 1)

    assert nesting_fault({"x": [[0]] * 65}) == "too_large"

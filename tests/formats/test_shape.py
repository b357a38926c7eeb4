"""Looking into values of unknown shape."""

from __future__ import annotations

from collections import OrderedDict
from dataclasses import dataclass, field
from datetime import date
from enum import Enum
from types import SimpleNamespace
from typing import Any

import msgspec
import pytest

from callscore.core.call import FaultyArray, FaultyObject, Malformed
from callscore.errors import InvalidCall
from callscore.formats.shape import (
    as_list,
    at,
    describe,
    dicts,
    first,
    integer_of,
    json_of,
    list_of,
    name_of,
    text_in,
    text_of,
    to_plain_data,
)

VALUE = {"a": [{"b": 1}, 2], "n": None}


@pytest.mark.parametrize(
    ("path", "found"),
    [
        ((), VALUE),
        (("a", 0, "b"), 1),
        (("a", -1), 2),
        (("a", 2), None),
        (("a", -3), None),
        (("a", "b"), None),
        (("a", 0, 0), None),
        (("n", "x"), None),
        (("x", "y", 3), None),
    ],
)
def test_a_path_that_ends_early_leads_to_none(path: tuple[Any, ...], found: Any) -> None:
    assert at(VALUE, *path) == found


@pytest.mark.parametrize("value", [None, 5, "text", [1], {"x": None, "y": 0}])
def test_whatever_the_value_is_there_is_an_answer(value: Any) -> None:
    assert first(value, "x", "y") == (0 if isinstance(value, dict) else None)
    assert list_of(value) == ([1] if isinstance(value, list) else [])
    assert as_list(value) == ([1] if isinstance(value, list) else [value])
    assert dicts(value) == []
    assert text_of(value) == ("text" if value == "text" else None)
    assert integer_of(value) == (5 if value == 5 else None)
    assert at(value, "a") is None


def test_only_objects_of_a_list_are_objects() -> None:
    assert dicts([{"a": 1}, 5, None, {}]) == [{"a": 1}, {}]
    assert integer_of(True) is None


@pytest.mark.parametrize(
    ("value", "found"),
    [('{"a": 1}', {"a": 1}), ("plain", "plain"), (5, 5), ("[" * 9999, "[" * 9999)],
)
def test_text_that_holds_json_is_what_it_holds(value: Any, found: Any) -> None:
    assert json_of(value) == found


@pytest.mark.parametrize(
    ("content", "text"),
    [
        ("x", "x"),
        ([{"text": "a"}, {"image": 1}, {"text": "b"}], "a\nb"),
        ([{"image": 1}], None),
        ([], None),
        (None, None),
        ([{"text": 5}], None),
    ],
)
def test_the_text_of_a_content_is_in_its_parts(content: Any, text: str | None) -> None:
    assert text_in(content) == text


@pytest.mark.parametrize(
    ("value", "name"),
    [
        ("a", "a"),
        (7, "7"),
        (0, "0"),
        (True, None),
        pytest.param(10**5000, None, id="huge"),
        (1.5, None),
        ([], None),
    ],
)
def test_a_name_is_text_or_a_number(value: Any, name: str | None) -> None:
    assert name_of(value) == name


# Values in a few words.


@pytest.mark.parametrize(
    ("value", "words"),
    [
        (None, "null"),
        (True, "true"),
        (5, "5"),
        (1.5, "1.5"),
        pytest.param(10**5000, "a very large integer", id="10**5000"),
        ("поиск", "'поиск'"),
        ("\x1b[31mred", "'\\x1b[31mred'"),
        ([], "an empty list"),
        ([1, 2], "a list of 2"),
        ((1,), "a list of 1"),
        ({}, "an empty object"),
        ({"q": 1}, "an object with the key 'q'"),
        ({"q": 1, 2: 1}, "an object with the keys 'q', 2"),
        (dict.fromkeys("abcdef"), "an object with the keys 'a', 'b', 'c', 'd', 'e', …"),
        (date(2024, 1, 15), "a date"),
        (Malformed("NaN", "NaN is not a JSON number"), "NaN (NaN is not a JSON number)"),
    ],
)
def test_a_value_is_described_in_a_few_words(value: Any, words: str) -> None:
    assert describe(value) == words


def test_a_long_text_is_shortened() -> None:
    assert describe("x" * 10_000_000) == "'" + "x" * 59 + "…"


def test_nesting_is_not_followed() -> None:
    value: list[Any] = []
    for _ in range(100_000):
        value = [value]

    assert describe(value) == "a list of 1"


class Colour(Enum):
    RED = "red"


class Word(str, Enum):  # noqa: UP042  (as SDKs for older Pythons have it)
    A = "a"


class Model:
    """As pydantic's models look."""

    def __init__(self, **fields: Any) -> None:
        self.fields = fields

    def model_dump(self, **options: Any) -> dict[str, Any]:
        assert options == {
            "mode": "json",
            "by_alias": True,
            "warnings": False,
            "polymorphic_serialization": True,
        }
        return self.fields


@dataclass
class Part:
    name: str
    inner: Any = field(default_factory=list)


class Record(msgspec.Struct):
    a: int


@pytest.mark.parametrize(
    ("value", "expected"),
    [
        ({"a": (1, 2)}, {"a": [1, 2]}),
        (OrderedDict(a=1), {"a": 1}),
        ({"a": {Colour.RED}}, {"a": ["red"]}),
        (Word.A, "a"),
        (date(2026, 11, 15), "2026-11-15"),
        (Model(a=Model(b=1)), {"a": {"b": 1}}),
        ([Model(a=1), {"a": 2}], [{"a": 1}, {"a": 2}]),
        (Part("p", [Part("q")]), {"name": "p", "inner": [{"name": "q", "inner": []}]}),
        (Record(1), {"a": 1}),
        (SimpleNamespace(a=1, _b=2), {"a": 1}),
        (iter([Model(a=1), Model(a=2)]), [{"a": 1}, {"a": 2}]),
    ],
)
def test_a_value_becomes_what_json_has(value: Any, expected: Any) -> None:
    assert to_plain_data(value) == expected


def test_a_result_that_holds_a_run_gives_it_out() -> None:
    class Result:
        def all_messages(self) -> list[Any]:
            return [Part("p")]

    assert to_plain_data(Result()) == [{"name": "p", "inner": []}]


def test_a_model_of_another_make_is_asked_without_options() -> None:
    class Other:
        def model_dump(self) -> dict[str, Any]:
            return {"a": 1}

    class Old:
        def to_dict(self) -> dict[str, Any]:
            return {"a": 1}

    assert to_plain_data([Other(), Old()]) == [{"a": 1}, {"a": 1}]


def test_a_model_that_json_cannot_hold_is_taken_apart() -> None:
    class Message:
        def model_dump(self, *, mode: str = "python", **_: Any) -> dict[str, Any]:
            if mode == "json":
                raise ValueError("unable to serialise")
            return {"artifact": Part("p"), "content": "done"}

    assert to_plain_data(Message()) == {"artifact": {"name": "p", "inner": []}, "content": "done"}


def test_a_run_gives_out_the_runs_within_it() -> None:
    class Run:
        def __init__(self, *child_runs: Run) -> None:
            self.child_runs = list(child_runs)

        def model_dump(self, **_: Any) -> dict[str, Any]:
            return {"id": len(self.child_runs)}

    inner = {"id": 0, "child_runs": []}

    assert to_plain_data(Run(Run(), Run())) == {"id": 2, "child_runs": [inner, inner]}


def test_an_object_that_keeps_its_messages_to_itself_is_asked_for_them() -> None:
    class State:
        def __init__(self) -> None:
            self.choice = "auto"
            self._messages = [Model(role="user")]

        @property
        def messages(self) -> list[Model]:
            return self._messages

    assert to_plain_data(State()) == {"choice": "auto", "messages": [{"role": "user"}]}


def test_an_object_that_can_be_called_is_still_an_object() -> None:
    class Tool:
        def __call__(self) -> None: ...

        def to_dict(self) -> dict[str, Any]:
            return {"name": "f"}

    assert to_plain_data([Tool()]) == [{"name": "f"}]


def test_malformed_json_values_are_not_changed_by_plain_data() -> None:
    fault = Malformed("NaN", "not JSON")
    values = [FaultyObject({}, fault), FaultyArray([], fault), fault]

    assert all(found is value for found, value in zip(to_plain_data(values), values, strict=True))


def test_an_object_without_fields_is_not_changed_by_plain_data() -> None:
    thing = object()

    assert to_plain_data(thing) is thing
    assert to_plain_data(len) is len
    assert to_plain_data(dict) is dict


def test_an_object_that_cannot_be_asked_is_refused() -> None:
    class Broken:
        def model_dump(self, **_: Any) -> None:
            raise RuntimeError("closed")

    with pytest.raises(InvalidCall, match=r"a .*Broken cannot be read: closed"):
        to_plain_data(Broken())


def test_an_object_that_is_made_to_be_read_says_what_to_read() -> None:
    class Recorded:
        calls = ("not", "read")

        def __init__(self, document: Any) -> None:
            self.document = document

        def model_dump(self, **_: Any) -> None:
            raise RuntimeError("never called")

        def __callscore_document__(self) -> Any:
            if self.document is None:
                raise InvalidCall("nothing ran.")
            return self.document

    assert to_plain_data(Recorded([Model(role="user")])) == [{"role": "user"}]
    with pytest.raises(InvalidCall, match=r"^nothing ran\.$"):
        to_plain_data(Recorded(None))


def test_a_list_that_contains_itself_is_refused_as_nested_too_deeply() -> None:
    endless: list[Any] = []
    endless.append(endless)

    with pytest.raises(InvalidCall, match="nested too deeply"):
        to_plain_data(endless)


def test_any_kind_of_text_can_hold_json() -> None:
    class Text(str):
        __slots__ = ()

    assert json_of(Text("[1]")) == [1]

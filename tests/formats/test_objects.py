"""Objects of other libraries, taken apart by what they look like."""

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
from callscore.formats.objects import to_plain_data


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


def test_what_knows_its_faults_keeps_them() -> None:
    fault = Malformed("NaN", "not JSON")
    values = [FaultyObject({}, fault), FaultyArray([], fault), fault]

    assert all(found is value for found, value in zip(to_plain_data(values), values, strict=True))


def test_what_has_no_parts_stays_what_it_is() -> None:
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


def test_what_is_nested_without_end_is_refused() -> None:
    endless: list[Any] = []
    endless.append(endless)

    with pytest.raises(InvalidCall, match="nested too deeply"):
        to_plain_data(endless)

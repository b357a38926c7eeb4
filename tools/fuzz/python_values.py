"""Python values for the library: written as JSON text, in which strings stand for what JSON lacks."""

from __future__ import annotations

import datetime as dt
import decimal
import enum
import fractions
import types
import uuid
from collections import OrderedDict, UserDict, deque, namedtuple
from dataclasses import dataclass, field
from functools import cache
from typing import TYPE_CHECKING, Any

import msgspec

if TYPE_CHECKING:
    from collections.abc import Callable

__all__ = ["MARKS", "to_python"]

_MARK = "\x01"  # begins a string that stands for another value


@dataclass
class _Node:
    """An object of an SDK; it may contain itself."""

    name: str = "f"
    arguments: dict[str, Any] = field(default_factory=dict)
    parent: Any = None


class _Color(enum.Enum):
    RED = "red"


class _Text(str):
    __slots__ = ()


class _Number(int):
    pass


class _Closed:
    """An object whose attributes cannot be read."""

    def __getattr__(self, name: str) -> Any:
        raise AttributeError(name)


class _Model:
    """An object that looks like a model of pydantic, and dumps itself."""

    def model_dump(self, **_: Any) -> Any:
        return {"name": "f", "arguments": {}, "self": self}


_Point = namedtuple("_Point", ["name", "arguments"])  # noqa: PYI024  (without types, as many are)


@cache
def _deep_list() -> Any:
    value: Any = 1
    for _ in range(5000):
        value = [value]
    return value


@cache
def _deep_dict() -> Any:
    value: Any = 1
    for _ in range(5000):
        value = {"a": value}
    return value


def _cyclic_list() -> Any:
    value: list[Any] = [1]
    value.append(value)
    return value


def _cyclic_dict() -> Any:
    value: dict[str, Any] = {"name": "f"}
    value["arguments"] = {"a": [value]}
    return value


def _cyclic_node() -> Any:
    node = _Node()
    node.parent = [node]
    return node


@cache
def _wide() -> Any:
    """A value with the same part many times."""
    value: Any = ["x"]
    for _ in range(10):
        value = [value, value]
    return value


@cache
def _shared(kind: str) -> Any:
    """Few values that stand for more than fit into memory."""
    value: Any = ["x"]
    for _ in range(60):
        if kind == "list":
            value = [value, value]
        elif kind == "dict":
            value = {"a": value, "b": value}
        else:
            value = _Node(arguments={"a": value}, parent=value)
    return value


_VALUES: dict[str, Callable[[], Any]] = {
    "nan": lambda: float("nan"),
    "inf": lambda: float("inf"),
    "huge": lambda: 10**5000,
    "negative": lambda: -(10**5000),
    "decimal": lambda: decimal.Decimal("1e1000000"),
    "decimal-nan": lambda: decimal.Decimal("sNaN"),
    "fraction": lambda: fractions.Fraction(1, 3),
    "complex": lambda: 1 + 2j,
    "bytes": lambda: b"\xff\x00",
    "bytearray": lambda: bytearray(b'{"name": "f"}'),
    "memoryview": lambda: memoryview(b"x"),
    "set": lambda: {"a", "b"},
    "frozenset": lambda: frozenset([1]),
    "tuple": lambda: ("f", {"a": 1}),
    "object": object,
    "type": lambda: dict,
    "function": lambda: len,
    "generator": lambda: (n for n in range(3)),
    "iterator": lambda: iter([{"name": "f", "arguments": {}}]),
    "date": lambda: dt.date(2024, 1, 15),
    "time": lambda: dt.datetime(2024, 1, 15, tzinfo=dt.UTC),
    "delta": lambda: dt.timedelta(days=10**8),
    "uuid": lambda: uuid.UUID(int=0),
    "enum": lambda: _Color.RED,
    "text": lambda: _Text("f"),
    "number": lambda: _Number(3),
    "node": _Node,
    "closed": _Closed,
    "model": _Model,
    "point": lambda: _Point("f", {"a": 1}),
    "ordered": lambda: OrderedDict(name="f"),
    "user-dict": lambda: UserDict(name="f", arguments={}),
    "proxy": lambda: types.MappingProxyType({"name": "f"}),
    "namespace": lambda: types.SimpleNamespace(name="f", arguments={"a": 1}),
    "deque": lambda: deque(["f"]),
    "keys": lambda: {1: 2, None: 3, ("a",): 4},
    "mixed-keys": lambda: {"name": "f", 1: 2},
    "range": lambda: range(3),
    "surrogate": lambda: "\ud800",
    "deep-list": _deep_list,
    "deep-dict": _deep_dict,
    "deep-text": lambda: "[" * 100_000,
    "cyclic-list": _cyclic_list,
    "cyclic-dict": _cyclic_dict,
    "cyclic-node": _cyclic_node,
    "wide": _wide,
    "shared-list": lambda: _shared("list"),
    "shared-dict": lambda: _shared("dict"),
    "shared-node": lambda: _shared("node"),
    "raw": lambda: msgspec.Raw(b"[1]"),
    "unset": lambda: msgspec.UNSET,
    "ellipsis": lambda: ...,
    "error": lambda: ValueError("x"),
    "module": lambda: types,
}
MARKS = tuple(f"{_MARK}{name}" for name in _VALUES)


def to_python(value: Any, parents: tuple[Any, ...] = ()) -> Any:
    """The value that JSON data stands for; the mark `parent` is the container around it."""
    if value.__class__ is dict:
        found: dict[Any, Any] = {}
        for key, item in value.items():
            found[key] = to_python(item, (*parents, found))
        return found
    if value.__class__ is list:
        items: list[Any] = []
        items.extend(to_python(item, (*parents, items)) for item in value)
        return items
    if value.__class__ is not str or not value.startswith(_MARK):
        return value
    around = {"parent": parents[-1:], "root": parents[:1]}.get(value[1:], ())
    return around[0] if around else _VALUES.get(value[1:], lambda: value)()

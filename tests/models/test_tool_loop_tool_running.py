"""Functions that a model calls: whatever goes wrong is told to the model."""

from __future__ import annotations

import asyncio
import contextlib
import time
from dataclasses import dataclass
from enum import Enum
from typing import TYPE_CHECKING, Any, NoReturn

import pytest
from msgspec import Struct
from pydantic import BaseModel

from callscore.models.tool_loop import ToolOutcome, run_call

if TYPE_CHECKING:
    from collections.abc import Iterator


class Unit(Enum):
    CELSIUS = "C"


@dataclass
class Place:
    city: str


class Point(Struct):
    x: int


class Person(BaseModel):
    name: str


def add(a: int, b: int = 1) -> int:
    return a + b


async def add_later(a: int) -> int:
    await asyncio.sleep(0)
    return a + 1


def promise(a: int) -> Any:
    return add_later(a)


def typed(unit: Unit, place: Place, point: Point, person: Person) -> str:
    return f"{unit.name} {place.city} {point.x} {person.name}"


def several(places: list[Place], person: Person | None = None) -> str:
    return f"{[place.city for place in places]} {person}"


def either(place: Place | dict[str, int]) -> str:
    return type(place).__name__


def fail() -> NoReturn:
    raise ValueError("no such city")


def leave() -> NoReturn:
    raise SystemExit(3)


def hang() -> None:
    time.sleep(5)


def slow() -> NoReturn:
    raise TimeoutError("the database is slow")


async def slow_without_words() -> NoReturn:
    raise TimeoutError


class Unprintable(Exception):
    def __str__(self) -> str:
        raise ZeroDivisionError


def unprintable() -> NoReturn:
    raise Unprintable


def cancel() -> NoReturn:
    raise asyncio.CancelledError


async def cancel_later() -> NoReturn:
    raise asyncio.CancelledError


def close() -> NoReturn:
    raise GeneratorExit


def several_at_once() -> NoReturn:
    raise BaseExceptionGroup("two", [KeyboardInterrupt()])


def stop() -> NoReturn:
    raise StopIteration(1)


def leak() -> NoReturn:
    raise ValueError("no entry with sk-abcdef-1234567")


def half() -> str:
    return "half \ud83d"


async def deaf() -> str:
    for _ in range(3):
        with contextlib.suppress(asyncio.CancelledError):
            await asyncio.sleep(0.2)
    return "late"


def rows() -> Iterator[dict[str, int]]:
    yield {"a": 1}
    yield {"a": 2}


class Odd:
    def __repr__(self) -> str:
        return "Odd()"

    @property
    def __dict__(self) -> Any:  # type: ignore[override]  # it is odd
        raise RuntimeError("no")


def odd() -> Odd:
    return Odd()


TOOLS = {
    each.__name__: each
    for each in (
        add,
        add_later,
        promise,
        typed,
        several,
        either,
        fail,
        leave,
        hang,
        slow,
        slow_without_words,
        unprintable,
        cancel,
        cancel_later,
        close,
        several_at_once,
        stop,
        leak,
        half,
        deaf,
        rows,
        odd,
    )
}


def outcome(name: str, arguments: Any = None, seconds: float | None = None) -> ToolOutcome:
    return asyncio.run(run_call(name, arguments, TOOLS, seconds))


@pytest.mark.parametrize(
    ("name", "arguments", "text"),
    [
        ("add", '{"a": 1, "b": 2}', "3"),
        ("add", {"a": 1}, "2"),
        ("add_later", '{"a": 1}', "2"),
        ("promise", '{"a": 1}', "2"),
        ("rows", "", '[{"a":1},{"a":2}]'),
        ("half", "", "half \\ud83d"),
        (
            "typed",
            '{"unit": "C", "place": {"city": "Oslo"}, "point": {"x": 1}, "person": {"name": "Ada"}}',
            "CELSIUS Oslo 1 Ada",
        ),
        ("several", '{"places": [{"city": "Oslo"}], "person": null}', "['Oslo'] None"),
        ("several", '{"places": [], "person": {"name": "Ada"}}', "[] name='Ada'"),
        ("either", '{"place": {"city": "Oslo"}}', "dict"),
    ],
)
def test_a_call_is_run_and_its_result_told(name: str, arguments: Any, text: str) -> None:
    assert outcome(name, arguments) == ToolOutcome(text)


@pytest.mark.parametrize(
    ("name", "arguments", "text"),
    [
        ("fail", "{}", "Error: ValueError: no such city"),
        ("unprintable", "{}", "Error: Unprintable: (it cannot even be printed)"),
        ("cancel", "{}", "Error: CancelledError"),
        ("cancel_later", "{}", "Error: CancelledError"),
        ("close", "{}", "Error: GeneratorExit"),
        ("several_at_once", "{}", "Error: BaseExceptionGroup: two (1 sub-exception)"),
        ("stop", "{}", "Error: StopIteration: 1"),
        ("leak", "{}", "Error: ValueError: no entry with ***"),
        ("leave", "{}", "Error: SystemExit: 3"),
        ("slow_without_words", "{}", "Error: TimeoutError"),
        ("slow", "{}", "Error: TimeoutError: the database is slow"),
        ("add", '{"c": 1}', "Error: TypeError: add() got an unexpected keyword argument 'c'"),
        ("typed", '{"unit": "K"}', "Error: ValueError: unit: Invalid enum value 'K'"),
        ("subtract", "{}", "Error: there is no tool 'subtract'; the tools are add, add_later"),
    ],
)
def test_what_goes_wrong_is_told_too(name: str, arguments: str, text: str) -> None:
    found = outcome(name, arguments)

    assert found.failed
    assert not found.is_malformed
    assert found.text.startswith(text)


@pytest.mark.parametrize("arguments", ['{"a": ', "[1]", "5", "add 1 and 2"])
def test_arguments_that_are_no_object_are_told_apart(arguments: str) -> None:
    found = outcome("add", arguments)

    assert found.failed
    assert found.is_malformed
    assert "not a JSON object" in found.text


def test_a_tool_that_hangs_is_given_up() -> None:
    found = outcome("hang", "{}", seconds=0.01)

    assert found == ToolOutcome("Error: the tool took longer than 0.01 s", failed=True)


def test_a_result_that_is_no_data_is_told_as_text() -> None:
    found = outcome("odd", "{}")

    assert not found.failed
    assert "Odd" in found.text


def test_a_tool_that_does_not_listen_is_given_up_too() -> None:
    async def main() -> tuple[ToolOutcome, bool]:
        task = asyncio.create_task(run_call("deaf", "{}", TOOLS, 0.01))
        found = await task
        return found, len(asyncio.all_tasks()) > 1

    found, goes_on = asyncio.run(main())

    assert found == ToolOutcome("Error: the tool took longer than 0.01 s", failed=True)
    assert goes_on


def test_who_is_cancelled_waits_for_no_tool() -> None:
    async def main() -> None:
        async with asyncio.timeout(0.01):
            await run_call("hang", "{}", TOOLS, None)

    with pytest.raises(TimeoutError):
        asyncio.run(main())

"""The arguments of a call as the annotations of the function say they are."""

from __future__ import annotations

import math
from datetime import UTC, date, datetime, timedelta
from decimal import Decimal
from functools import partial
from pathlib import Path
from typing import Annotated, Any, Literal
from uuid import UUID

import pytest

from callscore.models.tool_loop import BoundArguments, convert_arguments


class Unknown:
    """Of which nobody knows how it is made."""


def taking(kind: Any) -> Any:
    """A function whose parameter is annotated so."""

    def function(given: Any) -> None:
        """Take it."""

    function.__annotations__ = {"given": kind}
    return function


@pytest.mark.parametrize(
    ("kind", "value", "made"),
    [
        (date, "2024-01-02", date(2024, 1, 2)),
        (datetime, "2024-01-02T03:04:05Z", datetime(2024, 1, 2, 3, 4, 5, tzinfo=UTC)),
        (timedelta, "P1D", timedelta(days=1)),
        (
            UUID,
            "12345678-1234-5678-1234-567812345678",
            UUID(int=0x12345678123456781234567812345678),
        ),
        (Decimal, 1.5, Decimal("1.5")),
        (set[int], [1, 2, 1], {1, 2}),
        (tuple[int, str], [1, "a"], (1, "a")),
        (Path, "a/b", Path("a/b")),
        (Path | None, None, None),
        (bytes, "hi", b"hi"),
        (bytes | None, "hi", b"hi"),
        (list[date], ["2024-01-02"], [date(2024, 1, 2)]),
        (int, "5", 5),
        (float, 5, 5.0),
        (int | str, "5", "5"),
        (Annotated[int, "years"], "5", 5),
    ],
)
def test_what_json_has_no_word_for_is_made(kind: Any, value: Any, made: Any) -> None:
    found = convert_arguments(taking(kind), {"given": value}).named["given"]

    assert found == made
    assert type(found) is type(made)


@pytest.mark.parametrize(
    ("kind", "value"),
    [
        (str, 5),
        (list[int], "many"),
        (dict[str, int] | None, [1]),
        (Literal["a"], "b"),
        (Annotated[str, "a name"], 5),
        (Any, {"a": 1}),
        (Unknown, {"a": 1}),
        (Path, 5),
        (date | str, "2024-01-02"),
    ],
)
def test_what_json_can_say_and_what_nobody_can_make_stays_as_it_is(kind: Any, value: Any) -> None:
    assert convert_arguments(taking(kind), {"given": value}).named == {"given": value}


@pytest.mark.parametrize(
    ("kind", "value", "problem"),
    [
        (date, "tomorrow", "given: Invalid RFC3339 encoded date"),
        (set[int], ["a"], "given: Expected `int`"),
    ],
)
def test_what_cannot_be_made_is_an_error_that_names_the_argument(
    kind: Any, value: Any, problem: str
) -> None:
    with pytest.raises(ValueError, match=problem):
        convert_arguments(taking(kind), {"given": value})


def test_nothing_for_a_parameter_that_is_nothing_by_default_is_left_out() -> None:
    def ask(when: date = None) -> None:  # type: ignore[assignment]  # noqa: RUF013  (as many write it)
        """Ask."""

    assert convert_arguments(ask, {"when": None}) == BoundArguments((), {})


def test_what_is_taken_by_place_is_given_by_place() -> None:
    def ask(a: int, b: date | None, /, c: int = 1, **others: Any) -> None:
        """Ask."""

    found = convert_arguments(ask, {"c": 3, "b": "2024-01-02", "a": "1", "d": 4})

    assert found == BoundArguments((1, date(2024, 1, 2)), {"c": 3, "d": 4})
    assert convert_arguments(ask, {"b": None}) == BoundArguments((), {"b": None})
    assert convert_arguments(math.sqrt, {"x": 4}) == BoundArguments((4,), {})


def test_a_function_that_names_no_parameters_is_given_all_by_place() -> None:
    assert convert_arguments(max, {"a": 1, "b": 2}) == BoundArguments((1, 2), {})


def test_a_function_with_arguments_filled_in_has_its_annotations() -> None:
    def ask(a: int, when: date) -> None:
        """Ask."""

    found = convert_arguments(partial(partial(ask), 1), {"when": "2024-01-02"})

    assert found.named == {"when": date(2024, 1, 2)}

"""How patient we are with a model, and how fast it may be asked."""

from __future__ import annotations

import asyncio
from typing import Any

import pytest

from callscore import InvalidSettings
from callscore.models.limits import (
    DEFAULT_LIMITS,
    Limits,
    Rate,
    limits_for,
    parse_rate,
    run_limits,
)


@pytest.fixture
def clock(monkeypatch: pytest.MonkeyPatch) -> list[float]:
    """A clock that stands still; its first item is the time."""
    now = [100.0]
    monkeypatch.setattr("callscore.models.limits.time.monotonic", lambda: now[0])
    return now


def test_turns_are_spread_evenly_over_the_period(clock: list[float]) -> None:
    rate = Rate(4, 2.0)

    assert [rate.reserve() for _ in range(4)] == [0.0, 0.5, 1.0, 1.5]

    clock[0] += 10
    assert [rate.reserve() for _ in range(2)] == [0.0, 0.5]


def test_who_comes_first_goes_first() -> None:
    rate = Rate(1000)
    order: list[int] = []

    async def come(number: int) -> None:
        await rate.wait()
        order.append(number)

    async def main() -> None:
        await asyncio.gather(*(come(number) for number in range(5)))

    asyncio.run(main())
    assert order == [0, 1, 2, 3, 4]


@pytest.mark.parametrize(
    "given",
    [
        (0,),
        (-1,),
        (float("nan"),),
        (float("inf"),),
        (1, 0),
        ("5",),
        (True,),
        (1, 3601),
        (0.9, 3600),
    ],
)
def test_what_is_no_rate_is_refused(given: tuple[Any, ...]) -> None:
    with pytest.raises(InvalidSettings, match="rate: "):
        Rate(*given)


@pytest.mark.parametrize(
    ("text", "starts", "seconds"),
    [
        ("10", 10, 1),
        ("10/s", 10, 1),
        (" 500 / m ", 500, 60),
        ("1000/h", 1000, 3600),
        ("0.5", 0.5, 1),
    ],
)
def test_a_rate_is_written_as_people_do(text: str, starts: float, seconds: float) -> None:
    rate = parse_rate(text)

    assert (rate.starts, rate.seconds) == (starts, seconds)
    assert repr(rate) == f"Rate({starts:g}, {seconds:g})"


@pytest.mark.parametrize("text", ["", "fast", "10/d", "1e3", "-1", "10/s/s", "٣"])
def test_another_way_to_write_a_rate_is_refused_with_an_example(text: str) -> None:
    with pytest.raises(InvalidSettings, match="is not like '10/s'"):
        parse_rate(text)


@pytest.mark.parametrize(
    "given",
    [
        {"retries": -1},
        {"retries": True},
        {"timeout": "5"},
        {"timeout": True},
        {"rate": 5},
        {"retries": 1.5},
        {"timeout": 0},
        {"timeout": float("nan")},
    ],
)
def test_limits_that_make_no_sense_are_refused(given: dict[str, Any]) -> None:
    with pytest.raises(InvalidSettings):
        Limits(**given)


def test_no_timeout_is_a_limit_like_any_other() -> None:
    assert Limits(timeout=None).timeout is None


def test_a_chat_has_its_own_limits_those_of_the_run_or_the_usual_ones() -> None:
    run, own = Limits(retries=5), Limits(retries=1)

    assert limits_for(None) is DEFAULT_LIMITS
    assert limits_for(own) is own
    token = run_limits.set(run)
    try:
        assert limits_for(None) is run
        assert limits_for(own) is own
    finally:
        run_limits.reset(token)


def test_the_rate_of_the_run_holds_for_everybody_without_one() -> None:
    slow, own = Rate(1), Rate(2)
    token = run_limits.set(Limits(rate=slow))
    try:
        assert limits_for(Limits(retries=1)) == Limits(retries=1, rate=slow)
        assert limits_for(Limits(rate=own)).rate is own
    finally:
        run_limits.reset(token)

"""What is expected becomes data as answers do: whatever a value is, it equals itself."""

from __future__ import annotations

import asyncio
from datetime import date
from decimal import Decimal
from enum import Enum
from math import inf, nan
from pathlib import Path
from typing import TYPE_CHECKING, Any
from uuid import UUID

import pytest
from tests.runner.agents import a_case, a_plan, a_question

from callscore import expect
from callscore.models.limits import Limits
from callscore.runner.answer_scoring import score_answer
from callscore.runner.answers import with_plain_expected
from callscore.runner.asking import ask
from callscore.runner.rescoring import rescore
from callscore.runner.running import run

if TYPE_CHECKING:
    from callscore.history.store import Store


class Colour(Enum):
    RED = "red"


VALUES = [
    date(2026, 1, 2),
    Decimal("1.50"),
    UUID(int=7),
    {3},
    b"bytes",
    Colour.RED,
    {1: 2},
    nan,
    inf,
    "half \ud800",
    Path("a/b"),
    (1, [date(2026, 1, 2)]),
]


@pytest.mark.parametrize("value", VALUES, ids=repr)
def test_every_value_equals_itself_now_and_when_it_is_scored_again(
    store: Store, value: Any
) -> None:
    calls = [{"name": "book", "arguments": {"day": value, "more": {"days": [value]}}}]
    plan = a_plan(lambda _: calls, a_case(expected=calls))

    found = run(plan, store=store)
    again = rescore(store, store.find("latest"))

    assert [each.evaluations[0].passed for each in (found, again)] == [1, 1]


def test_values_within_rules_become_data_too() -> None:
    day = date(2026, 1, 2)
    case = a_case(expected=[expect.call("book", day=expect.one_of(day, "now"), seats=2)])
    question = a_question(lambda _: [{"name": "book", "arguments": {"day": day, "seats": 2}}], case)

    async def outcome() -> Any:
        answer: Any = await ask(question, Limits())
        return await score_answer(question, answer)

    found = asyncio.run(outcome())
    assert found.passed


def test_what_expects_nothing_or_only_data_stays_as_it_is() -> None:
    assert with_plain_expected(a_case(expected=None)).expected is None

    case = a_question(list).case
    assert with_plain_expected(case) == case


def test_what_is_no_data_stays_what_it_is() -> None:
    case = a_question(list, a_case(expected=[{"name": "f", "arguments": {"x": print}}])).case

    (call,) = with_plain_expected(case).expected or ()
    assert call.arguments == {"x": print}

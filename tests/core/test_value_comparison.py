"""Values with rules in them, compared with plain values."""

from __future__ import annotations

from datetime import date
from math import nan
from typing import Any

from hypothesis import given
from hypothesis import strategies as st

from callscore.core.budget import Budget
from callscore.core.rules import ABSENT, Matcher
from callscore.core.settings import DEFAULT
from callscore.core.value_comparison import (
    compare_value,
    is_accepted,
    make_context,
)

ANY = Matcher("$any")
PARIS = Matcher("$contains", "Paris")


# What is said of a value of another type.


SIMPLE = st.sampled_from([0, 1, 1.0, True, None, "a", "ab", "\ud800", nan, date(2024, 1, 2)])
VALUES = st.recursive(
    SIMPLE,
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(st.sampled_from("ab"), inner),
    max_leaves=6,
)
RULES = st.sampled_from(
    [
        *(ANY, Matcher("$regex", "a"), Matcher("$regex", "^b"), Matcher("$absent"), PARIS),
        *(Matcher("$schema", {"type": "string"}), Matcher("$schema", {"minimum": 1})),
        *(Matcher("$schema", {"pattern": "^a", "type": ["string", "null"]}), Matcher("$gte", 1)),
        Matcher("$text", "A", {"similarity": 0.5}),
    ]
)
EXPECTED = st.recursive(
    RULES | SIMPLE,
    lambda inner: (
        st.lists(inner, max_size=3)
        | st.dictionaries(st.sampled_from("ab"), inner)
        | st.builds(Matcher, st.just("$optional"), inner)
        | st.builds(Matcher, st.just("$one_of"), st.lists(inner, min_size=1, max_size=3))
    ),
    max_leaves=6,
)


@given(EXPECTED, VALUES | st.just(ABSENT))
def test_a_value_is_accepted_exactly_if_its_verdict_matches(expected: Any, actual: Any) -> None:
    with_reasons, without = Budget(), Budget()

    verdict = compare_value(expected, actual, make_context(DEFAULT, with_reasons))

    assert is_accepted(expected, actual, make_context(DEFAULT, without)) == verdict.matched
    assert without.left == with_reasons.left

"""Which cases with hidden values can be scored again."""

from __future__ import annotations

from typing import Any

import msgspec
import pytest
from hypothesis import given
from hypothesis import strategies as st
from tests.hiding.encodings import ENCODINGS

from callscore import Case, Tool, expect, score
from callscore.core.call import ToolCall
from callscore.core.settings import Settings
from callscore.evaluations.scorers import scorers_from
from callscore.hiding.hider import Hider
from callscore.runner.hidden_values import hidden_value_problem
from callscore.words.plain_data import call_to_dict

MARKER = "[hidden 5f2c91ab90c4]"
CALLS = (ToolCall("f", {"k": f"Bearer {MARKER}", "n": 1}),)
TOOL = Tool("f", parameters={"properties": {"k": {"type": "string"}, "n": {"minimum": 1}}})


def problem(
    *expected: Any,
    calls: tuple[ToolCall, ...] = CALLS,
    tools: dict[str, Tool] | None = None,
    scorers: Any = ("accuracy",),
    **settings: Any,
) -> str | None:
    case = Case("q", id="a", expected=expected)
    return hidden_value_problem(case, calls, Settings(**settings), tools, scorers_from(scorers))


def judged(output: Any) -> float:
    return float(bool(output))


@pytest.mark.parametrize(
    "expected",
    [
        expect.call("f", k=MARKER, n=1),
        expect.call("f", k=expect.any(), n=expect.approx(1)),
        expect.call("f", k=expect.one_of(MARKER, "x")),
        expect.any_order(expect.call("f", k=MARKER), expect.call("g")),
    ],
)
def test_equality_can_be_decided(expected: Any) -> None:
    assert problem(expected, arguments={"*.k": "ignore", "f.n": "approx"}) is None
    assert problem(expected, mode="flexible", arrays="unordered", tools={"f": TOOL}) is None


@pytest.mark.parametrize(
    ("expected", "settings", "said"),
    [
        (expect.call("f", k=expect.regex("^Bearer")), {}, "$regex cannot be applied"),
        (expect.call("f", k="x"), {"arguments": {"*.k": "text"}}, "$text cannot be applied"),
        (expect.call("f", k="x"), {"top_k": 2}, "only the calls of the first answer"),
        (expect.call("f"), {"scorers": [judged]}, "the scorer judged would see a marker"),
        (
            expect.call("f"),
            {"tools": {"f": Tool("f", parameters={"properties": {"k": {"maxLength": 9}}})}},
            "the schema of f cannot check a hidden value",
        ),
        (
            expect.forbid("delete_*"),
            {"calls": (ToolCall(MARKER, {}),)},
            "patterns cannot be applied to a hidden value",
        ),
    ],
)
def test_rescoring_is_refused_for_a_case_that_depends_on_a_hidden_value(
    expected: Any, settings: Any, said: str
) -> None:
    found = problem(expected, **settings)

    assert found is not None
    assert found.startswith(("a secret is hidden in the", "a secret is hidden in an"))
    assert said in found
    assert found.endswith(
        "Run the case again with callscore run, or its file with callscore score."
    )


_ENCODED = st.sampled_from([*ENCODINGS.values()])
_SETTINGS: list[dict[str, Any]] = [
    {},
    {"mode": "flexible", "argument_match_threshold": 0.5},
    {"order": "exact", "arrays": "unordered"},
    {"nested_objects": "subset", "repeated_calls": "collapse"},
]
_SECRETS = {"A_KEY": 'first/secret"1', "B_TOKEN": "second-secret", "C_SECRET": "12345678"}
_TEXTS = st.sampled_from([*_SECRETS.values(), "plain", "[hidden 5f2c91ab90c4]", ""])
_LEAVES = st.one_of(
    st.builds(lambda one, encode, two: f"{one}{encode(one)}{two}", _TEXTS, _ENCODED, _TEXTS),
    _TEXTS,
    st.sampled_from([12345678, 12345678.0, 112345678, 1.5, 1, True, None]),
)
_VALUES = st.recursive(
    _LEAVES,
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(_TEXTS, inner, max_size=3),
    max_leaves=5,
)
_CALLS = st.lists(
    st.builds(ToolCall, st.sampled_from(["f", "second-secret"]), st.dictionaries(_TEXTS, _VALUES)),
    max_size=3,
)


@given(_CALLS, _CALLS, st.booleans(), st.sampled_from(_SETTINGS))
def test_hidden_values_give_the_score_of_the_real_ones(
    expected: list[ToolCall], actual: list[ToolCall], is_copied: bool, settings: dict[str, Any]
) -> None:
    actual = expected[::-1] if is_copied else actual
    with pytest.MonkeyPatch.context() as patch:
        for name, value in _SECRETS.items():
            patch.setenv(name, value)
        hide = Hider(is_live=True).data
        wanted, made = hide([[*map(call_to_dict, expected)], [*map(call_to_dict, actual)]])

    assert not any(secret in str([wanted, made]) for secret in _SECRETS.values())
    assert score(read(wanted), read(made), **settings).f1 == score(expected, actual, **settings).f1


def read(calls: list[dict[str, Any]]) -> list[ToolCall]:
    return msgspec.convert(calls, list[ToolCall], strict=False)

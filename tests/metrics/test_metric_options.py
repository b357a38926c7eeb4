"""What metrics can be told on the command line."""

from __future__ import annotations

import inspect
from typing import TYPE_CHECKING, Any, Literal

import pytest

from callscore.errors import InvalidSettings
from callscore.metrics.metric import (
    Option,
    convert_option,
    describe_choices,
    options_of,
    parse_options,
    python_options_of,
    takes_tools,
)
from callscore.metrics.registry import headline_metrics, metric_providers

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping

    from callscore.metrics.metric import Metric
    from callscore.parity.parameters import Calls

Match = Literal["exact", "ignore"]


def metric(  # noqa: PLR0913  (an option of every kind)
    expected: Calls,
    actual: Calls,
    *,
    match: Match = "exact",
    strict: bool = False,
    threshold: float | None = None,
    compare: Callable[[Any, Any], bool] | None = None,
    weights: dict[str, float] | None = None,
    nothing: None = None,
    tools: Mapping[str, Any] | None = None,
) -> float:
    """A metric."""
    raise NotImplementedError


def needy(expected: Calls, actual: Calls, *, tool: str) -> float:
    """A metric that must be told something."""
    raise NotImplementedError


def test_words_and_numbers_can_be_told_on_the_command_line() -> None:
    assert options_of(metric) == (
        Option("match", Match, "exact"),
        Option("strict", bool, default=False),
        Option("threshold", float | None, None),
    )


def test_what_else_there_is_only_python_can_tell() -> None:
    assert [option.name for option in python_options_of(metric)] == [
        "compare",
        "weights",
        "nothing",
    ]


def test_the_tools_are_nothing_that_somebody_tells() -> None:
    assert takes_tools(metric)
    assert not takes_tools(needy)


def test_an_option_may_be_required() -> None:
    (option,) = options_of(needy)

    assert option.is_required


@pytest.mark.parametrize(
    ("kind", "choices"),
    [
        (bool, "true | false"),
        (Match, "exact | ignore"),
        (int | None, "a whole number | null"),
        (float, "a number"),
        (str, "text"),
        (Literal["all"] | float, "all | a number"),
    ],
)
def test_what_an_option_can_be_is_said_in_words(kind: Any, choices: str) -> None:
    assert describe_choices(kind) == choices


@pytest.mark.parametrize(
    ("text", "kind", "value"),
    [
        ("true", bool, True),
        ("0", bool, False),
        ("2", int, 2),
        ("0.5", float | None, 0.5),
        ("null", float | None, None),
        ("ignore", Match, "ignore"),
    ],
)
def test_text_becomes_a_value(text: str, kind: Any, value: Any) -> None:
    assert convert_option("x.y:z", text, kind) == value


@pytest.mark.parametrize("text", ["nan", "inf", "-Infinity", "1e999"])
def test_what_is_not_finite_is_no_value(text: str) -> None:
    with pytest.raises(InvalidSettings, match="it can be a number"):
        convert_option("x.y:z", text, float)


def test_options_are_written_with_commas_between_them() -> None:
    given = "match=ignore,strict=true,threshold=0.5"

    assert parse_options("x.y", given, metric) == {
        "match": "ignore",
        "strict": True,
        "threshold": 0.5,
    }
    assert parse_options("x.y", None, metric) == {}
    assert parse_options("x.y", "tool=mcp:search", needy) == {"tool": "mcp:search"}


@pytest.mark.parametrize(
    ("given", "problem"),
    [
        ("", r"x\.y: an option is missing behind a colon or a comma\. `callscore metrics x\.y`"),
        ("strict=true,", "an option is missing"),
        ("strict=true,strict=false", r"x\.y: strict is given twice\."),
        ("strict=true:match=ignore", r"x\.y:strict=true:match=ignore: separate options with a co"),
        ("threshold=1:2", r"it can be a number \| null\. Separate options with a comma\."),
        ("strict", r"x\.y:strict: say what it is"),
        ("strikt=true", r"has no option 'strikt'\. Is 'strict' meant\?"),
        ("compare=f", "has no option 'compare'"),
    ],
)
def test_what_is_written_otherwise_is_refused_with_a_hint(given: str, problem: str) -> None:
    with pytest.raises(InvalidSettings, match=problem):
        parse_options("x.y", given, metric)


def test_what_must_be_told_is_asked_for() -> None:
    def python(*_: Any, weigh: Callable[[], int]) -> float:
        raise NotImplementedError

    with pytest.raises(InvalidSettings, match=r"x\.y must be told tool: x\.y:tool="):
        parse_options("x.y", None, needy)
    with pytest.raises(InvalidSettings, match=r"x\.y must be told weigh in Python\."):
        parse_options("x.y", None, python)


def test_a_value_that_cannot_be_is_refused_with_those_that_can() -> None:
    with pytest.raises(InvalidSettings, match=r"x\.y:z=no: it can be exact \| ignore\."):
        convert_option("x.y:z", "no", Match)


ALL = [
    pytest.param(function, id=f"{peer.name}.{name}")
    for peer in metric_providers()
    for name, function in peer.metrics.items()
]


@pytest.mark.parametrize("function", ALL)
def test_every_word_or_number_that_a_metric_takes_can_be_told_by_text(
    function: Callable[..., float | None],
) -> None:
    parameters = inspect.signature(function).parameters.values()
    simple = {
        parameter.name
        for parameter in parameters
        if isinstance(parameter.default, bool | int | float | str)
    }

    assert simple <= {option.name for option in options_of(function)}


@pytest.mark.parametrize("function", ALL)
def test_what_a_metric_must_be_told_can_be_told_by_text(
    function: Callable[..., float | None],
) -> None:
    assert not any(option.is_required for option in python_options_of(function))


@pytest.mark.parametrize("known_for", headline_metrics(), ids=lambda metric: metric.name)
def test_what_a_tool_is_known_for_needs_nothing_but_the_two_sides(known_for: Metric) -> None:
    assert not any(option.is_required for option in options_of(known_for.function))

"""How a function of another tool is asked."""

from __future__ import annotations

from typing import Any, Literal

import pytest

from callscore.cli.metrics import command_examples, option_text, python_examples
from callscore.metrics.registry import find_metric_function


def _with(kind: Any, default: Any, name: str = "it") -> Any:
    def metric(expected: Any, actual: Any, **_: Any) -> float:
        raise NotImplementedError

    from inspect import Parameter, Signature

    given = {} if default is ... else {"default": default}
    parameters = [
        Parameter("expected", Parameter.POSITIONAL_OR_KEYWORD),
        Parameter("actual", Parameter.POSITIONAL_OR_KEYWORD),
        Parameter(name, Parameter.KEYWORD_ONLY, annotation=kind, **given),
    ]
    metric.__signature__ = Signature(parameters)  # type: ignore[attr-defined]  # what inspect reads
    return metric


@pytest.mark.parametrize(
    ("kind", "default", "value"),
    [
        (bool, True, "false"),
        (bool, False, "true"),
        (int, 1, "2"),
        (int | None, None, "1"),
        (float, 1.0, "0.5"),
        (float, 0.5, "0.25"),
        (Literal["a", "b"], "a", "b"),
        (Literal["a"] | float, "a", "0.5"),
        (str, "word", "get_weather"),
        (Literal["a"], "a", "a"),
    ],
)
def test_an_example_tells_a_metric_something_that_is_not_the_default(
    kind: Any, default: Any, value: str
) -> None:
    plain, told = command_examples("x.y", _with(kind, default))

    assert plain == "callscore score cases.jsonl --metric x.y"
    assert told == f"{plain}:it={value}"


@pytest.mark.parametrize(
    ("name", "kind", "value"),
    [("tool_name", str, "get_weather"), ("text", str, "word"), ("least", int, "1")],
)
def test_what_must_be_told_is_told(name: str, kind: Any, value: str) -> None:
    (told,) = command_examples("x.y", _with(kind, ..., name))

    assert told.endswith(f" --metric x.y:{name}={value}")


def test_without_options_there_is_one_command() -> None:
    _, function = find_metric_function("ragas.tool_call_f1")

    assert command_examples("ragas.tool_call_f1", function) == [
        "callscore score cases.jsonl --metric ragas.tool_call_f1"
    ]


def test_what_is_no_metric_is_given_what_it_cannot_do_without() -> None:
    peer, function = find_metric_function("tau_bench.pass_hat_k")

    assert python_examples(peer, "pass_hat_k", function) == [
        "from callscore.parity import tau_bench",
        "",
        "tau_bench.pass_hat_k(rewards_by_task, k)",
    ]


@pytest.mark.parametrize(
    ("value", "text"), [("a", "a"), (True, "true"), (None, "null"), (0.5, "0.5")]
)
def test_a_value_is_written_as_the_command_line_has_it(value: Any, text: str) -> None:
    assert option_text(value) == text

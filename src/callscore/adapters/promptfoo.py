"""An assertion for promptfoo: `get_assert(output, context)`, which needs no package of Python.

A file of the user imports it, and the configuration of promptfoo names that file. Tested with the
version in `requirements/stacks/promptfoo.npm.txt`.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any, TypedDict, Unpack

from msgspec.json import encode

from callscore.adapters.scored import (
    AdapterOptions,
    Places,
    check_options,
    reference_in,
    sample_scorer,
    score_output,
)

__all__ = ["GradingResult", "get_assert", "tool_calls"]

_EXPECTED = "expected"
_PLACES = Places("test", "'expected' in the config of the assertion", "its vars")
_ADVICE = (
    "Let the provider return the calls or the messages of the agent. If an answer in words means that "
    "no tool was called, set 'text_is_no_call: true' in the config of the assertion."
)


GradingResult = TypedDict(
    "GradingResult",
    {"pass": bool, "score": float, "reason": str, "namedScores": dict[str, float]},
)
GradingResult.__doc__ = "What promptfoo expects from an assertion in Python."


def get_assert(output: Any, context: Mapping[str, Any]) -> GradingResult:
    """The assertion whose options are in its `config`, beside the expected calls.

    Raises:
        InvalidSettings: an option is unknown or has an invalid value. promptfoo shows errors as the
            reason of a failed assertion.
        InvalidCall: the calls cannot be read.
    """
    options = {key: value for key, value in _config(context).items() if key != _EXPECTED}
    return tool_calls(**options)(output, context)


def tool_calls(
    *,
    name: str = "tool_calls",
    expected_key: str | None = None,
    text_is_no_call: bool = False,
    **options: Unpack[AdapterOptions],
) -> Callable[[Any, Mapping[str, Any]], GradingResult]:
    """An assertion with options of its own, which a file of the user names `get_assert`.

    Args:
        name: the name of the metric.
        expected_key: the variable with the expected calls; by default one of `REFERENCE_KEYS`, unless
            they are under `expected` in the `config` of the assertion.
        text_is_no_call: whether a provider that answers in words called no tool. By default that is
            an error, because an agent may have called tools before its answer.
        **options: as for `callscore.score`.

    Raises:
        InvalidSettings: an option is unknown or has an invalid value.
    """
    check_options(options, "text_is_no_call")
    score_sample = sample_scorer(expected_key, **options)

    def assertion(output: Any, context: Mapping[str, Any]) -> GradingResult:
        expected = _expected(context, expected_key)
        actual = _actual(output, context, text_is_no_call=text_is_no_call)
        scored = score_output(score_sample, expected, actual, _ADVICE)
        return {
            "pass": scored.passed,
            "score": scored.value,
            "reason": scored.explanation,
            "namedScores": {
                name: scored.value,
                f"{name}_precision": scored.score.precision,
                f"{name}_recall": scored.score.recall,
            },
        }

    return assertion


def _config(context: Mapping[str, Any]) -> Mapping[str, Any]:
    return context.get("config") or {}


def _expected(context: Mapping[str, Any], key: str | None) -> Any:
    """The expected calls as text, in which keys that begin with `$` are rules, as in other files."""
    config, variables = _config(context), context.get("vars") or {}
    if _EXPECTED in config and key is None:
        return _as_text(config[_EXPECTED])
    found = reference_in(None, variables, key=key, places=_PLACES)
    return {name: _as_text(value) for name, value in found.items()}


def _as_text(value: Any) -> Any:
    return value if value is None or isinstance(value, str) else encode(value)


def _actual(output: Any, context: Mapping[str, Any], *, text_is_no_call: bool) -> Any:
    """The output, or the whole answer of a provider that lists the calls of an agent."""
    response = context.get("providerResponse")
    metadata = response.get("metadata") if isinstance(response, dict) else None
    if isinstance(metadata, dict) and isinstance(metadata.get("toolCalls"), list):
        return {"vars": {}, "prompt": {}, "response": response, "testCase": {}}
    if text_is_no_call and isinstance(output, str):
        return [{"role": "assistant", "content": output}]
    return output

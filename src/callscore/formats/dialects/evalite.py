"""Evalite results (`evalite --outputPath results.json`)."""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING, Any

from callscore.core.call import NOT_CAPTURED, ToolCall
from callscore.formats.reading import inner_finder
from callscore.formats.shape import at, dicts, integer_of, json_of, text_of
from callscore.formats.signs import Signs
from callscore.formats.trace import ReadOptions, Trace
from callscore.formats.transcript import Transcript

if TYPE_CHECKING:
    from callscore.formats.dialect import Dialect

    _Find = Callable[[Any], Dialect | None]

ORDER = 455
_EXAMPLE_INPUT = {"city": "Paris"}
EXAMPLE = {
    "run": {"id": 1, "runType": "full", "createdAt": "2026-01-01T00:00:00.000Z"},
    "suites": [
        {
            "id": 1,
            "name": "Weather",
            "filepath": "/project/weather.eval.ts",
            "evals": [
                {
                    "id": 1,
                    "input": "What is the weather in Paris?",
                    "output": [
                        {
                            "role": "assistant",
                            "content": [
                                {
                                    "type": "tool-call",
                                    "toolCallId": "call_1",
                                    "toolName": "get_weather",
                                    "input": _EXAMPLE_INPUT,
                                }
                            ],
                        }
                    ],
                    "expected": {
                        "referenceToolCalls": [{"toolName": "get_weather", "input": _EXAMPLE_INPUT}]
                    },
                    "colOrder": 0,
                    "scores": [],
                }
            ],
        }
    ],
}
SIGNS = Signs(keys=("suites",), item_keys=())


def recognizes(document: Any) -> bool:
    """Whether it has suites of evals, beside the run that they are of."""
    suites = at(document, "suites")
    if not isinstance(suites, list) or not isinstance(at(document, "run"), dict):
        return False
    return bool(suites) and all(isinstance(at(suite, "evals"), list) for suite in suites)


def read(document: Any, options: ReadOptions) -> list[Trace]:
    """One run per eval; what the scorer toolCallAccuracy takes as reference is expected."""
    find = inner_finder(options)
    return [
        Trace(
            calls=_calls_in(one.get("output"), options, find),
            expected=_expected(at(one, "expected", "referenceToolCalls"), options),
            id=_id(suite, one),
            input=one.get("input"),
        )
        for suite in dicts(at(document, "suites"))
        for one in dicts(suite.get("evals"))
    ]


def _id(suite: dict[str, Any], one: dict[str, Any]) -> str | None:
    """The position in the suite: the ids of evals are others in every run."""
    position = integer_of(one.get("colOrder"))
    name = text_of(suite.get("name"))
    return None if position is None or not name else f"{name}-{position + 1}"


def _calls_in(output: Any, options: ReadOptions, find: _Find) -> tuple[ToolCall, ...]:
    """The calls in what a task returned: messages of the AI SDK, or any other document."""
    document = json_of(output)
    dialect = find(document) if isinstance(document, dict | list) and document else None
    traces = dialect.read(document, options) if dialect else []
    return tuple([call for trace in traces for call in trace.any_calls])


def _expected(calls: Any, options: ReadOptions) -> tuple[ToolCall, ...] | None:
    if not isinstance(calls, list):
        return None
    transcript = Transcript(options)
    for call in dicts(calls):
        value = call.get("input")
        # The scorer accepts any arguments for a call without input.
        error = NOT_CAPTURED if value is None else None
        transcript.call(call.get("toolName"), value, error=error)
    return transcript.calls()

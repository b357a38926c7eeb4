"""DeepEval test cases, goldens and datasets (single-turn, conversational)."""

from __future__ import annotations

from typing import Any

from callscore.core.call import NOT_CAPTURED, ToolCall
from callscore.formats.shape import at, dicts, first, text_of
from callscore.formats.signs import Signs
from callscore.formats.trace import ReadOptions, Trace
from callscore.formats.transcript import Transcript

ORDER = 440
EXAMPLE = {
    "input": "What is the weather in Paris?",
    "actual_output": "It is 18 °C.",
    "tools_called": [
        {"name": "get_weather", "input_parameters": {"city": "Paris"}, "output": "18 °C"}
    ],
    "expected_tools": [{"name": "get_weather", "input_parameters": {"city": "Paris"}}],
}
_CALLED = ("tools_called", "toolsCalled")
_MCP = ("mcp_tools_called", "mcpToolsCalled")
_EXPECTED = ("expected_tools", "expectedTools")
_ARGUMENTS = ("input_parameters", "inputParameters")
_KEYS = (*_CALLED, *_EXPECTED, *_MCP)
_OUTPUT = ("actual_output", "actualOutput")
_DATASETS = ("goldens", "testCases", "test_cases", "conversationalTestCases")
_MARKS = frozenset((*_DATASETS, "testRunData", "turns", "input"))  # every document has one of them
SIGNS = Signs(keys=(*_DATASETS, "testRunData", "turns", *_KEYS), item_keys=("turns", *_KEYS))


def recognizes(document: Any) -> bool:
    """Whether it is a test case or golden with a place for tools, or a dataset of them."""
    if isinstance(document, dict) and _MARKS.isdisjoint(document):
        return False
    cases = _cases(document)
    return bool(cases) and all(map(_is_case, cases))


def _cases(document: Any) -> list[Any]:
    """The cases of a dataset or of a test run; any other document is one case."""
    if isinstance(document, list):
        return document
    if not isinstance(document, dict):
        return []
    run = document.get("testRunData", document)
    held = [run.get(key) for key in _DATASETS] if isinstance(run, dict) else []
    lists = [cases for cases in held if isinstance(cases, list)]
    return [case for cases in lists for case in cases] if lists else [document]


def _is_case(case: Any) -> bool:
    if not isinstance(case, dict):
        return False
    if "llmSpans" in case:  # a trace, which repeats its calls in a list
        return False
    turns = dicts(case["turns"]) if "turns" in case else []
    if turns:
        return any(key in turn for turn in turns for key in (*_CALLED, *_MCP))
    return isinstance(case.get("input"), str) and any(key in case for key in _KEYS)


def read(document: Any, options: ReadOptions) -> list[Trace]:
    """One run per case; a golden that was not run yet only says what is expected."""
    return [_read_case(case, options) for case in dicts(_cases(document))]


def _read_case(case: dict[str, Any], options: ReadOptions) -> Trace:
    transcript = Transcript(options)
    turns = dicts(case.get("turns"))
    for turn in turns:
        transcript.role(turn.get("role"))
        if turn.get("role") == "assistant":
            transcript.step()
            _take_tools(turn, transcript)
    if not turns:
        _take_tools(case, transcript)
    was_run = bool(turns) or first(case, *_CALLED, *_MCP, *_OUTPUT) is not None
    return Trace(
        calls=transcript.calls() if was_run else None,
        expected=_read_expected(first(case, *_EXPECTED), options),
        id=text_of(case.get("name")) or None,
        input=first(case, "input", "scenario"),
    )


def _take_tools(case: dict[str, Any], transcript: Transcript) -> None:
    for call in dicts(first(case, *_CALLED)):
        transcript.call(call.get("name"), first(call, *_ARGUMENTS))
        transcript.result(call.get("output"))
    for call in dicts(first(case, *_MCP)):
        transcript.call(call.get("name"), call.get("args"), kind="mcp")
        result = call.get("result")
        content, failed = at(result, "content"), first(result, "isError", "is_error")
        transcript.result(result if content is None else content, failed=failed)


def _read_expected(tools: Any, options: ReadOptions) -> tuple[ToolCall, ...] | None:
    if not isinstance(tools, list):
        return None
    transcript = Transcript(options)
    for call in dicts(tools):
        arguments = first(call, *_ARGUMENTS)
        # An expected call without arguments accepts any.
        error = NOT_CAPTURED if arguments is None else None
        transcript.call(call.get("name"), arguments, error=error)
    return transcript.calls()

"""promptfoo results (any provider): outputs, exports and shared evaluations."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from typing import TYPE_CHECKING, Any

from msgspec import Struct

from callscore.core.call import Tool, ToolCall
from callscore.formats.definitions import read_definitions
from callscore.formats.reading import inner_finder
from callscore.formats.shape import as_list, at, dicts, first, integer_of, json_of, name_of
from callscore.formats.signs import Signs
from callscore.formats.trace import ReadOptions, Trace
from callscore.formats.transcript import Transcript

if TYPE_CHECKING:
    from callscore.formats.dialect import Dialect

    _Find = Callable[[Any], Dialect | None]

ORDER = 450
_EXAMPLE_CALL = {
    "id": "call_1",
    "type": "function",
    "function": {"name": "get_weather", "arguments": '{"city": "Paris"}'},
}
EXAMPLE = {
    "evalId": "eval-abc-2026-01-01T00:00:00",
    "results": {
        "version": 3,
        "results": [
            {
                "promptIdx": 0,
                "testIdx": 0,
                "success": True,
                "prompt": {"raw": "What is the weather in Paris?", "label": "weather"},
                "vars": {"city": "Paris"},
                "response": {"output": [_EXAMPLE_CALL]},
                "testCase": {
                    "vars": {"city": "Paris"},
                    "assert": [{"type": "tool-call-f1", "value": ["get_weather"]}],
                },
            }
        ],
    },
}


class _Answer(Struct, frozen=True, gc=False):
    """What a provider answered, with an output."""

    response: dict[str, Any]


# The answer, the test case, the prompt, and the numbers of the test and of the column.
_Output = tuple[_Answer | None, Any, Any, tuple[int, int | None]]
_ROW_KEYS = ("gradingResult", "namedScores", "promptIdx", "testCase")
_MARKS = frozenset(("vars", "results", "table", "body"))  # of a row, of many, of two tables
_RESPONSES = ("response", "providerResponse")  # of a shared evaluation, in newer versions
SIGNS = Signs(
    keys=("vars", "results", "table", "head", "data"), item_keys=("testCase", "promptIdx")
)


def recognizes(document: Any) -> bool:
    """Whether it has results with a prompt and a response each, or a table of outputs."""
    document = _unwrapped(document)
    if not isinstance(document, dict) or _MARKS.isdisjoint(document):
        return False
    return _is_row(document) or _is_row(at(_rows(document), 0)) or _table(document) is not None


def _unwrapped(document: Any) -> Any:
    """The evaluation, without what is around one that was shared."""
    held = at(document, "data")
    return held if isinstance(held, dict) and "results" in held else document


def _rows(document: Any) -> Any:
    """The results, one level deeper in some versions."""
    results = at(document, "results")
    return at(results, "results") if isinstance(results, dict) else results


def _is_row(row: Any) -> bool:
    return (
        any(isinstance(at(held, "vars"), dict) for held in (row, at(row, "testCase")))
        and "prompt" in row
        and any(key in row for key in (*_RESPONSES, "error"))
        and any(key in row for key in _ROW_KEYS)
    )


def _table(document: Any) -> Any:
    """The table of outputs of older versions and of the viewer."""
    for table in (document, at(document, "table"), at(document, "results", "table")):
        body = at(table, "body")
        if isinstance(at(table, "head", "prompts"), list) and isinstance(body, list):
            return table
    return None


def read(document: Any, options: ReadOptions) -> list[Trace]:
    """One run per result: a test case with one prompt and one provider."""
    find = inner_finder(options)
    document = _unwrapped(document)
    rows = [document] if _is_row(document) else _rows(document)
    outputs = _row_outputs(dicts(rows)) if dicts(rows) else _table_outputs(_table(document))
    return [
        Trace(
            calls=None if output is None else _calls_of(output, options, find),
            expected=_expected(at(test, "assert")),
            id=name_of(at(test, "vars", "id")) or str(number),
            trial=column,
            input=asked or at(test, "vars"),
        )
        for output, test, asked, (number, column) in outputs
    ]


def _row_outputs(rows: list[dict[str, Any]]) -> Iterator[_Output]:
    for position, row in enumerate(rows):
        test, response = row.get("testCase"), first(row, *_RESPONSES)
        number = integer_of(row.get("testIdx"))
        yield (
            _Answer(response) if isinstance(response, dict) and "output" in response else None,
            test if isinstance(test, dict) else {"vars": row.get("vars")},
            first(row.get("prompt"), "raw"),
            (position if number is None else number, integer_of(row.get("promptIdx"))),
        )


def _table_outputs(table: Any) -> Iterator[_Output]:
    for position, line in enumerate(dicts(at(table, "body"))):
        number = integer_of(line.get("testIdx"))
        for column, cell in enumerate(dicts(line.get("outputs"))):
            place = (position if number is None else number, column)
            text = cell.get("text")
            answer = None if text is None else _Answer({"output": text})
            yield answer, line.get("test"), cell.get("prompt"), place


def _calls_of(answer: _Answer, options: ReadOptions, find: _Find) -> tuple[ToolCall, ...]:
    """The calls of an answer: those that an agent lists, or those in its output.

    An output has no calls if the provider has executed them; then the raw answer may have them.
    """
    response = answer.response
    listed = _listed(at(response, "metadata", "toolCalls"), options)
    if listed:
        known = {call.id for call in listed}
        others = _calls_in(response.get("output"), options, find)
        return (*listed, *[call for call in others if call.id is not None and call.id not in known])
    calls = _calls_in(response.get("output"), options, find)
    raw = json_of(response.get("raw"))
    return calls or (_calls_in(raw, options, find) if isinstance(raw, dict) else ())


def _listed(items: Any, options: ReadOptions) -> tuple[ToolCall, ...]:
    """The calls of an agent, with their results; those with a parent are of another one."""
    transcript = Transcript(options)
    for item in dicts(items):
        caller = "subagent" if item.get("parentToolUseId") else None
        value = first(item, "input", "arguments", "args")
        transcript.call(first(item, "name", "toolName"), value, item.get("id"), caller=caller)
        result = first(item, "output", "result")
        if result is not None:
            failed = first(item, "is_error", "isError")
            transcript.result(result, item.get("id"), failed=failed)
    return transcript.calls()


def _calls_in(output: Any, options: ReadOptions, find: _Find) -> tuple[ToolCall, ...]:
    """The calls in the output of a provider; none if no format recognizes it."""
    value = json_of(output)
    for documents in ([value], *_readings(value)):
        traces = []
        for document in documents:
            dialect = find(document)
            if dialect is not None:
                traces += dialect.read(document, options)
        if traces:
            return tuple([call for trace in traces for call in trace.any_calls])
    return ()


def _readings(value: Any) -> list[list[Any]]:
    """The documents that may be in an output that is not a document itself."""
    if isinstance(value, str):  # objects on lines of their own, between lines of text
        lines = [json_of(line) for line in value.splitlines() if line[:1] in ("{", "[")]
        objects, lists = dicts(lines), [line for line in lines if isinstance(line, list)]
        return [[objects], objects, lists] if lines else []
    parts = as_list(value)
    if any(first(part, "functionCall", "function_call") for part in parts):  # Gemini's, alone
        return [[{"candidates": [{"content": {"role": "model", "parts": parts}}]}]]
    return [parts] if isinstance(value, list) else []


def _expected(assertions: Any) -> tuple[ToolCall, ...] | None:
    """The tools that a test case names, if there is just one such assertion."""
    found = [one.get("value") for one in dicts(assertions) if one.get("type") == "tool-call-f1"]
    if len(found) != 1:
        return None
    names = found[0].split(",") if isinstance(found[0], str) else found[0]
    # A brace is part of a template, and a slash part of a path.
    if not isinstance(names, list) or not all(
        isinstance(name, str) and name.strip() and not {"{", "/"} & set(name) for name in names
    ):
        return None
    return tuple([ToolCall(name.strip()) for name in names])


def read_tools(document: Any) -> list[Tool]:
    """The tools in the configuration of the providers."""
    providers = dicts(at(_unwrapped(document), "config", "providers"))
    settings = [one for provider in providers for one in (provider, *provider.values())]
    return [tool for one in settings for tool in read_definitions(at(one, "config", "tools"))]

"""Google ADK evaluations (eval sets, test files, eval results)."""

from __future__ import annotations

from collections import Counter
from typing import TYPE_CHECKING, Any

from callscore.formats.definitions import unique_tools
from callscore.formats.dialects.adk_events import take_events
from callscore.formats.families.gemini_content import (
    ContentReader,
    read_declarations,
    text_in_content,
)
from callscore.formats.shape import at, dicts, first, list_of, text_of
from callscore.formats.signs import Signs
from callscore.formats.trace import ReadOptions, Trace
from callscore.formats.transcript import Transcript

if TYPE_CHECKING:
    from callscore.core.call import Tool

ORDER = 320
_EXAMPLE_INVOCATION = {
    "user_content": {"role": "user", "parts": [{"text": "How is Paris?"}]},
    "intermediate_data": {"tool_uses": [{"name": "get_weather", "args": {"city": "Paris"}}]},
}
EXAMPLE = {
    "eval_set_id": "weather",
    "eval_cases": [{"eval_id": "paris", "conversation": [_EXAMPLE_INVOCATION]}],
}
_CASES = ("eval_cases", "evalCases")
_ID = ("eval_id", "evalId")
_PLAN = ("conversation", "conversation_scenario", "conversationScenario")
_RESULTS = ("eval_case_results", "evalCaseResults")
_COMPARED = ("eval_metric_result_per_invocation", "evalMetricResultPerInvocation")
_ACTUAL = ("actual_invocation", "actualInvocation")
_EXPECTED = ("expected_invocation", "expectedInvocation")
_DATA = ("intermediate_data", "intermediateData")
_ASKED = ("user_content", "userContent")
_DETAILS = ("app_details", "appDetails")
_MARKS = frozenset((*_CASES, *_ID, *_RESULTS, "query", "data"))  # every document has one of them
SIGNS = Signs(keys=(*_CASES, *_RESULTS, *_ID), item_keys=(*_ID, "query", "data"))


def recognizes(document: Any) -> bool:
    """Whether it is an eval set, its cases, its results, or a test file from before these."""
    head = document[0] if isinstance(document, list) and document else document
    if not isinstance(head, dict) or _MARKS.isdisjoint(head):
        return False
    if isinstance(document, list):
        return any(
            all(map(kind, document)) for kind in (_is_case, _is_result, _is_turn, _is_old_case)
        )
    return (
        isinstance(first(document, *_CASES), list)
        or isinstance(first(document, *_RESULTS), list)
        or _is_case(document)
        or _is_result(document)
    )


def _is_case(item: Any) -> bool:
    return isinstance(first(item, *_ID), str) and isinstance(first(item, *_PLAN), list | dict)


def _is_result(item: Any) -> bool:
    return isinstance(first(item, *_ID), str) and isinstance(first(item, *_COMPARED), list)


def _is_turn(item: Any) -> bool:
    return isinstance(at(item, "query"), str) and any(
        isinstance(item.get(key), list) for key in ("expected_tool_use", "actual_tool_use")
    )


def _is_old_case(item: Any) -> bool:
    data = at(item, "data")
    return isinstance(data, list) and bool(data) and all(map(_is_turn, data))


def read(document: Any, options: ReadOptions) -> list[Trace]:
    """One trace for each case, or for each run of one. All its invocations are one conversation."""
    if isinstance(document, list) and any(map(_is_turn, document)):
        return [_read_turns(document, options)]
    items = _items_in(document)
    runs = Counter([_id_of(item) for item in items if _is_result(item)])
    seen: Counter[str | None] = Counter()
    traces = []
    for item in items:
        if not _is_result(item):
            traces.append(_read_case(item, options))
            continue
        name = _id_of(item)
        trial = seen[name] if runs[name] > 1 else None
        seen[name] += 1
        traces.append(_read_result(item, options, trial))
    return traces


def _items_in(document: Any) -> list[dict[str, Any]]:
    """The cases, or the results of cases, in a set or in a list, or a single one."""
    items = document if isinstance(document, list) else first(document, *_CASES, *_RESULTS)
    return dicts(items if isinstance(items, list) else [document])


def _id_of(item: dict[str, Any]) -> str | None:
    return text_of(first(item, *_ID))


def _read_case(case: dict[str, Any], options: ReadOptions) -> Trace:
    """What a case expects; None for a conversation that has not taken place."""
    if isinstance(case.get("data"), list):
        return _read_turns(case["data"], options, text_of(case.get("name")))
    conversation = case.get("conversation")
    if not isinstance(conversation, list):
        scenario = first(case, "conversation_scenario", "conversationScenario")
        asked = first(scenario, "starting_prompt", "startingPrompt")
        return Trace(id=_id_of(case), input=asked)
    expected = _transcript_of(conversation, options).expected()
    return Trace(expected=expected, id=_id_of(case), input=_questions_in(conversation))


def _read_result(result: dict[str, Any], options: ReadOptions, trial: int | None) -> Trace:
    """What was called in a run of a case, and what was expected, if that is known."""
    compared = dicts(first(result, *_COMPARED))
    actual = [first(pair, *_ACTUAL) for pair in compared]
    expected = [first(pair, *_EXPECTED) for pair in compared]
    session = at(first(result, "session_details", "sessionDetails"), "events")
    calls = None
    if compared:
        calls = _transcript_of(actual, options).calls()
    elif isinstance(session, list):  # a run that no metric has looked at
        whole = {"intermediateData": {"invocationEvents": session}}
        calls = _transcript_of([whole], options).calls()
    return Trace(
        calls=calls,
        expected=_transcript_of(expected, options).expected() if any(expected) else None,
        id=_id_of(result),
        trial=trial,
        input=_questions_in(actual),
    )


def _transcript_of(invocations: list[Any], options: ReadOptions) -> Transcript:
    contents = ContentReader(options)
    for number, invocation in enumerate(invocations):
        contents.begin()
        contents.transcript.begin_turn(number)  # an invocation answers one message of the user
        data = first(invocation, *_DATA)
        events = first(data, "invocation_events", "invocationEvents")
        if isinstance(events, list):
            take_events(events, contents)
            continue
        for call in list_of(first(data, "tool_uses", "toolUses")):
            contents.take_call(call)
        for response in list_of(first(data, "tool_responses", "toolResponses")):
            contents.take_response(response)
    return contents.finish()


def _questions_in(invocations: list[Any]) -> Any:
    """What the user asks: a text, or one for each invocation."""
    asked = [text_in_content(first(item, *_ASKED)) for item in dicts(invocations)]
    return asked[0] if len(asked) == 1 else asked or None


def _read_turns(turns: list[Any], options: ReadOptions, name: str | None = None) -> Trace:
    """One conversation, in the format before eval sets."""
    asked = [text_of(turn.get("query")) for turn in dicts(turns)]
    actual = _uses_in(turns, "actual_tool_use", options)
    expected = _uses_in(turns, "expected_tool_use", options)
    return Trace(
        calls=None if actual is None else actual.calls(),
        expected=None if expected is None else expected.expected(),
        id=name,
        input=asked[0] if len(asked) == 1 else asked,
    )


def _uses_in(turns: list[Any], key: str, options: ReadOptions) -> Transcript | None:
    """The calls under a key; None if no turn has it."""
    if not any(key in turn for turn in dicts(turns)):
        return None
    transcript = Transcript(options)
    for number, turn in enumerate(dicts(turns)):
        transcript.begin_turn(number)
        uses = dicts(turn.get(key))
        if uses:
            transcript.step()
        for use in uses:
            transcript.call(use.get("tool_name"), use.get("tool_input"))
    return transcript


def read_tools(document: Any) -> list[Tool]:
    """The tools of all agents of the app, if the invocations list them."""
    tools: list[Tool] = []
    for item in _items_in(document):
        pairs = dicts(first(item, *_COMPARED))
        for invocation in (*dicts(item.get("conversation")), *pairs):
            details = first(first(invocation, *_ACTUAL) or invocation, *_DETAILS)
            agents = first(details, "agent_details", "agentDetails")
            for agent in agents.values() if isinstance(agents, dict) else ():
                tools += read_declarations(first(agent, "tool_declarations", "toolDeclarations"))
    return unique_tools(tools)

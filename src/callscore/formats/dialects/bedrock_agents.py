"""Amazon Bedrock Agents (traces of `InvokeAgent` and `InvokeInlineAgent`).

Each event of the stream has one part of a step: what the model was asked, its answer, what is invoked
and what came of it. The calls are the invocations, with the values as the agent passes them on: all
of them are text. The answer of the model has the same call under another name.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import TYPE_CHECKING, Any

from callscore.formats.shape import at, dicts, first, list_of, text_of
from callscore.formats.signs import Signs
from callscore.formats.transcript import Transcript

if TYPE_CHECKING:
    from callscore.formats.trace import ReadOptions, Trace

ORDER = 360
EXAMPLE = [
    {
        "trace": {
            "sessionId": "s1",
            "trace": {
                "orchestrationTrace": {
                    "invocationInput": {
                        "invocationType": "ACTION_GROUP",
                        "traceId": "t-0",
                        "actionGroupInvocationInput": {
                            "actionGroupName": "weather",
                            "function": "get_weather",
                            "parameters": [{"name": "city", "type": "string", "value": "Paris"}],
                        },
                    }
                }
            },
        }
    }
]
_KINDS = (
    *("orchestrationTrace", "routingClassifierTrace", "customOrchestrationTrace"),
    *("preProcessingTrace", "postProcessingTrace", "guardrailTrace", "failureTrace"),
)
# The parts of a step; each of them has the id of the step.
_PARTS = ("modelInvocationInput", "modelInvocationOutput", "invocationInput", "observation")
_INPUT = "Input"
_KNOWN_INPUTS = frozenset(
    (
        *("traceId", "invocationType", "actionGroupInvocationInput", "knowledgeBaseLookupInput"),
        *("codeInterpreterInvocationInput", "agentCollaboratorInvocationInput"),
    )
)
_OTHER_EVENTS = ("chunk", "files", "throttlingException", "internalServerException")
_WRAPPERS = ("completion", "events", "traces")
_MAX_SAMPLED = 20
_MAX_DEPTH = 3
_KEYS = ("trace", "returnControl", *_KINDS, *_PARTS)
SIGNS = Signs(keys=(*_KEYS, *_WRAPPERS), item_keys=(*_KEYS, "chunk"))


def recognizes(document: Any) -> bool:
    """Whether there is a trace of an agent among its events."""
    events = _events_in(document)[:_MAX_SAMPLED]
    return all(map(joins_lines, events)) and any(_says_something(event) for event in events)


def _events_in(document: Any) -> list[Any]:
    if isinstance(document, dict):
        held = first(document, *_WRAPPERS)
        return held if isinstance(held, list) else [document]
    return list_of(document)


def joins_lines(line: Any) -> bool:
    """Whether a line is one event of the stream."""
    return _says_something(line) or any(isinstance(at(line, key), dict) for key in _OTHER_EVENTS)


def _says_something(event: Any) -> bool:
    is_return = isinstance(at(event, "returnControl", "invocationInputs"), list)
    return is_return or _parts_of(event) is not None


def _parts_of(event: Any) -> dict[str, Any] | None:
    """The object that has the parts of a step, whatever is around it; None if there is none."""
    for _ in range(_MAX_DEPTH):
        for kind in _KINDS:
            held = at(event, kind)
            if isinstance(held, dict):
                return {"failed": held} if kind == "failureTrace" else held
        if any(isinstance(at(event, part, "traceId"), str) for part in _PARTS):
            parts: dict[str, Any] = event
            return parts
        event = at(event, "trace")
    return None


def read(document: Any, options: ReadOptions) -> list[Trace]:
    """One run per session."""
    runs: dict[str | None, _Run] = {}
    latest: str | None = None
    for event in dicts(_events_in(document)):
        session = text_of(first(event, "sessionId") or at(event, "trace", "sessionId"))
        latest = session or latest  # the calls that are returned have none
        runs.setdefault(latest, _Run(options)).take(event)
    found = [run.transcript.trace() for run in runs.values()]
    return found or [Transcript(options).trace()]


class _Run:
    """The calls of a session, as far as its events were read."""

    def __init__(self, options: ReadOptions) -> None:
        self.transcript = Transcript(options)
        self._step: str | None = None
        self._made: list[tuple[Any, Any, Any]] = []  # those that may be returned as well

    def take(self, event: dict[str, Any]) -> None:
        parts = _parts_of(event) or {}
        invoked, observed = parts.get("invocationInput"), parts.get("observation")
        for each in invoked if isinstance(invoked, list) else [invoked]:
            if isinstance(each, dict):
                self._take_invocation(each, "subagent" if _is_nested(event) else None)
        for each in observed if isinstance(observed, list) else [observed]:
            if isinstance(each, dict):
                self._take_observation(each)
        failure = parts.get("failed")
        if isinstance(failure, dict) and isinstance(failure.get("traceId"), str):
            reason = failure.get("failureReason")
            self.transcript.result(reason, failure["traceId"], failed=True)
        self._take_returned(event.get("returnControl"))

    def _take_invocation(self, invocation: dict[str, Any], caller: str | None) -> None:
        step = text_of(invocation.get("traceId"))
        if step is None or step != self._step:
            self.transcript.step()
            self._step = step
        for key in invocation.keys() - _KNOWN_INPUTS:
            is_call = key.endswith(_INPUT) and isinstance(invocation[key], dict)
            self.transcript.unknown(key, invocation[key], is_call=is_call)
        for name, arguments, hosted in _calls_in(invocation):
            returned = at(invocation, "actionGroupInvocationInput", "invocationId")
            self._made.append((returned, name, arguments))
            kind = "hosted" if hosted else None
            self.transcript.call(name, arguments, returned or step, kind=kind, caller=caller)

    def _take_observation(self, observation: dict[str, Any]) -> None:
        result, failed = _result_in(observation)
        if result is not None or failed:
            id_ = text_of(observation.get("traceId"))
            self.transcript.result(result, id_, failed=failed)

    def _take_returned(self, control: Any) -> None:
        """Add what the agent leaves to its caller, unless a trace has it already."""
        id_ = at(control, "invocationId")
        inputs = dicts(at(control, "invocationInputs"))
        found = [
            (_action_name(call), _action_arguments(call))
            for item in inputs
            for key in ("functionInvocationInput", "apiInvocationInput")
            if isinstance(call := item.get(key), dict)
        ]
        new = [call for call in found if (id_, *call) not in self._made]
        if new:
            self.transcript.step()
        for name, arguments in new:
            self.transcript.call(name, arguments, id_)


def _is_nested(event: dict[str, Any]) -> bool:
    """Whether an agent that another one calls did this."""
    trace = event["trace"] if isinstance(event.get("trace"), dict) else event
    return (
        isinstance(trace.get("collaboratorName"), str) or len(list_of(trace.get("callerChain"))) > 1
    )


def _calls_in(invocation: dict[str, Any]) -> Iterator[tuple[Any, Any, bool]]:
    """The names and the arguments of what is invoked, and whether Bedrock runs it itself."""
    action = invocation.get("actionGroupInvocationInput")
    if isinstance(action, dict):
        yield _action_name(action), _action_arguments(action), False
    code = invocation.get("codeInterpreterInvocationInput")
    if isinstance(code, dict):
        yield "codeInterpreter", {key: value for key, value in code.items() if value}, True
    lookup = invocation.get("knowledgeBaseLookupInput")
    if isinstance(lookup, dict):
        yield "knowledgeBaseLookup", lookup, True
    agent = invocation.get("agentCollaboratorInvocationInput")
    if isinstance(agent, dict):
        yield agent.get("agentCollaboratorName"), agent.get("input"), False


def _action_name(action: dict[str, Any]) -> Any:
    return first(action, "function", "apiPath")


def _action_arguments(action: dict[str, Any]) -> dict[str, Any]:
    """The parameters, and the fields of the body of a request."""
    entries = dicts(action.get("parameters"))
    body = at(action, "requestBody", "content")
    for content in body.values() if isinstance(body, dict) else ():
        entries += dicts(content) or dicts(at(content, "properties"))
    return {
        entry["name"]: entry.get("value") for entry in entries if isinstance(entry.get("name"), str)
    }


def _result_in(observation: dict[str, Any]) -> tuple[Any, bool | None]:
    """What came of an invocation, and whether it failed, if that is known."""
    code = observation.get("codeInterpreterInvocationOutput")
    if isinstance(code, dict):
        error = code.get("executionError")
        is_failed = bool(error) or code.get("executionTimeout") is True
        return error or first(code, "executionOutput", "files"), is_failed
    reprompt = observation.get("repromptResponse")
    if isinstance(reprompt, dict):
        return reprompt.get("text"), True
    action = at(observation, "actionGroupInvocationOutput", "text")
    found = at(observation, "knowledgeBaseLookupOutput", "retrievedReferences")
    said = at(observation, "agentCollaboratorInvocationOutput", "output", "text")
    return next((value for value in (action, found, said) if value is not None), None), None

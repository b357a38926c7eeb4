"""Conversations of a user with an agent, as documents of every dialect that has their messages."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import msgspec

# What happens in a conversation: what is said, and the calls and results by their numbers.
GREETING, ASK, AND, CALL, RESULT, SAY = "greeting", "ask", "and", "call", "result", "say"
Event = tuple[str, str]
TWO_TURNS: list[Event] = [
    (GREETING, "Hello!"),
    (ASK, "How is Paris?"),
    (AND, "In degrees."),
    (CALL, "c1"),
    (RESULT, "c1"),
    (CALL, "c2"),
    (RESULT, "c2"),
    (SAY, "18."),
    (ASK, "And Lyon?"),
    (CALL, "c3"),
    (RESULT, "c3"),
    (SAY, "19."),
]
ONE_TURN = [event for event in TWO_TURNS[:8] if event[0] != GREETING]
ARGUMENTS = '{"city": "Paris"}'
INPUT = {"city": "Paris"}


def chat(event: Event) -> dict[str, Any]:
    kind, value = event
    if kind == CALL:
        function = {"name": "get_weather", "arguments": ARGUMENTS}
        call = {"id": value, "type": "function", "function": function}
        return {"role": "assistant", "content": None, "tool_calls": [call]}
    if kind == RESULT:
        return {"role": "tool", "tool_call_id": value, "content": "18"}
    return {"role": "user" if kind in (ASK, AND) else "assistant", "content": value}


def ollama(event: Event) -> dict[str, Any]:
    if event[0] == CALL:
        function = {"name": "get_weather", "arguments": INPUT}
        return {"role": "assistant", "content": "", "tool_calls": [{"function": function}]}
    if event[0] == RESULT:
        return {"role": "tool", "tool_name": "get_weather", "content": "18"}
    return chat(event)


def numbered(messages: list[Any]) -> list[Any]:
    return [{"message": message, "message_id": place} for place, message in enumerate(messages)]


def blocks(event: Event) -> dict[str, Any]:
    """A message of Anthropic, whose results are messages of the user."""
    kind, value = event
    if kind == CALL:
        block = {"type": "tool_use", "id": value, "name": "get_weather", "input": INPUT}
        return {"role": "assistant", "content": [block]}
    if kind == RESULT:
        result = {"type": "tool_result", "tool_use_id": value, "content": "18"}
        return {"role": "user", "content": [result]}
    role = "user" if kind in (ASK, AND) else "assistant"
    return {"role": role, "content": [{"type": "text", "text": value}]}


def contents(event: Event) -> dict[str, Any]:
    """A content of Gemini, whose responses are contents of the user."""
    kind, value = event
    if kind == CALL:
        call = {"id": value, "name": "get_weather", "args": INPUT}
        return {"role": "model", "parts": [{"functionCall": call}]}
    if kind == RESULT:
        response = {"id": value, "name": "get_weather", "response": {"result": "18"}}
        return {"role": "user", "parts": [{"functionResponse": response}]}
    return {"role": "user" if kind in (ASK, AND) else "model", "parts": [{"text": value}]}


def converse(event: Event) -> dict[str, Any]:
    """A message of Bedrock, whose results are messages of the user."""
    kind, value = event
    if kind == CALL:
        use = {"toolUseId": value, "name": "get_weather", "input": INPUT}
        return {"role": "assistant", "content": [{"toolUse": use}]}
    if kind == RESULT:
        result = {"toolUseId": value, "content": [{"text": "18"}], "status": "success"}
        return {"role": "user", "content": [{"toolResult": result}]}
    role = "user" if kind in (ASK, AND) else "assistant"
    return {"role": role, "content": [{"text": value}]}


def cohere_v1(event: Event) -> dict[str, Any]:
    kind, value = event
    if kind == CALL:
        call = {"name": "get_weather", "parameters": INPUT}
        return {"role": "CHATBOT", "message": "", "tool_calls": [call]}
    if kind == RESULT:
        call = {"name": "get_weather", "parameters": INPUT}
        return {"role": "TOOL", "tool_results": [{"call": call, "outputs": [{"text": "18"}]}]}
    return {"role": "USER" if kind in (ASK, AND) else "CHATBOT", "message": value}


def item(event: Event) -> dict[str, Any]:
    """An item of OpenAI's Responses."""
    kind, value = event
    if kind == CALL:
        call = {"type": "function_call", "call_id": value, "name": "get_weather"}
        return {**call, "arguments": ARGUMENTS}
    if kind == RESULT:
        return {"type": "function_call_output", "call_id": value, "output": "18"}
    is_user = kind in (ASK, AND)
    part = {"type": "input_text" if is_user else "output_text", "text": value}
    return {"type": "message", "role": "user" if is_user else "assistant", "content": [part]}


def langchain(event: Event) -> dict[str, Any]:
    kind, value = event
    if kind == CALL:
        call = {"name": "get_weather", "args": INPUT, "id": value, "type": "tool_call"}
        return {"type": "ai", "content": "", "tool_calls": [call], "id": f"m{value}"}
    if kind == RESULT:
        return {"type": "tool", "content": "18", "tool_call_id": value, "id": f"r{value}"}
    return {"type": "human" if kind in (ASK, AND) else "ai", "content": value, "id": value}


def vercel(event: Event) -> dict[str, Any]:
    kind, value = event
    part: dict[str, Any] = {"toolCallId": value, "toolName": "get_weather"}
    if kind == CALL:
        return {"role": "assistant", "content": [{**part, "type": "tool-call", "input": INPUT}]}
    if kind == RESULT:
        output = {"type": "text", "value": "18"}
        return {"role": "tool", "content": [{**part, "type": "tool-result", "output": output}]}
    role = "user" if kind in (ASK, AND) else "assistant"
    return {"role": role, "content": [{"type": "text", "text": value}]}


def vercel_ui(event: Event) -> dict[str, Any]:
    kind, value = event
    part: dict[str, Any] = {"type": "text", "text": value}
    if kind == CALL:
        part = {"type": "tool-get_weather", "toolCallId": value, "state": "output-available"}
        part |= {"input": INPUT, "output": "18"}
    role = "user" if kind in (ASK, AND) else "assistant"
    return {"id": f"m-{value}", "role": role, "parts": [part]}


def pydantic_ai(event: Event) -> dict[str, Any]:
    kind, value = event
    named = {"tool_name": "get_weather", "tool_call_id": value}
    if kind == CALL:
        part = {**named, "part_kind": "tool-call", "args": INPUT}
        return {"kind": "response", "parts": [part]}
    if kind == RESULT:
        # What a tool returns for the model beside its result is a prompt, too.
        extra = {"part_kind": "user-prompt", "content": "An image."}
        result = {**named, "part_kind": "tool-return", "content": "18"}
        return {"kind": "request", "parts": [result, extra]}
    if kind in (ASK, AND):
        return {"kind": "request", "parts": [{"part_kind": "user-prompt", "content": value}]}
    return {"kind": "response", "parts": [{"part_kind": "text", "content": value}]}


def semantic_kernel(event: Event) -> dict[str, Any]:
    kind, value = event
    role = "user" if kind in (ASK, AND) else "tool" if kind == RESULT else "assistant"
    items: list[Any] = [{"content_type": "text", "text": value}]
    if kind == CALL:
        items = [{"content_type": "function_call", "id": value, "name": "get_weather"}]
        items[0]["arguments"] = ARGUMENTS
    elif kind == RESULT:
        items = [{"content_type": "function_result", "id": value, "result": "18"}]
    return {"content_type": "message", "role": role, "items": items}


def haystack(event: Event) -> dict[str, Any]:
    kind, value = event
    role = "user" if kind in (ASK, AND) else "tool" if kind == RESULT else "assistant"
    call = {"tool_name": "get_weather", "arguments": INPUT, "id": value, "extra": None}
    part: dict[str, Any] = {"text": value}
    if kind == CALL:
        part = {"tool_call": call}
    elif kind == RESULT:
        part = {"tool_call_result": {"result": "18", "origin": call, "error": False}}
    return {"role": role, "meta": {}, "name": None, "content": [part]}


def autogen(event: Event) -> dict[str, Any]:
    kind, value = event
    if kind == CALL:
        call = {"id": value, "name": "get_weather", "arguments": ARGUMENTS}
        return {"source": "helper", "type": "ToolCallRequestEvent", "content": [call]}
    if kind == RESULT:
        result = {"content": "18", "name": "get_weather", "call_id": value, "is_error": False}
        return {"source": "helper", "type": "ToolCallExecutionEvent", "content": [result]}
    source = "user" if kind in (ASK, AND) else "helper"
    return {"source": source, "type": "TextMessage", "content": value}


def agno(event: Event) -> dict[str, Any]:
    return {**chat(event), "from_history": False}


def llamaindex(event: Event) -> dict[str, Any]:
    kind, value = event
    if kind == CALL:
        block = {"block_type": "tool_call", "tool_call_id": value, "tool_name": "get_weather"}
        block |= {"tool_kwargs": INPUT}  # type: ignore[dict-item]  # of any values
        return {"role": "assistant", "additional_kwargs": {}, "blocks": [block]}
    text = [{"block_type": "text", "text": value}]
    if kind == RESULT:
        return {"role": "tool", "additional_kwargs": {"tool_call_id": value}, "blocks": text}
    role = "user" if kind in (ASK, AND) else "assistant"
    return {"role": role, "additional_kwargs": {}, "blocks": text}


def tau2(event: Event) -> dict[str, Any]:
    kind, value = event
    if kind == RESULT:
        said = {"role": "tool", "id": value, "content": "18", "error": False}
        return {**said, "requestor": "assistant"}
    call = {"id": value, "name": "get_weather", "arguments": INPUT, "requestor": "assistant"}
    is_call = kind == CALL
    role = "user" if kind in (ASK, AND) else "assistant"
    return {"role": role, "content": value, "tool_calls": [call] if is_call else None}


def tau_bench_text(event: Event) -> dict[str, Any]:
    """A message of an agent without function calling, to which results are given as text."""
    kind, value = event
    if kind == CALL:
        action = '{"name": "get_weather", "arguments": {"city": "Paris"}}'
        return {"role": "assistant", "content": f"Thought:\nI look.\nAction:\n{action}"}
    if kind == RESULT:
        return {"role": "user", "content": "API output: 18"}
    return {"role": "user" if kind in (ASK, AND) else "assistant", "content": value}


def react(event: Event) -> dict[str, Any]:
    kind, value = event
    if kind == CALL:
        text = f"Thought: I look.\nAction: get_weather\nAction Input: {ARGUMENTS}"
        return {"role": "assistant", "content": text}
    if kind == RESULT:
        return {"role": "user", "content": "Observation: 18"}
    return {"role": "user" if kind in (ASK, AND) else "assistant", "content": value}


def sharegpt(event: Event) -> dict[str, Any]:
    kind, value = event
    if kind == CALL:
        call = '{"name": "get_weather", "arguments": {"city": "Paris"}}'
        return {"from": "function_call", "value": call}
    if kind == RESULT:
        return {"from": "observation", "value": "18"}
    return {"from": "human" if kind in (ASK, AND) else "gpt", "value": value}


def spring_ai(event: Event) -> dict[str, Any]:
    kind, value = event
    role = "USER" if kind in (ASK, AND) else "TOOL" if kind == RESULT else "ASSISTANT"
    message: dict[str, Any] = {"messageType": role, "metadata": {}, "text": value}
    if kind == CALL:
        call = {"id": value, "type": "function", "name": "get_weather", "arguments": ARGUMENTS}
        message["toolCalls"] = [call]
    elif kind == RESULT:
        message["responses"] = [{"id": value, "name": "get_weather", "responseData": "18"}]
    return message


def langchain4j(event: Event) -> dict[str, Any]:
    kind, value = event
    if kind == CALL:
        call = {"id": value, "name": "get_weather", "arguments": ARGUMENTS}
        return {"type": "AI", "toolExecutionRequests": [call]}
    if kind == RESULT:
        return {"type": "TOOL_EXECUTION_RESULT", "id": value, "toolName": "f", "text": "18"}
    if kind in (ASK, AND):
        return {"type": "USER", "contents": [{"type": "TEXT", "text": value}]}
    return {"type": "AI", "text": value}


def mistral(event: Event) -> dict[str, Any]:
    kind, value = event
    entry: dict[str, Any] = {"object": "entry", "id": f"e-{value}"}
    if kind == CALL:
        call = {"type": "function.call", "tool_call_id": value, "name": "get_weather"}
        return {**entry, **call, "arguments": ARGUMENTS}
    if kind == RESULT:
        return {**entry, "type": "function.result", "tool_call_id": value, "result": "18"}
    is_user = kind in (ASK, AND)
    kind = "message.input" if is_user else "message.output"
    return {**entry, "type": kind, "role": "user" if is_user else "assistant", "content": value}


def interaction(event: Event) -> dict[str, Any]:
    kind, value = event
    if kind == CALL:
        call = {"type": "function_call", "id": value, "name": "get_weather"}
        return {**call, "arguments": INPUT}
    if kind == RESULT:
        return {"type": "function_result", "call_id": value, "result": "18"}
    kind = "user_input" if kind in (ASK, AND) else "model_output"
    return {"type": kind, "content": [{"type": "text", "text": value}]}


def live(event: Event) -> dict[str, Any]:
    kind, value = event
    if kind == CALL:
        call = {"id": value, "name": "get_weather", "args": INPUT}
        return {"toolCall": {"functionCalls": [call]}}
    if kind == RESULT:
        response = {"id": value, "name": "get_weather", "response": {"result": "18"}}
        return {"toolResponse": {"functionResponses": [response]}}
    if kind in (ASK, AND):
        return {"clientContent": {"turns": [contents(event)], "turnComplete": True}}
    return {"serverContent": {"modelTurn": contents(event)}}


def adk_event(event: Event) -> dict[str, Any]:
    author = "user" if event[0] in (ASK, AND) else "helper"
    return {"author": author, "invocationId": "i", "id": event[1], "content": contents(event)}


def microsoft(event: Event) -> dict[str, Any]:
    kind, value = event
    role = "user" if kind in (ASK, AND) else "tool" if kind == RESULT else "assistant"
    part: dict[str, Any] = {"$type": "text", "text": value}
    if kind == CALL:
        part = {"$type": "functionCall", "callId": value, "name": "get_weather"}
        part["arguments"] = INPUT
    elif kind == RESULT:
        part = {"$type": "functionResult", "callId": value, "result": "18"}
    return {"role": role, "contents": [part]}


def azure(event: Event) -> dict[str, Any]:
    kind, value = event
    if kind == CALL:
        part = {"type": "tool_call", "tool_call_id": value, "name": "get_weather"}
        return {"role": "assistant", "content": [{**part, "arguments": INPUT}]}
    if kind == RESULT:
        part = {"type": "tool_result", "tool_result": "18"}
        return {"role": "tool", "tool_call_id": value, "content": [part]}
    role = "user" if kind in (ASK, AND) else "assistant"
    return {"role": role, "content": [{"type": "text", "text": value}]}


def ag_ui(event: Event) -> dict[str, Any]:
    message = chat(event)
    if event[0] == CALL:
        message["toolCalls"] = message.pop("tool_calls")
    if event[0] == RESULT:
        message["toolCallId"] = message.pop("tool_call_id")
    return {**message, "id": f"{event[0]}-{event[1]}"}


def claude_code(event: Event) -> dict[str, Any]:
    message = blocks(event)
    message |= {"id": event[1], "type": "message"} if message["role"] == "assistant" else {}
    return {"type": message["role"], "sessionId": "s", "uuid": f"u-{event}", "message": message}


def rollout(event: Event) -> dict[str, Any]:
    return {"type": "response_item", "timestamp": "2026-03-08T14:30:00Z", "payload": item(event)}


def cursor(event: Event) -> dict[str, Any]:
    message = blocks(event)
    return {"role": message["role"], "message": {"content": message["content"]}}


def gemini_cli(event: Event) -> dict[str, Any] | None:
    kind, value = event
    if kind == RESULT:
        return None
    calls = [{"id": value, "name": "get_weather", "args": INPUT, "status": "success"}]
    said = {"id": f"m-{value}", "timestamp": "2026-04-29T21:39:33Z", "content": value}
    if kind in (ASK, AND):
        return {**said, "type": "user"}
    return {**said, "type": "gemini", "toolCalls": calls if kind == CALL else []}


def gemini_stream(event: Event) -> dict[str, Any]:
    kind, value = event
    if kind == CALL:
        use = {"type": "tool_use", "tool_name": "get_weather", "tool_id": value}
        return {**use, "parameters": INPUT}
    if kind == RESULT:
        return {"type": "tool_result", "tool_id": value, "status": "success", "output": "18"}
    role = "user" if kind in (ASK, AND) else "assistant"
    return {"type": "message", "role": role, "content": value}


def qwen_code(event: Event) -> dict[str, Any]:
    message = contents(event)
    kind = "user" if message["role"] == "user" else "assistant"
    kind = "tool_result" if event[0] == RESULT else kind
    return {"sessionId": "s", "uuid": f"u-{event}", "type": kind, "message": message}


def grok(event: Event) -> dict[str, Any]:
    kind, value = event
    if kind == CALL:
        call = {"id": value, "name": "get_weather", "arguments": ARGUMENTS}
        return {"type": "assistant", "content": "", "tool_calls": [call], "model_id": "grok"}
    if kind == RESULT:
        return {"type": "tool_result", "tool_call_id": value, "content": "18"}
    if kind in (ASK, AND):
        return {"type": "user", "content": [{"type": "text", "text": value}], "prompt_index": 0}
    return {"type": "assistant", "content": value, "model_id": "grok"}


def kimi(event: Event) -> dict[str, Any]:
    kind, value = event
    if kind in (ASK, AND):
        return {"type": "turn.prompt", "input": [{"type": "text", "text": value}], "time": 1}
    inner: dict[str, Any] = {"type": "step.begin"}
    if kind == CALL:
        inner = {"type": "tool.call", "toolCallId": value, "name": "f", "args": INPUT}
    elif kind == RESULT:
        inner = {"type": "tool.result", "toolCallId": value, "result": {"output": "18"}}
    return {"type": "context.append_loop_event", "event": inner}


def goose(event: Event) -> dict[str, Any]:
    kind, value = event
    if kind == CALL:
        held = {"name": "get_weather", "arguments": INPUT}
        call = {"status": "success", "value": held}
        block: dict[str, Any] = {"type": "toolRequest", "id": value, "toolCall": call}
        return {"role": "assistant", "created": 1, "content": [block]}
    if kind == RESULT:
        result = {"status": "success", "value": {"content": [{"type": "text", "text": "18"}]}}
        block = {"type": "toolResponse", "id": value, "toolResult": result}
        return {"role": "user", "created": 1, "content": [block]}
    role = "user" if kind in (ASK, AND) else "assistant"
    return {"role": role, "created": 1, "content": [{"type": "text", "text": value}]}


def pi(event: Event) -> dict[str, Any]:
    kind, value = event
    message = blocks(event)
    if kind == CALL:
        call = {"type": "toolCall", "id": value, "name": "bash", "arguments": INPUT}
        message = {"role": "assistant", "content": [call]}
    elif kind == RESULT:
        message = {"role": "toolResult", "toolCallId": value, "content": "18"}
    time = "2026-02-02T10:00:00Z"
    return {"type": "message", "id": f"e-{event}", "timestamp": time, "message": message}


def opencode(event: Event) -> dict[str, Any] | None:
    kind, value = event
    if kind == RESULT:
        return None
    part: dict[str, Any] = {"id": f"p-{value}", "type": "text", "text": value}
    if kind == CALL:
        state = {"status": "completed", "input": INPUT, "output": "18"}
        part = {"id": f"p-{value}", "type": "tool", "tool": "f", "callID": value, "state": state}
    role = "user" if kind in (ASK, AND) else "assistant"
    info = {"id": f"m-{value}", "sessionID": "s", "role": role}
    own = {"messageID": info["id"], "sessionID": "s"}
    # The program adds parts to what the user says, and whole messages of its own.
    return {"info": info, "parts": [{**own, **part}]}


def openhands(event: Event) -> dict[str, Any]:
    kind, value = event
    if kind == CALL:
        metadata = {"tool_call_id": value, "function_name": "execute_bash"}
        action = {"id": 10 + int(value[1]), "source": "agent", "action": "run"}
        return {**action, "args": {"command": "ls"}, "tool_call_metadata": metadata}
    if kind == RESULT:
        metadata = {"tool_call_id": value, "function_name": "execute_bash"}
        seen = {"id": 20 + int(value[1]), "cause": 10 + int(value[1]), "source": "agent"}
        return {**seen, "observation": "run", "content": "a", "tool_call_metadata": metadata}
    source = "user" if kind in (ASK, AND) else "agent"
    return {"id": len(value), "source": source, "action": "message", "args": {"content": value}}


def openhands_sdk(event: Event) -> dict[str, Any]:
    kind, value = event
    if kind == CALL:
        call = {"id": value, "name": "terminal", "arguments": ARGUMENTS}
        action = {"kind": "ActionEvent", "source": "agent", "tool_name": "terminal"}
        return {**action, "tool_call_id": value, "tool_call": call, "action": {}, "id": value}
    if kind == RESULT:
        seen = {"content": [{"type": "text", "text": "a"}], "is_error": False}
        event_ = {"kind": "ObservationEvent", "source": "environment", "tool_name": "terminal"}
        return {**event_, "tool_call_id": value, "observation": seen, "id": f"o{value}"}
    source = "user" if kind in (ASK, AND) else "agent"
    message = {"role": "user", "content": [{"type": "text", "text": value}]}
    return {"kind": "MessageEvent", "source": source, "llm_message": message, "id": value}


def atif(event: Event) -> dict[str, Any] | None:
    kind, value = event
    if kind == RESULT:
        return None
    step: dict[str, Any] = {"step_id": 1, "message": value}
    if kind == CALL:
        call = {"tool_call_id": value, "function_name": "f", "arguments": INPUT}
        step["tool_calls"] = [call]
    return {**step, "source": "user" if kind in (ASK, AND) else "agent"}


def smolagents(event: Event) -> dict[str, Any] | None:
    kind, value = event
    if kind == CALL:
        call = {"id": value, "type": "function"}
        function = {"name": "f", "arguments": INPUT}
        calls = [{**call, "function": function}]
        return {"step_number": 1, "tool_calls": calls, "observations": "18"}
    return {"task": value, "task_images": None} if kind in (ASK, AND) else None


def deepeval(event: Event) -> dict[str, Any] | None:
    kind, value = event
    if kind == RESULT:
        return None
    called = [{"name": "f", "input_parameters": INPUT}] if kind == CALL else None
    role = "user" if kind in (ASK, AND) else "assistant"
    return {"role": role, "content": value, "tools_called": called}


def ragas(event: Event) -> dict[str, Any]:
    kind, value = event
    if kind == CALL:
        return {"type": "ai", "content": "", "tool_calls": [{"name": "f", "args": INPUT}]}
    if kind == RESULT:
        return {"type": "tool", "content": "18"}
    return {"type": "human" if kind in (ASK, AND) else "ai", "content": value}


def spring_ai_ragas(event: Event) -> dict[str, Any]:
    kind, value = event
    if kind == CALL:
        return {"content": "", "toolCalls": [{"name": "f", "arguments": INPUT}]}
    if kind in (GREETING, SAY):
        return {"content": value, "toolCalls": []}
    return {"content": "18" if kind == RESULT else value}


def api_bank(event: Event) -> dict[str, Any] | None:
    kind, value = event
    if kind == RESULT:
        return None
    if kind == CALL:
        result = {"output": "18", "exception": None}
        call = {"role": "API", "api_name": "F", "param_dict": {"n": value}}
        return {**call, "result": result}
    return {"role": "User" if kind in (ASK, AND) else "AI", "text": value}


def managed(event: Event) -> dict[str, Any]:
    kind, value = event
    id_ = f"e-{kind}-{value}"
    if kind == CALL:
        return {"type": "agent.custom_tool_use", "id": value, "name": "f", "input": INPUT}
    if kind == RESULT:
        result = {"type": "user.custom_tool_result", "id": id_, "custom_tool_use_id": value}
        return {**result, "content": [{"type": "text", "text": "18"}]}
    kind = "user.message" if kind in (ASK, AND) else "agent.message"
    return {"type": kind, "id": id_, "content": [{"type": "text", "text": value}]}


def inspect_message(event: Event) -> dict[str, Any]:
    message = {**chat(event), "id": f"m-{event}", "source": "generate"}
    if event[0] == CALL:
        call = {"id": event[1], "function": "f", "arguments": INPUT, "type": "function"}
        message |= {"content": "", "tool_calls": [call]}
    return message


def cline(event: Event) -> dict[str, Any]:
    message = blocks(event)
    if event[0] == RESULT:
        message["content"].append(
            {"type": "text", "text": "<environment_details></environment_details>"}
        )
    return message


def cline_ui(event: Event) -> dict[str, Any] | None:
    kind, value = event
    if kind in (RESULT, GREETING):
        return None
    text = '{"tool": "readFile", "path": "a.py"}' if kind == CALL else value
    is_first = value == "How is Paris?"
    said = "tool" if kind == CALL else "user_feedback" if kind in (ASK, AND) else "text"
    return {"ts": 1, "type": "say", "say": "text" if is_first else said, "text": text}


def hermes(events: list[Event]) -> str:
    """Text in a template in which the results are in messages of the user."""
    marks = []
    for kind, value in events:
        role, text = "user" if kind in (ASK, AND, RESULT) else "assistant", value
        if kind == CALL:
            text = '<tool_call>\n{"name": "f", "arguments": {"n": 1}}\n</tool_call>'
        elif kind == RESULT:
            text = "<tool_response>\n18\n</tool_response>"
        marks.append(f"<|im_start|>{role}\n{text}<|im_end|>\n")
    return "".join(marks)


def harmony(events: list[Event]) -> str:
    marks = []
    for kind, value in events:
        if kind == CALL:
            marks.append(
                "<|start|>assistant<|channel|>commentary to=functions.f"
                " <|constrain|>json<|message|>{}<|call|>"
            )
        elif kind == RESULT:
            header = "functions.f to=assistant<|channel|>commentary"
            marks.append(f"<|start|>{header}<|message|>18<|end|>")
        elif kind in (ASK, AND):
            marks.append(f"<|start|>user<|message|>{value}<|end|>")
        else:
            marks.append(f"<|start|>assistant<|channel|>final<|message|>{value}<|end|>")
    return "".join(marks)


def glaive(events: list[Event]) -> dict[str, str]:
    lines = []
    for kind, value in events:
        if kind == CALL:
            call = '{"name": "f", "arguments": \'{"n": 1}\'}'
            lines.append(f"ASSISTANT: <functioncall> {call} <|endoftext|>")
        elif kind == RESULT:
            lines.append("FUNCTION RESPONSE: 18")
        elif kind in (ASK, AND):
            lines.append(f"USER: {value}")
        else:
            lines.append(f"ASSISTANT: {value} <|endoftext|>")
    return {"system": "SYSTEM: You can call functions.", "chat": "\n\n\n".join(lines)}


# --- models that receive the whole conversation with each request ------------------------------

Observe = Callable[[list[dict[str, Any]], dict[str, Any], int], dict[str, Any]]


def requests(events: list[Event]) -> list[tuple[list[dict[str, Any]], dict[str, Any]]]:
    """What a model received and answered, each time."""
    messages = [chat(event) for event in events]
    return [
        (messages[:place], message)
        for place, message in enumerate(messages)
        if message["role"] == "assistant" and events[place][0] != GREETING
    ]


def exchange(received: list[dict[str, Any]], answer: dict[str, Any], _: int) -> dict[str, Any]:
    choice = {"index": 0, "message": answer, "finish_reason": "stop"}
    return {
        "request": {"method": "POST", "url": "https://x/v1/chat", "body": {"messages": received}},
        "response": {"status": {"code": 200}, "body": {"choices": [choice]}},
    }


def genai_span(
    received: list[dict[str, Any]], answer: dict[str, Any], number: int
) -> dict[str, Any]:
    attributes = {
        "gen_ai.operation.name": "chat",
        "gen_ai.input.messages": [with_parts(message) for message in received],
        "gen_ai.output.messages": [with_parts(answer)],
    }
    return span(attributes, number)


def with_parts(message: dict[str, Any]) -> dict[str, Any]:
    """A message in the conventions of OpenTelemetry; results may have the role of the user."""
    parts: list[dict[str, Any]] = [{"type": "text", "content": message.get("content")}]
    if message.get("tool_calls"):
        call = message["tool_calls"][0]
        named = {"type": "tool_call", "id": call["id"], "name": call["function"]["name"]}
        parts = [{**named, "arguments": INPUT}]
    elif message["role"] == "tool":
        id_ = message["tool_call_id"]
        parts = [{"type": "tool_call_response", "id": id_, "result": "18"}]
    return {"role": "user" if message["role"] == "tool" else message["role"], "parts": parts}


def span(attributes: dict[str, Any], number: int, trace: str = "t") -> dict[str, Any]:
    encoded = {
        key: value if isinstance(value, str) else msgspec.json.encode(value).decode()
        for key, value in attributes.items()
    }
    return {
        "name": "chat m",
        "context": {"trace_id": trace, "span_id": f"s{number}"},
        "parent_id": None,
        "start_time": f"2026-01-01T00:00:{number:02d}Z",
        "end_time": f"2026-01-01T00:01:{number:02d}Z",
        "attributes": encoded,
    }


def vercel_span(
    received: list[dict[str, Any]], answer: dict[str, Any], number: int
) -> dict[str, Any]:
    calls = [
        {"toolCallId": call["id"], "toolName": "get_weather", "input": ARGUMENTS}
        for call in answer.get("tool_calls", [])
    ]
    attributes = {"ai.operationId": "ai.generateText.doGenerate", "ai.prompt.messages": received}
    return span({**attributes, "ai.response.toolCalls": calls}, number)


def openinference_span(
    received: list[dict[str, Any]], answer: dict[str, Any], number: int
) -> dict[str, Any]:
    flat: dict[str, Any] = {"openinference.span.kind": "LLM"}
    for place, message in enumerate(received):
        prefix = f"llm.input_messages.{place}.message"
        flat[f"{prefix}.role"] = message["role"]
        flat[f"{prefix}.content"] = message.get("content") or ""
    prefix = "llm.output_messages.0.message"
    flat[f"{prefix}.role"] = "assistant"
    for call in answer.get("tool_calls", []):
        inner = f"{prefix}.tool_calls.0.tool_call"
        flat[f"{inner}.id"] = call["id"]
        flat[f"{inner}.function.name"] = "get_weather"
        flat[f"{inner}.function.arguments"] = ARGUMENTS
    return span(flat, number)


def openllmetry_span(
    received: list[dict[str, Any]], answer: dict[str, Any], number: int
) -> dict[str, Any]:
    flat: dict[str, Any] = {"traceloop.span.kind": "llm", "llm.request.type": "chat"}
    for place, message in enumerate(received):
        flat[f"gen_ai.prompt.{place}.role"] = message["role"]
        flat[f"gen_ai.prompt.{place}.content"] = message.get("content") or ""
    flat["gen_ai.completion.0.role"] = "assistant"
    for call in answer.get("tool_calls", []):
        inner = "gen_ai.completion.0.tool_calls.0"
        flat |= {f"{inner}.id": call["id"], f"{inner}.name": "f", f"{inner}.arguments": ARGUMENTS}
    return span(flat, number)


def langfuse_row(
    received: list[dict[str, Any]], answer: dict[str, Any], number: int
) -> dict[str, Any]:
    row = {"id": f"o{number}", "traceId": "t", "type": "GENERATION", "name": "chat"}
    start = f"2026-01-01T00:00:{number:02d}Z"
    return {**row, "startTime": start, "input": received, "output": answer}


def opik_span(
    received: list[dict[str, Any]], answer: dict[str, Any], number: int
) -> dict[str, Any]:
    known = {"id": f"o{number}", "trace_id": "t", "project_id": "p", "type": "llm"}
    start = f"2026-01-01T00:00:{number:02d}Z"
    given = {"input": {"messages": received}, "output": {"choices": [{"message": answer}]}}
    return {**known, "name": "chat", "start_time": start, "end_time": start, **given}


def langsmith_run(
    received: list[dict[str, Any]], answer: dict[str, Any], number: int
) -> dict[str, Any]:
    known = {"id": f"r{number}", "trace_id": "t", "run_type": "llm", "name": "ChatOpenAI"}
    start = f"2026-01-01T00:00:{number:02d}Z"
    outputs = {"choices": [{"message": answer}]}
    return {**known, "start_time": start, "inputs": {"messages": received}, "outputs": outputs}


MESSAGES: dict[str, tuple[Callable[[Event], Any], Callable[[list[Any]], Any]]] = {
    "openai_chat": (chat, lambda found: {"messages": found}),
    "openai_chat/react": (react, lambda found: found),
    "ollama": (ollama, lambda found: found),
    "anthropic": (blocks, lambda found: {"messages": found}),
    "gemini": (contents, lambda found: {"contents": found}),
    "gemini_interactions": (interaction, lambda found: {"steps": found, "object": "interaction"}),
    "gemini_live": (live, lambda found: found),
    "bedrock": (converse, lambda found: {"messages": found}),
    "strands": (converse, numbered),
    "cohere": (cohere_v1, lambda found: {"chat_history": found[:-1], "text": "19."}),
    "openai_responses": (item, lambda found: {"input": found}),
    "langchain": (langchain, lambda found: found),
    "langgraph": (langchain, lambda found: {"values": {"messages": found}, "next": []}),
    "vercel_messages": (vercel, lambda found: found),
    "vercel_ui": (vercel_ui, lambda found: found),
    "pydantic_ai": (pydantic_ai, lambda found: found),
    "semantic_kernel": (semantic_kernel, lambda found: {"messages": found}),
    "haystack": (haystack, lambda found: found),
    "autogen": (autogen, lambda found: {"messages": found, "stop_reason": None}),
    "agno": (agno, lambda found: {"run_id": "r", "agent_id": "a", "messages": found}),
    "llamaindex": (llamaindex, lambda found: found),
    "tau2": (tau2, lambda found: {"id": "s", "task_id": "1", "messages": found}),
    "tau_bench": (chat, lambda found: {"task_id": 1, "traj": found, "reward": 1.0}),
    "tau_bench/text": (tau_bench_text, lambda found: {"task_id": 1, "traj": found, "reward": 1.0}),
    "sharegpt": (sharegpt, lambda found: {"conversations": found}),
    "spring_ai": (spring_ai, lambda found: found),
    "spring_ai_ragas": (spring_ai_ragas, lambda found: {"userInputMessages": found}),
    "langchain4j": (langchain4j, lambda found: found),
    "mistral": (mistral, lambda found: {"object": "conversation.history", "entries": found}),
    "adk_events": (adk_event, lambda found: {"id": "s", "appName": "a", "events": found}),
    "microsoft_agents": (microsoft, lambda found: found),
    "azure_evaluation": (azure, lambda found: {"messages": found}),
    "ag_ui": (ag_ui, lambda found: {"threadId": "t", "runId": "r", "messages": found, "tools": []}),
    "claude_code": (claude_code, lambda found: found),
    "codex": (rollout, lambda found: found),
    "cursor": (cursor, lambda found: found),
    "gemini_cli": (
        gemini_cli,
        lambda found: {"sessionId": "s", "projectHash": "0", "messages": found},
    ),
    "gemini_cli/stream": (
        gemini_stream,
        lambda found: [{"type": "init", "session_id": "s"}, *found],
    ),
    "qwen_code": (qwen_code, lambda found: found),
    "grok_cli": (grok, lambda found: found),
    "kimi_code": (kimi, lambda found: found),
    "goose": (goose, lambda found: {"working_dir": "/", "id": "1", "conversation": found}),
    "pi": (pi, lambda found: [{"type": "session", "id": "1", "version": 3, "cwd": "/"}, *found]),
    "opencode": (opencode, lambda found: {"info": {"id": "s"}, "messages": found}),
    "openhands": (openhands, lambda found: found),
    "openhands_sdk": (openhands_sdk, lambda found: found),
    "atif": (
        atif,
        lambda found: {"schema_version": "ATIF-v1.7", "session_id": "s", "steps": found},
    ),
    "smolagents": (smolagents, lambda found: {"output": "", "state": "success", "steps": found}),
    "deepeval": (deepeval, lambda found: {"turns": found}),
    "ragas": (ragas, lambda found: {"user_input": found}),
    "api_bank": (api_bank, lambda found: found),
    "anthropic_managed_agents": (managed, lambda found: found),
    "inspect_log": (
        inspect_message,
        lambda found: {"id": 1, "epoch": 1, "input": "x", "messages": found, "scores": {}},
    ),
    "cline": (cline, lambda found: found),
    "cline_ui": (cline_ui, lambda found: found),
}
TEXTS: dict[str, Callable[[list[Event]], Any]] = {
    "text_hermes": hermes,
    "text_harmony": harmony,
    "glaive": glaive,
}
MODELS: dict[str, tuple[Observe, Callable[[list[Any]], Any]]] = {
    "http_exchanges": (exchange, lambda found: found),
    "otel_genai": (genai_span, lambda found: found),
    "vercel_spans": (vercel_span, lambda found: found),
    "openinference": (openinference_span, lambda found: found),
    "openllmetry": (openllmetry_span, lambda found: found),
    "langfuse": (langfuse_row, lambda found: found),
    "opik": (opik_span, lambda found: {"content": found}),
    "langsmith": (langsmith_run, lambda found: found),
}


def document_of(name: str, events: list[Event]) -> Any:
    """A document of a dialect in which this happens."""
    if name in TEXTS:
        return TEXTS[name](events)
    if name in MODELS:
        observe, wrap_all = MODELS[name]
        asked = requests(events)
        return wrap_all([observe(*each, place) for place, each in enumerate(asked)])
    make, wrap = MESSAGES[name]
    return wrap([found for event in events if (found := make(event)) is not None])

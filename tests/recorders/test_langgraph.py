"""What callbacks note, without LangChain; tests/stacks has the real agents."""

from __future__ import annotations

from types import SimpleNamespace
from typing import Any

from callscore.recorders.langgraph import _Callbacks


class Message:
    def __init__(self, kind: str, content: str = "", **fields: Any) -> None:
        self.type = kind
        self.content = content
        self.__dict__.update(fields)


def answer(*calls: tuple[str, dict[str, Any], str]) -> SimpleNamespace:
    made = [
        {"name": name, "args": args, "id": id_, "type": "tool_call"} for name, args, id_ in calls
    ]
    message = Message("ai", tool_calls=made, invalid_tool_calls=[])
    return SimpleNamespace(generations=[[SimpleNamespace(message=message)]])


ASKED = [[Message("human", "Hi")]]
LOOK = ("look", {"q": "a"}, "1")
GraphInterrupt = type("GraphInterrupt", (type("GraphBubbleUp", (Exception,), {}),), {})


def ask(run: _Callbacks, *calls: Any, id_: str = "m", messages: Any = None, **ids: Any) -> None:
    run.on_chat_model_start({}, messages or ASKED, run_id=id_, **ids)
    run.on_llm_end(answer(*calls), run_id=id_)


def begin(run: _Callbacks, id_: str = "t", **fields: Any) -> None:
    fields = {"tool_call_id": "1", "inputs": {"q": "a"}, **fields}
    run.on_tool_start({"name": "look"}, "{'q': 'a'}", run_id=id_, **fields)


def result(content: str, id_: str = "1", **fields: Any) -> Message:
    return Message("tool", content, tool_call_id=id_, **{"name": None, **fields})


def test_a_call_has_the_message_that_its_tool_returned() -> None:
    with _Callbacks() as run:
        ask(run, LOOK)
        begin(run)
        run.on_tool_end(result("ok"), run_id="t")

    (call,) = run.calls
    assert (call.name, call.arguments, call.id, call.step) == ("look", {"q": "a"}, "1", 0)
    assert (call.result, call.failed) == ("ok", False)


def test_a_tool_without_a_model_is_a_call() -> None:
    with _Callbacks() as run:
        begin(run, tool_call_id=None)
        run.on_tool_end("ok", run_id="t")
        run.on_tool_start(None, "text", run_id="u", name="other")

    assert [(call.name, call.arguments, call.result) for call in run.calls] == [
        ("look", {"q": "a"}, "ok"),
        ("other", {"input": "text"}, None),
    ]


def test_the_message_of_the_node_is_the_result_of_a_tool_that_raised() -> None:
    with _Callbacks() as run:
        run.on_chain_start({}, {}, run_id="root")
        ask(run, LOOK, parent_run_id="root")
        run.on_chain_start({}, {}, run_id="node", parent_run_id="root")
        begin(run, parent_run_id="node")
        run.on_tool_error(ValueError("bad"), run_id="t")
        run.on_chain_end({"messages": [result("handled", status="error")]}, run_id="node")

    assert [(call.result, call.failed) for call in run.calls] == [("handled", True)]


def test_a_tool_that_raised_has_the_error_if_nobody_answered() -> None:
    with _Callbacks() as run:
        ask(run, LOOK)
        begin(run)
        run.on_tool_error(ValueError("bad"), run_id="t")

    assert [(call.result, call.failed) for call in run.calls] == [("ValueError: bad", True)]


def test_a_result_that_no_tool_returned_is_the_one_of_the_call() -> None:
    with _Callbacks() as run:
        run.on_chain_start({}, {}, run_id="root")
        ask(run, LOOK, ("answer", {}, "2"))
        begin(run)
        run.on_tool_end(result("ok"), run_id="t")
        messages = [result("old", "0"), result("ok"), result("made up", "2", name="answer")]
        run.on_chain_end({"messages": messages}, run_id="root")

    assert [call.result for call in run.calls] == ["ok", "made up"]
    assert len(run._log.runs()[0]["document"]) == 5


def test_an_interrupt_is_not_a_result() -> None:
    with _Callbacks() as run:
        ask(run, LOOK)
        begin(run)
        run.on_tool_error(GraphInterrupt(), run_id="t")
        waiting = run.calls
        begin(run, "again")
        run.on_tool_end(result("ok"), run_id="again")

    assert [(call.result, call.failed) for call in waiting] == [(None, None)]
    assert [(call.result, call.failed) for call in run.calls] == [("ok", False)]


def test_messages_that_were_recorded_before_are_not_repeated() -> None:
    conversation = [
        *(Message("system", "secret"), Message("human", "Hi"), Message("ai", "x"), result("old")),
        *(Message("ai", "y"), result("new")),
    ]
    with _Callbacks() as run:
        ask(run, messages=[conversation])

    (recorded,) = run._log.runs()
    kept = recorded["document"][0]["data"]["input"]["messages"]
    assert [getattr(message, "content", None) for message in kept] == [
        *(None, "Hi", None, None),
        *(None, "new"),
    ]
    assert "secret" not in str(kept)


def test_models_in_a_graph_within_the_graph_are_subagents() -> None:
    with _Callbacks() as run:
        ask(run, LOOK, metadata={"langgraph_checkpoint_ns": "a:1|b:2", "user_id": "secret"})

    assert run.calls[0].caller == "subagent"
    assert "secret" not in str(run._log.runs())

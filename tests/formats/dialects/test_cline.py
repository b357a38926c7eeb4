"""What is read of the tasks of Cline and Roo Code."""

from __future__ import annotations

from typing import Any

import pytest

from callscore.formats.dialects import cline
from callscore.formats.trace import DEFAULT_READ_OPTIONS, Trace

DETAILS = "<environment_details>\n# Files\n</environment_details>"


def user(*texts: Any) -> dict[str, Any]:
    return {"role": "user", "content": [as_block(text) for text in texts]}


def agent(*texts: Any) -> dict[str, Any]:
    return {"role": "assistant", "content": [as_block(text) for text in texts]}


def as_block(value: Any) -> Any:
    return {"type": "text", "text": value} if isinstance(value, str) else value


def tool(id_: str, name: str = "read_file", **arguments: Any) -> dict[str, Any]:
    return {"type": "tool_use", "id": id_, "name": name, "input": arguments}


def only(document: Any) -> Trace:
    [trace] = cline.read(document, DEFAULT_READ_OPTIONS)
    return trace


def called(*texts: str) -> list[tuple[str, Any]]:
    return [(call.name, call.arguments) for call in only([agent(*texts)]).calls or ()]


READ = "<read_file>\n<path>a.py</path>\n</read_file>"


# --- calls as tags -----------------------------------------------------------------------------


def test_the_values_of_parameters_are_trimmed_text() -> None:
    text = (
        "I look.\n<search_files>\n<path> src </path>\n<regex>\n\\d+ &lt;\n</regex>\n</search_files>"
    )

    assert called(text) == [("search_files", {"path": "src", "regex": "\\d+ &lt;"})]


def test_the_content_of_a_file_ends_at_the_last_tag() -> None:
    content = "<p></content>\n<path>x</path>"
    text = f"<write_to_file>\n<path>a</path>\n<content>\n{content}\n</content>\n</write_to_file>"

    assert called(text) == [("write_to_file", {"path": "a", "content": content})]


def test_a_parameter_may_have_tags_in_it_and_a_tool_no_parameters() -> None:
    text = "<read_file>\n<args>\n<file><path>a</path></file>\n</args>\n</read_file>"

    assert called(text, "<load_mcp_documentation>\n</load_mcp_documentation>") == [
        ("read_file", {"args": "<file><path>a</path></file>"}),
        ("load_mcp_documentation", {}),
    ]


def test_tags_that_are_no_tools_and_tools_in_a_sentence_are_no_calls() -> None:
    assert called("<thinking>I use <read_file> next.</thinking>\n<answer>x</answer>") == []


def test_a_call_that_is_cut_off_is_kept_with_its_text() -> None:
    [call] = only([agent("<write_to_file>\n<path>a</path>\n<content>x")]).calls or ()

    assert (call.name, call.arguments, call.error) == ("write_to_file", None, "truncated_json")
    assert call.raw == "<path>a</path>\n<content>x"


def test_tags_that_are_not_closed_are_no_parameters() -> None:
    text = "<execute_command>\n<br><br><command>ls</command>\n</execute_command>"

    assert called(text) == [("execute_command", {"command": "ls"})]


def test_the_tools_of_forks_are_known_by_their_results() -> None:
    messages = [agent("<edit_file>\n<path>a</path>\n</edit_file>"), user("[edit_file] Result:\nok")]

    [call] = only(messages).calls or ()

    assert (call.name, call.result) == ("edit_file", "ok")


def test_examples_in_the_text_of_the_user_are_no_calls() -> None:
    assert only([user(f"<task>\n{READ}\n</task>")]).calls == ()


USE_MCP = """\
<use_mcp_tool>
<server_name>docs</server_name>
<tool_name>search</tool_name>
<arguments>
{"q": 1}
</arguments>
</use_mcp_tool>"""


@pytest.mark.parametrize(
    "block",
    [
        USE_MCP,
        tool("a", "use_mcp_tool", server_name="docs", tool_name="search", arguments='{"q": 1}'),
        tool("a", "use_mcp_tool", server_name="docs", tool_name="search", arguments={"q": 1}),
    ],
)
def test_a_tool_of_a_server_is_called_by_its_own_name(block: Any) -> None:
    [call] = only([agent(block), user("[use_mcp_tool for 'docs'] Result:\nfound")]).calls or ()

    assert (call.name, call.arguments, call.kind) == ("search", {"q": 1}, "mcp")
    assert call.result == "found"


def test_roo_has_the_server_in_the_name_of_the_tool() -> None:
    [call] = only([agent(tool("a", "mcp--docs--search", q=1))]).calls or ()

    assert (call.name, call.kind) == ("mcp--docs--search", "mcp")


# --- results -----------------------------------------------------------------------------------


@pytest.mark.parametrize(
    "texts",
    [
        ("[read_file for 'a.py'] Result:\nx",),
        ("[read_file for 'a.py'] Result:", "x", DETAILS),
        (f"[read_file for 'a.py'] Result:\n\nx\n{DETAILS}",),
    ],
)
def test_a_result_is_in_the_text_after_its_heading_or_in_the_next(texts: tuple[str, ...]) -> None:
    [call] = only([agent(READ), user(*texts)]).calls or ()

    assert (call.result, call.failed) == ("x", False)


@pytest.mark.parametrize(
    "text",
    [
        "[read_file for 'a.py'] Result:\nThe tool execution failed with the following error:\nx",
        "[read_file for 'a.py'] Result:\nThe user denied this operation.",
        "Tool [read_file] was not executed because a tool has already been used.",
        "Tool [read_file for 'a.py'] was not executed due to user rejection.",
    ],
)
def test_a_failure_is_told_by_its_text(text: str) -> None:
    [call] = only([agent(READ), user(text)]).calls or ()

    assert call.failed is True


def test_results_without_ids_reach_the_calls_of_a_message_in_order() -> None:
    messages = [
        agent("I read.", tool("a", path="a"), tool("b", path="b")),
        user("[read_file for 'a'] Result:\nx", "Tool [read_file] was not executed because …"),
    ]

    first, second = only(messages).calls or ()

    assert (first.id, first.result, first.failed) == ("a", "x", False)
    assert (second.id, second.failed) == ("b", True)


def test_blocks_of_results_have_the_id_of_their_call() -> None:
    def result(id_: str, content: Any, **more: Any) -> dict[str, Any]:
        return {"type": "tool_result", "tool_use_id": id_, "content": content, **more}

    text = "[read_file for 'b'] Result:\nThe tool execution failed with the following error:\nx"
    calls = only(
        [
            agent(tool("a"), tool("b"), tool("c")),
            user(result("c", "x"), result("b", text), result("a", "x", is_error=True), {"x": 1}),
        ]
    ).calls

    assert [call.failed for call in calls or ()] == [True, True, False]


def test_messages_may_be_plain_text() -> None:
    trace = only(
        [
            {"role": "user", "content": f"<task>\nFix it.\n</task>\n{DETAILS}"},
            {"role": "assistant", "content": READ},
            {"role": "user", "content": "[read_file for 'a.py'] Result:\nx"},
        ]
    )

    [call] = trace.calls or ()
    assert (trace.input or "").startswith("<task>")
    assert (call.step, call.result) == (0, "x")


def test_tags_beside_calls_are_only_text() -> None:
    assert [call.id for call in only([agent(READ, tool("a"))]).calls or ()] == ["a"]


# --- exports -----------------------------------------------------------------------------------


def export(*turns: str) -> str:
    names = ("User", "Assistant")
    return "\n\n---\n\n".join(
        f"**{names[place % 2]}:**\n\n{turn}" for place, turn in enumerate(turns)
    )


def test_an_export_has_the_calls_and_the_results() -> None:
    text = export(
        "<task>\nFix it.\n</task>", f"I read.\n{READ}", "[read_file for 'a.py'] Result:\nx"
    )

    for document in (text, text.replace("\n", "\r\n")):
        [call] = only(document).calls or ()

        assert cline.recognizes(document)
        assert (call.name, call.arguments, call.result) == ("read_file", {"path": "a.py"}, "x")


def test_several_results_in_one_turn_of_an_export_are_told_apart() -> None:
    answers = "[read_file for 'a.py'] Result:\nx\n[list_files for 'b'] Result:\ny"
    listing = "<list_files>\n<path>b</path>\n</list_files>"

    calls = only(export("<task>", READ + listing, answers)).calls or ()

    assert [call.result for call in calls] == ["x", "y"]


def test_calls_that_an_export_writes_out_have_their_arguments_if_these_are_clear() -> None:
    answer = "I do.\n[Tool Use: read_file]\nPath: a.py\n[Tool Use: think]\nThought: one\nand two"
    text = export("Fix it.", answer, "[Tool]\nx\n[Tool (Error)]\nno")

    first, second = only(text).calls or ()

    assert cline.recognizes(text)
    assert (first.arguments, first.result, first.failed) == ({"path": "a.py"}, "x", False)
    assert (second.arguments, second.error) == (None, "not_captured")
    assert (second.result, second.failed) == ("no", True)


# --- recognition -------------------------------------------------------------------------------


@pytest.mark.parametrize(
    "document",
    [
        [user("<task>\nFix it.\n</task>")],
        [user("<user_message>\nFix it.\n</user_message>"), {"type": "reasoning"}],
        [user("Fix it.", DETAILS)],
        [user("Fix it."), agent(READ), user("[read_file for 'a.py'] Result:")],
        {"messages": [user("<task>\nFix it.\n</task>")]},
        {"version": 1, "agent": "lead", "sessionId": "s", "messages": [user("Fix it.")]},
    ],
)
def test_tasks_are_claimed(document: Any) -> None:
    assert cline.recognizes(document)


@pytest.mark.parametrize(
    "document",
    [
        [user("Fix it."), agent(tool("a"))],
        [{"role": "system", "content": "<task>"}],
        [user("<task>"), {"role": "assistant", "tool_calls": []}],
        {"messages": [user("Fix it.")], "sessionId": "s"},
        "**User:**\n\nHello\n\n---\n\n**Assistant:**\n\nHello",
        "**User:**\n\n<task>",
        "Fix it. <task>",
    ],
)
def test_look_alikes_are_left_to_others(document: Any) -> None:
    assert not cline.recognizes(document)


def test_a_session_has_a_name() -> None:
    assert only({"sessionId": "s", "messages": [user("Fix it.")]}).id == "s"

"""What is read of the exports of Copilot Chat."""

from __future__ import annotations

from typing import Any

from callscore.formats.dialects import copilot
from callscore.formats.trace import DEFAULT_READ_OPTIONS


def called(id_: str, **more: Any) -> dict[str, Any]:
    return {"id": id_, "kind": "toolCall", "tool": "read_file", "args": "{}", **more}


def test_every_prompt_is_a_run_and_every_request_begins_a_step() -> None:
    request = {"id": "r", "kind": "request"}
    logs = [request, called("a__vscode-1"), called("b"), request, called("c", response=["x", "y"])]

    first, second = copilot.read(
        {"prompts": [{"prompt": "go", "logs": logs}, {"prompt": "thanks", "logs": []}]},
        DEFAULT_READ_OPTIONS,
    )

    assert (first.input, second.input, second.calls) == ("go", "thanks", ())
    assert [(call.id, call.step, call.result) for call in first.calls or ()] == [
        ("a", 0, None),
        ("b", 0, None),
        ("c", 1, "x\ny"),
    ]


def test_prompts_of_other_programs_are_not_recognized() -> None:
    assert not copilot.recognizes({"prompts": []})
    assert not copilot.recognizes({"prompts": [{"prompt": "go"}]})
    assert not copilot.recognizes({"prompts": [{"prompt": "go", "logs": ["x"]}]})

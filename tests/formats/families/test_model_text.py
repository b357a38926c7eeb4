"""Text as a model wrote it."""

from __future__ import annotations

import pytest

from callscore.formats.families.model_text import (
    answer_texts,
    split_turns,
    tools_in,
    without_thoughts,
)

BAR = "\uff5c"


@pytest.mark.parametrize(
    ("text", "found"),
    [
        ("hello", [("assistant", "hello")]),
        ("", []),
        (
            "<|im_start|>user\nhi<|im_end|>\n<|im_start|>assistant\nho<|im_end|>",
            [("user", "\nhi"), ("", "\n"), ("assistant", "\nho")],
        ),
        ("ho<|im_end|>", [("assistant", "ho")]),
        ("<|im_user|>user<|im_middle|>hi<|im_end|>", [("user", "hi")]),
        (
            "<|start_header_id|>ipython<|end_header_id|>\n\n18<|eot_id|>",
            [("ipython", "\n\n18")],
        ),
        ("<|header_start|>assistant<|header_end|>ho<|eot|>", [("assistant", "ho")]),
        ("<|user|>hi<|assistant|>ho", [("user", "hi"), ("assistant", "ho")]),
        (
            f"<{BAR}User{BAR}>hi<{BAR}Assistant{BAR}>ho<{BAR}end▁of▁sentence{BAR}>",
            [("user", "hi"), ("assistant", "ho")],
        ),
    ],
)
def test_a_text_is_cut_into_turns(text: str, found: list[tuple[str, str]]) -> None:
    assert list(split_turns(text)) == found


@pytest.mark.parametrize(
    ("text", "rest"),
    [
        ("a", "a"),
        ("<think>x</think>\na", "a"),
        ("<think>x</think> <think>y</think>a", "a"),
        ("[THINK]x[/THINK]a", "a"),
        ("x</think>a", "a"),
        ("<think>x", ""),
        ("a <think>x</think>", "a <think>x</think>"),
    ],
)
def test_the_thoughts_before_an_answer_are_no_part_of_it(text: str, rest: str) -> None:
    assert without_thoughts(text) == rest


def test_the_answers_are_what_the_model_said() -> None:
    text = "<|user|>hi<|assistant|><think>x</think>one<|user|>go on<|assistant|>two"

    assert list(answer_texts(text)) == ["one", "two"]


def test_tools_are_defined_in_a_prompt() -> None:
    text = 'within <tools></tools> tags:\n<tools>\n{"name": "f"}\n[{"name": "g"}]\n</tools>'

    assert [tool.name for tool in tools_in(text)] == ["f", "g"]
    assert tools_in("no tools") == []
    assert tools_in(5) == []

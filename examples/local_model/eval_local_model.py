"""A real language model on ten questions: no key, and nothing leaves this machine.

Usage: python serve.py callscore run . --jobs 2
"""

from __future__ import annotations

import os
from pathlib import Path
from typing import Any

from callscore import Case, evaluation, read_tools
from callscore.models import chat

FOLDER = Path(__file__).parent
TOOLS = (FOLDER / "tools.json").read_text(encoding="utf-8")
INSTRUCTIONS = f"You call tools for the user. Answer with [] when no tool is needed. Tools: {TOOLS}"
# What the model is shown under one of the variants: questions, and the answers that they need.
SHOWN = {
    "Is it warm in Rome?": '[{"name":"getWeather","arguments":{"location":"Rome"}}]',
    "What is 6 times 4?": '[{"name":"calculator","arguments":{"operation":"multiply","a":6,"b":4}}]',
    "Good morning!": "[]",
    "What is the weather like in Tokyo?": '[{"name":"getWeather","arguments":{"location":"Tokyo"}}]',
    "What is 3 plus 40?": '[{"name":"calculator","arguments":{"operation":"add","a":3,"b":40}}]',
    "Thanks!": "[]",
}


def answer_format() -> dict[str, Any]:
    """What an answer may be: no call, or one call of one of the tools, with arguments that it takes.

    A model of this size does not know how to call tools. It cannot go wrong in form, though, where
    the server lets it write nothing else.
    """
    calls = [
        {
            "type": "object",
            "properties": {"name": {"const": tool.name}, "arguments": tool.parameters},
            "required": ["name", "arguments"],
            "additionalProperties": False,
        }
        for tool in read_tools(TOOLS)
    ]
    schema = {"type": "array", "maxItems": 1, "items": {"oneOf": calls}}
    return {"type": "json_schema", "json_schema": {"name": "calls", "schema": schema}}


ask = chat(
    "SmolLM2-135M",
    base_url=os.environ.get("LOCAL_MODEL", "http://127.0.0.1:8080/v1"),
    temperature=0,
    max_tokens=200,
    response_format=answer_format(),
)


@evaluation(
    cases="cases.yaml",
    tools="tools.json",
    scorers=["tool_called", "parameters_valid", "accuracy"],
    variants={"told": {"examples": {}}, "shown": {"examples": SHOWN}},
)
async def local_model(case: Case, *, examples: dict[str, str]) -> str:
    """The text that the model answers: a list of calls, as callscore reads them from text."""
    messages = [{"role": "system", "content": INSTRUCTIONS}]
    for question, answer in examples.items():
        messages.append({"role": "user", "content": question})
        messages.append({"role": "assistant", "content": answer})
    messages.append({"role": "user", "content": case.input})
    response = await ask(messages)
    text: str = response["choices"][0]["message"]["content"]
    return text

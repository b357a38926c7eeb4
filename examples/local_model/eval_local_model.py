"""Evaluate a real language model on ten questions, on this machine and without a key.

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
# Questions and correct answers, for the variant `few_shot`.
EXAMPLES = {
    "Is it warm in Rome?": '[{"name":"getWeather","arguments":{"location":"Rome"}}]',
    "What is 6 times 4?": '[{"name":"calculator","arguments":{"operation":"multiply","a":6,"b":4}}]',
    "Good morning!": "[]",
    "What is the weather like in Tokyo?": '[{"name":"getWeather","arguments":{"location":"Tokyo"}}]',
    "What is 3 plus 40?": '[{"name":"calculator","arguments":{"operation":"add","a":3,"b":40}}]',
    "Thanks!": "[]",
}


def answer_format() -> dict[str, Any]:
    """The schema of an answer: no call, or one call of a tool with arguments that the tool accepts.

    A model of this size cannot call tools, but the server makes it write in this form.
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
    variants={"zero_shot": {"examples": {}}, "few_shot": {"examples": EXAMPLES}},
)
async def local_model(case: Case, *, examples: dict[str, str]) -> str:
    """Return the text of the answer: a list of calls, which callscore reads from text."""
    messages = [{"role": "system", "content": INSTRUCTIONS}]
    for question, answer in examples.items():
        messages.append({"role": "user", "content": question})
        messages.append({"role": "assistant", "content": answer})
    messages.append({"role": "user", "content": case.input})
    response = await ask(messages)
    text: str = response["choices"][0]["message"]["content"]
    return text

"""A suite that asks a model, from the file to the server and back."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import msgspec
import pytest
from tests.servers.openai_server import Reply, openai_server

if TYPE_CHECKING:
    from pathlib import Path

    from tests.e2e.conftest import Program

YAML = """\
model:
  name: small
  base_url: {url}
  parameters: {{temperature: 0}}
system: Be kind.
prompt: "Question: {{{{input}}}}"
tools:
  - name: getWeather
    parameters: {{type: object, properties: {{location: {{type: string}}}}, required: [location]}}
scorers: [accuracy, parameters_valid]
variants:
  cold: {{}}
  warm: {{model: large, parameters: {{temperature: 0.9}}}}
judge: {{name: strict, base_url: "{url}"}}
cases:
  - input: What is the weather in Paris?
    expected: [{{name: getWeather, arguments: {{location: {{$judge: Is it in France?}}}}}}]
  - id: greeting
    input: Hi!
    expected: []
"""
TOML = """\
system = "Be kind."
prompt = "Question: {{{{input}}}}"
scorers = ["accuracy", "parameters_valid"]

[model]
name = "small"
base_url = "{url}"
parameters = {{temperature = 0}}

[judge]
name = "strict"
base_url = "{url}"

[[tools]]
name = "getWeather"
parameters = {{type = "object", properties.location.type = "string", required = ["location"]}}

[variants.cold]
[variants.warm]
model = "large"
parameters = {{temperature = 0.9}}

[[cases]]
input = "What is the weather in Paris?"
[[cases.expected]]
name = "getWeather"
arguments.location."$judge" = "Is it in France?"

[[cases]]
id = "greeting"
input = "Hi!"
expected = []
"""


def answer(body: dict[str, Any], _: int) -> Reply:
    """The small model calls as it should, the large one says hello to everybody."""
    if body["model"] == "strict":
        return Reply(text='{"verdict": true, "reason": "Paris is."}')
    if body["model"] == "small" and "Paris" in body["messages"][-1]["content"]:
        return Reply(calls=[("getWeather", {"location": "Paris"})])
    return Reply(text="Hello!")


@pytest.mark.parametrize(("name", "text"), [("eval_a.yaml", YAML), ("eval_a.toml", TOML)])
def test_a_suite_asks_a_model_as_it_says(
    callscore: Program, tmp_path: Path, name: str, text: str
) -> None:
    with openai_server(answer) as server:
        (tmp_path / name).write_text(text.format(url=server.base_url))
        ran = callscore("run", name, "--format", "json")
    requests = [request.body for request in server.requests if request.body["model"] != "strict"]
    judged = [request.body for request in server.requests if request.body["model"] == "strict"]

    report = msgspec.json.decode(ran.stdout)
    assert ran.returncode == 1, ran.stderr  # a case fails
    assert [
        (each["variant"], each["passed"], each["answered"]) for each in report["evaluations"]
    ] == [
        ("cold", 2, 2),
        ("warm", 1, 2),
    ]
    assert sorted((each["model"], each["temperature"]) for each in requests) == [
        ("large", 0.9),
        ("large", 0.9),
        ("small", 0),
        ("small", 0),
    ]
    assert {each["messages"][0]["content"] for each in requests} == {"Be kind."}
    assert {each["messages"][-1]["content"] for each in requests} == {
        "Question: What is the weather in Paris?",
        "Question: Hi!",
    }
    assert {each["tools"][0]["function"]["name"] for each in requests} == {"getWeather"}
    assert len(judged) == 1

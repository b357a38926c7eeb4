"""The scorer inside Inspect: evaluations with `eval`, and a log that is scored later."""

from __future__ import annotations

import re
import subprocess
import sys
from pathlib import Path
from typing import Any

import msgspec
import pytest
from inspect_ai import Task, eval  # noqa: A004  (Inspect calls it so)
from inspect_ai.dataset import Sample
from inspect_ai.model import (
    ChatMessageAssistant,
    ChatMessageTool,
    ChatMessageUser,
    ModelOutput,
    ModelUsage,
    get_model,
)
from inspect_ai.solver import generate, solver, use_tools
from inspect_ai.tool import ToolCall, tool
from tests.stacks.samples import CASES, EXPECTED, OPTIONS, WORDS, messages

import callscore
from callscore.adapters.inspect_ai import tool_calls
from callscore.errors import InvalidSettings

PAGE = Path(__file__).parents[2] / "docs/stacks/inspect-ai.md"


def _conversation(calls: list[tuple[str, str]]) -> list[Any]:
    """The calls as Inspect has them: arguments that are not JSON are an error of parsing."""
    found: list[Any] = []
    for number, (name, text) in enumerate(calls):
        try:
            parsed, problem = msgspec.json.decode(text), None
        except msgspec.DecodeError as error:
            parsed = {}
            problem = f"Error parsing the following tool call arguments:\n\n{text}\n\nError details: {error}"
        call = ToolCall(id=f"call_{number}", function=name, arguments=parsed, parse_error=problem)
        found += [
            ChatMessageAssistant(content="", tool_calls=[call]),
            ChatMessageTool(content="done", tool_call_id=call.id, function=name),
        ]
    return [*found, ChatMessageAssistant(content=WORDS)]


@solver
def _replay() -> Any:
    async def solve(state: Any, generate: Any) -> Any:  # noqa: ARG001  (as Inspect calls it)
        state.messages.extend(_conversation(CASES[state.metadata["case"]][1]))
        return state

    return solve


@solver
def _nothing() -> Any:
    async def solve(state: Any, generate: Any) -> Any:  # noqa: ARG001  (as Inspect calls it)
        return state

    return solve


def _json(value: Any) -> str:
    return msgspec.json.encode(value).decode()


def _samples() -> list[Any]:
    return [
        Sample(
            id=name, input="How is the weather?", target=_json(expected), metadata={"case": name}
        )
        for name, (expected, _) in CASES.items()
    ]


def _run(folder: Path, samples: list[Any], scorer: Any, *, by: Any = None, **options: Any) -> Any:
    task = Task(dataset=samples, solver=by or _replay(), scorer=scorer)
    found = eval(task, model="mockllm/model", display="none", log_dir=str(folder), **options)
    return found[0]


@pytest.mark.parametrize("options", OPTIONS, ids=str)
def test_every_sample_has_the_score_of_score(options: Any, tmp_path: Path) -> None:
    log = _run(tmp_path, _samples(), tool_calls(**options))

    assert log.status == "success"
    assert {sample.id for sample in log.samples} == set(CASES)
    values = []
    for sample in log.samples:
        expected, calls = CASES[sample.id]
        alone = callscore.score(expected, messages(calls), **options)
        found = sample.scores["tool_calls"]
        assert found.value == alone.f1, sample.id
        assert found.explanation == str(alone)
        assert found.metadata["passed"] == alone.passed
        assert found.metadata["missed"] == len(alone.missed)
        values.append(alone.f1)
    (result,) = log.results.scores
    assert result.metrics["mean"].value == pytest.approx(sum(values) / len(values))
    assert "stderr" in result.metrics


@tool
def get_weather() -> Any:
    async def execute(city: str) -> str:
        """The weather in a city.

        Args:
            city: The city.
        """
        return f"18 degrees in {city}"

    return execute


def _answer(asked: list[Any], *_: Any) -> ModelOutput:
    """A model that asks for Rome and then for Paris, and answers in words."""
    cities = ["Rome", "Paris"][sum(message.role == "tool" for message in asked) :]
    if not cities:
        output = ModelOutput.from_content("mockllm", WORDS)
    else:
        output = ModelOutput.for_tool_call("mockllm", "get_weather", {"city": cities[0]})
    output.usage = ModelUsage()
    return output


def test_the_calls_of_all_turns_of_a_model_count(tmp_path: Path) -> None:
    expected = [("get_weather", {"city": "Rome"}), ("get_weather", {"city": "Paris"})]
    task = Task(
        dataset=[Sample(input="How is the weather?", target=_json(expected))],
        solver=[use_tools(get_weather()), generate()],
        scorer=tool_calls(order="exact"),
    )

    log = eval(
        task,
        model=get_model("mockllm/model", custom_outputs=_answer),
        display="none",
        log_dir=str(tmp_path),
    )[0]

    found = log.samples[0].scores["tool_calls"]
    assert (found.value, found.metadata["correct"]) == (1, 2)
    assert found.answer == 'get_weather(city="Rome"), get_weather(city="Paris")'


def test_calls_in_the_input_are_not_those_of_the_model(tmp_path: Path) -> None:
    shown = [ChatMessageUser(content="An example:"), *_conversation(CASES["correct"][1])]
    sample = Sample(
        input=[*shown, ChatMessageUser(content="And now?")],
        target="[]",
        metadata={"case": "rightly nothing called"},
    )

    log = _run(tmp_path, [sample], tool_calls())

    assert log.samples[0].scores["tool_calls"].value == 1


@pytest.mark.parametrize(
    ("options", "metadata"),
    [({}, {"expected_calls": EXPECTED}), ({"expected_key": "gold"}, {"gold": EXPECTED})],
    ids=["a known key", "a key that is named"],
)
def test_the_expected_calls_can_be_in_the_metadata(
    options: Any, metadata: Any, tmp_path: Path
) -> None:
    sample = Sample(input="?", target=WORDS, metadata={"case": "correct", **metadata})

    log = _run(tmp_path, [sample], tool_calls(**options))

    assert log.samples[0].scores["tool_calls"].value == 1


def test_an_output_that_is_not_in_the_conversation_counts(tmp_path: Path) -> None:
    @solver
    def only_output() -> Any:
        async def solve(state: Any, generate: Any) -> Any:  # noqa: ARG001  (as Inspect calls it)
            state.output = ModelOutput.for_tool_call("mockllm", "save", {})
            return state

        return solve

    log = _run(tmp_path, [Sample(input="?", target='["save"]')], tool_calls(), by=only_output())

    assert log.samples[0].scores["tool_calls"].value == 1


@pytest.mark.parametrize(
    ("sample", "by", "problem"),
    [
        ({"target": ""}, "_replay", "no reference"),
        ({"target": WORDS}, "_replay", "does not say which calls are expected"),
        ({"target": ["save"]}, "_replay", 'as JSON text: target=\\\'["save"]'),
        ({"target": ["[]", "[]"]}, "_replay", "a list of 2 texts"),
        ({"target": "[]"}, "_nothing", "has no answer"),
    ],
    ids=["no reference", "another reference", "a name", "several references", "no answer"],
)
def test_a_sample_that_cannot_be_scored_is_an_error_of_the_evaluation(
    sample: Any, by: str, problem: str, tmp_path: Path
) -> None:
    made = Sample(input="?", metadata={"case": "correct"}, **sample)
    solvers = {"_replay": _replay, "_nothing": _nothing}

    log = _run(tmp_path, [made], tool_calls(), by=solvers[by]())

    assert log.status == "error"
    assert problem in log.error.message


def test_two_scorers_have_names_and_log_their_options(tmp_path: Path) -> None:
    both = [tool_calls(), tool_calls(name="coverage", preset="coverage")]

    log = _run(tmp_path, _samples(), both)

    assert [score.name for score in log.results.scores] == ["tool_calls", "coverage"]
    assert log.eval.scorers[1].options == {"preset": "coverage"}


@pytest.mark.parametrize("options", [{"treshold": 1}, {"mode": "loose"}])
def test_options_are_checked_before_a_sample_runs(options: Any) -> None:
    with pytest.raises(InvalidSettings):
        tool_calls(**options)


def test_a_sample_that_cannot_be_scored_is_not_in_the_mean(tmp_path: Path) -> None:
    """As the page warns."""
    bad = Sample(input="?", metadata={"case": "correct"})

    log = _run(tmp_path, [*_samples()[:1], bad], tool_calls(), fail_on_error=False)

    assert (log.status, len(log.samples)) == ("success", 2)
    assert log.results.scores[0].scored_samples == 1
    assert log.results.scores[0].metrics["mean"].value == 1
    assert log.eval.dataset.samples == 2


def test_a_log_is_scored_later_with_the_command_of_the_page(tmp_path: Path) -> None:
    log = _run(tmp_path, _samples(), scorer=None)

    ran = _score_again(log, tmp_path)

    values = [callscore.score(*_sides(name), preset="flexible").f1 for name in CASES]
    assert ran.returncode == 0, ran.stderr
    assert f"{sum(values) / len(values):.3f}" in ran.stdout


def test_the_command_hides_what_is_wrong_with_an_option(tmp_path: Path) -> None:
    """As the page warns."""
    log = _run(tmp_path, _samples(), scorer=None)

    ran = _score_again(log, tmp_path, preset="flexibel")

    assert ran.returncode != 0
    assert "couldn't be loaded" in " ".join((ran.stdout + ran.stderr).split())


def _score_again(log: Any, folder: Path, preset: str = "flexible") -> Any:
    """Run the command of the page for a log, without anyone who could answer a question."""
    page = PAGE.read_text(encoding="utf-8")
    (line,) = re.findall(r"^inspect score .*$", page, re.MULTILINE)
    command = line.replace("logs/weather.eval", log.location).replace(
        "preset=flexible", f"preset={preset}"
    )
    _, *arguments = command.split()
    return subprocess.run(
        [str(Path(sys.executable).parent / "inspect"), *arguments, "--display", "plain"],
        stdin=subprocess.DEVNULL,
        capture_output=True,
        text=True,
        check=False,
        cwd=folder,
    )


def _sides(name: str) -> tuple[Any, Any]:
    expected, calls = CASES[name]
    return expected, messages(calls)

"""Inspect: evaluations that really run, their logs live and in both formats of files."""

from __future__ import annotations

import gc
from math import inf
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import TYPE_CHECKING, Any, NamedTuple

import pytest
from hypothesis import Phase, assume, given, settings
from hypothesis import strategies as st
from tests.differential.comparison import ARGUMENTS, CALLS, Said, dumps, loads, read, said, told

import callscore
from callscore.documents import traces_in

if TYPE_CHECKING:
    from collections.abc import Iterator

inspect_ai: Any = pytest.importorskip("inspect_ai")
datasets: Any = pytest.importorskip("inspect_ai.dataset")
logs: Any = pytest.importorskip("inspect_ai.log")
models: Any = pytest.importorskip("inspect_ai.model")
parsing: Any = pytest.importorskip("inspect_ai.model._call_tools")
scorers: Any = pytest.importorskip("inspect_ai.scorer")
solvers: Any = pytest.importorskip("inspect_ai.solver")
tooling: Any = pytest.importorskip("inspect_ai.tool")

# Inspect leaves streams open that it does not need any more: they are closed with a warning.
pytestmark = [
    pytest.mark.filterwarnings("ignore::ResourceWarning"),
    pytest.mark.filterwarnings("ignore::pytest.PytestUnraisableExceptionWarning"),
]

MODEL = "mockllm/model"
USAGE = models.ModelUsage(input_tokens=1, output_tokens=1, total_tokens=2)  # or it would be counted
CITIES = st.text(st.characters(exclude_categories=["Cs"]), max_size=200)
WEATHER = st.builds(
    lambda city, days: {"city": city, "days": days}, CITIES, st.lists(st.integers())
)
# A run takes a moment, so that each has many samples, and no smaller ones are tried.
RUNS = settings(max_examples=5, phases=[Phase.generate])
# As a scorer of Inspect's own has its states, as long as the run lasts.
SEEN: list[tuple[list[Said], list[Said]]] = []


def get_weather() -> Any:
    async def execute(city: str, days: list[int]) -> str:
        """What the weather is.

        Args:
            city: where
            days: when
        """
        if not days:
            raise tooling.ToolError("no days")
        return f"{city}: {days}"

    return execute


def is_as_asked() -> Any:
    async def score(state: Any, target: Any) -> Any:
        SEEN.append((read(state), calls_of(state.messages)))
        value = callscore.score(loads(target.text), state).f1
        return scorers.Score(value=value)

    return score


TOOL = tooling.tool(get_weather)
SCORER = scorers.scorer(metrics=[])(is_as_asked)


@pytest.fixture(autouse=True)
def _close_what_is_left_open() -> Iterator[None]:
    yield
    gc.collect()  # before a test of somebody else is blamed for it


class Run(NamedTuple):
    """One evaluation: its log as it came back, and its files."""

    log: Any
    archive: Path
    file: Path


def run(samples: list[list[Any]], folder: str) -> Run:
    """Run a model that makes these calls, one list a sample, and writes a word in the end."""

    def respond(history: list[Any], *_: Any) -> Any:
        if history[-1].role != "user":
            output = models.ModelOutput.from_content(MODEL, "done")
        else:
            message = models.ChatMessageAssistant(
                content="Well.", tool_calls=samples[int(history[-1].text)]
            )
            output = models.ModelOutput(
                model=MODEL, choices=[models.ChatCompletionChoice(message=message)]
            )
        return output.model_copy(update={"usage": USAGE})

    dataset = [
        datasets.Sample(
            id=f"sample {i}",
            input=str(i),
            target=dumps([{"name": call.function, "arguments": call.arguments} for call in calls]),
        )
        for i, calls in enumerate(samples)
    ]
    task = inspect_ai.Task(
        dataset=dataset,
        solver=[solvers.use_tools(TOOL()), solvers.generate()],
        scorer=SCORER(),
    )
    model = models.get_model(MODEL, custom_outputs=respond, memoize=False)
    (log,) = inspect_ai.eval(task, model=model, log_dir=folder, display="none", log_format="eval")
    file = Path(folder) / "log.json"
    archive = Path(log.location.removeprefix("file://"))
    logs.write_eval_log(logs.read_eval_log(str(archive)), str(file))
    return Run(log, archive, file)


def made(calls: list[tuple[str, Any]]) -> list[Any]:
    return [
        tooling.ToolCall(id=f"call_{i}", function=name, arguments=arguments)
        for i, (name, arguments) in enumerate(calls)
    ]


def calls_of(messages: Any) -> list[Said]:
    return [
        said(call.function, call.arguments, call.id)
        for message in messages
        for call in getattr(message, "tool_calls", None) or ()
    ]


@RUNS
@given(st.lists(CALLS.map(made), min_size=1, max_size=8))
def test_a_log_is_read_as_inspect_has_it_live_and_in_its_files(samples: Any) -> None:
    with TemporaryDirectory() as folder:
        log, archive, file = run(samples, folder)
        documents = [log, archive, file, log.model_dump_json(), logs.read_eval_log(str(file))]
        stored = logs.read_eval_log(str(archive), resolve_attachments=True)

        expected = {sample.id: calls_of(sample.messages) for sample in stored.samples}

        assert expected == {
            f"sample {i}": [said(call.function, call.arguments, call.id) for call in calls]
            for i, calls in enumerate(samples)
        }
        for document in documents:
            found = {trace.id: told(trace.any_calls) for trace in traces_in(document)}
            assert found == expected
        for sample in stored.samples:
            assert read(sample) == read(sample.messages) == calls_of(sample.messages)


@RUNS
@given(st.lists(WEATHER, min_size=1, max_size=8))
def test_results_and_failures_are_those_of_the_log(weather: Any) -> None:
    with TemporaryDirectory() as folder:
        log, archive, file = run([made([("get_weather", given)]) for given in weather], folder)
        found = [
            traces_in(document, read_options)
            for document in (log, archive, file, log.model_dump_json())
            for read_options in (callscore.ReadOptions(), callscore.ReadOptions(view="executed"))
        ]
        stored = logs.read_eval_log(str(archive), resolve_attachments=True)

    answers = {
        sample.id: message
        for sample in stored.samples
        for message in sample.messages
        if message.role == "tool"
    }
    expected = {
        id_: (answer.error is not None, answer.error.message if answer.error else answer.text)
        for id_, answer in answers.items()
    }

    assert len(expected) == len(weather)
    for traces in found:
        told = {trace.id: trace.any_calls[0] for trace in traces}
        assert {id_: (call.failed, call.result) for id_, call in told.items()} == expected


@RUNS
@given(st.lists(CALLS.map(made), min_size=1, max_size=8))
def test_a_scorer_can_hand_over_its_state(samples: Any) -> None:
    SEEN.clear()
    with TemporaryDirectory() as folder:
        log, _, _ = run(samples, folder)
        scores = [sample.scores["is_as_asked"].value for sample in log.samples]

    assert len(SEEN) == len(samples)
    for ours, theirs in SEEN:
        assert ours == theirs
    assert scores == [1] * len(samples)


def test_the_tools_of_a_log_are_read() -> None:
    with TemporaryDirectory() as folder:
        log, archive, file = run([made([])], folder)
        offered = next(event for event in log.samples[0].events if event.event == "model").tools

        expected = [
            (tool.name, tool.description, tool.parameters.model_dump(exclude_none=True))
            for tool in offered
        ]

        assert [tool[0] for tool in expected] == ["get_weather"]
        for document in (log, archive, file, log.model_dump_json()):
            assert [
                (tool.name, tool.description, tool.parameters)
                for tool in callscore.read_tools(document)
            ] == expected


def parsed(text: str) -> Any:
    return parsing.parse_tool_call("call_0", "f", text)


@given(ARGUMENTS, st.integers(1, 80), st.integers(0, 3), st.sampled_from(["", "}", "'", ","]))
def test_arguments_are_parsed_as_inspect_parses_them(
    arguments: Any, at: int, length: int, mark: str
) -> None:
    whole = dumps(arguments, ensure_ascii=False)
    text = whole[:at] + mark + whole[at + length :]
    theirs = parsed(text)
    assume("inf" not in repr(theirs.arguments))

    (ours,) = callscore.read_calls(theirs)
    (own,) = callscore.read_calls([{"function": {"name": "f", "arguments": text}}])

    if theirs.parse_error is None:
        assert (repr(ours.arguments), ours.error) == (repr(theirs.arguments), None)
        assert (repr(own.arguments), own.error) == (repr(theirs.arguments), None)
    else:
        # Inspect says `{}` where it could not parse, so that a reader has to look at the error.
        assert theirs.arguments == {}
        assert (ours.arguments, ours.raw) == (own.arguments, own.raw) == (None, text)
        assert ours.error == own.error


@pytest.mark.parametrize(
    ("text", "theirs", "ours"),
    [
        # They take a stray quote away.
        ('{"a": 1}"', {"a": 1}, (None, "invalid_json", '{"a": 1}"')),
        # A number that no float can hold becomes another.
        ('{"a": 1e400}', {"a": inf}, ({"a": 10**400}, None, None)),
    ],
)
def test_arguments_that_inspect_changes_are_read_as_they_were_written(
    text: str, theirs: Any, ours: Any
) -> None:
    (call,) = callscore.read_calls([{"function": {"name": "f", "arguments": text}}])

    assert parsed(text).arguments == theirs
    assert (call.arguments, call.error, call.raw) == ours


def test_a_parse_error_is_kept_on_its_way_through_a_log() -> None:
    broken = parsed('{"city": "Par')
    with TemporaryDirectory() as folder:
        log, archive, file = run([[broken]], folder)
        documents = [log, archive, file]
        found = [callscore.read_calls(document) for document in documents]

    for (call,) in found:
        assert (call.arguments, call.error) == (None, "truncated_json")
        assert (call.raw, call.failed) == ('{"city": "Par', True)

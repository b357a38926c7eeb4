"""The tools that read the history: the numbers of the commands, bounded, and without secrets."""

from __future__ import annotations

import shlex
from typing import TYPE_CHECKING, Any

import jsonschema_rs
import msgspec
import pytest
from click.testing import CliRunner
from tests.runner.agents import an_evaluation

from callscore.cli.program import cli
from callscore.core.case import Case
from callscore.errors import CallscoreError, UnknownRun
from callscore.evaluations.plan import make_plan
from callscore.history.opening import open_store
from callscore.integrations.history_tools import (
    HISTORY_TOOLS,
    LARGEST_ANSWER,
    compare_runs,
    gate,
    get_case,
    get_run,
    list_runs,
)
from callscore.runner import event_loop as looping
from callscore.runner.running import RunOptions, run

if TYPE_CHECKING:
    from collections.abc import Collection
    from pathlib import Path

CITIES = ("oslo", "rome", "lima", "cairo", "quito", "dakar", "tokyo", "minsk")


def asked_for(city: str) -> list[dict[str, Any]]:
    return [{"name": "get_weather", "arguments": {"city": city}}]


def add_run(
    folder: Path, name: str, *, wrong: Collection[str] = (), trials: int = 1, broken: str = ""
) -> str:
    """Add a run in which the agent is wrong about some cities, and fails at one; its id."""

    def agent(case: Case) -> Any:
        if case.id == broken:
            raise ValueError("no such city")
        return asked_for("nowhere" if case.id in wrong else case.id)

    cases = [
        Case(f"Weather in {city}?", id=city, expected=asked_for(city), tags=["north"])
        for city in CITIES
    ]
    plan = make_plan([an_evaluation(agent, *cases, trials=trials)])
    with open_store(folder / ".callscore/history.db") as store:
        found = run(plan, RunOptions(jobs=1, name=name), store=store)
    looping.close_idle_loop()  # the loop is of this test alone
    return found.id


@pytest.fixture
def project(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A project with a baseline, and a newer run that is worse."""
    monkeypatch.chdir(tmp_path)
    first = add_run(tmp_path, "first")
    add_run(tmp_path, "second", wrong=CITIES[:6])
    with open_store(tmp_path / ".callscore/history.db") as store:
        store.set_baseline("main", first)
    return tmp_path


def printed(*words: str) -> Any:
    """What a command writes as JSON."""
    ran = CliRunner().invoke(cli, [*words, "--format", "json"], standalone_mode=False)
    return msgspec.json.decode(ran.stdout)


# --- the same as the commands -------------------------------------------------------------------


@pytest.mark.usefixtures("project")
def test_the_runs_are_those_of_the_command() -> None:
    assert list_runs({})["runs"] == printed("history")
    assert list_runs({"tag": "north", "keyword": "assistant"})["runs"] == printed(
        "history", "--tag", "north", "-k", "assistant"
    )


@pytest.mark.usefixtures("project")
def test_a_comparison_is_that_of_the_command() -> None:
    found = compare_runs({"before": "first", "after": "second", "measure": "f1"})

    assert found["comparison"] == printed("compare", "first", "second", "--measure", "f1")
    assert found["comparison"]["verdict"] == "regressed"
    assert found["report"].startswith("## Regressed: ")


@pytest.mark.usefixtures("project")
@pytest.mark.parametrize("fail_on", ["default", "broken", "regressed", "any"])
def test_a_gate_is_that_of_the_command(fail_on: str) -> None:
    found = gate({"fail_on": fail_on})

    command = printed("gate", "--fail-on", fail_on)
    assert {name: found[name] for name in command} == command
    assert not found["is_open"]


@pytest.mark.usefixtures("project")
def test_a_case_is_that_of_the_command() -> None:
    found = get_case({"run": "second", "case": "oslo"})

    assert found["cases"] == printed("show", "second", "oslo")
    assert '~ city: "oslo"' in found["report"]
    assert found["cases"][0]["trials"][0]["passed"] is False


@pytest.mark.usefixtures("project")
def test_a_run_has_the_numbers_of_the_command_and_its_failing_cases() -> None:
    found, command = get_run({}), printed("show", "latest")

    assert found["totals"] == command["totals"]
    assert found["evaluations"][0]["passed"] == command["evaluations"][0]["passed"] == 2
    assert found["evaluations"][0]["f1"] == 0.25
    assert [each["case"] for each in found["cases"]] == [*CITIES[:6]]
    assert found["cases"][0]["scores"] == {"accuracy": 0.0}


@pytest.mark.usefixtures("project")
@pytest.mark.parametrize("name", HISTORY_TOOLS)
def test_every_answer_is_as_its_schema_says(name: str) -> None:
    tool = HISTORY_TOOLS[name]
    jsonschema_rs.meta.validate(tool.input_schema())

    answer = tool.run({"case": "oslo"} if name == "get_case" else {})

    jsonschema_rs.validate(tool.output_schema(), answer)


def test_the_history_tools_change_no_file_of_the_project(project: Path) -> None:
    def content() -> dict[str, bytes]:
        # SQLite creates files for readers beside the history.
        files = [each for each in project.rglob("*") if each.is_file()]
        return {str(each): each.read_bytes() for each in files if "history.db-" not in each.name}

    before = content()
    for name, tool in HISTORY_TOOLS.items():
        tool.run({"case": "oslo"} if name == "get_case" else {})

    assert content() == before


# --- pages --------------------------------------------------------------------------------------


@pytest.mark.usefixtures("project")
def test_pages_follow_one_another_and_end() -> None:
    first = list_runs({"limit": 1})
    second = list_runs({"limit": 1, "offset": first["next_offset"]})

    assert [each["name"] for each in first["runs"] + second["runs"]] == ["second", "first"]
    # The change since the run before is known on every page.
    assert first["runs"][0]["evaluations"][0]["change"] == -0.75
    assert second["next_offset"] is None


def test_the_trials_of_a_case_come_in_pages(project: Path) -> None:
    add_run(project, "third", wrong=["oslo"], trials=5)

    first = get_case({"case": "oslo", "limit": 3})
    rest = get_case({"case": "assistant::oslo", "limit": 3, "offset": 3})
    beyond = get_case({"case": "oslo", "offset": 9})

    assert [each["trial"] for each in first["cases"][0]["trials"]] == [1, 2, 3]
    assert [each["trial"] for each in rest["cases"][0]["trials"]] == [4, 5]
    assert (first["next_offset"], first["total_trials"], rest["next_offset"]) == (3, 5, None)
    assert (beyond["cases"][0]["trials"], beyond["report"]) == ([], "")
    assert get_run({})["cases"][0] | {"scores": None} == {
        "evaluation": "assistant",
        "case": "oslo",
        "trials": 5,
        "passed": 0,
        "errors": 0,
        "scores": None,
        "problem": None,
    }


def test_a_case_without_an_answer_says_why(project: Path) -> None:
    add_run(project, "third", broken="oslo")

    (case,) = get_run({})["cases"]

    assert (case["case"], case["errors"], case["passed"]) == ("oslo", 1, 0)
    assert "no such city" in case["problem"]
    assert "no such city" in get_case({"case": "oslo"})["report"]


# --- bounds -------------------------------------------------------------------------------------


@pytest.mark.slow
def test_a_long_text_is_cut_and_the_whole_is_named(project: Path) -> None:
    long = "x" * 1_000_000

    def agent(case: Case) -> Any:
        return [{"name": "get_weather", "arguments": {"city": long, "of": case.id}}]

    with open_store(project / ".callscore/history.db") as store:
        case = Case("Weather?", id="it's", expected=asked_for("oslo"))
        found = run(make_plan([an_evaluation(agent, case)]), RunOptions(jobs=1), store=store)
    looping.close_idle_loop()

    answer = get_case({"case": "it's"})

    (call,) = answer["cases"][0]["trials"][0]["calls"]
    assert len(msgspec.json.encode(answer)) <= LARGEST_ANSWER
    assert call["arguments"]["of"] == "it's"
    assert "more characters)" in call["arguments"]["city"]
    words = shlex.split(answer["note"].partition("To print everything: ")[2])
    assert words == ["callscore", "show", found.id, "it's", "--format", "json"]
    jsonschema_rs.validate(HISTORY_TOOLS["get_case"].output_schema(), answer)


# --- errors, and secrets --------------------------------------------------------------------------


@pytest.mark.usefixtures("project")
@pytest.mark.parametrize(
    ("name", "arguments", "told"),
    [
        ("get_run", {"run": "nobody"}, "unknown run 'nobody'"),
        ("get_run", {"keyword": "("}, "keyword '(': a word is missing"),
        ("get_case", {"case": "olso"}, "has no case 'olso'. Did you mean 'oslo'?"),
        ("gate", {"against": "release"}, "callscore baseline set"),
        ("gate", {"run": "latest~9"}, "the oldest is 'latest~1'"),
        ("compare_runs", {"measure": "speed"}, "speed"),
        ("compare_runs", {"before": "cases.jsonl"}, "is a file, and only saved runs are read"),
        ("get_run", {"run": "-"}, "is a file, and only saved runs are read"),
        ("get_case", {"case": "oslo", "run": "/etc/passwd"}, "is a file"),
    ],
)
def test_errors_say_what_to_do(name: str, arguments: Any, told: str) -> None:
    with pytest.raises(CallscoreError) as caught:
        HISTORY_TOOLS[name].run(arguments)

    assert told in str(caught.value)


def test_without_a_history_it_is_said_how_to_start(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)

    assert list_runs({}) == {
        "runs": [],
        "next_offset": None,
        "note": "There are no runs yet. Start with: callscore run",
    }
    for name in ("get_run", "compare_runs", "gate"):
        with pytest.raises(UnknownRun, match=r"does not exist\. Start with: callscore run\."):
            HISTORY_TOOLS[name].run({})
    monkeypatch.setenv("CALLSCORE_STORE", str(tmp_path / "elsewhere.db"))
    with pytest.raises(CallscoreError, match=r"elsewhere\.db"):
        list_runs({})
    assert [*tmp_path.iterdir()] == []


def test_the_history_of_the_environment_is_named_in_commands(
    project: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    place = project / ".callscore/history.db"
    monkeypatch.setenv("CALLSCORE_STORE", str(place))
    monkeypatch.chdir(project.parent)

    assert gate({})["next"].endswith(f" --store {shlex.quote(str(place))}")


def test_secrets_are_hidden(project: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    secret = "sk-agents-4711-abcdef"  # noqa: S105  (made up)

    def agent(case: Case) -> Any:
        return [{"name": f"get_{case.id}", "arguments": {"key": secret}}]

    # It was saved while nobody knew that it is a secret.
    with open_store(project / ".callscore/history.db") as store:
        case = Case(f"Use {secret}", id="key", expected=asked_for(secret), tags=[secret])
        run(make_plan([an_evaluation(agent, case)]), RunOptions(jobs=1), store=store)
    looping.close_idle_loop()
    monkeypatch.setenv("WEATHER_API_KEY", secret)

    answers = [
        list_runs({}),
        get_run({}),
        get_case({"case": "key"}),
        compare_runs({"before": "latest~1"}),
        gate({"against": "latest~1"}),
    ]

    assert secret not in msgspec.json.encode(answers).decode()
    assert "[hidden " in msgspec.json.encode(answers[2]).decode()

"""`callscore bless`, from the command line to the files."""

from __future__ import annotations

import os
import pty
import subprocess
import sys
from typing import TYPE_CHECKING, Any

import pytest
from tests.e2e.agents import add_file
from tests.e2e.conftest import SOURCE
from tests.servers.openai_server import Reply, openai_server

if TYPE_CHECKING:
    from pathlib import Path

    from tests.e2e.conftest import Program

YAML = """\
# The cases of the team.
- id: paris   # the first
  input: weather in Paris
  expected:
    - name: get_weather   # whatever the country
      arguments: {city: Paris}
- id: oslo
  input: weather in Oslo
  expected:
    - {name: get_weather, arguments: {city: {$regex: ^O}}}
"""
AGENT = """
def called(case):
    city = case.input.split()[-1]
    country = {"Paris": ", FR"}.get(city, "")
    return [{"name": "get_weather", "arguments": {"city": city + country}}]

@evaluation(cases=Path("cases.yaml"))
def agent(case):
    print("loaded and asked")
    return called(case)

@evaluation(cases=[
    Case("hi", id="inline", expected=["f"]),  # a greeting
])
def greeter(case):
    return ["g"]
"""


@pytest.fixture
def folder(callscore: Program, tmp_path: Path) -> Path:
    """Where a run has seen other calls than are expected."""
    (tmp_path / "cases.yaml").write_text(YAML)
    add_file(tmp_path, "eval_agent.py", AGENT)
    ran = callscore("run", "--jobs", "1")
    assert "1 of 3 passed" in ran.stdout
    return tmp_path


def test_observed_calls_become_what_is_expected(callscore: Program, folder: Path) -> None:
    lines = (folder / "eval_agent.py").read_text().splitlines()
    line = next(number for number, text in enumerate(lines, 1) if "# a greeting" in text)

    blessed = callscore("bless", "latest", "--yes")

    assert (blessed.returncode, blessed.stderr) == (0, "")
    assert blessed.stdout == (
        "agent::paris   cases.yaml:6\n"
        "  Expected          Actual\n"
        "~ get_weather       get_weather\n"
        '  ~ city: "Paris"     city: "Paris, FR"\n'
        "-       arguments: {city: Paris}\n"
        '+       arguments: {city: "Paris, FR"}\n'
        "\n"
        f"greeter::inline   eval_agent.py:{line}\n"
        "  Expected           Actual\n"
        "- f(any arguments)\n"
        "+                    g()\n"
        '-     Case("hi", id="inline", expected=["f"]),  # a greeting\n'
        '+     Case("hi", id="inline", expected=[expect.call("g", {})]),  # a greeting\n'
        "\n"
        "written: cases.yaml (1 expectation)\n"
        "written: eval_agent.py (1 expectation)\n"
    )
    text = (folder / "cases.yaml").read_text()
    assert text.startswith("# The cases of the team.\n- id: paris   # the first\n")
    assert 'city: "Paris, FR"' in text
    assert text.endswith("    - {name: get_weather, arguments: {city: {$regex: ^O}}}\n")
    assert "# a greeting" in (folder / "eval_agent.py").read_text()
    assert "All 3 passed" in callscore("run", "--jobs", "1").stdout


@pytest.mark.parametrize(("answer", "is_written"), [("y", True), ("n", False)])
def test_on_a_terminal_it_asks(folder: Path, answer: str, is_written: bool) -> None:
    ours, theirs = pty.openpty()
    os.write(ours, f"{answer}\n".encode())
    done = subprocess.run(
        [sys.executable, "-m", "callscore", "bless", "latest", "-k", "paris"],
        stdin=theirs,
        capture_output=True,
        check=False,
        cwd=folder,
        env={**os.environ, "PYTHONPATH": SOURCE},
    )
    os.close(ours)
    os.close(theirs)

    assert done.returncode == (0 if is_written else 1)
    assert "Write 1 expectation to 1 file? [y/N]: " in done.stderr.decode()
    assert ("Paris, FR" in (folder / "cases.yaml").read_text()) is is_written


def test_expectations_are_written_even_if_the_output_pipe_is_closed(folder: Path) -> None:
    reading, writing = os.pipe()
    os.close(reading)

    done = subprocess.run(
        [sys.executable, "-m", "callscore", "bless", "latest", "--yes"],
        stdout=writing,
        stderr=subprocess.PIPE,
        check=False,
        cwd=folder,
        env={**os.environ, "PYTHONPATH": SOURCE},
    )
    os.close(writing)

    assert (done.returncode, done.stderr) == (0, b"")
    assert "Paris, FR" in (folder / "cases.yaml").read_text()


def test_an_expectation_that_changed_since_the_run_is_not_overwritten(
    callscore: Program, folder: Path
) -> None:
    changed = YAML.replace("city: Paris}", "city: Lutetia}")
    (folder / "cases.yaml").write_text(changed)

    blessed = callscore("bless", "latest", "--yes")

    assert blessed.returncode == 1
    assert (
        "not changed: agent::paris: the expected calls have changed since the run."
        " Run it again and bless\n  the new run.\n"
    ) in blessed.stdout
    assert "written: eval_agent.py (1 expectation)" in blessed.stdout
    assert (folder / "cases.yaml").read_text() == changed


def test_trials_that_disagree_are_named_and_one_may_be_chosen(
    callscore: Program, tmp_path: Path
) -> None:
    add_file(
        tmp_path,
        "eval_moody.py",
        """
TIMES = []

@evaluation(cases=[Case("hi", id="a", expected=["f"])], trials=2)
def moody(case):
    TIMES.append(1)
    return ["g"] if len(TIMES) == 1 else ["h"]
""",
    )
    callscore("run", "--jobs", "1")

    refused = callscore("bless", "latest", "--yes")
    chosen = callscore("bless", "latest", "--yes", "--trial", "2")

    assert refused.returncode == 1
    assert refused.stdout == (
        "not changed: moody::a: the calls differ between trials (1: g(); 2: h())."
        " Choose one with --trial.\n"
    )
    assert refused.stderr == "callscore: nothing can be written\n"
    assert chosen.returncode == 0
    assert 'expect.call("h", {})' in (tmp_path / "eval_moody.py").read_text()


def test_errors_and_forbidden_calls_are_never_accepted(callscore: Program, tmp_path: Path) -> None:
    file = add_file(
        tmp_path,
        "eval_bad.py",
        """
@evaluation(cases=[
    Case("1", id="raises", expected=["f"]),
    Case("2", id="deletes", expected=[expect.forbid("delete")]),
    Case("3", id="unfit", expected=["getWeather"]),
], tools=[getWeather])
def bad(case):
    if case.id == "raises":
        raise ValueError("tired")
    return [{"name": "delete" if case.id == "deletes" else "getWeather", "arguments": {"where": 1}}]
""",
    )
    text = file.read_text()
    callscore("run", "--jobs", "1")

    blessed = callscore("bless", "latest", "--yes", "-k", "bad")

    assert blessed.returncode == 1
    assert "not changed: bad::deletes: a forbidden tool was called: delete.\n" in blessed.stdout
    assert "bad::unfit" not in blessed.stdout  # any arguments are expected, and these were given
    assert (
        "not changed, because they have no answer or no score: 1 (bad::raises)\n" in blessed.stdout
    )
    assert file.read_text() == text


def test_a_call_that_does_not_fit_its_schema_is_not_accepted(
    callscore: Program, tmp_path: Path
) -> None:
    file = add_file(
        tmp_path,
        "eval_unfit.py",
        """
@evaluation(cases=[Case("1", id="a", expected=[])], tools=[getWeather])
def unfit(case):
    return [{"name": "getWeather", "arguments": {"place": "Paris"}}]
""",
    )
    text = file.read_text()
    callscore("run", "--jobs", "1")

    blessed = callscore("bless", "latest", "--yes")

    assert blessed.returncode == 1
    assert blessed.stdout.startswith(
        "not changed: unfit::a: a call does not match the tool definitions: getWeather"
    )
    assert file.read_text() == text


SUITES = {
    "eval_a.yaml": """\
model: {{name: small, base_url: "{url}"}}
judge: {{name: strict, base_url: "{url}"}}
cases:
  - id: trip   # two calls
    input: Plan a trip to Paris.
    expected:
      - {{name: search, arguments: {{query: {{$judge: Is it about Paris?}}}}}}
      - {{name: book, arguments: {{}}}}
""",
    "eval_a.toml": """\
model = {{name = "small", base_url = "{url}"}}
judge = {{name = "strict", base_url = "{url}"}}

[[cases]]
id = "trip"   # two calls
input = "Plan a trip to Paris."
expected = [
    {{name = "search", arguments = {{query = {{"$judge" = "Is it about Paris?"}}}}}},
    {{name = "book", arguments = {{}}}},
]
""",
}


def answer(body: dict[str, Any], _: int) -> Reply:
    if body["model"] == "strict":
        return Reply(text='{"verdict": true, "reason": "it is"}')
    return Reply(calls=[("search", {"query": "hotels in Paris"}), ("reserve", {"nights": 2})])


@pytest.mark.parametrize("name", SUITES)
def test_a_suite_is_written_and_neither_model_nor_judge_is_asked(
    callscore: Program, tmp_path: Path, name: str
) -> None:
    with openai_server(answer) as server:
        (tmp_path / name).write_text(SUITES[name].format(url=server.base_url))
        ran = callscore("run", name)
        assert "0 of 1 passed" in ran.stdout, ran.stderr

    blessed = callscore("bless", "latest", "--yes")

    assert (blessed.returncode, blessed.stderr) == (0, "")
    text = (tmp_path / name).read_text()
    assert "# two calls" in text
    assert "Is it about Paris?" in text
    assert "reserve" in text
    assert "book" not in text


def test_files_that_were_scored_are_written_too(callscore: Program, tmp_path: Path) -> None:
    (tmp_path / "data").mkdir()
    file = tmp_path / "data" / "answers.jsonl"
    file.write_text(
        '{"id": "a", "expected": ["f"], "actual": ["g"], "note": 1.50}\n'
        '{"id": "b",   "expected": ["f"], "actual": ["f"]}\n'
    )
    callscore("score", "data/answers.jsonl", "--save", "nightly")

    blessed = callscore("bless", "nightly", "--yes")

    assert (blessed.returncode, blessed.stderr) == (0, "")
    assert file.read_text() == (
        '{"id": "a", "expected": [{"name": "g", "arguments": {}}], "actual": ["g"], "note": 1.50}\n'
        '{"id": "b",   "expected": ["f"], "actual": ["f"]}\n'
    )
    assert callscore("bless", "nightly", "--yes").returncode == 0


def test_references_of_their_own_are_written(callscore: Program, tmp_path: Path) -> None:
    references = tmp_path / "references.yaml"
    references.write_text("# ours\n- id: a\n  expected: [f]\n")
    (tmp_path / "one.jsonl").write_text('{"id": "b", "expected": ["f"]}\n')
    (tmp_path / "traces.jsonl").write_text(
        '{"id": "a", "actual": ["g"]}\n{"id": "b", "actual": ["h"]}\n'
    )
    callscore(
        *("score", "--expected", "one.jsonl", "--expected", "references.yaml"),
        *("--actual", "traces.jsonl", "--save", "nightly"),
    )

    blessed = callscore("bless", "nightly", "--yes")

    assert blessed.returncode == 0, blessed.stderr
    assert references.read_text().startswith("# ours\n- id: a\n")
    assert "name: g" in references.read_text()
    assert '"h"' in (tmp_path / "one.jsonl").read_text()


def test_a_file_outside_of_the_project_is_never_written(callscore: Program, tmp_path: Path) -> None:
    (tmp_path / ".git").mkdir()
    outside = tmp_path.parent / f"{tmp_path.name}-outside.jsonl"
    outside.write_text('{"id": "a", "expected": ["f"], "actual": ["g"]}\n')
    callscore("score", outside, "--save", "nightly")

    blessed = callscore("bless", "nightly", "--yes")

    assert blessed.returncode == 1
    assert "the file is outside of" in " ".join(blessed.stdout.split())
    assert '"expected": ["f"]' in outside.read_text()


def test_correct_arguments_and_comments_stay_when_a_wrong_argument_is_rewritten(
    callscore: Program, tmp_path: Path
) -> None:
    (tmp_path / "log.yaml").write_text(
        "- id: a\n  expected:\n    - name: book\n      arguments:\n"
        "        day: {$regex: ^Mon}   # any Monday\n        city: Paris   # the town\n"
        "  actual: [{name: book, arguments: {city: Rome, day: Monday}}]\n"
    )
    before = (tmp_path / "log.yaml").read_text()
    assert callscore("score", "log.yaml", "--save", "x").returncode == 0

    blessed = callscore("bless", "x", "--yes")

    assert blessed.returncode == 0
    assert (
        "-         city: Paris   # the town\n+         city: Rome   # the town\n" in blessed.stdout
    )
    assert (tmp_path / "log.yaml").read_text() == before.replace("Paris", "Rome")


def test_a_case_without_an_id_is_said_to_be_renamed(callscore: Program, tmp_path: Path) -> None:
    (tmp_path / "log.jsonl").write_text('{"input": "hi", "expected": ["f"], "actual": ["g"]}\n')
    callscore("score", "log.jsonl", "--save", "x")

    blessed = callscore("bless", "x", "--yes")

    assert blessed.returncode == 0
    assert "1 case without an id: the name is derived from the expected calls" in blessed.stdout

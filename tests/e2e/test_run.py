"""`callscore run`, from the command line to the exit code."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import msgspec
import pytest
from tests.e2e.agents import ASSISTANT, add_file
from tests.servers.openai_server import ERROR_429, Reply, openai_server

if TYPE_CHECKING:
    import subprocess
    from pathlib import Path

    from tests.e2e.conftest import Program


def report_of(ran: subprocess.CompletedProcess[str]) -> dict[str, Any]:
    return msgspec.json.decode(ran.stdout, type=dict[str, Any])


@pytest.fixture
def assistant(tmp_path: Path) -> Path:
    return add_file(tmp_path, "evals/eval_assistant.py", ASSISTANT)


@pytest.mark.usefixtures("assistant")
def test_the_report_can_be_json_in_a_file_whatever_the_evaluations_print(
    callscore: Program, tmp_path: Path
) -> None:
    noisy = ASSISTANT.replace(
        "    asking(case)\n    return",
        '    asking(case)\n    print("thinking")\n    __import__("os").system("echo loudly")\n    return',
    )
    add_file(tmp_path, "evals/eval_assistant.py", noisy)

    ran = callscore("run", "--format", "json", "--limit", "1")
    filed = callscore("run", "--format", "json", "-o", "run.json", "--limit", "1", "--show", "none")

    report = report_of(ran)
    assert report["totals"]["passed"] == 1
    assert [case["id"] for case in report["evaluations"][0]["cases"]] == ["weather"]
    assert (ran.stderr.count("thinking"), ran.stderr.count("loudly")) == (1, 1)
    kept = msgspec.json.decode((tmp_path / "run.json").read_bytes())
    assert (filed.stdout, kept["evaluations"][0]["cases"]) == ("", [])
    assert kept["id"] != report["id"]


def test_a_model_is_asked_over_http_again_after_an_error_and_with_many_at_once(
    callscore: Program, tmp_path: Path
) -> None:
    def script(body: dict[str, Any], number: int) -> Reply:
        if number == 1:
            return ERROR_429
        city = body["messages"][-1]["content"].split()[-1]
        # Only the first of the two runs is answered.
        return Reply(calls=[("getWeather", {"location": city})], is_hung=number > 4)

    with openai_server(script, together=3) as server:
        (tmp_path / "eval_chat.yaml").write_text(f"""
name: weather
model: {{name: tiny, base_url: "{server.base_url}"}}
tools: [{{name: getWeather, parameters: {{type: object, properties: {{location: {{type: string}}}}}}}}]
cases:
  - {{input: Weather in Oslo, expected: [{{name: getWeather, arguments: {{location: Oslo}}}}]}}
  - {{input: Weather in Rome, expected: [{{name: getWeather, arguments: {{location: Rome}}}}]}}
  - {{input: Weather in Bern, expected: [{{name: getWeather, arguments: {{location: Berlin}}}}]}}
""")
        ran = callscore("run", "--jobs", "3", "--rate", "500", "--retries", "1")
        impatient = callscore("run", "--timeout", "0.01", "--retries", "0")

    assert ran.returncode == 1
    assert "2 of 3 passed, 1 failed\n" in ran.stdout
    assert "4 requests, 60 tokens in, 30 out\n" in ran.stdout
    assert server.most_in_flight == 3
    assert impatient.returncode == 4
    assert "error: timeout\n" in impatient.stdout


def test_a_model_judges_what_no_rule_can_say_and_is_asked_once(
    callscore: Program, tmp_path: Path
) -> None:
    (tmp_path / "answers.jsonl").write_text(
        '{"id": "a", "answer": [{"name": "reply", "arguments": {"text": "Of course!"}}]}\n'
    )
    (tmp_path / "eval_polite.yaml").write_text("""
answers: answers.jsonl
cases:
  - {id: a, input: Hi, expected: [{name: reply, arguments: {text: {$judge: is it polite?}}}]}
""")
    verdict = Reply(text='{"verdict": true, "reason": "It is."}')

    with openai_server(lambda *_: verdict) as server:
        url, key = server.base_url, "sk-secret-0123456789"
        unjudged = callscore("run")
        ran = callscore("run", "--judge", "tiny", OPENAI_BASE_URL=url, OPENAI_API_KEY=key)
        options = ["--judge", "tiny", "--pass-mark", "0.9"]
        again = callscore("rescore", *options, OPENAI_BASE_URL=url, OPENAI_API_KEY=key)

    assert unjudged.returncode == 2
    assert (ran.returncode, ran.stderr) == (0, "")
    assert "judge tiny: 1 value, 1 request\n" in ran.stdout
    assert "judge tiny: 1 value, 0 requests\n" in again.stdout
    assert len(server.requests) == 1
    kept = b"".join(file.read_bytes() for file in (tmp_path / ".callscore").iterdir())
    assert b"sk-secret" not in kept + (ran.stdout + ran.stderr + again.stdout).encode()


def test_a_run_that_goes_on_keeps_its_gate(callscore: Program, tmp_path: Path) -> None:
    body = """
    @evaluation(cases=CASES)
    def dying(case):
        asking(case)
        if len(Path("asked.log").read_text().split()) == 2:
            __import__("os")._exit(9)
        return []
    """
    add_file(tmp_path, "eval_dying.py", body)

    callscore("run", "--jobs", "1", "--fail-under", "0.9")
    ran = callscore("run", "--resume")

    assert ran.returncode == 1
    assert "required ≥ 0.900" in ran.stderr


def test_a_factory_in_another_file_does_not_hide_what_has_changed(
    callscore: Program, tmp_path: Path
) -> None:
    (tmp_path / "lib.py").write_text(
        "from callscore import Case, evaluation, expect\n"
        "def make(word):\n"
        "    @evaluation(cases=[Case('q', expected=[expect.call('say', text='one')])], name='a')\n"
        "    def a(case):\n"
        "        return [('say', {'text': word})]\n"
        "    return a\n"
    )
    file = tmp_path / "eval_a.py"
    file.write_text("from lib import make\na = make('one')\n")
    first = callscore("run", "--cache")
    file.write_text("from lib import make\na = make('two')\n")
    second = callscore("run", "--cache")

    assert "1/1" in first.stdout
    assert "0/1" in second.stdout
    assert "reused" not in second.stdout

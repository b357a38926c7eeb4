"""action.yml, run step by step on a simulated runner, in a repository with a pull request."""

from __future__ import annotations

import re
import sqlite3
import subprocess
from contextlib import closing
from shutil import copytree, which
from typing import TYPE_CHECKING, Any

import pytest
from ruamel.yaml import YAML
from tests.build_servers.github_api import BOT, Api, github_api
from tests.build_servers.runner import BASH, ROOT, Ran, Runner, load_yaml
from tests.servers.recording_server import Reply, record_requests
from tools.github.action import (
    LONGEST_COMMENT,
    Job,
    Outcome,
    Pull,
    comment_text,
    found_in,
    read_inputs,
)

if TYPE_CHECKING:
    from collections.abc import Iterator
    from pathlib import Path

GIT = which("git") or "git"
MARKER = "<!-- callscore:callscore -->"
AGENT = """\
def answer(question):
    city = question.partition(" in ")[2].rstrip("?")
    return [("get_weather", {"city": city})]
"""
BROKEN = AGENT.replace('question.partition(" in ")[2]', "question.split()[-1]")
EVALUATION = """\
from agent import answer
from callscore import Case, evaluation

CITIES = ["Oslo", "Rome", "Lima", "New York", "Cape Town", "Hong Kong", "San Juan", "Las Palmas"]


@evaluation(
    cases=[
        Case(f"Weather in {city}?", id=city, expected=[("get_weather", {"city": city})])
        for city in CITIES
    ]
)
def assistant(case):
    return answer(case.input)
"""
INSTALLED = {"version": "installed"}
ON_MAIN = {"ref_name": "main", "event": {"repository": {"default_branch": "main"}}}
ON_PULL: dict[str, Any] = {
    "ref_name": "7/merge",
    "base_ref": "main",
    "event": {"pull_request": {"number": 7}, "repository": {"default_branch": "main"}},
}


@pytest.fixture
def api() -> Iterator[Api]:
    with github_api() as made:
        yield made


@pytest.fixture
def runner(tmp_path: Path, api: Api) -> Runner:
    return Runner(tmp_path / "runner", api.address)


@pytest.fixture
def repository(tmp_path: Path) -> Path:
    """A repository with an agent on its main branch."""
    folder = tmp_path / "repository"
    folder.mkdir()
    git(folder, "init", "--quiet", "--initial-branch", "main")
    commit(folder, "An assistant", agent=AGENT, eval_agent=EVALUATION)
    return folder


def git(folder: Path, *words: str) -> None:
    who = ["-c", "user.name=Ada", "-c", "user.email=ada@example.com"]
    subprocess.run([GIT, *who, *words], cwd=folder, check=True, capture_output=True)


def commit(folder: Path, message: str, **modules: str) -> None:
    for name, text in modules.items():
        (folder / f"{name}.py").write_text(text, encoding="utf-8")
    git(folder, "add", ".")
    git(folder, "commit", "--quiet", "--message", message)


def started(runner: Runner, repository: Path, github: Any, **inputs: str) -> Ran:
    ran = runner.run(repository, github, {**INSTALLED, **inputs})
    assert "Traceback" not in ran.log
    return ran


# --- from the first commit to a pull request --------------------------------------------------------


def test_a_pull_request_that_regresses_fails_and_is_commented_in_one_place(
    runner: Runner, repository: Path, api: Api
) -> None:
    first = started(runner, repository, ON_MAIN)
    git(repository, "checkout", "--quiet", "-b", "simpler")
    commit(repository, "Find the city more simply", agent=BROKEN)
    worse = started(runner, repository, ON_PULL)
    (comment,) = [dict(each) for each in api.comments]
    commit(repository, "Know cities of two words again", agent=AGENT)
    fixed = started(runner, repository, ON_PULL)

    # The main branch: a baseline, and no comment.
    assert (first.code, first.outputs["passed"], first.outputs["verdict"]) == (0, "true", "")
    assert "There is no baseline of `main` yet" in first.summary
    assert [key.rpartition(":main:")[0] for key in runner.caches] == ["callscore:Linux:callscore"]
    # The pull request: it fails, and says so everywhere.
    assert (worse.code, worse.outputs["passed"]) == (1, "false")
    assert float(worse.outputs["score"]) == 3 / 8
    assert worse.summary.count("## Gate failed") == 1
    assert "::error file=eval_agent.py," in worse.log
    assert comment["body"].startswith(f"{MARKER}\n## Gate failed")
    assert "[HTML report](https://github.example/artifacts/callscore-report)" in comment["body"]
    assert worse.outputs["report-url"] == "https://github.example/artifacts/callscore-report"
    assert runner.artifacts["callscore-report"].startswith(b"<!doctype html>")
    # The next commit: the same comment.
    assert (fixed.code, fixed.outputs["passed"], fixed.outputs["score"]) == (0, "true", "1.0")
    assert [each["id"] for each in api.comments] == [comment["id"]]
    assert api.comments[0]["body"].startswith(f"{MARKER}\n## Gate passed")
    # Pull requests change no baseline.
    assert len(runner.caches) == 1
    assert api.tokens == {"Bearer job-token"}


def test_the_main_branch_keeps_its_baseline_until_a_loss_is_accepted(
    runner: Runner, repository: Path
) -> None:
    started(runner, repository, ON_MAIN)
    commit(repository, "Find the city more simply", agent=BROKEN)

    refused = started(runner, repository, ON_MAIN)
    kept = len(runner.caches)
    accepted = started(runner, repository, ON_MAIN, accept="true")
    after = started(runner, repository, ON_PULL)

    assert (refused.code, kept) == (1, 1)
    assert (accepted.code, len(runner.caches)) == (0, 2)
    assert "Accepted as the baseline of main: Worse than the baseline of main" in accepted.log
    assert "This run is accepted as the baseline of `main`" in accepted.summary
    assert "::error" not in accepted.log
    assert (after.code, after.outputs["verdict"]) == (0, "not enough data")


def test_a_baseline_of_another_branch_is_not_taken(runner: Runner, repository: Path) -> None:
    started(runner, repository, {**ON_MAIN, "ref_name": "main-2"})

    other = started(runner, repository, ON_PULL)

    assert "There is no baseline of `main` yet" in other.summary
    assert other.outputs["verdict"] == ""


def test_a_new_branch_is_compared_with_the_default_branch(runner: Runner, repository: Path) -> None:
    started(runner, repository, ON_MAIN)

    ran = started(runner, repository, {**ON_PULL, "base_ref": "next"})

    assert ran.outputs["verdict"] == "not enough data"


def test_with_a_history_of_its_own_each_branch_has_a_baseline_and_nothing_is_cached(
    runner: Runner, repository: Path, tmp_path: Path
) -> None:
    store = {"store": str(tmp_path / "shared.db")}
    started(runner, repository, ON_MAIN, **store)
    commit(repository, "Find the city more simply", agent=BROKEN)
    other = started(runner, repository, {**ON_MAIN, "ref_name": "feature/x"}, **store)

    worse = started(runner, repository, ON_PULL, **store)
    same = started(runner, repository, {**ON_PULL, "base_ref": "feature/x"}, **store)

    assert "There is no baseline of `feature/x` yet" in other.summary
    assert (worse.code, same.code) == (1, 0)
    assert runner.caches == {}


# --- without a baseline -----------------------------------------------------------------------------


def test_without_a_baseline_the_run_decides_and_failing_cases_are_annotated(
    runner: Runner, repository: Path, api: Api
) -> None:
    commit(repository, "Find the city more simply", agent=BROKEN)

    ran = started(runner, repository, ON_PULL)

    assert (ran.code, ran.outputs["passed"]) == (1, "false")
    assert ran.log.count("::error title=callscore,file=eval_agent.py::assistant: ") == 5
    assert "There is no baseline of `main` yet" in api.comments[0]["body"]


def test_the_report_can_be_in_russian(runner: Runner, repository: Path, api: Api) -> None:
    started(runner, repository, ON_PULL, lang="ru")
    without = api.comments[0]["body"]
    started(runner, repository, ON_MAIN, lang="ru")

    started(runner, repository, ON_PULL, lang="ru")

    assert "Базового прогона ветки `main` ещё нет" in without
    assert "## Гейт пройден" in api.comments[0]["body"]


def test_files_are_scored(runner: Runner, repository: Path, api: Api) -> None:
    (repository / "my cases.jsonl").write_text(
        '{"id": "a", "expected": ["f"], "actual": ["f"]}\n{"id": "b", "expected": ["f"], "actual": []}\n'
    )

    inputs = {"command": "score", "paths": "'my cases.jsonl'", "args": "--show none"}
    ran = started(runner, repository, ON_PULL, **inputs)
    limited = started(runner, repository, ON_PULL, **inputs, **{"fail-under": "0.9"})

    assert (ran.code, ran.outputs["score"]) == (0, "0.5")
    assert limited.code == 1
    assert len(api.comments) == 1


def test_the_means_of_a_run_can_be_required_beside_a_baseline(
    runner: Runner, repository: Path
) -> None:
    commit(repository, "Find the city more simply", agent=BROKEN)
    started(runner, repository, ON_MAIN)

    same = started(runner, repository, ON_PULL)
    limited = started(runner, repository, ON_PULL, **{"fail-under": "0.9"})
    told = started(runner, repository, ON_PULL, **{"fail-under": "0.9", "fail-on": "none"})

    assert (same.code, limited.code, told.code) == (0, 1, 1)
    for ran in (limited, told):
        assert reason(ran) == "Below fail-under: accuracy 0.375, required ≥ 0.900"


def test_looser_settings_fail_the_job_unless_they_are_allowed(
    runner: Runner, repository: Path, api: Api
) -> None:
    (repository / "cases.jsonl").write_text('{"id": "a", "expected": ["f"], "actual": ["f"]}\n')
    commit(repository, "Cases")
    score = {"command": "score", "paths": "cases.jsonl"}
    started(runner, repository, ON_MAIN, **score)

    looser = started(runner, repository, ON_PULL, **score, args="--mode flexible")
    body = api.comments[0]["body"]
    allowed = {"args": "--mode flexible", "allow-looser": "true"}
    passed = started(runner, repository, ON_PULL, **score, **allowed)

    assert (looser.code, passed.code) == (1, 0)
    assert "`mode` `strict` → `flexible` (looser)" in body
    assert "`mode` `strict` → `flexible` (looser)" in api.comments[0]["body"]


def test_a_loss_can_be_reported_without_failing(runner: Runner, repository: Path, api: Api) -> None:
    started(runner, repository, ON_MAIN)
    commit(repository, "Find the city more simply", agent=BROKEN)

    ran = started(runner, repository, ON_PULL, **{"fail-on": "none"})
    first = api.comments[0]["body"]
    on_branch = started(runner, repository, ON_MAIN, **{"fail-on": "none"})
    after = started(runner, repository, ON_PULL)

    assert (ran.code, ran.outputs["passed"]) == (0, "true")
    assert "## Gate failed" in first
    assert f"{MARKER}\nThe job passes: the comparison does not fail it" in first
    assert "Worse than the baseline of main, which does not fail the job (fail-on: none)" in ran.log
    assert "::error" not in ran.log
    assert ran.log.count("::warning file=eval_agent.py,") == 5
    # A job that passes on a branch sets its baseline.
    assert (on_branch.code, len(runner.caches), after.code) == (0, 2, 0)


def test_a_run_that_does_not_work_fails_and_says_why(
    runner: Runner, repository: Path, api: Api
) -> None:
    started(runner, repository, ON_MAIN)
    commit(repository, "Break it", eval_agent="raise ValueError('no such thing')\n")

    api.add(f"{MARKER}\n## Gate passed", BOT)

    ran = started(runner, repository, ON_PULL)

    assert ran.code == 3
    assert "no such thing" in ran.log
    assert "callscore run saved no run" in ran.summary
    # What an earlier commit was told is replaced.
    assert [each["body"].splitlines()[:2] for each in api.comments] == [
        [MARKER, "## callscore failed"]
    ]
    assert "callscore run saved no run (exit code 3)" in api.comments[0]["body"]


def damaged(runner: Runner, how: str) -> None:
    """Damage the baseline in the cache."""
    (file,) = next(iter(runner.caches.values())).glob("*.jsonl")
    text = file.read_text(encoding="utf-8")
    lines = text.splitlines(keepends=True)
    if how == "missing":
        file.unlink()
    elif how == "of a newer version":
        file.write_text(text.replace('"version":1', '"version":99', 1), encoding="utf-8")
    else:
        parts = {
            "cut off": text[:-50],
            "without its end": "".join(lines[:-1]),
            "empty": "",
            "not JSON": "x",
        }
        file.write_text({**parts, "without a result": "".join(lines[:2] + lines[3:])}[how], "utf-8")


@pytest.mark.parametrize(
    ("how", "problem"),
    [
        ("cut off", "the line is damaged"),
        ("without its end", "the file is cut off: its last line is missing"),
        (
            "without a result",
            "the file is incomplete: 1 evaluations and 7 results instead of 1 and 8",
        ),
        ("of a newer version", "written by a newer callscore"),
        ("empty", "the file has no run"),
        ("not JSON", "the line is damaged"),
        ("missing", "the cache callscore:Linux:callscore:main:1001:1 has no baseline.jsonl"),
    ],
)
def test_a_damaged_baseline_fails_the_job(
    runner: Runner, repository: Path, api: Api, how: str, problem: str
) -> None:
    started(runner, repository, ON_MAIN)
    damaged(runner, how)

    pull = started(runner, repository, ON_PULL)
    branch = started(runner, repository, ON_MAIN)

    for ran in (pull, branch):
        assert (ran.code, ran.outputs["passed"]) == (3, "false")
        assert reason(ran).startswith("The baseline of main cannot be used: ")
        assert problem in reason(ran)
        assert "The baseline of `main` cannot be used: nothing is compared" in ran.summary
        assert "There is no baseline" not in ran.summary
    assert "cannot be used" in api.comments[0]["body"]
    assert len(runner.caches) == 1


def test_a_damaged_baseline_is_replaced_by_a_run_that_is_accepted(
    runner: Runner, repository: Path
) -> None:
    started(runner, repository, ON_MAIN)
    damaged(runner, "cut off")

    accepted = started(runner, repository, ON_MAIN, accept="true")
    after = started(runner, repository, ON_PULL)

    assert (accepted.code, len(runner.caches), after.code) == (0, 2, 0)
    assert reason(after) == "Not worse than the baseline of main"


@pytest.mark.parametrize(
    "damage",
    ["DELETE FROM results", "DELETE FROM evaluations", "DROP TABLE baselines"],
)
def test_a_damaged_baseline_on_a_server_fails_the_job(
    runner: Runner, repository: Path, tmp_path: Path, damage: str
) -> None:
    store = {"store": str(tmp_path / "shared.db")}
    started(runner, repository, ON_MAIN, **store)
    with closing(sqlite3.connect(store["store"])) as connection, connection:
        connection.execute(damage)

    ran = started(runner, repository, ON_PULL, **store)

    assert ran.code == 3
    assert "There is no baseline" not in ran.summary


def test_what_an_earlier_job_left_on_the_runner_is_no_baseline(
    runner: Runner, repository: Path, tmp_path: Path
) -> None:
    started(runner, repository, ON_MAIN)
    left = tmp_path / "runner/job-2/.callscore-action/callscore"
    copytree(next(iter(runner.caches.values())), left)
    runner.caches.clear()

    ran = started(runner, repository, ON_PULL)

    assert ran.code == 0
    assert "There is no baseline of `main` yet" in ran.summary


def reason(ran: Ran) -> str:
    return ran.steps["Pass or fail"].out.strip()


def test_the_first_run_of_a_branch_passes_with_a_warning_and_is_the_baseline(
    runner: Runner, repository: Path
) -> None:
    commit(repository, "Find the city more simply", agent=BROKEN)

    first = started(runner, repository, ON_MAIN)
    same = started(runner, repository, ON_PULL)

    assert (first.code, len(runner.caches), same.code) == (0, 1, 0)
    assert reason(first) == "Some cases failed; as the first run, it is the baseline of main"
    assert f"::warning title=callscore::{reason(first)}" in first.log
    assert "::error" not in first.log
    assert "this run becomes the baseline, though cases fail" in first.summary
    assert reason(same) == "Not worse than the baseline of main"


def test_the_first_run_of_a_branch_still_needs_its_limit_and_all_answers(
    runner: Runner, repository: Path
) -> None:
    commit(repository, "Find the city more simply", agent=BROKEN)
    low = started(runner, repository, ON_MAIN, **{"fail-under": "0.9"})
    own = EVALUATION.replace("@evaluation(", "@evaluation(fail_under=0.9,")
    commit(repository, "Ask for more", eval_agent=own)
    also_low = started(runner, repository, ON_MAIN)
    commit(repository, "Answer nothing", agent="def answer(_):\n    raise OSError\n")
    unanswered = started(runner, repository, ON_MAIN)

    assert (low.code, also_low.code, unanswered.code) == (1, 1, 4)
    assert runner.caches == {}
    assert reason(low) == reason(also_low) == "Below fail-under: accuracy 0.375, required ≥ 0.900"


def test_a_limit_that_is_met_is_not_called_all_passed(runner: Runner, repository: Path) -> None:
    commit(repository, "Find the city more simply", agent=BROKEN)

    ran = started(runner, repository, ON_PULL, **{"fail-under": "0.3"})

    assert (ran.code, reason(ran)) == (0, "No limit is broken; 5 failed")
    assert "::error" not in ran.log
    assert ran.log.count("::warning title=callscore,file=eval_agent.py::") == 5


def test_the_branch_of_the_baseline_is_named(runner: Runner, repository: Path) -> None:
    started(runner, repository, ON_MAIN)
    commit(repository, "Find the city more simply", agent=BROKEN)

    ran = started(runner, repository, {**ON_MAIN, "ref_name": "dev"})

    assert (ran.code, reason(ran)) == (1, "Worse than the baseline of main")


def test_a_gate_that_closes_for_missing_cases_names_that_reason(
    runner: Runner, repository: Path
) -> None:
    started(runner, repository, ON_MAIN)
    commit(repository, "Ask less", eval_agent=EVALUATION.replace('"Oslo", ', ""))

    ran = started(runner, repository, ON_PULL)

    expected = "The gate failed (missing), compared with the baseline of main"
    assert (ran.code, reason(ran)) == (1, expected)


def test_a_missing_answer_is_not_called_a_score_that_is_too_low(
    runner: Runner, repository: Path
) -> None:
    (repository / "references.jsonl").write_text(
        '{"id": "a", "expected": ["f"]}\n{"id": "b", "expected": ["f"]}\n'
    )
    (repository / "traces.jsonl").write_text('{"id": "a", "actual": ["f"]}\n')

    inputs = {"command": "score", "args": "--expected references.jsonl --actual traces.jsonl"}
    ran = started(runner, repository, ON_PULL, **inputs, **{"fail-under": "0.1"})

    expected = "callscore score failed, with fail-under 0.1: see its log"
    assert (ran.code, reason(ran)) == (1, expected)


def test_the_name_of_a_scorer_is_no_command() -> None:
    after = {"below": ["a\n::error::hacked\n0.5, required ≥ 0.9"]}

    found = found_in("main", {"comparison": {"after": after}})

    assert found.limits == ["a ::error::hacked 0.5, required ≥ 0.9"]


def test_a_gate_that_does_not_work_is_reported(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    given = {
        "command": "run",
        "fail_on": "regressed",
        "allow_looser": "false",
        "accept": "false",
        "lang": "en",
        "id": "a",
    }
    for name, text in given.items():
        monkeypatch.setenv(f"INPUT_{name.upper()}", text)
    monkeypatch.setenv("RUNNER_TEMP", str(tmp_path))
    monkeypatch.delenv("GITHUB_STEP_SUMMARY", raising=False)

    Job(read_inputs()).write_gate(tmp_path / "report.md", Outcome(2, "exited with code 2"))

    assert "exited with code 2" in (tmp_path / "report.md").read_text()
    assert "callscore" in capsys.readouterr().out  # what the command says about it


@pytest.mark.parametrize("branch", ["fix,this", "ветка/" + "ы" * 110, "a:b%"])
def test_every_name_of_a_branch_can_be_in_the_key_of_a_cache(
    runner: Runner, repository: Path, branch: str
) -> None:
    started(runner, repository, {**ON_MAIN, "ref_name": branch})

    ran = started(runner, repository, {**ON_PULL, "base_ref": branch})

    assert reason(ran) == f"Not worse than the baseline of {branch}"


def test_another_system_has_its_own_baseline(runner: Runner, repository: Path) -> None:
    started(runner, repository, ON_MAIN)

    ran = started(runner, repository, {**ON_PULL, "os": "Windows"})

    # The home folder, where the cache is restored, has another path there.
    assert "There is no baseline of `main` yet" in ran.summary


@pytest.mark.parametrize("lang", ["en", "ru"])
def test_no_command_is_advised_that_needs_the_history_of_the_runner(
    runner: Runner, repository: Path, api: Api, lang: str
) -> None:
    started(runner, repository, ON_MAIN)
    commit(repository, "Find the city more simply", agent=BROKEN)

    ran = started(runner, repository, ON_PULL, lang=lang)

    assert ran.code == 1
    for text in (ran.summary, api.comments[0]["body"]):
        assert "`callscore show" not in text


def test_the_documented_workflow_for_files_works(runner: Runner, repository: Path) -> None:
    (repository / "traces").mkdir()
    (repository / "references.jsonl").write_text(
        '{"id": "a", "expected": ["f"]}\n{"id": "b", "expected": ["f"]}\n'
    )
    for name in "ab":
        (repository / f"traces/{name}.jsonl").write_text(f'{{"id": "{name}", "actual": ["f"]}}\n')
    page = (ROOT / "docs/how-to/use-github-actions.md").read_text(encoding="utf-8")
    (block,) = [
        each
        for each in re.findall(r"```yaml\n(.*?)```", page, re.DOTALL)
        if "command: score" in each
    ]
    (job,) = YAML(typ="safe").load(block)["jobs"].values()
    (inputs,) = [step["with"] for step in job["steps"] if step.get("id") == "callscore"]

    ran = started(runner, repository, ON_PULL, **inputs)

    assert (ran.code, ran.outputs["score"], reason(ran)) == (0, "1.0", "All cases passed")


# --- the comment ------------------------------------------------------------------------------------


def test_a_pull_request_from_a_fork_gets_a_notice_and_does_not_fail(
    runner: Runner, repository: Path, api: Api
) -> None:
    api.refusal = 403

    ran = started(runner, repository, ON_PULL)

    assert ran.code == 0
    assert "::notice title=callscore::no comment was written (403)" in ran.log
    assert api.comments == []


def test_the_comment_of_somebody_else_is_not_changed(
    runner: Runner, repository: Path, api: Api
) -> None:
    for number in range(120):
        api.add(f"comment {number}")
    api.add(f"{MARKER}\nmine!", {"login": "mallory", "type": "User"})
    api.add(f"quoted:\n{MARKER}", BOT)

    started(runner, repository, ON_PULL)
    started(runner, repository, ON_PULL)

    assert api.comments[120]["body"] == f"{MARKER}\nmine!"
    assert len(api.comments) == 123


def test_a_personal_token_changes_only_its_own_comment(
    runner: Runner, repository: Path, api: Api
) -> None:
    api.add(f"{MARKER}\nof a bot", BOT)
    api.login = "ada"

    started(runner, repository, ON_PULL, token="ada-token")  # noqa: S106  (made up)
    started(runner, repository, ON_PULL, token="ada-token")  # noqa: S106  (made up)

    assert [each["user"]["login"] for each in api.comments] == ["github-actions[bot]", "ada"]
    assert api.tokens == {"Bearer ada-token"}


def test_the_comment_names_its_commit(runner: Runner, repository: Path, api: Api) -> None:
    event = {**ON_PULL["event"], "pull_request": {"number": 7, "head": {"sha": "12ab" * 10}}}

    started(runner, repository, {**ON_PULL, "event": event})

    assert f"\n\nCommit {'12ab' * 10}\n\n[HTML report]" in api.comments[0]["body"]


def test_two_uses_have_two_comments_and_two_baselines(
    runner: Runner, repository: Path, api: Api
) -> None:
    for use in ("small", "large"):
        started(runner, repository, ON_MAIN, id=use)
        started(runner, repository, ON_PULL, id=use)

    assert [each["body"].partition("\n")[0] for each in api.comments] == [
        "<!-- callscore:small -->",
        "<!-- callscore:large -->",
    ]
    assert [key.split(":")[2] for key in runner.caches] == ["small", "large"]
    assert {*runner.artifacts} == {"small-report", "large-report"}


def test_no_comment_is_written_if_none_is_wanted(
    runner: Runner, repository: Path, api: Api
) -> None:
    ran = started(runner, repository, ON_PULL, comment="false", artifact="none")

    assert (ran.code, api.requests, runner.artifacts) == (0, [], {})


@pytest.mark.parametrize("status", [500, 404])
def test_an_api_that_does_not_work_does_not_fail_the_build(
    runner: Runner, repository: Path, api: Api, status: int
) -> None:
    api.refusal = status

    ran = started(runner, repository, ON_PULL)

    assert ran.code == 0
    assert "no comment was written" in ran.log


@pytest.mark.parametrize("status", [301, 302, 303, 307, 308])
def test_a_redirect_of_the_api_does_not_get_the_token(
    tmp_path: Path, repository: Path, status: int
) -> None:
    comments = "/repos/ada/agent/issues/7/comments"
    with record_requests({}) as other:
        moved = Reply(status, b"", "text/plain", (("location", f"{other.url}/"),))
        with record_requests({"/user": moved, comments: moved}) as server:
            ran = started(Runner(tmp_path / "moved", server.url), repository, ON_PULL)

    assert other.requests == []
    assert ran.code == 0
    told = f"no comment was written: GitHub answers {status}. Redirects are not followed"
    assert told in ran.log


def test_no_api_at_all_does_not_fail_the_build(tmp_path: Path, repository: Path) -> None:
    ran = started(Runner(tmp_path / "alone"), repository, ON_PULL)

    assert ran.code == 0
    assert "::warning title=callscore::no comment was written" in ran.log


def test_a_comment_that_is_deleted_meanwhile_is_written_again(
    api: Api, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("GITHUB_API_URL", api.address)
    monkeypatch.setenv("GITHUB_REPOSITORY", "ada/agent")
    found = api.add(f"{MARKER}\nold")
    pull = Pull(7, "job-token")
    monkeypatch.setattr(pull, "find", lambda _: found["id"])
    api.comments.clear()

    place = pull.write(MARKER, "new")

    assert [each["body"] for each in api.comments] == [f"{MARKER}\nnew"]
    assert place == api.comments[0]["html_url"]


def test_a_long_report_is_cut_at_a_line_and_keeps_its_link() -> None:
    long = "\n".join(f"line {number}" for number in range(20_000))

    text = comment_text(long, "https://github.example/report")

    assert len(text) <= LONGEST_COMMENT
    assert text.endswith("\n\n[HTML report](https://github.example/report)")
    assert re.search(r"\nline \d+\n\n… The report is too long for a comment", text)
    assert comment_text("short\n", "") == "short"


@pytest.mark.parametrize(
    ("opened", "closed"),
    [
        ("```diff", "\n```"),
        ("~~~~", "\n~~~~"),
        ("````\n```", "\n````"),  # shorter marks are text
        ("  ```", "\n  ```"),
        ("<details><summary>a</summary>\n", "\n\n</details>"),
        ("<details><summary>a</summary>\n\n```\n</details>", "\n```\n\n</details>"),
        ("```\na\n```\n<details>\n</details>", ""),
    ],
)
def test_a_cut_report_closes_its_code_and_its_folded_blocks(opened: str, closed: str) -> None:
    for length in (64_800, 70_000):
        long = f"{opened}\n" + "\n".join(["line"] * (length // 5))

        text = comment_text(long, "https://github.example/report")

        assert len(text) <= LONGEST_COMMENT
        if length > LONGEST_COMMENT:
            assert f"\nline{closed}\n\n… The report is too long for a comment" in text


# --- hostile and wrong input ------------------------------------------------------------------------

HOSTILE = "$(touch hacked); `touch hacked`; \"; touch hacked; '\n::error::hacked"


@pytest.mark.parametrize(
    "name", ["paths", "args", "fail-under", "id", "fail-on", "lang", "command"]
)
def test_no_input_is_run_by_a_shell(runner: Runner, repository: Path, name: str) -> None:
    ran = runner.run(repository, ON_PULL, {**INSTALLED, name: HOSTILE})

    assert ran.code != 0
    assert "\n::error::hacked" not in ran.log
    assert not (repository / "hacked").exists()


def test_the_id_of_a_case_cannot_inject_a_workflow_command(
    runner: Runner, repository: Path, api: Api
) -> None:
    name = "a\\n::error::hacked\\npassed=true"
    (repository / "cases.jsonl").write_text(
        f'{{"id": "{name}", "expected": ["f"], "actual": []}}\n', encoding="utf-8"
    )

    ran = started(runner, repository, ON_PULL, command="score", paths="cases.jsonl")

    assert "\n::error::hacked" not in ran.log
    assert "\n::error::hacked" not in api.comments[0]["body"]
    assert ran.outputs["passed"] == "true"  # nothing was required


@pytest.mark.parametrize(
    ("inputs", "told"),
    [
        ({"command": "rnu"}, "command: unknown value 'rnu'. Choose from: run, score"),
        ({"fail-on": "worse"}, "fail-on: unknown value 'worse'. Choose from: default, "),
        ({"id": "a b"}, "id: 'a b' may have only letters"),
        ({"paths": "'a"}, "paths: No closing quotation"),
        ({"accept": "yes"}, "accept: unknown value 'yes'"),
        ({"args": "--name mine"}, "args: the action passes --name itself"),
        ({"args": "-x --store=other.db"}, "args: the action passes --store itself"),
        ({"args": "--save mine", "command": "score"}, "args: the action passes --save itself"),
    ],
)
def test_wrong_inputs_are_said(
    runner: Runner, repository: Path, api: Api, inputs: dict[str, str], told: str
) -> None:
    ran = runner.run(repository, ON_PULL, {**INSTALLED, **inputs})

    assert ran.code == 2
    assert f"::error title=callscore::{told}" in ran.log
    if "id" not in inputs:  # which the comment is found by
        assert told in api.comments[0]["body"]


# --- installing -------------------------------------------------------------------------------------

PYTHON = """\
#!/bin/sh
echo "$@" >> "$LOG"
case "$*" in
  *EXTERNALLY*) exit $MANAGED;;
  *"import callscore"*) exit $ABSENT;;
  *venv*) mkdir -p "$RUNNER_TEMP/callscore-python/bin";;
esac
"""


@pytest.mark.parametrize(
    ("inputs", "package"),
    [
        ({}, str(ROOT)),
        ({"extras": "openai,postgres"}, f"{ROOT}[openai,postgres]"),
        ({"version": "1.2.3"}, "callscore==1.2.3"),
        ({"version": "1.2.3", "extras": "mcp"}, "callscore[mcp]==1.2.3"),
        ({"version": "installed"}, None),
    ],
)
@pytest.mark.parametrize("managed", [True, False])
def test_the_package_is_installed_into_the_python_of_the_job(
    tmp_path: Path, inputs: dict[str, str], package: str | None, managed: bool
) -> None:
    ran, log, path = installed(tmp_path, inputs, managed=managed)

    lines = [line for line in log.splitlines() if "pip install" in line]
    assert ran.returncode == 0
    assert [line.rpartition(" ")[2] for line in lines] == ([package] if package else [])
    assert bool(path) is (managed and package is not None)


def test_a_callscore_that_is_not_there_is_said(tmp_path: Path) -> None:
    ran, _, _ = installed(tmp_path, INSTALLED, managed=False, is_absent=True)

    assert ran.returncode == 1
    assert "::error title=callscore::callscore is not installed." in ran.stdout


def test_a_missing_python_is_said(tmp_path: Path) -> None:
    script = ROOT / "tools/github/install.sh"
    ran = subprocess.run(
        [BASH, script], env={"PATH": str(tmp_path), "VERSION": ""}, capture_output=True, check=False
    )

    assert ran.returncode == 1
    assert b"there is no Python. Add a step with actions/setup-python" in ran.stdout


def installed(
    tmp_path: Path, inputs: dict[str, str], *, managed: bool, is_absent: bool = False
) -> tuple[subprocess.CompletedProcess[str], str, str]:
    """Run the script that installs, with a Python that only notes how it was called."""
    program = tmp_path / "bin" / "python"
    program.parent.mkdir()
    program.write_text(PYTHON, encoding="utf-8")
    program.chmod(0o755)
    log, path = tmp_path / "log", tmp_path / "path"
    path.touch()
    ran = subprocess.run(
        [BASH, ROOT / "tools/github/install.sh"],
        env={
            "PATH": f"{program.parent}:/usr/bin:/bin",
            "VERSION": inputs.get("version", ""),
            "EXTRAS": inputs.get("extras", ""),
            "LOG": str(log),
            "MANAGED": "0" if managed else "1",
            "ABSENT": "1" if is_absent else "0",
            "GITHUB_ACTION_PATH": str(ROOT),
            "GITHUB_PATH": str(path),
            "RUNNER_TEMP": str(tmp_path),
        },
        capture_output=True,
        text=True,
        check=False,
    )
    return ran, log.read_text(encoding="utf-8"), path.read_text(encoding="utf-8")


# --- the file itself --------------------------------------------------------------------------------

ACTION = load_yaml(ROOT / "action.yml")
STEPS = ACTION["runs"]["steps"]


def test_no_script_has_an_expression_in_it() -> None:
    assert [step["name"] for step in STEPS if "${{" in step.get("run", "")] == []


def test_actions_of_others_are_pinned_and_their_versions_noted() -> None:
    text = (ROOT / "action.yml").read_text(encoding="utf-8")
    used = re.findall(r"uses: (.*)", text)

    assert len(used) == 4
    assert all(re.fullmatch(r"[\w/-]+@[0-9a-f]{40} # v\d+\.\d+\.\d+", each) for each in used)


def test_every_input_is_used_and_every_used_input_exists() -> None:
    text = (ROOT / "action.yml").read_text(encoding="utf-8")

    assert set(re.findall(r"\binputs\.([a-z-]+)", text)) == set(ACTION["inputs"])
    assert all(about["description"] for about in ACTION["inputs"].values())


def test_every_output_comes_from_a_step_that_sets_it() -> None:
    text = (ROOT / "action.yml").read_text(encoding="utf-8")
    script = (ROOT / "tools/github/action.py").read_text(encoding="utf-8")
    own = set(re.findall(r"steps\.check\.outputs\.([a-z-]+)", text))

    assert own
    assert all(f'"{name}"' in script for name in own)
    assert {step["id"] for step in STEPS if "id" in step} == set(
        re.findall(r"steps\.(\w+)\.", text)
    )


def test_every_variable_of_the_script_is_set() -> None:
    script = (ROOT / "tools/github/action.py").read_text(encoding="utf-8")
    given = {name for step in STEPS for name in step.get("env", {})}

    assert set(re.findall(r'"(INPUT_[A-Z_]+)"', script)) <= given
    assert set(re.findall(r'os\.environ\.get\("(MARKDOWN|REPORT_URL)"', script)) <= given


def test_the_page_lists_every_input_and_output() -> None:
    page = (ROOT / "docs/how-to/use-github-actions.md").read_text(encoding="utf-8")

    for heading, known in (("Inputs", ACTION["inputs"]), ("Outputs", ACTION["outputs"])):
        section = page.partition(f"\n## {heading}\n")[2].partition("\n## ")[0]
        rows = re.findall(r"^\| (`.+?) \| ", section, re.MULTILINE)
        assert {name for row in rows for name in re.findall(r"`(.+?)`", row)} == set(known)

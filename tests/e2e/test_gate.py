"""`callscore gate`, from the command line to the exit code."""

from __future__ import annotations

import shutil
import subprocess
from typing import TYPE_CHECKING, Any
from xml.etree.ElementTree import fromstring

import msgspec
import pytest
from tests.e2e.weather import CITIES, program, write_answers, write_suite

if TYPE_CHECKING:
    from pathlib import Path

    from tests.e2e.conftest import Program


def run(callscore: Program, folder: Path, *, wrong: tuple[str, ...] = ()) -> str:
    """Run the suite with some wrong answers; the id of the run."""
    write_answers(folder, wrong=wrong)
    # One at a time: the cases of a run are listed in the order in which they were answered.
    ran = callscore("run", "--format", "json", "--jobs", "1")
    found: str = msgspec.json.decode(ran.stdout, type=dict[str, Any])["id"]
    return found


@pytest.fixture(scope="module")
def good(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Where there is a baseline."""
    folder = tmp_path_factory.mktemp("good")
    write_suite(folder)
    program(folder, "run", "--show", "none", "--jobs", "1")
    program(folder, "baseline", "set", "latest", "--name", "main")
    return folder


@pytest.fixture
def folder(good: Path, tmp_path: Path) -> Path:
    """A copy of it, for one test."""
    shutil.copytree(good, tmp_path, dirs_exist_ok=True)
    return tmp_path


def test_a_run_that_is_as_good_passes(callscore: Program, folder: Path) -> None:
    new = run(callscore, folder)

    ran = callscore("gate", "--against", "main")

    assert (ran.returncode, ran.stderr) == (0, "")
    assert ran.stdout.startswith("Gate passed   ")
    assert ", main → latest   --fail-on regressed\n" in ran.stdout
    assert ran.stdout.endswith(f"\n\nNext: callscore baseline set {new} --name main\n")


def test_a_run_that_is_worse_does_not_pass(callscore: Program, folder: Path) -> None:
    new = run(callscore, folder, wrong=CITIES[:9])

    ran = callscore("gate", "--against", "main")

    assert (ran.returncode, ran.stderr) == (1, "")
    assert ran.stdout.startswith(
        "Gate failed   regressed, main → latest   --fail-on regressed\n"
        "! regressed: passed 100.0% → 25.0%, −75.0 points (95% interval "
    )
    assert "\n\nBroken: 9 cases\n- oslo    F1 100.0% → 0.0%\n" in ran.stdout
    assert ran.stdout.endswith(f"\n\nNext: callscore show {new} oslo\n")
    assert callscore("show", new, "oslo").returncode == 0


def test_in_doubt_it_is_closed_by_a_loss_of_ten_points_or_more(
    callscore: Program, folder: Path
) -> None:
    run(callscore, folder, wrong=CITIES[:2])

    ran = callscore("gate", "--against", "main", "--lang", "ru")

    assert ran.returncode == 1
    assert ran.stdout.startswith("Гейт не пройден   мало данных, main → latest ")
    assert "а потеря — 10 п. п. или больше: хуже 2, лучше 0, −16.7 п. п.\n" in ran.stdout


def test_a_smaller_loss_is_let_through_and_said_plainly(callscore: Program, folder: Path) -> None:
    new = run(callscore, folder, wrong=CITIES[:1])

    ran = callscore("gate", "--against", "main")
    as_json = callscore("gate", "--against", "main", "--format", "json")
    strict = callscore("gate", "--against", "main", "--fail-on", "broken")

    doubt = "too few cases for a verdict: 1 worse, 0 better, −8.3 points; --fail-on broken is stricter\n"
    assert (ran.returncode, ran.stderr) == (0, "")
    assert ran.stdout.startswith(
        "Gate passed   not enough data, main → latest   --fail-on regressed"
    )
    assert f"\n! {doubt}" in ran.stdout
    assert ran.stdout.endswith(f"\n\nNext: callscore show {new} oslo\n")
    assert as_json.stderr == f"callscore: {doubt}"
    assert strict.returncode == 1


def test_how_many_cases_are_shown_can_be_chosen(callscore: Program, folder: Path) -> None:
    run(callscore, folder, wrong=CITIES[:9])

    few = callscore("gate", "--against", "main", "--max-shown", "2")
    as_markdown = callscore("gate", "--against", "main", "--max-shown", "2", "--format", "markdown")

    for ran in (few, as_markdown):
        assert "… 7 more; --max-shown shows more" in ran.stdout
        assert "paris" not in ran.stdout


def test_a_run_of_a_part_of_the_cases_says_so_and_is_no_baseline(
    callscore: Program, folder: Path
) -> None:
    write_answers(folder)
    callscore(
        "run", "-k", "oslo or rome or paris or lima or cairo or delhi or tokyo", "--jobs", "1"
    )

    ran = callscore("gate", "--against", "main")

    assert ran.returncode == 1
    assert "\nMissing: 5 cases\n" in ran.stdout
    first, second, *_ = ran.stdout.splitlines()
    assert first == "Gate failed   main → latest   --fail-on regressed"
    assert second.startswith("! this run covers only the cases that were selected. Run all cases")
    assert "[gate.removed]" not in ran.stdout
    assert "baseline set" not in ran.stdout


def test_the_newest_run_of_another_commit_is_pointed_out(callscore: Program, folder: Path) -> None:
    def git(*words: str) -> None:
        identity = ("-c", "user.name=Ada", "-c", "user.email=ada@example.com")
        subprocess.run(["git", *identity, *words], cwd=folder, check=True, capture_output=True)  # noqa: S607  (any git will do)

    git("init", "--quiet")
    git("add", "cases.jsonl")
    git("commit", "--quiet", "--message", "One")
    new = run(callscore, folder)
    same = callscore("gate", "--against", "main")
    git("commit", "--quiet", "--allow-empty", "--message", "Two")

    newest = callscore("gate", "--against", "main")
    named = callscore("gate", new, "--against", "main")

    assert "the newest run is of the commit" not in same.stdout + named.stdout
    assert "! the newest run is of commit " in newest.stdout
    assert newest.returncode == 0


def test_cases_without_numbers_are_told_from_no_cases(callscore: Program, tmp_path: Path) -> None:
    write_suite(tmp_path)
    callscore("run", "--jobs", "1")
    callscore("baseline", "set", "latest", "--name", "main")
    cases = (tmp_path / "cases.jsonl").read_text().splitlines()
    bare = [msgspec.json.decode(line, type=dict[str, Any]) for line in cases]
    lines = [msgspec.json.encode({"id": one["id"], "input": one["input"]}) for one in bare]
    (tmp_path / "cases.jsonl").write_bytes(b"\n".join(lines) + b"\n")
    new = run(callscore, tmp_path)

    ran = callscore("gate", "--against", "main")

    assert ran.returncode == 1
    assert "\n! no case has a value of passed in both runs\n" in ran.stdout
    assert "\n! 12 cases have no value now\n" in ran.stdout
    assert "\nMissing: 12 cases\n- oslo\n    no value now\n- rome\n" in ran.stdout
    assert ran.stdout.endswith(f"\nNext: callscore show {new}\n")


def test_the_commands_that_are_proposed_find_the_same_history(
    callscore: Program, folder: Path
) -> None:
    new = run(callscore, folder, wrong=CITIES[:9])
    (folder / ".callscore/history.db").rename(folder / "the team.db")

    ran = callscore("gate", "--against", "main", "--store", "the team.db")
    missing = callscore("gate", "--against", "release", "--store", "the team.db")

    assert ran.stdout.endswith(f"\nNext: callscore show {new} oslo --store 'the team.db'\n")
    assert missing.stderr.endswith(" --name release --store 'the team.db'\n")


def test_a_case_is_named_with_its_evaluation_where_there_are_several(
    callscore: Program, folder: Path
) -> None:
    (folder / "good.jsonl").write_bytes((folder / "answers.jsonl").read_bytes())
    suite = 'answers = "good.jsonl"\ncases = "cases.jsonl"\n'
    (folder / "eval_other.toml").write_text(suite)
    run(callscore, folder)
    callscore("baseline", "set", "latest", "--name", "main")
    new = run(callscore, folder, wrong=CITIES[:9])

    ran = callscore("gate", "--against", "main")

    assert "\nBroken: 9 cases\n- weather::oslo " in ran.stdout
    assert ran.stdout.endswith(f"\nNext: callscore show {new} weather::oslo\n")
    assert callscore("show", new, "weather::oslo").returncode == 0


def test_files_are_for_compare(callscore: Program) -> None:
    ran = callscore("gate", "after.jsonl", "--against", "before.jsonl")

    assert (ran.returncode, ran.stdout) == (2, "")
    assert ran.stderr == (
        "callscore: 'before.jsonl' is a file, and the gate compares runs. To compare files:\n"
        "  callscore compare before.jsonl after.jsonl --fail-on regressed\n"
    )


def test_any_run_can_be_held_against_any_other(callscore: Program, folder: Path) -> None:
    bad = run(callscore, folder, wrong=CITIES[:9])
    good = run(callscore, folder)

    assert callscore("gate", good, "--against", bad).returncode == 0
    assert callscore("gate", bad, "--against", good).returncode == 1
    assert callscore("gate", "--against", "latest~1", "--fail-on", "any").returncode == 1


def test_a_new_forbidden_call_closes_it_without_statistics(
    callscore: Program, tmp_path: Path
) -> None:
    write_suite(tmp_path)
    cases = (tmp_path / "cases.jsonl").read_text().splitlines()
    cases.append('{"id": "quiet", "input": "Hello", "expected": [{"forbid": "refund"}]}')
    (tmp_path / "cases.jsonl").write_text("\n".join(cases) + "\n")
    answers = (tmp_path / "answers.jsonl").read_text()
    (tmp_path / "answers.jsonl").write_text(answers + '{"id": "quiet", "answer": []}\n')
    callscore("run", "--jobs", "1")
    callscore("baseline", "set", "latest", "--name", "main")
    (tmp_path / "answers.jsonl").write_text(answers + '{"id": "quiet", "answer": ["refund"]}\n')
    callscore("run", "--jobs", "1")

    ran = callscore("gate", "--against", "main")

    assert ran.returncode == 1
    assert "! 1 case with a new forbidden call (quiet)\n" in ran.stdout


def test_a_mean_below_fail_under_closes_it(callscore: Program, tmp_path: Path) -> None:
    write_suite(tmp_path, wrong=CITIES[:3], more="fail_under = {accuracy = 0.9}\n")
    callscore("run", "--jobs", "1")
    callscore("baseline", "set", "latest", "--name", "main")
    new = run(callscore, tmp_path, wrong=CITIES[:3])

    ran = callscore("gate", "--against", "main")

    assert ran.returncode == 1
    assert "\n! accuracy 0.750, required ≥ 0.900\n" in ran.stdout
    assert ran.stdout.endswith(f"Next: callscore show {new}\n")


def test_a_baseline_that_is_not_there_is_wrong_usage_with_the_command_that_sets_it(
    callscore: Program, folder: Path
) -> None:
    new = run(callscore, folder)

    ran = callscore("gate", "--against", "manin")

    assert (ran.returncode, ran.stdout) == (2, "")
    complaint, listed, how, command = ran.stderr.splitlines()
    assert complaint == "callscore: unknown baseline or run 'manin'."
    assert listed == "  Baselines: 'main'. Did you mean 'main'?"
    assert how.startswith("  To set it to the newest other complete run")
    assert new not in command
    assert callscore(*command.split()[1:]).returncode == 0
    assert callscore("gate", "--against", "manin").returncode == 0


def test_a_baseline_is_not_proposed_where_no_other_run_would_do(
    callscore: Program, tmp_path: Path
) -> None:
    write_suite(tmp_path)
    callscore("run", "--limit", "3", "--jobs", "1")
    callscore("run", "--jobs", "1")

    ran = callscore("gate", "--against", "my main")

    assert ran.returncode == 2
    assert "\n  There are no baselines yet.\n  No other run is complete, " in ran.stderr
    assert ran.stderr.endswith("\n    callscore baseline set latest --name 'my main'\n")


@pytest.mark.usefixtures("folder")
def test_a_run_that_is_its_own_baseline_does_not_pass_and_is_told_once(callscore: Program) -> None:
    ran = callscore("gate", "--against", "main")

    assert (ran.returncode, ran.stderr) == (1, "")
    assert ran.stdout.count("is compared with itself. Run the evaluations again, then") == 1
    assert "same run" not in ran.stdout
    assert ran.stdout.endswith("\nNext: callscore run\n")


def test_two_variants_of_one_run_can_be_held_against_each_other(
    callscore: Program, tmp_path: Path
) -> None:
    (tmp_path / "eval_agent.py").write_text(
        "from callscore import Case, evaluation\n"
        "@evaluation(cases=[Case(str(n), id=str(n), expected=[('f', {'n': n})]) for n in range(9)],\n"
        "            variants={'old': {'plus': 0}, 'new': {'plus': 0}})\n"
        "def agent(case, plus):\n"
        "    return [('f', {'n': int(case.input) + plus})]\n"
    )
    callscore("run", "--show", "none", "--jobs", "1")

    ran = callscore("gate", "latest:new", "--against", "latest:old")
    unknown = callscore("gate", "latest:new", "--against", "latest:young")

    assert (ran.returncode, ran.stderr) == (0, "")
    assert "same run" not in ran.stdout
    assert "itself" not in ran.stdout
    assert unknown.returncode == 2
    assert "young" in unknown.stderr
    assert "Baselines" not in unknown.stderr


def test_without_a_history_nothing_is_made(callscore: Program, tmp_path: Path) -> None:
    ran = callscore("gate", "--against", "main")

    assert ran.returncode == 2
    assert "no runs yet" in ran.stderr
    assert not (tmp_path / ".callscore").exists()


def test_a_history_that_cannot_be_read_is_another_exit_code(
    callscore: Program, folder: Path
) -> None:
    (folder / ".callscore/history.db").write_bytes(b"not a database" * 100)

    assert callscore("gate", "--against", "main").returncode == 3


def test_reports_go_to_files_and_the_reasons_to_standard_error(
    callscore: Program, folder: Path
) -> None:
    run(callscore, folder, wrong=CITIES[:9])

    as_json = callscore("gate", "--against", "main", "--format", "json")
    as_xml = callscore("gate", "--against", "main", "-o", "gate.xml")
    as_text = callscore("gate", "--against", "main", "-o", "gate.md")

    report = msgspec.json.decode(as_json.stdout, type=dict[str, Any])
    assert (report["is_open"], report["reasons"][0]["kind"]) == (False, "regressed")
    assert report["next"].startswith("callscore show ")
    suite = fromstring((folder / "gate.xml").read_bytes())  # noqa: S314  (our own text)
    assert (suite.get("tests"), suite.get("failures")) == ("12", "2")
    assert (folder / "gate.md").read_text().startswith("## Gate failed: regressed, `main` → ")
    for ran in (as_json, as_xml, as_text):
        assert ran.returncode == 1
        assert ran.stderr.startswith("callscore: regressed: passed 100.0% → 25.0%")


def test_on_github_there_are_annotations_and_a_summary_of_the_step(
    callscore: Program, folder: Path
) -> None:
    run(callscore, folder, wrong=CITIES[:9])
    summary = folder / "summary.md"
    summary.write_text("# Earlier\n")

    ran = callscore(
        *("gate", "--against", "main", "--format", "json"),
        GITHUB_ACTIONS="true",
        GITHUB_STEP_SUMMARY=str(summary),
    )

    assert ran.returncode == 1
    assert msgspec.json.decode(ran.stdout, type=dict[str, Any])["fail_on"] == "regressed"
    lines = [line for line in ran.stderr.splitlines() if line.startswith("::")]
    assert lines[0].startswith(
        "::error title=callscore%3A Gate failed::regressed: passed 100.0%25 "
    )
    assert (
        "::error file=eval_weather.toml,title=Broken%3A oslo::weather, F1 100.0%25 → 0.0%25"
    ) in lines[2:]  # in the order in which they were answered
    assert summary.read_text().startswith("# Earlier\n## Gate failed: regressed, `main` → `latest`")


def test_elsewhere_there_are_neither_and_a_terminal_has_colours(
    callscore: Program, folder: Path
) -> None:
    run(callscore, folder, wrong=CITIES[:9])

    ran = callscore("gate", "--against", "main", FORCE_COLOR="1")

    assert ran.stdout.startswith("\x1b[1;31mGate failed\x1b[0m   regressed, main → latest")
    assert "::error" not in ran.stdout + ran.stderr

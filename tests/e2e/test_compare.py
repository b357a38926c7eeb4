"""`callscore compare`, from the command line to the exit code."""

from __future__ import annotations

import shutil
from typing import TYPE_CHECKING, Any

import msgspec
import pytest
from tests.e2e.weather import CITIES, program, write_answers, write_suite

if TYPE_CHECKING:
    from pathlib import Path

    from tests.e2e.conftest import Program


def case_lines(wrong: set[str], *, without: str = "") -> str:
    """A file of cases whose answers are right but for some."""
    return "".join(
        msgspec.json.encode(
            {
                "id": city,
                "tags": ["north"] if city == "oslo" else [],
                "expected": [{"name": "get_weather", "arguments": {"city": city}}],
                "actual": [
                    {"name": "get_weather", "arguments": {"city": "x" if city in wrong else city}}
                ],
            }
        ).decode()
        + "\n"
        for city in CITIES
        if city != without
    )


@pytest.fixture(scope="module")
def worse(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Where there are two runs, and the second is much worse."""
    folder = tmp_path_factory.mktemp("worse")
    write_suite(folder)
    program(folder, "run", "--show", "none", "--jobs", "1")
    write_answers(folder, wrong=CITIES[:9])
    program(folder, "run", "--show", "none", "--jobs", "1")
    return folder


@pytest.fixture
def folder(worse: Path, tmp_path: Path) -> Path:
    """A copy of it, for one test."""
    shutil.copytree(worse, tmp_path, dirs_exist_ok=True)
    return tmp_path


@pytest.mark.usefixtures("folder")
def test_two_runs_are_compared_case_by_case(callscore: Program) -> None:
    ran = callscore("compare", "latest~1", "latest")

    assert (ran.returncode, ran.stderr) == (0, "")
    assert ran.stdout.startswith("Regressed   passed 100.0% → 25.0%, −75.0 points\n")
    assert ", exact McNemar, 12 cases in both\n" in ran.stdout
    assert "\n\nBroken: 9 cases\n- oslo    F1 100.0% → 0.0%\n" in ran.stdout
    assert (
        "\n\nTools, by the F1 of their calls   p with Holm's correction for 1 tool or tag\n"
        in ran.stdout
    )
    assert "\nget_weather      12   100.0%   25.0%        −75.0" in ran.stdout
    assert ran.stdout.endswith("\n9 broken, 3 unchanged\n")


@pytest.mark.usefixtures("folder")
def test_the_sides_can_be_turned(callscore: Program) -> None:
    ran = callscore("compare", "latest", "latest~1", "--lang", "ru")

    assert ran.stdout.startswith("Стало лучше   пройдено 25.0% → 100.0%, +75.0 п. п.\n")
    assert "\nИсправлено: 9 случаев\n" in ran.stdout


@pytest.mark.usefixtures("folder")
@pytest.mark.parametrize(
    ("fail_on", "sides", "code"),
    [
        ("regressed", ("latest~1", "latest"), 1),
        ("regressed", ("latest", "latest~1"), 0),
        ("broken", ("latest~1", "latest"), 1),
        ("broken", ("latest", "latest~1"), 0),
        ("any", ("latest", "latest~1"), 1),
        ("regressed", ("latest", "latest"), 1),  # a run against itself says nothing
    ],
)
def test_what_is_to_fail_fails(
    callscore: Program, fail_on: str, sides: tuple[str, str], code: int
) -> None:
    ran = callscore("compare", *sides, "--fail-on", fail_on, "--max-shown", "0")

    assert ran.returncode == code
    assert ran.stderr.startswith("callscore: ") == bool(code)


def test_why_it_fails_stands_beside_the_report(callscore: Program, folder: Path) -> None:
    ran = callscore("compare", "latest~1", "latest", "--fail-on", "broken", "-o", "report.md")

    assert ran.stdout == ""
    reasons = ran.stderr.splitlines()
    assert reasons[0].startswith("callscore: regressed: passed 100.0% → 25.0%, −75.0 points (95% ")
    assert reasons[1:] == [
        "callscore: 1 tool or tag regressed (tool get_weather)",
        "callscore: 9 cases broken (oslo, rome, paris, lima, cairo, … 4 more)",
    ]
    assert (folder / "report.md").read_text().startswith("## Regressed: passed 100.0% → 25.0%, ")


@pytest.mark.usefixtures("folder")
def test_a_report_for_programs_has_every_case(callscore: Program) -> None:
    ran = callscore("compare", "latest~1", "latest", "--format", "json", "--max-shown", "1")

    report = msgspec.json.decode(ran.stdout, type=dict[str, Any])
    assert report["verdict"] == "regressed"
    assert report["counts"] == {"broken": 9, "fixed": 0, "changed": 0, "same": 3}
    assert len(report["changes"]) == 9


def test_two_files_need_no_history(callscore: Program, tmp_path: Path) -> None:
    (tmp_path / "before.jsonl").write_text(case_lines({"rome"}))
    (tmp_path / "after.jsonl").write_text(case_lines({"oslo"}, without="lima"))

    ran = callscore("compare", "before.jsonl", "after.jsonl", "--measure", "f1")

    assert (ran.returncode, ran.stderr) == (0, "")
    assert ran.stdout.startswith("Not enough data   F1 90.9% → 90.9%, 0.0 points\n")
    assert "\nbefore   before.jsonl, 12 cases, " in ran.stdout
    assert "! 1 case only before, in before.jsonl (" in ran.stdout
    assert "\n- oslo   F1 100.0% → 0.0%\n" in ran.stdout
    assert "\n+ rome   F1 0.0% → 100.0%\n" in ran.stdout
    assert not (tmp_path / ".callscore").exists()


def test_a_file_is_scored_by_the_settings_that_are_given(
    callscore: Program, tmp_path: Path
) -> None:
    (tmp_path / "before.jsonl").write_text(case_lines(set()))
    (tmp_path / "after.jsonl").write_text(case_lines(set(CITIES)))
    wrong = ["--argument", "*.city=ignore"]

    strict = callscore("compare", "before.jsonl", "after.jsonl")
    loose = callscore("compare", "before.jsonl", "after.jsonl", *wrong)

    assert strict.stdout.startswith("Regressed ")
    assert "12 changed" in loose.stdout  # other calls, and as good
    assert " 100.0% → 100.0%, 0.0 points\n" in loose.stdout


def test_traces_can_have_their_references_elsewhere(callscore: Program, tmp_path: Path) -> None:
    (tmp_path / "references.jsonl").write_text('{"id": "one", "expected": ["search"]}\n')
    (tmp_path / "before.jsonl").write_text('{"id": "one", "actual": ["search"]}\n')
    (tmp_path / "after.jsonl").write_text('{"id": "one", "actual": []}\n')

    ran = callscore("compare", "before.jsonl", "after.jsonl", "--expected", "references.jsonl")

    assert "\nBroken: 1 case\n- one   F1 100.0% → 0.0%\n" in ran.stdout


def test_a_run_can_be_held_against_a_file(callscore: Program, folder: Path) -> None:
    (folder / "reference.jsonl").write_text(case_lines(set()))

    ran = callscore("compare", "reference.jsonl", "latest")

    assert ran.returncode == 0
    assert "\nBroken: 9 cases\n" in ran.stdout


def test_one_variant_can_be_held_against_another(callscore: Program, tmp_path: Path) -> None:
    (tmp_path / "eval_agent.py").write_text(
        "from callscore import Case, evaluation\n"
        "@evaluation(cases=[Case(str(n), id=str(n), expected=[('f', {'n': n})]) for n in range(9)],\n"
        "            variants={'old': {'plus': 0}, 'new': {'plus': 1}})\n"
        "def agent(case, plus):\n"
        "    return [('f', {'n': int(case.input) + plus})]\n"
    )
    callscore("run", "--show", "none", "--jobs", "1")

    ran = callscore("compare", "latest:old", "latest:new")
    unknown = callscore("compare", "latest:old", "latest:young")

    assert ran.stdout.startswith("Regressed   passed 100.0% → 0.0%, −100.0 points\n")
    assert "the same run" not in ran.stdout  # it is fair to compare two variants of one
    assert unknown.returncode == 2
    assert "new, old" in unknown.stderr or "old, new" in unknown.stderr


def test_cases_are_named_with_their_evaluation_where_several_were_compared(
    callscore: Program, folder: Path
) -> None:
    suite = 'answers = "good.jsonl"\ncases = "cases.jsonl"\n'
    (folder / "eval_other.toml").write_text(suite)
    write_answers(folder)
    (folder / "good.jsonl").write_bytes((folder / "answers.jsonl").read_bytes())
    callscore("run", "--show", "none", "--jobs", "1")
    write_answers(folder, wrong=CITIES[:1])
    callscore("run", "--show", "none", "--jobs", "1")

    ran = callscore("compare", "latest~1", "latest")

    assert "\nBroken: 1 case\n- weather::oslo " in ran.stdout
    assert callscore("show", "latest", "weather::oslo").returncode == 0


@pytest.mark.usefixtures("folder")
@pytest.mark.parametrize(
    ("arguments", "code", "said"),
    [
        (("latest", "nobody"), 2, "callscore: unknown run 'nobody'. The newest runs: "),
        (("latest", "none.jsonl"), 3, "callscore: none.jsonl: "),
        (("latest", "latest~1", "--measure", "tone"), 2, "callscore: measure: "),
        (
            ("latest", "latest~1", "--mode", "flexible"),
            2,
            "Settings and --expected apply to files only",
        ),
        (("latest", "latest~1", "-o", "a.xml"), 2, "junit is not available"),
        (("latest",), 2, "Missing argument 'AFTER'"),
        (("-", "-"), 2, "Standard input can be read only once."),
    ],
)
def test_what_cannot_be_is_told(
    callscore: Program, arguments: tuple[str, ...], code: int, said: str
) -> None:
    ran = callscore("compare", *arguments)

    assert (ran.returncode, ran.stdout) == (code, "")
    assert said in ran.stderr


def test_where_nothing_was_run_nothing_is_made(callscore: Program, tmp_path: Path) -> None:
    ran = callscore("compare", "latest~1", "latest")

    assert ran.returncode == 2
    assert "no runs yet" in ran.stderr
    assert not (tmp_path / ".callscore").exists()


def test_a_history_elsewhere_can_be_named(callscore: Program, folder: Path) -> None:
    (folder / ".callscore/history.db").rename(folder / "team.db")

    named = callscore("compare", "latest~1", "latest", "--store", "team.db")
    by_variable = callscore("compare", "latest~1", "latest", CALLSCORE_STORE="team.db")

    assert named.stdout.startswith("Regressed ")
    assert by_variable.stdout == named.stdout


@pytest.mark.parametrize("options", [(), ("--fail-on", "regressed")])
def test_files_without_a_common_case_are_an_error(
    callscore: Program, tmp_path: Path, options: tuple[str, ...]
) -> None:
    for name in "ab":
        case = f'{{"id": "{name}", "expected": ["f"], "actual": ["f"]}}\n'
        (tmp_path / f"{name}.jsonl").write_text(case)

    ran = callscore("compare", "a.jsonl", "b.jsonl", *options)

    assert ran.returncode == 3
    assert "no cases in common" in ran.stderr

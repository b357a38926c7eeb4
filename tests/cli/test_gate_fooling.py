"""Every known way to lose a case, a record or a requirement between two runs, against the real gate."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, NamedTuple

import msgspec
import pytest
from click.testing import CliRunner

from callscore.cli.exits import error_exit_code
from callscore.cli.program import cli
from callscore.errors import CallscoreError

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence
    from pathlib import Path

_CASES = 30
_FAILING = ("c00", "c01", "c02")  # in both runs, unless a trick hides them
Record = dict[str, Any]


class Outcome(NamedTuple):
    """The exit code of a command, and everything it printed."""

    code: int
    text: str


class Project:
    """A folder with a baseline: a scored file, or a run of an evaluation."""

    def __init__(self, folder: Path) -> None:
        self.folder = folder
        self.options: list[str] = []  # of the score or the run after the change
        self.gate: list[str] = []
        self.suffix = ""  # appended to the file as it is: lines that are not JSON

    def command(self, *words: str) -> Outcome:
        """Run a command in this process."""
        result = CliRunner().invoke(cli, list(words), standalone_mode=False)
        text = result.output
        error = result.exception
        if error is None:
            return Outcome(result.return_value or 0, text)
        if isinstance(error, SystemExit):
            return Outcome(int(error.code or 0), text)
        if isinstance(error, CallscoreError) or hasattr(error, "exit_code"):
            return Outcome(error_exit_code(error), f"{text}{error}")  # type: ignore[arg-type]
        raise error

    def score(self, records: Sequence[Record], name: str) -> None:
        """Score records and save them as a run."""
        lines = [msgspec.json.encode(record).decode() for record in records]
        text = "\n".join(lines) + "\n" + self.suffix
        (self.folder / "cases.jsonl").write_text(text, encoding="utf-8")
        done = self.command("score", "cases.jsonl", "--save", name, "--show", "none", *self.options)
        assert done.code in (0, 1), done.text

    def gated(self, fail_on: str) -> Outcome:
        """The gate on the run `now`."""
        return self.command("gate", "now", "--fail-on", fail_on, "--max-shown", "100", *self.gate)


@pytest.fixture
def project(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Project:
    monkeypatch.chdir(tmp_path)
    (tmp_path / ".git").mkdir()
    monkeypatch.setenv("COLUMNS", "300")
    for name in ("GITHUB_ACTIONS", "GITHUB_STEP_SUMMARY", "CALLSCORE_STORE"):
        monkeypatch.delenv(name, raising=False)
    return Project(tmp_path)


def call(name: str, **arguments: Any) -> Record:
    return {"name": name, "arguments": arguments}


def records() -> list[Record]:
    """Thirty cases of two calls, of which three fail."""
    found = []
    for number in range(_CASES):
        expected = [call("search", query=f"city {number}", limit=number), call("book", id=number)]
        name = f"c{number:02}"
        actual = [call("search", query="wrong", limit=number)] if name in _FAILING else expected
        found.append({"id": name, "input": number, "expected": expected, "actual": actual})
    return found


# --- ways to fool the gate --------------------------------------------------------------------

TRICKS: dict[str, tuple[str, str, Callable[[Project, list[Record]], list[Record]]]] = {}


def trick(fail_on: str, named: str) -> Callable[[Any], Any]:
    """Register a trick that must close the gate at this strictness, with these words in the report."""

    def register(function: Any) -> Any:
        TRICKS[function.__name__] = fail_on, named, function
        return function

    return register


def _each(
    found: list[Record], change: Callable[[Record], Record], names: Sequence[str] = _FAILING
) -> list[Record]:
    return [change(each) if each["id"] in names else each for each in found]


@trick("regressed", "Missing: 3 cases")
def failing_cases_are_dropped(_: Project, found: list[Record]) -> list[Record]:
    return [each for each in found if each["id"] not in _FAILING]


@trick("regressed", "- c29")
def one_passing_case_is_dropped(_: Project, found: list[Record]) -> list[Record]:
    return found[:-1]


@trick("regressed", "- c02")
def failing_cases_are_renamed(_: Project, found: list[Record]) -> list[Record]:
    return _each(found, lambda each: {**each, "id": f"new-{each['id']}"})


@trick("regressed", "may have been renamed")
def a_passing_case_is_renamed(_: Project, found: list[Record]) -> list[Record]:
    return _each(found, lambda each: {**each, "id": "renamed"}, ("c29",))


@trick("regressed", "Missing: 3 cases")
def failing_cases_lose_their_id(_: Project, found: list[Record]) -> list[Record]:
    return _each(found, lambda each: {key: each[key] for key in each if key != "id"})


@trick("regressed", "- c00")
def the_case_of_an_id_is_changed(_: Project, found: list[Record]) -> list[Record]:
    return _each(found, lambda each: {**each, "id": each["id"].upper()})


@trick("regressed", "Missing: 3 cases")
def failing_cases_lose_expected(_: Project, found: list[Record]) -> list[Record]:
    return _each(found, lambda each: {key: each[key] for key in each if key != "expected"})


@trick("regressed", "no answer")
def cases_lose_actual(_: Project, found: list[Record]) -> list[Record]:
    names = [f"c{number:02}" for number in range(3, 15)]
    return _each(found, lambda each: {key: each[key] for key in each if key != "actual"}, names)


@trick("regressed", "3 records could not be read")
def failing_lines_are_unreadable(project: Project, found: list[Record]) -> list[Record]:
    project.options, project.suffix = ["--skip-bad"], "{bad\n" * 3
    return [each for each in found if each["id"] not in _FAILING]


@trick("regressed", "1 record could not be read")
def an_unreadable_line_is_added(project: Project, found: list[Record]) -> list[Record]:
    project.options, project.suffix = ["--skip-bad"], '{"id": "x", "expected": [\n'
    return found


@trick("regressed", "2 records could not be read")
def unreadable_lines_are_allowed_only_when_scoring(
    project: Project, found: list[Record]
) -> list[Record]:
    project.options = ["--skip-bad", "--max-skipped", "2", "--fail-under", "0"]
    project.suffix = "[\n" * 2
    return found


@trick("regressed", "2 records could not be read")
def more_records_are_unreadable_than_allowed(project: Project, found: list[Record]) -> list[Record]:
    project.options, project.gate = ["--skip-bad"], ["--max-skipped", "1"]
    project.suffix = "{]\n" * 2
    return found


@trick("regressed", "1 record could not be read")
def a_record_has_a_misspelled_field(project: Project, found: list[Record]) -> list[Record]:
    project.options, project.suffix = ["--skip-bad"], '{"id": "x", "expectd": [], "actual": []}\n'
    return found


@trick("regressed", "Missing: 20 cases")
def only_some_cases_are_scored(project: Project, found: list[Record]) -> list[Record]:
    project.options = ["--limit", "10"]
    return list(reversed(found))


@trick("regressed", "Missing: 1 case")
def the_reason_of_a_removal_is_for_another_case(
    project: Project, found: list[Record]
) -> list[Record]:
    project.gate = ["--removed", "c00=the tool is gone", "--removed", "c01=the same"]
    return [each for each in found if each["id"] not in _FAILING]


@trick("regressed", "needs a reason")
def a_removal_has_an_empty_reason(project: Project, found: list[Record]) -> list[Record]:
    project.gate = ["--removed", "c0?= "]
    return [each for each in found if each["id"] not in _FAILING]


@trick("regressed", "needs a reason")
def a_removal_has_no_reason(project: Project, found: list[Record]) -> list[Record]:
    project.gate = ["--removed", "c0?"]
    return [each for each in found if each["id"] not in _FAILING]


@trick("regressed", "matches every case")
def everything_is_removed_by_one_pattern(project: Project, found: list[Record]) -> list[Record]:
    project.gate = ["--removed", "*::*=cleaning up"]
    return [each for each in found if each["id"] not in _FAILING]


@trick("regressed", "matches every case")
def everything_is_removed_by_what_the_ids_share(
    project: Project, found: list[Record]
) -> list[Record]:
    project.gate = ["--removed", "c*=cleaning up"]
    return [each for each in found if each["id"] not in _FAILING]


@trick("regressed", "needs a reason")
def the_reason_of_a_removal_has_no_word(project: Project, found: list[Record]) -> list[Record]:
    project.gate = ["--removed", "c0?=\u200b."]
    return [each for each in found if each["id"] not in _FAILING]


@trick("regressed", "over all trials")
def good_copies_come_first(_: Project, found: list[Record]) -> list[Record]:
    bad = [{**each, "actual": []} for each in found[3:]]
    return [*found, *bad]


@trick("broken", "cases broken")
def good_copies_of_few_cases_come_first(_: Project, found: list[Record]) -> list[Record]:
    return [*found, *[{**each, "actual": []} for each in found[-2:]]]


@trick("any", "3 cases whose expected calls ask for less")
def an_expected_call_is_removed(_: Project, found: list[Record]) -> list[Record]:
    return _each(found, lambda each: {**each, "expected": each["expected"][:1]})


@trick("any", "expected calls ask for less (c00, c01, c02)")
def all_expected_calls_are_removed(_: Project, found: list[Record]) -> list[Record]:
    return _each(found, lambda each: {**each, "expected": [], "actual": []})


@trick("any", "ask for less")
def a_removal_hides_behind_an_addition(_: Project, found: list[Record]) -> list[Record]:
    return _each(
        found, lambda each: {**each, "expected": [each["expected"][0], {"forbid": "never_called"}]}
    )


def _with_query(each: Record, query: Any) -> Record:
    first, *rest = each["expected"]
    arguments = {**first["arguments"], "query": query}
    return {**each, "expected": [{**first, "arguments": arguments}, *rest]}


@trick("any", "ask for less")
def a_value_becomes_any(_: Project, found: list[Record]) -> list[Record]:
    return _each(found, lambda each: _with_query(each, {"$any": True}))


@trick("any", "ask for less")
def a_value_becomes_a_pattern(_: Project, found: list[Record]) -> list[Record]:
    return _each(found, lambda each: _with_query(each, {"$regex": ".*"}))


@trick("any", "ask for less")
def a_value_becomes_optional(_: Project, found: list[Record]) -> list[Record]:
    value = {"$optional": {"$any": True}}
    return _each(found, lambda each: _with_query(each, value))


@trick("any", "ask for less")
def a_value_becomes_a_type(_: Project, found: list[Record]) -> list[Record]:
    return _each(found, lambda each: _with_query(each, {"$type": "string"}))


@trick("any", "ask for less")
def an_argument_is_removed(_: Project, found: list[Record]) -> list[Record]:
    def change(each: Record) -> Record:
        return {**each, "expected": [call("search", limit=each["input"]), each["expected"][1]]}

    return _each(found, change)


@trick("any", "ask for less")
def a_call_becomes_optional(_: Project, found: list[Record]) -> list[Record]:
    return _each(
        found,
        lambda each: {**each, "expected": [each["expected"][0], {"optional": each["expected"][1]}]},
    )


@trick("any", "ask for less")
def a_call_becomes_one_of_several(_: Project, found: list[Record]) -> list[Record]:
    def change(each: Record) -> Record:
        first, second = each["expected"]
        return {**each, "expected": [{"one_of": [first, call("search", query="wrong")]}, second]}

    return _each(found, change)


@trick("any", "ask for less")
def the_order_is_relaxed(_: Project, found: list[Record]) -> list[Record]:
    return _each(found, lambda each: {**each, "expected": [{"any_order": each["expected"]}]})


@trick("any", "ask for less")
def a_call_may_be_made_any_number_of_times(_: Project, found: list[Record]) -> list[Record]:
    def change(each: Record) -> Record:
        first, second = each["expected"]
        return {**each, "expected": [first, {**second, "times": {"min": 0, "max": 5}}]}

    return _each(found, change)


@trick("regressed", "pass_mark 1.0 → 0.4 (looser)")
def the_pass_mark_is_lowered(project: Project, found: list[Record]) -> list[Record]:
    project.options = ["--pass-mark", "0.4"]
    return found


@trick("regressed", "mode strict → flexible (looser)")
def the_mode_is_flexible(project: Project, found: list[Record]) -> list[Record]:
    project.options = ["--mode", "flexible", "--argument-match-threshold", "0.1"]
    return found


@trick("regressed", "nested_objects equal → subset (looser)")
def nested_objects_may_be_a_subset(project: Project, found: list[Record]) -> list[Record]:
    project.options = ["--nested-objects", "subset"]
    return found


@trick("regressed", "arguments")
def an_argument_is_ignored(project: Project, found: list[Record]) -> list[Record]:
    (project.folder / "callscore.toml").write_text(
        '[arguments]\n"*.query" = "ignore"\n', encoding="utf-8"
    )
    return found


@trick("regressed", "extra_calls cost → free (looser)")
def extra_calls_are_free(project: Project, found: list[Record]) -> list[Record]:
    project.options = ["--extra-calls", "free"]
    return found


@trick("regressed", "effects")
def everything_is_a_read(project: Project, found: list[Record]) -> list[Record]:
    (project.folder / "callscore.toml").write_text(
        'count_calls = "writes"\n[effects]\n"*" = "read"\n', encoding="utf-8"
    )
    return found


@trick("regressed", "failed_calls count → ignore (changed)")
def failed_calls_are_ignored(project: Project, found: list[Record]) -> list[Record]:
    project.options = ["--failed-calls", "ignore"]
    return found


@trick("regressed", 'normalize_name [] → ["case"] (looser)')
def names_are_normalized(project: Project, found: list[Record]) -> list[Record]:
    project.options = ["--normalize-name", "case"]
    return found


@trick("regressed", 'callers – → ["agent"] (changed)')
def only_the_calls_of_the_agent_count(project: Project, found: list[Record]) -> list[Record]:
    project.options = ["--callers", "agent"]
    return found


@trick("regressed", "extra_calls cost → free (looser)")
def a_lenient_preset_is_chosen(project: Project, found: list[Record]) -> list[Record]:
    project.options = ["--preset", "coverage"]
    return found


@trick("regressed", "repeated_calls count → collapse (looser)")
def repeats_are_collapsed(project: Project, found: list[Record]) -> list[Record]:
    project.options = ["--repeated-calls", "collapse"]
    return found


@trick("any", "cases whose expected calls changed")
def the_wrong_answer_is_accepted(_: Project, found: list[Record]) -> list[Record]:
    return _each(found, lambda each: {**each, "expected": each["actual"] + each["actual"]})


@trick("any", "cases whose input changed")
def the_question_is_made_easier(_: Project, found: list[Record]) -> list[Record]:
    return _each(found, lambda each: {**each, "input": "say hello"})


@trick("any", "new case fails (extra)")
def a_new_case_fails(_: Project, found: list[Record]) -> list[Record]:
    return [*found, {**found[0], "id": "extra", "input": "new"}]


@pytest.mark.parametrize("name", TRICKS)
def test_a_trick_closes_the_gate_and_is_named(project: Project, name: str) -> None:
    fail_on, named, change = TRICKS[name]
    project.score(records(), "before")
    assert project.command("baseline", "set", "before", "--name", "main").code == 0

    project.score(change(project, records()), "now")

    levels = ("regressed", "default", "broken", "any")
    for level in levels[levels.index(fail_on) :]:
        done = project.gated(level)
        assert done.code in (1, 2), f"{level}: {done.text}"  # 2: the options are refused
        assert named in done.text, f"{level}: {done.text}"
    if fail_on != "regressed":  # named even where it is allowed
        done = project.gated("regressed")
        assert done.code == 0, done.text
        assert "Missing" not in done.text
        assert named in _first_lines(done.text) or fail_on == "broken" or "new case" in named


def _first_lines(report: str) -> str:
    return report.partition("\n\n")[0]


# --- honest changes ---------------------------------------------------------------------------


def _unchanged(_: Project, found: list[Record]) -> list[Record]:
    return found


def _reordered(_: Project, found: list[Record]) -> list[Record]:
    return list(reversed(found))


def _new_cases_pass(_: Project, found: list[Record]) -> list[Record]:
    return [*found, {**found[-1], "id": "extra", "input": "new"}]


def _a_case_is_fixed(_: Project, found: list[Record]) -> list[Record]:
    return _each(found, lambda each: {**each, "actual": each["expected"]})


def _empty_lines_are_added(project: Project, found: list[Record]) -> list[Record]:
    project.options, project.suffix = ["--skip-bad"], "\n\n\n"
    return found


def _expectations_are_stricter(_: Project, found: list[Record]) -> list[Record]:
    more = call("log")
    return _each(
        found,
        lambda each: {
            **each,
            "expected": [*each["expected"], more],
            "actual": [*each["actual"], more],
        },
        ("c29",),
    )


def _cases_are_removed_for_a_reason(project: Project, found: list[Record]) -> list[Record]:
    project.gate = ["--removed", "c00=the tool is gone", "--removed", "cases::c0[12]=duplicates"]
    return [each for each in found if each["id"] not in _FAILING]


def _the_project_file_gives_the_reason(project: Project, found: list[Record]) -> list[Record]:
    text = '[gate.removed]\n"cases::c0?" = "the tool is gone"\n'
    (project.folder / "callscore.toml").write_text(text, encoding="utf-8")
    return [each for each in found if each["id"] not in _FAILING]


def _skipped_records_are_allowed(project: Project, found: list[Record]) -> list[Record]:
    project.options, project.gate = ["--skip-bad"], ["--max-skipped", "1"]
    project.suffix = "{bad\n"
    return found


def _an_answer_without_calls_is_an_answer(_: Project, found: list[Record]) -> list[Record]:
    return _each(found, lambda each: {**each, "actual": []})


def _a_looser_setting_is_meant(project: Project, found: list[Record]) -> list[Record]:
    project.options, project.gate = ["--mode", "flexible"], ["--allow-looser"]
    return found


def _settings_are_stricter(project: Project, found: list[Record]) -> list[Record]:
    project.options = ["--order", "in_order"]
    return found


HONEST = (
    _a_looser_setting_is_meant,
    _settings_are_stricter,
    _unchanged,
    _reordered,
    _new_cases_pass,
    _a_case_is_fixed,
    _empty_lines_are_added,
    _expectations_are_stricter,
    _cases_are_removed_for_a_reason,
    _the_project_file_gives_the_reason,
    _skipped_records_are_allowed,
    _an_answer_without_calls_is_an_answer,
)


@pytest.mark.parametrize("change", HONEST)
def test_an_honest_change_passes(
    project: Project, change: Callable[[Project, list[Record]], list[Record]]
) -> None:
    project.score(records(), "before")
    assert project.command("baseline", "set", "before", "--name", "main").code == 0

    project.score(change(project, records()), "now")

    for level in ("regressed", "default", "broken"):
        done = project.gated(level)
        assert done.code == 0, done.text


def test_removed_cases_are_listed_with_their_reasons_in_every_format(project: Project) -> None:
    project.score(records(), "before")
    project.command("baseline", "set", "before", "--name", "main")
    project.score(_cases_are_removed_for_a_reason(project, records()), "now")

    for output_format in ("table", "json", "markdown", "junit"):
        done = project.command("gate", "now", "--format", output_format, *project.gate)
        assert done.code == 0
        for text in ("c00", "the tool is gone", "c02", "duplicates"):
            assert text in done.text, output_format


@pytest.mark.parametrize(
    ("text", "problem"),
    [
        ('[gate.removed]\n"c0?" = ""', "'c0?' needs a reason"),
        ("[gate.removed]\nc00 = true", "'c00' needs a reason"),
        ('[gate.removed]\n"*" = "all"', "'*' matches every case"),
        ('[gate]\nremoved = ["c00"]', "expected a table [gate.removed]"),
        ('[gate]\nfail_on = "any"', "expected a table [gate.removed]"),
    ],
)
def test_a_project_file_with_a_removal_that_says_nothing_is_refused(
    project: Project, text: str, problem: str
) -> None:
    project.score(records(), "before")
    project.command("baseline", "set", "before", "--name", "main")
    project.score(records()[3:], "now")
    (project.folder / "callscore.toml").write_text(text, encoding="utf-8")

    done = project.gated("regressed")

    assert done.code == 2
    assert problem in done.text


def test_a_baseline_does_not_lose_cases_unless_they_were_removed_on_purpose(
    project: Project,
) -> None:
    project.score(records(), "before")
    project.command("baseline", "set", "before", "--name", "main")
    project.score(records()[3:], "now")

    refused = project.command("baseline", "set", "now", "--name", "main", "--lang", "ru")
    other = project.command("baseline", "set", "now", "--name", "first")
    once = project.command("gate", "now", "--removed", "c0?=gone")
    (project.folder / "callscore.toml").write_text('[gate.removed]\n"c0?" = "gone"\n')
    lasting = project.command("gate", "now")
    moved = project.command("baseline", "set", "now", "--name", "main")

    assert (refused.code, other.code, moved.code) == (1, 0, 0)
    assert "3 cases are missing: c00, c01, c02. Choose" in refused.text
    assert "[gate.removed] of callscore.toml, or pass --allow-incomplete" in refused.text
    assert once.text.endswith(" --name main --allow-incomplete\n")
    assert lasting.text.endswith(" --name main\n")
    assert "Note: Removed on purpose: 3 cases (c00, c01, c02)." in moved.text


def test_the_lines_that_remove_a_case_can_be_pasted(project: Project) -> None:
    found = records()
    found[1]["id"] = 'it"s [odd]\x7f\U0001f600'
    project.score(found, "before")
    project.command("baseline", "set", "before", "--name", "main")
    project.score([{**found[0], "id": "renamed"}, *found[3:]], "now")

    closed = project.command("gate", "now")
    lines = closed.text.partition("give the reason in callscore.toml:\n")[2].partition("\n\n")[0]
    (project.folder / "callscore.toml").write_text(lines, encoding="utf-8")
    markdown = project.command("gate", "now", "--format", "markdown", "--removed", "c0=typo")
    opened = project.command("gate", "now")

    assert closed.text.startswith("Gate failed   main → now   ")
    assert '\n  "c00" = "renamed to renamed"\n' in closed.text
    assert opened.code == 0, opened.text
    assert "Removed on purpose: 3 cases" in opened.text
    head = markdown.text.partition("###")[0].splitlines()
    assert not [line for line in head if "&#" in line and "Removed on purpose" not in line]


def test_a_removal_that_matches_nothing_is_noted_with_what_may_be_meant(project: Project) -> None:
    project.score([*records()[3:], {**records()[0], "id": "weather-bern"}], "before")
    project.command("baseline", "set", "before", "--name", "main")
    project.score(records()[3:], "now")

    done = project.command(
        "gate", "now", "--removed", "weather-brn=gone", "--removed", "nothing=gone"
    )

    assert "is missing. Did you mean 'weather-bern'?" in done.text
    assert "nothing is listed as removed, but no such case is missing. Delete the line" in done.text


def test_a_baseline_that_may_lose_cases_names_them(project: Project) -> None:
    project.score(records(), "before")
    project.command("baseline", "set", "before", "--name", "main")
    project.score(records()[3:], "now")

    done = project.command("baseline", "set", "now", "--allow-incomplete")

    assert done.code == 0
    assert "3 cases are missing: c00, c01, c02" in done.text


def test_a_saved_run_has_the_number_of_its_unreadable_records(project: Project) -> None:
    project.options, project.suffix = ["--skip-bad"], "{bad\n" * 4
    project.score(records(), "now")

    shown = project.command("show", "now", "--show", "none")
    listed = project.command("history", "--format", "json")
    refused = project.command("baseline", "set", "now")
    again = project.command("rescore", "now", "--fail-under", "0")
    allowed = project.command("rescore", "now", "--fail-under", "0", "--max-skipped", "4")
    newest = project.command("show", "latest", "--format", "json")

    assert "not in this run: 4 records could not be read" in shown.text
    assert '"unreadable": 4' in listed.text
    assert refused.code == 1
    assert "4 records could not be read" in refused.text
    assert (again.code, allowed.code) == (1, 0)
    assert '"unreadable": 4' in newest.text


def test_two_files_count_what_is_missing_on_both_sides(project: Project) -> None:
    lines = [msgspec.json.encode(each).decode() for each in records()[3:]]
    (project.folder / "cases.jsonl").write_text("\n".join(lines), encoding="utf-8")
    traces = [
        {"id": each["id"], "actual": each["actual"]} for each in records()[3:] if each["input"] > 5
    ]
    (project.folder / "traces.jsonl").write_bytes(
        b"\n".join(msgspec.json.encode(each) for each in traces) + b"\n{bad\n"
    )

    sides = ("--expected", "cases.jsonl", "--actual", "traces.jsonl", "--skip-bad")
    done = project.command("score", *sides, "--show", "none", "--fail-under", "0")

    assert done.code == 1
    assert "Macro F1 88.9%" in done.text
    assert "cases without an answer: c03, c04, c05" in done.text
    assert "1 record could not be read" in done.text


# --- runs of evaluations ----------------------------------------------------------------------

_EVALUATION = """
from callscore import Case, evaluation

@evaluation(cases=[{cases}], {options})
def assistant(case):
    return [("f", {{"x": 0 if case.id in {failing!r} else case.input}})]
"""
_OTHER = """
from callscore import Case, evaluation

@evaluation(cases=[Case(1, id="o1", expected=[("f", {"x": 1})])])
def other(case):
    return [("f", {"x": 1})]
"""


def _evaluated(cases: int = 20, options: str = "", skipped: Sequence[str] = ()) -> str:
    listed = []
    for number in range(1, cases + 1):
        skip = ", skip='slow'" if f"k{number}" in skipped else ""
        listed.append(
            f"Case({number}, id='k{number}', tags=['t{number % 2}'], expected=[('f', {{'x': {number}}})]{skip})"
        )
    return _EVALUATION.format(cases=", ".join(listed), options=options, failing=["k1", "k2"])


def _run(project: Project, name: str, source: str, *options: str) -> None:
    import sys

    (project.folder / "eval_agent.py").write_text(source, encoding="utf-8")
    sys.modules.pop("eval_agent", None)
    done = project.command("run", "--name", name, "--show", "none", *options)
    assert done.code in (0, 1), done.text


RUN_TRICKS: dict[str, tuple[str, str, tuple[str, ...], str]] = {
    "skipped": ("regressed", _evaluated(skipped=["k1", "k2"]), (), "Missing: 2 cases"),
    "deselected by -k": ("regressed", _evaluated(), ("-k", "not k1"), "Missing"),
    "deselected by a tag": ("regressed", _evaluated(), ("--tag", "t0"), "Missing: 10 cases"),
    "limited": ("regressed", _evaluated(), ("--limit", "5"), "Missing: 15 cases"),
    "fewer cases": ("regressed", _evaluated(19), (), "k20"),
    "fewer trials": ("regressed", _evaluated(), ("--trials", "1"), "fewer trials than before"),
    "a lower fail_under": (
        "regressed",
        _evaluated(options="fail_under={'accuracy': 0.1}"),
        ("--trials", "2"),
        "fail_under (accuracy) 0.5 → 0.1 (looser)",
    ),
    "no fail_under": (
        "regressed",
        _evaluated(),
        ("--trials", "2"),
        "fail_under (accuracy) 0.5 → – (looser)",
    ),
    "a lower pass mark": (
        "regressed",
        _evaluated(options="fail_under={'accuracy': 0.5}, pass_mark=0.0"),
        ("--trials", "2"),
        "pass_mark 1.0 → 0.0 (looser)",
    ),
}


@pytest.mark.parametrize("name", RUN_TRICKS)
def test_a_run_of_evaluations_cannot_lose_cases_either(project: Project, name: str) -> None:
    fail_on, source, options, named = RUN_TRICKS[name]
    first = _evaluated(options="fail_under={'accuracy': 0.5}")
    _run(project, "before", first, "--trials", "2" if "--trials" in options else "1")
    assert project.command("baseline", "set", "before", "--name", "main").code == 0

    _run(project, "now", source, *options)

    for level in (fail_on, "default"):
        done = project.gated(level)
        assert done.code == 1, done.text
        assert named in done.text


def test_another_variant_is_named(project: Project) -> None:
    source = _evaluated(options="variants={'big': {}}")
    _run(project, "before", source)
    project.command("baseline", "set", "before", "--name", "main")
    _run(project, "now", source.replace("'big'", "'small'"))

    done = project.gated("regressed")

    assert "assistant [big] and assistant [small] are compared as one evaluation" in done.text


def test_other_tools_are_named_and_close_the_strictest_gate(project: Project) -> None:
    tools = "tools=[{{'name': 'f', 'parameters': {{'type': 'object', 'required': [{}]}}}}]"
    _run(project, "before", _evaluated(options=tools.format("'x'")))
    project.command("baseline", "set", "before", "--name", "main")
    _run(project, "now", _evaluated(options=tools.format("")))

    done = project.gated("any")

    assert done.code == 1
    assert "assistant: tools " in done.text
    assert project.gated("broken").code == 0


def test_an_evaluation_that_is_gone_closes_the_gate(project: Project) -> None:
    (project.folder / "eval_other.py").write_text(_OTHER, encoding="utf-8")
    _run(project, "before", _evaluated())
    project.command("baseline", "set", "before", "--name", "main")
    (project.folder / "eval_other.py").unlink()
    _run(project, "now", _evaluated())

    done = project.gated("regressed")

    assert done.code == 1
    assert "other::o1" in done.text


def test_an_earlier_run_does_not_pass_for_one_that_could_not_be_saved(project: Project) -> None:
    project.score(records(), "before")
    project.command("baseline", "set", "before", "--name", "main")
    project.score(records(), "now")
    assert project.command("gate").code == 0
    file = project.folder / ".callscore" / "unsaved-29991231-235959-k3f9-2.jsonl"
    file.touch()

    refused, named = project.command("gate"), project.gated("regressed")

    assert refused.code == 3
    assert "the newest run, 29991231-235959-k3f9, could not be saved" in refused.text
    assert f"callscore import {file}" in refused.text
    assert named.code == 0


def test_the_junit_report_of_a_gate_has_no_test_of_what_it_allows(tmp_path: Path) -> None:
    project = Project(tmp_path)
    case = {"id": "a", "expected": ["f"], "actual": ["f"]}
    file, store = tmp_path / "c.jsonl", str(tmp_path / "h.db")
    file.write_bytes(msgspec.json.encode(case) + b"\n")
    for name, mode in (("main", "strict"), ("now", "flexible")):
        project.command("score", str(file), "--save", name, "--mode", mode, "--store", store)

    words = ["gate", "now", "--against", "main", "--store", store, "--format", "junit"]
    closed, allowed = project.command(*words), project.command(*words, "--allow-looser")

    assert (closed.code, allowed.code) == (1, 0)
    assert 'name="no setting asks for less"' in closed.text
    assert 'name="no setting asks for less"' not in allowed.text
    assert 'name="no missing cases"' in allowed.text

"""Mistakes in case files, suites and settings, without running anything."""

from __future__ import annotations

import gzip
from pathlib import Path
from typing import TYPE_CHECKING

import pytest

from callscore.evaluations.validating import FileReport, validate_paths

if TYPE_CHECKING:
    from collections.abc import Iterator

SUITE = """\
answers: answers.jsonl
tools: [{name: get_weather, parameters: {type: object, properties: {city: {type: string}}}}]
cases:
  - {id: oslo, input: Weather in Oslo?, expected: [{name: get_weather, arguments: {city: Oslo}}]}
"""


@pytest.fixture(autouse=True)
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.chdir(tmp_path)
    return tmp_path


def written(**files: str) -> list[Path]:
    """Files whose names have `__` in place of the dot."""
    paths = [Path(name.replace("__", ".")) for name in files]
    for path, text in zip(paths, files.values(), strict=True):
        path.write_text(text, encoding="utf-8")
    return paths


def problems(*paths: Path) -> list[tuple[str, str]]:
    return [(each.place, each.text) for found in validate_paths(paths) for each in found.problems]


def only(reports: Iterator[FileReport]) -> FileReport:
    (report,) = reports
    return report


def test_all_mistakes_of_a_case_file_are_found_each_at_its_line() -> None:
    (path,) = written(
        cases__jsonl='{"id": "a", "expectd": []}\n'
        '{"id": "b", "expected": ["f"]}\n'
        '{"id": "c", "expected": [{"name": "f", "times": -1}]}\n'
        "{broken\n"
    )

    report = only(validate_paths([path]))

    assert (report.kind, report.cases) == ("cases", 1)
    assert [each.line for each in report.problems] == [1, 3, 4]
    assert {each.file for each in report.problems} == {"cases.jsonl"}
    assert report.problems[0].text == "unknown field 'expectd'. Did you mean 'expected'?"


@pytest.mark.parametrize(
    ("name", "text"),
    [
        ("cases.yaml", "- {id: a, expected: [f]}\n- {id: b, expected: []}\n"),
        ("cases.json", '{"cases": [{"id": "a", "expected": ["f"]}, {"id": "b", "expected": []}]}'),
        ("cases.csv", 'id,expected\na,"[""f""]"\nb,[]\n'),
    ],
)
def test_case_files_of_other_kinds_are_read(name: str, text: str) -> None:
    path = Path(name)
    path.write_text(text)

    assert only(validate_paths([path])) == FileReport(name, "cases", 2)


@pytest.mark.parametrize(
    ("text", "told"),
    [
        (
            '{"foo": 1, "bar": 2}',
            "a case must have an 'id' and 'expected'; got an object with the keys 'foo', 'bar'.",
        ),
        (
            '{"id": "a", "expected": [{"zoo": 1}]}',
            "expected[0]: a call needs a name, as in {...}; got an object with the key 'zoo'.",
        ),
    ],
)
def test_no_option_of_another_command_is_advised(text: str, told: str) -> None:
    (path,) = written(other__json=text)

    ((_, problem),) = problems(path)
    assert problem.replace('{"name": ..., "arguments": {...}}', "{...}") == told


def test_compressed_cases_are_not_taken_for_binary() -> None:
    path = Path("cases.jsonl")
    path.write_bytes(gzip.compress(b'{"id": "a", "expected": []}\n'))

    assert only(validate_paths([path])) == FileReport("cases.jsonl", "cases", 1)


def test_a_file_without_cases_is_a_mistake() -> None:
    (path,) = written(cases__jsonl="")

    assert [place for place, _ in problems(path)] == ["cases.jsonl"]


@pytest.mark.parametrize(
    ("second", "told"),
    [
        ('"expected": ["g"]', "which has another input or expects other calls. Rename one."),
        ('"expected": ["f"], "input": "Hi"', "which has another input or expects other calls."),
        ('"expected": ["f"]', "which is the same case. Remove one."),
    ],
)
def test_an_id_that_two_cases_have_is_a_warning(second: str, told: str) -> None:
    (path,) = written(cases__jsonl=f'{{"id": "a", "expected": ["f"]}}\n{{"id": "a", {second}}}\n')

    (warning,) = only(validate_paths([path])).problems

    assert (warning.place, warning.is_warning) == ("cases.jsonl:2", True)
    assert warning.text.startswith(f"the id 'a' is also that of cases.jsonl:1, {told}")


@pytest.mark.parametrize("own", ['"actual": ["f"]', '"trial": 2'])
def test_trials_of_a_case_have_one_id(own: str) -> None:
    case = f'{{"id": "a", "expected": ["f"], {own}}}\n'
    (path,) = written(cases__jsonl=case + case)

    assert problems(path) == []


def test_cases_of_a_suite_with_one_id_are_a_warning_that_tells_the_new_name() -> None:
    double = "cases: [{id: x, input: a, expected: [f]}, {id: x, input: b, expected: [g]}]\n"
    asked, recorded, _ = written(
        eval_asked__yaml=f"model: gpt-4.1-mini\n{double}",
        eval_recorded__yaml=f"answers: answers.jsonl\n{double}",
        answers__jsonl='{"id": "x", "answer": []}\n',
    )
    renamed = "2 cases have the id 'x'; the second one is renamed 'x-2'."

    assert problems(asked) == [("eval_asked.yaml", f"asked: {renamed}")]
    assert [text for _, text in problems(recorded)] == [
        f"recorded: {renamed}",
        "answers.jsonl has no answer for case 'x-2'.",
    ]


def test_a_suite_is_checked_with_its_answers_and_tools() -> None:
    suite, _ = written(
        eval_weather__yaml=SUITE.replace("city: Oslo", "town: Oslo"),
        answers__jsonl='{"id": "olso", "answer": []}\n',
    )

    report = only(validate_paths([suite]))

    assert (report.kind, report.cases) == ("suite", 1)
    texts = [(each.text, each.is_warning) for each in report.problems]
    assert texts == [
        (
            "weather: the case oslo expects 'town' of get_weather, which has no such parameter.",
            True,
        ),
        (
            "weather: answers.jsonl has an answer for 'olso', which is not a case. Did you mean 'oslo'?",
            True,
        ),
        ("answers.jsonl has no answer for case 'oslo'. Did you mean 'olso'?", False),
    ]


def test_a_suite_is_known_by_its_keys_under_any_name() -> None:
    suite, cases, _ = written(
        weather__yaml=SUITE,
        plain__yaml="cases:\n  - {id: a, expected: []}\n",
        answers__jsonl='{"id": "oslo", "answer": []}\n',
    )

    assert [each.kind for each in validate_paths([suite, cases])] == ["suite", "cases"]
    assert problems(suite, cases) == []


@pytest.mark.parametrize(
    ("text", "line", "told"),
    [
        (SUITE.replace("tools:", "tool:"), 2, "a suite has no key 'tool'. Did you mean 'tools'?"),
        (SUITE.replace("expected", "expectd"), 4, "Did you mean 'expected'?"),
        (SUITE.replace("answers.jsonl", "nothing.jsonl"), 1, "'nothing.jsonl' not found."),
        ("cases: [\n", None, "YAML"),
    ],
)
def test_a_mistake_in_a_suite_has_its_line(text: str, line: int | None, told: str) -> None:
    suite, _ = written(eval_weather__yaml=text, answers__jsonl='{"id": "oslo", "answer": []}\n')

    (problem,) = only(validate_paths([suite])).problems

    assert told in problem.text
    assert line is None or problem.line == line


@pytest.mark.parametrize(
    ("text", "lines"),
    [
        ("model: m\ntrials: many\nfail_under: 7\ncases: [{input: a, expected: []}]\n", [2, 3]),
        ("answers: nothing.jsonl\ncases: nothing.yaml\n", [1, 2]),
        ("answers: nothing.jsonl\ntrials: 2\n", [None, 1]),  # no cases
        ("colour: red\nmodel: m\ncases: broken.jsonl\n", [1, 1, 2]),
        (
            "model: m\nsettings:\n  mode: stric\n  order: 5\n  x: 1\ncases: [{input: a}]\n",
            [3, 4, 5],
        ),
        ("model: m\ncases:\n  - {expectd: []}\n  - {input: a}\n  - {expectd: []}\n", [3, 5]),
        ("model: {nam: m}\ntags: 5\ncases: [{input: a}]\n", [1, 2]),
        ("trials: 0\nonly: 5\nskip: {}\ncases: [{input: a}]\n", [None, 1, 2, 3]),  # no model
        ("model: m\nscorers: [nothing]\nfail_under: {nothing: 1}\ncases: [{input: a}]\n", [2]),
    ],
)
def test_a_mistake_in_one_key_of_a_suite_hides_no_other(text: str, lines: list[int | None]) -> None:
    suite, _ = written(
        eval_weather__yaml=text,
        broken__jsonl='{"id": "a", "expectd": []}\n{"id": "b", "expectd": []}\n',
    )

    report = only(validate_paths([suite]))

    assert [each.line for each in report.problems] == lines


def test_a_suite_without_anything_right_is_read_to_the_end() -> None:
    (suite,) = written(
        eval_weather__toml="cases = 1\nmodel = 2\nvariants = 3\ntools = 4\njudge = 5\n"
    )

    assert [each.line for each in only(validate_paths([suite])).problems] == [1, 2, 3, 4, 5]


def test_all_mistakes_in_the_case_file_of_a_suite_have_their_own_places() -> None:
    suite, *_ = written(
        eval_weather__toml='answers = "answers.jsonl"\ncases = "cases.jsonl"\n',
        cases__jsonl='{"id": "a", "expectd": []}\n{"id": "oslo", "expected": []}\n{\n',
        answers__jsonl='{"id": "oslo", "answer": []}\n',
    )

    assert [place for place, _ in problems(suite)] == ["cases.jsonl:1", "cases.jsonl:3:2"]


def test_a_model_is_not_called_and_needs_no_key(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.delenv("OPENAI_API_KEY", raising=False)
    (suite,) = written(
        eval_weather__yaml="model: gpt-4.1-mini\ncases: [{id: a, input: Hi, expected: []}]\n"
    )

    assert only(validate_paths([suite])) == FileReport("eval_weather.yaml", "suite", 1)


def test_the_settings_of_a_project_are_checked() -> None:
    (path,) = written(callscore__toml='mode = "strct"\n')

    assert problems(path) == [
        ("callscore.toml:1", "mode: unknown value 'strct'. Did you mean 'strict'?")
    ]
    path.write_text('mode = "flexible"\n')
    assert only(validate_paths([path])) == FileReport("callscore.toml", "settings")


@pytest.mark.parametrize(
    ("text", "lines", "told"),
    [
        ('mode = "stric"\norder = 5\n', [1, 2], "mode: unknown value 'stric'"),
        ("\n[run]\nx = 1\n", [2], "unknown setting 'run'. Choose from: preset, mode, "),
        ("[gate]\nfail_onn = 1\n", [1], "gate: unknown key 'fail_onn'; expected a table"),
        ('"a b" = 1\nmode = 3\n', [1, 2], "unknown setting 'a b'. "),
        ('#\n[effects]\nx = "raed"\n[tool.callscore]\n', [2, 4], "effects: 'x': unknown value"),
        ('[gate.removed]\n"*" = "why"\n', [1], "gate.removed: '*' matches every case."),
        ("argumentMatchThreshold = 1\nargument_match_threshold = 7\n", [1, 2], "are the same"),
        ("mode = \n", [1], "not TOML: "),
        ("a = [\n1,\n", [2], "not TOML: "),
    ],
)
def test_each_wrong_setting_has_its_line_and_advice(text: str, lines: list[int], told: str) -> None:
    (path,) = written(callscore__toml=text)

    report = only(validate_paths([path]))

    assert [each.line for each in report.problems] == lines
    assert told in report.problems[0].text


def test_settings_that_are_not_text_are_a_mistake() -> None:
    path = Path("callscore.toml")
    path.write_bytes(b"\xff\xfe")

    ((place, text),) = problems(path)

    assert place == "callscore.toml"
    assert text.startswith("not valid TOML: ")


def test_a_file_in_python_is_not_run(folder: Path) -> None:
    (path,) = written(eval_weather__py="open('ran', 'w')\n")

    assert only(validate_paths([path])) == FileReport("eval_weather.py", "python")
    assert not (folder / "ran").exists()


def test_a_folder_has_its_suites_each_once(folder: Path) -> None:
    suite, *_ = written(
        eval_weather__yaml=SUITE,
        answers__jsonl='{"id": "oslo", "answer": []}\n',
        notes__yaml="anything: goes\n",
    )

    found = [*validate_paths([folder, suite])]

    assert [(each.path, each.kind) for each in found] == [("eval_weather.yaml", "suite")]


@pytest.mark.parametrize(
    ("name", "told"),
    [
        ("nothing.jsonl", "file or folder not found."),
        ("x" * 300, "it cannot be read"),
        ("program.exe", "expected a case file (.jsonl"),
        ("empty", "no suites found. Expected files named eval_*.yaml"),
        ("/dev/null", "it is a device or a pipe. Pass a file or a folder."),
        ("binary.jsonl", "not a text file"),
        ("binary.yaml", "not a text file"),
    ],
)
def test_what_cannot_be_checked_is_a_mistake(name: str, told: str) -> None:
    Path("empty").mkdir()
    Path("program.exe").touch()
    for binary in ("binary.jsonl", "binary.yaml"):
        Path(binary).write_bytes(b"\x7fELF\x02\0\xcc\n" * 15)

    ((_, text),) = problems(Path(name))

    assert told in text

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


def test_compressed_cases_are_not_taken_for_binary() -> None:
    path = Path("cases.jsonl")
    path.write_bytes(gzip.compress(b'{"id": "a", "expected": []}\n'))

    assert only(validate_paths([path])) == FileReport("cases.jsonl", "cases", 1)


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
    ("text", "lines"),
    [
        ("answers: nothing.jsonl\ncases: nothing.yaml\n", [1, 2]),
        ("colour: red\nmodel: m\ncases: broken.jsonl\n", [1, 1, 2]),
        (
            "model: m\nsettings:\n  mode: stric\n  order: 5\n  x: 1\ncases: [{input: a}]\n",
            [3, 4, 5],
        ),
        ("model: m\ncases:\n  - {expectd: []}\n  - {input: a}\n  - {expectd: []}\n", [3, 5]),
        ("trials: 0\nonly: 5\nskip: {}\ncases: [{input: a}]\n", [None, 1, 2, 3]),
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


def test_a_model_is_not_called_and_needs_no_key() -> None:
    (suite,) = written(
        eval_weather__yaml="model: gpt-4.1-mini\ncases: [{id: a, input: Hi, expected: []}]\n"
    )

    assert only(validate_paths([suite])) == FileReport("eval_weather.yaml", "suite", 1)


@pytest.mark.parametrize(
    ("text", "lines", "told"),
    [
        ('mode = "stric"\norder = 5\n', [1, 2], "mode: unknown value 'stric'"),
        ('"a b" = 1\nmode = 3\n', [1, 2], "unknown setting 'a b'. "),
        ('#\n[effects]\nx = "raed"\n[tool.callscore]\n', [2, 4], "effects: 'x': unknown value"),
        ("argumentMatchThreshold = 1\nargument_match_threshold = 7\n", [1, 2], "are the same"),
        ("a = [\n1,\n", [2], "not TOML: "),
    ],
)
def test_each_wrong_setting_has_its_line_and_advice(text: str, lines: list[int], told: str) -> None:
    (path,) = written(callscore__toml=text)

    report = only(validate_paths([path]))

    assert [each.line for each in report.problems] == lines
    assert told in report.problems[0].text


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
        ("x" * 300, "it cannot be read"),
        ("program.exe", "expected a case file (.jsonl"),
        ("/dev/null", "it is a device or a pipe. Pass a file or a folder."),
        ("binary.jsonl", "not a text file"),
    ],
)
def test_a_file_that_cannot_be_checked_is_reported_as_a_mistake(name: str, told: str) -> None:
    Path("empty").mkdir()
    Path("program.exe").touch()
    for binary in ("binary.jsonl", "binary.yaml"):
        Path(binary).write_bytes(b"\x7fELF\x02\0\xcc\n" * 15)

    ((_, text),) = problems(Path(name))

    assert told in text

"""Which files are found, and how evaluations of one name are told apart."""

from __future__ import annotations

import os
import sys
from typing import TYPE_CHECKING

import pytest

from callscore.core.results import Unloaded
from callscore.evaluations.discovery import discover, evaluation_files, load_file

if TYPE_CHECKING:
    from collections.abc import Iterator
    from pathlib import Path

PYTHON = "from callscore import evaluation\n\n@evaluation(cases=['Hi'])\ndef {name}(case): ...\n"
SUITE = "cases: [{input: Hi}]\nanswers: answers.jsonl\n"
TOML = 'answers = "answers.jsonl"\n[[cases]]\ninput = "Hi"\n'
ANSWERS = '{"id": "hi", "answer": []}\n'


@pytest.fixture(autouse=True)
def _path() -> Iterator[None]:
    path = list(sys.path)
    yield
    sys.path[:] = path


@pytest.fixture
def tree(tmp_path: Path) -> Path:
    """Folders with files of evaluations in them, and with others."""
    for folder in ("", "sub", ".hidden", "node_modules", "venv", "__pycache__"):
        (tmp_path / folder).mkdir(exist_ok=True)
        (tmp_path / folder / "eval_b.py").write_text(PYTHON.format(name=f"b{len(folder)}"))
    (tmp_path / "venv" / "pyvenv.cfg").write_text("")
    (tmp_path / "eval_a.yaml").write_text(SUITE)
    (tmp_path / "eval_c.yml").write_text(SUITE)
    (tmp_path / "eval_d.toml").write_text(TOML)
    (tmp_path / "answers.jsonl").write_text(ANSWERS)
    for other in ("evaluate.py", "test_eval_x.py", "eval_x.json", "cases.yaml", "conftest.py"):
        (tmp_path / other).write_text("raise SystemExit")
    return tmp_path


def test_files_are_found_by_their_names_in_order(tree: Path) -> None:
    evaluations, unloaded = discover([tree])

    assert unloaded == []
    assert [each.name for each in evaluations] == ["a", "b0", "c", "d", "b3"]


def test_a_file_is_taken_once(tree: Path) -> None:
    evaluations, _ = discover(
        [tree / "sub", tree / "sub" / "eval_b.py", tree / "sub" / ".." / "sub"]
    )

    assert [each.name for each in evaluations] == ["b3"]


def test_a_path_without_evaluations_is_reported_with_the_reason(tree: Path) -> None:
    (tree / "empty").mkdir()

    evaluations, unloaded = discover([tree / "gone", tree / "empty", tree / "eval_x.json"])

    assert evaluations == []
    assert [(each.place, each.problem) for each in unloaded] == [
        (str(tree / "gone"), "file or folder not found."),
        (
            str(tree / "empty"),
            "no evaluations found. Expected files named eval_*.py, eval_*.yaml, eval_*.yml, eval_*.toml.",
        ),
        (
            str(tree / "eval_x.json"),
            "expected a .py, .yaml or .toml file, got .json.",
        ),
    ]


def test_a_python_file_without_an_evaluation_is_passed_over_in_a_folder(tree: Path) -> None:
    file = tree / "eval_z.py"
    file.write_text("x = 1\n")
    notes: list[str] = []

    evaluations, unloaded = discover([tree], notes.append)
    _, named = discover([file], notes.append)
    alone = tree / "alone"
    alone.mkdir()
    (alone / "eval_z.py").write_text("")
    _, empty = discover([alone], notes.append)

    assert len(evaluations) == 5
    assert unloaded == []
    assert notes[0] == f"{file}: no evaluations found; the file is ignored"
    assert named == [
        Unloaded(
            str(file),
            "no evaluations found. Decorate a function with @callscore.evaluation(cases=...).",
        )
    ]
    assert [each.place for each in empty] == [str(alone)]


def test_a_pipe_or_a_broken_link_is_not_read(tree: Path) -> None:
    os.mkfifo(tree / "eval_pipe.py")
    (tree / "eval_link.py").symlink_to(tree / "gone.py")

    found = list(evaluation_files(tree))
    _, unloaded = discover([tree / "eval_pipe.py"])

    broken = [each for each in found if isinstance(each, Unloaded)]
    assert broken == [Unloaded(str(tree / "eval_link.py"), "it is a broken link.")]
    assert tree / "eval_pipe.py" not in found
    assert [each.problem for each in unloaded] == ["it is not a file or a folder."]


def test_an_evaluation_that_files_share_is_run_once(tmp_path: Path) -> None:
    (tmp_path / "shared_by_all.py").write_text(PYTHON.format(name="shared"))
    for name in ("a", "b"):
        (tmp_path / f"eval_{name}.py").write_text("from shared_by_all import shared\n")

    evaluations, unloaded = discover([tmp_path])

    assert [each.name for each in evaluations] == ["shared"]
    assert unloaded == []


def test_one_of_another_file_of_evaluations_is_run_where_that_is_not_found(tmp_path: Path) -> None:
    (tmp_path / "eval_first_of_two.py").write_text(PYTHON.format(name="first"))
    second = tmp_path / "eval_second_of_two.py"
    second.write_text("from eval_first_of_two import first\n")
    notes: list[str] = []

    both, unloaded = discover([tmp_path], notes.append)
    alone, _ = discover([second])

    assert [each.name for each in both] == [each.name for each in alone] == ["first"]
    assert both[0].key == alone[0].key
    assert (unloaded, notes) == ([], [])
    assert load_file(second) == []


def test_one_bad_file_does_not_hide_the_others(tree: Path) -> None:
    (tree / "eval_a.yaml").write_text("cases: [\n")
    (tree / "eval_b.py").write_text("raise ValueError('no')\n")

    evaluations, unloaded = discover([tree])

    assert [each.name for each in evaluations] == ["c", "d", "b3"]
    assert [each.place for each in unloaded] == [
        f"{tree}/eval_a.yaml:2:1",
        f"{tree}/eval_b.py:1",
    ]


def test_evaluations_of_one_name_get_as_much_of_the_path_as_tells_them_apart(
    tmp_path: Path,
) -> None:
    for file in ("one/eval_a.py", "one/eval_b.py", "two/eval_b.py"):
        (tmp_path / file).parent.mkdir(exist_ok=True)
        (tmp_path / file).write_text(PYTHON.format(name="assistant"))
    (tmp_path / "two/eval_c.py").write_text(PYTHON.format(name="other"))

    evaluations, _ = discover([tmp_path])

    assert [each.name for each in evaluations] == [
        "eval_a.assistant",
        "one/eval_b.assistant",
        "two/eval_b.assistant",
        "other",
    ]


def test_a_python_file_and_a_suite_of_one_stem_have_a_name_each(tmp_path: Path) -> None:
    (tmp_path / "eval_a.py").write_text(PYTHON.format(name="a"))
    (tmp_path / "eval_a.yaml").write_text(SUITE)
    (tmp_path / "answers.jsonl").write_text(ANSWERS)

    names = [each.name for each in discover([tmp_path])[0]]

    assert names == ["eval_a.py.a", "eval_a.yaml.a"]

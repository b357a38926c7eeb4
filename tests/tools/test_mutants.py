"""The tool that breaks the source: its list fits the source, and what it prints is what happened."""

from __future__ import annotations

from collections import Counter
from pathlib import Path

import pytest
from tools.mutants.__main__ import (
    Mutant,
    Stage,
    Verdict,
    apply_mutant,
    do_pass,
    main,
    put_back,
    read_areas,
    read_mutants,
    report,
)

ROOT = Path(__file__).parents[2]
MUTANT = Mutant("small", "core", "small.py", "1 + 1", "1 - 1", "A sum is a difference.")


def test_every_mutant_changes_one_place_of_the_source_and_is_still_python() -> None:
    mutants, areas = read_mutants(), read_areas()
    wrong = []
    for mutant in mutants:
        text = (ROOT / mutant.file).read_text() if (ROOT / mutant.file).is_file() else ""
        if text.count(mutant.old) != 1:
            wrong.append(f"{mutant.id}: {mutant.file} has {text.count(mutant.old)} × {mutant.old}")
        elif mutant.area not in areas:
            wrong.append(f"{mutant.id}: unknown area {mutant.area}")
        else:
            compile(text.replace(mutant.old, mutant.new), mutant.file, "exec")
    twice = [name for name, count in Counter([each.id for each in mutants]).items() if count > 1]
    assert not wrong, "replace these in tools/mutants/mutants.toml:\n" + "\n".join(wrong)
    assert not twice
    assert [path for paths in areas.values() for path in paths if not (ROOT / path).exists()] == []


def test_a_mutant_is_applied_where_its_text_is_found_once(tmp_path: Path) -> None:
    file = tmp_path / "small.py"
    file.write_text("two = 1 + 1\n")
    assert apply_mutant(MUTANT, tmp_path) is None
    assert file.read_text() == "two = 1 - 1\n"


@pytest.mark.parametrize(
    ("text", "problem"),
    [
        ("two = 2\n", "small.py has this text 0 times, not once: 1 + 1"),
        ("four = 1 + 1 + 1 + 1\n", "small.py has this text 2 times, not once: 1 + 1"),
        (None, "small.py has this text 0 times, not once: 1 + 1"),
    ],
)
def test_a_mutant_whose_text_is_not_found_once_is_lost(
    tmp_path: Path, text: str | None, problem: str
) -> None:
    if text is not None:
        (tmp_path / "small.py").write_text(text)
    assert apply_mutant(MUTANT, tmp_path) == problem


def test_a_mutant_that_is_no_python_is_lost(tmp_path: Path) -> None:
    (tmp_path / "small.py").write_text("two = 1 + 1\n")
    problem = apply_mutant(MUTANT._replace(new="1 +"), tmp_path)
    assert problem == "small.py is no longer Python: invalid syntax (small.py, line 1)"
    assert (tmp_path / "small.py").read_text() == "two = 1 + 1\n"


def test_a_changed_copy_is_put_back_as_it_was(tmp_path: Path) -> None:
    file = tmp_path / "small.py"
    file.write_text("two = 1 + 1\n")
    before = file.stat().st_mtime_ns

    with put_back(file):
        assert apply_mutant(MUTANT, tmp_path) is None

    assert (file.read_text(), file.stat().st_mtime_ns) == ("two = 1 + 1\n", before)
    assert list(tmp_path.iterdir()) == [file]


@pytest.mark.process
def test_tests_import_the_changed_module_whatever_was_compiled_before(tmp_path: Path) -> None:
    (tmp_path / "src").mkdir()
    module = tmp_path / "src/small_module_of_mutants.py"
    module.write_text("two = 1 + 1\n")
    lines = ["from small_module_of_mutants import two", "def test_it(): assert two == 2"]
    (tmp_path / "test_small.py").write_text("\n".join(lines))
    stage = Stage("tests", ["test_small.py"], seconds=10)
    assert do_pass(stage, tmp_path, is_unchanged=True) is True
    mutant = MUTANT._replace(file="src/small_module_of_mutants.py")
    assert apply_mutant(mutant, tmp_path) is None
    assert do_pass(stage, tmp_path) is False
    module.write_text("two = 2 + 0\n")
    assert do_pass(stage, tmp_path) is True


def test_a_lost_mutant_does_not_count_in_the_share(capsys: pytest.CaptureFixture[str]) -> None:
    verdicts = [Verdict(MUTANT, "killed", "tables")] * 9 + [Verdict(MUTANT, "survived")]
    assert report([*verdicts, Verdict(MUTANT, "lost")]) == 0
    assert capsys.readouterr().out.splitlines() == [
        "core          90.0% of  10   lost 1, survived 1, tables 9",
        "all           90.0% of  10   lost 1, survived 1, tables 9",
    ]


def test_too_many_survivors_fail(capsys: pytest.CaptureFixture[str]) -> None:
    assert report([Verdict(MUTANT, "killed", "tables"), Verdict(MUTANT, "survived")]) == 1
    assert "50.0% of   2" in capsys.readouterr().out


def test_a_list_of_some_mutants_runs_nothing(capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["--list", "--only", "hiding", "gc-*"]) == 0
    shown = [line.split()[:2] for line in capsys.readouterr().out.splitlines()]
    assert ["history", "gc-locked-run"] in shown
    assert ["hiding", "hide-inside-base64"] in shown
    assert {area for area, _ in shown} == {"history", "hiding"}

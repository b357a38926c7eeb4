"""Digests of code: another task has another one, another expectation has not."""

from __future__ import annotations

from functools import partial, wraps
from pathlib import Path
from typing import Any

import pytest

from callscore.evaluations.fingerprints import code_digest, code_file, combined_digest

TEXT = """
import callscore
from callscore import Case, evaluation, expect

CASES = [Case("What?", id="a", expected=[expect.call("f")], tags=["x"])]


@evaluation(cases=["Hi"], tools="t.json", variants={"a": {"warm": 1}}, thresholds=0.5)
def assistant(case, warm=0):
    return case.id  # as it is
"""


def digest(folder: Path, text: str) -> str:
    file = folder / "eval_a.py"
    file.unlink(missing_ok=True)
    file.write_text(text, encoding="utf-8")
    return code_digest(file)


@pytest.mark.parametrize(
    ("old", "new"),
    [
        ("# as it is", "# whatever"),
        ("\n\n\n", "\n\n"),
        ("thresholds=0.5", "thresholds=0.9, scorers='exact', trials=3, mode='flexible', name='x'"),
        ('cases=["Hi"]', "cases=CASES"),
        ('expect.call("f")', 'expect.call("g", a=expect.any())'),
        ('tags=["x"]', "skip=True"),
    ],
)
def test_what_cannot_change_an_answer_does_not_change_the_digest(
    tmp_path: Path, old: str, new: str
) -> None:
    assert old in TEXT
    assert digest(tmp_path, TEXT) == digest(tmp_path, TEXT.replace(old, new))


@pytest.mark.parametrize(
    ("old", "new"),
    [
        ("return case.id", "return case.input"),
        ('tools="t.json"', 'tools="u.json"'),
        ('"warm": 1', '"warm": 2'),
        ('"What?"', '"Who?"'),
        ('id="a"', 'id="b"'),
        ("thresholds=0.5", "**more"),
    ],
)
def test_what_may_change_an_answer_changes_the_digest(tmp_path: Path, old: str, new: str) -> None:
    assert digest(tmp_path, TEXT) != digest(tmp_path, TEXT.replace(old, new))


def test_of_what_is_no_python_every_letter_counts(tmp_path: Path) -> None:
    assert digest(tmp_path, "x = (\n") != digest(tmp_path, "x = ( \n")
    assert digest(tmp_path, "\0") != digest(tmp_path, "")


def test_a_file_that_is_gone_has_no_digest(tmp_path: Path) -> None:
    assert code_digest(tmp_path / "gone.py") == ""
    assert code_digest(str(tmp_path)) == ""
    assert code_digest(len) == ""


class Asking:
    """Something that is called."""

    def __call__(self, case: Any) -> Any:
        return case

    def ask(self, case: Any) -> Any:
        return case


def plain(case: Any) -> Any:
    return case


@wraps(plain)
def wrapped(case: Any) -> Any:
    return plain(case)


@pytest.mark.parametrize(
    "function", [plain, partial(plain), Asking(), Asking().ask, wrapped, lambda: 1]
)
def test_whatever_is_called_has_the_file_of_its_code(function: Any) -> None:
    assert code_file(function) == __file__
    assert code_digest(function) == code_digest(Path(__file__))


def test_what_python_has_built_in_has_no_file() -> None:
    assert code_file(len) is None


def test_digests_are_joined_into_one() -> None:
    assert combined_digest() == combined_digest("") == ""
    assert combined_digest("a", "", "a") == "a"
    assert combined_digest("a", "b") == combined_digest("b", "a") not in ("a", "b")


@pytest.mark.parametrize(
    "text",
    [
        "from client import evaluation\nx = evaluation(prompt='one')",
        "import callscore\nx = Client().evaluation(prompt='one')",
        "from callscore import expect\nx = Case(expected='one')",
    ],
)
def test_what_is_only_called_like_ours_is_somebody_elses(tmp_path: Path, text: str) -> None:
    assert digest(tmp_path, text) != digest(tmp_path, text.replace("one", "two"))


@pytest.mark.parametrize(
    "text",
    [
        "import callscore as cs\nx = cs.Case('q', expected='one')",
        "from callscore import evaluation as ask\nx = ask(cases='one')",
    ],
)
def test_ours_may_go_by_other_names(tmp_path: Path, text: str) -> None:
    assert digest(tmp_path, text) == digest(tmp_path, text.replace("one", "two"))

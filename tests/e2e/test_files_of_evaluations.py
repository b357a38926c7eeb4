"""Files of evaluations that cannot be used, as `callscore run` says it: where, what, what to do."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest

if TYPE_CHECKING:
    from pathlib import Path

    from tests.e2e.conftest import Program

HEAD = "from callscore import evaluation\n\n"
ONE = "@evaluation(cases=['Hi'])\ndef assistant(case):\n    return []\n\n\n"
FAKE = "sk" + "-" + "abcDEF0123456789abcd"

BAD: dict[str, tuple[str, str]] = {
    "eval_a.py": ("import no_such_thing\n", "eval_a.py:1: it cannot be imported: No module named"),
    "eval_b.py": ("\nraise ValueError('no city')\n", "eval_b.py:2: importing it raises ValueError"),
    "eval_c.py": ("import sys\nsys.exit(1)\n", "eval_c.py:2: importing it exits"),
    "eval_d.py": ("x = 1\n", "eval_d.py: no evaluations found; the file is ignored"),
    "eval_e.py": (HEAD + ONE + ONE, "eval_e.py:8: another evaluation on line 3 is also"),
    "eval_f.py": ("def (\n", "eval_f.py:1: it is not Python: "),
    "eval_g.py": (
        f"{HEAD}evaluation(cases='gone.jsonl', name='g')(print)\n",
        "eval_g.py:3: cases: ",
    ),
    "eval_h.py": (
        f"{HEAD}evaluation(cases=['a'], scorer='exact')\n",
        "eval_h.py:3: unknown keyword 'scorer'. Did you mean 'scorers'?",
    ),
    "eval_a.yaml": ("model: m\ncase: []\n", "eval_a.yaml:2: a suite has no key 'case'. Did you mean 'cases'?"),
    "eval_b.yaml": ("- a list\n", "eval_b.yaml: expected an object with 'cases', got "),
    "eval_c.yaml": (
        f"model: {{name: m, api_key: {FAKE}}}\ncases: [{{id: a}}]\n",
        "eval_c.yaml:1: model.api_key: this looks like a secret key. Keys are read only",
    ),
    "eval_d.yaml": ("model: m\ncases: gone.jsonl\n", "eval_d.yaml:2: cases: file 'gone."),
    "eval_e.yaml": ("cases: [\n", "eval_e.yaml:2:1: not YAML: "),
    "eval_a.toml": ("model = \n", "eval_a.toml:1:9: not TOML: Invalid value."),
    "eval_b.toml": ('model = "m"\ncases = []\n', "eval_b.toml:2: cases: expected a list of cases"),
    "eval_c.toml": ("cases = [{id = 'a'}]\n", "eval_c.toml: a suite needs 'model', or"),
}  # fmt: skip


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    """A folder with every kind of bad file, and with a good one."""
    for name, (text, _) in BAD.items():
        (tmp_path / name).write_text(text)
    (tmp_path / "eval_good.py").write_text(HEAD + ONE.replace("assistant", "good"))
    return tmp_path


def test_each_unusable_file_is_reported_with_its_place_and_the_others_are_run(
    callscore: Program, folder: Path
) -> None:
    ran = callscore("run", folder)

    missing = [said for _, said in BAD.values() if said not in ran.stderr]
    assert missing == []
    assert ran.returncode == 3
    assert "good" in ran.stdout
    assert FAKE not in ran.stdout + ran.stderr
    assert "Traceback" not in ran.stderr


def test_a_file_that_is_named_must_have_an_evaluation(callscore: Program, folder: Path) -> None:
    ran = callscore("run", folder / "eval_d.py")

    assert ran.returncode == 3
    assert (
        "eval_d.py: no evaluations found. Decorate a function with @callscore.evaluation"
        in ran.stderr
    )

"""Python files of evaluations: imported, or refused with the line and the end of the traceback."""

from __future__ import annotations

import sys
from textwrap import dedent
from typing import TYPE_CHECKING

import pytest

from callscore.core.results import Unloaded
from callscore.evaluations.discovery import forget_modules, load_python

if TYPE_CHECKING:
    from collections.abc import Iterator
    from pathlib import Path

    from callscore.evaluations.evaluation import Evaluation

HEAD = "from callscore import Case, evaluation\n"
ONE = f"""{HEAD}

@evaluation(cases=["Hi"])
def assistant(case):
    return []
"""


@pytest.fixture(autouse=True)
def _clean() -> Iterator[None]:
    """Each test has the modules and the path as if it were alone."""
    modules, path = set(sys.modules), list(sys.path)
    yield
    sys.path[:] = path
    forget_modules()
    for name in set(sys.modules) - modules:
        if name.startswith("callscore_eval_"):
            del sys.modules[name]


def written(path: Path, text: str) -> Path:
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text(dedent(text))
    return path


def loaded(path: Path) -> list[Evaluation]:
    found = load_python(path)
    assert not isinstance(found, Unloaded), found
    return found


def refused(path: Path) -> Unloaded:
    found = load_python(path)
    assert isinstance(found, Unloaded)
    return found


def test_the_evaluations_of_a_file_come_in_its_order(tmp_path: Path) -> None:
    file = written(
        tmp_path / "eval_a.py",
        f"""{HEAD}
@evaluation(cases=["Hi"])
def zebra(case):
    return []

for model in ("b", "a"):
    evaluation(cases=["Hi"], name=model)(lambda case: [])

same = zebra
""",
    )

    found = loaded(file)

    assert [each.name for each in found] == ["zebra", "b", "a"]
    assert found[0].place == f"{file}:3"
    assert found[0].folder == str(tmp_path)


def test_an_imported_evaluation_is_found_under_its_own_name(tmp_path: Path) -> None:
    written(tmp_path / "shared.py", ONE)
    first = written(tmp_path / "eval_a.py", "from shared import assistant\n")
    second = written(tmp_path / "eval_b.py", "from shared import assistant as other\n")

    assert [each.name for each in loaded(first)] == ["assistant"]
    assert [each.name for each in loaded(second)] == ["assistant"]


def test_evaluations_of_another_file_are_loaded_only_if_imported_by_name(tmp_path: Path) -> None:
    written(tmp_path / "eval_a.py", f"{ONE}\nNAME = 'x'\n")
    own = f"{HEAD}\n@evaluation(cases=['x'])\ndef own(case): ...\n"
    named = written(tmp_path / "eval_b.py", f"from eval_a import assistant\n{own}")
    other = written(tmp_path / "eval_c.py", f"from eval_a import NAME\n{own}")

    assert [each.name for each in loaded(named)] == ["own", "assistant"]
    assert [each.name for each in loaded(other)] == ["own"]


def test_an_evaluation_made_by_a_helper_belongs_to_the_file_that_calls_it(tmp_path: Path) -> None:
    text = f"{HEAD}\ndef made(name):\n    return evaluation(cases=['x'], name=name)(print)\n"
    helper = written(tmp_path / "making.py", text)
    files = [
        written(tmp_path / name, "from making import made\nmade('agent')\n")
        for name in ("eval_a.py", "eval_b.py")
    ]

    found = [each for file in files for each in loaded(file)]

    assert [each.home for each in found] == [str(file) for file in files]
    assert len({each.key for each in found}) == 2
    assert found[0].place == f"{helper}:4"


def test_a_key_in_what_is_raised_is_not_shown(tmp_path: Path) -> None:
    key = "sk-" + "abcdefgh12345678"
    raising = written(tmp_path / "eval_a.py", f"raise ValueError('no {key}')\n")
    leaving = written(tmp_path / "eval_b.py", f"raise SystemExit('no {key}')\n")

    assert refused(raising).problem == "importing it raises ValueError: no ***."
    assert key not in refused(raising).details
    assert "(exit code no ***)" in refused(leaving).problem


def test_a_file_may_import_what_stands_beside_it_and_each_folder_has_its_own(
    tmp_path: Path,
) -> None:
    text = (
        f"import tools_of_mine\n{HEAD}\nevaluation(cases=['x'], name=tools_of_mine.NAME)(print)\n"
    )
    for folder in ("one", "two"):
        written(tmp_path / folder / "tools_of_mine.py", f"NAME = {folder!r}\n")
        written(tmp_path / folder / "eval_a.py", text)

    names = [loaded(tmp_path / folder / "eval_a.py")[0].name for folder in ("one", "two", "one")]

    assert names == ["one", "two", "one"]


def test_a_changed_file_is_read_as_it_is_now(tmp_path: Path) -> None:
    file = written(tmp_path / "eval_a.py", ONE)
    loaded(file)
    written(file, ONE.replace("assistant", "something"))  # of the same length, in the same second

    assert [each.name for each in loaded(file)] == ["something"]
    assert not (tmp_path / "__pycache__").exists()


def test_a_changed_neighbour_is_read_anew_once_it_is_forgotten(tmp_path: Path) -> None:
    written(tmp_path / "names_of_mine.py", "NAME = 'before'\n")
    file = written(
        tmp_path / "eval_a.py",
        f"import names_of_mine\n{HEAD}\nevaluation(cases=['x'], name=names_of_mine.NAME)(print)\n",
    )
    loaded(file)
    written(tmp_path / "names_of_mine.py", "NAME = 'and after'\n")
    assert loaded(file)[0].name == "before"

    forget_modules()

    assert loaded(file)[0].name == "and after"


def test_modules_under_a_root_are_forgotten_and_installed_ones_stay(tmp_path: Path) -> None:
    agent = written(tmp_path / "src" / "agent_of_mine.py", "NAME = 'before'\n")
    written(tmp_path / "site-packages" / "installed_of_mine.py", "NAME = 'before'\n")
    sys.path += [str(agent.parent), str(tmp_path / "site-packages")]
    text = f"import agent_of_mine, installed_of_mine\n{HEAD}\nevaluation(cases=['x'])(print)\n"
    file = written(tmp_path / "evals" / "eval_a.py", text)
    loaded(file)

    forget_modules()
    assert "agent_of_mine" in sys.modules

    forget_modules([tmp_path])
    assert "agent_of_mine" not in sys.modules
    assert sys.modules.pop("installed_of_mine").NAME == "before"
    assert "callscore" in sys.modules


@pytest.mark.parametrize(
    ("text", "line", "problem"),
    [
        (
            "def f():\n    return 1 / 0\n\n\nf()\n",
            2,
            "importing it raises ZeroDivisionError: division by zero.",
        ),
        (
            "from .tools import x\n",
            1,
            "it cannot be imported: attempted relative import with no known parent package. Import",
        ),
        (
            "import sys\nsys.exit(3)\n",
            2,
            "importing it exits (exit code 3). Put code that should run only as a",
        ),
        (
            "import callscore\ncallscore.score([], [], mode='x')\n",
            2,
            "mode: unknown value 'x'. Choose from: strict, flexible",
        ),
        (
            "def f(n):\n    return f(n + 1)\nf(0)\n",
            2,
            "importing it raises RecursionError: maximum recursion depth exceeded",
        ),
    ],
)
def test_a_file_that_cannot_be_imported_says_why_and_where(
    tmp_path: Path, text: str, line: int, problem: str
) -> None:
    file = written(tmp_path / "eval_a.py", text)

    found = refused(file)

    assert found.place == f"{file}:{line}"
    assert found.problem.startswith(problem)
    assert "importlib" not in found.details
    assert not any(name.startswith("callscore_eval_a_") for name in sys.modules)


def test_the_end_of_the_traceback_is_kept(tmp_path: Path) -> None:
    written(tmp_path / "broken_neighbour.py", "raise ValueError('no city')\n")
    file = written(tmp_path / "eval_a.py", "\nimport broken_neighbour\n")

    found = refused(file)

    assert found.place == f"{file}:2"
    assert found.details.splitlines()[0] == f'  File "{file}", line 2, in <module>'
    assert found.details.splitlines()[-1] == "ValueError: no city"

"""Run the examples of documentation pages and hold them against what the pages say they print.

Usage: python docs/examples.py [--write] [--with=NAME] PAGE.md...

Python blocks of one page share their names, and all blocks of one page share an empty folder; those of a
page in `examples` share a copy of the folder that it is in. A block marked `text output` is what the block
before it prints; with --write it is replaced by what is printed. Names of runs and times, which are others
each time, are always the same in it. Blocks marked `python spark`, `bash spark` and `text output spark` need
Spark: they are left as they are, unless it is given as --with=spark.
"""

from __future__ import annotations

import os
import re
import shutil
import subprocess
import sys
import tempfile
from contextlib import chdir, redirect_stdout
from io import StringIO
from pathlib import Path

__all__ = ["main", "tidy"]

BLOCK = re.compile(r"^```(?P<kind>\w[^\n]*)\n(?P<code>.*?)^```$", re.MULTILINE | re.DOTALL)
OUTPUT = "text output"
WITH = "--with="
EXAMPLES = Path(__file__).resolve().parents[1] / "examples"
# A reader types these to install callscore, or in a clone of the repository, where they would come back
# to this script.
NOT_RUN = ("make ", "pip install ", "source ")
BUILD_SERVER = {"CI", "BUILD_NUMBER", "GITHUB_ACTIONS", "GITHUB_STEP_SUMMARY"}
# What is another each time, and what pages have in its place.
RUN = re.compile(r"\b\d{8}-\d{6}-[0-9a-z]{4}\b")
TIME = re.compile(r"\b(?P<before>in|median) (?:< )?\d[\d.,]*(?P<blank> ?)m?s\b")
MOMENT = re.compile(r"\b\d{4}-\d\d-\d\d \d\d:\d\d UTC\b")
MONTH = "(?:Jan|Feb|Mar|Apr|May|Jun|Jul|Aug|Sep|Oct|Nov|Dec)"
# In a table a day of one digit has a blank before it.
DAY = re.compile(rf"(?:(?<= ) \d|\b\d{{1,2}}) {MONTH} \d\d:\d\d\b")
COMMIT = re.compile(r"\bcommit [0-9a-f]{7}\b")
TIME_OF_CASE = re.compile(
    r"^(?P<before>.*\brun 20261115-18\d{4}-[0-9a-z]{4}\b.*   )(?:< )?\d[\d.,]* m?s$", re.MULTILINE
)
RUNS = (
    "20261115-184354-k3f9",
    "20261115-184611-p7wd",
    "20261115-185020-a2hm",
    "20261115-185339-x8rt",
    "20261115-185702-c5nq",
    "20261115-185958-v4jz",
)
COMMITS = ("commit 02f0cce", "commit 8d41b7a", "commit e6a90f3", "commit 5b7c2d8")
TIME_IN_TABLE = re.compile(r"  +(?:< )?\d[\d.,]* m?s$", re.MULTILINE)
# The last column in the list of cases is as wide as the longest time.
LISTED_CASE = re.compile(
    r"^(?P<before>(?:  case|[✓✗!·] ).*\S) +(?P<last>time|0\.1 s)$", re.MULTILINE
)


def main(arguments: list[str]) -> int:
    """Check or rewrite pages; the exit code is 1 if an example does not do what its page says."""
    is_writing = "--write" in arguments
    extra = next((each[len(WITH) :] for each in arguments if each.startswith(WITH)), "")
    wrong = 0
    for argument in arguments:
        if not argument.startswith("--"):
            page = Path(argument)
            said = page.read_text(encoding="utf-8")
            shown = _with_outputs(said, beside=_files_beside(page), extra=extra)
            if is_writing:
                page.write_text(shown, encoding="utf-8")
            elif shown != said:
                print(f"{page}: the examples print something else:\n{shown}")
                wrong = 1
    return wrong


def _files_beside(page: Path) -> list[Path]:
    """The files that the examples of a page take for granted."""
    folder = page.resolve().parent
    return (
        [file for file in folder.iterdir() if file.is_file()] if EXAMPLES in folder.parents else []
    )


def _with_outputs(text: str, *, beside: list[Path], extra: str = "") -> str:
    """The text of a page with every output as it really is."""
    names: dict[str, object] = {}
    known: dict[str, str] = {}
    printed = ""

    def replaced(block: re.Match[str]) -> str:
        nonlocal printed
        kind, code = block["kind"], block["code"]
        kind = kind.removesuffix(f" {extra}") if extra else kind
        if kind == OUTPUT:
            return f"```{block['kind']}\n{printed}```"
        if kind == "python":
            printed = tidy(_run_python(code, names), known)
        elif kind == "bash" and not code.startswith(NOT_RUN):
            printed = tidy(_run_bash(code), known)
        return block[0]

    with tempfile.TemporaryDirectory() as folder, chdir(folder):
        for file in beside:
            shutil.copy(file, folder)
        return BLOCK.sub(replaced, text)


def _run_python(code: str, names: dict[str, object]) -> str:
    printed = StringIO()
    with redirect_stdout(printed):
        exec(compile(code, "example", "exec"), names)  # noqa: S102  (running it is the point)
    return printed.getvalue()


def _at_home() -> dict[str, str]:
    """The environment without what tells that a build server is looking: more is printed then."""
    return {name: value for name, value in os.environ.items() if name not in BUILD_SERVER}


def _named(variable: str) -> list[str]:
    return [os.environ[variable]] if variable in os.environ else []


def _run_bash(code: str) -> str:
    """What commands print. They must not fail, unless the example is about exit codes."""
    # The tests name a folder of programs that start sooner.
    folders = (*_named("CALLSCORE_PROGRAMS"), str(Path(sys.executable).parent), *_named("PATH"))
    ran = subprocess.run(  # noqa: S603  (running what the page says is the point)
        ["bash", "-c", code if "$?" in code else f"set -e\n{code}"],  # noqa: S607  (any bash will do)
        env=_at_home() | {"PATH": os.pathsep.join(folders), "COLUMNS": "80", "NO_COLOR": "1"},
        stdout=subprocess.PIPE,
        stderr=subprocess.STDOUT,
        encoding="utf-8",
        check=False,
    )
    if ran.returncode:
        sys.exit(f"exit code {ran.returncode} of this example:\n{code}\n{ran.stdout}")
    return ran.stdout


def tidy(printed: str, known: dict[str, str] | None = None) -> str:
    """Without what is another each time, and without blanks at the ends of lines and of the text.

    Args:
        printed: what was printed.
        known: what stands for the runs and commits that the page has shown so far; it grows.
    """
    known = {} if known is None else known
    same = RUN.sub(lambda found: _stand_in(found[0], RUNS, known), printed)
    same = COMMIT.sub(lambda found: _stand_in(found[0], COMMITS, known), same)
    same = DAY.sub("15 Nov 18:43", same)
    same = MOMENT.sub("2026-11-15 18:43 UTC", same)
    same = TIME.sub(r"\g<before> 0.1\g<blank>s", same)
    same = TIME_OF_CASE.sub(r"\g<before>0.1 s", same)
    same = TIME_IN_TABLE.sub(lambda found: "0.1 s".rjust(len(found[0])), same)
    same = LISTED_CASE.sub(lambda found: f"{found['before']}   {found['last']:>5}", same)
    return "".join(f"{line.rstrip()}\n" for line in same.strip("\n").splitlines())


def _stand_in(name: str, stand_ins: tuple[str, ...], known: dict[str, str]) -> str:
    """What a page has for the first run that it shows, for the second, and so on."""
    there = sum(found in stand_ins for found in known.values())
    return known.setdefault(name, stand_ins[there % len(stand_ins)])


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))

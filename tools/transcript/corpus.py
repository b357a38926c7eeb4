"""All jobs that are recorded: those of `corpus.txt`, and some for every sample of a format.

A job of `corpus.txt` looks like this:

    [score/options]
    files cases.jsonl settings.toml=other.toml
    callscore score cases.jsonl --format (table|json) --lang (en|ru)

The second line names files of `inputs.py`. `new=old` gives one another name, and `=folder/*` puts
the files of a folder into the scratch folder. Each further line is a command
of a shell. `(a|b)` stands for two commands, one with `a` and one with `b`, and `{name}` for what a
line `name = ...` before has said.
"""

from __future__ import annotations

import re
from fnmatch import fnmatchcase
from itertools import product
from pathlib import Path
from typing import TYPE_CHECKING

from msgspec import Struct
from tools.transcript.inputs import input_files

if TYPE_CHECKING:
    from collections.abc import Iterator

__all__ = ["Job", "corpus", "expanded", "read_jobs"]

_CORPUS = Path(__file__).with_name("corpus.txt")
_NAMED = re.compile(r"^(?P<name>\w+) = (?P<text>.*)$")
_PLACE = re.compile(r"\{([a-z_]+)\}")
_CHOICE = re.compile(r"\(([^()]*\|[^()]*)\)")


class Job(Struct, frozen=True):
    """Commands that share a scratch folder.

    Attributes:
        key: the name of the job, unique in the corpus.
        files: the files in the folder before the first command, by name.
        commands: lines of a shell, in order.
    """

    key: str
    files: dict[str, bytes]
    commands: list[str]


def corpus(repository: Path) -> list[Job]:
    """Every job, in the order in which it is recorded.

    Args:
        repository: where samples and examples are taken from.
    """
    inputs = input_files(repository)
    # The slowest come first, so that no worker waits for the last one alone.
    return [*read_jobs(_CORPUS.read_text(encoding="utf-8"), inputs), *_sample_jobs(repository)]


def read_jobs(text: str, inputs: dict[str, bytes]) -> Iterator[Job]:
    """The jobs of a text as described above.

    Raises:
        ValueError: a file is named that there is not.
    """
    names: dict[str, str] = {}
    job = Job("", {}, [])
    for line in text.splitlines():
        if line.startswith("["):
            job = Job(line.strip("[]"), {}, [])
            yield job
        elif line.startswith("files "):
            for word in line.split()[1:]:
                job.files.update(_chosen_files(word, inputs))
        elif named := _NAMED.match(line):
            names[named["name"]] = named["text"]
        elif line and not line.startswith("#"):
            filled = _PLACE.sub(lambda found: names[found[1]], line)
            job.commands.extend(expanded(filled))


def expanded(line: str) -> list[str]:
    """The commands that a line stands for."""
    parts = _CHOICE.split(line)
    choices = [part.split("|") if place % 2 else [part] for place, part in enumerate(parts)]
    return [" ".join("".join(chosen).split("  ")) for chosen in product(*choices)]


def _chosen_files(word: str, inputs: dict[str, bytes]) -> dict[str, bytes]:
    name, is_renamed, pattern = word.rpartition("=")
    chosen = {key: text for key, text in inputs.items() if fnmatchcase(key, pattern)}
    found = {
        (name or key.partition("/")[2]) if is_renamed else key: text for key, text in chosen.items()
    }
    if not found:
        raise ValueError(f"corpus.txt: there is no input {pattern}")
    return found


def _sample_jobs(repository: Path) -> Iterator[Job]:
    """The samples of each format, through each command that reads traces."""
    samples = repository / "tests" / "samples"
    for folder in sorted([*(samples / "formats").iterdir(), *(samples / "recorded").iterdir()]):
        files = {
            file.relative_to(folder).as_posix(): file.read_bytes()
            for file in sorted(folder.rglob("*"))
            if file.is_file() and ".expected." not in file.name and ".schemas." not in file.name
        }
        if folder.is_dir():
            key = f"samples/{folder.parent.name}/{folder.name}"
            yield Job(key, files, list(_sample_commands(folder, list(files))))


def _sample_commands(folder: Path, names: list[str]) -> Iterator[str]:
    every, first = " ".join(names), names[0]
    yield f"callscore extract {every} --skip-bad"
    yield f"callscore extract {every} --skip-bad --definitions"
    yield f"callscore check {every} --skip-bad --lang ru"
    yield f"callscore score {every} --skip-bad --show all"
    yield f"callscore capture {every} --skip-bad --leave-out none"
    if folder.parent.name == "formats":
        yield f"callscore formats {folder.name}"
        yield f"callscore extract {every} --skip-bad --input-format {folder.name} --view executed"
        yield f"callscore score {first} --input-format {folder.name} --lang ru"

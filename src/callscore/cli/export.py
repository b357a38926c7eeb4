"""`callscore export`: a run as a file, for another history or for other programs."""

from __future__ import annotations

import zlib
from contextlib import contextmanager
from pathlib import PurePath
from tempfile import TemporaryFile
from typing import TYPE_CHECKING

import click

from callscore.cli.options import lang_option, open_existing_store, store_option
from callscore.cli.output import open_output, print_note
from callscore.core.phrases import Phrase, count_of, say
from callscore.words.value_text import RESULTS

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Iterator

    from callscore.core.phrases import Language
    from callscore.history.records import RunRecord
    from callscore.history.store import Store

__all__ = ["command"]

_HELP = """Write a RUN to a file: JSON lines hold all of it, CSV is for spreadsheets.

Parquet holds all but the answers of a run that did not end, with which `run --resume` goes on
elsewhere; only JSON lines and Parquet can be imported.

RUN is an id or the beginning of one, a name, a baseline, `latest`, `latest~2`, or a git commit.

\b
  callscore export latest -o run.jsonl
  callscore export main -o run.parquet
"""
_FORMATS = ["jsonl", "parquet", "csv"]
_SUFFIXES = {".jsonl": "jsonl", ".ndjson": "jsonl", ".parquet": "parquet", ".csv": "csv"}
_GZIP = ".gz"
_CHUNK = 1 << 18
_WRITTEN = Phrase(
    "run {run} is written to {file}: {results}", "прогон {run} записан в {file}: {results}"
)


@click.command(short_help="Write a run to a file.", help=_HELP)
@click.argument("run")
@click.option(
    "-o", "--output", metavar="FILE", help="Write it there, not to the terminal; .gz is compressed."
)
@click.option(
    "--format",
    "output_format",
    type=click.Choice(_FORMATS),
    help="What to write.  [default: by the suffix of FILE, or jsonl]",
)
@store_option
@lang_option
def command(
    *, run: str, output: str | None, output_format: str | None, store: str | None, lang: Language
) -> None:
    """Write a run to a file."""
    kind = output_format or _format_of(output)
    with open_existing_store(store) as history:
        found = history.find(run)
        with _written(output, lang) as write:
            count = _WRITERS[kind](history, found, write)
    if output not in (None, "-"):
        results = count_of(RESULTS, count, lang)
        print_note(say(_WRITTEN, lang, run=found.id, file=output, results=results))


def _format_of(output: str | None) -> str:
    if output is None or output == "-":
        return "jsonl"
    path = PurePath(output)
    suffix = (path.with_suffix("") if path.suffix.lower() == _GZIP else path).suffix.lower()
    if suffix not in _SUFFIXES:
        known = ", ".join(_SUFFIXES)
        raise click.UsageError(f"What is {output} to be? Say --format, or name it {known}.")
    return _SUFFIXES[suffix]


@contextmanager
def _written(output: str | None, lang: Language) -> Iterator[Callable[[bytes], None]]:
    """A function that writes to the file, and compresses if its name ends in `.gz`."""
    with open_output(output, "jsonl", lang, is_all_or_nothing=True) as target:
        if output is None or not output.lower().endswith(_GZIP):
            yield target.write_bytes
            return
        packing = zlib.compressobj(wbits=zlib.MAX_WBITS | 16)
        yield lambda data: target.write_bytes(packing.compress(data))
        target.write_bytes(packing.flush())


def _write_jsonl(store: Store, run: RunRecord, write: Callable[[bytes], None]) -> int:
    from callscore.history.exchange.import_export import export_lines

    return _counted(write, export_lines(store, run))


def _write_csv(store: Store, run: RunRecord, write: Callable[[bytes], None]) -> int:
    from callscore.history.exchange.run_files import csv_lines

    named = {record.number: record for record in store.evaluations(run.id)}
    lines = enumerate(csv_lines(named, store.results(run.id)))
    return _counted(write, ((line, int(place > 0)) for place, line in lines))  # the first has names


def _counted(write: Callable[[bytes], None], lines: Iterable[tuple[bytes, int]]) -> int:
    """Write lines, and return how many results they contain."""
    results = 0
    for line, count in lines:
        write(line)
        results += count
    return results


def _write_parquet(store: Store, run: RunRecord, write: Callable[[bytes], None]) -> int:
    from callscore.history.exchange.run_files import write_parquet_run

    with TemporaryFile() as file:
        count = write_parquet_run(file, run, store.evaluations(run.id), store.results(run.id))
        file.seek(0)
        while chunk := file.read(_CHUNK):
            write(chunk)
    return count


_WRITERS = {"jsonl": _write_jsonl, "csv": _write_csv, "parquet": _write_parquet}

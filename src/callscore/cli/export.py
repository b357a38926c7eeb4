"""`callscore export`: a run as a file, for another history or for other programs."""

from __future__ import annotations

import zlib
from collections.abc import Callable, Iterable, Iterator
from contextlib import contextmanager
from tempfile import TemporaryFile
from typing import TYPE_CHECKING

import click

from callscore.cli.completion import complete_run
from callscore.cli.options import lang_option, open_existing_store, store_option
from callscore.cli.output import open_output, print_note
from callscore.cli.output_formats import report_options
from callscore.core.phrases import Language, Phrase, count_of, say
from callscore.reports.inert import inert_bytes
from callscore.words.value_text import RESULTS

if TYPE_CHECKING:
    from callscore.history.records import RunRecord
    from callscore.history.store import Store

_HELP = """Write a RUN to a file: JSON lines and Parquet can be imported, CSV is for spreadsheets.

JSON lines contain the whole run. Parquet omits the answers of an unfinished run, which 'run --resume'
needs. CSV contains the results only. A file name that ends in .gz is compressed.

RUN is an id or the beginning of one, a name, a baseline, latest, latest~2, or a git commit.

\b
  callscore export latest -o run.jsonl
  callscore export main -o run.parquet
"""
_FORMATS = ["jsonl", "parquet", "csv"]
_GZIP = ".gz"
_CHUNK = 1 << 18
_WRITTEN = Phrase(
    "run {run} written to {file}: {results}", "прогон {run} записан в {file}: {results}"
)


@click.command(help=_HELP)
@click.argument("run", shell_complete=complete_run)
@report_options(_FORMATS, compresses=True)
@store_option
@lang_option
def command(
    *, run: str, output: str | None, output_format: str, store: str | None, lang: Language
) -> None:
    """Write a run to a file."""
    with open_existing_store(store) as history:
        found = history.find(run)
        with _written(output, output_format, lang) as write:
            count = _WRITERS[output_format](history, found, write)
    if output not in (None, "-"):
        results = count_of(RESULTS, count, lang)
        print_note(say(_WRITTEN, lang, run=found.id, file=output, results=results))


@contextmanager
def _written(
    output: str | None, output_format: str, lang: Language
) -> Iterator[Callable[[bytes], None]]:
    """A function that writes to the file, and compresses if its name ends in `.gz`."""
    # The cells of a CSV file cannot be escaped: in a file they stay as they are, in a log not.
    is_text = output_format == "jsonl" or (output_format == "csv" and output in (None, "-"))
    with open_output(output, output_format, lang, is_all_or_nothing=True) as target:
        if output is None or not output.lower().endswith(_GZIP):
            yield target.write_bytes if is_text else target.write_unchanged
            return
        packing = zlib.compressobj(wbits=zlib.MAX_WBITS | 16)
        yield lambda data: target.write_unchanged(
            packing.compress(inert_bytes(data, output_format) if is_text else data)
        )
        target.write_unchanged(packing.flush())


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

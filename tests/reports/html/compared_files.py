"""HTML reports of two compared files, written and opened."""

from __future__ import annotations

from functools import partial
from typing import TYPE_CHECKING, Any

import msgspec
from tests.reports.opened_html import open_html

from callscore.cli.html_comparison import ComparedInputs, compared_inputs
from callscore.comparing.comparison import compare_sides
from callscore.reports.html.compare import html_parts

if TYPE_CHECKING:
    from collections.abc import Iterable
    from pathlib import Path

    from tests.reports.opened_html import OpenedReport

    from callscore.core.phrases import Language

__all__ = ["a_record", "opened_comparison", "write_lines"]

Record = dict[str, Any]


def a_record(name: str, actual: Any = None, **fields: Any) -> Record:
    """A case that expects a search and a booking; by default, both are made."""
    expected = [
        {"name": "search", "arguments": {"city": "Oslo"}},
        {"name": "book", "arguments": {"seats": 2}},
    ]
    return {
        "id": name,
        "expected": expected,
        "actual": expected if actual is None else actual,
        **fields,
    }


def write_lines(path: Path, records: Iterable[Record]) -> str:
    """Write a file of cases; its name."""
    path.write_bytes(b"".join(msgspec.json.encode(each) + b"\n" for each in records))
    return str(path)


def opened_comparison(
    folder: Path,
    before: Iterable[Record],
    after: Iterable[Record],
    *,
    lang: Language = "en",
    **options: Any,
) -> OpenedReport:
    """The report on two files in a folder; `options` are those of `compare_sides`."""
    inputs = ComparedInputs(
        references=(
            write_lines(folder / "before.jsonl", before),
            write_lines(folder / "after.jsonl", after),
        )
    )
    with compared_inputs(inputs, partial(compare_sides, **options), lang) as (runs, cases):
        return open_html(b"".join(html_parts(runs, cases, lang=lang)))

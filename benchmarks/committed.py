"""The committed table: what each row cost when it was last written, and whether one became worse."""

from __future__ import annotations

import platform
from pathlib import Path
from typing import TYPE_CHECKING

import msgspec
from msgspec import Struct

if TYPE_CHECKING:
    from collections.abc import Mapping

    from rows import Row
    from timing import Measured

__all__ = ["TABLE", "Entry", "Table", "entry", "is_worse", "load", "save"]

TABLE = Path(__file__).with_name("ratios.json")
TOLERANCE = 0.25


class Entry(Struct, frozen=True):
    """A row as it was measured.

    Attributes:
        what: is measured, and against what.
        value: in the unit of the row.
        bar: what the value should be at most.
        unit: of both; `x` is a ratio.
        ratio: to the baseline of the row, which later runs are compared with.
        noise: how far from the middle round half of the rounds were, or farther, as a share of it.
        is_checked: whether a later run fails when it is worse.
    """

    what: str
    value: float
    bar: float
    unit: str
    ratio: float
    noise: float
    is_checked: bool = True


class Table(Struct, frozen=True):
    """All rows, and the machine that they were measured on."""

    machine: str
    rows: dict[str, Entry]


def entry(row: Row, measured: Measured) -> Entry:
    """What is written of a row."""
    return Entry(
        what=row.what,
        value=_rounded(measured.value),
        bar=_rounded(row.bar),
        unit=row.unit,
        ratio=_rounded(measured.ratio),
        noise=round(measured.noise, 2),
        is_checked=row.is_checked,
    )


def is_worse(now: Entry, before: Entry | None) -> bool:
    """Whether a row costs more than a quarter more than it did."""
    return now.is_checked and before is not None and now.ratio > before.ratio * (1 + TOLERANCE)


def load(path: Path = TABLE) -> Table:
    """The committed table; an empty one where there is none."""
    if not path.exists():
        return Table(machine="", rows={})
    return msgspec.json.decode(path.read_bytes(), type=Table)


def save(rows: Mapping[str, Entry], path: Path = TABLE) -> None:
    """Write these rows, one per line so that a diff shows which one changed."""
    encode = msgspec.json.encode
    lines = ",\n".join(f"    {_text(name)}: {_text(one)}" for name, one in rows.items())
    machine = f"{platform.machine()}, Python {platform.python_version()}"
    text = f'{{\n  "machine": {encode(machine).decode()},\n  "rows": {{\n{lines}\n  }}\n}}\n'
    path.write_text(text, encoding="utf-8")


def _text(value: object) -> str:
    return msgspec.json.encode(value).decode()


def _rounded(number: float) -> float:
    return float(f"{number:.3g}")

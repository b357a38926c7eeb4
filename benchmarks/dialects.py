"""What reading a record of each dialect costs, against decoding its JSON."""

from __future__ import annotations

import json  # noqa: TID251  (one of the two decoders to measure against)
import sys
from pathlib import Path
from typing import TYPE_CHECKING, Any, NamedTuple

import msgspec
import timing

from callscore.formats.dialect import dialect_named
from callscore.formats.reading import Recognizer, read_as, with_cached_dialects
from callscore.formats.trace import DEFAULT_READ_OPTIONS

if TYPE_CHECKING:
    from collections.abc import Iterator

    from callscore.formats.dialect import Dialect

__all__ = ["Cost", "costs", "main", "recorded"]

SAMPLES = Path(__file__).parents[1] / "tests/samples/formats"
RECORDED = SAMPLES.with_name("recorded")
ANSWERS = (".expected.json", ".schemas.json")
RECORDS = 200


class Cost(NamedTuple):
    """What a record costs, decoded, recognized and read, as a multiple of decoding it."""

    sample: str
    by_json: float
    by_msgspec: float


def costs(rounds: int) -> Iterator[Cost]:
    """The cost of every sample that is JSON rather than text; the dialect is known."""
    for path in sorted(SAMPLES.rglob("*.json")):
        name = path.relative_to(SAMPLES).as_posix().removesuffix(".json")
        document = msgspec.json.decode(path.read_bytes())
        if not path.name.endswith(ANSWERS) and not isinstance(document, str):
            yield _cost(name, dialect_named(name.partition("/")[0]), document, rounds)


def _cost(name: str, dialect: Dialect, document: Any, rounds: int) -> Cost:
    lines = [msgspec.json.encode(document)] * RECORDS
    read_options = with_cached_dialects(DEFAULT_READ_OPTIONS)  # as for the records of one file

    def read() -> None:
        for line in lines:
            value = msgspec.json.decode(line)
            if dialect.recognizes(value):
                read_as(dialect, value, read_options)

    def decode_by_msgspec() -> None:
        for line in lines:
            msgspec.json.decode(line)

    def decode_by_json() -> None:
        for line in lines:
            json.loads(line)

    jobs = [read, decode_by_json, decode_by_msgspec]
    seconds, by_json, by_msgspec = timing.best_times(jobs, rounds=rounds)
    return Cost(name, seconds / by_json, seconds / by_msgspec)


def recorded(rounds: int) -> float:
    """What all recorded files together cost, as a multiple of `json.loads`."""
    documents: list[tuple[bytes, Dialect]] = []
    for path in sorted(RECORDED.glob("*/*.json")):
        if not path.name.endswith(ANSWERS):
            data = path.read_bytes()
            documents.append((data, Recognizer().recognize(msgspec.json.decode(data))))
    read_options = with_cached_dialects(DEFAULT_READ_OPTIONS)

    def read() -> None:
        for data, dialect in documents:
            value = msgspec.json.decode(data)
            if dialect.recognizes(value):
                read_as(dialect, value, read_options)

    def decode() -> None:
        for data, _ in documents:
            json.loads(data)

    seconds, by_json = timing.best_times([read, decode], rounds=rounds)
    return seconds / by_json


def main(arguments: list[str]) -> None:
    """Print the cost of every sample, the dearest first."""
    rounds = 3 if "--quick" in arguments else 9
    print(f"{'sample':60} / json.loads  / msgspec")
    for cost in sorted(costs(rounds), key=lambda cost: -cost.by_json):
        print(f"{cost.sample:60} {cost.by_json:10.2f}x {cost.by_msgspec:9.2f}x")


if __name__ == "__main__":
    main(sys.argv[1:])

"""The data that engines are measured on: the log of an agent, as large as needed, written as it is made.

Drawing a case takes longer than scoring it. Therefore only the first cases are drawn, and the others are
made from them: their digits and capitals are exchanged for others, by another permutation each time. What
was equal stays equal, and hardly any two cases have the same arguments.

- A case has 1 to 4 calls of 8 tools, with nested arguments, and says what was asked: 690 bytes.
- 15 % of the cases are wrong: another value, an argument or a call too few or too many, another tool.
- Every case has tags. 2 % are one of three trials.
"""

from __future__ import annotations

from itertools import count as count_from
from itertools import islice
from random import Random
from typing import TYPE_CHECKING, Any

import msgspec
from msgspec import Raw, Struct

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator
    from pathlib import Path

__all__ = ["BLOCK", "blocks", "counted_blocks", "shuffled_case", "write_lines", "write_parquet"]

BLOCK = 10_000  # cases that are drawn
WRONG = 0.15
_SEED = 20240115
_TRIALS = 3
_TRIALS_EVERY = 150
_ID = b'"id":"@-'
_DIGITS, _CAPITALS = b"123456789", b"BCFJLMNPRSTVWY"
_PLACES = ("Berlin", "Cusco", "Florence", "Jaipur", "Lisbon", "Madrid", "Nairobi", "Paris", "Tokyo")
_TAGS = ("travel", "support", "billing", "search", "long", "night")
_SENTENCE = "please find a way to get there with two bags and change it if the price goes up"
_REQUEST = _SENTENCE.split()

_Call = dict[str, Any]


def blocks(name: str = "case") -> Iterator[bytes]:
    """Lines of JSON without end, `BLOCK` cases at a time; the ids begin with the name."""
    random = Random(_SEED)
    drawn = b"".join([line + b"\n" for line in _drawn_lines(random)])
    for number in count_from():
        named = b'"id":"%s-%x-' % (name.encode(), number)
        yield drawn.translate(_exchange(random)).replace(_ID, named)


def counted_blocks(count: int, name: str = "case") -> Iterator[bytes]:
    """Lines of JSON with that many cases, at most `BLOCK` at a time."""
    for block in islice(blocks(name), -(-count // BLOCK)):
        yield block if count >= BLOCK else b"".join(block.splitlines(keepends=True)[:count])
        count -= BLOCK


def write_lines(path: Path, count: int, name: str = "case") -> None:
    """Write a file of JSON lines with that many cases."""
    with path.open("wb") as file:
        for block in counted_blocks(count, name):
            file.write(block)


def write_parquet(path: Path, count: int, name: str = "case") -> None:
    """Write the same cases to a Parquet file, with both sides as JSON text."""
    import pyarrow as pa
    from pyarrow import parquet

    names = ("id", "trial", "input", "tags", "expected", "actual")
    kinds = (pa.string(), pa.int64(), pa.string(), pa.list_(pa.string()), pa.string(), pa.string())
    schema = pa.schema([*zip(names, kinds, strict=True)])
    decode = msgspec.json.Decoder(_Row).decode
    with parquet.ParquetWriter(str(path), schema, compression="zstd") as file:
        # A group of rows for each block: two blocks, with the same words, would compress too well.
        for block in counted_blocks(count, name):
            rows = [decode(line) for line in block.splitlines()]
            columns = zip(*[row.values() for row in rows], strict=True)
            file.write_table(pa.table([*map(pa.array, columns, kinds)], schema=schema))


class _Row(Struct):
    id: str
    input: str
    tags: list[str]
    expected: Raw
    actual: Raw
    trial: int | None = None

    def values(self) -> tuple[Any, ...]:
        expected, actual = bytes(self.expected).decode(), bytes(self.actual).decode()
        return self.id, self.trial, self.input, self.tags, expected, actual


def shuffled_case(name: str, calls: int) -> bytes:
    """A line with a case of very many calls, in another order on the other side; one of them is wrong."""
    expected: list[_Call] = [
        {"name": f"tool_{number % 20}", "arguments": {"number": number, "text": f"#{number}"}}
        for number in range(calls)
    ]
    actual = [*expected[:-1], {"name": expected[-1]["name"], "arguments": {"number": -1}}]
    Random(_SEED).shuffle(actual)
    return msgspec.json.encode({"id": name, "expected": expected, "actual": actual}) + b"\n"


# --- drawing --------------------------------------------------------------------------------------


def _exchange(random: Random) -> bytes:
    """A permutation of the digits without 0, so that numbers stay numbers, and one of the capitals."""
    alphabets = (_DIGITS, _CAPITALS)
    changed = b"".join([bytes(random.sample(each, len(each))) for each in alphabets])
    return bytes.maketrans(b"".join(alphabets), changed)


def _drawn_lines(random: Random) -> Iterator[bytes]:
    encode = msgspec.json.encode
    expected: list[_Call] = []
    name = ""
    for number in range(BLOCK):
        trial = number % _TRIALS_EVERY
        is_trial = trial < _TRIALS
        if not is_trial or not trial:
            expected = [random.choice(_TOOLS)(random) for _ in range(random.randint(1, 4))]
            name = f"@-{number:04x}{random.getrandbits(32):08x}"
        is_wrong = random.random() < WRONG
        yield encode(
            {
                "id": name,
                **({"trial": trial + 1} if is_trial else {}),
                "input": " ".join(random.choices(_REQUEST, k=random.randint(4, 16))),
                "tags": random.sample(_TAGS, random.randint(1, 2)),
                "expected": expected,
                "actual": _with_a_mistake(random, expected) if is_wrong else expected,
            }
        )


def _with_a_mistake(random: Random, expected: list[_Call]) -> list[_Call]:
    at = random.randrange(len(expected))
    call, calls = expected[at], [*expected]
    arguments = call["arguments"]
    name = random.choice([*arguments])
    match random.randrange(6):
        case 0:
            del calls[at]
        case 1:
            calls.insert(at, _read_page(random))
        case 2:
            calls[at] = _read_page(random)
        case 3:
            rest = {key: value for key, value in arguments.items() if key != name}
            calls[at] = {**call, "arguments": rest}
        case _:
            calls[at] = {**call, "arguments": {**arguments, name: _reference(random)}}
    return calls


def _call(name: str, **arguments: Any) -> _Call:
    return {"name": name, "arguments": arguments}


def _reference(random: Random) -> str:
    return f"R{random.randrange(10**8, 10**9)}"


def _date(random: Random) -> str:
    return f"2024-{random.randint(1, 12):02}-{random.randint(1, 28):02}"


def _search_flights(random: Random) -> _Call:
    start, end = random.sample(_PLACES, 2)
    who = {"adults": random.randint(1, 4), "children": random.randint(0, 2)}
    trip = {"from": start, "to": end, "date": _date(random)}
    return _call("search_flights", trip=trip, travelers=who, flexible=random.random() < WRONG)


def _book_flight(random: Random) -> _Call:
    seat = {"row": random.randint(1, 60), "letter": random.choice("abcdef")}
    return _call(
        "book_flight",
        flight=_reference(random),
        seats=[seat],
        payment={"method": "card", "amount": random.randint(100, 99_999) / 100},
    )


def _search_hotels(random: Random) -> _Call:
    stay = {"first": _date(random), "nights": random.randint(1, 14)}
    return _call(
        "search_hotels",
        place=random.choice(_PLACES),
        stay=stay,
        filters=[
            {"field": "stars", "at_least": random.randint(1, 5)},
            {"field": "price", "at_most": random.randint(40, 900)},
        ],
    )


def _cancel_booking(random: Random) -> _Call:
    return _call("cancel_booking", booking=_reference(random), refund=True)


def _find_customer(random: Random) -> _Call:
    return _call("find_customer", query={"phone": str(random.randrange(10**9, 10**10))})


def _update_customer(random: Random) -> _Call:
    address = {"place": random.choice(_PLACES), "code": str(random.randrange(10**4, 10**5))}
    return _call("update_customer", customer=_reference(random), changes={"address": address})


def _send_message(random: Random) -> _Call:
    text = " ".join(random.choices(_REQUEST, k=8))
    return _call("send_message", to=[_reference(random)], text=text)


def _read_page(random: Random) -> _Call:
    return _call("read_page", document=_reference(random), page=random.randint(1, 99))


_TOOLS: tuple[Callable[[Random], _Call], ...] = (
    _search_flights,
    _book_flight,
    _search_hotels,
    _cancel_booking,
    _find_customer,
    _update_customer,
    _send_message,
    _read_page,
)

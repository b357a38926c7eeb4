"""Traffic that Go's httprr has recorded: raw requests and responses, one after another.

Each pair begins with a line of its two sizes in bytes.
"""

from __future__ import annotations

import re
from base64 import b64encode
from collections.abc import Iterator
from typing import Any

from callscore.sources.record import BadRecord, Record

HTTPRR_MAGIC = b"httprr trace v1\n"
_SIZES = re.compile(rb"(\d{1,12}) (\d{1,12})\n")
_HEADERS_END = re.compile(rb"\r?\n\r?\n")


def read_httprr(data: bytes, name: str) -> Iterator[Record | BadRecord]:
    """The recorded exchanges, as one record."""
    exchanges: list[dict[str, Any]] = []
    position = len(HTTPRR_MAGIC)
    while position < len(data):
        sizes = _SIZES.match(data, position)
        middle = sizes.end() + int(sizes[1]) if sizes else 0
        end = middle + int(sizes[2]) if sizes else 0
        if sizes is None or end > len(data):
            line = data.count(b"\n", 0, position) + 1
            problem = "the recording is damaged here: the sizes do not fit. Record it again."
            yield BadRecord(f"{name}:{line}", problem)
            break
        asked, answered = data[sizes.end() : middle], data[middle:end]
        exchanges.append({"request": _request(asked), "response": _response(answered)})
        position = end
    if exchanges:
        yield Record(name, {"interactions": exchanges})


def _request(data: bytes) -> dict[str, Any]:
    first, body = _parts(data)
    method, _, rest = first.partition(" ")
    return {"method": method, "uri": rest.partition(" ")[0], "body": body}


def _response(data: bytes) -> dict[str, Any]:
    first, body = _parts(data)
    return {"status": first.partition(" ")[2], "body": body}


def _parts(data: bytes) -> tuple[str, str]:
    """The first line, and the body: as text, or in base64."""
    end = _HEADERS_END.search(data)
    head, body = (data, b"") if end is None else (data[: end.start()], data[end.end() :])
    first = head.partition(b"\n")[0].strip().decode("utf-8", "replace")
    try:
        return first, body.decode()
    except UnicodeDecodeError:
        return first, b64encode(body).decode()

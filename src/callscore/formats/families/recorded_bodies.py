"""The bodies of recorded HTTP messages: text, bytes as base64 or hexadecimal, compressed or framed.

Recorders keep the headers of the original message, whatever they did to its body. What the bytes
begin with decides how they are read, not the headers.
"""

from __future__ import annotations

import re
import zlib
from base64 import b64decode
from binascii import Error as Base64Error
from typing import Any

from callscore.core.large_number import decode_json
from callscore.errors import InvalidCall

MAX_UNPACKED = 1 << 26  # bytes of all bodies of one recording
_GZIP, _ZSTD = b"\x1f\x8b", b"\x28\xb5\x2f\xfd"
_ZLIB = (b"\x78\x01", b"\x78\x5e", b"\x78\x9c", b"\x78\xda")
_GZIP_BITS, _ZLIB_BITS, _RAW_BITS = zlib.MAX_WBITS | 16, zlib.MAX_WBITS, -zlib.MAX_WBITS
_MAX_LAYERS = 3  # of compression
_PIECE_SIZE = 1 << 10  # bytes
_HEX = re.compile(r"(?:[0-9a-fA-F]{2})+")
_BASE64 = re.compile(r"[A-Za-z0-9+/\s]+={0,2}\s*")
_MIN_ENCODED = 16  # characters; fewer are a word
# A message of AWS: its length and that of its headers, and a checksum of both; then the rest.
_PRELUDE_SIZE, _CHECKSUM_SIZE = 12, 4
_STRING_HEADER = 7
# The sizes of the values of other headers, by their types.
_HEADER_SIZES = {0: 0, 1: 0, 2: 1, 3: 2, 4: 4, 5: 8, 8: 8, 9: 16}
_LENGTH_PREFIXED = (6, _STRING_HEADER)


class BodyReader:
    """Reads the bodies of one recording; what they unpack to is limited.

    Raises:
        InvalidCall: the bodies are larger than the limit.
    """

    def __init__(self, limit: int = MAX_UNPACKED) -> None:
        self._left = limit
        self._limit = limit

    def read(self, body: Any, *, is_encoded: bool = False) -> Any:
        """The content of a body: a JSON value, the list of those that were streamed, or the body.

        Args:
            body: text, chunks of encoded bytes, or a value that the recorder has decoded.
            is_encoded: whether the recording says that the text is base64.
        """
        value = body
        if isinstance(body, str):
            value = body if is_encoded and not body.startswith("[") else read_text(body)
        data = _encoded_bytes(value, is_certain=is_encoded)
        if data is None:
            return value
        content = self._read_bytes(data)
        return value if content is None else content

    def _read_bytes(self, data: bytes) -> Any:
        """The content of bytes; None if they are not text, such as an image."""
        for _ in range(_MAX_LAYERS):
            unpacked = self._unpacked(data)
            if unpacked is None:
                break
            data = unpacked
        if is_event_stream(data):
            return events_in(data)
        try:
            return read_text(data.decode())
        except UnicodeDecodeError:
            pass
        raw = self._inflated(data, _RAW_BITS)  # some servers leave out the header of deflate
        try:
            return read_text(raw.decode()) if raw else None
        except UnicodeDecodeError:
            return None

    def _unpacked(self, data: bytes) -> bytes | None:
        """What compressed data unpacks to; None if it is not compressed."""
        if data.startswith(_GZIP):
            return self._inflated(data, _GZIP_BITS)
        if data.startswith(_ZLIB):
            return self._inflated(data, _ZLIB_BITS) or None
        return self._from_zstd(data) if data.startswith(_ZSTD) else None

    def _inflated(self, data: bytes, bits: int) -> bytes:
        """What can be unpacked: a recorded stream may end too early."""
        found = bytearray()
        view = memoryview(data)
        unpacker = zlib.decompressobj(bits)
        while view:
            # In pieces, because what is left of a piece behind the end of a file is copied.
            piece = view[:_PIECE_SIZE]
            try:
                found += self._counted(unpacker.decompress(piece, self._left + 1))
            except zlib.error:
                break
            view = view[len(piece) - len(unpacker.unused_data) :]
            if unpacker.eof:
                if bytes(view[: len(_GZIP)]) != _GZIP:
                    break
                unpacker = zlib.decompressobj(bits)
        return bytes(found)

    def _from_zstd(self, data: bytes) -> bytes | None:
        try:
            import zstandard
        except ImportError:
            return None
        found = bytearray()
        reader = zstandard.ZstdDecompressor().stream_reader(data)
        try:
            while chunk := reader.read(1 << 16):
                found += self._counted(chunk)
        except zstandard.ZstdError:
            pass
        return bytes(found) or None

    def _counted(self, data: bytes) -> bytes:
        self._left -= len(data)
        if self._left < 0:
            size = f"{self._limit >> 20} MiB"
            raise InvalidCall(f"the recorded bodies are larger than {size}, unpacked.")
        return data


def _encoded_bytes(value: Any, *, is_certain: bool) -> bytes | None:
    """The bytes that a text, or a list of texts, encodes; None if it is something else.

    Without certainty, only bytes that are compressed or a stream of events: any word can be base64.
    """
    chunks = [value] if isinstance(value, str) else value
    if not isinstance(chunks, list) or not all(isinstance(chunk, str) for chunk in chunks):
        return None
    if not chunks or (not is_certain and len(chunks[0]) < _MIN_ENCODED):
        return None
    for decode in (_from_hex, _from_base64):
        try:
            data = b"".join(map(decode, chunks))
        except (Base64Error, ValueError):
            continue
        if _is_packed(data) or (is_certain and decode is _from_base64):
            return data
    return None


def _from_hex(text: str) -> bytes:
    if not _HEX.fullmatch(text):
        raise ValueError(text)
    return bytes.fromhex(text)


def _from_base64(text: str) -> bytes:
    if not _BASE64.fullmatch(text):
        raise ValueError(text)
    return b64decode("".join(text.split()), validate=True)


def _is_packed(data: bytes) -> bool:
    return data.startswith((_GZIP, _ZSTD, *_ZLIB)) or is_event_stream(data)


# --- text ---------------------------------------------------------------------------------------


def read_text(text: str) -> Any:
    """The content of a text: a JSON value, the list of those that were streamed, or the text."""
    whole = _decoded(text)
    if whole:
        return whole[0]
    events = read_events(text)
    if events is not None:
        return events
    lines = [line for line in text.split("\n") if line and not line.isspace()]
    values = [value for line in lines for value in _decoded(line)]
    return values if values and len(values) == len(lines) else text


def read_events(text: str) -> list[Any] | None:
    """The JSON values after `data:`, one per event; None if the text is not such a stream."""
    events: list[Any] = []
    lines: list[str] = []
    has_data = False
    # Not `splitlines`: a line separator within a JSON text ends no line of the stream.
    for line in [*text.split("\n"), ""]:
        if line.startswith("data:"):
            has_data = True
            lines.append(line.removeprefix("data:"))
        elif lines and not line.strip():
            events += _decoded("\n".join(lines)) or [v for each in lines for v in _decoded(each)]
            lines = []
    return events if has_data else None


def _decoded(text: str) -> list[Any]:
    """The value in a text; none if it is not JSON, such as the `[DONE]` of a stream."""
    try:
        return [decode_json(text)]
    except (ValueError, RecursionError):
        return []


# --- AWS event streams --------------------------------------------------------------------------


def is_event_stream(data: bytes | memoryview) -> bool:
    """Whether bytes begin with a message of `application/vnd.amazon.eventstream`."""
    checksum = int.from_bytes(data[8:_PRELUDE_SIZE], "big")
    return len(data) > _PRELUDE_SIZE and zlib.crc32(data[:8]) == checksum


def events_in(data: bytes) -> list[Any]:
    """The events of a stream, as boto3 has them, or the model's own, up to where it is cut off."""
    events: list[Any] = []
    view = memoryview(data)  # its slices are no copies
    while is_event_stream(view):
        total = int.from_bytes(view[:4], "big")
        headers_size = int.from_bytes(view[4:8], "big")
        start = _PRELUDE_SIZE + headers_size
        if not start + _CHECKSUM_SIZE <= total <= len(view):
            break
        headers = _headers_in(bytes(view[_PRELUDE_SIZE:start]))
        for payload in _decoded_bytes(bytes(view[start : total - _CHECKSUM_SIZE])):
            events += _event(headers, payload)
        view = view[total:]
    return events


def _headers_in(data: bytes) -> dict[str, str]:
    """The headers with a text, by name."""
    headers: dict[str, str] = {}
    position = 0
    while position < len(data):
        end = position + 1 + data[position]
        name, kind = data[position + 1 : end], data[end : end + 1]
        position = end + 1
        size = _HEADER_SIZES.get(kind[0]) if kind else None
        if kind and kind[0] in _LENGTH_PREFIXED:
            size = int.from_bytes(data[position : position + 2], "big")
            position += 2
            if kind[0] == _STRING_HEADER:
                value = data[position : position + size]
                headers[name.decode("utf-8", "replace")] = value.decode("utf-8", "replace")
        if size is None:
            break
        position += size
    return headers


def _event(headers: dict[str, str], payload: Any) -> list[Any]:
    inner = payload.get("bytes") if isinstance(payload, dict) else None
    if isinstance(inner, str):  # of InvokeModelWithResponseStream: an event of the model's API
        try:
            return _decoded_bytes(b64decode(inner))
        except (Base64Error, ValueError):
            return []
    name = headers.get(":event-type") or headers.get(":exception-type")
    return [payload if name is None else {name: payload}]


def _decoded_bytes(data: bytes) -> list[Any]:
    return _decoded(data.decode("utf-8", "replace"))

"""Bytes from a path: plain, gzip or zstd, a file or standard input."""

from __future__ import annotations

import io
import sys
from contextlib import contextmanager
from pathlib import Path
from typing import IO, TYPE_CHECKING, BinaryIO, NamedTuple, Protocol

from callscore.errors import MissingExtra, UnreadableInput

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

    from _typeshed import WriteableBuffer

__all__ = ["HEAD_SIZE", "as_seekable", "decompress", "display_path", "open_bytes", "zstd_codec"]

HEAD_SIZE = 256  # bytes that can be inspected before reading, if there are that many
_GZIP_MAGIC = b"\x1f\x8b"
_ZSTD_MAGIC = b"\x28\xb5\x2f\xfd"
_PLAIN_CHUNK_SIZE = 1 << 18
# Each compressed byte can decompress to 32 KB, so small chunks limit the memory used at a time.
_COMPRESSED_CHUNK_SIZE = 1 << 12
_MAX_IN_MEMORY = 1 << 26


class _Decompressor(Protocol):
    @property
    def eof(self) -> bool: ...
    @property
    def unused_data(self) -> bytes: ...
    def decompress(self, data: bytes, /) -> bytes: ...


class _Codec(NamedTuple):
    name: str
    new: Callable[[], _Decompressor]
    error: type[Exception]


def display_path(path: str) -> str:
    """The name of a path in messages: `-` is `<stdin>`."""
    return "<stdin>" if path == "-" else path


def open_bytes(path: str, *, on_bytes: Callable[[int], None] | None = None) -> io.BufferedReader:
    """The bytes of a file, decompressed; `-` is standard input, which is left open.

    A stream that breaks in the middle raises when the reader gets there. Everything before that
    can be read line by line, or by `read1`. The first `HEAD_SIZE` bytes can be read by `peek`.
    `on_bytes` is called with the number of bytes read since the last call (before decompression).

    Raises:
        UnreadableInput: there is no such file, it may not be read, or its data is damaged.
        MissingExtra: it is a zstd file, and the extra `zstd` is not installed.
    """
    place = display_path(path)
    source = _open_source(path, place)
    try:
        head = _read(source, len(_ZSTD_MAGIC), place)
        codec: _Codec | None = None
        if head.startswith(_GZIP_MAGIC) or (head and path.endswith(".gz")):
            import zlib

            codec = _Codec("gzip", lambda: zlib.decompressobj(zlib.MAX_WBITS | 16), zlib.error)
        elif head.startswith(_ZSTD_MAGIC) or (head and path.endswith(".zst")):
            codec = zstd_codec()
    except BaseException:
        _close(path, source)
        raise
    is_plain_file = codec is None and path != "-" and source.seekable()
    if is_plain_file and isinstance(source, io.BufferedReader):
        source.seek(0)  # a file on disk is read directly: this saves a copy of every byte
        if on_bytes is None:
            return source
        return io.BufferedReader(_ProgressFile(source.detach(), on_bytes), _PLAIN_CHUNK_SIZE)
    size = _PLAIN_CHUNK_SIZE if codec is None else _COMPRESSED_CHUNK_SIZE
    chunks = _chunks(source, head, size, place, on_bytes)
    if codec is not None:
        chunks = decompress(chunks, codec, place)
    stream = _ChunkStream(_with_whole_head(chunks), lambda: _close(path, source))
    return io.BufferedReader(stream, _PLAIN_CHUNK_SIZE)


@contextmanager
def as_seekable(stream: io.BufferedReader) -> Iterator[IO[bytes]]:
    """A seekable file with the content of a stream, from its beginning.

    A stream that cannot go back is copied: into memory, or onto the disk if it is large.
    """
    if stream.seekable():
        stream.seek(0)
        yield stream
        return
    import shutil
    from tempfile import SpooledTemporaryFile

    with SpooledTemporaryFile(_MAX_IN_MEMORY) as copy:
        shutil.copyfileobj(stream, copy, _PLAIN_CHUNK_SIZE)
        copy.seek(0)
        yield copy


def _open_source(path: str, place: str) -> BinaryIO:
    if path == "-":
        if sys.stdin is None:  # the program was started with its input closed
            problem = "standard input is closed. Pipe cases into the command, or pass a file."
            raise UnreadableInput(place, problem)
        return sys.stdin.buffer
    try:
        return Path(path).open("rb")
    except FileNotFoundError:
        problem = "file not found. Check the path."
    except IsADirectoryError:
        problem = "this is a directory. Pass the files in it."
    except PermissionError:
        problem = "permission denied. Check the mode and the owner of the file."
    except (OSError, ValueError) as error:
        problem = f"the file cannot be opened ({error})."
    raise UnreadableInput(place, problem)


def _close(path: str, source: BinaryIO) -> None:
    if path != "-":
        source.close()


def _read(source: BinaryIO, size: int, place: str) -> bytes:
    try:
        return source.read(size)
    except (OSError, ValueError) as error:
        raise UnreadableInput(place, f"reading failed ({error}).") from error


def _chunks(
    source: BinaryIO, head: bytes, size: int, place: str, on_bytes: Callable[[int], None] | None
) -> Iterator[bytes]:
    chunk = head
    while chunk:
        if on_bytes is not None:
            on_bytes(len(chunk))
        yield chunk
        chunk = _read(source, size, place)


def zstd_codec() -> _Codec:
    """The codec for zstd data; needs the extra `zstd`."""
    try:
        import zstandard
    except ImportError:
        raise MissingExtra("Reading zstd files", "zstd") from None
    decompressor = zstandard.ZstdDecompressor()
    return _Codec("zstd", decompressor.decompressobj, zstandard.ZstdError)


def decompress(chunks: Iterator[bytes], codec: _Codec, place: str) -> Iterator[bytes]:
    """Decompress a stream of chunks; it may consist of several frames.

    Each chunk is decompressed at once, so they have to be small.

    Raises:
        UnreadableInput: the data is damaged or ends too early.
    """
    decompressor: _Decompressor | None = None
    for chunk in chunks:
        rest = chunk
        while rest:
            if decompressor is None:
                rest = rest.lstrip(b"\0")  # some writers pad a file with zeros to a full block
                decompressor = codec.new() if rest else None
                continue
            try:
                data = decompressor.decompress(rest)
            except codec.error as error:
                problem = f"the {codec.name} data is invalid or damaged ({error})."
                raise UnreadableInput(place, f"{problem} Create the file again.") from error
            yield data
            rest = b""
            if decompressor.eof:
                rest, decompressor = decompressor.unused_data, None
    if decompressor is not None:
        problem = f"the {codec.name} data is truncated. Create the file again."
        raise UnreadableInput(place, problem)


def _with_whole_head(chunks: Iterator[bytes]) -> Iterator[bytes]:
    """The same chunks; the first has at least `HEAD_SIZE` bytes, if there are that many."""
    head = b""
    try:
        while len(head) < HEAD_SIZE:
            chunk = next(chunks, None)
            if chunk is None:
                break
            head += chunk
    except UnreadableInput:
        yield head
        raise
    yield head
    yield from chunks


class _ProgressFile(io.RawIOBase):
    """A file on disk that reports the bytes read; bytes read twice are reported once."""

    def __init__(self, source: io.RawIOBase, on_bytes: Callable[[int], None]) -> None:
        self._source = source
        self._on_bytes = on_bytes
        self._unreported = source.seek(0, io.SEEK_END)
        source.seek(0)

    def readable(self) -> bool:
        return True

    def seekable(self) -> bool:
        return True

    def seek(self, offset: int, whence: int = io.SEEK_SET, /) -> int:
        return self._source.seek(offset, whence)

    def readinto(self, buffer: WriteableBuffer, /) -> int | None:
        size = self._source.readinto(buffer)
        reported = min(size or 0, self._unreported)
        self._unreported -= reported
        self._on_bytes(reported)
        return size

    def close(self) -> None:
        self._source.close()
        super().close()


class _ChunkStream(io.RawIOBase):
    """Chunks of bytes as a raw stream: `BufferedReader` splits it into lines quickly."""

    def __init__(self, chunks: Iterator[bytes], close_source: Callable[[], None]) -> None:
        self._chunks = chunks
        self._close_source = close_source
        self._rest = memoryview(b"")

    def readable(self) -> bool:
        return True

    def readinto(self, buffer: WriteableBuffer, /) -> int:
        while not self._rest:
            chunk = next(self._chunks, None)
            if chunk is None:
                return 0
            self._rest = memoryview(chunk)
        target = memoryview(buffer)
        size = min(len(target), len(self._rest))
        target[:size] = self._rest[:size]
        self._rest = self._rest[size:]
        return size

    def close(self) -> None:
        self._close_source()
        super().close()

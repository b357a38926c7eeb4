"""Bytes from a path: plain, gzip or zstd, a file, a URL or standard input; unpacked up to a limit."""

from __future__ import annotations

import io
import os
import re
import stat
import sys
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from functools import partial
from pathlib import Path
from typing import IO, TYPE_CHECKING, BinaryIO, NamedTuple, Protocol, cast

from callscore.errors import MissingExtra, UnreadableInput
from callscore.sources.remote import (
    is_url,
    open_ranges,
    open_remote,
    without_credentials,
)

if TYPE_CHECKING:
    from importlib.resources.abc import Traversable

    from _typeshed import WriteableBuffer

DEMO = "demo"  # the name of the bundled trajectories, where there is no such file
HEAD_SIZE = 512  # bytes that can be inspected before reading, if there are that many
_GZIP_MAGIC = b"\x1f\x8b"
_ZSTD_MAGIC = b"\x28\xb5\x2f\xfd"
_PLAIN_CHUNK_SIZE = 1 << 18
# Each compressed byte can decompress to 1 KB in gzip and to 32 KB in zstd, so small chunks limit the
# memory used at a time.
_COMPRESSED_CHUNK_SIZE = 1 << 12
_ZSTD_CHUNK_SIZE = 1 << 9
MAX_UNPACKED = 1 << 26  # bytes, by default, of a document or a line in compressed data
_limits = {"unpacked": MAX_UNPACKED}
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
    chunk_size: int = _COMPRESSED_CHUNK_SIZE


def display_path(path: str) -> str:
    """The name of a path in messages: `-` is `<stdin>`, and a URL has no credentials."""
    return "<stdin>" if path == "-" else without_credentials(path)


def max_unpacked() -> int:
    """The largest document or line, in bytes, that is read from compressed data."""
    return _limits["unpacked"]


def set_max_unpacked(size: int) -> None:
    """Change `max_unpacked` for this process."""
    _limits["unpacked"] = size


def too_large(place: str, what: str, *, share: float = 1) -> UnreadableInput:
    """The error for a `document` or a `line` that is larger than this share of `max_unpacked`."""
    size = max_unpacked()
    most = _size_text(int(size / share))
    problem = f"the {what} is larger than {most}, unpacked. If you trust the file,"
    return UnreadableInput(place, f"{problem} pass --max-unpacked {_size_text(8 * size)}.")


def _size_text(size: int) -> str:
    for shift, unit in ((30, "G"), (20, "M"), (10, "K")):
        if size >> shift and not size % (1 << shift):
            return f"{size >> shift}{unit}"
    return str(size)


def read_whole(stream: io.BufferedReader, name: str, *, before: int = 0, share: int = 1) -> bytes:
    """The rest of a stream; `before` is the number of bytes that were read of the document.

    A document that takes longer to read has a smaller share of the limit: 64 for a 64th.

    Raises:
        UnreadableInput: the file is compressed, and the document larger than `max_unpacked`.
    """
    if not _is_compressed(stream):
        return stream.read()
    limit = max_unpacked() // share - before
    data = stream.read(limit + 1) if limit >= 0 else b""
    if limit < 0 or len(data) > limit:
        raise too_large(name, "document", share=share)
    return data


def from_beginning(stream: io.BufferedReader, data: bytes) -> io.BufferedReader:
    """A stream that was read whole, again; what was compressed is limited as before."""
    again = _ChunkStream(iter([data]), lambda: None, is_compressed=_is_compressed(stream))
    return io.BufferedReader(again, _PLAIN_CHUNK_SIZE)


def skip_blank_lines(stream: io.BufferedReader, name: str) -> int:
    """Skip whole blocks of blank lines quickly, and return how many lines they have.

    Raises:
        UnreadableInput: the file is compressed, and has more of them than `max_unpacked`.
    """
    lines = skipped = 0
    while (block := stream.peek(1)).isspace():
        end = block.rfind(b"\n") + 1
        if not end:
            break
        lines += block.count(b"\n")
        skipped += len(stream.read(end))
        if skipped > max_unpacked() and _is_compressed(stream):
            raise too_large(name, "document")
    return lines


def _is_compressed(stream: io.BufferedReader) -> bool:
    raw = stream.raw
    return isinstance(raw, _ChunkStream) and raw.is_compressed


def open_bytes(
    path: str, *, on_bytes: Callable[[int], None] | None = None, allow_remote: bool = False
) -> io.BufferedReader:
    """The bytes of a file, decompressed; `-` is standard input, which is left open.

    A stream that breaks in the middle raises when the reader gets there. Everything before that
    can be read line by line, or by `read1`. The first `HEAD_SIZE` bytes can be read by `peek`.

    Args:
        path: the file.
        on_bytes: called with the number of bytes read since the last call (before decompression).
        allow_remote: whether a URL is fetched. Set it only where a user passes the path: a URL in a
            trace, a suite or a request must not be fetched, and is the path of a missing file.

    Raises:
        UnreadableInput: there is no such file, it may not be read, or its data is damaged.
        MissingExtra: it is a zstd file or a URL, and the extra `zstd` or `remote` is not installed.
    """
    place = display_path(path)
    is_remote = allow_remote and is_url(path)
    source = open_remote(path) if is_remote else _open_source(path, place)
    try:
        head = _read(source, len(_ZSTD_MAGIC), place)
        # A server may unpack what it sends, whatever the name.
        codec = _codec_of(head, "" if is_remote else path)
    except BaseException:
        _close(path, source)
        raise
    is_plain_file = codec is None and path != "-" and source.seekable()
    if is_plain_file and isinstance(source, io.BufferedReader):
        source.seek(0)  # a file on disk is read directly: this saves a copy of every byte
        return source if on_bytes is None else _with_progress(source, on_bytes)
    size = _PLAIN_CHUNK_SIZE if codec is None else codec.chunk_size
    chunks = _chunks(source, head, size, place, on_bytes)
    if codec is not None:
        chunks = _with_short_lines(decompress(chunks, codec, place), place)
    stream = _ChunkStream(
        _with_whole_head(chunks), lambda: _close(path, source), is_compressed=codec is not None
    )
    if is_remote and codec is None:
        stream.reopen = partial(_reopen, path, on_bytes)
    return io.BufferedReader(stream, _PLAIN_CHUNK_SIZE)


def open_data(data: bytes, place: str) -> io.BufferedReader:
    """The bytes of a file in an archive, decompressed.

    Raises:
        UnreadableInput: they are damaged, or larger than `max_unpacked`.
        MissingExtra: they are compressed with zstd, and the extra `zstd` is not installed.
    """
    codec = _codec_of(data[: len(_ZSTD_MAGIC)], place)
    if codec is not None:
        source, unpacked = io.BytesIO(data), bytearray()
        parts = _chunks(source, source.read(codec.chunk_size), codec.chunk_size, place, None)
        for chunk in decompress(parts, codec, place):
            unpacked += chunk
            if len(unpacked) > max_unpacked():
                raise too_large(place, "entry")
        data = bytes(unpacked)
    stream = _ChunkStream(iter([data]), lambda: None, is_compressed=True)
    return io.BufferedReader(stream, _PLAIN_CHUNK_SIZE)


def open_seekable(path: str) -> IO[bytes]:
    """A file, or a file at a URL, of which any part can be read; it is not decompressed.

    What can only be read in order is copied: into memory, or onto the disk if it is large. This
    fetches URLs, so that the path must be one that a user passes.

    Raises:
        UnreadableInput: there is no such file, or it may not be read.
        MissingExtra: it is a URL, and the extra `remote` is not installed.
    """
    if is_url(path):
        file = open_ranges(path)
        if file is not None:
            return file
        source: BinaryIO = open_remote(path)
    else:
        source = _open_source(path, display_path(path))
        if source.seekable():
            return source
    try:
        return _copy(source)
    finally:
        _close(path, source)


def _copy(source: BinaryIO) -> IO[bytes]:
    import shutil
    from tempfile import SpooledTemporaryFile

    copy = SpooledTemporaryFile(_MAX_IN_MEMORY)  # noqa: SIM115  (the caller closes it)
    try:
        shutil.copyfileobj(source, copy, _PLAIN_CHUNK_SIZE)
    except BaseException:
        copy.close()
        raise
    copy.seek(0)
    return copy


@contextmanager
def as_seekable(stream: io.BufferedReader, *, document: str | None = None) -> Iterator[IO[bytes]]:
    """A seekable file with the content of a stream, from its beginning.

    A stream that cannot go back is copied: into memory, or onto the disk if it is large. With the
    name of a `document`, it is limited as for `read_whole`. A file on a web server is opened again,
    if the server can send parts of it.
    """
    if stream.seekable():
        stream.seek(0)
        yield stream
        return
    file = stream.raw.reopen() if isinstance(stream.raw, _ChunkStream) else None
    if file is None and document is not None and _is_compressed(stream):
        file = io.BytesIO(read_whole(stream, document))
    with _copy(stream) if file is None else file as seekable:
        yield seekable


def _open_source(path: str, place: str) -> BinaryIO:
    if path == "-":
        return _standard_input(place)
    try:
        if not _is_endless(Path(path)):
            return Path(path).open("rb")
        problem = "this is a device. Pass a file, or `-` for standard input."
    except FileNotFoundError:
        if path == DEMO:
            return cast("BinaryIO", demo_data().open("rb"))
        problem = "file not found. Check the path."
    except IsADirectoryError:
        problem = "this is a directory. Pass the files in it."
    except PermissionError:
        problem = "permission denied. Check the mode and the owner of the file."
    except (OSError, ValueError) as error:
        problem = f"the file cannot be opened ({error})."
    raise UnreadableInput(place, problem)


def _standard_input(place: str) -> BinaryIO:
    if sys.stdin is None:  # the program was started with its input closed
        problem = "standard input is closed. Pipe cases into the command, or pass a file."
        raise UnreadableInput(place, problem)
    return sys.stdin.buffer


def demo_data() -> Traversable:
    """The trajectories of `callscore demo`."""
    from importlib.resources import files

    return files("callscore") / "data" / "airline-gpt-4o.jsonl.gz"


def _is_endless(path: Path) -> bool:
    """Whether it is a device such as /dev/zero; a terminal ends, and so does /dev/null."""
    found = path.stat()
    if not stat.S_ISCHR(found.st_mode) or found.st_rdev == Path(os.devnull).stat().st_rdev:
        return False
    with path.open("rb", buffering=0) as device:
        return not device.isatty()


def _reopen(url: str, on_bytes: Callable[[int], None] | None) -> io.BufferedReader | None:
    file = open_ranges(url)
    return file if file is None or on_bytes is None else _with_progress(file, on_bytes)


def _codec_of(head: bytes, path: str) -> _Codec | None:
    """How a file is compressed, by its first bytes and its name; None if it is not."""
    if head.startswith(_GZIP_MAGIC) or (head and path.endswith(".gz")):
        import zlib

        return _Codec("gzip", lambda: zlib.decompressobj(zlib.MAX_WBITS | 16), zlib.error)
    if head.startswith(_ZSTD_MAGIC) or (head and path.endswith(".zst")):
        return zstd_codec()
    return None


def _with_progress(file: io.BufferedReader, on_bytes: Callable[[int], None]) -> io.BufferedReader:
    """A seekable file, from its beginning, that reports the bytes read."""
    return io.BufferedReader(_ProgressFile(file.detach(), on_bytes), _PLAIN_CHUNK_SIZE)


def _close(path: str, source: BinaryIO) -> None:
    if path != "-":
        source.close()


def _read(source: BinaryIO, size: int, place: str) -> bytes:
    try:
        return source.read(size)
    except UnreadableInput:  # of a remote file
        raise
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
    return _Codec("zstd", decompressor.decompressobj, zstandard.ZstdError, _ZSTD_CHUNK_SIZE)


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


# A file with one document, which may be one long line.
_DOCUMENT = re.compile(r"\.(json|ya?ml|toml)(\.[a-z0-9]+)?$", re.IGNORECASE)


def _with_short_lines(chunks: Iterator[bytes], place: str) -> Iterator[bytes]:
    """The same chunks, up to a line that is larger than `max_unpacked`."""
    length = 0
    for chunk in chunks:
        end = chunk.rfind(b"\n")
        length = length + len(chunk) if end < 0 else len(chunk) - end - 1
        if length > max_unpacked():
            raise too_large(place, "document" if _DOCUMENT.search(place) else "line")
        yield chunk


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
    """Chunks of bytes as a raw stream: `BufferedReader` splits it into lines quickly.

    Attributes:
        is_compressed: whether the chunks were unpacked.
        reopen: opens a file with the same content of which any part can be read; None if there is none.
    """

    def __init__(
        self, chunks: Iterator[bytes], close_source: Callable[[], None], *, is_compressed: bool
    ) -> None:
        self.is_compressed = is_compressed
        self.reopen: Callable[[], IO[bytes] | None] = lambda: None
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

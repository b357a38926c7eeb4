"""Files at URLs, through fsspec: `s3://`, `gs://`, `https://`. Only a user who passes one reads one.

Nothing here is called for a string that was found in a file: `open_bytes` and `read_batches` read URLs
only with `allow_remote`, which the functions set whose paths a user passes.
"""

from __future__ import annotations

import io
import re
from collections.abc import Callable
from functools import cache, partial
from typing import TYPE_CHECKING, Any
from urllib.parse import unquote

from callscore.errors import MissingExtra, UnreadableInput

if TYPE_CHECKING:
    from types import TracebackType

    from _typeshed import WriteableBuffer

_URL = re.compile(r"(?P<scheme>[a-z][a-z0-9+.\-]*)://(?P<rest>.*)", re.IGNORECASE | re.DOTALL)
_URL_IN_TEXT = re.compile(r"[a-z][a-z0-9+.\-]*://[^\s'\"<>)]+", re.IGNORECASE)
_WEB = ("http", "https")
# A password may have a slash in it that should have been written as %2F.
_BAD_PASSWORD = re.compile(r"[^/?#@]*:(?!\d*(?:[/?#]|$)).*@", re.DOTALL)
_HIDDEN = "***"
_BUFFER_SIZE = 1 << 18
_BLOCK_SIZE = 1 << 20  # at least as much is fetched at a time
_TAIL_SIZE = 1 << 16  # as much as the reader of Parquet files asks for first
_CONNECT_SECONDS = 30
_READ_SECONDS = 120  # without a single byte
_READ_IN_PARTS = (".parquet", ".eval")
_DENIED = (401, 403)
_MISSING = (404, 410)
# The headers of a download without credentials; those of HTTP authentication and cookies are others.
_PLAIN_HEADERS = frozenset({"accept", "accept-encoding", "host", "range", "user-agent"})


def is_url(path: str) -> bool:
    """Whether a path is a URL: `s3://bucket/log.jsonl`."""
    return _URL.match(path) is not None


def without_credentials(path: str) -> str:
    """A path as it may be shown: a URL without its user, password and, on the web, its query.

    `https://user:password@host/log.jsonl?token=secret` is `https://***@host/log.jsonl?***`. A signed
    link has its signature in the query. Any other path is unchanged.
    """
    url = _URL.match(path)
    if url is None:
        return path
    scheme, rest = url["scheme"], url["rest"]
    user = _user_part(rest)
    rest = rest if user is None else f"{_HIDDEN}@{rest[len(user) + 1 :]}"
    if scheme.lower() in _WEB and "?" in rest:
        rest = f"{rest.partition('?')[0]}?{_HIDDEN}"
    return f"{scheme}://{rest}"


def name_in_url(path: str) -> str:
    """A path without the query and the fragment of a web address, so that it ends with a suffix."""
    url = _URL.match(path)
    if url is None or url["scheme"].lower() not in _WEB:
        return path
    return re.split(r"[?#]", path, maxsplit=1)[0]


def _user_part(rest: str) -> str | None:
    """What precedes the `@` of the host, after `://`."""
    bad = _BAD_PASSWORD.match(rest)
    if bad is not None:
        return bad[0][:-1]
    user, at, _ = re.split(r"[/?#]", rest, maxsplit=1)[0].rpartition("@")
    return user if at else None


def _hide_credentials(text: str, url: str) -> str:
    """The sentence of a library, without what is secret in the URL that it is about."""
    text = _URL_IN_TEXT.sub(lambda found: without_credentials(found[0]), text)
    found = _URL.match(url)
    rest = "" if found is None else found["rest"]
    user = _user_part(rest)
    query = rest.partition("?")[2]
    secrets = {query, user or "", *(user or "").split(":", 1)}
    for secret in sorted({*secrets, *map(unquote, secrets)} - {""}, key=len, reverse=True):
        text = text.replace(secret, _HIDDEN)
    return text


class _Guard:
    """Turns the errors of drivers into `UnreadableInput`; they raise those of many libraries."""

    def __init__(self, url: str) -> None:
        self._url = url

    def __enter__(self) -> None:
        return None

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        at: TracebackType | None,
    ) -> None:
        del kind, at
        is_ours = isinstance(error, UnreadableInput | MissingExtra)
        if isinstance(error, Exception) and not is_ours:
            place = without_credentials(self._url)
            # Without the cause: its text, and the frames of the driver, have the credentials.
            raise UnreadableInput(place, _problem(error, self._url)) from None


def _problem(error: BaseException, url: str) -> str:
    """What went wrong, and what to do."""
    while isinstance(error, FileNotFoundError) and error.__cause__ is not None:
        error = error.__cause__  # fsspec says this of every error of a web server
    status = getattr(error, "status", None)
    answer = f" (status {status})" if isinstance(status, int) else ""
    if isinstance(error, FileNotFoundError) or status in _MISSING:
        problem = "file not found. Check the URL."
    elif isinstance(error, PermissionError) or status in _DENIED:
        problem = f"permission denied{answer}. Check your credentials for it."
    elif isinstance(error, IsADirectoryError):
        problem = "this is a folder. Pass the files in it, or a pattern such as '**/*.jsonl'."
    elif isinstance(error, TimeoutError):
        problem = "the server did not answer in time. Try again later, or check the URL."
    elif answer:
        problem = f"the server answered with an error{answer}. Try again later, or check the URL."
    else:
        reason = _hide_credentials(str(error).strip().partition("\n")[0].rstrip("."), url)
        reason = reason or type(error).__name__
        problem = f"reading failed ({reason}). Check the URL and your credentials."
    return problem


def _file_system(url: str) -> tuple[Any, str]:
    """What reads the files of a URL, and the path of this one in it."""
    place = without_credentials(url)
    try:
        import fsspec
    except ImportError:
        raise MissingExtra("Reading files at URLs", "remote") from None
    scheme = url.partition("://")[0].lower()
    if "::" in url:
        # For fsspec this chains file systems, and a name in a listing must not begin such a chain.
        raise UnreadableInput(place, "'::' is not allowed in a URL. Rename or copy the file.")
    try:
        fsspec.get_filesystem_class(scheme)
    except ImportError as error:
        raise UnreadableInput(place, _missing_driver(error)) from error
    except ValueError:
        problem = f"unknown kind of URL '{scheme}://'. Check its beginning."
        raise UnreadableInput(place, problem) from None
    options = _web_options(scheme) if scheme in _WEB else {}
    with _Guard(url):
        # Schemes are not case-sensitive, but fsspec knows only lower case.
        system, path = fsspec.url_to_fs(f"{scheme}{url[len(scheme) :]}", **options)
        return system, path


def _missing_driver(error: ImportError) -> str:
    cause = error.__cause__
    module = cause.name if isinstance(cause, ImportError) else None
    if module is None:
        return f"the driver of such URLs cannot be used ({cause or error}). Install it again."
    package = module.partition(".")[0]
    return f"{package} is not installed: pip install {package}."


def _web_options(scheme: str) -> dict[str, Any]:
    import aiohttp
    import fsspec

    # By default, a download has to end within five minutes, and proxies are ignored.
    timeout = aiohttp.ClientTimeout(
        total=None, sock_connect=_CONNECT_SECONDS, sock_read=_READ_SECONDS
    )
    configured = fsspec.config.conf.get(scheme, {}).get("client_kwargs", {})
    traces = [_redirects(), *configured.get("trace_configs", ())]
    known = {"timeout": timeout, "trust_env": True, **configured, "trace_configs": traces}
    return {"client_kwargs": known}


@cache  # fsspec keeps connections by these options
def _redirects() -> Any:
    import aiohttp

    tracing = aiohttp.TraceConfig()
    tracing.on_request_redirect.append(_require_same_server)
    return tracing


async def _require_same_server(_session: Any, _context: Any, params: Any) -> None:
    """Refuse a redirect to another server that would get the headers which the first one was sent."""
    response = params.response
    target = response.url.join(type(response.url)(response.headers.get("location", "")))
    has_credentials = {name.lower() for name in response.request_info.headers} - _PLAIN_HEADERS
    if has_credentials and response.url.origin() != target.origin():
        raise ConnectionError(
            f"the server redirects to {target.origin()}, which would get your credentials"
        )


def open_remote(url: str) -> io.BufferedReader:
    """The bytes of a file at a URL, from its beginning; they are read as they arrive.

    It is seekable, unless it comes from a web server: there one request gives the whole file, if its
    name is not that of a file that is read in parts.

    Raises:
        UnreadableInput: the file is missing or may not be read, or a driver is not installed.
        MissingExtra: the extra `remote` is not installed.
    """
    system, path = _file_system(url)
    if not _is_web(url):
        return _open(url, partial(system.open, path, "rb"), is_seekable=True)
    if name_in_url(url).lower().endswith(_READ_IN_PARTS):
        file = open_ranges(url)
        if file is not None:
            return file
    # With a size, whichever, no other request precedes the one for the file.
    return _open(url, partial(system.open, path, "rb", block_size=0, size=1), is_seekable=False)


def open_ranges(url: str) -> io.BufferedReader | None:
    """A file at a URL, of which only the parts that are asked for are read; None if that is impossible.

    It is impossible where a web server does not answer range requests.

    Raises:
        UnreadableInput: as for `open_remote`.
        MissingExtra: likewise.
    """
    if not _is_web(url):
        file = open_remote(url)
        return file if file.seekable() else None
    system, path = _file_system(url)
    with _Guard(url):
        file = system.open(path, "rb", block_size=_BLOCK_SIZE)
        if file.size is None or not _answers_ranges(file):
            file.close()
            return None
        return io.BufferedReader(_RemoteFile(file, url, is_seekable=True), _BUFFER_SIZE)


def _answers_ranges(file: Any) -> bool:
    """Read the end of a file on a web server, which most readers of parts need first."""
    try:
        file.seek(max(file.size - _TAIL_SIZE, 1))
        file.read(_TAIL_SIZE)
    except ValueError:  # the server began to send the whole file
        return False
    file.seek(0)
    return True


def remote_size(url: str) -> int | None:
    """The size of a file at a URL, if parts of it can be read; None if it can only be read in order.

    Raises:
        UnreadableInput: as for `open_remote`.
        MissingExtra: likewise.
    """
    file = open_ranges(url)
    if file is None:
        return None
    with file:
        return file.seek(0, io.SEEK_END)


def _is_web(url: str) -> bool:
    return url.partition("://")[0].lower() in _WEB


def _open(url: str, open_file: Callable[[], Any], *, is_seekable: bool) -> io.BufferedReader:
    with _Guard(url):
        return io.BufferedReader(
            _RemoteFile(open_file(), url, is_seekable=is_seekable), _BUFFER_SIZE
        )


class _RemoteFile(io.RawIOBase):
    """An open file of a driver, as a raw stream whose errors name the URL and not its credentials."""

    def __init__(self, file: Any, url: str, *, is_seekable: bool) -> None:
        self._file = file
        self._url = url
        self._is_seekable = is_seekable and file.seekable()
        size = getattr(file, "size", None) if self._is_seekable else None
        self._size = size if isinstance(size, int) else None

    def readable(self) -> bool:
        return True

    def seekable(self) -> bool:
        return self._is_seekable

    def seek(self, offset: int, whence: int = io.SEEK_SET, /) -> int:
        if not self._is_seekable:
            raise io.UnsupportedOperation("seek")
        with _Guard(self._url):
            self._file.seek(offset, whence)
            return int(self._file.tell())

    def readinto(self, buffer: WriteableBuffer, /) -> int:
        target = memoryview(buffer).cast("B")
        with _Guard(self._url):
            data = self._file.read(len(target))
            if not data and self._size is not None and self._file.tell() < self._size:
                raise EOFError("the file is shorter than the server said")
        target[: len(data)] = data
        return len(data)

    def close(self) -> None:
        if not self.closed:
            self._file.close()
        super().close()


_MAGIC = re.compile(r"[*?\[]")


def has_remote_pattern(url: str) -> bool:
    """Whether the path of a URL has `*`, `[` or `?`, which begins the query on the web."""
    rest = name_in_url(url).partition("://")[2]
    return _MAGIC.search(rest.partition("/")[2]) is not None


def matching_urls(pattern: str) -> list[str]:
    """The files that match a pattern, sorted, without hidden ones; a file of that very name is one.

    A web server has to list its folders as pages with links.

    Raises:
        UnreadableInput: as for `open_remote`.
        MissingExtra: likewise.
    """
    system, path = _file_system(pattern)
    start = pattern[: len(pattern) - len(path)] if pattern.endswith(path) else None
    with _Guard(pattern):
        if system.isfile(path):
            return [pattern]
        found = system.glob(path, detail=True)
    fixed = _MAGIC.split(path, maxsplit=1)[0].count("/")  # folders that are written out
    return sorted(
        system.unstrip_protocol(name) if start is None else f"{start}{name}"
        for name, details in found.items()
        if details["type"] == "file" and "/." not in f"/{'/'.join(name.split('/')[fixed:])}"
    )

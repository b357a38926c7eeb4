"""Files at URLs: what is read of them, what is shown of them, and who may ask for them."""

from __future__ import annotations

import gzip
import io
import os
import socket
import sys
from typing import TYPE_CHECKING, Any
from uuid import uuid4

import fsspec
import pyarrow as pa
import pytest
import zstandard
from pyarrow import parquet
from tests.servers.file_server import FileServer, serve_files

import callscore
from callscore.engines.checking import check_files
from callscore.engines.collector import ScoreHooks
from callscore.engines.inputs import input_options_for
from callscore.errors import MissingExtra, UnreadableInput
from callscore.sources.files import open_bytes, open_seekable
from callscore.sources.reader import read_batches
from callscore.sources.record import Record
from callscore.sources.remote import (
    remote_size,
    without_credentials,
)
from callscore.sources.text_document import Lines

if TYPE_CHECKING:
    from collections.abc import Iterator
    from pathlib import Path


CASE = b'{"id": "%d", "expected": [{"name": "f"}], "actual": [{"name": "f"}]}\n'
LOG = b"".join(CASE % number for number in range(1000))
SECRETS = ("anna", "pa55word", "t0ken")


@pytest.fixture
def server(monkeypatch: pytest.MonkeyPatch) -> Iterator[FileServer]:
    monkeypatch.setenv("no_proxy", "127.0.0.1")
    with serve_files({"log.jsonl": LOG}) as running:
        yield running


@pytest.fixture
def bucket() -> Iterator[str]:
    """A folder in memory, with a URL."""
    folder = f"memory://{uuid4().hex}"
    yield folder
    system, path = fsspec.url_to_fs(folder)
    if system.exists(path):
        system.rm(path, recursive=True)


def put(url: str, data: bytes) -> str:
    with fsspec.open(url, "wb") as file:
        file.write(data)
    return url


def read(url: str) -> bytes:
    with open_bytes(url, allow_remote=True) as stream:
        return stream.read()


def refusal(url: str) -> UnreadableInput:
    with pytest.raises(UnreadableInput) as caught:
        read(url)
    return caught.value


def table(rows: int, text: str = "") -> bytes:
    """Cases as Parquet, in groups of ten rows."""
    written = io.BytesIO()
    cases = pa.table(
        {
            "id": [str(number) for number in range(rows)],
            "expected": ['[{"name": "f"}]'] * rows,
            "actual": ['[{"name": "f"}]'] * rows,
            "text": [f"{number}{text}" for number in range(rows)],
        }
    )
    parquet.write_table(cases, written, row_group_size=10, compression="none")
    return written.getvalue()


# --- reading -----------------------------------------------------------------------------------


@pytest.mark.parametrize("pack", [bytes, gzip.compress, zstandard.ZstdCompressor().compress])
@pytest.mark.parametrize("name", ["log.jsonl", "log.jsonl.gz"])
def test_a_file_at_a_url_is_unpacked_by_its_content_whatever_its_name(
    pack: Any, name: str, bucket: str, server: FileServer, tmp_path: Path
) -> None:
    server.files[name] = pack(LOG)
    (tmp_path / name).write_bytes(pack(LOG))

    assert read(put(f"{bucket}/{name}", pack(LOG))) == LOG
    assert read((tmp_path / name).as_uri()) == LOG
    assert read(server.url(name)) == LOG


def test_one_request_reads_a_file_of_lines(server: FileServer) -> None:
    batches = list(read_batches(server.url("log.jsonl"), allow_remote=True))

    assert {type(batch) for batch in batches} == {Lines}
    assert [(request.method, request.sent) for request in server.requests] == [("GET", len(LOG))]


@pytest.mark.parametrize("has_sizes", [True, False])
def test_a_large_file_is_read_from_a_server_without_ranges(
    has_sizes: bool, server: FileServer
) -> None:
    server.has_ranges, server.has_sizes = False, has_sizes
    server.files["log.jsonl"] = LOG * 100  # more than fsspec reads at a time

    assert read(server.url("log.jsonl")) == LOG * 100


def test_only_the_parts_of_a_parquet_file_that_are_used_are_fetched(server: FileServer) -> None:
    data = server.files["cases.parquet"] = table(200, "x" * 100_000)

    rows = read_batches(server.url("cases.parquet"), allow_remote=True)
    first = next(rows)
    fetched = server.sent
    rest = list(rows)

    assert isinstance(first, Record)
    assert first.place == f"{server.url('cases.parquet')}[0]"
    assert len(rest) == 199
    assert len(data) > 20_000_000
    assert fetched < len(data) / 2


def test_a_parquet_file_is_copied_from_a_server_without_ranges(server: FileServer) -> None:
    server.has_ranges = False
    server.files["cases.parquet"] = table(200, "x" * 50_000)

    rows = list(read_batches(server.url("cases.parquet"), allow_remote=True))

    assert len(rows) == 200


def test_scores_are_those_of_the_same_file_on_disk(
    server: FileServer, bucket: str, tmp_path: Path
) -> None:
    file = tmp_path / "log.jsonl"
    file.write_bytes(LOG)
    local = callscore.score_files(file)

    assert callscore.score_files(server.url("log.jsonl")).summary == local.summary
    stored = put(f"{bucket}/log.jsonl", LOG)
    assert callscore.score_files([stored, file]).summary.scored == 2000
    assert callscore.score_joined(stored, server.url("log.jsonl")).summary == local.summary


def test_several_processes_share_a_file_from_a_server(server: FileServer) -> None:
    padding = b'"metadata": "%s", "id"' % (
        b"x" * 5000
    )  # for a smaller file, no processes are started
    server.files["log.jsonl"] = LOG.replace(b'"id"', padding)
    url = server.url("log.jsonl")

    assert callscore.score_files(url, jobs=2).summary == callscore.score_files(url).summary


def test_a_forked_process_opens_files_of_its_own(server: FileServer) -> None:
    url = server.url("log.jsonl")
    read(url)  # starts the thread of the driver

    pid = os.fork()
    if not pid:
        with open_seekable(url) as file:
            os._exit(0 if file.read() == LOG else 1)
    _, status = os.waitpid(pid, 0)

    assert os.waitstatus_to_exitcode(status) == 0


# --- any part ----------------------------------------------------------------------------------


@pytest.mark.parametrize("has_ranges", [True, False])
def test_any_part_of_a_file_can_be_read(
    has_ranges: bool, server: FileServer, bucket: str, tmp_path: Path
) -> None:
    server.has_ranges = has_ranges
    file = tmp_path / "log.jsonl"
    file.write_bytes(LOG)

    for path in (
        server.url("log.jsonl"),
        put(f"{bucket}/log.jsonl", LOG),
        str(file),
        file.as_uri(),
    ):
        with open_seekable(path) as opened:
            assert opened.seek(0, io.SEEK_END) == len(LOG)
            assert opened.seek(40_000) == 40_000
            assert opened.read(500) == LOG[40_000:40_500]
            opened.seek(0)
            assert opened.readline() == CASE % 0


def test_standard_input_can_be_read_in_any_order(monkeypatch: pytest.MonkeyPatch) -> None:
    ours, theirs = os.pipe()
    os.write(theirs, b"abc")
    os.close(theirs)
    with os.fdopen(ours, "rb") as pipe:
        monkeypatch.setattr(sys, "stdin", io.TextIOWrapper(pipe))

        with open_seekable("-") as opened:
            opened.seek(1)
            assert opened.read() == b"bc"
        assert not pipe.closed


# --- errors ------------------------------------------------------------------------------------


def test_a_missing_file_is_refused(server: FileServer, bucket: str, tmp_path: Path) -> None:
    for url in (f"{bucket}/nothing.jsonl", (tmp_path / "nothing.jsonl").as_uri()):
        assert str(refusal(url)) == f"{url}: file not found. Check the URL."
    assert refusal(server.url("nothing.jsonl")).problem == "file not found. Check the URL."
    with pytest.raises(UnreadableInput, match=r"file not found\. Check the URL\."):
        open_seekable(server.url("nothing.jsonl"))


def test_a_folder_is_refused(tmp_path: Path) -> None:
    assert "this is a folder. Pass the files in it" in refusal(tmp_path.as_uri()).problem


@pytest.mark.parametrize(
    ("status", "problem"),
    [
        (401, "permission denied (status 401). Check your credentials for it."),
        (403, "permission denied (status 403). Check your credentials for it."),
        (500, "the server answered with an error (status 500). Try again later, or check the URL."),
    ],
)
@pytest.mark.parametrize("opens", [read, open_seekable, remote_size])
def test_the_status_of_a_server_is_the_reason(
    status: int, problem: str, opens: Any, server: FileServer
) -> None:
    server.statuses["log.jsonl"] = status

    with pytest.raises(UnreadableInput) as caught:
        opens(server.url("log.jsonl"))

    assert (caught.value.place, caught.value.problem) == (server.url("log.jsonl"), problem)


def test_a_server_that_is_not_there_is_the_reason() -> None:
    with socket.create_server(("127.0.0.1", 0)) as free:
        port = free.getsockname()[1]

    error = refusal(f"http://anna:pa55word@127.0.0.1:{port}/log.jsonl?sig=t0ken")

    assert error.place == f"http://***@127.0.0.1:{port}/log.jsonl?***"
    assert error.problem.startswith("reading failed (Cannot connect to host 127.0.0.1")


def test_cases_received_before_a_download_breaks_are_scored(server: FileServer) -> None:
    server.files["log.jsonl"] = LOG * 20
    server.cut_after = len(LOG) * 15

    with pytest.raises(UnreadableInput) as caught:
        callscore.score_files(server.url("log.jsonl"))

    assert caught.value.results is not None
    assert caught.value.results.summary.scored > 1000


def test_a_file_that_becomes_shorter_is_the_reason(server: FileServer) -> None:
    server.files["log.jsonl"] = LOG * 200
    with open_seekable(server.url("log.jsonl")) as file:
        server.files["log.jsonl"] = LOG

        with pytest.raises(UnreadableInput, match="reading failed"):
            file.read()


def test_a_driver_that_is_not_installed_is_named(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(sys.modules, "s3fs", None)

    assert str(refusal("s3://bucket/log.jsonl")) == (
        "s3://bucket/log.jsonl: s3fs is not installed: pip install s3fs."
    )


def test_an_unknown_kind_of_url_is_refused() -> None:
    assert (
        refusal("nothing://x").problem == "unknown kind of URL 'nothing://'. Check its beginning."
    )


def test_a_chain_of_file_systems_is_refused(bucket: str) -> None:
    assert "'::' is not allowed" in refusal(f"{bucket}/x::file:///etc/hostname").problem


def test_without_the_extra_it_is_named(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(sys.modules, "fsspec", None)

    with pytest.raises(MissingExtra, match=r"pip install 'callscore\[remote\]'"):
        read("s3://bucket/log.jsonl")


# --- credentials -------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("path", "shown"),
    [
        ("logs/a.jsonl", "logs/a.jsonl"),
        ("-", "-"),
        ("C:\\logs\\a.jsonl", "C:\\logs\\a.jsonl"),
        ("user@host/a.jsonl", "user@host/a.jsonl"),
        ("s3://bucket/user@host/a?b.jsonl", "s3://bucket/user@host/a?b.jsonl"),
        ("s3://key:secret@bucket/a.jsonl", "s3://***@bucket/a.jsonl"),
        ("https://host:8080/a@b.jsonl", "https://host:8080/a@b.jsonl"),
        ("https://token@host/a.jsonl", "https://***@host/a.jsonl"),
        ("https://u:p@host", "https://***@host"),
        ("https://u:p@ss@host/a", "https://***@host/a"),
        ("https://u:p/a?s#s@host/a", "https://***@host/a"),
        ("HTTPS://u:p@host/a?x=y#z", "HTTPS://***@host/a?***"),
        ("https://host/a.jsonl?X-Signature=1", "https://host/a.jsonl?***"),
    ],
)
def test_credentials_of_urls_are_not_shown(path: str, shown: str) -> None:
    assert without_credentials(path) == shown


def test_a_login_in_a_url_is_sent_and_never_shown(server: FileServer) -> None:
    server.login = "anna:pa55word"
    server.files["empty.jsonl"] = b""
    server.files["bad.jsonl"] = LOG + b"nonsense\n" + LOG
    server.files["answers.json"] = b'[{"expected": [{"name": "f"}], "actual": [{"name": "f"}]}]'
    urls = [
        f"{server.url(name, login='anna:pa55word@')}?sig=t0ken"
        for name in ("log.jsonl", "bad.jsonl", "empty.jsonl", "answers.json")
    ]
    files: list[str] = []
    hooks = ScoreHooks(on_file=files.append)

    results = callscore.score_files(urls, skip_bad=True, hooks=hooks)
    checked = check_files(urls, inputs=input_options_for(), skip_bad=True)
    title = callscore.score_files(urls[-1]).title
    server.login = "somebody:else"
    error = refusal(urls[0])

    assert results.summary.scored == 3001
    assert results.skipped.count == 1
    assert results.empty_files == (f"{server.url('empty.jsonl', login='***@')}?***",)
    assert len(files) == len(urls)
    shown = f"{results!r}{checked!r}{files}{title}{error!r}{error.__cause__!r}"
    assert not [secret for secret in SECRETS if secret in shown]
    assert {request.login for request in server.requests[:4]} == {"Basic YW5uYTpwYTU1d29yZA=="}


@pytest.mark.parametrize("name", ["log.jsonl", "log.parquet"])  # whole, and in parts
def test_a_redirect_to_another_server_gets_no_credentials(server: FileServer, name: str) -> None:
    with serve_files({name: b""}) as other:
        server.moved[name] = other.url(name)
        error = refusal(server.url(name, login="anna:pa55word@"))
        fsspec.config.conf["http"] = {"client_kwargs": {"headers": {"x-token": "t0ken"}}}
        try:
            with_header = refusal(server.url(name))
        finally:
            del fsspec.config.conf["http"]

    assert other.requests == []
    for each in (error, with_header):
        assert (
            f"the server redirects to {other.url('').rstrip('/')}, which would get your credentials"
            in str(each)
        )


def test_a_redirect_of_a_public_file_is_followed(server: FileServer) -> None:
    with serve_files({"log.jsonl": LOG}) as other:
        server.moved["old.jsonl"] = other.url("log.jsonl")

        assert read(server.url("old.jsonl")) == LOG


def test_a_redirect_on_the_same_server_keeps_the_login(server: FileServer) -> None:
    server.login = "anna:pa55word"
    server.moved["old.jsonl"] = "/log.jsonl"

    assert read(server.url("old.jsonl", login="anna:pa55word@")) == LOG


def test_an_error_of_a_driver_is_shown_without_credentials(
    monkeypatch: pytest.MonkeyPatch, bucket: str
) -> None:
    url = f"{bucket.replace('://', '://anna:pa55%2Fword@')}/log.jsonl"

    def fail(*_: object, **__: object) -> None:
        raise RuntimeError(f"cannot open {url}: pa55/word of anna is wrong.\nMore lines.")

    monkeypatch.setattr(type(fsspec.filesystem("memory")), "open", fail)
    error = refusal(url)

    hidden = url.replace("anna:pa55%2Fword", "***")
    assert str(error) == (
        f"{hidden}: reading failed (cannot open {hidden}: *** of *** is wrong)."
        " Check the URL and your credentials."
    )


# --- who may ask -------------------------------------------------------------------------------


def test_a_url_is_not_fetched_unless_this_is_allowed(server: FileServer) -> None:
    url = server.url("log.jsonl", login="anna:pa55word@")
    problem = f"{server.url('log.jsonl', login='***@')}: file not found. Check the path."

    for open_it in (open_bytes, lambda url: list(read_batches(url))):
        with pytest.raises(UnreadableInput) as caught:
            open_it(url)
        assert str(caught.value) == problem
    assert not server.requests


def test_files_at_urls_are_not_compared(server: FileServer, tmp_path: Path) -> None:
    file = tmp_path / "log.jsonl"
    file.write_bytes(LOG)
    url = server.url("log.jsonl", login="anna:pa55word@")

    for sides, expected in (((url, file), None), ((file, url), None), ((file, file), url)):
        with pytest.raises(UnreadableInput, match="files at URLs are not compared") as caught:
            callscore.compare(*sides, expected=expected)
        assert caught.value.place == server.url("log.jsonl", login="***@")
    assert not server.requests

"""Patterns of paths, on disk and at URLs."""

from __future__ import annotations

import os
from pathlib import Path
from typing import TYPE_CHECKING

import fsspec
import pytest
from tests.servers.file_server import FileServer, serve_files

from callscore.errors import UnreadableInput
from callscore.sources.paths import display_paths, expand_paths, files_in_folder

if TYPE_CHECKING:
    from collections.abc import Iterator

FILES = ["a.jsonl", "b.jsonl", "deep/er/c.jsonl", "deep/d.csv", ".hidden.jsonl", ".git/e.jsonl"]


@pytest.fixture
def logs(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    for name in FILES:
        file = tmp_path / "logs" / name
        file.parent.mkdir(parents=True, exist_ok=True)
        file.touch()
    (tmp_path / "logs" / "folder.jsonl").mkdir()
    monkeypatch.chdir(tmp_path)
    return tmp_path / "logs"


@pytest.fixture
def server(monkeypatch: pytest.MonkeyPatch) -> Iterator[FileServer]:
    monkeypatch.setenv("no_proxy", "127.0.0.1")
    page = '<a href="b.jsonl">b</a> <a href="a.jsonl">a</a> <a href="c.csv">c</a>'
    with serve_files(
        {"logs/": page.encode(), "logs/a.jsonl": b"a", "logs/b.jsonl": b"b"}
    ) as server:
        yield server


@pytest.mark.usefixtures("logs")
@pytest.mark.parametrize(
    ("pattern", "files"),
    [
        ("logs/*.jsonl", ["logs/a.jsonl", "logs/b.jsonl"]),
        ("logs/?.jsonl", ["logs/a.jsonl", "logs/b.jsonl"]),
        ("logs/[bc].jsonl", ["logs/b.jsonl"]),
        ("logs/**/*.jsonl", ["logs/a.jsonl", "logs/b.jsonl", "logs/deep/er/c.jsonl"]),
        (
            "logs/**",
            [f"logs/{name}" for name in ("a.jsonl", "b.jsonl", "deep/d.csv", "deep/er/c.jsonl")],
        ),
        ("l*/*/*.csv", ["logs/deep/d.csv"]),
        ("logs/.*.jsonl", ["logs/.hidden.jsonl"]),
    ],
)
def test_a_pattern_is_replaced_by_the_files_that_match(pattern: str, files: list[str]) -> None:
    assert expand_paths([pattern]) == files


def test_a_file_of_the_very_name_is_that_file(logs: Path) -> None:
    (logs / "[ab].jsonl").touch()

    assert expand_paths(["logs/[ab].jsonl"]) == ["logs/[ab].jsonl"]


@pytest.mark.usefixtures("logs")
def test_a_file_that_several_paths_name_is_used_once() -> None:
    paths = ["logs/[ab].jsonl", "logs/*.jsonl", "logs/../logs/?.jsonl", "-"]

    assert expand_paths(paths) == ["logs/a.jsonl", "logs/b.jsonl", "-"]
    assert expand_paths(["logs/*.jsonl", "logs/a.jsonl"]) == ["logs/b.jsonl", "logs/a.jsonl"]


def test_a_named_pipe_and_a_broken_symlink_do_not_match_a_pattern(logs: Path) -> None:
    os.mkfifo(logs / "c.jsonl")
    (logs / "d.jsonl").symlink_to(logs / "nothing")
    (logs / "e.jsonl").symlink_to(logs / "a.jsonl")

    assert expand_paths(["logs/*.jsonl"]) == ["logs/a.jsonl", "logs/b.jsonl"]


@pytest.mark.usefixtures("logs")
@pytest.mark.parametrize(
    "pattern", ["logs/*.yaml", "logs/*\0", f"{'x' * 5000}*", "folder*/*", "*\ud800", "logs\0/*"]
)
def test_a_pattern_without_a_match_is_refused(pattern: str) -> None:
    with pytest.raises(UnreadableInput) as caught:
        expand_paths(["logs/a.jsonl", pattern])

    assert caught.value.place == pattern
    assert caught.value.problem.startswith("no file matches this pattern. Check the path. Put the")


def test_patterns_of_urls_match_files_in_a_store() -> None:
    system = fsspec.filesystem("memory")
    for name in FILES:
        system.pipe_file(f"/test-paths/logs/{name}", b"")

    found = expand_paths(
        ["memory://test-paths/logs/**/*.jsonl", "memory://test-paths/logs/?.jsonl"]
    )
    system.rm("/test-paths", recursive=True)

    names = ["a.jsonl", "b.jsonl", "deep/er/c.jsonl"]
    assert found == [f"memory://test-paths/logs/{name}" for name in names]


def test_patterns_match_the_links_of_a_page(server: FileServer) -> None:
    names = ["logs/a.jsonl", "logs/b.jsonl"]

    assert expand_paths([server.url("logs/*.jsonl")]) == [server.url(name) for name in names]


def test_credentials_in_a_pattern_are_not_shown(server: FileServer) -> None:
    server.login = "anna:pa55word"

    with pytest.raises(UnreadableInput) as caught:
        expand_paths([server.url("logs/*.yaml", login="anna:pa55word@")])

    assert caught.value.place == server.url("logs/*.yaml", login="***@")
    assert display_paths(["-", "a", "s3://k:s@b"]) == "-, a, s3://***@b"


@pytest.mark.usefixtures("logs")
def test_a_folder_is_replaced_by_its_data_files() -> None:
    names = ("a.jsonl", "b.jsonl", "deep/d.csv", "deep/er/c.jsonl")
    found = [str(Path("logs") / name) for name in names]

    assert expand_paths(["logs"]) == found
    assert expand_paths(["logs/a.jsonl", "logs/"]) == [found[0], *found[1:]]
    assert files_in_folder("logs/a.jsonl") == ["logs/a.jsonl"]
    assert files_in_folder("-") == ["-"]
    assert files_in_folder("no\0file") == ["no\0file"]

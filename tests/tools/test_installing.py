"""The interpreters that archives are installed into: those that run, and are what their names say."""

from __future__ import annotations

from typing import TYPE_CHECKING

from tools.distribution import __main__ as command
from tools.distribution.building import Built, DistError
from tools.distribution.installing import _extras, find_pythons

if TYPE_CHECKING:
    from pathlib import Path

    import pytest


def _python(path: Path, version: str, exit_code: int = 0) -> Path:
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text(f"#!/bin/sh\necho {version}\nexit {exit_code}\n")
    path.chmod(0o755)
    return path


def test_interpreters_are_found_on_the_path_and_under_pyenv(tmp_path: Path) -> None:
    one = _python(tmp_path / "bin/python3.11", "3.11")
    other = _python(tmp_path / "pyenv/versions/3.12.1/bin/python3.12", "3.12")

    found = find_pythons(str(tmp_path / "bin"), tmp_path / "pyenv", ("3.11", "3.12", "3.13"))

    assert found == {"3.11": one, "3.12": other, "3.13": None}


def test_a_failed_build_is_printed_and_exits_with_1(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    def fail(_: Path) -> Built:
        raise DistError("callscore.whl differs between two builds")

    monkeypatch.setattr(command, "build_twice", fail)

    assert command.main(["--out", str(tmp_path)]) == 1
    assert capsys.readouterr().err == "callscore.whl differs between two builds\n"


def test_a_version_that_is_missing_is_said(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    files = [tmp_path / "a.whl", tmp_path / "a.tar.gz"]
    for path in files:
        path.write_bytes(b"x")
    monkeypatch.setattr(command, "build_twice", lambda _: Built(*files))
    monkeypatch.setattr(command, "find_pythons", lambda *_: {"3.14": None})

    code = command.main(["--out", str(tmp_path / "out")])

    assert code == 1  # nothing was checked
    assert "Python 3.14: not found here, not checked" in capsys.readouterr().out


def test_the_extras_of_a_wheel_are_read_from_its_metadata(tmp_path: Path) -> None:
    import zipfile

    with zipfile.ZipFile(tmp_path / "a.whl", "w") as archive:
        archive.writestr("a.dist-info/METADATA", "Name: a\nProvides-Extra: web\n\nText\n")

    assert _extras(tmp_path / "a.whl") == ["web"]

"""A project with a few runs, and a browser that asks the page about them without a network."""

from __future__ import annotations

import sys
from typing import TYPE_CHECKING, Any, Protocol

import pytest
from starlette.testclient import TestClient

import callscore
from callscore.evaluations.discovery import forget_modules
from callscore.web.access import TOKEN_HEADER
from callscore.web.app import Page

if TYPE_CHECKING:
    from collections.abc import Iterator
    from pathlib import Path

__all__ = ["EVALUATION", "PORT", "TOKEN", "Browser", "Runs"]

PORT = 8765
TOKEN = "the-token-of-these-tests"  # noqa: S105  (it opens nothing)
EVALUATION = '''"""Weather, wrong where the environment says so."""

import os

import callscore
from callscore import Case


@callscore.evaluation(
    cases=[
        Case("Weather in Oslo?", id="oslo", expected=[{"name": "get_weather", "arguments": {"city": "Oslo", "unit": "C"}}]),
        Case("Weather in Rome?", id="rome", expected=[{"name": "get_weather", "arguments": {"city": "Rome", "unit": "C"}}]),
        Case("Weather in Paris?", id="paris", expected=[{"name": "get_weather", "arguments": {"city": "Paris", "unit": "C"}}]),
    ]
)
def weather(case):
    city = case.input.split()[-1].rstrip("?")
    unit = "F" if case.id in os.environ.get("WRONG", "").split() else "C"
    return [{"name": "get_weather", "arguments": {"city": city, "unit": unit}}]
'''


@pytest.fixture
def project(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[Path]:
    """The folder of a project, which is the working directory."""
    monkeypatch.chdir(tmp_path)
    monkeypatch.setattr(sys, "path", [*sys.path])
    (tmp_path / "eval_weather.py").write_text(EVALUATION)
    yield tmp_path
    forget_modules([tmp_path])


class Runs(Protocol):
    def __call__(self, *wrong: str, **options: Any) -> str: ...


@pytest.fixture
def runs(project: Path, monkeypatch: pytest.MonkeyPatch) -> Runs:
    """Runs the evaluation, in which some cases are wrong; returns the id of the run."""

    def run(*wrong: str, **options: Any) -> str:
        monkeypatch.setenv("WRONG", " ".join(wrong))
        forget_modules([project])
        found = callscore.evaluate("eval_weather.py", **{"save": True, **options})
        assert found.unloaded == ()
        return found.id

    return run


class Browser:
    """Asks as the script of the page does."""

    def __init__(self, client: TestClient) -> None:
        self.client = client

    def get(self, path: str, status: int = 200, **query: Any) -> Any:
        """The JSON of an answer."""
        response = self.client.get(path, params=query or None)
        assert response.status_code == status, response.text
        return response.json()

    def post(self, path: str, status: int = 200, /, **body: Any) -> Any:
        """The JSON of the answer to a request that changes something."""
        response = self.client.post(path, json=body, headers={TOKEN_HEADER: TOKEN})
        assert response.status_code == status, response.text
        return response.json()

    def key(self) -> str:
        """The key of the only evaluation."""
        [found] = self.get("/api/home")["evaluations"]
        key: str = found["key"]
        return key


@pytest.fixture
def page(project: Path) -> Iterator[Page]:
    """The page of the project's history."""
    del project
    made = Page(project="demo", token=TOKEN)
    yield made
    made.close()


@pytest.fixture
def browser(page: Page) -> Browser:
    client = TestClient(page.app(PORT), base_url=f"http://127.0.0.1:{PORT}")
    return Browser(client)

"""`callscore view`, and `callscore run --view`: the page as a user starts and ends it."""

from __future__ import annotations

import re
import signal
from typing import TYPE_CHECKING, Any
from urllib.request import Request, urlopen

import msgspec
import pytest
from tests.e2e.processes import started, wait_until

if TYPE_CHECKING:
    from pathlib import Path

    from tests.e2e.conftest import Program

WAIT = 300
HANGING = """
from pathlib import Path
from time import sleep

import callscore
from callscore import Case

CASES = [Case(name, id=name, expected=[{"name": "say", "arguments": {"word": name}}]) for name in ("a", "b", "c")]


@callscore.evaluation(cases=CASES)
def words(case):
    while case.id == "b" and not Path("go-on").exists():
        sleep(0.01)
    return [{"name": "say", "arguments": {"word": case.id}}]
"""


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    (tmp_path / "eval_words.py").write_text(HANGING)
    return tmp_path


def address_of(folder: Path) -> str:
    """The address that the program has printed."""
    found: list[str] = []

    def is_printed() -> bool:
        found[:] = re.findall(r"http://127\.0\.0\.1:\d+/", (folder / "stderr").read_text())
        return bool(found)

    wait_until(is_printed, "the address of the page is printed")
    return found[0]


def opened(asked: str | Request) -> Any:
    return urlopen(asked, timeout=WAIT)  # noqa: S310  (it is on this machine)


def get(address: str) -> Any:
    with opened(address) as answer:
        return msgspec.json.decode(answer.read())


def post(home: str, path: str) -> Any:
    with opened(home) as answer:
        token = re.search(rb'"token":"([^"]+)"', answer.read())
    assert token is not None
    headers = {"Content-Type": "application/json", "X-Callscore-Token": token[1].decode()}
    request = Request(home + path, b"{}", headers)  # noqa: S310  (likewise)
    with opened(request) as answer:
        return msgspec.json.decode(answer.read())


def is_served(address: str) -> bool:
    try:
        with opened(address):
            return True
    except OSError:  # URLError is one, and so is what a server that ends answers
        return False


@pytest.mark.parametrize("how", [signal.SIGINT, signal.SIGHUP])
def test_the_page_is_served_until_it_is_stopped(
    callscore: Program, folder: Path, how: signal.Signals
) -> None:
    (folder / "go-on").touch()
    callscore("run", "-q")

    with started(folder, "view", "latest", "--port", "0", "--lang", "ru") as process:
        home = address_of(folder)
        runs = get(f"{home}api/home")["runs"]
        process.send_signal(how)
        code = process.wait()

    printed = (folder / "stderr").read_text()
    assert code == 0
    assert printed == (
        f"callscore: страница открыта по адресу {home}runs/{runs[0]['id']} (Ctrl-C — остановить)\n"
    )
    assert (folder / "stdout").read_text() == ""
    assert not is_served(home)


def test_a_page_without_a_history_is_empty(folder: Path) -> None:
    with started(folder, "view", "--port", "0") as process:
        home = address_of(folder)
        found = get(f"{home}api/home")
        process.send_signal(signal.SIGINT)
        process.wait()

    assert found["runs"] == []
    assert not (folder / ".callscore").exists()


def test_a_port_of_others_is_an_error(callscore: Program, folder: Path) -> None:
    with started(folder, "view", "--port", "0"):
        port = address_of(folder).rstrip("/").rpartition(":")[2]

        refused = callscore("view", "--port", port)

    assert refused.returncode == 2
    assert f"cannot listen on 127.0.0.1, port {port}" in refused.stderr


def test_a_run_of_another_process_is_followed_and_stopped(
    callscore: Program, folder: Path, tmp_path_factory: pytest.TempPathFactory
) -> None:
    viewing = tmp_path_factory.mktemp("viewing")
    store = str(folder / ".callscore/history.db")
    with (
        started(folder, "run", "--jobs", "1") as run,
        started(viewing, "view", "--port", "0", "--store", store),
    ):
        home = address_of(viewing)
        wait_until(
            lambda: [each["done"] for each in get(f"{home}api/home")["running"]] == [1],
            "one result is saved",
        )
        [running] = get(f"{home}api/home")["running"]
        with opened(f"{home}api/events?run={running['run']}") as events:
            first = events.readline() + events.readline()
            post(home, f"api/runs/{running['run']}/cancel")
            rest = events.read()
        code = run.wait()
    (folder / "go-on").touch()
    resumed = callscore("run", "--resume", "-q")

    assert first.startswith(b"event: progress\ndata: ")
    last = msgspec.json.decode(rest.split(b"data: ")[-1])
    assert (last["status"], last["is_finished"], last["is_cancelled"]) == (
        "interrupted",
        True,
        True,
    )
    assert (last["done"], last["total"]) == (1, 3)
    assert code == 130
    assert (
        "interrupted; finished results are saved. To continue: callscore run"
        in (folder / "stderr").read_text()
    )
    assert resumed.returncode == 0


def test_a_run_is_shown_beside_its_page_which_stays(folder: Path) -> None:
    with started(folder, "run", "--view", "--jobs", "1") as process:
        home = address_of(folder)
        wait_until(lambda: get(f"{home}api/home")["running"], "the run is in progress")
        (folder / "go-on").touch()
        wait_until(
            lambda: "the page stays at" in (folder / "stderr").read_text(), "the run has ended"
        )
        [run] = get(f"{home}api/home")["runs"]
        process.send_signal(signal.SIGINT)
        code = process.wait()

    assert (run["status"], run["evaluations"][0]["passed"]) == ("finished", 3)
    assert code == 0
    assert f"run {run['id']}" in (folder / "stdout").read_text()
    wait_until(lambda: not is_served(home), "the page has ended")


def test_a_run_that_fails_has_its_exit_code_when_its_page_ends(folder: Path) -> None:
    (folder / "go-on").touch()
    wrong = HANGING.replace('"word": case.id', '"word": "wrong"')
    (folder / "eval_words.py").write_text(wrong)

    with started(folder, "run", "--view", "-q") as process:
        wait_until(
            lambda: "the page stays at" in (folder / "stderr").read_text(), "the run has ended"
        )
        process.send_signal(signal.SIGTERM)
        code = process.wait()

    assert code == 1
    assert "3 cases failed" in (folder / "stderr").read_text()


def test_ctrl_c_during_a_run_ends_its_page_too(folder: Path) -> None:
    with started(folder, "run", "--view", "--jobs", "1") as process:
        home = address_of(folder)
        wait_until(lambda: get(f"{home}api/home")["running"], "the run is in progress")
        process.send_signal(signal.SIGINT)
        code = process.wait()

    assert code == 130
    wait_until(lambda: not is_served(home), "the page has ended")


def test_a_run_that_is_stopped_from_its_page_leaves_the_page(folder: Path) -> None:
    with started(folder, "run", "--view", "--jobs", "1") as process:
        home = address_of(folder)
        wait_until(lambda: get(f"{home}api/home")["running"], "the run is in progress")
        [running] = get(f"{home}api/home")["running"]
        post(home, f"api/runs/{running['run']}/cancel")
        wait_until(
            lambda: "the page stays at" in (folder / "stderr").read_text(), "the run has ended"
        )
        status = get(f"{home}api/home")["runs"][0]["status"]
        process.send_signal(signal.SIGINT)
        code = process.wait()

    assert (status, code) == ("interrupted", 130)


def test_an_agent_that_ends_the_process_ends_the_page(folder: Path) -> None:
    ending = HANGING.replace(
        "sleep(0.01)", "sleep(0.01)\n    if case.id == 'c': __import__('os')._exit(0)"
    )
    (folder / "eval_words.py").write_text(ending)

    with started(folder, "run", "--view", "--jobs", "1") as process:
        home = address_of(folder)
        (folder / "go-on").touch()
        code = process.wait()

    assert code == 5
    assert "2 of 3 results are saved" in (folder / "stderr").read_text()
    wait_until(lambda: not is_served(home), "the page has ended")

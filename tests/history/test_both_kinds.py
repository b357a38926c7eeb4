"""What a history promises, in a file and on a PostgreSQL server alike.

What commands do with one is in `tests/tables/history.jsonl`; here is what no table can say: threads,
processes that write at once or are killed, what is cleared away while others write.
"""

from __future__ import annotations

import os
import random
import signal
import subprocess
import sys
import threading
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from time import sleep, time
from typing import TYPE_CHECKING, Any

import msgspec
import pytest
from tests.e2e.processes import wait_until
from tests.history.made_up import a_result, a_run, an_answer, an_evaluation
from tests.servers.postgres_server import new_database
from tests.tables.commands import Folder, stable_environment, value_at
from tests.tables.rows import rows

from callscore.errors import InvalidSettings, UnknownRun, UnusableStore
from callscore.history import cleanup
from callscore.history.cleanup import remove_old_runs
from callscore.history.database import execute
from callscore.history.notes import MAX_NOTE_LENGTH, add_note, delete_note, notes_on
from callscore.history.opening import open_store
from callscore.history.run_results import light_results
from callscore.history.store import Store

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

    from tests.servers.postgres_server import PostgresServer

    from callscore.history.records import RunStatus

ROOT = Path(__file__).parents[2]
RUN = a_run().id
CASE = ("evals/eval_a.py::assistant", "oslo")
SECRET = "wq8Zt2LkPx91Vb"  # noqa: S105  (that of a test)


@pytest.fixture(params=["sqlite", "postgresql"])
def place(request: pytest.FixtureRequest) -> Path | str:
    """Where a history may be made: a file, or the address of a database."""
    wanted: Path | str = request.getfixturevalue(
        "path" if request.param == "sqlite" else "postgres_url"
    )
    return wanted


def test_commands_do_with_a_server_what_they_do_with_a_file(
    postgres_server: PostgresServer, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    stable_environment(monkeypatch, tmp_path)
    of_files = ("--store", ".callscore", "CALLSCORE_STORE")
    table = [row for row in rows("history") if not any(word in str(row.data) for word in of_files)]
    assert len(table) > 15
    different: list[str] = []
    for row in table:
        with new_database(postgres_server) as url, monkeypatch.context() as patch:
            with_file = _outcomes(row.data, tmp_path / f"{Path(row.location).name}-file", patch)
            patch.setenv("CALLSCORE_STORE", url)
            with_server = _outcomes(row.data, tmp_path / f"{Path(row.location).name}-server", patch)
        different += [
            f"{Path(row.location).name} ({row.reason}): in a file {first}, on a server {second}"
            for first, second in zip(with_file, with_server, strict=True)
            if first != second
        ]
    assert different == []


def _outcomes(row: dict[str, Any], path: Path, patch: pytest.MonkeyPatch) -> list[Any]:
    """What the commands of a row do, in a folder of its own, as far as the row says anything of it."""
    path.mkdir()
    patch.chdir(path)
    for name, value in row.get("env", {}).items():
        patch.setenv(name, value)
    folder = Folder(path)
    folder.write(row.get("files", {}))
    outcomes: list[Any] = []
    for step in row.get("steps", [row]):
        command: dict[str, Any] = {"run": step} if isinstance(step, str) else step
        folder.write(command.get("files", {}))
        if "run" not in command:
            continue
        code, out, err = folder.run(command["run"], command.get("stdin", ""))
        values = {
            name: value_at(msgspec.json.decode(out), name.split("."))
            for name in command.get("json", {})
        }
        written = [name for name in command.get("writes", {}) if (path / name).exists()]
        outcomes.append((command["run"], code, err, values, written, "out" in command and out))
    return outcomes


# --- what is saved is there ---------------------------------------------------------------------


def test_a_reopened_history_has_everything_that_was_saved(place: Path | str) -> None:
    nasty = "'; DROP TABLE runs; --\x1b[2J\x00 \ud800 погода"
    result = a_result(RUN, "nasty", payload={"input": nasty}, answer=[nasty, 10**40, 0.1])
    with open_store(place) as store:
        store.begin(a_run())
        store.add_evaluation(an_evaluation(RUN))
        store.save_results([a_result(RUN), an_answer(RUN), result])

    with open_store(place) as again:
        first, second = again.results(RUN)
        assert first == a_result(RUN)
        assert second.answer == [nasty.replace("\ud800", "\\ud800"), 10**40, 0.1]
        assert again.evaluations(RUN) == [an_evaluation(RUN)]
        assert again.answer_of_run(RUN, "00ff", 1) == an_answer(RUN)


def test_a_batch_with_an_invalid_result_is_not_saved_at_all(store: Store) -> None:
    store.begin(a_run())

    with pytest.raises(UnusableStore):
        store.save_results([an_answer(RUN), a_result(RUN, status=None)])

    assert store.answer("00ff", "", 1) is None


def test_a_run_whose_id_another_process_has_taken_gets_another(store: Store) -> None:
    store.begin(a_run(started_at=1.0))

    begun = store.begin(a_run(started_at=2.0))

    assert begun.id != RUN
    assert {run.id for run in store.runs()} == {RUN, begun.id}


def test_many_threads_share_a_store(store: Store) -> None:
    store.begin(a_run())

    def write(number: int) -> None:
        store.save_results([a_result(RUN, f"case-{number}")])
        store.save_judgement(f"{number}", "gpt-4.1-mini", number)

    with ThreadPoolExecutor(8) as threads:
        list(threads.map(write, range(100)))

    assert len(list(store.results(RUN))) == 100
    assert [store.judgement(f"{number}") for number in range(100)] == list(range(100))


# --- what is cleared away -----------------------------------------------------------------------


def test_an_answer_that_a_newer_run_has_reused_stays(store: Store) -> None:
    for number, name in enumerate(("20261115-000000-aaaa", "20261116-000000-aaaa")):
        store.begin(a_run(name, started_at=float(number)))
        store.save_results([an_answer(name, "0001"), an_answer(name, f"000{number + 2}")])
        store.finish(name, "finished", {}, {})
    store.begin(a_run("20261117-000000-bbbb"))
    store.save_results([a_result("20261117-000000-bbbb", question="0001", is_reused=True)])
    store.finish("20261117-000000-bbbb", "finished", {}, {})
    store.save_judgement("key", "model", {"same": True})

    foreseen = remove_old_runs(store, 1, is_dry=True)
    cleared = remove_old_runs(store, 1, is_dry=False)

    assert foreseen == cleared
    assert len(cleared.runs) == 2
    kept = store.answer("0001", "", 1)
    assert kept is not None
    assert (kept.answer, kept.run) == (an_answer(question="0001").answer, "")
    assert store.answer("0002", "", 1) is None
    assert store.judgement("key") == {"same": True}


def test_somebody_who_writes_while_others_clear_away_loses_nothing(store: Store) -> None:
    for number in range(5):
        name = f"2026111{number}-000000-aaaa"
        store.begin(a_run(name, started_at=float(number)))
        store.save_results([a_result(name, answer={"content": f"answer {number}"})])
        store.finish(name, "finished", {}, {})
    writing = store.begin(a_run("20261120-000000-dddd", started_at=time())).id

    def write() -> None:
        for number in range(60):
            shared = {"content": f"answer {number % 5}"}  # texts that are being cleared away
            store.save_results([a_result(writing, f"case-{number}", answer=shared, calls=None)])

    thread = threading.Thread(target=write)
    thread.start()
    while thread.is_alive():
        remove_old_runs(store, 1, is_dry=False)
    thread.join()

    kept = list(store.results(writing))
    assert len(kept) == 60
    assert all(record.answer is not None for record in kept)


@pytest.mark.parametrize("status", ["interrupted", "running"])
def test_a_run_that_a_process_has_locked_is_kept(store: Store, status: RunStatus) -> None:
    run = store.begin(a_run(status=status, started_at=1.0))
    with store.lock(run.id):
        assert remove_old_runs(store, 0, is_dry=True).runs == ()
        assert remove_old_runs(store, 0, is_dry=False).runs == ()

    assert remove_old_runs(store, 0, is_dry=False).runs == (run,)
    assert _is_free(store, run.id)


def test_an_interrupted_run_cannot_be_locked_while_it_is_removed(
    store: Store, monkeypatch: pytest.MonkeyPatch
) -> None:
    run = store.begin(a_run(status="interrupted"))
    delete, found = cleanup._delete, []

    def deleting(*given: Any) -> None:
        delete(*given)
        found.append(_is_free(store, run.id))

    monkeypatch.setattr(cleanup, "_delete", deleting)

    assert remove_old_runs(store, 0, is_dry=False).runs == (run,)
    assert found == [False]


def test_a_run_that_becomes_a_baseline_before_it_is_removed_stays(
    store: Store, monkeypatch: pytest.MonkeyPatch
) -> None:
    run = store.begin(a_run(status="finished"))
    sizes = cleanup._sizes

    def sizing(*given: Any) -> Any:
        store.set_baseline("main", run.id)
        return sizes(*given)

    monkeypatch.setattr(cleanup, "_sizes", sizing)

    assert remove_old_runs(store, 0, is_dry=False).runs == ()
    assert store.runs() == [run]


# --- notes --------------------------------------------------------------------------------------


@pytest.mark.parametrize("is_added_again", [False, True])
@pytest.mark.parametrize("read", [Store.results, light_results])
def test_a_run_that_is_removed_while_it_is_read_is_neither_cut_short_nor_another(
    store: Store,
    read: Callable[[Store, str], Iterator[Any]],
    is_added_again: bool,
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setattr("callscore.history.run_results._WHOLE_PAGE", 1)
    monkeypatch.setattr("callscore.history.run_results._PAGE", 1)
    _save_run(store, RUN, "abc")
    reading = read(store, RUN)
    next(reading)

    remove_old_runs(store, 0, is_dry=False)
    _save_run(store, RUN if is_added_again else "20261116-184354-k3f9", "xyz")

    with pytest.raises(UnknownRun, match=f"the run {RUN} no longer exists"):
        list(reading)


def _save_run(store: Store, run: str, cases: str) -> None:
    store.begin(a_run(run))
    store.add_evaluation(an_evaluation(run))
    store.save_results([a_result(run, case) for case in cases])
    store.finish(run, "finished", {}, {})


@pytest.mark.parametrize("length", [10, 5_000])
def test_a_damaged_payload_is_replaced_when_it_is_saved_again(store: Store, length: int) -> None:
    result = a_result(RUN, answer="a" * length)
    store.begin(a_run())
    store.save_results([result])
    with store.writing() as connection:
        assert execute(connection, "UPDATE payloads SET body = ?", [b"{}"]) > 0

    store.save_results([result])

    assert [each.answer for each in store.results(RUN)] == [result.answer]


def test_notes_are_those_of_a_case_in_order_until_they_are_deleted(store: Store) -> None:
    first = add_note(store, *CASE, "  The date is wrong.\n")
    second = add_note(store, *CASE, "Asked Anna: «да» 👍 \x00 \udcff")
    add_note(store, CASE[0], "rome", "another case")
    add_note(store, "evals/eval_b.py::assistant", "oslo", "another evaluation")

    assert notes_on(store, *CASE) == [first, second]
    assert first.text == "The date is wrong."
    assert second.text == "Asked Anna: «да» 👍 \\u0000 \\udcff"

    delete_note(store, CASE[0], "rome", second.id)
    delete_note(store, *CASE, first.id)
    assert notes_on(store, *CASE) == [second]


@pytest.mark.parametrize("text", ["", " \n", "x" * (MAX_NOTE_LENGTH + 1)])
def test_a_note_is_neither_empty_nor_endless(store: Store, text: str) -> None:
    with pytest.raises(InvalidSettings, match="1 to 10,000 characters"):
        add_note(store, *CASE, text)


def test_a_secret_in_a_note_is_not_saved(store: Store, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("SERVICE_TOKEN", SECRET)
    add_note(store, CASE[0], f"case {SECRET}", f"It has sent {SECRET}.")

    [note] = notes_on(store, CASE[0], f"case {SECRET}")

    assert SECRET not in note.text
    assert note.text.startswith("It has sent [hidden ")


# --- processes ----------------------------------------------------------------------------------


def _start(place: Path | str, run: str, count: int) -> subprocess.Popen[str]:
    return _python("-m", "tests.history.made_up", place, run, str(count))


def _python(*arguments: Path | str) -> subprocess.Popen[str]:
    return subprocess.Popen(
        [sys.executable, *arguments],
        cwd=ROOT,
        env=os.environ | {"PYTHONPATH": f"{ROOT / 'src'}{os.pathsep}{ROOT}"},
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        encoding="utf-8",
    )


@pytest.mark.slow
def test_processes_write_at_once_and_no_row_is_lost(place: Path | str) -> None:
    count = 4
    running = [_start(place, RUN, 200) for _ in range(count)]  # all of them want the same id, too
    said = [process.communicate()[1] for process in running]

    assert [process.returncode for process in running] == [0] * count, said
    with open_store(place) as store:
        runs = store.runs()
        assert len({run.id for run in runs}) == count
        for run in runs:
            cases = [result.case for result in store.results(run.id)]
            assert cases == [f"case-{number}" for number in range(200)]
            for number in range(200):
                kept = store.answer_of_run(run.id, f"{number:08x}", 1)
                assert kept == an_answer(run.id, f"{number:08x}")


def _kill_while_it_writes(process: subprocess.Popen[str], chance: random.Random) -> list[str]:
    """The questions whose answers it had reported kept."""
    said = process.stdout
    assert said is not None
    lines = [said.readline() for _ in range(chance.randrange(1, 300))]
    sleep(chance.random() / 100)  # somewhere in a transaction
    process.send_signal(signal.SIGKILL)
    lines += said.readlines()
    process.wait()
    return [line.strip() for line in lines if line.endswith("\n")]


@pytest.mark.parametrize("seed", range(2))
def test_answers_reported_as_saved_survive_the_killing_of_their_process(
    place: Path | str, seed: int
) -> None:
    process = _start(place, RUN, 1_000_000)
    other = _start(place, "other", 300)
    reported = _kill_while_it_writes(process, random.Random(seed))
    process.communicate()
    errors = other.communicate()[1]

    assert process.returncode == -signal.SIGKILL
    assert (other.returncode, errors) == (0, "")  # a process that is killed stops no other
    assert reported
    with open_store(place) as store:
        assert store.find(RUN).status == "running"
        lost = [one for one in reported if store.answer_of_run(RUN, one, 1) != an_answer(RUN, one)]
        assert lost == []
        results = [result.case for result in store.results(RUN)]
        assert results == [f"case-{number}" for number in range(len(results))]
        assert len(list(store.results("other"))) == 300


HOLDING = """
import os, sys
from callscore.history.opening import open_store
with open_store(sys.argv[1]) as store, store.lock("r"):
    if sys.argv[2] == "copied" and os.fork():
        os._exit(1)
    if sys.argv[2] == "outlived":
        if os.fork() == 0:
            sys.exit(0)  # as somebody's own code may: all that is open is closed on the way
        os.wait()
        store.runs()
    print("held", flush=True)
    sys.stdin.read()
    os._exit(1)
"""


def _is_free(store: Store, run: str = "r") -> bool:
    lock = store.lock(run)
    try:
        return lock.take()
    finally:
        lock.release()


def _is_free_soon(store: Store) -> bool:
    """A server notices that a process is gone when it looks at its connection next."""
    wait_until(lambda: _is_free(store), "the lock of a process that is gone")
    return True


def test_a_run_belongs_to_one_process_until_that_ends(place: Path | str) -> None:
    with open_store(place) as store, _python("-c", HOLDING, place, "alone") as process:
        assert process.stdout is not None
        assert process.stdout.readline() == "held\n"

        assert (_is_free(store), _is_free(store, "other")) == (False, True)
        process.kill()
        process.wait()
        assert _is_free_soon(store)


def test_the_copy_of_a_process_does_not_hold_its_run(place: Path | str) -> None:
    with open_store(place) as store, _python("-c", HOLDING, place, "copied") as process:
        assert process.stdout is not None
        assert process.stdout.readline() == "held\n"
        process.wait()  # the copy goes on

        assert _is_free_soon(store)


def test_the_end_of_a_copy_ends_no_connection_to_a_server(postgres_url: str) -> None:
    with (
        open_store(postgres_url) as store,
        _python("-c", HOLDING, postgres_url, "outlived") as process,
    ):
        assert process.stdout is not None
        assert process.stdout.readline() == "held\n"

        assert not _is_free(store)
        process.kill()

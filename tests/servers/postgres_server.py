"""A real PostgreSQL server on loopback, for as long as a test session lasts, and databases in it.

It is one server for all processes of a session. Each of them holds a lock of a file while it lives;
a process beside them waits until nobody holds it any more, and then stops the server and removes
all of it. So it ends however they end.

    def test_it(postgres_url: str) -> None:  # a database of its own, empty
        open_store(postgres_url)

Where PostgreSQL is not installed, such a test is skipped, and says so.
"""

from __future__ import annotations

import fcntl
import os
import pwd
import secrets
import shutil
import signal
import socket
import subprocess
import sys
import tempfile
from contextlib import contextmanager, suppress
from pathlib import Path
from typing import TYPE_CHECKING, Any

import msgspec
import pytest

if TYPE_CHECKING:
    from collections.abc import Iterator

__all__ = [
    "MissingServer",
    "PostgresServer",
    "new_database",
    "postgres_server",
    "postgres_url",
    "shared_server",
]

ROOT = Path(__file__).parents[2]
USER = "postgres"
# Lost with the machine, and so in no hurry to reach a disk.
SETTINGS = {
    "listen_addresses": "127.0.0.1",
    "unix_socket_directories": "",
    "fsync": "off",
    "full_page_writes": "off",
    "synchronous_commit": "off",
    "shared_buffers": "32MB",
    "max_connections": "150",
    "jit": "off",
    "autovacuum": "off",
    "lc_messages": "C",
}
_PATIENCE = 300
_TRIES = 5  # to find a port that no other program takes first


class MissingServer(Exception):
    """There is no PostgreSQL on this machine, or nobody who may run it; the words say which."""


class PostgresServer(msgspec.Struct, frozen=True):
    """A server that runs.

    Attributes:
        port: where it listens, on 127.0.0.1.
        password: that of its superuser, `postgres`; nobody gets in without one.
    """

    port: int
    password: str

    def url(self, database: str, *, port: int | None = None) -> str:
        """The address of a database; through another port, where something stands in between."""
        return f"postgresql://{USER}:{self.password}@127.0.0.1:{port or self.port}/{database}"

    def execute(self, *statements: str, database: str = USER) -> list[Any]:
        """Do as the superuser says; the rows of the last statement, if it has any."""
        import psycopg

        address = self.url(database)
        with psycopg.connect(address, autocommit=True, connect_timeout=60) as connection:
            done = [connection.execute(statement.encode()) for statement in statements]
            return done[-1].fetchall() if done[-1].description else []


@contextmanager
def new_database(server: PostgresServer) -> Iterator[str]:
    """The address of an empty database, which goes when the block ends."""
    name = f"t{secrets.token_hex(8)}"
    server.execute(f"CREATE DATABASE {name}")
    try:
        yield server.url(name)
    finally:
        server.execute(f"DROP DATABASE IF EXISTS {name} WITH (FORCE)")


@contextmanager
def shared_server(folder: Path) -> Iterator[PostgresServer]:
    """The server of all who name this folder, started by the first of them.

    Raises:
        MissingServer: there is none to be had.
        OSError: it does not start.
    """
    folder.mkdir(parents=True, exist_ok=True)
    users = os.open(folder / "users", os.O_RDWR | os.O_CREAT | os.O_CLOEXEC, 0o600)
    fcntl.flock(users, fcntl.LOCK_SH)
    try:
        yield msgspec.json.decode(_said(folder), type=PostgresServer)
    finally:
        os.close(users)


def _said(folder: Path) -> bytes:
    """What the first one was told about the server."""
    address, missing, failure = (folder / name for name in ("address.json", "missing", "failure"))
    with (folder / "starting").open("wb") as starting:
        fcntl.flock(starting, fcntl.LOCK_EX)
        if not any(path.exists() for path in (address, missing, failure)):
            _start(folder)
    if missing.exists():
        raise MissingServer(missing.read_text(encoding="utf-8"))
    if failure.exists():
        raise OSError(failure.read_text(encoding="utf-8"))
    return address.read_bytes()


def _start(folder: Path) -> None:
    with (folder / "log").open("wb") as log:
        keeper = subprocess.Popen(
            [sys.executable, "-m", "tests.servers.postgres_server", folder],
            cwd=ROOT,
            env=os.environ | {"PYTHONPATH": str(ROOT)},
            stdin=subprocess.DEVNULL,
            stdout=subprocess.PIPE,
            stderr=log,
            start_new_session=True,  # Ctrl-C is not meant for it: its users end first
        )
    assert keeper.stdout is not None
    keeper.stdout.read()  # which ends when the server runs, or does not
    keeper.stdout.close()
    keeper.returncode = 0  # it outlives us, and nobody waits for it


def main(folder: Path) -> None:
    """Start a server, say where it is, and stop it when nobody needs it any more."""
    place = Path(tempfile.mkdtemp(prefix="callscore-postgres-"))
    server = None
    try:
        try:
            server, address = _started(place)
            _write(folder / "address.json", msgspec.json.encode(address))
        except MissingServer as error:
            _write(folder / "missing", str(error).encode())
            return
        except Exception as error:  # noqa: BLE001 - the others must hear of it, whatever it is
            _write(folder / "failure", str(error).encode())
            return
        finally:
            sys.stdout.close()
            os.close(1)
        with (folder / "users").open("rb+") as users:
            fcntl.flock(users, fcntl.LOCK_EX)
            (folder / "address.json").unlink()  # whoever comes now starts another
    finally:
        if server is not None:
            server.send_signal(signal.SIGINT)  # at once, whoever is connected
            with suppress(subprocess.TimeoutExpired):
                server.wait(_PATIENCE)
            server.kill()
            server.wait()
        shutil.rmtree(place, ignore_errors=True)


def _write(path: Path, content: bytes) -> None:
    path.with_suffix(".new").write_bytes(content)
    path.with_suffix(".new").replace(path)


def _started(place: Path) -> tuple[subprocess.Popen[bytes], PostgresServer]:
    programs, as_user = _programs(), _as_user()
    data, secret = place / "data", place / "secret"
    password = secrets.token_hex(16)
    secret.write_text(password, encoding="utf-8")
    if os.geteuid() == 0:
        for path in (place, secret):
            shutil.chown(path, USER)
    made = subprocess.run(
        [
            *as_user,
            programs / "initdb",
            "--pgdata",
            data,
            *("--username", USER),
            "--pwfile",
            secret,
            *("--auth", "scram-sha-256"),
            *("--encoding", "UTF8"),
            *("--locale", "C.UTF-8"),
            "--no-sync",
        ],
        cwd=place,
        capture_output=True,
        timeout=_PATIENCE,
        check=False,
    )
    if made.returncode:
        raise OSError(f"PostgreSQL makes no database: {made.stderr.decode().strip()}")
    for _ in range(_TRIES):
        server, address = _served([*as_user, programs / "postgres"], place, password)
        if _has_begun(server, address):
            return server, address
    raise OSError(f"PostgreSQL does not start: {_end_of(place / 'log')}")


def _served(
    command: list[str | Path], place: Path, password: str
) -> tuple[subprocess.Popen[bytes], PostgresServer]:
    """A server that starts on a port that was free a moment ago."""
    address = PostgresServer(_free_port(), password)
    settings = {**SETTINGS, "port": str(address.port)}
    with (place / "log").open("ab") as log:
        server = subprocess.Popen(
            [
                *command,
                *("-D", place / "data"),
                *[word for name, value in settings.items() for word in ("-c", f"{name}={value}")],
            ],
            cwd=place,
            stdin=subprocess.DEVNULL,
            stdout=log,
            stderr=log,
        )
    return server, address


def _as_user() -> list[str]:
    """What to put before a command, since PostgreSQL refuses to be run by root."""
    if os.geteuid() != 0:
        return []
    setpriv = shutil.which("setpriv")
    try:
        pwd.getpwnam(USER)
    except KeyError as error:
        raise MissingServer(f"PostgreSQL refuses root, and there is no user {USER}") from error
    if setpriv is None:
        raise MissingServer("PostgreSQL refuses root, and there is no `setpriv` to be another")
    return [setpriv, f"--reuid={USER}", f"--regid={USER}", "--init-groups"]


def _programs() -> Path:
    """The folder of the newest PostgreSQL of this machine."""
    installed = Path("/usr/lib/postgresql").glob("*/bin/initdb")
    newest = sorted(installed, key=lambda path: int(path.parts[-3]))
    anywhere = shutil.which("initdb")
    found = [*([Path(anywhere)] if anywhere else []), *newest]
    if not found:
        raise MissingServer("PostgreSQL is not installed here (Debian: apt install postgresql)")
    return found[-1].parent


def _free_port() -> int:
    with socket.socket() as taken:
        taken.bind(("127.0.0.1", 0))
        port: int = taken.getsockname()[1]
        return port


def _has_begun(server: subprocess.Popen[bytes], address: PostgresServer) -> bool:
    """Wait until the server answers; false if it ended, since another program took its port."""
    import psycopg

    for _ in range(_PATIENCE * 20):
        with suppress(psycopg.OperationalError):
            address.execute("SELECT 1")
            return True
        with suppress(subprocess.TimeoutExpired):
            server.wait(0.05)
            return False
    server.kill()
    return False


def _end_of(log: Path) -> str:
    return log.read_text(errors="replace")[-2_000:]


@pytest.fixture(scope="session")
def postgres_server(tmp_path_factory: pytest.TempPathFactory) -> Iterator[PostgresServer]:
    """The server of this session, and of all processes that share its work."""
    pytest.importorskip(
        "psycopg", reason="psycopg is not installed: pip install 'callscore[postgres]'"
    )
    base = tmp_path_factory.getbasetemp()
    folder = base.parent if os.environ.get("PYTEST_XDIST_WORKER") else base
    try:
        with shared_server(folder / "postgres") as server:
            yield server
    except MissingServer as error:
        pytest.skip(str(error))


@pytest.fixture
def postgres_url(postgres_server: PostgresServer) -> Iterator[str]:
    """The address of an empty database."""
    with new_database(postgres_server) as url:
        yield url


if __name__ == "__main__":
    main(Path(sys.argv[1]))

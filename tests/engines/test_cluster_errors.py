"""What went wrong on a cluster, told in few words."""

from __future__ import annotations

import socket
import sys
from importlib import import_module

import pytest

from callscore.engines.cluster_errors import require_reachable, translated
from callscore.errors import EngineFailed, InvalidSettings, MissingExtra, UnreadableInput

# As Spark and Ray write them.
_SPARK = """\
  An exception was thrown from the Python worker. Please see the stack trace below.
Traceback (most recent call last):
  File "/opt/callscore/engines/batches.py", line 261, in refuse
    raise unreadable(place_text(source, offset), problem)
callscore.{error}
 SQLSTATE: 38000

JVM stacktrace:
org.apache.spark.SparkException: Job aborted due to stage failure
"""
_JAVA = """\
An error occurred while calling o57.parquet.
: org.apache.spark.SparkException: [CANNOT_READ] The file is odd.
\tat org.apache.spark.sql.errors.QueryExecutionErrors$.cannotRead(QueryExecutionErrors.scala:2143)
"""


def _translated(text: str) -> Exception:
    return translated("Spark", "spark", RuntimeError(text))


def test_the_error_of_a_worker_is_raised_as_it_was() -> None:
    text = _SPARK.format(error="UnreadableInput: lake/a.parquet@3: expected: a call needs a name")

    found = _translated(text)

    assert isinstance(found, UnreadableInput)
    assert found.place == "lake/a.parquet@3"
    assert found.problem == "expected: a call needs a name"
    assert found.is_one_record


def test_invalid_settings_of_a_worker_stay_invalid_settings() -> None:
    found = _translated(_SPARK.format(error="InvalidSettings: a worker has callscore 0.1.0"))

    assert isinstance(found, InvalidSettings)
    assert str(found) == "a worker has callscore 0.1.0"


@pytest.mark.parametrize(
    "text",
    [
        "ModuleNotFoundError: No module named 'callscore.engines'",
        "[PACKAGE_NOT_INSTALLED] PyArrow >= 18.0.0 must be installed; however, it was not found.",
    ],
)
def test_a_package_that_is_missing_on_the_cluster_is_named(text: str) -> None:
    found = _translated(text)

    assert isinstance(found, EngineFailed)
    name = "callscore" if "callscore" in text else "pyarrow"
    assert found.problem.startswith(f"'{name}' is not installed where Spark runs. Run pip install")


def test_stack_traces_are_left_out() -> None:
    assert str(_translated(_JAVA)) == "Spark: [CANNOT_READ] The file is odd"


def test_an_address_that_nothing_answers_at_is_refused() -> None:
    with socket.socket() as taken:
        taken.bind(("127.0.0.1", 0))
        address = f"spark://127.0.0.1:{taken.getsockname()[1]}"

        with pytest.raises(EngineFailed, match="cannot be used"):
            require_reachable("Spark", address)


def test_one_of_several_addresses_must_answer() -> None:
    with socket.socket() as closed, socket.socket() as listening:
        closed.bind(("127.0.0.1", 0))
        listening.bind(("127.0.0.1", 0))
        listening.listen()
        ports = closed.getsockname()[1], listening.getsockname()[1]

        require_reachable("Spark", f"spark://127.0.0.1:{ports[0]},127.0.0.1:{ports[1]}")


def test_of_a_task_of_ray_only_what_was_raised_is_told() -> None:
    text = (
        "\x1b[36mray::MapBatches(join_table)->Write()\x1b[39m (pid=22151, ip=192.0.2.2)\n"
        "    for block in blocks:\n"
        '  File "pyarrow/table.pxi", line 6355, in pyarrow.lib.concat_tables\n'
        "pyarrow.lib.ArrowInvalid: Schema at index 1 was different:\n"
        "id: string\n"
    )

    found = translated("Ray", "ray", RuntimeError(text))

    assert str(found) == "Ray: pyarrow.lib.ArrowInvalid: Schema at index 1 was different"


@pytest.mark.parametrize("engine", ["ray", "spark"])
def test_a_missing_library_names_the_extra(engine: str, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(sys.modules, "ray" if engine == "ray" else "pyspark", None)
    module = import_module(f"callscore.engines.{engine}")

    for function in (module.score, module.results):
        with pytest.raises(MissingExtra, match=rf"needs an extra.*callscore\[{engine}\]"):
            function(None)

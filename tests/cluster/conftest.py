"""The engine of this environment, started once, and the data that all of its tests read."""

from __future__ import annotations

import os
import sys
from importlib import import_module
from importlib.util import find_spec
from typing import TYPE_CHECKING, Any

import pytest
from tests.cluster.lake import Lake

if TYPE_CHECKING:
    from collections.abc import Iterator

# Each is installed in an environment of its own: requirements/spark.txt, requirements/ray.txt.
ENGINES = [name for name in ("spark", "ray") if find_spec({"spark": "pyspark"}.get(name, name))]


def pytest_configure(config: pytest.Config) -> None:
    """Allow what the packages of others warn about themselves."""
    for name in ("ray", "pyspark"):
        config.addinivalue_line("filterwarnings", f"ignore::Warning:{name}")


@pytest.fixture(scope="session")
def lake(tmp_path_factory: pytest.TempPathFactory) -> Lake:
    """The files of the data."""
    return Lake(tmp_path_factory.mktemp("lake"))


@pytest.fixture(scope="session", params=ENGINES)
def engine(request: pytest.FixtureRequest) -> Iterator[Any]:
    """The module of an engine that has a session, which all tests share: starting takes long."""
    name: str = request.param
    stop = _start_spark() if name == "spark" else _start_ray()
    yield import_module(f"callscore.engines.{name}")
    stop()


def _start_spark() -> Any:
    from pyspark.sql import SparkSession

    os.environ["PYSPARK_PYTHON"] = sys.executable
    builder = SparkSession.builder.master("local[2,4]").config("spark.ui.enabled", "false")
    builder = builder.config("spark.log.level", "ERROR")
    # Small parts, so that a small lake has several.
    builder = builder.config("spark.sql.files.maxPartitionBytes", "4m")
    return builder.config("spark.sql.shuffle.partitions", "4").getOrCreate().stop


def _start_ray() -> Any:
    import logging

    import ray
    import ray.data

    os.environ["RAY_USAGE_STATS_ENABLED"] = "0"
    ray.init(num_cpus=2, include_dashboard=False, log_to_driver=False, logging_level=logging.ERROR)
    logging.getLogger("ray.data").setLevel(logging.ERROR)
    ray.data.DataContext.get_current().enable_progress_bars = False
    return ray.shutdown

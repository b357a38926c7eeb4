"""The evidence that the scores mean something: complete data, right arithmetic, and the bars."""

from __future__ import annotations

import gzip
from collections import Counter
from importlib import import_module
from itertools import product
from pathlib import Path
from types import SimpleNamespace
from typing import TYPE_CHECKING, Any

import msgspec
import pytest
from hypothesis import given
from hypothesis import strategies as st

if TYPE_CHECKING:
    from types import ModuleType

ROOT = Path(__file__).parents[2]
FOLDER = ROOT / "benchmarks/validity"
BUNDLED = ROOT / "src/callscore/data/airline-gpt-4o.jsonl.gz"

pytestmark = pytest.mark.skipif(
    not (FOLDER / "data").exists(), reason="a release does not carry the trajectories"
)


def _module(name: str) -> ModuleType:
    with pytest.MonkeyPatch.context() as patch:
        patch.syspath_prepend(str(FOLDER.parent))
        return import_module(f"validity.{name}")


@pytest.fixture(scope="module")
def trajectories() -> list[Any]:
    return list(_module("trajectories").load())


def _cases(file: Path) -> list[dict[str, Any]]:
    lines = gzip.decompress(file.read_bytes()).splitlines()
    return [msgspec.json.decode(line, type=dict[str, Any]) for line in lines]


def test_all_trajectories_are_there(trajectories: list[Any]) -> None:
    runs = Counter(one.model for one in trajectories)
    successes = Counter(one.model for one in trajectories if one.succeeded)

    assert len({one.task for one in trajectories}) == 165
    assert runs.pop("gpt-4o") == 200
    assert set(runs.values()) == {115}
    assert successes == {
        "gpt-4o": 84,
        "gpt-4.1": 67,
        "gpt-4.1-mini": 62,
        "o4-mini": 64,
        "gemini-2.0-flash": 37,
    }


def test_failures_are_found_where_ids_repeat() -> None:
    # The bundled file was made without callscore's reader, and 73 ids of its originals repeat.
    bundled = {(case["id"], case["trial"]): case for case in _cases(BUNDLED)}
    read = {
        (case["id"], case["trial"]): case
        for case in _cases(FOLDER / "data/gpt-4o-airline.jsonl.gz")
    }

    assert read.keys() == bundled.keys()
    assert all(case["actual"] == bundled[key]["actual"] for key, case in read.items())
    assert all(case["expected"] == bundled[key]["expected"] for key, case in read.items())


def test_the_licence_of_the_trajectories_is_beside_them() -> None:
    licence = (FOLDER / "data/LICENSE-tau-bench.txt").read_text(encoding="utf-8")

    assert licence.startswith("MIT License\n\nCopyright (c) 2024 Sierra\n")


def test_the_trajectories_are_small() -> None:
    assert sum(file.stat().st_size for file in (FOLDER / "data").iterdir()) < 200_000


@given(
    st.lists(st.tuples(st.sampled_from([0.0, 0.5, 2 / 3, 1.0]), st.booleans()), min_size=2).filter(
        lambda runs: len({good for _, good in runs}) == 2
    )
)
def test_the_area_is_the_share_of_pairs_won(runs: list[tuple[float, bool]]) -> None:
    good = [value for value, succeeded in runs if succeeded]
    bad = [value for value, succeeded in runs if not succeeded]
    won = sum(1.0 if left > right else (left == right) / 2 for left, right in product(good, bad))

    area = _module("evidence").area([value for value, _ in runs], [good for _, good in runs])

    assert area == won / (len(good) * len(bad))


def test_agreement_is_about_full_scores() -> None:
    evidence = _module("evidence").evidence
    trajectories = [SimpleNamespace(succeeded=good) for good in (True, True, False, False)]

    assert evidence([1.0, 0.9, 1.0, 0.9], trajectories).agreement == 0.5


def test_outcome_holds_its_bars_and_the_pages_and_the_picture_are_current(
    trajectories: list[Any],
) -> None:
    run = _module("run")

    rows = run.measure(trajectories)
    (found,) = [row.overall for row in rows if row.metric is _module("metrics").RECOMMENDED]
    stale = [
        file.name
        for file, text in run.written(rows, trajectories).items()
        if file.read_text(encoding="utf-8") != text
    ]

    assert found.area >= run.BARS.area >= 0.96
    assert found.agreement >= run.BARS.agreement >= 0.95
    assert not stale, f"run `make pictures`: {stale}"

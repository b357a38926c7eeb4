"""The evidence that the scores mean something: complete data, right arithmetic, and the bars."""

from __future__ import annotations

import gzip
import re
from collections import Counter
from importlib import import_module
from pathlib import Path
from typing import TYPE_CHECKING, Any

import msgspec
import pytest
from tests.shared import made_once

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
def found(tmp_path_factory: pytest.TempPathFactory) -> dict[str, Any]:
    def measure(folder: Path) -> None:
        (folder / "found.json").write_bytes(msgspec.json.encode(_module("run").measured()))

    measured = made_once(tmp_path_factory, "validity", measure) / "found.json"
    kind = _module("measuring").Measured
    kept: dict[str, Any] = msgspec.json.decode(measured.read_bytes())
    return {name: msgspec.convert(one, type=kind) for name, one in kept.items()}


def _cases(file: Path) -> list[dict[str, Any]]:
    lines = gzip.decompress(file.read_bytes()).splitlines()
    return [msgspec.json.decode(line, type=dict[str, Any]) for line in lines]


def test_all_trajectories_of_tau_bench_are_there() -> None:
    trajectories = _module("trajectories").tau_bench().trajectories
    runs = Counter(one.group for one in trajectories)
    successes = Counter(one.group for one in trajectories if one.succeeded)

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


def test_all_trajectories_of_telecom_are_there() -> None:
    benchmark = _module("trajectories").telecom()
    trajectories = benchmark.trajectories

    assert len({one.task for one in trajectories}) == 40
    assert Counter(one.group for one in trajectories if one.succeeded) == {
        "with a user": 18,
        "without a user": 20,
    }
    callers = Counter((one.group, one.callers) for one in trajectories)
    assert callers == {
        ("with a user", ("agent", "user")): 28,
        ("with a user", ("agent",)): 12,
        ("without a user", ("agent",)): 40,
    }
    called = {call.name for one in trajectories for call in (*one.expected, *one.actual)}
    assert called <= {tool["function"]["name"] for tool in benchmark.tools}


def test_the_reward_of_telecom_depends_on_actions_in_12_of_40_tasks() -> None:
    files = sorted((FOLDER / "data/tau2_telecom").glob("*.jsonl.gz"))
    basis = Counter(
        "ACTION" in case["metadata"]["reward_basis"] for file in files for case in _cases(file)
    )

    page = " ".join((ROOT / "docs/explanation/validity.md").read_text(encoding="utf-8").split())
    assert basis == {True: 2 * 12, False: 2 * 28}
    assert "demands in 12 of 40 tasks that the reference calls were made" in page
    assert "in the 28 tasks whose verdict is only about the state" in page


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


@pytest.mark.parametrize(
    ("file", "holder"),
    [
        ("LICENSE-tau-bench.txt", "2024 Sierra"),
        ("tau2_telecom/LICENSE-tau2-bench.txt", "2025 Sierra Research"),
    ],
)
def test_the_licence_of_the_trajectories_is_beside_them(file: str, holder: str) -> None:
    licence = (FOLDER / "data" / file).read_text(encoding="utf-8")

    assert licence.startswith(f"MIT License\n\nCopyright (c) {holder}\n")


def test_the_trajectories_are_small() -> None:
    files = [file for file in (FOLDER / "data").rglob("*") if file.is_file()]

    assert sum(file.stat().st_size for file in files) < 200_000


def test_nothing_but_numbers_is_kept_of_bfcl() -> None:
    kept = _module("run").KEPT.read_text(encoding="utf-8")

    assert '"turns"' not in kept
    assert '"arguments"' not in kept
    assert "multi_turn_base" not in kept


def test_the_halves_of_the_tasks_are_those_that_were_fixed() -> None:
    # The rule must not change after its results were seen.
    half_of = _module("trajectories").half_of

    assert [half_of(f"retail-{number}") for number in range(10)] == [0, 1, 0, 0, 0, 1, 0, 1, 0, 0]


@pytest.mark.slow
def test_the_pages_and_the_picture_are_current(found: dict[str, Any]) -> None:
    stale = [
        file.name
        for file, text in _module("run").written(found).items()
        if file.read_text(encoding="utf-8") != text
    ]

    assert not stale, f"run `make validity`: {stale}"


@pytest.mark.slow
def test_the_bars_hold(found: dict[str, Any]) -> None:
    missed = {bar.what for bar in _module("bars").bars(found) if not bar.holds}

    assert missed == set()


@pytest.mark.slow
def test_the_validity_page_has_the_measured_numbers_of_disagreements(found: dict[str, Any]) -> None:
    page = (ROOT / "docs/explanation/validity.md").read_text(encoding="utf-8")
    text = " ".join(page.split())
    outcome = found["tau_bench"].row("outcome")
    coverage = found["bfcl_multi_turn"].row("coverage")
    telecom = found["tau2_telecom"].row("coverage")

    assert f"disagree in {outcome.full_failures + outcome.other_successes} runs" in text
    assert f"disagree in {coverage.full_failures + coverage.other_successes} runs" in text
    assert f"In {coverage.full_failures} every expected call was made" in text
    assert f"In {coverage.other_successes} the task was done without a full score" in text
    assert (telecom.full_failures, telecom.other_successes) == (0, 0)


@pytest.mark.slow
@pytest.mark.parametrize("name", ["README.md", "README.ru.md"])
def test_the_readme_claims_what_was_measured(name: str, found: dict[str, Any]) -> None:
    held_out = _module("held_out")
    (claim,) = [
        line
        for line in (ROOT / name).read_text(encoding="utf-8").splitlines()
        if "docs/explanation/validity.md" in line
    ]

    presets, others = [], []
    for one in found.values():
        preset = max(one.rows, key=lambda row: (row.section == "presets", row.area))
        other = max(one.rows, key=lambda row: (row.section == "other tools' metrics", row.area))
        assert one.chosen(held_out.BEST_PRESET).chosen == (preset.name, preset.name)
        presets.append(preset)
        others.append(other)
    assert len({preset.name for preset in presets}) > 1  # no preset is the best on all
    ends = [
        f"{end(row.area for row in rows):.2f}" for rows in (presets, others) for end in (min, max)
    ]
    assert re.findall(r"\d\.\d+", claim) == ends

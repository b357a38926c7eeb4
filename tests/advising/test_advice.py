from __future__ import annotations

import subprocess
import sys
from pathlib import Path
from typing import Any

import msgspec
import pytest
from tests.advising.planted import BASE, case_records, labelled

import callscore
from callscore import Advice
from callscore.advising.advice import advise_on

pytestmark = pytest.mark.slow


def _advice(records: list[dict[str, Any]]) -> Advice:
    return advise_on(labelled(records), BASE)


def test_the_numbers_of_the_recommendation_are_there() -> None:
    advice = _advice(case_records("argument"))

    assert advice.recommended.settings == {
        "preset": "strict",
        "arguments": {"save.note": "ignore"},
    }
    assert advice.is_separating
    assert advice.recommended.auc > 0.95
    assert advice.recommended.interval.low <= advice.recommended.auc
    assert advice.recommended.agreement > 0.95
    assert [each.settings["preset"] for each in advice.presets] == [
        "strict",
        "flexible",
        "outcome",
        "coverage",
    ]
    (learned,) = advice.learned
    assert (learned.kind, learned.name) == ("ignore", "save.note")
    assert learned.gain_interval.low > 0
    assert (advice.runs, advice.tasks) == (120, 40)


def test_the_recommended_settings_give_the_measured_scores() -> None:
    records = case_records("argument")
    advice = _advice(records)

    results = callscore.score_cases(records, settings=advice.settings, show="all", max_shown=None)

    passed = [case.required_score.passed for case in results.cases]
    contradicting = [
        (record["id"], record["trial"])
        for record, passes in zip(records, passed, strict=True)
        if passes != record["success"]
    ]
    assert sorted((each.case, each.trial) for each in advice.disagreements) == sorted(contradicting)


@pytest.mark.parametrize(
    ("kind", "verdict"), [("extra", "hurt"), ("free", "not_hurt"), ("plain", "unclear")]
)
def test_the_advice_tells_whether_extra_calls_hurt(kind: str, verdict: str) -> None:
    assert _advice(case_records(kind)).extra_calls == verdict


def test_disagreements_of_both_kinds_come_by_turns() -> None:
    records = case_records("plain")
    for number in range(8):
        records[number]["success"] = not records[number]["success"]

    found = _advice(records).disagreements

    assert len(found) == 8
    kinds = [each.success for each in found]
    shared = 2 * min(kinds.count(True), kinds.count(False))
    assert kinds[:shared] == [False, True] * (shared // 2)
    assert all(each.score.passed != each.success for each in found)


def test_labels_that_follow_nothing_are_said_to_be_so() -> None:
    advice = _advice(case_records("random"))

    assert not advice.is_separating
    assert advice.recommended.settings == {"preset": "strict"}
    assert "No settings tell success from failure" in str(advice)


@pytest.mark.parametrize(
    ("records", "problem"),
    [
        (case_records("plain", tasks=29, trials=1), "29 runs have a success label; 30 or more"),
        (
            [record | {"success": True} for record in case_records("plain")],
            "all 120 labelled runs succeeded",
        ),
        (
            [record | {"success": False} for record in case_records("plain")],
            "all 120 labelled runs failed",
        ),
        (case_records("plain", tasks=9, trials=9), "are of 9 tasks; 10 or more"),
    ],
    ids=["few", "successes", "failures", "tasks"],
)
def test_too_few_labels_are_refused(records: list[dict[str, Any]], problem: str) -> None:
    with pytest.raises(callscore.UnreadableInput, match=problem):
        _advice(records)


def test_a_case_that_contradicts_itself_is_named() -> None:
    from msgspec.structs import replace

    from callscore.core.case import Forbidden

    found = labelled(case_records("plain"))
    first = found.runs[0]
    broken = replace(first.case, expected=(*(first.case.expected or ()), Forbidden("save")))
    runs = (replace(first, case=broken), *found.runs[1:])

    with pytest.raises(callscore.UnreadableInput, match=r"runs\.jsonl:1.*forbidden"):
        advise_on(replace(found, runs=runs), BASE)


def test_settings_of_the_project_that_no_candidate_varies_are_kept() -> None:
    base = callscore.Settings(
        pass_mark=0.4, order="exact", repeated_calls="collapse", strip_prefix=("x__",)
    )

    advice = advise_on(labelled(case_records("plain")), base)

    assert (advice.settings.pass_mark, advice.settings.strip_prefix) == (0.4, ("x__",))
    assert (advice.settings.order, advice.settings.repeated_calls) == ("any", "count")


def test_plain_data_is_json_and_the_text_is_short() -> None:
    advice = _advice(case_records("read"))

    document = msgspec.json.decode(msgspec.json.encode(advice.to_dict()))

    assert document["recommended"]["settings"]["effects"] == {"consult": "read", "*": "write"}
    assert repr(advice).startswith("Advice(runs=120, recommended='strict, count_calls writes")
    assert "\x1b" not in str(advice)


_SCRIPT = """
import callscore, sys
sys.path.insert(0, {root!r})
from tests.advising.planted import case_records
print(callscore.advise(case_records("argument", tasks=20), labels="success").to_dict())
"""


def test_the_advice_does_not_depend_on_the_seed_of_hashes_nor_on_the_order() -> None:
    root = str(Path(__file__).parents[2])
    printed = {
        subprocess.run(
            [sys.executable, "-c", _SCRIPT.format(root=root)],
            env={"PYTHONHASHSEED": seed, "PYTHONPATH": f"{root}/src"},
            capture_output=True,
            check=True,
            text=True,
        ).stdout
        for seed in ("0", "1")
    }
    records = case_records("argument", tasks=20)
    forward = callscore.advise(records).to_dict()
    backward = callscore.advise(records[::-1]).to_dict()

    assert len(printed) == 1
    for name in ("recommended", "presets", "alternatives", "learned", "reliability"):
        assert forward[name] == backward[name]

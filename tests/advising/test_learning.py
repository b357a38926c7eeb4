from __future__ import annotations

from random import Random
from typing import Any

import pytest
from tests.advising.planted import case_records, labelled, sample_of

from callscore import Settings
from callscore.advising.candidates import Candidate
from callscore.advising.choosing import Sample, choose_settings
from callscore.advising.learning import learn
from callscore.advising.runs import Runs
from callscore.core.settings import settings_from

pytestmark = pytest.mark.slow


def _learned(records: list[dict[str, Any]], start: Candidate) -> Candidate:
    sample = sample_of(records)
    (begin,) = sample.measured([start])
    return learn(sample, begin).candidate


def test_a_tool_is_learned_to_write_if_its_calls_matter() -> None:
    records = case_records("plain")
    for record in records:
        for call in (*record["expected"], *record["actual"]):
            call["name"] = "get_booked"  # a read by its name

    found = _learned(records, Candidate("outcome"))

    assert found.effects == (("get_booked", "write"),)


@pytest.mark.parametrize(
    ("kind", "base", "is_learned"),
    [
        ("read", Settings(effects=(("cons*", "write"),)), False),
        ("read", Settings(effects=(("*", "write"),)), True),
        ("argument", settings_from({"arguments": {"*.note": "text"}}), False),
        ("argument", settings_from({"arguments": {"*.*": "text"}}), True),
    ],
)
def test_a_rule_of_the_project_prevents_learning_unless_it_matches_everything(
    kind: str, base: Settings, is_learned: bool
) -> None:
    sample = Sample(Runs(labelled(case_records(kind)).runs), base)
    (start,) = sample.measured([Candidate("strict")])

    found = learn(sample, start).candidate

    learned = {*dict(found.effects), *found.ignored}
    assert bool(learned & {"consult", "save.note"}) == is_learned


@pytest.mark.parametrize("kind", ["plain", "random", "extra"])
def test_no_effect_or_ignored_argument_is_learned_where_the_runs_give_no_reason(kind: str) -> None:
    records = case_records(kind)
    sample = sample_of(records)

    found = learn(sample, choose_settings(sample))

    assert (found.candidate.effects, found.candidate.ignored) == ((), ())


def test_too_few_runs_teach_nothing() -> None:
    records = case_records("plain", tasks=40)
    # In nine runs the note differs, and all of them succeeded.
    good = [record for record in records if record["success"]][:9]
    for record in good:
        record["actual"][1]["arguments"]["note"] = "ok"

    assert _learned(records, Candidate("strict")).ignored == ()

    one_task = [
        record for record in records if record["id"] in {"task1", "task2", "task3", "task4"}
    ]
    for record in one_task:
        record["success"] = True
        key = record["expected"][1]["arguments"]["key"]
        record["actual"][1]["arguments"] |= {"key": key, "note": "ok"}
    assert len(one_task) >= 10

    assert _learned(one_task + _others(records), Candidate("strict")).ignored == ()


def _others(records: list[dict[str, Any]]) -> list[dict[str, Any]]:
    """The runs of other tasks, with the note as it is expected."""
    for record in records:
        if record["id"] not in {"task1", "task2", "task3", "task4"}:
            record["actual"][1]["arguments"]["note"] = "as agreed"
    return [
        record for record in records if record["id"] not in {"task1", "task2", "task3", "task4"}
    ]


def test_names_that_would_be_patterns_are_not_learned() -> None:
    records = case_records("read")
    for record in records:
        for call in (*record["expected"], *record["actual"]):
            if call["name"] == "consult":
                call["name"] = "consult*"

    assert _learned(records, Candidate("strict")).effects == ()


def test_learning_looks_at_the_sample_only() -> None:
    records = case_records("argument")
    runs = sample_of(records).runs
    half = [number for number, task in enumerate(runs.tasks) if task % 2]
    sample = Sample(runs, sample_of(records).base, half)
    (start,) = sample.measured([Candidate("strict")])
    before = learn(sample, start)

    for number in range(len(runs.outcomes)):  # the labels of all other runs are turned over
        if number not in half:
            runs.outcomes[number] = not runs.outcomes[number]
    again = learn(Sample(runs, sample.base, half), start)

    assert again.candidate == before.candidate


def test_many_things_that_hide_one_another_are_learned_together() -> None:
    random = Random(3)
    records = []
    for task in range(120):
        for trial in range(4):
            success = random.random() < 0.5
            expected, actual = [], []
            for each in range(6):
                tool = (task + each * 2) % 12
                arguments = {"a": random.randrange(5), "b": random.randrange(5)}
                expected.append({"name": f"tool{tool}", "arguments": arguments})
                made = dict(arguments)
                if tool < 4 or tool % 4 == 0:  # reads, and tools with an argument of no importance
                    made["a"] = random.randrange(5)
                if tool >= 4 and not success and random.random() < 0.4:
                    made["b"] = 9
                actual.append({"name": f"tool{tool}", "arguments": made})
            records.append(
                {
                    "id": f"t{task}",
                    "trial": trial,
                    "success": success,
                    "expected": expected,
                    "actual": actual,
                }
            )

    found = _learned(records, Candidate("strict"))

    learned = {*found.ignored, *[f"{tool}.a" for tool, effect in found.effects if effect == "read"]}
    random_ones = {f"tool{tool}.a" for tool in (0, 1, 2, 3, 4, 8)}
    assert {"tool4.a", "tool8.a"} <= learned <= random_ones
    assert len(learned) >= 5

"""The report of `callscore run --collect-only`."""

from __future__ import annotations

import msgspec

from callscore.core.results import Unloaded
from callscore.reports.run_plan import PlannedEvaluation, RunPlan, write_json, write_text

PLAN = RunPlan(
    evaluations=(
        PlannedEvaluation(
            name="assistant",
            variant="small",
            place="eval_a.py:3",
            cases=("weather", "sum"),
            trials=4,
            skipped=(("later", "not yet"), ("never", "")),
        ),
        PlannedEvaluation(
            name="assistant", variant="large", place="eval_a.py:3", cases=("weather",), trials=2
        ),
        PlannedEvaluation(name="router\x1b[31m", variant=None, place="", cases=("hi",), trials=1),
    ),
    unloaded=(Unloaded("eval_b.py:1", "it cannot be imported"),),
)


def test_every_case_is_on_a_line_below_its_evaluation() -> None:
    assert write_text(PLAN).splitlines() == [
        "assistant [small]   eval_a.py:3",
        "  weather",
        "  sum",
        "  later   skipped: not yet",
        "  never   skipped",
        "",
        "assistant [large]   eval_a.py:3",
        "  weather",
        "",
        r"router\u001b[31m",
        "  hi",
        "",
        "3 cases, 7 trials selected, nothing was run",
    ]


def test_a_quiet_plan_has_only_the_counts() -> None:
    assert write_text(PLAN, is_quiet=True) == "3 cases, 7 trials selected, nothing was run\n"


def test_trials_are_counted_only_if_there_are_more_than_cases() -> None:
    plan = RunPlan(evaluations=PLAN.evaluations[2:])

    assert write_text(plan).endswith("\n1 case selected, nothing was run\n")
    assert write_text(plan, lang="ru").endswith("\nвыбрано: 1 случай; ничего не запущено\n")


def test_a_plan_is_an_object_in_json() -> None:
    found = msgspec.json.decode(write_json(PLAN))

    assert (found["cases"], found["trials"]) == (3, 7)
    assert found["evaluations"][0] == {
        "name": "assistant",
        "variant": "small",
        "place": "eval_a.py:3",
        "cases": ["weather", "sum"],
        "trials": 4,
        "skipped": [{"case": "later", "reason": "not yet"}, {"case": "never", "reason": ""}],
    }
    assert found["unloaded"] == [
        {"place": "eval_b.py:1", "problem": "it cannot be imported", "details": ""}
    ]


def test_long_lines_are_wrapped() -> None:
    skipped = (("slow", "needs a conversation with several turns"),)
    each = PlannedEvaluation(
        name="a", variant=None, place="eval.py:1", cases=(), trials=0, skipped=skipped
    )

    assert write_text(RunPlan(evaluations=(each,)), width=40).split("\n")[1:3] == [
        "  slow   skipped: needs a conversation",
        "    with several turns",
    ]

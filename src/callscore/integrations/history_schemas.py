"""The JSON Schemas of the answers of the tools that read the history.

What a comparison, a case and a run contain is described where their JSON reports are: here, their
most used fields are named for models.
"""

from __future__ import annotations

from typing import Any, get_args

from callscore.comparing.differences import Verdict

_TEXT = {"type": "string"}
_COUNT = {"type": "integer", "minimum": 0}
_TEXT_OR_NULL = {"type": ["string", "null"]}
_NUMBER_OR_NULL = {"type": ["number", "null"]}
_REPORT = {**_TEXT, "description": "The same as Markdown, to be read."}
_VERDICTS = get_args(Verdict)


def _object(properties: dict[str, Any], **more: Any) -> dict[str, Any]:
    return {"type": "object", "properties": properties, "required": [*properties], **more}


def _answer(properties: dict[str, Any]) -> dict[str, Any]:
    """The fields of an answer, with those that every answer has."""
    following = {
        "type": ["integer", "null"],
        "description": "The offset of the next page; null if this is the last.",
    }
    note = {**_TEXT_OR_NULL, "description": "What is left out, and how to print it; else null."}
    every = {**properties, "next_offset": following, "note": note}
    return _object(every, additionalProperties=False)


def _list(items: dict[str, Any], description: str) -> dict[str, Any]:
    return {"type": "array", "description": description, "items": items}


def list_output_schema() -> dict[str, Any]:
    """The output of `list_runs`."""
    evaluation = _object(
        {
            "name": _TEXT,
            "cases": _COUNT,
            "passed": {**_COUNT, "description": "How many answers pass."},
            "share": {**_NUMBER_OR_NULL, "description": "The share that passes, from 0 to 1."},
            "change": {
                **_NUMBER_OR_NULL,
                "description": "How far the share is above that of the run before.",
            },
            "f1": _NUMBER_OR_NULL,
            "errors": {**_COUNT, "description": "How many trials have no answer."},
        }
    )
    run = _object(
        {
            "id": _TEXT,
            "name": _TEXT_OR_NULL,
            "baselines": _list(_TEXT, "Its names as a baseline."),
            "status": {**_TEXT, "description": "running, finished, interrupted or abandoned."},
            "started_at": {"type": "number", "description": "In seconds since 1970."},
            "git_commit": _TEXT_OR_NULL,
            "evaluations": _list(evaluation, "The evaluations of the run."),
        }
    )
    return _answer({"runs": _list(run, "The runs, the newest first.")})


def run_output_schema() -> dict[str, Any]:
    """The output of `get_run`."""
    case = _object(
        {
            "evaluation": _TEXT,
            "case": {**_TEXT, "description": "Its id, for get_case."},
            "trials": _COUNT,
            "passed": {**_COUNT, "description": "How many trials passed."},
            "errors": {**_COUNT, "description": "How many trials have no answer."},
            "scores": {"type": "object", "description": "The mean of each scorer over the trials."},
            "problem": {**_TEXT_OR_NULL, "description": "Why there is no answer."},
        }
    )
    evaluation = _object(
        {
            "name": _TEXT,
            "variant": _TEXT_OR_NULL,
            "place": {**_TEXT, "description": "The file of the evaluation."},
            "answered": _COUNT,
            "passed": _COUNT,
            "failing": _COUNT,
            "undecided": _COUNT,
            "errors": _COUNT,
            "f1": _NUMBER_OR_NULL,
            "scorers": _list({"type": "object"}, "The mean of each scorer."),
        }
    )
    return _answer(
        {
            "run": {**_TEXT, "description": "The id of the run."},
            "name": _TEXT_OR_NULL,
            "status": _TEXT,
            "started_at": {"type": "number"},
            "git_commit": _TEXT_OR_NULL,
            "totals": {"type": "object", "description": "answered, passed, failing, errors ..."},
            "evaluations": _list(evaluation, "The evaluations with their numbers."),
            "warnings": _list(_TEXT, "What limits the numbers."),
            "cases": _list(case, "The failing cases, or all."),
            "total_cases": {**_COUNT, "description": "How many there are on all pages."},
        }
    )


def case_output_schema() -> dict[str, Any]:
    """The output of `get_case`."""
    trial = _object(
        {
            "trial": {"type": ["integer", "null"]},
            "status": _TEXT,
            "passed": {"type": ["boolean", "null"]},
            "f1": _NUMBER_OR_NULL,
            "calls": _list({"type": "object"}, "The actual calls."),
            "score": {"type": ["object", "null"], "description": "Pairs, missed and extra calls."},
            "failure": {"type": ["object", "null"], "description": "Why there is no answer."},
        }
    )
    case = _object(
        {
            "run": _TEXT,
            "evaluation": _TEXT,
            "place": {**_TEXT, "description": "The file of the evaluation."},
            "id": _TEXT,
            "tags": _list(_TEXT, "The tags of the case."),
            "input": {"description": "What the agent was asked."},
            "expected": {"description": "The expected calls, as in a case file."},
            "trials": _list(trial, "The trials of this page."),
        }
    )
    return _answer(
        {
            "report": _REPORT,
            "cases": _list(case, "One for each evaluation that has the case."),
            "total_trials": {**_COUNT, "description": "How many trials there are."},
        }
    )


def _comparison() -> dict[str, Any]:
    main = _object(
        {
            "measure": _TEXT,
            "cases": {**_COUNT, "description": "How many cases have a value in both runs."},
            "before": _NUMBER_OR_NULL,
            "after": _NUMBER_OR_NULL,
            "change": _NUMBER_OR_NULL,
            "p_value": _NUMBER_OR_NULL,
        }
    )
    change = _object(
        {
            "kind": {"type": "string", "enum": ["broken", "fixed", "changed"]},
            "evaluation": _TEXT,
            "case": {**_TEXT, "description": "Its id, for get_case."},
            "before": {"type": "object"},
            "after": {"type": "object"},
        }
    )
    return _object(
        {
            "verdict": {"type": "string", "enum": [*_VERDICTS]},
            "before": {"type": "object"},
            "after": {"type": "object"},
            "main": {**main, "description": "The difference that decides the verdict."},
            "counts": {"type": "object", "description": "broken, fixed, changed, same."},
            "changes": _list(change, "The changed cases of this page, broken ones first."),
            "missing": _list(_TEXT, "Cases that the second run does not have."),
            "notes": _list(_TEXT, "Further remarks."),
        },
        description="The fields of `callscore compare --format json`.",
    )


def compare_output_schema() -> dict[str, Any]:
    """The output of `compare_runs`."""
    return _answer({"report": _REPORT, "comparison": _comparison()})


def gate_output_schema() -> dict[str, Any]:
    """The output of `gate`."""
    reason = _object({"kind": _TEXT, "count": _COUNT, "cases": _list(_TEXT, "Their names.")})
    return _answer(
        {
            "report": _REPORT,
            "is_open": {"type": "boolean", "description": "Whether the run passes."},
            "is_doubtful": {
                "type": "boolean",
                "description": "Whether cases broke, or a loss is too small to tell, and neither closes the"
                " gate.",
            },
            "fail_on": _TEXT,
            "reasons": _list(reason, "Why it does not pass; empty if it does."),
            "comparison": _comparison(),
            "next": {
                **_TEXT,
                "description": "A command for the person in charge. Never set a baseline without being"
                " asked.",
            },
        }
    )

"""The tools with which an agent reads the history: runs, cases, comparisons and the gate.

They give the numbers and verdicts of `callscore history`, `show`, `compare` and `gate`, from the
history that these commands find. They write nothing, and read no other file than the project's.
"""

from __future__ import annotations

import os
import shlex
from collections.abc import Callable, Sequence
from itertools import islice
from typing import TYPE_CHECKING, Any

import msgspec

from callscore.errors import InvalidCall, InvalidSettings, UnknownRun
from callscore.hiding.hider import hide_for_report, hide_text
from callscore.history.postgres import STORE_VARIABLE
from callscore.integrations.history_fields import (
    CASE_FIELDS,
    COMPARE_FIELDS,
    GATE_FIELDS,
    LIST_FIELDS,
    RUN_FIELDS,
    Field,
    input_schema,
    read_fields,
)
from callscore.integrations.history_schemas import (
    case_output_schema,
    compare_output_schema,
    gate_output_schema,
    list_output_schema,
    run_output_schema,
)
from callscore.integrations.tools import TOOLS, AgentTool
from callscore.words.value_text import json_safe

if TYPE_CHECKING:
    from callscore.core.results import SavedCase
    from callscore.history.records import ResultRecord, RunRecord
    from callscore.history.store import Store

_NO_RUNS = "There are no runs yet. Start with: callscore run"


# --- answers of a bounded size ----------------------------------------------------------------

LARGEST_ANSWER = 60_000  # bytes
SECONDS_PER_CALL = 30.0  # to read and compare two runs of 100,000 cases takes several
# The longest report, text and list; the first of these levels with which an answer fits is used.
_LEVELS = ((20_000, 4_000, 100), (10_000, 1_000, 50), (5_000, 200, 20), (2_000, 80, 5))
_MOST_MEMBERS = 50  # of an object; more than a report has


def bounded(answer: dict[str, Any], advice: str) -> dict[str, Any]:
    """The answer with long texts and lists cut; `note` then names the command that prints everything.

    Raises:
        InvalidCall: even then it is too large.
    """
    for report, text, items in _LEVELS:
        cutter = _Cutter(text, items)
        found: dict[str, Any] = cutter.cut(answer)
        if "report" in answer:
            found["report"] = cutter.shortened(answer["report"], report)
        if cutter.count:
            cut = f"{cutter.count} long texts or lists are cut. To print everything: {advice}"
            found["note"] = " ".join(filter(None, [answer.get("note"), cut]))
        if len(msgspec.json.encode(found)) <= LARGEST_ANSWER:
            return found
    raise InvalidCall(f"the answer is too large. Ask for less with limit, or run: {advice}")


class _Cutter:
    """Cuts texts and lists, and counts how many were cut."""

    def __init__(self, text: int, items: int) -> None:
        self._text, self._items = text, items
        self.count = 0

    def cut(self, value: Any) -> Any:
        """The value with its members cut, and theirs; a report is cut by itself."""
        if isinstance(value, str):
            return self.shortened(value, self._text)
        if isinstance(value, dict):
            self.count += len(value) > _MOST_MEMBERS
            return {
                self.shortened(key, self._text): member if key == "report" else self.cut(member)
                for key, member in islice(value.items(), _MOST_MEMBERS)
            }
        if isinstance(value, list):
            self.count += len(value) > self._items
            return [self.cut(item) for item in value[: self._items]]
        return value

    def shortened(self, text: str, most: int) -> str:
        """The text, or its beginning with how many characters are left out."""
        if len(text) <= most:
            return text
        self.count += 1
        return f"{text[:most]}… ({len(text) - most} more characters)"


def _page(items: Sequence[Any], given: dict[str, Any]) -> tuple[list[Any], int | None]:
    """The items of a page, and where the next one begins; None after the last."""
    first, last = given["offset"], given["offset"] + given["limit"]
    return [*items[first:last]], last if last < len(items) else None


# --- the tools --------------------------------------------------------------------------------


def list_runs(arguments: Any) -> dict[str, Any]:
    """The saved runs, the newest first, each compared with the one before it."""
    from callscore.evaluations.run_rows import saved_rows
    from callscore.reports.history import timelines_of, write_json

    given = read_fields(arguments, LIST_FIELDS)
    _require_keyword(given["keyword"])
    end = given["offset"] + given["limit"]
    tag, keyword = given["tag"] or None, given["keyword"]
    rows, _ = saved_rows(_place(), end + 1, tag=tag, keyword=keyword)
    shown = hide_for_report(timelines_of(rows, max_shown=end + 1))
    runs = msgspec.json.decode(write_json(shown))
    page, following = _page(runs, given)
    note = None
    if not runs:
        note = _NO_RUNS if not given["tag"] and not given["keyword"] else "No run matches."
    answer = {"runs": page, "next_offset": following, "note": note}
    return bounded(answer, _command("history"))


def get_run(arguments: Any) -> dict[str, Any]:
    """A run: the totals of its evaluations, and its failing cases, or all."""
    from callscore.history.run_metadata import find_run_and_variant
    from callscore.runner.stored_runs import ShowOptions, load_run
    from callscore.words.plain_data import run_to_dict

    given = read_fields(arguments, RUN_FIELDS)
    _require_keyword(given["keyword"])
    _require_history()
    with _open() as store:
        run, variant = find_run_and_variant(store, _run_of(given["run"]))
        options = ShowOptions(keyword=given["keyword"], variant=variant, show="none", max_shown=0)
        found = run_to_dict(hide_for_report(load_run(store, run, options)))
        cases = _case_rows(store, run, options)
    if given["show"] == "failing":
        cases = [case for case in cases if case["passed"] < case["trials"]]
    page, following = _page(cases, given)
    answer = {
        "run": run.id,
        "name": json_safe(run.name),
        "status": run.status,
        "started_at": run.started_at,
        "git_commit": json_safe(run.git_commit),
        "totals": found["totals"],
        "evaluations": [_evaluation(each) for each in found["evaluations"]],
        "warnings": found["warnings"],
        "cases": hide_for_report(page),
        "total_cases": len(cases),
        "next_offset": following,
        "note": None,
    }
    return bounded(answer, _command("show", run.id))


_EVALUATION = ("name", "variant", "place", "answered", "passed", "failing", "undecided", "errors")
_SCORER = ("name", "mean", "scored", "passed", "fail_under", "is_below")


def _evaluation(found: dict[str, Any]) -> dict[str, Any]:
    """The numbers of an evaluation in a run."""
    return {
        **{name: found[name] for name in _EVALUATION},
        "f1": found["results"]["totals"]["macro"]["f1"],
        "scorers": [{name: each[name] for name in _SCORER} for each in found["scorers"]],
    }


def _case_rows(store: Store, run: RunRecord, options: Any) -> list[dict[str, Any]]:
    """The cases of a run, in the order in which it has them; trials of a case are one row."""
    from callscore.evaluations.plan import keyword_filter
    from callscore.history.run_results import light_results
    from callscore.runner.stored_runs import evaluation_label, evaluations_of_variant

    records = {each.number: each for each in evaluations_of_variant(store, run, options.variant)}
    fits = keyword_filter(options.keyword)
    trials: dict[tuple[int, str], list[ResultRecord]] = {}
    for _, result in light_results(store, run.id):
        record, case = records.get(result.evaluation), result.case
        if record is not None and fits((record.name, record.variant or "", case)):
            trials.setdefault((result.evaluation, case), []).append(result)
    return [
        _case_row(evaluation_label(records[number]), case, results)
        for (number, case), results in trials.items()
    ]


def _case_row(evaluation: str, case: str, results: Sequence[ResultRecord]) -> dict[str, Any]:
    values: dict[str, list[float]] = {}
    for found in [each for one in results for each in one.values]:
        if found.value is not None:
            values.setdefault(found.name, []).append(found.value)
    problem = next((one.failure[1] for one in results if one.failure is not None), None)
    return {
        "evaluation": json_safe(evaluation),
        "case": json_safe(case),
        "trials": len(results),
        "passed": sum(one.passed is True for one in results),
        "errors": sum(one.status == "error" for one in results),
        "scores": json_safe({name: sum(each) / len(each) for name, each in values.items()}),
        "problem": json_safe(problem),
    }


def get_case(arguments: Any) -> dict[str, Any]:
    """One case of a run: what was asked and expected, and the calls of each trial."""
    from callscore.history.run_metadata import find_run_and_variant
    from callscore.reports.case import write_json, write_markdown
    from callscore.runner.stored_runs import load_case

    given = read_fields(arguments, CASE_FIELDS)
    _require_history()
    with _open() as store:
        run, variant = find_run_and_variant(store, _run_of(given["run"]))
        found = load_case(store, run, given["case"], "", variant)
    cases = hide_for_report([_with_trials(case, given) for case in found])
    most = max(len(case.trials) for case in found)
    end = given["offset"] + given["limit"]
    answer = {
        "report": write_markdown(cases) if all(case.trials for case in cases) else "",
        "cases": msgspec.json.decode(write_json(cases)),
        "total_trials": most,
        "next_offset": end if end < most else None,
        "note": None,
    }
    return bounded(answer, _command("show", run.id, given["case"]))


def _with_trials(case: SavedCase, given: dict[str, Any]) -> SavedCase:
    page, _ = _page(case.trials, given)
    return msgspec.structs.replace(case, trials=tuple(page))


def compare_runs(arguments: Any) -> dict[str, Any]:
    """Two runs, case by case, and whether the difference is more than chance."""
    from callscore.comparing.comparison import comparison_to_dict
    from callscore.engines.comparing_runs import compare
    from callscore.evaluations.project_config import config_for
    from callscore.reports.compare import write_markdown

    given = read_fields(arguments, COMPARE_FIELDS)
    _require_history()
    before, after = _run_of(given["before"]), _run_of(given["after"])
    removals = config_for(None).removed
    found = hide_for_report(
        compare(before, after, measure=given["measure"], store=_place(), removals=removals)
    )
    answer = {
        "report": write_markdown(found, max_shown=given["limit"]),
        **_paged(comparison_to_dict(found), given),
    }
    return bounded(answer, _command("compare", found.before.run, found.after.run))


def gate(arguments: Any) -> dict[str, Any]:
    """Whether a run passes, compared with a baseline, and why not."""
    from callscore.comparing.comparison import gate_to_dict
    from callscore.engines.gating_runs import GateRequest, decide_gate
    from callscore.evaluations.project_config import config_for
    from callscore.reports.gate import write_markdown

    given = read_fields(arguments, GATE_FIELDS)
    _require_history()
    request = GateRequest(
        run=_run_of(given["run"]),
        against=_run_of(given["against"]),
        measure=given["measure"],
        fail_on=given["fail_on"],
        removals=config_for(None).removed,
        store=_place(),
    )
    decision = decide_gate(request)
    found, following = hide_for_report(decision.gate), decision.next_command
    fields = gate_to_dict(found)
    answer = {
        "report": write_markdown(found, next_command=following, max_shown=given["limit"]),
        **{name: fields[name] for name in ("is_open", "is_doubtful", "fail_on", "reasons")},
        **_paged(fields["comparison"], given),
        "next": json_safe(following),
    }
    return bounded(answer, _command("gate", found.comparison.after.run))


def _paged(comparison: dict[str, Any], given: dict[str, Any]) -> dict[str, Any]:
    """A comparison with a page of its changed cases, and where the next one begins."""
    changes, following = _page(comparison["changes"], given)
    shown = {**comparison, "changes": changes}
    return {"comparison": shown, "next_offset": following, "note": None}


def _place() -> str | None:
    """The history that the environment names, by which commands for a shell name it, too."""
    return os.environ.get(STORE_VARIABLE) or None


def _require_history() -> None:
    """Refuse to look for a run where there is no history, and say how to get one."""
    from callscore.history.opening import store_file_path

    file = store_file_path(_place())
    if file is not None and not file.exists():
        raise UnknownRun(
            f"there are no runs yet: {file} does not exist. Start with: callscore run. If the runs are"
            " elsewhere, start the server in the folder of the project, or with --store"
        )


def _require_keyword(keyword: str) -> None:
    """Refuse an expression that is not valid, by the name of the field."""
    from callscore.evaluations.plan import keyword_filter

    try:
        keyword_filter(keyword)
    except InvalidSettings as error:
        raise InvalidCall(str(error).replace("-k", "keyword", 1)) from error


def _open() -> Store:
    from callscore.history.opening import open_existing

    return open_existing(_place())


def _command(*words: str) -> str:
    """A command for a shell that reads the same history."""
    from callscore.history.postgres import store_arguments

    return hide_text(
        shlex.join(["callscore", *words, "--format", "json"]) + store_arguments(_place())
    )


def _run_of(reference: str) -> str:
    """A reference to a run; files are not read for agents."""
    from callscore.engines.comparing_runs import is_case_file

    if is_case_file(reference):
        raise InvalidCall(
            f"{reference!r} is a file, and only saved runs are read. list_runs lists them. To compare"
            " files, run: callscore compare"
        )
    return reference


def _tool(
    run: Callable[[Any], dict[str, Any]],
    title: str,
    description: str,
    fields: dict[str, Field],
    output: Callable[[], dict[str, Any]],
) -> AgentTool:
    return AgentTool(
        run.__name__,
        title,
        description,
        lambda: input_schema(fields),
        output,
        run,
        if_slow="Run the same command of callscore in a shell, which has no time limit.",
        seconds=SECONDS_PER_CALL,
    )


HISTORY_TOOLS: dict[str, AgentTool] = {
    tool.name: tool
    for tool in (
        _tool(
            list_runs,
            "List saved runs",
            "List the saved evaluation runs of this project, the newest first: ids, names, baselines, git"
            " commits, and for each evaluation how many cases passed, with the change since the run"
            " before. The numbers are those of `callscore history`.",
            LIST_FIELDS,
            list_output_schema,
        ),
        _tool(
            get_run,
            "Get a saved run",
            "Get the totals of a saved run and the list of its failing cases, or of all cases. Then look"
            " at single cases with get_case.",
            RUN_FIELDS,
            run_output_schema,
        ),
        _tool(
            get_case,
            "Get a case of a run",
            "Get one case of a saved run: its input, the expected calls, and for every trial the actual"
            " calls, the differences and the scores, as `callscore show RUN CASE` does.",
            CASE_FIELDS,
            case_output_schema,
        ),
        _tool(
            compare_runs,
            "Compare two runs",
            "Compare two saved runs case by case: the verdict (improved, regressed, no evidence, not"
            " enough data) with interval and p-value, and which cases broke, were fixed or changed. The"
            " numbers are those of `callscore compare`.",
            COMPARE_FIELDS,
            compare_output_schema,
        ),
        _tool(
            gate,
            "Gate a run",
            "Decide whether a run passes, compared with a baseline: is_open, the reasons if not, and the"
            " command to run next. The verdict is that of `callscore gate`.",
            GATE_FIELDS,
            gate_output_schema,
        ),
    )
}

SERVED_TOOLS = {**TOOLS, **HISTORY_TOOLS}

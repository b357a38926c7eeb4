"""Make the trajectories of the validity benchmark from the files that their authors published.

Usage: PYTHONPATH=benchmarks python -m validity.make_data ORIGINAL.json[.gz]...

An original of tau-bench is named MODEL-DOMAIN.json.gz, and becomes MODEL-DOMAIN.jsonl.gz in the
folder `data`. Results of tau2-bench are named MODEL_DOMAIN.json.gz or MODEL_DOMAIN_no-user.json.gz,
and become a file of the same name in `data/tau2_DOMAIN`; the `tools.json` beside them, too.
"""

from __future__ import annotations

import gzip
import sys
from pathlib import Path
from typing import TYPE_CHECKING, Any

import msgspec

import callscore
from callscore import ReadOptions, ToolCall
from callscore.formats.reading import read_document

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator

    from callscore import Trace

__all__ = ["case_of", "main", "tau2_cases"]

FOLDER = Path(__file__).with_name("data")
# The calls of the user are part of the task.
EVERYONE = ReadOptions(leave_out=())

Json = dict[str, Any]


def main(originals: Iterable[str]) -> None:
    """Read every original and write a compact case file beside the others."""
    for original in map(Path, originals):
        content = original.read_bytes()
        if original.suffix == ".gz":
            content = gzip.decompress(content)
        name = original.name.partition(".json")[0]
        document = msgspec.json.decode(content)
        if name == "tools":
            _write_tools(document)
        elif isinstance(document, dict):
            model, domain, *_ = name.split("_")
            target = FOLDER / f"tau2_{domain}" / f"{name}.jsonl.gz"
            _write(list(tau2_cases(document, model)), target)
        else:
            model, _, domain = name.rpartition("-")
            document.sort(key=lambda record: (record["task_id"], record["trial"]))
            cases = [case_of(record, model, domain) for record in document]
            _write(cases, FOLDER / f"{name}.jsonl.gz")


def _write(cases: list[Json], target: Path) -> None:
    lines = b"".join(msgspec.json.encode(case) + b"\n" for case in cases)
    # Without the time of day in its header the same input gives the same bytes.
    target.write_bytes(gzip.compress(lines, compresslevel=9, mtime=0))
    print(f"{target.name}: {len(cases)} cases, {target.stat().st_size:,} bytes")


def _write_tools(domains: dict[str, list[Json]]) -> None:
    """The tools of the agent and of the user, with the kinds that the benchmark gives them."""
    tools = [*domains["telecom"], *domains["telecom_user"]]
    target = FOLDER / "tau2_telecom/tools.json"
    target.write_bytes(msgspec.json.format(msgspec.json.encode(tools), indent=1) + b"\n")
    print(f"{target.name}: {len(tools)} tools, {target.stat().st_size:,} bytes")


def case_of(record: Json, model: str, domain: str) -> Json:
    """One trajectory as one case: the calls, whether they failed, and how it ended."""
    expected = record["info"]["task"]["actions"]
    return {
        "id": f"{domain}-{record['task_id']}",
        "trial": record["trial"],
        "expected": [{"name": call["name"], "arguments": call["kwargs"]} for call in expected],
        "actual": [_call(call) for call in callscore.read_calls(record["traj"])],
        "metadata": {"model": model, "domain": domain, "reward": int(record["reward"])},
    }


def tau2_cases(document: Json, model: str) -> Iterator[Json]:
    """One case for each simulation, with whose calls they are and what its reward is based on."""
    has_user = document["info"]["user_info"]["implementation"] != "dummy_user"
    traces: list[Trace] = read_document(document, EVERYONE)
    for run, trace in zip(document["simulations"], traces, strict=True):
        reward = run["reward_info"]
        expected = [call for call in trace.expected or () if isinstance(call, ToolCall)]
        # The user's calls count if the task expects any.
        acts = any(call.caller == "user" for call in expected)
        callers = {"callers": ["agent", "user"]} if acts else {}
        yield {
            "id": run["task_id"],
            "trial": run["trial"],
            **callers,
            "expected": [_call(call) for call in expected],
            "actual": [_call(call) for call in trace.calls or ()],
            "metadata": {
                "model": model,
                "user": "simulated" if has_user else "none",
                "reward": int(reward["reward"]),
                "reward_basis": reward["reward_basis"],
            },
        }


def _call(call: ToolCall) -> Json:
    """A call without what is not scored; without arguments if the benchmark compares none."""
    return {
        "name": call.name,
        **({} if call.arguments is None else {"arguments": call.arguments}),
        **({"failed": True} if call.failed else {}),
        **({"caller": call.caller} if call.caller else {}),
    }


if __name__ == "__main__":
    if len(sys.argv) == 1:
        sys.exit(__doc__)
    main(sys.argv[1:])

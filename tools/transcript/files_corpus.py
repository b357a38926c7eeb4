"""Commands that read files: score, explain, check, effects, extract, capture, metrics, formats, generate."""

from __future__ import annotations

import gzip
from typing import TYPE_CHECKING

from tools.transcript.inputs import (
    BAD_LINES,
    CASES,
    MATCHER_CASES,
    RICH,
    TOOLS,
    TWO_SIDES,
    json_lines,
    json_text,
)
from tools.transcript.steps import callscore, job
from tools.transcript.values import DATE_CASES, GROUP_CASES, MANY_CALLS, SCHEMA_CASES, SCHEMA_TOOLS

if TYPE_CHECKING:
    from collections.abc import Iterator
    from pathlib import Path

    from tools.transcript.steps import Job

__all__ = ["SETTINGS", "file_jobs"]

LANGUAGES = ("en", "ru")
# The tools whose numbers are reproduced, as users name them.
PEERS = (
    *("callscore", "agentevals", "autoevals", "azure", "bfcl", "deepeval", "evalite", "google_adk"),
    *("mcpjam", "mlflow", "promptfoo", "pydantic_evals", "ragas", "spring_ai_ragas", "strands"),
    *("tau2", "tool_scorer", "tpmjs", "trajectly", "vertex_ai"),
)
SCORE_FORMATS = ("table", "json", "jsonl", "markdown", "junit")
# Their numbers, and some with options.
METRICS = (
    *("callscore.f1", "agentevals.trajectory_match", "autoevals.json_diff"),
    *("autoevals.list_contains", "autoevals.exact_match", "azure.navigation_match"),
    *("azure.navigation_precision", "azure.navigation_recall", "azure.navigation_f1"),
    *("bfcl.valid", "deepeval.tool_correctness", "evalite.tool_call_accuracy"),
    *("evalite.tool_called", "evalite.parameters_valid", "google_adk.trajectory"),
    *("mcpjam.passed", "mlflow.tool_call_correctness", "promptfoo.tool_call_f1"),
    *("promptfoo.tool_call_f1_passes", "pydantic_evals.trajectory_match"),
    *("pydantic_evals.tool_correctness", "ragas.tool_call_accuracy", "ragas.tool_call_f1"),
    *("spring_ai_ragas.tool_call_accuracy", "strands.any_order", "strands.in_order"),
    *("strands.exact", "tau2.action_reward", "tau2.partial_action_reward"),
    *("tool_scorer.score", "tool_scorer.argument_f1", "tool_scorer.selection_accuracy"),
    *("tool_scorer.invocation_accuracy", "tool_scorer.sequence_accuracy"),
    *("tool_scorer.tool_correctness", "tool_scorer.tool_correctness_with_args"),
    *("tool_scorer.trajectory_accuracy", "tool_scorer.step_match_rate"),
    *("tool_scorer.path_efficiency", "tool_scorer.partial_trajectory"),
    *("tool_scorer.redundant_rate", "tool_scorer.identical_rate"),
    *("tool_scorer.required_call_recall", "tpmjs.tool_call_accuracy", "tpmjs.precision"),
    *("tpmjs.recall", "trajectly.passes", "vertex_ai.trajectory_exact_match"),
    *("vertex_ai.trajectory_in_order_match", "vertex_ai.trajectory_any_order_match"),
    *("vertex_ai.trajectory_precision", "vertex_ai.trajectory_recall"),
)
METRIC_OPTIONS = (
    *(
        f"agentevals.trajectory_match:trajectory_match_mode={mode},tool_args_match_mode={arguments}"
        for mode in ("strict", "unordered", "subset", "superset")
        for arguments in ("exact", "ignore", "subset", "superset")
    ),
    "agentevals.trajectory_match:one_message=false",
    "autoevals.json_diff:preserve_strings=true",
    "autoevals.list_contains:allow_extra_entities=true",
    *(
        f"azure.navigation_match:matching_mode={mode}"
        for mode in ("exact_match", "in_order_match", "any_order_match")
    ),
    "azure.navigation_f1:parameters=false",
    "bfcl.valid:test_category=simple",
    "bfcl.valid:test_category=multiple,optional=true",
    "deepeval.tool_correctness:should_exact_match=true,input_parameters=true",
    "deepeval.tool_correctness:should_consider_ordering=true,output=true,strict_mode=true",
    "evalite.tool_call_accuracy:mode=flexible",
    "evalite.tool_call_accuracy:name_only=0.1,extra_penalty=1,wrong_penalty=1",
    *(f"google_adk.trajectory:match_type={kind}" for kind in ("IN_ORDER", "ANY_ORDER")),
    "google_adk.trajectory:ignore_args=true",
    *(
        f"mcpjam.passed:tool_call_order={order},argument_matching={matching}"
        for order in ("ignore", "strict", "superset")
        for matching in ("partial", "exact", "ignore")
    ),
    "mcpjam.passed:max_extra_tool_calls=0,is_negative_test=true",
    "mlflow.tool_call_correctness:should_consider_ordering=true,include_arguments=false",
    "promptfoo.tool_call_f1_passes:threshold=0.5,inverse=true",
    *(
        f"pydantic_evals.trajectory_match:order={order},include_failed=true"
        for order in ("in_order", "exact", "any_order")
    ),
    "pydantic_evals.tool_correctness:allow_extra=true",
    "ragas.tool_call_accuracy:strict_order=false",
    "spring_ai_ragas.tool_call_accuracy:mode=flexible,argument_match_threshold=0.4",
    *(f"strands.{name}:items=calls" for name in ("any_order", "in_order", "exact")),
    "tau2.action_reward:same_requestor=false",
    "tool_scorer.score:strict=true",
    "tool_scorer.argument_f1:strict=true",
    "tool_scorer.tool_correctness:strict_order=true",
    "tool_scorer.partial_trajectory:allow_tool_name_variations=true",
    "vertex_ai.trajectory_single_tool_use:tool_name=pay",
    "vertex_ai.trajectory_single_tool_use",
    "ragas.tool_call_accuracy:strict_order=perhaps",
    "ragas.tool_call_accuracy:order=1",
    "ragas",
)
# Each setting of a score with each of its values, as options.
SETTINGS: tuple[tuple[str, ...], ...] = (
    ("--preset", "strict"),
    ("--preset", "flexible"),
    ("--preset", "outcome"),
    ("--mode", "flexible"),
    ("--mode", "flexible", "--argument-match-threshold", "0.5"),
    ("--mode", "flexible", "--argument-match-threshold", "1"),
    ("--mode", "flexible", "--extra-arguments", "count"),
    ("--order", "in_order"),
    ("--order", "exact"),
    ("--pass-mark", "0.5"),
    ("--strip-prefix", "mcp__*__"),
    ("--normalize-name", "namespace", "--normalize-name", "case"),
    ("--normalize-name", "dots"),
    ("--count-calls", "writes"),
    ("--failed-calls", "ignore"),
    ("--repeated-calls", "collapse"),
    ("--arrays", "unordered"),
    ("--nested-objects", "subset"),
    ("--count-calls", "writes", "--effect", "pay=read", "--effect", "get_*=write"),
    ("--argument", 'get_weather.city=text:{"similarity": 0.1}', "--argument", "*.amount=ignore"),
    ("--top-k", "2"),
    (
        *("--mode", "strict", "--order", "any", "--extra-arguments", "ignore"),
        *("--count-calls", "all", "--failed-calls", "count", "--repeated-calls", "count"),
        *("--arrays", "ordered", "--nested-objects", "equal"),
    ),
)
# How traces are read, for every command that reads them.
READING: tuple[tuple[str, ...], ...] = (
    ("--map", "actual=$.expected"),
    ("--map", "id=$.nope"),
    ("--input-format", "callscore_case"),
    ("--input-format", "nothing"),
    ("--view", "requested"),
    ("--view", "executed"),
    ("--candidate", "1"),
    ("--leave-out", "user"),
    ("--leave-out", "subagent", "--leave-out", "code"),
    ("--leave-out", "server"),
    ("--leave-out", "none"),
    ("--leave-out", "user", "--leave-out", "none"),
    ("--failure-pattern", "^ok"),
    ("--failure-pattern", "("),
)
# Options with values that are refused.
WRONG_OPTIONS: tuple[tuple[str, ...], ...] = (
    ("--mode", "lenient"),
    ("--preset", "outcom"),
    ("--argument-match-threshold", "2"),
    ("--argument-match-threshold", "x"),
    ("--order", "any_order"),
    ("--pass-mark", "-1"),
    ("--normalize-name", "upper"),
    ("--effect", "pay"),
    ("--effect", "pay=delete"),
    ("--argument", "city=text"),
    ("--argument", "*.city=txt"),
    ("--argument", "*.city=text:{"),
    ("--argument", '*.city=text:{"similar": 1}'),
    ("--top-k", "0"),
    ("--top-k", "2", "--candidate", "1"),
    ("--config", "nowhere.toml"),
    ("--lang", "de"),
    ("--no-such-option",),
    ("--strip-prefix", ""),
)


# Cases that expect groups, which have no position.
_GROUPED = {"in-order", "any-order", "one-of", "optional", "times", "forbidden"}


def file_jobs(repository: Path) -> Iterator[Job]:
    """All jobs of these commands."""
    yield from _score_jobs()
    yield from _score_input_jobs()
    yield from _bad_input_jobs()
    yield from _explain_jobs()
    yield from _check_jobs()
    yield from _advise_jobs()
    yield from _effects_jobs()
    yield from _value_jobs()
    yield from _reading_jobs()
    yield from _metrics_jobs()
    yield from _making_jobs(repository)
    yield from _sample_jobs(repository)
    yield from _trajectory_jobs(repository)


def _score_jobs() -> Iterator[Job]:
    files = {
        "cases.jsonl": CASES,
        "rules.jsonl": json_lines(MATCHER_CASES),
        "plain.jsonl": json_lines([one for one in RICH if one.get("id") not in _GROUPED]),
    }
    for language in LANGUAGES:
        for form in SCORE_FORMATS:
            yield job(
                f"score/{form}/{language}",
                *(
                    callscore("score", name, "--format", form, "--lang", language, *more)
                    for name in ("cases.jsonl", "rules.jsonl")
                    for more in ((), ("--show", "all"), ("--show", "none"), ("--max-shown", "2"))
                ),
                files=files,
            )
        yield job(
            f"score/settings/{language}",
            callscore("score", "plain.jsonl", "--lang", language, "--order", "exact"),
            callscore("score", "plain.jsonl", "--lang", language, "--order", "in_order"),
            *(callscore("score", "cases.jsonl", "--lang", language, *more) for more in SETTINGS),
            *(
                callscore("score", "cases.jsonl", "--lang", language, "--format", "json", *more)
                for more in SETTINGS
            ),
            files=files,
        )
    yield job(
        "score/terminal",
        *(
            callscore("score", name, "--lang", language, "--show", "all", is_terminal=True)
            for name in ("cases.jsonl", "rules.jsonl")
            for language in LANGUAGES
        ),
        callscore("score", "cases.jsonl", "--show", "all", environment={"COLUMNS": "60"}),
        callscore("score", "cases.jsonl", "--show", "all", environment={"COLUMNS": "200"}),
        callscore("score", "cases.jsonl", environment={"FORCE_COLOR": "1"}),
        files=files,
    )
    yield job(
        "score/wrong-options",
        *(callscore("score", "cases.jsonl", *more) for more in WRONG_OPTIONS),
        files=files,
    )
    yield from _score_option_jobs()


def _score_option_jobs() -> Iterator[Job]:
    files = {"cases.jsonl": CASES, "tools.json": json_text(TOOLS), **TWO_SIDES}
    yield job(
        "score/options",
        callscore("score", "cases.jsonl", is_cold=True),
        callscore("score", "cases.jsonl", "--tools", "tools.json"),
        callscore("score", "cases.jsonl", "--tools", "tools.json", "--lang", "ru"),
        callscore("score", "cases.jsonl", "--tools", "tools.json", "--format", "json"),
        callscore("score", "cases.jsonl", "--tools", "cases.jsonl"),
        callscore("score", "cases.jsonl", "--tools", "nowhere.json"),
        callscore("score", "cases.jsonl", "--fail-under", "0.9"),
        callscore("score", "cases.jsonl", "--fail-under", "0.1", "--lang", "ru"),
        callscore("score", "cases.jsonl", "--fail-under", "nan"),
        callscore("score", "cases.jsonl", "-o", "report.txt"),
        callscore("score", "cases.jsonl", "-o", "report.json", "--format", "json"),
        callscore("score", "cases.jsonl", "-o", "no/such/folder/x"),
        callscore("score", "cases.jsonl", "-o", "."),
        callscore("score", "-", stdin=CASES.encode()),
        callscore("score", "-", "-", stdin=CASES.encode()),
        callscore("score", "cases.jsonl", "cases.jsonl", "--show", "none"),
        callscore("score"),
        callscore("score", "--expected", "expected.jsonl"),
        callscore("score", "--expected", "expected.jsonl", "--actual", "actual.jsonl"),
        callscore(
            "score", "--expected", "expected.jsonl", "--actual", "actual.jsonl", "--lang", "ru"
        ),
        callscore(
            "score", "--expected", "expected.jsonl", "--actual", "actual.jsonl", "--format", "json"
        ),
        callscore("score", "--expected", "actual.jsonl", "--actual", "expected.jsonl"),
        callscore(
            "score", "cases.jsonl", "--expected", "expected.jsonl", "--actual", "actual.jsonl"
        ),
        callscore("score", "cases.jsonl", "--map", "id=$.id", "--map", "actual=$.expected"),
        callscore("score", "cases.jsonl", "--map", "id=$.nope"),
        callscore("score", "cases.jsonl", "--map", "nope=$.id"),
        callscore("score", "cases.jsonl", "--map", "id=$[["),
        callscore("score", "cases.jsonl", "--input-format", "callscore_case"),
        callscore("score", "cases.jsonl", "--input-format", "openai_chat"),
        callscore("score", "cases.jsonl", "--input-format", "nothing"),
        callscore("score", "cases.jsonl", "--view", "executed"),
        callscore("score", "cases.jsonl", "--candidate", "1"),
        callscore("score", "cases.jsonl", "--leave-out", "user", "--leave-out", "none"),
        callscore("score", "cases.jsonl", "--leave-out", "code"),
        callscore("score", "cases.jsonl", "--failure-pattern", "^ok", "--failed-calls", "ignore"),
        callscore("score", "cases.jsonl", "--failure-pattern", "("),
        callscore(
            "score", "cases.jsonl", "--metric", "ragas.tool_call_f1", "--metric", "bfcl.valid"
        ),
        callscore("score", "cases.jsonl", "--metric", "ragas.tool_call_f2"),
        callscore("score", "cases.jsonl", "--metric", "deepeval.tool_correctness:strict_mode=true"),
        callscore("score", "cases.jsonl", "--metric", "deepeval.tool_correctness:strict=1"),
        callscore("score", "cases.jsonl", "--judge", "gpt-5"),
        files=files,
    )
    settings = {
        "callscore.toml": 'preset = "outcome"\npass_mark = 0.9\n\n[arguments]\n"*.city" = "text"\n',
        "other.toml": 'mode = "flexible"\nargument_match_threshold = 0.5\n',
        "wrong.toml": 'mod = "flexible"\n',
        "broken.toml": "mode = \n",
        "worse.toml": 'mode = "lenient"\n',
        "pyproject.toml": '[tool.callscore]\nmode = "flexible"\n',
    }
    yield job(
        "score/config",
        callscore("score", "cases.jsonl"),
        callscore("score", "cases.jsonl", "--no-config"),
        callscore("score", "cases.jsonl", "--preset", "strict"),
        *(
            callscore("score", "cases.jsonl", "--config", name, "--lang", language)
            for name in settings
            for language in LANGUAGES
        ),
        callscore("score", "cases.jsonl", "--config", "other.toml", "--no-config"),
        files=files | settings,
    )
    yield job(
        "score/pyproject",
        callscore("score", "cases.jsonl"),
        callscore("explain", "cases.jsonl"),
        files=files | {"pyproject.toml": settings["pyproject.toml"]},
    )


def _score_input_jobs() -> Iterator[Job]:
    """The same cases in every kind of file."""
    few = RICH[:12]
    rows = "".join(
        f'{one["id"]},"{json_text(one["expected"]).replace(chr(34), chr(34) * 2)}",'
        f'"{json_text(one["actual"]).replace(chr(34), chr(34) * 2)}"\n'
        for one in few
    )
    yaml = "".join(f"- {json_text(one)}\n" for one in few)
    files: dict[str, str | bytes] = {
        "cases.json": json_text(few),
        "wrapped.json": json_text({"cases": few}),
        "one.json": json_text(few[0]),
        "cases.yaml": yaml,
        "several.yml": "".join(f"---\n{json_text(one)}\n" for one in few),
        "cases.csv": f"id,expected,actual\n{rows}",
        "cases.tsv": f"id,expected,actual\n{rows}".replace(",", "\t"),
        "short.csv": "id,expected,actual\na,[]\n",
        "cases.jsonl.gz": gzip.compress(json_lines(few).encode(), mtime=0),
        "cases.txt": json_lines(few),
        "cases.toml": "[[cases]]\nid = 'a'\nexpected = ['f']\nactual = ['f']\n",
        "cases.unknown": json_lines(few),
        "broken.yaml": "- id: a\n  expected: [f\n",
        "typo.yaml": "- id: a\n  expectd: [f]\n  actual: []\n",
        "broken.json": '[{"id": "a", "expected": [',
        "broken.csv": 'id,expected\na,"[\n',
        "notes.md": "# Nothing\n\nNo calls here.\n",
        "picture.png": b"\x89PNG\r\n\x1a\n\x00\x00",
        "data.parquet": b"PAR1 not really",
        "log.eval": b"PK\x03\x04 not really",
        "spans.pb": b"\x00\x01\x02\xff",
        "data.zst": b"\x28\xb5\x2f\xfd not really",
        "folder/inner.jsonl": "",
    }
    names = [*files, "nowhere.jsonl", "folder"]
    for command in ("score", "check", "extract", "capture", "explain"):
        yield job(
            f"{command}/kinds-of-files",
            *(callscore(command, name) for name in names),
            *(callscore(command, name, "--lang", "ru") for name in names if command != "extract"),
            files=files,
        )


def _bad_input_jobs() -> Iterator[Job]:
    names = {
        f"{name}.jsonl{'.gz' if name == 'gzip-cut' else ''}": content
        for name, content in BAD_LINES.items()
    }
    for command in ("score", "check", "extract", "capture"):
        yield job(
            f"{command}/bad-lines",
            *(callscore(command, name) for name in names),
            *(callscore(command, name, "--skip-bad") for name in names),
            files=names,
        )
    bars = (("score", "--fail-under", "0"), ("check", "--fail-on", "any"))
    for command, *bar in bars:
        yield job(
            f"{command}/skipped-lines",
            *(
                callscore(command, name, "--skip-bad", *bar, "--max-skipped", most)
                for name in names
                for most in ("0", "1")
            ),
            files=names,
        )
    yield job("explain/bad-lines", *(callscore("explain", name) for name in names), files=names)
    yield job(
        "metrics/bad-lines",
        *(callscore("metrics", "--disagree", name) for name in names),
        *(callscore("metrics", "--disagree", name, "--skip-bad") for name in names),
        files=names,
    )
    yield job(
        "score/bad-lines-ru",
        *(callscore("score", name, "--lang", "ru") for name in names),
        *(
            callscore("score", name, "--lang", "ru", "--skip-bad", "--format", "json")
            for name in names
        ),
        files=names,
    )


def _explain_jobs() -> Iterator[Job]:
    files = {"cases.jsonl": CASES, "rules.jsonl": json_lines(MATCHER_CASES), **TWO_SIDES}
    ids = list(dict.fromkeys(one["id"] for one in RICH if "id" in one))
    rules = [one["id"] for one in MATCHER_CASES]
    for language in LANGUAGES:
        yield job(
            f"explain/cases/{language}",
            *(
                callscore("explain", "cases.jsonl", "--case", name, "--lang", language)
                for name in ids
            ),
            *(
                callscore("explain", "rules.jsonl", "--case", name, "--lang", language)
                for name in rules
            ),
            files=files,
        )
        yield job(
            f"explain/settings/{language}",
            *(
                callscore("explain", "cases.jsonl", "--case", name, "--lang", language, *more)
                for more in SETTINGS
                for name in ("swapped", "wrong-value", "failed-retry")
            ),
            files=files,
        )
    yield job(
        "explain/options",
        callscore("explain", "cases.jsonl", is_cold=True),
        callscore("explain"),
        callscore("explain", "cases.jsonl", "--case", "nope"),
        callscore("explain", "cases.jsonl", "--case", "exat", "--lang", "ru"),
        callscore("explain", "cases.jsonl", "--case", "trials", "--trial", "1"),
        callscore("explain", "cases.jsonl", "--case", "trials", "--trial", "9"),
        callscore(
            "explain", "--expected", "expected.jsonl", "--actual", "actual.jsonl", "--case", "extra"
        ),
        callscore("explain", "cases.jsonl", "--case", "exact", is_terminal=True),
        callscore("explain", "cases.jsonl", "--case", "nested", is_terminal=True),
        callscore("explain", "cases.jsonl", "--no-config", "--store", "other.db"),
        *(callscore("explain", "cases.jsonl", *more) for more in WRONG_OPTIONS),
        files=files,
    )


def _labelled_run(task: int, trial: int) -> str:
    """A run whose label follows its key, with a note that differs at random."""
    success = (task + trial) % 2 == 0
    note = ("as agreed", "ok", "done")[(task * 7 + trial * 3) % 3]
    run = {
        "id": f"t{task}",
        "trial": trial,
        "success": success,
        "expected": [{"name": "save", "arguments": {"key": task, "note": "as agreed"}}],
        "actual": [{"name": "save", "arguments": {"key": task if success else -1, "note": note}}],
    }
    return json_text(run if task else run | {"success": True, "actual": ["store"]})


def _advise_jobs() -> Iterator[Job]:
    lines = [_labelled_run(task, trial) for task in range(20) for trial in range(3)]
    files = {
        "runs.jsonl": "".join(f"{line}\n" for line in lines),
        "few.jsonl": "".join(f"{line}\n" for line in lines[:9]),
    }
    for language in LANGUAGES:
        yield job(
            f"advise/formats/{language}",
            *(
                callscore("advise", "runs.jsonl", "--format", form, "--lang", language)
                for form in ("table", "json", "markdown")
            ),
            callscore("advise", "few.jsonl", "--lang", language),
            callscore(
                "advise", "runs.jsonl", "--write", "--proposals", "p.jsonl", "--lang", language
            ),
            callscore("bless", "--proposals", "p.jsonl", "--dry-run", "--lang", language),
            files=files,
        )
    yield job(
        "advise/options",
        callscore("advise"),
        callscore("advise", "runs.jsonl", "--label", "id"),
        callscore("advise", "runs.jsonl", "--label", "trial", "--label-at-least", "1"),
        callscore("advise", "runs.jsonl", "--label", "nothing.here"),
        callscore("advise", "runs.jsonl", "--write", "runs.jsonl"),
        callscore(
            "advise", "--expected", "runs.jsonl", "--actual", "runs.jsonl", "--max-shown", "1"
        ),
        callscore("advise", "runs.jsonl", is_terminal=True),
        files=files,
    )


def _effects_jobs() -> Iterator[Job]:
    files = {"cases.jsonl": CASES, "tools.json": json_text(TOOLS)}
    for language in LANGUAGES:
        yield job(
            f"effects/formats/{language}",
            *(
                callscore("effects", "cases.jsonl", "--format", form, "--lang", language, *more)
                for form in ("table", "json", "markdown")
                for more in ((), ("--tools", "tools.json"))
            ),
            files=files,
        )
    yield job(
        "effects/options",
        callscore("effects", "cases.jsonl", is_cold=True),
        callscore("effects"),
        callscore("effects", "cases.jsonl", "--tools", "tools.json", is_terminal=True),
        callscore("effects", "-", stdin=CASES.encode()),
        callscore("effects", "--write", "cases.jsonl"),
        callscore("effects", "cases.jsonl", "--no-config", "--write"),
        callscore("effects", "cases.jsonl", "--write", "own.toml"),
        callscore("effects", "cases.jsonl", "--write"),
        callscore("effects", "cases.jsonl", "--config", "own.toml", "--write"),
        files=files,
    )


def _check_jobs() -> Iterator[Job]:
    files = {"cases.jsonl": CASES, "tools.json": json_text(TOOLS)}
    kinds = (
        *("any", "unknown_tool", "missing_argument", "unknown_argument", "wrong_type"),
        *("invalid_value", "malformed", "repeat", "loop", "retry_unchanged", "nothing"),
    )
    for language in LANGUAGES:
        yield job(
            f"check/formats/{language}",
            *(
                callscore("check", "cases.jsonl", "--format", form, "--lang", language, *more)
                for form in ("table", "json", "jsonl", "markdown")
                for more in ((), ("--tools", "tools.json"), ("--max-shown", "1"))
            ),
            files=files,
        )
    yield job(
        "check/options",
        callscore("check", "cases.jsonl", is_cold=True),
        callscore("check"),
        *(callscore("check", "cases.jsonl", "--fail-on", kind) for kind in kinds),
        callscore("check", "cases.jsonl", "--tools", "tools.json", "--fail-on", "wrong_type"),
        callscore("check", "cases.jsonl", "-o", "report.md", "--format", "markdown"),
        callscore("check", "cases.jsonl", "--tools", "tools.json", is_terminal=True),
        callscore("check", "-", stdin=CASES.encode()),
        callscore("check", "cases.jsonl", "--map", "actual=$.expected"),
        callscore("check", "cases.jsonl", "--input-format", "generic"),
        callscore("check", "cases.jsonl", "--view", "requested", "--candidate", "0"),
        callscore("check", "cases.jsonl", "--leave-out", "server", "--failure-pattern", "^ok"),
        callscore("check", "cases.jsonl", "--format", "junit"),
        callscore("check", "cases.jsonl", "--max-shown", "-1"),
        files=files,
    )


def _value_jobs() -> Iterator[Job]:
    """Values that are hard to compare: dates, texts, schemas, many calls of one tool, groups."""
    inputs = {
        "dates.jsonl": json_lines(DATE_CASES),
        "schemas.jsonl": json_lines(SCHEMA_CASES),
        "groups.jsonl": json_lines(GROUP_CASES),
        "many.jsonl": json_lines(MANY_CALLS),
    }
    files = {**inputs, "schema_tools.json": json_text(SCHEMA_TOOLS)}
    every = ("--show", "all", "--max-shown", "200")
    for name in inputs:
        yield job(
            f"score/values/{name}",
            *(callscore("score", name, *every, "--lang", language) for language in LANGUAGES),
            callscore("score", name, "--format", "json"),
            callscore(
                "score", name, *every, "--mode", "flexible", "--argument-match-threshold", "0.3"
            ),
            callscore("score", name, *every, "--order", "in_order"),
            callscore("score", name, *every, "--preset", "outcome"),
            callscore("score", name, *every, "--tools", "schema_tools.json"),
            callscore("check", name, "--tools", "schema_tools.json"),
            callscore(
                "check", name, "--tools", "schema_tools.json", "--lang", "ru", "--max-shown", "99"
            ),
            callscore("check", name, "--tools", "schema_tools.json", "--format", "jsonl"),
            callscore("metrics", "--disagree", name),
            callscore("explain", name),
            callscore("score", name, "--argument", "*.value=date"),
            callscore("score", name, "--argument", "*.value=text"),
            callscore("score", name, "--argument", "*.value=approx"),
            callscore("score", name, "--argument", "*.value=unordered"),
            files=files,
        )
    yield job(
        "generate/schemas",
        *(
            callscore("generate", "--tools", "schema_tools.json", "-n", "60", "--seed", str(seed))
            for seed in range(6)
        ),
        callscore("generate", "--tools", "schema_tools.json", "-n", "300", "-o", "made.jsonl"),
        callscore("score", "made.jsonl", "--tools", "schema_tools.json"),
        callscore("check", "made.jsonl", "--tools", "schema_tools.json"),
        files=files,
    )


def _reading_jobs() -> Iterator[Job]:
    files = {"cases.jsonl": CASES, "tools.json": json_text(TOOLS)}
    commands: tuple[tuple[str, ...], ...] = (
        ("score", "--show", "none"),
        ("check", "--max-shown", "2"),
        ("capture",),
        ("explain", "--case", "failed-retry"),
        ("metrics", "--disagree", "--max-shown", "1"),
    )
    for command, *more in commands:
        yield job(
            f"{command}/reading",
            *(callscore(command, "cases.jsonl", *more, *options) for options in READING),
            *(
                callscore(command, "cases.jsonl", *more, "--tools", "tools.json")
                for _ in range(command != "capture")
            ),
            callscore(command, "cases.jsonl", *more, "--output", "report.txt"),
            files=files,
        )


def _metrics_jobs() -> Iterator[Job]:
    files = {"cases.jsonl": CASES, **TWO_SIDES}
    for language in LANGUAGES:
        words = ("--lang", language)
        yield job(
            f"metrics/{language}",
            *(
                callscore("metrics", "--disagree", "cases.jsonl", "--format", form, *more, *words)
                for form in ("table", "json", "markdown")
                for more in (
                    (),
                    ("--max-shown", "1"),
                    ("--metric", "ragas.tool_call_f1", "--metric", "bfcl.valid"),
                )
            ),
            callscore("metrics", "--disagree", *words),
            callscore("metrics", "--disagree", "nowhere.jsonl", *words),
            callscore(
                *("metrics", "--disagree", "--expected", "expected.jsonl"),
                *("--actual", "actual.jsonl", *words),
            ),
            callscore("metrics", "--disagree", "cases.jsonl", "-o", "report.txt", *words),
            callscore("metrics", "--disagree", "cases.jsonl", *words, is_terminal=True),
            files=files,
        )
    yield job(
        "metrics/pages",
        callscore("metrics", is_cold=True),
        callscore("metrics", "ragas", "--json"),
        callscore("metrics", "--json", "-o", "metrics.json"),
        callscore("formats", "--json"),
        callscore("score", "cases.jsonl", "--limit", "2"),
        callscore("score", "cases.jsonl", "-o", "report.json"),
        callscore("score", "cases.jsonl", "-o", "report.html"),
        callscore("check", "cases.jsonl", "--limit", "1", "--json"),
        callscore("capture", "cases.jsonl", "--limit", "1"),
        callscore("sample", "cases.jsonl", "-n", "3", "--by", "tool"),
        callscore("sample", "cases.jsonl", "-n", "3", "--seed", "7", "-o", "sample.jsonl"),
        callscore("score", "cases.jsonl", "--sample", "3", "--by", "tool"),
        callscore("score", "cases.jsonl", "--sample", "3", "--json"),
        callscore("score", "*.jsonl", "--results", "rows.parquet", "--max-shown", "1"),
        callscore("score", "cases.jsonl", "--results", "rows.csv"),
        callscore("score", "cases.jsonl", "--results", "rows.parquet", "--save", "large"),
        callscore("scoer", "cases.jsonl"),
        callscore("demo", "--preset", "outcome", "--max-shown", "0"),
        *(callscore("metrics", name) for name in PEERS),
        *(callscore("metrics", name) for name in METRICS),
        callscore("metrics", "ragas.tool_call_f1", "bfcl.valid"),
        callscore("metrics", "ragsa"),
        callscore("metrics", "ragas.nope"),
        callscore("metrics", "cases.jsonl"),
        callscore("metrics", is_terminal=True),
        callscore("metrics", "ragas", is_terminal=True),
        callscore("metrics", environment={"COLUMNS": "60"}),
        files=files,
    )
    every = [option for name in METRICS for option in ("--metric", name)]
    yield job(
        "score/metrics",
        *(
            callscore("score", "cases.jsonl", "--show", "none", "--metric", name)
            for name in METRICS
        ),
        *(
            callscore("score", "cases.jsonl", "--show", "none", "--metric", name)
            for name in METRIC_OPTIONS
        ),
        *(
            callscore("score", "cases.jsonl", "--format", form, "--lang", language, *every)
            for form in ("table", "json", "jsonl", "markdown")
            for language in LANGUAGES
        ),
        files=files,
    )


def _making_jobs(repository: Path) -> Iterator[Job]:
    """Commands that make cases, and lists of what there is."""
    functions = (
        "from typing import Literal\n\n\n"
        "def book(flight: str, cabin: Literal['a', 'b'] = 'a', *, seats: list[int] | None = None) -> str:\n"
        '    """Book a flight.\n\n    Args:\n        flight: its number.\n    """\n\n\n'
        "def pay(amount: float) -> None:\n"
        '    """Pay."""\n'
    )
    sample = repository / "tests" / "samples" / "formats" / "openai_chat"
    files = {
        "tools.json": json_text(TOOLS),
        "tools.py": functions,
        "broken.py": "import no_such_module\n",
        "empty.json": "[]",
        "cases.jsonl": CASES,
    }
    for language in LANGUAGES:
        words = ("--lang", language)
        yield job(
            f"generate/{language}",
            callscore("generate", "--tools", "tools.json", "-n", "30", *words, is_cold=True),
            *(
                callscore("generate", "--tools", "tools.json", "-n", "12", "--kind", kind, *words)
                for kind in ("single", "several", "negative", "near_miss", "nothing")
            ),
            callscore("generate", "--tools", "tools.json", "-n", "8", "--seed", "7", *words),
            callscore("generate", "--tools", "tools.py", "-n", "8", *words),
            callscore("generate", "--tools", "tools.py:pay", "-n", "4", *words),
            callscore("generate", "--tools", "tools.py:nope", "-n", "4", *words),
            callscore("generate", "--tools", "broken.py", "-n", "4", *words),
            callscore("generate", "--tools", "empty.json", "-n", "4", *words),
            callscore("generate", "--tools", "nowhere.json", *words),
            callscore("generate", "--tools", "tools.json", "-n", "0", *words),
            callscore("generate", "--tools", "tools.json", "--count", "2", "--output", "two.jsonl"),
            callscore("generate", *words),
            callscore("generate", "--tools", "tools.json", "-n", "40", "-o", "made.jsonl", *words),
            callscore("generate", "--tools", "tools.json", "-n", "4", "-o", "made.jsonl", *words),
            callscore("score", "made.jsonl", "--tools", "tools.json", *words),
            callscore("check", "made.jsonl", "--tools", "tools.json", *words),
            callscore("metrics", "--disagree", "made.jsonl", *words),
            callscore(
                *("generate", "--tools", "tools.json", "-n", "4", "-o", "made.jsonl"),
                *("--force", *words),
            ),
            callscore("capture", "cases.jsonl", *words, is_cold=True),
            callscore("capture", "cases.jsonl", "-o", "captured.jsonl", *words),
            callscore("capture", "cases.jsonl", "-o", "captured.jsonl", *words),
            callscore("capture", "cases.jsonl", "-o", "captured.jsonl", "--force", *words),
            callscore("capture", "captured.jsonl", "--map", "id=$.id", *words),
            callscore("capture", *words),
            callscore("capture", "cases.jsonl", "--input-format", "generic", *words),
            callscore("capture", "cases.jsonl", "--view", "executed", *words),
            files=files,
        )
    names = sorted(entry.name for entry in (sample.parent).iterdir() if entry.is_dir())
    yield job(
        "formats",
        callscore("formats", is_cold=True),
        *(callscore("formats", name) for name in names),
        callscore("formats", "openai_chta"),
        callscore("formats", environment={"COLUMNS": "200"}),
        callscore("formats", is_terminal=True),
    )
    documents = _documents(sample)
    texts = _documents(sample.parent / "text_hermes")
    first, text = next(iter(documents)), next(iter(texts))
    yield job(
        "extract/options",
        callscore("extract", first, is_cold=True),
        callscore("extract"),
        callscore("extract", "-", stdin=documents[first]),
        callscore("extract", first, "-o", "calls.jsonl"),
        callscore("extract", first, "--output", "again.jsonl", "--view", "requested"),
        callscore("extract", first, "--input-format", "nothing"),
        callscore("extract", first, "--input-format", "anthropic"),
        callscore("extract", first, "--candidate", "1"),
        callscore("extract", first, "--candidate", "-1"),
        callscore("extract", first, "--view", "asked"),
        callscore("extract", first, "--leave-out", "nobody"),
        callscore("extract", first, "--failure-pattern", "["),
        callscore("extract", text, "--tools", "tools.json"),
        callscore("extract", text, "--tools", "nowhere.json"),
        *(
            callscore("extract", *documents, "--leave-out", who)
            for who in ("user", "subagent", "code", "server")
        ),
        callscore("extract", *documents, "nowhere.json", "--skip-bad"),
        files={**documents, **texts, "tools.json": json_text(TOOLS)},
    )


def _trajectory_jobs(repository: Path) -> Iterator[Job]:
    """Real trajectories: those that come with callscore, and those of the validity study."""
    data = repository / "benchmarks" / "validity" / "data"
    files = {file.name: file.read_bytes() for file in sorted(data.glob("*.jsonl.gz"))}
    bundled = repository / "src" / "callscore" / "data" / "airline-gpt-4o.jsonl.gz"
    files[bundled.name] = bundled.read_bytes()
    names = sorted(files)
    yield job(
        "trajectories",
        *(callscore("score", name) for name in names),
        *(callscore("score", name, "--preset", "outcome", "--lang", "ru") for name in names),
        *(callscore("check", name) for name in names),
        callscore("metrics", "--disagree", names[0]),
        callscore("compare", *names[1:3]),
        callscore("compare", names[0], names[-1], "--input-format", "json", "--preset", "outcome"),
        callscore("explain", names[0], "--lang", "ru"),
        callscore("score", names[0], "--save", "airline", "--show", "none"),
        callscore("show", "airline", "--show", "none"),
        callscore("rescore", "airline", "--preset", "outcome", "--format", "markdown"),
        callscore("compare", "latest~1", "latest"),
        files=files,
    )


def _documents(folder: Path) -> dict[str, bytes]:
    return {
        file.relative_to(folder).as_posix(): file.read_bytes()
        for file in sorted(folder.rglob("*"))
        if file.is_file() and ".expected." not in file.name and ".schemas." not in file.name
    }


def _sample_jobs(repository: Path) -> Iterator[Job]:
    """Every sample trace through extract, and some through the other commands."""
    samples = repository / "tests" / "samples"
    folders = [*sorted((samples / "formats").iterdir()), *sorted((samples / "recorded").iterdir())]
    for folder in [*folders, samples / "files"]:
        if not folder.is_dir():
            continue
        files = _documents(folder)
        first = next(iter(files))
        steps = [
            *(callscore("extract", name) for name in files),
            callscore("extract", *files, "--definitions", "--skip-bad"),
            callscore("check", *files, "--skip-bad"),
            callscore("score", *files, "--skip-bad", "--show", "all"),
            callscore("score", first, "--lang", "ru"),
            callscore("capture", *files, "--skip-bad"),
            callscore("extract", first, "--view", "executed"),
            callscore("extract", first, "--leave-out", "none"),
            callscore("extract", first, "--input-format", folder.name),
        ]
        yield job(f"samples/{folder.parent.name}/{folder.name}", *steps, files=files)

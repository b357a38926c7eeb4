"""The commands whose output is recorded, in the folders that they are run in."""

from __future__ import annotations

from typing import NamedTuple

__all__ = ["PLACES", "Place", "Snapshot"]

REPORT = "table colour json markdown html"
TEXTS = "table colour json markdown"


class Snapshot(NamedTuple):
    """The output of one command.

    Attributes:
        name: `SUBJECT/NAME`, the beginning of the names of the files.
        command: what is typed after `callscore`.
        formats: `table` is the text for a file or a pipe in three widths, `middle` in one of them,
            `colour` that for a terminal; other words are values of `--format`. Colours and formats
            for programs have the first language only, or all with a `+`. JSON is laid out anew, unless `raw-json`.
        languages: of `--lang`; empty for a command that has no such option.
        environment: what the environment has, beside what it has for every command.
    """

    name: str
    command: str
    formats: str = "middle"
    languages: tuple[str, ...] = ("en", "ru")
    environment: tuple[tuple[str, str], ...] = ()


class Place(NamedTuple):
    """A folder in which commands are run one after another.

    Attributes:
        name: of the folder.
        files: folders below `values` whose files are copied into it.
        setup: commands before those that are recorded: of `git`, of callscore, or `cp`.
        snapshots: what is recorded.
    """

    name: str
    files: tuple[str, ...]
    setup: tuple[str, ...]
    snapshots: tuple[Snapshot, ...]


_ENGLISH = ("en",)
_NO_LANGUAGE = ("",)
_GITHUB = (("GITHUB_ACTIONS", "true"), ("GITHUB_STEP_SUMMARY", "summary.md"))
_SETTINGS = (
    *("--mode", "flexible", "--extra-arguments", "count", "--count-calls", "writes"),
    *("--failed-calls", "ignore", "--repeated-calls", "collapse", "--arrays", "unordered"),
    *("--nested-objects", "subset", "--strip-prefix", "mcp__*__", "--normalize-name", "case"),
    *("--effect", "get_*=read", "--argument", "*.city=text", "--pass-mark", "0.5", "--top-k", "2"),
    *("--extra-calls", "reads_free", "--schema-defaults", "equal", "--turns", "cumulative"),
)

_FILES = (
    Snapshot(
        "score/cases",
        "score cases.jsonl --show all --max-shown 200",
        "table colour markdown html junit",
    ),
    Snapshot("score/rules", "score rules.jsonl", "middle"),
    Snapshot("score/conversations", "score conversations.jsonl --show all", REPORT + " junit"),
    Snapshot("score/hostile", "score hostile.jsonl --show all", REPORT + " junit jsonl"),
    Snapshot("score/few", "score cases.jsonl --max-shown 2", "middle"),
    Snapshot("score/none", "score cases.jsonl --show none", "middle markdown json junit html"),
    Snapshot(
        "score/good", "score cases.jsonl --limit 2 --show all", TEXTS + " html+ junit raw-json"
    ),
    Snapshot(
        "score/tools",
        "score cases.jsonl traces.jsonl --tools tools.json --max-shown 3",
        "table colour json markdown html",
    ),
    Snapshot(
        "score/settings",
        f"score cases.jsonl conversations.jsonl {' '.join(_SETTINGS)} --max-shown 200",
    ),
    Snapshot(
        "score/metrics",
        "score cases.jsonl --metric ragas.tool_call_f1 --metric bfcl.valid"
        " --metric deepeval.tool_correctness --metric tool_scorer.path_efficiency"
        " --preset outcome --max-shown 4",
        "middle colour json markdown",
    ),
    Snapshot(
        "score/turns-cumulative",
        "score conversations.jsonl --turns cumulative --callers agent,user",
        "middle",
    ),
    Snapshot("score/in-order", "score conversations.jsonl --order in_turns", "middle"),
    Snapshot("score/exact-order", "score log.jsonl --order exact --max-shown 3", "middle"),
    Snapshot("score/coverage", "score log.jsonl --preset coverage --max-shown 3", "middle json"),
    Snapshot(
        "score/joined",
        "score --expected references.jsonl --actual joined.jsonl --max-shown 2",
        "middle json markdown html",
    ),
    Snapshot("score/unreadable", "score unreadable.jsonl --skip-bad", REPORT + " junit jsonl"),
    Snapshot("score/stopped", "score unreadable.jsonl", "middle json markdown html"),
    Snapshot("score/fail-under", "score log.jsonl --fail-under 0.9 --limit 4", "middle html+"),
    Snapshot("score/reached", "score log.jsonl --fail-under 0.1 --limit 4", "middle html"),
    Snapshot("score/groups", "score groups.jsonl", "table json"),
    Snapshot("score/many", "score many.jsonl --max-shown 2", "middle markdown"),
    Snapshot("score/many-calls", "score many.jsonl --show all --max-shown 24", "middle", _ENGLISH),
    Snapshot(
        "score/one-metric", "score groups.jsonl --metric bfcl.valid --limit 2", "junit html jsonl"
    ),
    Snapshot(
        "score/reads",
        "score reads.jsonl --preset outcome --show all",
        "middle json markdown html junit",
    ),
    Snapshot(
        "score/trials",
        "score trials.jsonl --sample 5 --by tag --max-shown 1",
        "middle html markdown",
    ),
    Snapshot("score/no-estimate", "score effects.jsonl --sample 1", "middle markdown"),
    Snapshot(
        "score/two-formats",
        "score cases.jsonl traces.jsonl --limit 1 --show all --tools tools.json",
        "middle",
    ),
    Snapshot("score/sample", "score log.jsonl --sample 9 --by tag --show none", TEXTS),
    Snapshot("score/nothing", "score effects.jsonl", "middle colour json markdown html junit"),
    Snapshot("explain/missed", "explain cases.jsonl --case missed", "table colour"),
    Snapshot("explain/groups", "explain cases.jsonl --case one-of --tools tools.json"),
    Snapshot("explain/forbidden", "explain cases.jsonl --case forbidden"),
    Snapshot("explain/flexible", "explain cases.jsonl --case many-differences --mode flexible"),
    Snapshot("explain/writes", "explain cases.jsonl --case reads --preset outcome", "table"),
    Snapshot("explain/free", "explain cases.jsonl --case reads --extra-calls free"),
    Snapshot("explain/collapsed", "explain cases.jsonl --case repeated --repeated-calls collapse"),
    Snapshot("explain/failed", "explain cases.jsonl --case failed-retry --failed-calls ignore"),
    Snapshot("explain/times", "explain cases.jsonl --case times"),
    Snapshot("explain/in-order", "explain cases.jsonl --case swapped --order in_order"),
    Snapshot("explain/exact", "explain cases.jsonl --case swapped --order exact"),
    Snapshot("explain/schema", "explain cases.jsonl --case schema", "table"),
    Snapshot("explain/nothing", "explain cases.jsonl --case nothing"),
    Snapshot(
        "explain/enough",
        "explain cases.jsonl --case lacking --mode flexible --argument-match-threshold 0.5",
    ),
    Snapshot("explain/many-calls", "explain many.jsonl --case many-calls", "middle", _ENGLISH),
    Snapshot(
        "explain/many-turns",
        "explain many.jsonl --case many-turns --turns cumulative",
        "middle",
        _ENGLISH,
    ),
    Snapshot("explain/nested-groups", "explain groups.jsonl --case nested --order in_order"),
    Snapshot("explain/one-of", "explain groups.jsonl --case one-of-unmet"),
    Snapshot(
        "explain/defaults", "explain groups.jsonl --case callers-paired --schema-defaults equal"
    ),
    Snapshot("explain/rule", "explain rules.jsonl --case approx-unmet"),
    Snapshot("explain/turns", "explain conversations.jsonl --case turns", "table"),
    Snapshot(
        "explain/cumulative", "explain conversations.jsonl --case another-turn --turns cumulative"
    ),
    Snapshot("explain/joined", "explain conversations.jsonl --case joined --order in_turns"),
    Snapshot("explain/state", "explain conversations.jsonl --case state-wrong"),
    Snapshot("explain/callers", "explain conversations.jsonl --case callers"),
    Snapshot("explain/hostile", "explain hostile.jsonl", "table"),
    Snapshot("explain/secret", "explain hostile.jsonl --case secret"),
    Snapshot("check/traces", "check traces.jsonl --tools tools.json", REPORT + " jsonl"),
    Snapshot("check/few", "check traces.jsonl --tools tools.json --max-shown 2", "middle"),
    Snapshot("check/no-tools", "check traces.jsonl hostile.jsonl", "table markdown html"),
    Snapshot("check/faultless", "check log.jsonl", "middle json markdown html"),
    Snapshot("check/unreadable", "check unreadable.jsonl --skip-bad", "middle json markdown html"),
    Snapshot(
        "check/many", "check many.jsonl --tools tools.json --max-shown 1", "middle markdown json"
    ),
    Snapshot("check/no-calls", "check nothing.jsonl", "middle markdown html"),
    Snapshot("check/fail-on", "check traces.jsonl --tools tools.json --fail-on loop --max-shown 1"),
    Snapshot("effects/traces", "effects effects.jsonl --tools tools.json", TEXTS),
    Snapshot(
        "effects/unknown",
        "effects traces.jsonl unreadable.jsonl --skip-bad",
        "middle markdown",
    ),
    Snapshot(
        "effects/settings", "effects effects.jsonl --config effects.toml", "middle json markdown"
    ),
    Snapshot("advise/labelled", "advise labelled.jsonl", TEXTS),
    Snapshot("advise/random", "advise random.jsonl", "middle json"),
    Snapshot("advise/kept", "advise labelled.jsonl --config kept.toml", "middle markdown"),
    Snapshot("advise/few", "advise labelled.jsonl --max-shown 1", "middle markdown"),
    Snapshot("sample/by-tag", "sample log.jsonl -n 6 --by tag"),
    Snapshot("sample/by-tool", "sample log.jsonl -n 6 --by tool --seed 1"),
    Snapshot("sample/trials", "sample trials.jsonl -n 5 --by tag -o trials-sample.jsonl --force"),
    Snapshot("sample/all", "sample log.jsonl hostile.jsonl -n 1000 -o sample.jsonl --force"),
    Snapshot("demo/demo", "demo --max-shown 1", "middle"),
    Snapshot("formats/list", "formats", "middle", _NO_LANGUAGE),
    Snapshot("formats/one", "formats openai_chat", "table", _NO_LANGUAGE),
    Snapshot("formats/identify", "formats --identify cases.jsonl", "table json", _NO_LANGUAGE),
    Snapshot("metrics/list", "metrics", "middle", _NO_LANGUAGE),
    Snapshot("validate/files", "validate cases.jsonl unreadable.jsonl", "table colour json"),
    Snapshot("validate/github", "validate unreadable.jsonl", "middle", environment=_GITHUB),
    Snapshot("compare/files", "compare before.jsonl after.jsonl", REPORT),
    Snapshot(
        "compare/f1",
        "compare before.jsonl after.jsonl --measure f1 --max-shown 2",
        "middle json markdown",
    ),
    Snapshot("compare/better", "compare after.jsonl before.jsonl", "middle colour markdown json"),
    Snapshot("compare/same", "compare before.jsonl before.jsonl", "middle colour markdown json"),
    Snapshot("compare/nothing-common", "compare before.jsonl log.jsonl", "middle json markdown"),
    Snapshot("compare/hostile", "compare hostile.jsonl hostile-after.jsonl", REPORT),
    Snapshot("compare/fail-on", "compare before.jsonl after.jsonl --fail-on any --max-shown 1"),
)

_RUN = "run --jobs 1"
_RUNS = (
    Snapshot("run/all", _RUN, REPORT + " junit"),
    Snapshot("run/suite", f"{_RUN} eval_weather.toml", "middle json junit"),
    Snapshot(
        "run/passed", f"{_RUN} eval_weather.toml -k 'oslo or rome' --trials 2", "middle markdown"
    ),
    Snapshot("run/quiet", f"{_RUN} -q"),
    Snapshot("run/few", f"{_RUN} --max-shown 1", "middle markdown"),
    Snapshot("run/first-failure", f"{_RUN} -x", "middle markdown json"),
    Snapshot("run/good", f"{_RUN} eval_weather.toml -k oslo --show all", REPORT + " junit"),
    Snapshot("run/cached", f"{_RUN} --cache eval_weather.toml --show none", "middle json"),
    Snapshot("run/plan", f"{_RUN} --collect-only", "table colour json"),
    Snapshot("run/nothing", f"{_RUN} -k nothing"),
    Snapshot("run/broken", f"{_RUN} eval_broken.py", "middle markdown json junit"),
)

_HISTORY = (
    Snapshot("history/list", "history", "table colour json"),
    Snapshot("history/tag", "history --tag north", "table"),
    Snapshot("history/few", "history --max-shown 2", "middle json"),
    Snapshot("history/one", "history -k weather", "middle"),
    Snapshot("history/no-match", "history -k nothing"),
    Snapshot("history/baselines", "baseline list", "table colour json"),
    Snapshot("show/assistant", "show latest", "middle colour markdown"),
    Snapshot("show/stopped", "show stopped --show none", "middle markdown junit"),
    Snapshot("show/part", "show part", "middle"),
    Snapshot("show/weather", "show worse", "middle json markdown junit"),
    Snapshot("show/scored", "show scored --max-shown 3", "middle"),
    Snapshot("case/passed", "show main oslo", "middle json html"),
    Snapshot("case/failed", "show worse oslo", REPORT),
    Snapshot("case/trials", "show latest sum", REPORT),
    Snapshot("case/custom", "show latest custom", REPORT),
    Snapshot("case/forbidden", "show latest 'assistant [good]::forbidden'", "middle markdown"),
    Snapshot("case/hostile", "show scored-hostile secret", "middle markdown json"),
    Snapshot("case/unreferenced", "show latest unreferenced", "middle markdown json html"),
    Snapshot("case/error", "show latest unreadable", "middle markdown json html"),
    Snapshot("case/turns", "show scored turns", TEXTS + " html+"),
    Snapshot("compare/runs", "compare main worse", TEXTS),
    Snapshot(
        "compare/variants",
        "compare latest:good 'latest:bad, with a long name'",
        "table markdown json",
    ),
    Snapshot("compare/scorer", "compare main worse --measure recall", "middle json markdown"),
    Snapshot("compare/settings", "compare scored rescored", "middle"),
    Snapshot("compare/itself", "compare main main"),
    Snapshot("gate/worse", "gate worse --against main", TEXTS + " html+" + " junit"),
    Snapshot(
        "gate/any",
        "gate worse --against main --fail-on any --max-shown 1",
        "middle json markdown junit",
    ),
    Snapshot("gate/broken", "gate worse --against main --fail-on broken --measure f1"),
    Snapshot("gate/same", "gate same --against main", "middle colour json markdown junit"),
    Snapshot("gate/bit", "gate bit --against main", "middle colour json markdown junit"),
    Snapshot("gate/itself", "gate main --against main", "middle json"),
    Snapshot("gate/other", "gate latest --against main", "middle json markdown"),
    Snapshot("gate/scored", "gate rescored --against scored", "middle markdown junit"),
    Snapshot(
        "gate/removed",
        "gate worse --against main --removed weather::dakar=closed",
        "middle json markdown",
    ),
    Snapshot("gate/fewer", "gate fewer --against main", "middle html junit"),
    Snapshot("gate/stopped", "gate stopped --against latest", "middle markdown"),
    Snapshot("gate/part", "gate part --against main", "middle"),
    Snapshot("gate/github-open", "gate same --against main", "middle", environment=_GITHUB),
    Snapshot("compare/totals", "compare total-before total-after", TEXTS),
    Snapshot("gate/github", "gate worse --against main", "middle", environment=_GITHUB),
    Snapshot("gate/github-hostile", "gate after --against before", "middle", environment=_GITHUB),
    Snapshot("gate/files", "gate after --against before", TEXTS + " junit"),
    Snapshot("export/run", "export worse", "csv", _ENGLISH),
)

PLACES = (
    Place("files", (".",), (), _FILES),
    Place(
        "empty",
        (),
        (),
        (
            Snapshot("history/empty", "history"),
            Snapshot("history/empty-tag", "history --tag north"),
            Snapshot("history/no-baselines", "baseline list"),
        ),
    ),
    Place("runs", ("project",), (), _RUNS),
    Place(
        "commit",
        (".", "project"),
        (
            "git init --quiet -b main",
            "git add eval_weather.toml answers.jsonl",
            "git commit --quiet -m first",
            "callscore run --jobs 1 eval_weather.toml --name whole",
            "callscore score cases.jsonl --save scored",
            "callscore run --jobs 1 eval_weather.toml -k oslo --name part",
        ),
        (Snapshot("show/commit", "show HEAD --show none", "middle"),),
    ),
    Place(
        "history",
        (".", "project"),
        (
            "git init --quiet -b main",
            "git add eval_weather.toml answers.jsonl",
            "git commit --quiet -m first",
            "callscore run --jobs 1 eval_weather.toml --name first",
            "callscore baseline set first",
            "callscore run --jobs 1 eval_weather.toml --name same",
            "cp answers_bit.jsonl answers.jsonl",
            "callscore run --jobs 1 eval_weather.toml --name bit",
            "cp answers_worse.jsonl answers.jsonl",
            "git add answers.jsonl",
            "git commit --quiet -m second",
            "callscore run --jobs 1 eval_weather.toml --name worse",
            "callscore score cases.jsonl conversations.jsonl --save scored",
            "callscore rescore scored --preset outcome",
            "callscore baseline set latest --name rescored --allow-incomplete",
            "callscore score before.jsonl --save before",
            "callscore score after.jsonl --save after",
            "callscore run --jobs 1 eval_assistant.py -x --name stopped",
            "callscore run --jobs 1 eval_weather.toml -k oslo --name part",
            "cp weather_fewer.jsonl weather.jsonl",
            "callscore run --jobs 1 eval_weather.toml --name fewer",
            "callscore score hostile.jsonl --save scored-hostile",
            "callscore score before.jsonl --save total-before --save-cases none --results before.parquet",
            "callscore score after.jsonl --save total-after --save-cases none --results after.parquet",
            "callscore run --jobs 1 --name assistant",
        ),
        _HISTORY,
    ),
)

"""Commands about runs that are kept: history, baselines, compare, gate, bless, export, import."""

from __future__ import annotations

from typing import TYPE_CHECKING

from tools.transcript.files_corpus import SETTINGS
from tools.transcript.inputs import (
    AGENT,
    CASES,
    MOODY,
    TOOLS,
    TWO_SIDES,
    answer_lines,
    json_lines,
    json_text,
    weather_files,
)
from tools.transcript.steps import callscore, edit, job, shell

if TYPE_CHECKING:
    from collections.abc import Iterator

    from tools.transcript.steps import Job, Step

__all__ = ["history_jobs"]

LANGUAGES = ("en", "ru")
RUN_FORMATS = ("table", "json", "markdown", "junit")


def history_jobs() -> Iterator[Job]:
    """All jobs of these commands."""
    yield from _history_jobs()
    yield from _compare_jobs()
    yield from _gate_jobs()
    yield from _bless_jobs()
    yield from _exchange_jobs()
    yield from _saved_jobs()
    yield from _setting_jobs()


def _history_jobs() -> Iterator[Job]:
    files = weather_files()
    yield job(
        "history/empty",
        *(
            callscore(*command, "--lang", language)
            for language in LANGUAGES
            for command in (
                ("history",),
                ("show",),
                ("rescore",),
                ("baseline", "list"),
                ("baseline", "set"),
                ("baseline", "remove", "main"),
                ("gc", "--keep", "1"),
                ("export", "latest"),
                ("bless", "latest"),
                ("compare", "latest~1", "latest"),
                ("gate", "--against", "main"),
                ("import", "nowhere.jsonl"),
            )
        ),
        callscore("history", "--store", "nowhere/history.db"),
        callscore("history", "--store", "postgresql://127.0.0.1:1/none"),
        callscore("history", "--store", "mysql://x"),
    )
    runs: list[Step] = []
    for wrong in ((), ("oslo",), ("oslo", "rome", "lima"), ("rome",)):
        runs += [edit({"answers.jsonl": answer_lines(*wrong)}), callscore("run", "--show", "none")]
    for language in LANGUAGES:
        words = ("--lang", language)
        yield job(
            f"history/runs/{language}",
            *runs,
            callscore("history", *words, is_cold=True),
            callscore("history", "--json", *words),
            callscore("history", "--max-shown", "2", *words),
            callscore("history", "--tag", "north", *words),
            callscore("history", "-k", "weather", *words),
            callscore("history", "-k", "nope", *words),
            callscore("history", *words, is_terminal=True),
            callscore("baseline", "set", "latest~1", *words),
            callscore("baseline", "set", "--name", "release", *words),
            callscore("baseline", "set", "{run1}", "--name", "latest", *words),
            callscore("baseline", "set", "nope", *words),
            callscore("baseline", "list", *words, is_cold=True),
            callscore("baseline", "list", "--json", *words),
            callscore("show", "release", "--show", "none", *words),
            callscore("gc", "--keep", "1", "--dry-run", *words),
            callscore("gc", "--keep", "-1", *words),
            callscore("gc", *words),
            callscore("gc", "--keep", "1", *words, is_cold=True),
            callscore("history", *words),
            callscore("baseline", "remove", "release", *words),
            callscore("baseline", "remove", "release", *words),
            callscore("gc", "--keep", "0", *words),
            callscore("baseline", "list", *words),
            callscore("baseline", "nope", *words),
            files=files,
        )


def _compare_jobs() -> Iterator[Job]:
    before = json_lines(
        [{"id": f"c{n}", "expected": ["f"], "actual": ["f"], "tags": ["x"]} for n in range(40)]
    )
    after = json_lines(
        [
            {"id": f"c{n}", "expected": ["f"], "actual": ["g" if n % 3 else "f"], "tags": ["x"]}
            for n in range(1, 41)
        ]
    )
    # Scores between 0 and 1, and several trials of each case.
    graded = {
        name: json_lines(
            [
                {
                    "id": f"g{n}",
                    "trial": trial,
                    "expected": ["a", "b", "c", "d"],
                    "actual": ["a", "b", "c", "d"][: (n * step + trial) % 5],
                    "tags": ["even" if n % 2 == 0 else "odd"],
                }
                for n in range(30)
                for trial in range(3)
            ]
        )
        for name, step in (("graded.jsonl", 1), ("regraded.jsonl", 2), ("worse.jsonl", 0))
    }
    files = {
        "before.jsonl": before,
        "after.jsonl": after,
        "cases.jsonl": CASES,
        **graded,
        **TWO_SIDES,
    }
    for language in LANGUAGES:
        words = ("--lang", language)
        yield job(
            f"compare/files/{language}",
            *(
                callscore("compare", *sides, "--format", form, *words)
                for sides in (
                    ("before.jsonl", "after.jsonl"),
                    ("after.jsonl", "before.jsonl"),
                    ("before.jsonl", "before.jsonl"),
                    ("cases.jsonl", "before.jsonl"),
                )
                for form in ("table", "json", "markdown")
            ),
            *(
                callscore("compare", "before.jsonl", "after.jsonl", *more, *words)
                for more in (
                    ("--measure", "f1"),
                    ("--measure", "nope"),
                    ("--fail-on", "regressed"),
                    ("--fail-on", "broken"),
                    ("--fail-on", "any"),
                    ("--max-shown", "2"),
                    ("--max-shown", "0"),
                    ("-o", "report.md", "--format", "markdown"),
                    ("--expected", "expected.jsonl"),
                    ("--preset", "flexible"),
                    ("--order", "exact", "--measure", "f1"),
                    ("--config", "nowhere.toml"),
                )
            ),
            *(
                callscore("compare", *sides, "--measure", measure, "--format", form, *words)
                for sides in (("graded.jsonl", "regraded.jsonl"), ("graded.jsonl", "worse.jsonl"))
                for measure in ("f1", "passed")
                for form in ("table", "json")
            ),
            callscore("compare", "before.jsonl", "after.jsonl", *words, is_terminal=True),
            callscore(
                "compare", "actual.jsonl", "actual.jsonl", "--expected", "expected.jsonl", *words
            ),
            callscore("compare", "before.jsonl", "nowhere.jsonl", *words),
            callscore("compare", "before.jsonl", *words),
            callscore("compare", "nope", "latest", *words),
            files=files,
        )
        yield job(
            f"compare/runs/{language}",
            callscore("run", "--name", "one"),
            edit(
                {"answers.jsonl": answer_lines("oslo", "rome", "lima", "quito", "accra", "dakar")}
            ),
            callscore("run", "--name", "two"),
            *(
                callscore("compare", "one", "two", "--format", form, *words)
                for form in ("table", "json", "markdown")
            ),
            callscore("compare", "latest", "latest~1", *words, is_cold=True),
            callscore("compare", "two", "two", *words),
            callscore("compare", "one", "two", "--measure", "recall", "--fail-on", "any", *words),
            callscore("compare", "one", "cases.jsonl", *words),
            callscore("compare", "one:nope", "two", *words),
            callscore("compare", "{run1}", "{run2}", "--max-shown", "1", *words),
            files=weather_files(more="scorers = ['exact', 'recall']\n"),
        )
    yield job(
        "compare/variants",
        callscore("run", "--jobs", "1", "--show", "none"),
        callscore("compare", "latest:good", "latest:bad"),
        callscore("compare", "latest:good", "latest:bad", "--measure", "is_brief", "--lang", "ru"),
        callscore("compare", "latest:good", "latest:bad", "--format", "json"),
        callscore("compare", "latest:god", "latest:bad"),
        callscore("rescore", "--mode", "flexible", "--show", "none"),
        callscore("compare", "latest~1", "latest", "--format", "markdown"),
        callscore("gate", "--against", "latest~1"),
        files={"eval_moody.py": MOODY},
    )


def _gate_jobs() -> Iterator[Job]:
    for language in LANGUAGES:
        words = ("--lang", language)
        for name, wrong in (
            ("worse", ("oslo", "rome", "lima", "quito")),
            ("same", ()),
            ("bit", ("oslo",)),
        ):
            yield job(
                f"gate/{name}/{language}",
                callscore("run", "--show", "none"),
                callscore("baseline", "set"),
                callscore("gate", "--against", "main", *words),
                edit({"answers.jsonl": answer_lines(*wrong)}),
                callscore("run", "--show", "none", "--fail-under", "0.8"),
                *(
                    callscore("gate", "--against", "main", "--format", form, *words)
                    for form in RUN_FORMATS
                ),
                callscore("gate", "--against", "main", "--fail-on", "broken", *words),
                callscore("gate", "--against", "main", "--fail-on", "any", *words),
                callscore(
                    "gate", "--against", "main", "--measure", "f1", "--max-shown", "1", *words
                ),
                callscore("gate", "--against", "main", "--removed", "oslo=gone", *words),
                callscore("gate", "--against", "main", "--max-skipped", "1", *words),
                callscore("gate", "--against", "nope", *words),
                callscore("gate", "latest~1", "--against", "main", *words),
                callscore("gate", "--against", "main", *words, is_terminal=True),
                callscore("gate", *words),
                callscore(
                    *("gate", "--against", "main", *words),
                    environment={
                        "GITHUB_ACTIONS": "true",
                        "GITHUB_STEP_SUMMARY": "summary.md",
                        "CI": "true",
                    },
                ),
                callscore(
                    "gate", "--against", "main", "-o", "gate.json", "--format", "json", *words
                ),
                files=weather_files(),
            )
    commit = "git add -A && git commit --quiet -m change"
    yield job(
        "gate/git",
        shell(f"git init --quiet -b main && echo .callscore > .gitignore && {commit}"),
        callscore("run", "--show", "none"),
        edit({"answers.jsonl": answer_lines("oslo", "rome", "lima", "quito")}),
        callscore("run", "--show", "none"),
        shell(commit),
        callscore("run", "--show", "none"),
        callscore("history"),
        callscore("history", "--json"),
        callscore("compare", "HEAD~1", "HEAD"),
        callscore("compare", "main~1", "main", "--lang", "ru"),
        callscore("gate", "HEAD", "--against", "HEAD~1"),
        callscore("show", "HEAD", "--show", "none"),
        callscore("show", "HEAD~7"),
        callscore("baseline", "set", "HEAD"),
        callscore("baseline", "list"),
        callscore("export", "HEAD"),
        files=weather_files(),
    )


_BLESSED = {
    "eval_yaml.yaml": """\
# The cases of the team.
answers: answers.jsonl
cases:
  - id: paris   # the first
    input: weather in Paris
    expected:
      - name: get_weather   # whatever the country
        arguments: {city: Paris}
  - id: oslo
    input: weather in Oslo
    expected:
      - {name: get_weather, arguments: {city: {$regex: ^O}}}
  - id: rome
    input: weather in Rome
    expected: []
""",
    "eval_toml.toml": """\
answers = "answers.jsonl"

# of the first
[[cases]]
id = "paris"
input = "hi"
expected = [{ name = "get_weather", arguments = { city = "Paris" } }] # the tool

[[cases]]
id = "oslo"
input = "ho"
[[cases.expected]]
name = "get_time"
arguments.city = "Oslo"
""",
    "eval_lines.yaml": "answers: answers.jsonl\ncases: lines.jsonl\n",
    "lines.jsonl": '{"id": "paris", "input": "hi", "expected": ["f"], "note": 1.50}\n'
    '{"id": "oslo",   "input": "ho", "expected": [{"in_order": ["a", "b"]}]}\n',
    "eval_json.yaml": "answers: answers.jsonl\ncases: document.json\n",
    "document.json": '[\n  {"id": "paris", "input": "hi", "expected": [\n    "f"\n  ]}\n]\n',
    "eval_python.py": AGENT
    + """
@evaluation(cases=CASES)
def python_cases(case):
    return ask(case)


@evaluation(cases=[
    Case("hi", id="inline", expected=["f"]),  # a greeting
    Case("ho", id="literal", expected=[expect.call("say", text={"$gt": 1})]),
], trials=2)
def inline(case):
    return [("say", {"text": {"$gt": 2}})]
""",
    "answers.jsonl": json_lines(
        [
            {
                "id": "paris",
                "answer": [{"name": "get_weather", "arguments": {"city": "Paris, FR"}}],
            },
            {"id": "oslo", "answer": [{"name": "get_weather", "arguments": {"city": "Bergen"}}]},
            {"id": "rome", "answer": ["get_weather", ["look", {"at": [1, {"x": None}]}]]},
        ]
    ),
}


def _bless_jobs() -> Iterator[Job]:
    for language in LANGUAGES:
        words = ("--lang", language)
        yield job(
            f"bless/{language}",
            callscore("run", "--jobs", "1", "--show", "none"),
            callscore("bless", "latest", "--dry-run", *words),
            callscore("bless", "latest", *words),
            callscore("bless", "latest", "-k", "nothing", "--yes", *words),
            callscore("bless", "latest", "-k", "toml", "--yes", *words, is_cold=True),
            callscore("bless", "latest", "--trial", "1", "-k", "inline", "--yes", *words),
            callscore("bless", "latest", "--trial", "7", "--yes", *words),
            callscore("bless", "latest", "--yes", *words),
            callscore("bless", "latest", "--yes", *words),
            callscore("bless", "nope", "--yes", *words),
            callscore("bless", *words),
            callscore("run", "--jobs", "1"),
            callscore("bless", "latest", "--yes", *words),
            files=_BLESSED,
        )


def _exchange_jobs() -> Iterator[Job]:
    for language in LANGUAGES:
        words = ("--lang", language)
        yield job(
            f"export/{language}",
            callscore("run", "--jobs", "1", "--show", "none", "--name", "first"),
            callscore("export", "latest", *words),
            callscore("export", "first", "--format", "csv", *words),
            callscore("export", "first", "-o", "run.jsonl", *words, is_cold=True),
            callscore("export", "first", "-o", "run.jsonl.gz", *words),
            callscore("export", "first", "-o", "run.csv", *words),
            callscore("upload", "first", "--to", "otel", "--dry-run", *words),
            callscore("upload", "first", "--to", "langfuse", "--dry-run", *words),
            callscore("export", "first", "-o", "run.parquet", *words),
            callscore("export", "first", "--format", "parquet", *words),
            callscore("export", "first", "-o", "no/such/run.jsonl", *words),
            callscore("export", "nope", *words),
            callscore("import", "run.jsonl", *words),
            callscore("import", "run.jsonl", "--store", "other.db", *words, is_cold=True),
            callscore("import", "run.parquet", "--store", "third.db", *words),
            callscore("import", "run.csv", *words),
            callscore("import", "run.jsonl.gz", "--store", "other.db", *words),
            callscore("import", "nowhere.jsonl", *words),
            callscore("import", "eval_moody.py", *words),
            callscore("import", *words),
            callscore("show", "first", "--store", "other.db", *words),
            callscore("show", "first", "--store", "third.db", "--format", "json", *words),
            callscore("history", "--store", "other.db", *words),
            callscore("rescore", "first", "--store", "other.db", "--show", "none", *words),
            files={"eval_moody.py": MOODY},
        )


def _saved_jobs() -> Iterator[Job]:
    files = {"cases.jsonl": CASES, "tools.json": json_text(TOOLS), **TWO_SIDES}
    for language in LANGUAGES:
        words = ("--lang", language)
        yield job(
            f"score/save/{language}",
            callscore("score", "cases.jsonl", "--save", "nightly", *words, is_cold=True),
            callscore("score", "cases.jsonl", "--save", "looser", "--mode", "flexible", *words),
            callscore("score", "cases.jsonl", "--save", "latest", *words),
            callscore("score", "cases.jsonl", "--save", "json", "--format", "json", *words),
            callscore(
                "score",
                "cases.jsonl",
                "--save",
                "tools",
                "--tools",
                "tools.json",
                "--metric",
                "ragas.tool_call_f1",
                "--store",
                "other.db",
                *words,
            ),
            callscore(
                "score",
                "--expected",
                "expected.jsonl",
                "--actual",
                "actual.jsonl",
                "--save",
                "joined",
                "--show",
                "none",
                *words,
            ),
            *(callscore("show", "nightly", "--format", form, *words) for form in RUN_FORMATS),
            callscore("show", "nightly", "nested", *words),
            callscore("show", "nightly", "trials", *words),
            callscore("compare", "nightly", "looser", *words),
            callscore("gate", "looser", "--against", "nightly", *words),
            callscore("rescore", "nightly", "--preset", "outcome", *words),
            callscore("history", *words),
            callscore("history", "--store", "other.db", "--json", *words),
            callscore("export", "nightly", *words),
            callscore("bless", "nightly", "--dry-run", *words),
            callscore("bless", "nightly", "--yes", *words),
            callscore("bless", "joined", "--yes", *words),
            files=files,
        )


def _setting_jobs() -> Iterator[Job]:
    """The settings of scores that are computed again, and a history in another place."""
    yield job(
        "rescore/settings",
        callscore("score", "cases.jsonl", "--save", "saved", "--show", "none"),
        *(callscore("rescore", "saved", "--show", "none", *more) for more in SETTINGS),
        callscore(
            "rescore", "saved", "--show", "failing", "--max-shown", "1", "--output", "again.txt"
        ),
        callscore("rescore", "saved", "--show", "all", "--no-config"),
        callscore(
            "rescore", "saved", "--config", "callscore.toml", "--lang", "ru", "--show", "none"
        ),
        callscore("rescore", "saved", "--config", "nowhere.toml"),
        files={"cases.jsonl": CASES, "callscore.toml": 'mode = "flexible"\n'},
    )
    yield job(
        "compare/settings",
        *(callscore("compare", "cases.jsonl", "other.jsonl", *more) for more in SETTINGS),
        callscore("compare", "cases.jsonl", "other.jsonl", "--no-config", "--output", "report.txt"),
        files={"cases.jsonl": CASES, "other.jsonl": CASES.replace("Lyon", "Paris")},
    )
    place = ("--store", "shared/history.db")
    yield job(
        "history/store",
        callscore("run", *place, "--name", "one", "--show", "failing"),
        callscore("run", *place, "--name", "two", "--output", "report.txt"),
        callscore("show", "one", *place, "--show", "failing", "--output", "shown.txt"),
        callscore("rescore", "one", *place, "--show", "none"),
        callscore("compare", "one", "two", *place),
        callscore("baseline", "set", "one", *place),
        callscore("baseline", "set", "latest", *place, "--allow-incomplete", "--name", "forced"),
        callscore("baseline", "list", *place),
        callscore("gate", "two", "--against", "main", *place, "--fail-on", "regressed"),
        callscore("gate", "two", "--against", "main", *place, "--output", "gate.txt"),
        callscore("export", "one", *place, "--format", "jsonl", "--output", "run.jsonl"),
        callscore("bless", "one", *place, "-y"),
        callscore("baseline", "remove", "main", *place),
        callscore("gc", "--keep", "0", *place),
        callscore("history", *place),
        files=weather_files("oslo"),
    )

"""Commands that ask agents and keep what they answered: sequences in one folder."""

from __future__ import annotations

from typing import TYPE_CHECKING

from tools.transcript.inputs import (
    AGENT,
    MOODY,
    TOOLS,
    answer_lines,
    json_lines,
    json_text,
    weather_files,
)
from tools.transcript.steps import callscore, edit, job, python, shell

if TYPE_CHECKING:
    from collections.abc import Iterator
    from pathlib import Path

    from tools.transcript.steps import Job

__all__ = ["run_jobs"]

LANGUAGES = ("en", "ru")
RUN_FORMATS = ("table", "json", "markdown", "junit")
ASSISTANT = (
    AGENT
    + """
@evaluation(
    cases=CASES,
    tools=[getWeather, calculator],
    scorers=["tool_called", "parameters_valid", "accuracy"],
    fail_under={"accuracy": 0.9},
)
def assistant(case):
    return ask(case)
"""
)
# What is wrong with a suite, by the name of what is wrong.
WRONG_SUITES: dict[str, str] = {
    "typo": "answers: answers.jsonl\nscorer: [accuracy]\ncases: [{id: a, input: Hi, expected: []}]\n",
    "no-model": "cases: [{id: a, input: Hi, expected: []}]\n",
    "both": "model: m\nanswers: answers.jsonl\ncases: [{id: a, input: Hi, expected: []}]\n",
    "no-cases": "answers: answers.jsonl\n",
    "empty-cases": "answers: answers.jsonl\ncases: []\n",
    "missing-file": "answers: nowhere.jsonl\ncases: [{id: a, input: Hi, expected: []}]\n",
    "missing-cases": "answers: answers.jsonl\ncases: nowhere.jsonl\n",
    "scorer": "answers: answers.jsonl\nscorers: [acuracy]\ncases: [{id: a, input: Hi, expected: []}]\n",
    "fail_under": "answers: answers.jsonl\nfail_under: 7\ncases: [{id: a, input: Hi, expected: []}]\n",
    "settings": "answers: answers.jsonl\nsettings: {mod: x}\ncases: [{id: a, input: Hi, expected: []}]\n",
    "preset": "answers: answers.jsonl\nsettings: {preset: x}\ncases: [{id: a, input: Hi, expected: []}]\n",
    "secret": "model: {name: m, api_key: sk-0123456789abcdef0123456789}\ncases: [{input: Hi}]\n",
    "rule": "answers: answers.jsonl\ncases: [{id: a, input: Hi, expected: [{name: f, arguments: {a: {$gtt: 1}}}]}]\n",
    "syntax": "answers: [\n",
    "list": "- 1\n- 2\n",
    "empty": "",
    "trials": "answers: answers.jsonl\ntrials: 0\ncases: [{id: a, input: Hi, expected: []}]\n",
    "prompt": "model: m\nprompt: '{{inptu}}'\ncases: [{id: a, input: Hi, expected: []}]\n",
    "variants": "answers: answers.jsonl\nvariants: {a: {temperature: 1}}\ncases: [{id: a, input: Hi}]\n",
    "unanswered": "answers: answers.jsonl\ncases: [{id: zzz, input: Hi, expected: []}]\n",
    "duplicate": "answers: answers.jsonl\ncases: [{id: a, input: Hi, expected: []}, {id: a, input: Ho, expected: []}]\n",
    "judge": "answers: answers.jsonl\ncases: [{id: oslo, input: Hi, expected: [{name: get_weather, arguments: {city: {$judge: is it cold?}}}]}]\n",
}
# What is wrong with a file of evaluations.
WRONG_EVALUATIONS: dict[str, str] = {
    "no-import": "import no_such_module\n",
    "syntax": "def f(:\n",
    "no-evaluation": "x = 1\n",
    "no-cases": AGENT + "@evaluation(cases=[])\ndef f(case):\n    return []\n",
    "wrong-cases": AGENT + "@evaluation(cases=5)\ndef f(case):\n    return []\n",
    "wrong-scorer": AGENT
    + "@evaluation(cases=CASES, scorers=['x'])\ndef f(case):\n    return []\n",
    "wrong-setting": AGENT + "@evaluation(cases=CASES, mode='x')\ndef f(case):\n    return []\n",
    "no-parameter": AGENT + "@evaluation(cases=CASES)\ndef f():\n    return []\n",
    "raising": AGENT + "@evaluation(cases=CASES)\ndef f(case):\n    raise ValueError('no')\n",
    "unreadable": AGENT + "@evaluation(cases=CASES[:1])\ndef f(case):\n    return 17\n",
    "none": AGENT + "@evaluation(cases=CASES[:1])\ndef f(case):\n    return None\n",
    "exits": AGENT + "@evaluation(cases=CASES[:1])\ndef f(case):\n    raise SystemExit(3)\n",
    "same-names": AGENT + "@evaluation(cases=CASES[:1], name='a')\ndef f(case):\n    return []\n"
    "@evaluation(cases=CASES[:1], name='a')\ndef g(case):\n    return []\n",
    "typo-in-expected": AGENT + "@evaluation(cases=[Case('x', id='x', expected=['getWether'])],"
    " tools=[getWeather])\ndef f(case):\n    return ['getWeather']\n",
    "slow": AGENT + "import time\n@evaluation(cases=CASES[:1])\ndef f(case):\n    time.sleep(1)\n",
    "exit-at-import": "raise SystemExit(4)\n",
}
HANGING = (
    AGENT
    + """
from time import sleep


@evaluation(cases=CASES, fail_under={"accuracy": 1.0})
def hanging(case):
    answer = ask(case)
    if case.id == "sum" and not Path("go-on").exists():
        sleep(60)
    return answer
"""
)


def run_jobs(repository: Path) -> Iterator[Job]:
    """All jobs of these commands."""
    yield from _report_jobs()
    yield from _option_jobs()
    yield from _wrong_jobs()
    yield from _model_jobs()
    yield from _place_jobs(repository)


def _report_jobs() -> Iterator[Job]:
    """Runs, and what is shown of them, in every format and language."""
    for language in LANGUAGES:
        words = ("--lang", language)
        for name, text in (("assistant", ASSISTANT), ("moody", MOODY)):
            yield job(
                f"run/{name}/{language}",
                *(
                    callscore("run", "--jobs", "1", "--format", form, *words)
                    for form in RUN_FORMATS
                ),
                *(
                    callscore(command, "--format", form, *words)
                    for command in ("show", "rescore")
                    for form in RUN_FORMATS
                ),
                *(
                    callscore("show", "latest", *more, *words)
                    for more in (
                        ("--show", "all"),
                        ("--show", "none"),
                        ("--max-shown", "1"),
                        ("-k", "weather"),
                        ("-k", "nothing"),
                        ("weather",),
                        ("sum",),
                        ("group", "--format", "json"),
                        ("forbidden", "--format", "markdown"),
                        ("sum", "--format", "junit"),
                        ("wether",),
                    )
                ),
                callscore("history", *words),
                callscore("history", "--json", *words),
                files={f"eval_{name}.py": text},
            )


def _option_jobs() -> Iterator[Job]:
    files = {"evals/eval_assistant.py": ASSISTANT, "evals/eval_moody.py": MOODY}
    yield job(
        "run/options",
        callscore("run", "evals", "--jobs", "1", "--show", "none", is_cold=True),
        callscore("run", "evals/eval_assistant.py", "--jobs", "1", "--cache"),
        callscore("run", "evals", "--jobs", "1", "--cache", "--lang", "ru"),
        callscore("run", "evals", "--jobs", "1", "-k", "weather and not moody"),
        callscore("run", "evals", "--jobs", "1", "-k", "weather and"),
        callscore("run", "evals", "--jobs", "1", "-k", "nothing"),
        callscore("run", "evals", "--jobs", "1", "--tag", "smoke", "--tag", "short"),
        callscore("run", "evals", "--jobs", "1", "--tag", "nope"),
        callscore("run", "evals", "--jobs", "1", "--limit", "1"),
        callscore("run", "evals/eval_assistant.py", "--jobs", "1", "--trials", "3"),
        callscore("run", "evals/eval_assistant.py", "--jobs", "1", "--rate", "1000/s"),
        callscore("run", "evals/eval_assistant.py", "--rate", "x"),
        callscore(
            "run", "evals/eval_assistant.py", "--jobs", "1", "--timeout", "0", "--retries", "0"
        ),
        callscore("run", "evals/eval_assistant.py", "--timeout", "-1"),
        callscore("run", "evals", "--jobs", "1", "--last-failed"),
        callscore("run", "evals", "--jobs", "1", "-x"),
        callscore("run", "evals", "--jobs", "1", "--resume", "-q"),
        callscore("run", "evals", "-j", "1", "-v"),
        callscore("run", "evals", "--collect-only", "--trials", "2"),
        callscore("run", "evals", "--collect-only", "--format", "json"),
        callscore("run", "evals", "-k", "nothing at all"),
        callscore("run", "evals", "--jobs", "1", "--preset", "flexible", "--pass-mark", "0.5"),
        callscore("run", "evals", "--jobs", "1", "--resume"),
        callscore("run", "evals/eval_assistant.py", "--jobs", "1", "--name", "nightly"),
        callscore("run", "evals/eval_assistant.py", "--jobs", "1", "--name", "latest"),
        callscore("run", "evals/eval_assistant.py", "--jobs", "1", "--fail-under", "0.1"),
        callscore("run", "evals/eval_assistant.py", "--jobs", "1", "--fail-under", "1"),
        callscore("run", "evals/eval_assistant.py", "--jobs", "1", "-o", "report.txt"),
        callscore("run", "evals/eval_assistant.py", "--jobs", "1", "--max-shown", "1"),
        callscore("run", "evals/eval_assistant.py", "--jobs", "1", "--show", "all"),
        callscore("run", "evals/eval_assistant.py", "--jobs", "1", is_terminal=True),
        callscore("run", "evals/eval_assistant.py", "--jobs", "0"),
        callscore("run", "evals/eval_assistant.py", "--store", "other/history.db", "--jobs", "1"),
        callscore("history", "--store", "other/history.db"),
        callscore("history", environment={"CALLSCORE_STORE": "other/history.db"}),
        callscore("run", "nowhere"),
        callscore("run", "evals/eval_assistant.py", "--watch", "--resume"),
        callscore("rescore", "--scorer", "exact", "--scorer", "f1"),
        callscore("rescore", "--scorer", "exct"),
        callscore("rescore", "latest~3", "--mode", "flexible", "--fail-under", "0.99"),
        callscore("rescore", "--pass-mark", "0.2", "-o", "again.json", "--format", "json"),
        callscore("rescore", "nightly", "--preset", "outcome", "--lang", "ru"),
        callscore("rescore", "nope"),
        callscore("show", "{run1}", "--show", "none"),
        callscore("show", "nightly", is_terminal=True),
        callscore("show", "nightly", "weather", is_terminal=True),
        callscore("show", "latest~99"),
        callscore("show", "nigtly"),
        callscore("show", "2", "weather"),
        callscore("show", "latest", "weather", "--max-shown", "0", "-o", "case.txt"),
        files=files,
    )
    yield job(
        "run/interrupted",
        callscore("run", "--jobs", "1", interrupt_after="asked.log"),
        callscore("show"),
        callscore("history"),
        callscore("baseline", "set"),
        callscore("baseline", "set", "--allow-incomplete"),
        callscore("export", "latest", "-o", "run.jsonl"),
        edit({"go-on": ""}),
        callscore("run", "--jobs", "1", "--resume"),
        callscore("run", "--jobs", "1", "--resume", "--lang", "ru"),
        callscore("history"),
        files={"eval_hanging.py": HANGING},
    )
    yield job(
        "run/vanished",
        shell("callscore run --jobs 1 --fail-under 0.9; echo exit code $?; sleep 1"),
        callscore("history"),
        shell("callscore run --jobs 1 --resume; echo exit code $?; sleep 1"),
        files={"eval_vanishing.py": HANGING.replace("sleep(60)", "__import__('os')._exit(7)")},
    )
    yield job(
        "run/no-history",
        callscore("run", "--jobs", "1", "--show", "none"),
        *(callscore("run", option) for option in ("--resume", "--last-failed", "--cache")),
        callscore("history"),
        callscore("show"),
        files={"eval_assistant.py": ASSISTANT, ".callscore": "not a folder"},
    )
    yield job(
        "run/suite",
        *(callscore("run", "--format", form) for form in RUN_FORMATS),
        callscore("run", "--lang", "ru", "-k", "oslo or rome", "--show", "all"),
        callscore("run", "--tag", "north", "--trials", "2"),
        callscore("show", "latest", "eval_weather::oslo"),
        callscore("show", "latest", "weather::oslo"),
        files=weather_files(
            "oslo", "rome", more="fail_under = 0.9\nscorers = ['exact', 'recall']\n"
        ),
    )


def _wrong_jobs() -> Iterator[Job]:
    suites: dict[str, str | bytes] = {
        f"eval_{name}.yaml": text for name, text in WRONG_SUITES.items()
    }
    yield job(
        "run/wrong-suites",
        *(callscore("run", name) for name in suites),
        *(callscore("run", name, "--lang", "ru") for name in suites),
        callscore("run", "--show", "none"),
        files=suites | {"answers.jsonl": answer_lines()},
    )
    files: dict[str, str | bytes] = {
        f"eval_{name.replace('-', '_')}.py": text for name, text in WRONG_EVALUATIONS.items()
    }
    slow = ("--timeout", "0.2", "--retries", "0", "--jobs", "1")
    yield job(
        "run/wrong-evaluations",
        *(callscore("run", name, *slow) for name in files),
        *(callscore("run", name, *slow, "--lang", "ru", "--format", "json") for name in files),
        files=files,
    )
    yield job("run/nothing", callscore("run"), callscore("run", "--lang", "ru"))


def _model_jobs() -> Iterator[Job]:
    """A model that is asked over HTTP, as an agent and as a judge."""
    tools = json_text([{"type": "function", "function": TOOLS[0]}])
    suite = (
        "model: {name: {name}, base_url: '{model}'}\nsystem: Be kind.\nprompt: 'Hm, {{input}}'\n"
        "tools: tools.json\ncases:\n"
        "  - {id: paris, input: Is it cold in Paris?, expected:"
        " [{name: get_weather, arguments: {city: Paris}}]}\n"
        "  - {id: kabul, input: Is it cold in Kabul?, expected:"
        " [{name: get_weather, arguments: {city: Kabul}}]}\n"
    )
    judged = json_lines(
        [
            {
                "id": name,
                "expected": [{"name": "say", "arguments": {"text": {"$judge": "is it polite?"}}}],
                "actual": [{"name": "say", "arguments": {"text": text}}],
            }
            for name, text in (
                ("kind", "good morning"),
                ("rude", "rude words"),
                ("again", "good morning"),
            )
        ]
    )
    write = python(
        "import pathlib, sys\n"
        f"suite = {suite!r}\n"
        "for name in ('small', 'silent', 'broken', 'unknown', 'vague'):\n"
        "    text = suite.replace('{name}', name).replace('{' + 'model}', '{model}')\n"
        "    pathlib.Path(f'eval_{name}.yaml').write_text(text)\n"
    )
    known = {"OPENAI_API_KEY": "key", "OPENAI_BASE_URL": "{model}"}
    yield job(
        "model/agent",
        write,
        *(
            callscore(
                "run",
                f"eval_{name}.yaml",
                "--jobs",
                "1",
                "--retries",
                "0",
                "--lang",
                language,
                environment=known,
            )
            for name in ("small", "silent", "broken", "unknown", "vague")
            for language in LANGUAGES
        ),
        callscore("run", "eval_small.yaml", "--jobs", "1", "--cache", environment=known),
        callscore("run", "eval_small.yaml", "--jobs", "1"),
        callscore("run", "eval_small.yaml", "--jobs", "1", "--judge", "judge", environment=known),
        callscore("history", "--json"),
        callscore("show", "latest", "paris", "--format", "json"),
        files={"tools.json": tools},
        has_model=True,
    )
    yield job(
        "model/judge",
        callscore("score", "judged.jsonl"),
        callscore("score", "judged.jsonl", "--judge", "judge"),
        *(
            callscore(
                command, "judged.jsonl", "--judge", "judge", "--lang", language, environment=known
            )
            for command in ("score", "explain")
            for language in LANGUAGES
        ),
        callscore(
            "score", "judged.jsonl", "--judge", "judge", "--format", "json", environment=known
        ),
        callscore(
            "score", "judged.jsonl", "--judge", "judge", "--save", "judged", environment=known
        ),
        callscore("rescore", "judged", "--judge", "judge", environment=known),
        callscore("rescore", "judged"),
        callscore("compare", "judged.jsonl", "judged", "--judge", "judge", environment=known),
        callscore("score", "judged.jsonl", "--judge", "vague", environment=known),
        callscore("score", "judged.jsonl", "--judge", "broken", environment=known),
        callscore("explain", "judged.jsonl", "--judge", "unknown", environment=known),
        files={"judged.jsonl": judged},
        has_model=True,
    )
    yield job(
        "model/generate",
        callscore("generate", "--tools", "tools.json", "-n", "3", "--model", "vague"),
        *(
            callscore(
                "generate", "--tools", "tools.json", "-n", "3", "--model", name, environment=known
            )
            for name in ("vague", "small", "broken")
        ),
        files={"tools.json": tools},
        has_model=True,
    )


def _place_jobs(repository: Path) -> Iterator[Job]:
    """Examples of the repository, and histories of other versions."""
    assistant = repository / "examples" / "assistant"
    files: dict[str, str | bytes] = {
        file.name: file.read_bytes() for file in sorted(assistant.iterdir()) if file.is_file()
    }
    yield job(
        "examples/assistant",
        callscore("run", "--jobs", "1"),
        callscore("run", "--jobs", "1", "--lang", "ru", "--format", "markdown"),
        callscore("score", "--expected", "cases.yaml", "--actual", "answers.jsonl"),
        callscore("score", "--expected", "cases.yaml", "--actual", "eager.jsonl", "--show", "all"),
        callscore(
            "score", "--expected", "intent.yaml", "--actual", "eager.jsonl", "--tools", "tools.json"
        ),
        callscore("check", "eager.jsonl", "--tools", "tools.json"),
        callscore("generate", "--tools", "tools.json", "-n", "20"),
        callscore("compare", "answers.jsonl", "eager.jsonl", "--expected", "cases.yaml"),
        files=files,
    )
    newer = (
        "import sqlite3\n"
        "with sqlite3.connect('.callscore/history.db') as db:\n"
        "    db.execute('update callscore_schema set version = 99')\n"
    )
    yield job(
        "history/newer",
        callscore("run", "--show", "none"),
        python(newer),
        callscore("history"),
        callscore("show", "--lang", "ru"),
        callscore("run", "--show", "none"),
        files=weather_files(),
    )
    yield job(
        "history/broken",
        callscore("history"),
        callscore("run", "--show", "none"),
        callscore("show", "--lang", "ru"),
        files={".callscore/history.db": "not a database", **weather_files()},
    )
    for language in LANGUAGES:
        words = ("--lang", language)
        yield job(
            f"init/{language}",
            callscore("init", *words, is_cold=True),
            callscore("init", *words),
            callscore("init", "other", "--python", *words),
            callscore("init", "evals", "--python", *words),
            callscore("run", "evals", "--jobs", "1", *words),
            callscore("run", "other", "--jobs", "1", *words),
            callscore("init", "file", *words),
            files={"file": "not a folder"},
        )

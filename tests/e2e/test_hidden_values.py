"""Secrets in all places of a case and an answer, in all encodings: in no output, no file, and no score."""

from __future__ import annotations

import sqlite3
import zlib
from contextlib import suppress
from json import dumps, loads  # noqa: TID251  (escapes as other encoders write them)
from typing import TYPE_CHECKING, Any

import pytest
from tests.hiding.encodings import ENCODINGS, SECRETS
from tests.snapshots.opened_html import html_text

from callscore.hiding.finding import SecretFinder

if TYPE_CHECKING:
    from collections.abc import Iterator
    from pathlib import Path

    from tests.e2e.conftest import Program

VARIABLES: dict[str, Any] = {
    f"SECRET_{number}": secret for number, secret in enumerate(SECRETS.values())
}
FINDER = SecretFinder(
    [("", each) for each in (*SECRETS.values(), *SECRETS["pem"].splitlines()[1:3])]
)
FORMATS = ("table", "json", "markdown", "junit")
ANOTHER = "another-value"


def cases() -> Iterator[dict[str, Any]]:
    """Cases with each secret in each encoding, and in each place."""
    for number, (kind, secret) in enumerate(SECRETS.items()):
        for encoding, encode in ENCODINGS.items():
            written = encode(secret)
            yield {
                "id": f"{kind}, {encoding}",
                "expected": [{"name": "f", "arguments": {"k": written, "n": number}}],
                "actual": [{"name": "f", "arguments": {"k": written, "n": 99}}],
            }
        yield from cases_with(kind, secret)


def cases_with(kind: str, secret: str) -> Iterator[dict[str, Any]]:
    """Cases with a secret in each place."""
    arguments = dumps({"k": secret, "nested": dumps({"in": [secret]})}).replace("/", "\\/")
    call = {"id": "1", "type": "function", "function": {"name": "f", "arguments": arguments}}
    chat = {"role": "assistant", "content": f"I use {secret}", "tool_calls": [call]}
    result = {"role": "tool", "tool_call_id": "1", "content": f"used {secret}"}
    wanted = [{"name": "f", "arguments": {"k": secret}}]
    yield {"id": f"{kind} text", "expected": wanted, "actual": [chat, result]}
    yield {
        "id": f"{kind} cut",
        "expected": wanted,
        "actual": [{"name": "f", "arguments": arguments[:-4]}],
    }
    yield {
        "id": f"{kind} key",
        "expected": wanted,
        "actual": [{"name": "f", "arguments": {secret: 1}}],
    }
    yield {"id": f"{kind} name", "expected": wanted, "actual": [{"name": secret, "arguments": {}}]}
    yield {"id": f"id {secret}", "expected": wanted, "actual": wanted, "tags": [secret]}
    yield {
        "id": f"{kind} other",
        "input": f"Use {secret}.",
        "metadata": {secret: [secret]},
        "expected": [{"name": "f", "arguments": {"k": {"$contains": secret}}}],
        "actual": [{"name": "f", "arguments": {"k": ANOTHER}}],
    }
    yield {
        "id": f"{kind} long",
        "expected": [{"name": "f", "arguments": {"k": f"{'x' * 60}{secret}{'y' * 60}"}}],
        "actual": [{"name": "f", "arguments": {"k": f"{'x' * 60}{secret}{'z' * 60}"}}],
    }


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    """A folder with the cases, and an evaluation that answers as they say."""
    lines = [dumps(case) for case in cases()]
    (tmp_path / "cases.jsonl").write_text("\n".join(lines), encoding="utf-8")
    (tmp_path / "eval_agent.py").write_text(
        "import json\n"
        "from callscore import Case, evaluation\n"
        "LINES = [json.loads(line) for line in open('cases.jsonl')]\n"
        "ANSWERS = {line['id']: line.pop('actual') for line in LINES}\n"
        "@evaluation(cases=[Case(**line) for line in LINES])\n"
        "def agent(case):\n"
        "    return ANSWERS[case.id]\n",
        encoding="utf-8",
    )
    return tmp_path


def leaks(text: str) -> list[str]:
    """What is left of secrets in an output; an output has lines, so that it is searched by them."""
    found = [line[:200] for line in text.splitlines() if FINDER.hide(line) != line]
    return found or (["over several lines"] if FINDER.hide(text) != text else [])


def stored_texts(folder: Path) -> Iterator[str]:
    """Everything in the database and in the files beside it, unpacked."""
    for path in (folder / ".callscore").iterdir():
        yield path.read_bytes().decode("latin-1")
    connection = sqlite3.connect(folder / ".callscore" / "history.db")
    for (table,) in connection.execute("select name from sqlite_master where type = 'table'"):
        for row in connection.execute(f"select * from {table}"):  # noqa: S608  (its own names)
            for value in row:
                if isinstance(value, bytes):
                    with suppress(zlib.error):  # a digest is not compressed
                        value = zlib.decompress(value)  # noqa: PLW2901  (the same value, unpacked)
                    yield value.decode("utf-8", "replace")
                elif isinstance(value, str):
                    yield value
    connection.close()


def test_no_secret_is_in_any_output_or_file(callscore: Program, folder: Path) -> None:
    some = loads((folder / "cases.jsonl").read_text(encoding="utf-8").splitlines()[0])["id"]
    commands: list[tuple[str, ...]] = [
        *(("score", "cases.jsonl", "--show", "all", "--format", each) for each in FORMATS),
        ("score", "cases.jsonl", "--save", "scored", "--lang", "ru"),
        ("explain", "cases.jsonl", "--case", "plain text"),
        ("check", "cases.jsonl", "--format", "jsonl"),
        ("extract", "cases.jsonl"),
        ("run", "--jobs", "1"),
        ("rescore", "latest", "--format", "json"),
        ("show", "scored", "--show", "all"),
        ("show", "scored", some, "--json"),
        ("show", "scored", "quotes text"),
        ("compare", "scored", "cases.jsonl", "--json"),
        ("gate", "latest", "--against", "scored", "--json"),
        ("export", "scored"),
        ("bless", "scored", "--dry-run"),
    ]
    found = {}
    for command in commands:
        ran = callscore(*command, **VARIABLES)
        assert "Traceback" not in ran.stderr, (command, ran.stderr)
        if left := leaks(ran.stdout) + leaks(ran.stderr):
            found[command] = left[:3]
    for text in stored_texts(folder):
        if left := leaks(text):
            found["history",] = left[:3]

    assert not found


REDACT = """
[redact]
builtin = ["email", "phone", "card"]
arguments = ["*.to", "user.name"]
patterns = ['C-\\d{6}']
"""
CUSTOMER = ("ann@example.com", "+49 30 1234567", "4111111111111111", "C-123456", "Zoe Q", "at home")


def test_no_data_of_customers_are_in_any_output_or_file(callscore: Program, tmp_path: Path) -> None:
    mail, phone, card, number, name, to = CUSTOMER
    made = {
        "to": to,
        "user": {"name": name, "age": 7},
        "card": int(card),
        "text": f"{mail} {phone}",
    }
    function = {"name": "send", "arguments": dumps(made)}
    message = {
        "role": "assistant",
        "content": f"I write to {name} {to}, {number}",
        "tool_calls": [{"id": "1", "type": "function", "function": function}],
    }
    result = {"role": "tool", "tool_call_id": "1", "content": f"sent to {mail}, {card}"}
    expected = [{"name": "send", "arguments": {**made, "text": number}}]
    broken = [{"name": "send", "arguments": '{"to": "at home", "user": '}]
    lines: list[dict[str, Any]] = [
        {"id": f"for {mail}", "expected": expected, "actual": [message, result]},
        {
            "id": number,
            "input": f"Call {phone}",
            "tags": [mail],
            "expected": expected,
            "actual": broken,
        },
    ]
    (tmp_path / "cases.jsonl").write_text("\n".join(map(dumps, lines)))
    (tmp_path / "callscore.toml").write_text(REDACT)
    (tmp_path / "eval_agent.py").write_text(
        "import json\n"
        "from callscore import Case, evaluation\n"
        "LINES = [json.loads(line) for line in open('cases.jsonl')]\n"
        "ANSWERS = {line['id']: line.pop('actual') for line in LINES}\n"
        "@evaluation(cases=[Case(**line) for line in LINES])\n"
        "def agent(case):\n"
        "    if case.id == 'C-123456': raise ValueError(f'no {case.tags}')\n"
        "    return ANSWERS[case.id]\n"
    )
    commands: list[tuple[str, ...]] = [
        *(("score", "cases.jsonl", "--show", "all", "--format", each) for each in FORMATS),
        ("score", "cases.jsonl", "--save", "scored", "-o", "score.html"),
        ("score", "cases.jsonl", "--jobs", "2", "--json"),
        ("explain", "cases.jsonl", "--case", number),
        ("check", "cases.jsonl", "--format", "jsonl"),
        ("extract", "cases.jsonl"),
        ("run", "--jobs", "1", "-o", "run.html"),
        ("run", "--jobs", "1"),
        ("show", "scored", "--show", "all"),
        ("show", "scored", "[hidden pattern 1]", "--json"),
        ("compare", "scored", "cases.jsonl", "--json"),
        ("gate", "latest", "--against", "scored"),
        ("upload", "cases.jsonl", "--to", "langfuse", "--dry-run", "--id-from", "id"),
        ("export", "scored"),
        ("export", "latest"),
    ]
    found = {}
    for command in commands:
        ran = callscore(*command)
        assert "Traceback" not in ran.stderr, (command, ran.stderr)
        if left := [each for each in CUSTOMER if each in ran.stdout + ran.stderr]:
            found[command] = left
    for report in ("score.html", "run.html"):
        shown = html_text((tmp_path / report).read_bytes(), has_words=False)
        if left := [each for each in CUSTOMER if each in shown]:
            found[(report,)] = left
    for text in stored_texts(tmp_path):
        if left := [each for each in CUSTOMER if each in text]:
            found["history",] = left

    assert not found


def test_no_secret_is_in_an_html_report(callscore: Program, tmp_path: Path) -> None:
    secret = "sk-1234567890abcdef"  # noqa: S105  (made up)
    call = {"name": "get_weather", "arguments": {"city": secret}}
    record: dict[str, Any] = {"id": secret, "input": secret, "tags": [secret], "expected": [call]}
    for name, actual in (("before", [call]), ("after", [secret, secret])):
        (tmp_path / f"{name}.jsonl").write_text(dumps({**record, "actual": actual}))
        callscore("score", f"{name}.jsonl", "--save", name, SERVICE_API_KEY=secret)
    reports = {
        "files": ("compare", "before.jsonl", "after.jsonl"),
        "runs": ("compare", "before", "after"),
        "gate": ("gate", "after", "--against", "before"),
        "check": ("check", "after.jsonl"),
        "run": ("show", "after"),
    }

    for name, command in reports.items():
        callscore(*command, "-o", f"{name}.html", SERVICE_API_KEY=secret)

        report = html_text((tmp_path / f"{name}.html").read_bytes(), has_words=False)
        assert secret not in report, name
        assert "SERVICE_API_KEY" in report, name


def test_the_scores_are_the_same_with_and_without_the_variables(
    callscore: Program, folder: Path
) -> None:
    numbers: list[list[Any]] = []
    environments: tuple[dict[str, Any], ...] = ({}, VARIABLES)
    for environment in environments:
        history = folder / ".callscore"
        if history.exists():
            history.rename(folder / "before")
        callscore("score", "cases.jsonl", "--save", "scored", **environment)
        callscore("run", "--jobs", "1", "--name", "ran", **environment)
        found = []
        for command in (
            ("score", "cases.jsonl", "--json"),
            ("score", "cases.jsonl", "--json", "--mode", "flexible"),
            ("show", "ran", "--json"),
            ("rescore", "ran", "--json", "--mode", "flexible"),
            ("rescore", "scored", "--json"),
        ):
            ran = callscore(*command, **environment)
            found.append(numbers_in(loads(ran.stdout)))
        numbers.append(found)

    without, with_secrets = numbers
    assert with_secrets[:3] == without[:3]
    # Hidden values are not compared: all cases that have one in their calls are refused.
    for refused, scored in zip(with_secrets[3:], without[3:], strict=True):
        assert refused[1:] == (sum(1 for _ in cases()), 0)
        assert scored[2] > 0


def numbers_in(report: dict[str, Any]) -> tuple[Any, int, int]:
    """The numbers of a report, how many cases were refused, and how many passed."""
    totals = report["totals"]
    if "calls" in report:  # of files
        return [totals, report["calls"]], 0, totals["passed"]
    counts = {name: totals[name] for name in ("answered", "passed", "failing", "errors")}
    return counts, totals["errors"], totals["passed"]


def test_an_agent_cannot_pass_by_repeating_a_marker(callscore: Program, tmp_path: Path) -> None:
    secret = SECRETS["plain"]
    wanted = [{"name": "f", "arguments": {"k": secret}}]
    (tmp_path / "first.jsonl").write_text(dumps({"id": "a", "expected": wanted, "actual": wanted}))
    callscore("score", "first.jsonl", "--save", "first", A_KEY=secret)
    (shown,) = loads(callscore("show", "first", "a", "--json").stdout)
    marker = shown["trials"][0]["calls"][0]
    answer = [{"name": "f", "arguments": marker["arguments"]}]
    (tmp_path / "cases.jsonl").write_text(dumps({"id": "a", "expected": wanted, "actual": answer}))

    saved = callscore("score", "cases.jsonl", "--save", "second", "--json", A_KEY=secret)
    again = callscore("rescore", "second", "--json", A_KEY=secret)

    assert "[hidden " in marker["arguments"]["k"]
    assert loads(saved.stdout)["totals"]["passed"] == 0
    assert loads(again.stdout)["totals"]["passed"] == 0


def test_what_looks_like_a_marker_in_an_answer_is_escaped(
    callscore: Program, tmp_path: Path
) -> None:
    made = [{"name": "f", "arguments": {"k": "[hidden A_KEY] or [\\hidden A_KEY]"}}]
    (tmp_path / "cases.jsonl").write_text(
        dumps({"id": "[hidden x]", "expected": ["f", "g"], "actual": made})
    )

    shown = callscore("score", "cases.jsonl", "--save", "one", "--json")
    stored = callscore("show", "one", "--json")
    exported = callscore("export", "one")

    for ran in (shown, stored, exported):
        assert "[hidden" not in ran.stdout
        assert "[\\\\hidden x]" in ran.stdout
    assert "[\\\\hidden A_KEY] or [\\\\hidden A_KEY]" in exported.stdout


def test_a_secret_that_has_changed_is_a_changed_expectation(
    callscore: Program, tmp_path: Path
) -> None:
    def save(name: str, secret: str) -> None:
        wanted = [{"name": "f", "arguments": {"k": secret}}]
        line = dumps({"id": "a", "expected": wanted, "actual": wanted})
        (tmp_path / "cases.jsonl").write_text(line)
        callscore("score", "cases.jsonl", "--save", name, A_KEY=secret)

    save("one", "the-first-secret")
    save("two", "the-first-secret")
    save("three", "another-secret-now")

    same = loads(callscore("compare", "one", "two", "--json").stdout)
    changed = loads(callscore("compare", "two", "three", "--json").stdout)
    # Nobody can tell one from the other: what has a hidden value counts as changed.
    for found in (same, changed):
        assert found["expectations_changed"]["count"] == 1
        assert "hidden values in their ids or their expected calls: 1" in str(found["notes"])


def test_a_case_that_cannot_be_scored_again_is_not_a_missing_answer(
    callscore: Program, tmp_path: Path
) -> None:
    wanted = [{"name": "f", "arguments": {"k": {"$regex": "^the"}}}]
    made = [{"name": "f", "arguments": {"k": "the-first-secret"}}]
    (tmp_path / "cases.jsonl").write_text(dumps({"id": "a", "expected": wanted, "actual": made}))
    secret: dict[str, Any] = {"MY_TOKEN": "the-first-secret"}

    callscore("score", "cases.jsonl", "--save", "one", **secret)
    again = callscore("rescore", "one", **secret)

    assert again.returncode == 4
    assert "No scores, 1 error" in again.stdout
    assert "error: not scored" in again.stdout
    assert "1 case could not be scored" in again.stderr
    assert "no answer" not in again.stderr


def test_an_answer_with_a_secret_is_not_reused(callscore: Program, tmp_path: Path) -> None:
    (tmp_path / "eval_agent.py").write_text(
        "import os\n"
        "from callscore import Case, evaluation, expect\n"
        "from pathlib import Path\n"
        "@evaluation(cases=[Case('q', id='a', expected=[expect.call('f', k=expect.regex('^the'))]),\n"
        "                   Case('q', id='b', expected=[expect.call('g')])])\n"
        "def agent(case):\n"
        "    with Path('asked.log').open('a') as log: log.write(case.id)\n"
        "    return [('g', {})] if case.id == 'b' else [('f', {'k': os.environ['MY_TOKEN']})]\n",
        encoding="utf-8",
    )
    secret = "the-first-secret"  # noqa: S105  (not a real one)

    first = callscore("run", "--cache", "--json", "--jobs", "1", MY_TOKEN=secret)
    again = callscore("run", "--cache", "--json", "--jobs", "1", MY_TOKEN=secret)

    assert [loads(ran.stdout)["totals"]["passed"] for ran in (first, again)] == [2, 2]
    assert (tmp_path / "asked.log").read_text() == "aba"
    assert "not reused" not in first.stderr
    assert "callscore: 1 saved answer not reused, because of a hidden secret" in again.stderr
    assert secret not in first.stdout + first.stderr + again.stdout + again.stderr


def test_a_question_with_a_hidden_value_is_asked_again(callscore: Program, tmp_path: Path) -> None:
    (tmp_path / "callscore.toml").write_text('redact.builtin = ["email"]')
    (tmp_path / "eval_agent.py").write_text(
        "import os\n"
        "from callscore import Case, evaluation\n"
        "from pathlib import Path\n"
        "@evaluation(cases=[Case(os.environ['WHO'], id='a', expected=[]), Case('q', id='b', expected=[])])\n"
        "def agent(case):\n"
        "    with Path('asked.log').open('a') as log: log.write(case.id)\n"
        "    return []\n",
    )

    for who in ("ann@example.com", "bob@example.com", "bob@example.com"):
        callscore("run", "--cache", "--jobs", "1", WHO=who)

    assert (tmp_path / "asked.log").read_text() == "abaa"


def test_an_error_shows_no_secret(callscore: Program, tmp_path: Path) -> None:
    (tmp_path / "cases.jsonl").write_text(
        dumps({"id": "a", "expected": ["f"], "actual": [{"name": "g", "arguments": {"k": "x"}}]})
    )
    secret: dict[str, Any] = {"MY_TOKEN": "the-first-secret"}

    ran = callscore("explain", "cases.jsonl", "--case", "the-first-secret", **secret)

    assert ran.returncode != 0
    assert "the-first-secret" not in ran.stderr


def test_a_failed_case_with_a_secret_in_its_id_is_run_again(
    callscore: Program, tmp_path: Path
) -> None:
    (tmp_path / "eval_agent.py").write_text(
        "from callscore import Case, evaluation, expect\n"
        "@evaluation(cases=[Case(id='the-first-secret', expected=[expect.call('f')]), Case(id='b', expected=[])])\n"
        "def agent(case):\n"
        "    return []\n",
        encoding="utf-8",
    )
    secret: dict[str, Any] = {"MY_TOKEN": "the-first-secret"}

    for environment in ({}, secret):  # also of a run from before the variable was set
        callscore("run", **environment)
        again = callscore("run", "--last-failed", "--json", **secret)

        totals = loads(again.stdout)["totals"]
        assert (totals["answered"], totals["failing"]) == (1, 1)
        assert "the-first-secret" not in again.stdout + again.stderr


def test_an_imported_run_is_hidden_and_rescored(callscore: Program, tmp_path: Path) -> None:
    wanted = [{"name": "f", "arguments": {"k": "the-first-secret"}}]
    other = [{"name": "f", "arguments": {"k": "the-second-secret"}}]
    lines = [
        {"id": "a", "expected": wanted, "actual": wanted},
        {"id": "b", "expected": wanted, "actual": other},
    ]
    (tmp_path / "cases.jsonl").write_text("\n".join(map(dumps, lines)))
    first: dict[str, Any] = {"MY_TOKEN": "the-first-secret"}
    both: dict[str, Any] = {**first, "MY_KEY": "the-second-secret"}

    callscore("score", "cases.jsonl", "--save", "one", "--store", "a.db", **first)
    callscore("export", "one", "--store", "a.db", "-o", "one.jsonl", **first)
    imported = callscore("import", "one.jsonl", "--store", "b.db", **both)
    rescored = callscore("rescore", "one", "--store", "b.db", "--json", **both)

    assert imported.returncode == 0
    assert loads(rescored.stdout)["totals"]["errors"] == 2
    assert "the-first-secret" not in (tmp_path / "one.jsonl").read_text()
    assert b"the-second-secret" not in (tmp_path / "b.db").read_bytes()


AGENT = """
from callscore import Case, evaluation, expect
NUMBERS = range(int(open("first.txt").read()), 12)
@evaluation(cases=[Case("to production", id=f"{n}-production", tags=["production"],
                        expected=[expect.call("production", env="production")]) for n in NUMBERS])
def agent(case):
    return [("production", {"env": "production"})]
"""
DEPLOY: dict[str, Any] = {"DEPLOY_KEY": "production"}


def test_an_id_with_a_hidden_value_matches_no_case(callscore: Program, tmp_path: Path) -> None:
    (tmp_path / "eval_agent.py").write_text(AGENT)
    (tmp_path / "first.txt").write_text("0")
    callscore("run", "--name", "before", **DEPLOY)
    callscore("run", "--name", "after", **DEPLOY)

    found = callscore("gate", "--json", "after", "--against", "before", **DEPLOY)

    assert found.returncode == 1
    assert "production" not in found.stdout
    assert "hidden values in their ids or their expected calls: 24" in found.stdout


def test_cases_whose_ids_differ_only_in_a_hidden_value_are_all_saved(
    callscore: Program, tmp_path: Path
) -> None:
    (tmp_path / "callscore.toml").write_text('redact.builtin = ["email"]')
    lines = [{"id": f"{n}@example.com", "expected": ["f"], "actual": []} for n in "abc"]
    (tmp_path / "cases.jsonl").write_text("\n".join(map(dumps, lines)))

    callscore("score", "cases.jsonl", "--save", "one")
    saved = callscore("export", "one")

    results = [
        found["result"] for found in map(loads, saved.stdout.splitlines()) if "result" in found
    ]
    ids = [each["case"] for each in results]
    assert ids == ["[hidden email]", "[hidden email] 2", "[hidden email] 3"]


def test_no_option_is_shown_or_saved_with_a_secret(callscore: Program, tmp_path: Path) -> None:
    (tmp_path / "eval_agent.py").write_text(AGENT)
    (tmp_path / "first.txt").write_text("10")
    schema = {"type": "object", "properties": {"k": {"enum": ["production"]}}, "required": ["k"]}
    (tmp_path / "tools.json").write_text(dumps([{"name": "f", "parameters": schema}]))

    refused = [
        callscore("run", "--name", "a production", **DEPLOY),
        callscore("score", "--mode", "production", **DEPLOY),
        callscore("production", **DEPLOY),
    ]
    shown = [
        callscore("run", "-k", "production", "--tag", "production", **DEPLOY),
        callscore("run", "--collect-only", **DEPLOY),
        callscore("run", "--collect-only", "--json", **DEPLOY),
        callscore("history", "--json", **DEPLOY),
        callscore("generate", "--tools", "tools.json", "-n", "3", **DEPLOY),
    ]

    assert [ran.returncode for ran in refused] == [2, 2, 2]
    assert [ran.returncode for ran in shown] == [0] * 5, [ran.stderr for ran in shown]
    for ran in (*refused, *shown):
        assert "production" not in ran.stdout + ran.stderr
    assert "with hidden values: 3" in shown[-1].stderr
    assert not [text for text in stored_texts(tmp_path) if '"production' in text]


def test_a_run_is_not_resumed_if_ids_have_hidden_values(callscore: Program, tmp_path: Path) -> None:
    (tmp_path / "eval_agent.py").write_text(
        "import os\n"
        "from callscore import Case, evaluation, expect\n"
        "@evaluation(cases=[Case('q', id=f'{n}-production', expected=[]) for n in 'abc'])\n"
        "def agent(case):\n"
        "    if 'STOP' in os.environ and case.id[0] == 'b': os._exit(1)\n"
        "    return []\n"
    )
    for first, second in (({}, DEPLOY), (DEPLOY, {}), (DEPLOY, DEPLOY)):
        callscore("run", "--jobs", "1", STOP="1", **first)
        refused = callscore("run", "--resume", **second)

        assert refused.returncode == 2, refused.stdout
        assert "has a hidden value" in refused.stderr


def test_numbers_that_a_pattern_finds_leave_a_run_readable(
    callscore: Program, tmp_path: Path
) -> None:
    (tmp_path / "callscore.toml").write_text("redact.patterns = ['\\d+']")
    made = [["tool7", {"n": 1234, "k": "a"}], ["other", {"n": 5}]]
    lines = [
        {"id": f"a{number}", "expected": [["tool7", {"n": 77, "k": "a"}]], "actual": made}
        for number in range(2)
    ]
    (tmp_path / "cases.jsonl").write_text("\n".join(map(dumps, lines)))
    callscore("score", "cases.jsonl", "--save", "a")

    for command in (
        ("show", "a", "--show", "all"),
        ("show", "a", "--json"),
        ("export", "a"),
        ("gate", "a", "--against", "a"),
    ):
        ran = callscore(*command)
        assert "Traceback" not in ran.stderr, (command, ran.stderr)
        assert not any(each in ran.stdout for each in ("1234", "tool7")), command
    shown = loads(callscore("show", "a", "--json").stdout)
    assert "[hidden pattern 1]" in dumps(shown)
    assert shown["evaluations"][0]["cases"][0]["incorrect"][0]["differences"][0]["path"] == "$.n"


def test_a_finished_run_with_hidden_ids_is_imported_twice(
    callscore: Program, tmp_path: Path
) -> None:
    lines = [{"id": f"{name}@x.com", "expected": [], "actual": []} for name in ("al", "bo")]
    (tmp_path / "cases.jsonl").write_text("\n".join(map(dumps, lines)))
    callscore("score", "cases.jsonl", "--save", "a", "--store", "first.db")
    (tmp_path / "run.jsonl").write_text(callscore("export", "a", "--store", "first.db").stdout)
    (tmp_path / "callscore.toml").write_text('redact.builtin = ["email"]')

    ran = [callscore("import", "run.jsonl", "--store", "second.db") for _ in range(2)]

    assert [each.returncode for each in ran] == [0, 0], [each.stderr for each in ran]


def test_an_id_keeps_the_copy_of_a_hidden_argument(callscore: Program, tmp_path: Path) -> None:
    (tmp_path / "callscore.toml").write_text('redact.arguments = ["*.year"]')
    case = {"id": "flight-2024", "expected": [["f", {"year": 2024}]], "actual": [["g", {}]]}
    (tmp_path / "cases.jsonl").write_text(dumps(case))
    callscore("score", "cases.jsonl", "--save", "a")

    shown = loads(callscore("show", "a", "--json").stdout)
    cases = shown["evaluations"][0]["cases"]

    assert [each["id"] for each in cases] == ["flight-2024"]
    assert cases[0]["missed"][0]["arguments"] == {"year": "[hidden argument *.year]"}

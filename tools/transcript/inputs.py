"""The files that commands of the corpus read: cases, traces, tools, suites, evaluations, scripts.

Those that are long are made here; `inputs.txt` holds the others, each after a line `-- NAME --`.
"""

from __future__ import annotations

import gzip
import re
from pathlib import Path
from typing import Any

import msgspec
from tools.transcript.values import DATE_CASES, GROUP_CASES, MANY_CALLS, SCHEMA_CASES, SCHEMA_TOOLS

__all__ = [
    "BAD_LINES",
    "CASES",
    "MATCHER_CASES",
    "RICH",
    "TOOLS",
    "TWO_SIDES",
    "answer_lines",
    "input_files",
    "json_lines",
    "json_text",
    "weather_files",
]


def json_text(value: object) -> str:
    """The value as JSON."""
    return msgspec.json.encode(value).decode()


def json_lines(values: list[Any]) -> str:
    """The values as JSON lines."""
    return "".join(f"{json_text(value)}\n" for value in values)


def _call(name: str, **arguments: Any) -> dict[str, Any]:
    return {"name": name, "arguments": arguments}


def _case(name: str, expected: Any, actual: Any, **more: Any) -> dict[str, Any]:
    return {"id": name, "expected": expected, "actual": actual, **more}


_BOOK = _call("book_flight", flight_id="UA123", passengers=2, seats=["1A", "1B"])
_DEEP = {"a": {"b": [1, 2, {"c": "x"}]}}

# Every outcome of a case, in every kind of call and value.
RICH: list[dict[str, Any]] = [
    _case("exact", [_BOOK], [_BOOK], tags=["booking"], input="Book UA123 for two."),
    _case("nothing", [], [], tags=["idle"]),
    _case("needless", [], [_call("search_web", query="hello")], tags=["idle"]),
    _case("missed", [_BOOK, _call("pay", amount=10.5)], [_BOOK], tags=["booking", "slow"]),
    _case("extra", [_BOOK], [_BOOK, _call("pay", amount=10.5), _call("pay", amount=10.5)]),
    _case("all-missed", [_BOOK, _call("get_weather", city="Oslo")], []),
    _case("wrong-type", [_call("pay", amount=10)], [_call("pay", amount="10")]),
    _case("same-number", [_call("pay", amount=1)], [_call("pay", amount=1.0)]),
    _case(
        "wrong-value",
        [_call("get_weather", city="Paris", days=3)],
        [_call("get_weather", city="Lyon", days=3)],
    ),
    _case(
        "lacking",
        [_call("get_weather", city="Paris", days=3)],
        [_call("get_weather", city="Paris")],
    ),
    _case(
        "too-much",
        [_call("get_weather", city="Paris")],
        [_call("get_weather", city="Paris", unit="C", lang=None)],
    ),
    _case("renamed", [_call("get_weather", city="Paris")], [_call("get_weather", town="Paris")]),
    _case(
        "typo-in-tool", [_call("get_weather", city="Paris")], [_call("getWeather", city="Paris")]
    ),
    _case("prefixed", [_call("search", q="x")], [_call("mcp__web__search", q="x")]),
    _case("namespace", [_call("search", q="x")], [_call("functions.Search:0", q="x")]),
    _case(
        "nested",
        [_call("save", data=_DEEP)],
        [_call("save", data={"a": {"b": [2, 1, {"c": "y", "d": None}]}})],
    ),
    _case(
        "array-order", [_call("save", tags=["a", "b", "c"])], [_call("save", tags=["c", "b", "a"])]
    ),
    _case("more-keys", [_call("save", data={"a": 1})], [_call("save", data={"a": 1, "b": 2})]),
    _case(
        "swapped",
        [_call("first", n=1), _call("second", n=2), _call("third", n=3)],
        [_call("second", n=2), _call("first", n=1), _call("third", n=3)],
    ),
    _case("repeated", [_call("pay", amount=1)], [_call("pay", amount=1)] * 4),
    _case(
        "failed-retry",
        [_call("pay", amount=1)],
        [
            {**_call("pay", amount=1), "result": "Error: no money", "failed": True},
            {**_call("pay", amount=1), "result": "ok"},
        ],
    ),
    _case("not-json", [_call("pay", amount=1)], [{"name": "pay", "arguments": '{"amount": 1'}]),
    _case("not-object", [_call("pay", amount=1)], [{"name": "pay", "arguments": [1]}]),
    _case("as-text", [_call("pay", amount=1)], [{"name": "pay", "arguments": '{"amount": 1}'}]),
    _case("no-name", [_call("pay", amount=1)], [{"name": None, "arguments": {}}]),
    _case("any-arguments", ["pay"], [_call("pay", amount=77)]),
    _case("no-arguments", [{"name": "pay", "arguments": {}}], [_call("pay", amount=77)]),
    _case(
        "forbidden",
        [{"forbid": "delete_*"}, _call("list_files", path="/")],
        [_call("list_files", path="/"), _call("delete_file", path="/x")],
        tags=["danger"],
    ),
    _case("in-order", [{"in_order": ["a", "b", "c"]}], [_call("a"), _call("c"), _call("b")]),
    _case("any-order", [{"any_order": ["a", "b"]}, "c"], [_call("b"), _call("a"), _call("c")]),
    _case(
        "one-of",
        [{"one_of": [_call("pay", amount=1), {"in_order": ["bill", "pay_bill"]}]}],
        [_call("bill"), _call("pay_bill")],
    ),
    _case("optional", [{"optional": "look"}, "act"], [_call("act")]),
    _case("times", [{"name": "ping", "times": {"min": 2, "max": 3}}], [_call("ping")] * 5),
    _case(
        "unicode",
        [_call("translate", text="Привет, мир 🙂", to="日本語")],
        [_call("translate", text="Привет, мир 🙃", to="日本語")],
    ),
    _case("control", [_call("say", text="a\u0007b\u001b[31mred")], [_call("say", text="\u202eb")]),
    _case(
        "long",
        [_call("write", text="lorem " * 60)],
        [_call("write", text="lorem " * 59 + "ipsum ")],
    ),
    _case("big-numbers", [_call("add", a=2**70, b=1e-300)], [_call("add", a=2**70 + 1, b=1e-300)]),
    {"id": "not-run", "expected": [_BOOK]},
    {"id": "not-scored", "actual": [_BOOK]},
    {"expected": ["anonymous"], "actual": ["anonymous"], "input": "no id"},
    _case("twice", ["f"], ["f"]),
    _case("twice", ["f"], ["g"]),
    *[
        _case("trials", [_call("f", n=1)], [_call("f", n=trial % 2)], trial=trial)
        for trial in range(4)
    ],
    _case(
        "schema",
        [_call("get_weather", city="Paris")],
        [_call("get_weather", city=5, dayz=1)],
        tools=[
            {
                "name": "get_weather",
                "parameters": {
                    "type": "object",
                    "properties": {"city": {"type": "string"}, "days": {"type": "integer"}},
                    "required": ["city"],
                    "additionalProperties": False,
                },
            }
        ],
    ),
]

# Each rule in place of a value, met and not met.
_RULES: list[tuple[str, Any, Any, Any]] = [
    ("any", {"$any": True}, 1, None),
    ("type", {"$type": ["string", "null"]}, "x", 1),
    ("one-of", {"$one_of": ["economy", "business"]}, "economy", "first"),
    ("regex", {"$regex": "^UA\\d+$"}, "UA12", "LH12"),
    ("contains", {"$contains": "Paris"}, "in Paris now", "in Rome"),
    ("approx", {"$approx": 3.14, "abs": 0.01}, 3.145, 3.2),
    ("bounds", {"$gt": 1, "$lte": 5}, 5, 1),
    ("bounds-below", {"$gte": 1, "$lt": 5}, 1, 5),
    ("text", {"$text": "New York", "ignore": ["case", "punctuation"]}, "new york!", "Newark"),
    ("similar", {"$text": "New York City", "similarity": 0.8}, "New York Citi", "Boston"),
    ("date", {"$date": "2024-01-15"}, "Jan 15, 2024", "2024-01-16"),
    (
        "instant",
        {"$date": "2024-01-15T10:00:00Z"},
        "2024-01-15T11:00:00+01:00",
        "2024-01-15T11:00:00Z",
    ),
    ("unordered", {"$unordered": [1, 2]}, [2, 1], [2, 2]),
    ("subset", {"$subset": {"city": "Paris"}}, {"city": "Paris", "zip": 1}, {"zip": 1}),
    ("optional", {"$optional": 10}, 10, 11),
    ("absent", {"$absent": True}, None, 1),
    ("schema", {"$schema": {"type": "string", "minLength": 3}}, "abc", "ab"),
    ("literal", {"$literal": {"$gt": 5}}, {"$gt": 5}, 6),
]
MATCHER_CASES = [
    _case(
        f"{name}-{'met' if is_met else 'unmet'}",
        [_call("f", value=rule)],
        [_call("f", value=good if is_met else bad)],
    )
    for name, rule, good, bad in _RULES
    for is_met in (True, False)
]

CASES = json_lines(RICH)
# The two sides of the same cases in two files, one reference and one trace too many.
TWO_SIDES = {
    "expected.jsonl": json_lines(
        [
            {"id": one["id"], "expected": one["expected"]}
            for one in RICH
            if "expected" in one and "id" in one and one["id"] not in {"twice", "trials"}
        ]
        + [{"id": "only-expected", "expected": ["f"]}]
    ),
    "actual.jsonl": json_lines(
        [
            {"id": one["id"], "actual": one["actual"]}
            for one in RICH
            if "actual" in one and "id" in one and one["id"] not in {"twice", "trials"}
        ]
        + [{"id": "only-actual", "actual": ["f"]}]
    ),
}

TOOLS: list[dict[str, Any]] = [
    {
        "name": "get_weather",
        "description": "The weather of a city.",
        "parameters": {
            "type": "object",
            "properties": {
                "city": {"type": "string", "minLength": 2},
                "days": {"type": "integer", "minimum": 1, "maximum": 9},
                "unit": {"enum": ["C", "F"]},
            },
            "required": ["city"],
            "additionalProperties": False,
        },
    },
    {
        "name": "pay",
        "description": "Pay an amount.",
        "annotations": {"readOnlyHint": False},
        "parameters": {
            "type": "object",
            "properties": {"amount": {"type": "number"}},
            "required": ["amount"],
        },
    },
    {
        "name": "book_flight",
        "parameters": {
            "type": "object",
            "properties": {
                "flight_id": {"type": "string", "pattern": "^[A-Z]{2}\\d+$"},
                "passengers": {"type": "integer"},
                "seats": {"type": "array", "items": {"type": "string"}},
            },
        },
    },
    {
        "name": "search_web",
        "annotations": {"readOnlyHint": True},
        "parameters": {"type": "object", "properties": {"query": {"type": "string"}}},
    },
    {
        "name": "list_files",
        "parameters": {"type": "object", "properties": {"path": {"type": "string"}}},
    },
]

_GOOD = b'{"id": "a", "expected": [], "actual": []}\n'
# A line that cannot be read, after one that can.
BAD_LINES: dict[str, bytes] = {
    "not-json": _GOOD + b"not json\n" + _GOOD,
    "syntax": _GOOD + b'{"id": "b", "expected": [}\n',
    "cut-off": _GOOD + b'{"id": "b", "expected": [{"name": "f"\n',
    "not-utf8": _GOOD + b'{"id": "\xff", "expected": []}\n',
    "nul": _GOOD + b'{"id": "b\x00", "expected": []}\n\x00\x00\n',
    "list": _GOOD + b'["a", "b"]\n',
    "number": _GOOD + b"7\n",
    "expected-number": _GOOD + b'{"id": "b", "expected": 7}\n',
    "call-without-name": _GOOD + b'{"id": "b", "expected": [{}]}\n',
    "arguments-list": _GOOD + b'{"id": "b", "expected": [{"name": "f", "arguments": [1]}]}\n',
    "typo-in-call": _GOOD
    + b'{"id": "b", "expected": [{"name": "f", "argumnts": {}}], "actual": []}\n',
    "typo-in-actual": _GOOD
    + b'{"id": "b", "expected": [], "actual": [{"name": "f", "argumnts": {}}]}\n',
    "two-names": _GOOD + b'{"id": "b", "expected": [], "actual": [{"name": "f", "tool": "g"}]}\n',
    "typo-in-case": _GOOD + b'{"id": "b", "expectd": [], "actual": []}\n',
    "no-case": _GOOD + b'{"tests": []}\n',
    "two-sides": _GOOD + b'{"id": "b", "expected": [], "actual": [], "toolCalls": []}\n',
    "deep": _GOOD + b"[" * 100_000 + b"\n",
    "deep-arguments": _GOOD
    + b'{"id": "b", "expected": [], "actual": [{"name": "f", "arguments": '
    + b'{"a":' * 600
    + b"1"
    + b"}" * 600
    + b"}]}\n",
    "unknown-rule": _GOOD
    + b'{"id": "b", "expected": [{"name": "f", "arguments": {"a": {"$gtt": 1}}}]}\n',
    "wrong-rule": _GOOD
    + b'{"id": "b", "expected": [{"name": "f", "arguments": {"a": {"$regex": "("}}}]}\n',
    "wrong-date": _GOOD
    + b'{"id": "b", "expected": [{"name": "f", "arguments": {"a": {"$date": "soon"}}}]}\n',
    "unknown-group": _GOOD + b'{"id": "b", "expected": [{"in_ordr": ["f"]}]}\n',
    "nested-forbid": _GOOD + b'{"id": "b", "expected": [{"in_order": [{"forbid": "f"}]}]}\n',
    "wrong-times": _GOOD
    + b'{"id": "b", "expected": [{"name": "f", "times": {"min": 3, "max": 1}}]}\n',
    "id-null": _GOOD + b'{"id": null, "expected": [], "actual": []}\n',
    "id-list": _GOOD + b'{"id": [1], "expected": [], "actual": []}\n',
    "trial-text": _GOOD + b'{"id": "b", "trial": "x", "expected": [], "actual": []}\n',
    "tags-number": _GOOD + b'{"id": "b", "tags": 5, "expected": [], "actual": []}\n',
    "nan": b'{"id": "b", "expected": ["f"], "actual": [{"name": "f", "arguments": {"a": NaN}}]}\n',
    "surrogate": b'{"id": "b", "expected": ["f"], "actual": [{"name": "f", "arguments": {"a": "\\ud800"}}]}\n',
    "escapes": b'{"id": "\\u001b[31mred\\u0000", "expected": ["f"], "actual": [{"name": "\\u202ef"}]}\n',
    "duplicate-keys": b'{"id": "b", "id": "c", "expected": ["f"], "actual": ["f"]}\n',
    "empty": b"",
    "blank": b"\n\n  \n",
    "bom": b"\xef\xbb\xbf" + _GOOD,
    "windows": _GOOD.replace(b"\n", b"\r\n"),
}

_CITIES = (
    *("oslo", "rome", "paris", "lima", "cairo", "delhi"),
    *("tokyo", "quito", "accra", "dakar", "minsk", "sofia"),
)
_WEATHER_SUITE = 'answers = "answers.jsonl"\ncases = "cases.jsonl"\n'


def answer_lines(*wrong: str) -> str:
    """Recorded answers for the weather suite; those for some cities are wrong."""
    return json_lines(
        [
            {"id": city, "answer": [_call("get_weather", city="x" if city in wrong else city)]}
            for city in _CITIES
        ]
    )


def weather_files(*wrong: str, more: str = "") -> dict[str, str | bytes]:
    """A suite of twelve cases whose answers are recorded."""
    cases = [
        {
            "id": city,
            "input": f"Is it cold in {city}?",
            "tags": ["north"] if city in {"oslo", "minsk"} else [],
            "expected": [_call("get_weather", city=city)],
        }
        for city in _CITIES
    ]
    return {
        "eval_weather.toml": _WEATHER_SUITE + more,
        "cases.jsonl": json_lines(cases),
        "answers.jsonl": answer_lines(*wrong),
    }


_ARCHIVE = Path(__file__).with_name("inputs.txt")
_LABEL = re.compile(r"^-- (.+) --\n", re.MULTILINE)
# Cases that expect groups, which have no position.
_GROUPED = {"in-order", "any-order", "one-of", "optional", "times", "forbidden"}


def input_files(repository: Path) -> dict[str, bytes]:
    """All files that jobs may name.

    Args:
        repository: where examples, samples and real trajectories are taken from.
    """
    _, *parts = _LABEL.split(_ARCHIVE.read_text(encoding="utf-8"))
    made = {
        **dict(zip(parts[::2], parts[1::2], strict=True)),
        **_made_cases(),
        **_compared_cases(),
        **_labelled_runs(),
        **{f"kinds/{name}": content for name, content in _kinds_of_files().items()},
        **{f"bad/{name}.jsonl": content for name, content in BAD_LINES.items()},
        **{f"weather/{name}": content for name, content in weather_files().items()},
        "weather/one.jsonl": answer_lines("oslo"),
        "weather/many.jsonl": answer_lines("oslo", "rome", "lima", "quito", "accra", "dakar"),
    }
    files = {
        name: text if isinstance(text, bytes) else text.encode() for name, text in made.items()
    }
    examples = repository / "examples" / "assistant"
    files |= {f"examples/{each.name}": each.read_bytes() for each in _files_in(examples)}
    trajectories = repository / "src" / "callscore" / "data" / "airline-gpt-4o.jsonl.gz"
    samples = repository / "tests" / "samples"
    return files | {
        "airline.jsonl.gz": trajectories.read_bytes(),
        "spans.json": (samples / "files" / "otlp_traces.json").read_bytes(),
        **{
            f"chat/{each.name}": each.read_bytes()
            for each in _files_in(samples / "formats" / "openai_chat")
        },
    }


def _files_in(folder: Path) -> list[Path]:
    return [
        each
        for each in sorted(folder.iterdir())
        if each.is_file() and not {".expected", ".schemas"} & {*each.suffixes}
    ]


def _made_cases() -> dict[str, str]:
    return {
        "cases.jsonl": CASES,
        "rules.jsonl": json_lines(MATCHER_CASES),
        "plain.jsonl": json_lines([one for one in RICH if one.get("id") not in _GROUPED]),
        "dates.jsonl": json_lines(DATE_CASES),
        "schemas.jsonl": json_lines(SCHEMA_CASES),
        "groups.jsonl": json_lines(GROUP_CASES),
        "many.jsonl": json_lines(MANY_CALLS),
        "tools.json": json_text(TOOLS),
        "schema_tools.json": json_text(SCHEMA_TOOLS),
        "one_tool.json": json_text([{"type": "function", "function": TOOLS[0]}]),
        **TWO_SIDES,
    }


def _compared_cases() -> dict[str, str]:
    """Files that are compared with each other: of right and wrong calls, and of scores between."""
    calls = ["a", "b", "c", "d"]
    graded = {
        name: [
            _case(f"g{n}", calls, calls[: (n * step + trial) % 5], trial=trial, tags=[f"t{n % 2}"])
            for n in range(30)
            for trial in range(3)
        ]
        for name, step in (("graded.jsonl", 1), ("regraded.jsonl", 2), ("worse.jsonl", 0))
    }
    before = [_case(f"c{n}", ["f"], ["f"], tags=["x"]) for n in range(40)]
    after = [_case(f"c{n}", ["f"], ["g" if n % 3 else "f"], tags=["x"]) for n in range(1, 41)]
    files = {"before.jsonl": before, "after.jsonl": after, **graded}
    return {name: json_lines(cases) for name, cases in files.items()}


def _labelled_runs() -> dict[str, str]:
    """Runs whose label follows a key, with a note that differs without a rule."""
    lines = []
    for task in range(20):
        for trial in range(3):
            success = (task + trial) % 2 == 0
            note = ("as agreed", "ok", "done")[(task * 7 + trial * 3) % 3]
            expected = [_call("save", key=task, note="as agreed")]
            actual = [_call("save", key=task if success else -1, note=note)]
            run = _case(f"t{task}", expected, actual, trial=trial, success=success)
            lines.append(run if task else run | {"success": True, "actual": ["store"]})
    return {"labelled.jsonl": json_lines(lines), "few.jsonl": json_lines(lines[:9])}


def _kinds_of_files() -> dict[str, str | bytes]:
    """The same cases in every kind of file, and files that are none."""
    few = RICH[:12]
    rows = "".join(
        ",".join([one["id"], *(_quoted(json_text(one[side])) for side in ("expected", "actual"))])
        + "\n"
        for one in few
    )
    return {
        "cases.json": json_text(few),
        "wrapped.json": json_text({"cases": few}),
        "one.json": json_text(few[0]),
        "cases.yaml": "".join(f"- {json_text(one)}\n" for one in few),
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
        "cut.jsonl.gz": gzip.compress(json_lines(few).encode(), mtime=0)[:-12],
        "folder/inner.jsonl": "",
    }


def _quoted(text: str) -> str:
    return '"{}"'.format(text.replace('"', '""'))

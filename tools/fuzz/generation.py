"""Makes inputs: the same seed and number make the same input, on every machine."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING, Any

import msgspec
from tools.fuzz import seeds
from tools.fuzz.choices import Choices
from tools.fuzz.containers import (
    CONTAINERS,
    compress,
    to_toml,
    to_yaml,
    with_yaml_tricks,
    zip_entries,
)
from tools.fuzz.hostile import STRINGS
from tools.fuzz.inputs import MAX_SIZE, Input
from tools.fuzz.python_values import MARKS
from tools.fuzz.raw_bytes import mutate_bytes
from tools.fuzz.relations import RELATIONS, SECRET
from tools.fuzz.trees import encode, mutate_tree

if TYPE_CHECKING:
    from collections.abc import Callable

__all__ = ["TARGETS", "make_input"]

_Files = dict[str, bytes]
_FORMATS = ("table", "json", "jsonl", "markdown", "junit")


def make_input(
    seed: int, number: int, targets: tuple[str, ...] = (), *, is_mutated: bool = True
) -> Input:
    """The input of this number; `targets` limits what it is for.

    If it is not mutated, callscore can read it: it is one of the seeds, or written from them.
    """
    random = Choices(f"{seed}/{number}")
    random.is_mutating = is_mutated
    names = targets or _NAMES
    weights = [TARGETS[name][0] for name in names]
    target = random.choices(names, weights)[0]
    make = TARGETS[target][1]
    for _ in range(5):
        try:
            made = Input(target, *make(random))
        except RecursionError:  # of mutations of what is already deep
            continue
        if made.size <= MAX_SIZE:
            return made
    if not is_mutated:
        raise ValueError(f"the seeds of {target} are larger than inputs may be")
    arguments, files = make(random)
    most = MAX_SIZE // max(1, len(files))
    return Input(target, arguments, {name: data[:most] for name, data in files.items()})


# --- documents --------------------------------------------------------------------------------


def _tree(random: Choices, known: list[Any], *, share: float = 0.95) -> Any:
    """A mutated copy of one of the known trees."""
    chosen = msgspec.json.decode(msgspec.json.encode(random.choice(known)))
    if not random.mutates(share):
        return chosen
    return mutate_tree(chosen, random, random.choice(random.choice((seeds.trace_seeds(), known))))


def _trace(random: Choices) -> bytes:
    data = encode(_tree(random, seeds.trace_seeds()), random)
    if random.mutates(0.25):
        data = mutate_bytes(data, random, b'{"name": "f", "arguments": {"a": 1}}')
    return data


def _case(random: Choices) -> Any:
    return _tree(random, seeds.case_seeds(), share=0.8)


def _valid_file(random: Choices) -> tuple[str, bytes]:
    """A file in which most cases are valid, so that commands come to their reports."""
    records = [
        _tree(random, seeds.case_seeds(), share=0.25) for _ in range(random.choice((1, 4, 12)))
    ]
    suffix = random.choice((".jsonl", ".jsonl", ".json", ".yaml", ".csv"))
    return f"cases{suffix}", CONTAINERS[suffix](records, random)


def _cases_file(random: Choices, *, valid: float = 0.0) -> tuple[str, bytes]:
    """The name and the content of a file of cases or traces, in any container."""
    kind = random.random()
    if random.random() < valid or not random.is_mutating:
        return _valid_file(random)
    if kind < 0.1:
        suffix, known = random.choice(list(seeds.file_seeds().items()))
        data = mutate_bytes(random.choice(known), random, _trace(random))
    elif kind < 0.13:
        suffix, data = ".eval", _inspect_log(random)
    elif kind < 0.16 and seeds.past_inputs():
        name, data = random.choice(seeds.past_inputs())
        suffix, data = name[name.index(".") :], mutate_bytes(data, random)
    else:
        suffix, data = _written_file(random)
    if random.random() < 0.06:
        more, data = compress(data, random)
        suffix += more
    if random.random() < 0.15:
        data = mutate_bytes(data, random, b"\n" + _trace(random)[:2000])
    if random.random() < 0.05:
        suffix = random.choice(
            (".json", ".yaml", ".csv", ".txt", ".parquet", ".x", ".eval", ".pb", ".gz")
        )
    return f"cases{suffix}", data


def _written_file(random: Choices) -> tuple[str, bytes]:
    weights = (30, 20, 25, 15, 3, 4, 3)
    suffix = random.choices(list(CONTAINERS), weights)[0]
    make = _case if random.random() < 0.7 else lambda given: _tree(given, seeds.trace_seeds())
    records = [make(random) for _ in range(random.choice((1, 1, 2, 3, 6)))]
    if random.random() < 0.1:
        records *= random.choice((2, 30))
    return suffix, CONTAINERS[suffix](records, random)


def _inspect_log(random: Choices) -> bytes:
    entries = dict(seeds.inspect_entries())
    name = random.choice(list(entries))
    try:
        tree = msgspec.json.decode(entries[name])
    except msgspec.DecodeError:
        entries[name] = mutate_bytes(entries[name], random)
    else:
        entries[name] = encode(mutate_tree(tree, random, random.choice(seeds.trace_seeds())))
    if random.random() < 0.1:
        entries[random.choice(("../x.json", "samples/a.json", "", "header.json"))] = b" " * 10**6
    return zip_entries(entries, random)


# --- the library -------------------------------------------------------------------------------


def _read(random: Choices) -> tuple[tuple[str, ...], _Files]:
    function = random.choice(("calls", "calls", "check", "tools", "text", "data"))
    return (function,), {"document": _trace(random)}


def _score(random: Choices) -> tuple[tuple[str, ...], _Files]:
    case = _case(random)
    if not isinstance(case, dict):
        case = {"expected": case, "actual": []}
    if random.random() < 0.4:
        case["settings"] = _tree(random, seeds.config_seeds(), share=0.3)
    if random.mutates(0.15):
        case["tools"] = _tree(random, seeds.tools_seeds(), share=0.7)
    return ("case",), {"case": msgspec.json.encode(case)}


def _api(random: Choices) -> tuple[tuple[str, ...], _Files]:
    """A function of the library, with arguments that are Python values."""
    function, known = random.choice(_CALLS)
    tree = msgspec.json.decode(msgspec.json.encode(known))
    for _ in range(random.choice((1, 1, 2, 4)) if random.mutates(0.95) else 0):
        holder, key = tree, random.choice(list(tree))
        while holder[key] and isinstance(holder[key], dict | list) and random.random() < 0.6:
            holder = holder[key]
            key = random.choice(list(holder) if isinstance(holder, dict) else range(len(holder)))
        holder[key] = random.choice((*MARKS, "\x01parent", "\x01root"))
    if random.mutates(0.4):
        tree = mutate_tree(tree, random, random.choice(seeds.case_seeds()))
    return (function,), {"values": msgspec.json.encode(tree)}


_CALL = {"name": "f", "arguments": {"a": 1, "b": ["x"]}}
_CALLS: tuple[tuple[str, dict[str, Any]], ...] = (
    ("score", {"expected": [_CALL], "actual": [_CALL]}),
    ("score", {"expected": [_CALL], "actual": [_CALL], "mode": "strict", "order": "any"}),
    ("score", {"expected": [_CALL], "actual": [_CALL], "preset": "outcome", "tools": ["f"]}),
    ("score", {"expected": [_CALL], "actual": [_CALL], "arrays": "unordered", "pass_mark": 1}),
    ("score", {"expected": [_CALL], "actual": [_CALL], "effects": {"f": "read"}, "top_k": 2}),
    ("score", {"expected": [_CALL], "actual": [_CALL], "arguments": {"f.a": "date"}}),
    ("ToolCall", {"expected": {"a": [1, {"b": 2}]}, "actual": {"a": [1, {"b": 2}]}}),
    ("ToolCall", {"expected": {"a": 1}, "actual": {"a": 1}, "id": "x", "step": 1, "result": "y"}),
    ("ToolCall", {"expected": {}, "actual": {}, "failed": True, "kind": "mcp", "caller": "user"}),
    ("check_calls", {"calls": [_CALL, _CALL], "tools": [{"name": "f", "parameters": {}}]}),
    ("read_calls", {"document": [_CALL], "format": "generic", "candidate": 0, "failure": "^E"}),
    ("read_calls", {"document": {"messages": [{"role": "assistant", "tool_calls": [_CALL]}]}}),
    ("read_calls", {"document": [_CALL], "view": "requested", "leave_out": ["user"]}),
    ("read_tools", {"document": [{"name": "f", "input_schema": {"type": "object"}}]}),
    ("score_cases", {"cases": [{"id": "a", "expected": [_CALL], "actual": [_CALL]}]}),
    ("Case", {"input": "x", "id": "a", "expected": [_CALL], "tags": ["a"], "metadata": {"a": 1}}),
    ("evaluation", {"cases": ["Hi!", {"input": "x", "expected": [_CALL]}], "scorers": ["exact"]}),
    ("wilson", {"successes": 1, "trials": 3}),
    ("pass_at_k", {"trials": 5, "passed": 3, "k": 2}),
    ("pass_hat_k", {"trials": 5, "passed": 3, "k": 2}),
    ("expect", {"kind": "call", "values": ["f", {"a": 1}]}),
    ("expect", {"kind": "regex", "values": ["a+"]}),
    ("expect", {"kind": "approx", "values": [1.5]}),
    ("expect", {"kind": "date", "values": ["2024-01-15"]}),
    ("expect", {"kind": "text", "values": ["a b"]}),
    ("expect", {"kind": "gt", "values": [1]}),
    ("expect", {"kind": "unordered", "values": [[1, [2]]]}),
    ("expect", {"kind": "subset", "values": [{"a": 1}]}),
    ("expect", {"kind": "schema", "values": [{"type": "object"}]}),
    ("expect", {"kind": "one_of", "values": [1, [2]]}),
    ("expect", {"kind": "in_order", "values": ["f", "g"]}),
    ("expect", {"kind": "times", "values": ["f", 2]}),
    ("expect", {"kind": "from_json", "values": [[_CALL]]}),
    ("agent_tool", {"name": "score_tool_calls", "input": {"expected": [_CALL], "actual": [_CALL]}}),
    ("agent_tool", {"name": "check_tool_calls", "input": {"actual": [_CALL], "tools": [_CALL]}}),
)


def _file(random: Choices) -> tuple[tuple[str, ...], _Files]:
    name, data = _cases_file(random)
    arguments = [name]
    if random.random() < 0.5:
        arguments.append("--skip-bad")
    if random.random() < 0.3:
        arguments.append(random.choice(("preset=flexible", "preset=outcome", "arrays=unordered")))
    return tuple(arguments), {name: data}


def _same(random: Choices) -> tuple[tuple[str, ...], _Files]:
    """Cases, some with mutations, that are scored in several ways."""
    relation = random.choice((*RELATIONS, "secret"))
    known = seeds.case_seeds()
    records = [_tree(random, known, share=0.4) for _ in range(random.choice((1, 2, 5)))]
    data = encode(records)
    if relation == "secret":  # in place of a text, wherever it is
        texts = re.findall(rb'"arguments":\{"\w+":("[\w -]+")', data) or [b'"a"']
        found = re.compile(b"(?<=:)" + re.escape(random.choice(texts)))
        data = found.sub(lambda _: msgspec.json.encode(SECRET), data)
    return (relation,), {"cases.json": data}


# --- commands ----------------------------------------------------------------------------------


def _options(random: Choices, *formats: str) -> list[str]:
    found: list[str] = []
    if random.random() < 0.8:
        found += ["--format", random.choice(formats)]
    if random.random() < 0.2:
        found += ["--lang", "ru"]
    return found


def _some(random: Choices, share: float, *choices: tuple[str, ...]) -> list[str]:
    return list(random.choice(choices)) if random.random() < share else []


_SETTINGS = (
    *(
        ("--preset", "flexible"),
        ("--preset", "outcome"),
        ("--arrays", "unordered"),
        ("--top-k", "3"),
    ),
    *(("--order", "exact"), ("--order", "in_order"), ("--nested-objects", "subset")),
    *(
        ("--repeated-calls", "collapse"),
        ("--normalize-name", "case"),
        ("--strip-prefix", "mcp__*__"),
    ),
    *(
        ("--argument", "*.a=date"),
        ("--argument", '*.q=text:{"similarity": 0.8}'),
        ("--pass-mark", "0.5"),
    ),
)
_READING = (
    *(
        ("--map", "id=$.id"),
        ("--map", "actual=$.messages"),
        ("--limit", "2"),
        ("--view", "executed"),
    ),
    *(("--candidate", "1"), ("--leave-out", "none"), ("--failure-pattern", "(a+)+$")),
    *(
        ("--input-format", "openai_chat"),
        ("--input-format", "generic"),
        ("--input-format", "callscore_case"),
    ),
)


def _score_command(random: Choices) -> tuple[tuple[str, ...], _Files]:
    name, data = _cases_file(random, valid=0.5)
    arguments = ["score", name, *_options(random, *_FORMATS)]
    arguments += _some(random, 0.5, ("--skip-bad",)) + _some(random, 0.4, ("--show", "all"))
    arguments += _some(random, 0.3, *_SETTINGS)
    arguments += list(random.choice(_READING)) if random.mutates(0.15) else []
    arguments += _some(random, 0.1, ("--fail-under", "0.5"), ("--save", "x"), ("--no-config",))
    arguments += _some(random, 0.1, ("--metric", "ragas.tool_call_f1"), ("--metric", "bfcl.valid"))
    files = {name: data}
    if random.random() < 0.05:
        files["tools.json"] = encode(_tree(random, seeds.tools_seeds()))
        arguments += ["--tools", "tools.json"]
    return tuple(arguments), files


def _joined_command(random: Choices) -> tuple[tuple[str, ...], _Files]:
    case = _case(random)
    sides = [_some_side(case, side) for side in ("expected", "actual")]
    files = {f"{side}.jsonl": data for side, data in zip(("e", "a"), sides, strict=True)}
    options = _options(random, *_FORMATS)
    return ("score", "--expected", "e.jsonl", "--actual", "a.jsonl", *options), files


def _some_side(case: Any, side: str) -> bytes:
    kept = (
        {key: value for key, value in case.items() if key in ("id", side)}
        if case.__class__ is dict
        else case
    )
    return msgspec.json.encode(kept)


def _look_command(random: Choices) -> tuple[tuple[str, ...], _Files]:
    name, data = _cases_file(random, valid=0.5)
    command, *more = random.choice(
        (
            ("explain", *_some(random, 0.3, *_SETTINGS), *_some(random, 0.2, ("--lang", "ru"))),
            ("check", *_options(random, "table", "json", "jsonl", "markdown"), "--skip-bad"),
            ("check", *_options(random, "table", "json", "jsonl", "markdown")),
            ("extract", "--skip-bad"),
            ("extract", "--definitions"),
            ("capture", "--skip-bad"),
            ("capture",),
            ("metrics", "--disagree", *_options(random, "table", "json", "markdown"), "--skip-bad"),
        )
    )
    more += random.choice(_READING[3:]) if random.mutates(0.1) else ()
    return (command, name, *more), {name: data}


def _compare_command(random: Choices) -> tuple[tuple[str, ...], _Files]:
    name, data = _cases_file(random, valid=0.8)
    files = {f"before-{name}": data, f"after-{name}": data}
    if random.mutates(0.3):
        files[f"after-{name}"] = mutate_bytes(data, random, data)
    elif random.mutates(0.3):
        name, data = _cases_file(random, valid=0.8)
        files = {**dict(list(files.items())[:1]), f"other-{name}": data}
    more = _some(random, 0.3, ("--measure", "f1"), ("--fail-on", "any"), ("--max-shown", "0"))
    return ("compare", *files, *_options(random, "table", "json", "markdown"), *more), files


def _config_command(random: Choices) -> tuple[tuple[str, ...], _Files]:
    known = random.choice(seeds.config_seeds())
    tree: Any = {**known, **_some_settings(random)}
    if random.mutates(0.4):
        tree = mutate_tree(_copied(tree), random, known)
    data = to_toml(tree if isinstance(tree, dict) else {"preset": tree})
    name = random.choice(("callscore.toml", "callscore.toml", "pyproject.toml"))
    if name == "pyproject.toml":
        data = b"[tool.callscore]\n" + data
    if random.mutates(0.1):
        data = mutate_bytes(data, random, b"[a]\nb = 1\n")
    cases = _cases_of(random)
    return ("score", "cases.jsonl", *_options(random, "table", "json")), {
        name: data,
        "cases.jsonl": cases,
    }


def _some_settings(random: Choices) -> dict[str, Any]:
    """Valid settings, in any combination."""
    names = random.sample(list(seeds.SETTINGS), random.choice((0, 1, 2, 5)))
    return {name: random.choice(seeds.SETTINGS[name]) for name in names}


def _cases_of(random: Choices) -> bytes:
    """Some cases that can be scored, one per line."""
    known = [case for case in seeds.case_seeds() if "expected" in case and "actual" in case]
    return b"".join(encode(case) + b"\n" for case in random.choices(known, k=3))


def _copied(tree: Any) -> Any:
    return msgspec.json.decode(msgspec.json.encode(tree))


def _tools_command(random: Choices) -> tuple[tuple[str, ...], _Files]:
    data = encode(_tree(random, seeds.tools_seeds(), share=0.8), random)
    if random.mutates(0.15):
        data = mutate_bytes(data, random)
    more = random.choice(
        (("--kind", "single"), ("--kind", "near_miss"), ("--kind", "negative"), ())
    )
    return ("generate", "--tools", "tools.json", "-n", "4", *more), {"tools.json": data}


def _suite_command(random: Choices) -> tuple[tuple[str, ...], _Files]:
    files = dict(seeds.SUITE_FILES)
    name, data = _suite(random)
    if random.mutates(0.2):
        key = random.choice(list(files))
        lines = [msgspec.json.decode(line) for line in files[key].splitlines()]
        files[key] = b"\n".join(encode(each) for each in _listed(mutate_tree(lines, random, lines)))
    files[name] = data
    more = _some(
        random, 0.3, ("--collect-only",), ("--show", "all"), ("-k", "oslo or not x"), ("-x",)
    )
    formats = _options(random, "table", "json", "markdown", "junit")
    return (
        "run",
        name,
        *([] if "--collect-only" in more else formats),
        *more,
        "--retries",
        "0",
    ), files


def _listed(value: Any) -> list[Any]:
    return value if isinstance(value, list) else [value]


def _suite(random: Choices) -> tuple[str, bytes]:
    known = random.choice(seeds.suite_seeds())
    tree = {**known, "settings": {**known.get("settings", {}), **_some_settings(random)}}
    if random.mutates(0.5):
        tree = mutate_tree(_copied(tree), random, known)
    if isinstance(tree, dict):
        tree.pop("model", None)  # no model is called
        tree.pop("judge", None)
    if random.random() < 0.4 and isinstance(tree, dict):
        name, data = "eval_a.toml", to_toml(tree)
    else:
        name, data = "eval_a.yaml", to_yaml(tree).encode("utf-8", "surrogatepass")
        if random.mutates(0.3):
            data = with_yaml_tricks(data, random)
    if random.mutates(0.1):
        data = mutate_bytes(data, random, b"cases:\n- a\n")
    return name, data


def _import_command(random: Choices) -> tuple[tuple[str, ...], _Files]:
    known = seeds.history_seed()
    if random.random() < 0.2:
        data = mutate_bytes(known.parquet, random) if random.mutates(0.9) else known.parquet
        return ("import", "run.parquet"), {"run.parquet": data}
    lines = known.jsonl.splitlines()
    for _ in range(random.choice((1, 1, 3)) if random.mutates(0.9) else 0):
        at = random.randrange(len(lines))
        try:  # it may have been mutated before
            tree = msgspec.json.decode(lines[at])
        except (msgspec.DecodeError, RecursionError):
            tree = {}
        lines[at] = encode(mutate_tree(tree, random, random.choice(seeds.case_seeds())))
        lines[at] = lines[at][:20_000]
    data = b"\n".join(lines) + b"\n"
    if random.mutates(0.3):
        data = mutate_bytes(data, random, lines[0])
    return ("import", "run.jsonl"), {"run.jsonl": data}


def _history_command(random: Choices) -> tuple[tuple[str, ...], _Files]:
    known = seeds.history_seed()
    data = bytearray(known.database)
    for _ in range(random.choice((1, 1, 2, 10)) if random.mutates(0.75) else 0):
        at = random.randrange(len(data))
        many = random.choice((1, 1, 4, 100, 4096))
        data[at : at + many] = random.choice((b"\x00", b"\xff", random.randbytes(1))) * len(
            data[at : at + many]
        )
    if random.mutates(0.1):
        del data[random.randrange(len(data)) :]
    command = random.choice(
        (
            ("show", "latest", *_options(random, "table", "json", "markdown", "junit")),
            ("history", *_options(random, "table", "json")),
            ("compare", "before", "after", *_options(random, "table", "json", "markdown")),
            ("gate", *_options(random, "table", "json", "markdown", "junit")),
            ("export", "latest"),
            ("rescore", *_options(random, "table", "json")),
            ("bless", "after", "--dry-run"),
            ("baseline", "list"),
            ("gc", "--keep", "1", "--dry-run"),
        )
    )
    return command, {**known.files, ".callscore/history.db": bytes(data)}


def _words_command(random: Choices) -> tuple[tuple[str, ...], _Files]:
    """Valid files, and hostile words on the command line."""
    hostile = random.choice([each for each in STRINGS if "\x00" not in each])
    *arguments, word = random.choice(_WORDS)
    if random.mutates(0.9):
        word = word.replace("pay", hostile) if "pay" in word else hostile
    suite = encode(seeds.suite_seeds()[0])
    files = {**seeds.SUITE_FILES, "eval_a.yaml": suite, "a.jsonl": _cases_of(random)}
    return (*arguments, word), files


# The last word is the one that is replaced.
_WORDS = (
    *(("score", "a.jsonl", "--map", "id=$.id"), ("score", "a.jsonl", "--metric", "bfcl.valid")),
    ("score", "a.jsonl", "--argument", "*.a=regex:pay"),
    ("score", "a.jsonl", "--argument", "*.a=date"),
    ("score", "a.jsonl", "--failure-pattern", "pay"),
    ("score", "a.jsonl", "--json", "--strip-prefix", "pay"),
    ("score", "a.jsonl", "--effect", "pay=read"),
    ("score", "a.jsonl", "--input-format", "callscore_case"),
    *(("score", "a.jsonl"), ("explain", "a.jsonl"), ("check", "a.jsonl")),
    ("run", ".", "--collect-only", "-k", "oslo"),
    *(("formats", "generic"), ("metrics", "bfcl"), ("formats",)),
)


# What is fuzzed: how often, and what makes the arguments and the files.
TARGETS: dict[str, tuple[float, Callable[[Choices], tuple[tuple[str, ...], _Files]]]] = {
    "read": (32, _read),
    "score": (25, _score),
    "api": (15, _api),
    "file": (18, _file),
    "same": (3, _same),
    "cli score": (4, _score_command),
    "cli joined": (0.5, _joined_command),
    "cli look": (2, _look_command),
    "cli compare": (0.5, _compare_command),
    "cli config": (1, _config_command),
    "cli generate": (0.5, _tools_command),
    "cli run": (0.5, _suite_command),
    "cli import": (0.4, _import_command),
    "cli history": (0.4, _history_command),
    "cli words": (0.3, _words_command),
}
_NAMES = tuple(TARGETS)

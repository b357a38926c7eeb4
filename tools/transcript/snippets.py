"""Scripts that use the library as a reader of the documentation would."""

from __future__ import annotations

__all__ = ["MCP_CLIENT", "MODELS", "PUBLIC_NAMES", "SNIPPETS"]

# Every public name with its signature and its members. Only what a user can see is printed.
PUBLIC_NAMES = """\
import enum
import importlib
import inspect
import re

MODULES = ("callscore", "callscore.expect", "callscore.models", "callscore.testing",
           "callscore.parity", "callscore.integrations", "callscore.errors")


def signature(value):
    try:
        text = str(inspect.signature(value))
    except (TypeError, ValueError):
        return ""
    # Where a class lives is not public, its name is.
    text = re.sub(r"\\bcallscore(?:\\.\\w+)+\\.(\\w+)", r"\\1", text)
    return re.sub(r" at 0x[0-9a-f]+", "", text)


def members(value):
    for name in sorted(dir(value)):
        if name.startswith("_"):
            continue
        member = inspect.getattr_static(value, name)
        kind = type(member).__name__
        shown = signature(getattr(value, name)) if callable(getattr(value, name)) else ""
        print(f"    .{name}: {kind}{shown}")


def show(name, value):
    if inspect.ismodule(value):
        print(f"{name}: module")
    elif inspect.isclass(value):
        bases = ", ".join(base.__name__ for base in value.__mro__[1:-1])
        print(f"{name}: class({bases}){signature(value)}")
        members(value)
    elif callable(value):
        print(f"{name}: {type(value).__name__}{signature(value)}")
    else:
        print(f"{name}: {value!r}")


for module_name in MODULES:
    module = importlib.import_module(module_name)
    print(f"== {module_name}")
    for name in sorted(module.__all__):
        show(f"{module_name}.{name}", getattr(module, name))
parity = importlib.import_module("callscore.parity")
for tool in sorted(parity.__all__):
    module = getattr(parity, tool)
    print(f"== callscore.parity.{tool}")
    for name in sorted(module.__all__):
        show(f"{tool}.{name}", getattr(module, name))
import callscore
print(callscore.__version__)
"""

# A client that waits for each answer, over standard input and over HTTP.
MCP_CLIENT = """\
import json
import signal
import subprocess
import sys
import urllib.error
import urllib.request

command = [sys.executable, "-m", "callscore", "mcp"]
search, other = {"tool": "search", "args": {"q": 1}}, {"tool": "search", "args": {"q": 2}}
both = {"expected": [search], "actual": [other, search]}
hello = {"protocolVersion": "2025-06-18", "capabilities": {}, "clientInfo": {"name": "c", "version": "1"}}
tools = [{"name": "search", "parameters": {"type": "object", "required": ["query"]}}]
messages = [("initialize", hello), ("tools/list", {}), ("ping", {}), ("nothing", {})]
for name, arguments in (
    ("score_tool_calls", both),
    ("score_tool_calls", {**both, "mode": "flexible", "argument_match_threshold": 0.5, "order": "in_order"}),
    ("explain_score", both),
    ("check_tool_calls", {"actual": [other] * 5, "tools": tools}),
    ("score_tool_calls", {"expected": []}),
    ("score_tool_calls", {**both, "mod": "x"}),
    ("score_tool_calls", {**both, "mode": "x"}),
    ("score_tool_calls", {"expected": ["f"] * 1001, "actual": []}),
    ("score", {}),
):
    messages.append(("tools/call", {"name": name, "arguments": arguments}))
pipe = subprocess.PIPE


def body(number, method, parameters):
    return json.dumps({"jsonrpc": "2.0", "id": number, "method": method, "params": parameters})


with subprocess.Popen(command, stdin=pipe, stdout=pipe, stderr=pipe, text=True) as process:
    for number, (method, parameters) in enumerate(messages, 1):
        process.stdin.write(body(number, method, parameters) + "\\n")
        if number == 1:
            process.stdin.write('{"jsonrpc": "2.0", "method": "notifications/initialized"}\\n')
            process.stdin.write("not json\\n")
        process.stdin.flush()
        print(process.stdout.readline() if number > 1 else process.stdout.readline() + process.stdout.readline())
    rest, errors = process.communicate()
print(rest, errors, process.returncode)

command += ["--http", "--port", "0"]
with subprocess.Popen(command, stderr=pipe, text=True) as process:
    line = process.stderr.readline()
    print(line)
    kinds = {"Content-Type": "application/json", "Accept": "application/json, text/event-stream"}
    for number, (method, parameters) in enumerate(messages, 1):
        data = body(number, method, parameters).encode()
        try:
            with urllib.request.urlopen(urllib.request.Request(line.split()[-1], data, kinds)) as answer:
                print(answer.status, answer.read().decode())
        except urllib.error.HTTPError as error:
            print(error.code, error.read().decode())
    process.send_signal(signal.SIGINT)
    print(process.communicate()[1], process.returncode)
"""

_HEAD = """\
import callscore
from callscore import Case, Settings, ToolCall, expect
import json


def tell(make):
    \"\"\"Print what an expression gives, or the error that it raises.\"\"\"
    try:
        print(make())
    except Exception as error:
        kinds = [kind.__name__ for kind in type(error).__mro__]
        print(kinds[:kinds.index("Exception") + 1], error)


"""
SNIPPETS: dict[str, str] = {
    "score": _HEAD
    + """\
lines = [json.loads(line) for line in open("cases.jsonl")]
for line in lines:
    if "expected" not in line or "actual" not in line:
        continue
    expected = expect.from_json(line["expected"])
    for options in ({}, {"preset": "outcome"}, {"mode": "flexible", "order": "in_order"}):
        try:
            score = callscore.score(expected, line["actual"], **options)
        except callscore.CallscoreError as error:
            print(line.get("id"), type(error).__name__, error)
            continue
        print("==", line.get("id"), options, score.f1, score.rating, score.summary)
        print(score)
        print(score.explain())
        print(score.explain(lang="ru"))
        print(json.dumps(score.to_dict(), ensure_ascii=False, default=str))
        print(score.missed, score.extra, score.forbidden, score.faults)
        for pair in (*score.correct, *score.incorrect):
            print(pair.expected_index, pair.actual_index, pair.overlap, pair.matched_arguments)
            print([(d.path, d.kind, d.argument, d.matcher, d.closeness, d.note, d.reason) for d in pair.differences])
""",
    "representations": _HEAD
    + """\
score = callscore.score([expect.call("f", a=1), "g"], [("f", {"a": 2}), "h"])
for value in (
    score, score.incorrect[0], score.incorrect[0].differences[0], score.settings, score.missed[0],
    Settings.preset("outcome"), Case("hi", id="a", expected=["f"]), ToolCall("f", {"a": 1}),
    callscore.wilson(3, 10), callscore.pass_at_k(10, 3, 2), callscore.pass_hat_k(10, 3, 2),
    callscore.Mode.STRICT, list(callscore.Mode), callscore.ReadOptions(), callscore.Trace(calls=()),
    expect.in_order("a", expect.one_of(expect.call("b"), expect.call("c"))), expect.times("f", min=2), expect.forbid("x*"),
    expect.regex("^a"), expect.date("2024-01-15"), expect.any(), expect.optional(10),
    callscore.read_tools(json.load(open("tools.json"))),
    callscore.check_calls(["f"] * 6 + [("pay", {})], tools=json.load(open("tools.json"))),
):
    print(repr(value))
    print(str(value))
import rich
rich.print(score)
""",
    "errors": _HEAD
    + """\
tell(lambda: callscore.score([{"nme": "f"}], []))
tell(lambda: callscore.score(5, []))
tell(lambda: callscore.score([], 5))
tell(lambda: callscore.score(["f"], ["f"], mode="x"))
tell(lambda: callscore.score(["f"], ["f"], mod="strict"))
tell(lambda: callscore.score(["f"], ["f"], preset="x"))
tell(lambda: callscore.score(["f"], ["f"], settings=Settings(), mode="strict"))
tell(lambda: callscore.score(["f"], ["f"], argument_match_threshold=2))
tell(lambda: callscore.score(["f"], ["f"], tools=5))
tell(lambda: callscore.score(["f"], None))
tell(lambda: callscore.score(None, []))
tell(lambda: callscore.score([expect.call("f", a=expect.judge("ok?"))], [("f", {"a": 1})]))
tell(lambda: callscore.score([], []).explain(lang="de"))
tell(lambda: Settings(order="x"))
tell(lambda: Settings(arguments={"x": "date"}))
tell(lambda: Settings(effects={"x": "y"}))
tell(lambda: Settings(top_k=0))
tell(lambda: Settings.preset("x"))
tell(lambda: expect.regex("("))
tell(lambda: expect.date("soon"))
tell(lambda: expect.type("text"))
tell(lambda: expect.approx("x"))
tell(lambda: expect.gt("x"))
tell(lambda: expect.times("f", 0))
tell(lambda: expect.times("f", min=3, max=2))
tell(lambda: expect.one_of(["a", "b"]))
tell(lambda: expect.one_of())
tell(lambda: expect.in_order([]))
tell(lambda: expect.forbid(5))
tell(lambda: expect.schema({"type": 5}))
tell(lambda: expect.text(5))
tell(lambda: expect.text("x", ignore=["y"]))
tell(lambda: expect.subset(5))
tell(lambda: expect.unordered(5))
tell(lambda: expect.contians("x"))
tell(lambda: expect.from_json([{"name": "f", "arguments": {"a": {"$gtt": 1}}}]))
tell(lambda: expect.to_json([5]))
tell(lambda: callscore.read_calls({"x": 1}))
tell(lambda: callscore.read_calls("no calls"))
tell(lambda: callscore.read_calls([], format="x"))
tell(lambda: callscore.read_calls([], view="x"))
tell(lambda: callscore.read_calls([], candidate=-1))
tell(lambda: callscore.read_calls([], failure="("))
tell(lambda: callscore.read_calls(__import__("pathlib").Path("nowhere.json")))
tell(lambda: callscore.read_tools(5))
tell(lambda: callscore.check_calls(5))
tell(lambda: callscore.wilson(5, 3))
tell(lambda: callscore.pass_at_k(3, 5, 1))
tell(lambda: callscore.pass_hat_k(3, 1, 5))
tell(lambda: callscore.score_cases([{"id": "a", "expectd": []}]))
tell(lambda: callscore.score_cases([5]))
tell(lambda: callscore.score_cases([], show="x"))
tell(lambda: callscore.score_cases([], metrics=["x.y"]))
tell(lambda: callscore.score_files("nowhere.jsonl"))
tell(lambda: callscore.score_joined("cases.jsonl", "nowhere.jsonl"))
tell(lambda: callscore.compare("a", "b"))
tell(lambda: callscore.compare("cases.jsonl", "cases.jsonl", measure="x"))
tell(lambda: callscore.evaluate("nowhere"))
tell(lambda: callscore.evaluate())
tell(lambda: callscore.evaluation(cases=5)(print))
tell(lambda: callscore.nope)
tell(lambda: callscore.parity.nope)
tell(lambda: callscore.models.chat("m"))
tell(lambda: callscore.models.judge("m"))
tell(lambda: callscore.models.Rate("x"))
from callscore.testing import assert_calls, call
tell(lambda: assert_calls([call("f", a=1)], [("f", {"a": 2})]))
tell(lambda: assert_calls([call("f", a=1)], [("f", {"a": 1})]))
tell(lambda: assert_calls([call("f")], None))
tell(lambda: assert_calls([expect.forbid("f")], ["f"], pass_mark=0))
""",
    "many-cases": _HEAD
    + """\
results = callscore.score_files("cases.jsonl", skip_bad=True, show="all", max_shown=None)
print(results)
print(json.dumps(results.to_dict(), ensure_ascii=False))
print(repr(results.summary))
for name in ("macro_f1", "macro_f1_interval", "micro_f1", "exact_interval", "tools", "wrong_arguments", "confusion", "faults"):
    print(name, getattr(results.summary, name))
print(callscore.score_cases([json.loads(line) for line in open("cases.jsonl")], metrics=["ragas.tool_call_f1"]))
print(callscore.compare("cases.jsonl", "cases.jsonl"))
print(json.dumps(callscore.compare("cases.jsonl", "cases.jsonl", settings=Settings(mode="flexible")).to_dict(), default=str))
""",
    "evaluate": _HEAD
    + """\
from callscore import evaluate, evaluation


@evaluation(cases=[Case("hi", id="a", expected=["f"]), Case("ho", id="b", expected=["g"])], scorers=["accuracy", "exact"])
def agent(case):
    return ["f"]


print(agent)
run = evaluate(agent, jobs=1)
print(run)
print(run.evaluations[0].passed, run.evaluations[0].answered)
found = run.to_dict()
print(json.dumps(found, ensure_ascii=False, default=str))
kept = evaluate(agent, jobs=1, save=True, fail_under=0.9)
print(kept)
again = evaluate(agent, jobs=1, cache=True, store="other.db", trials=2, show="all")
print(again)
""",
    "expect": _HEAD
    + """\
expected = [
    expect.call("search", query=expect.contains("Paris"), limit=expect.optional(10)),
    expect.any_order(expect.call("a", x=expect.gt(1, lte=5)), expect.times(expect.call("b"), 2)),
    expect.in_order("c", expect.optional(expect.call("d", y=expect.unordered([1, 2])))),
    expect.one_of(expect.call("e", z=expect.one_of(1, 2)), expect.call("f", {"odd name": expect.absent()})),
    expect.call("g", a=expect.approx(1, rel=0.1), b=expect.date("2024-01-15"), c=expect.type("string", "null")),
    expect.call("h", a=expect.text("x", similarity=0.9), b=expect.subset({"a": 1}), c=expect.schema({"type": "string"})),
    expect.call("i", a=expect.regex("^x"), b=expect.any(), c=expect.judge("ok?"), d={"$gt": 1}),
    expect.forbid("delete_*"),
]
written = expect.to_json(expected)
print(json.dumps(written))
print(expect.from_json(written) == expected)
score = callscore.score(expected, ["search", ("a", {"x": 7}), "b", "c", "delete_all"], judge=lambda q, v: (True, "yes"))
print(score)
print(score.explain())
print(score.explain(lang="ru"))
print(score.expectation)
print(json.dumps(score.to_dict(), default=str))
""",
    "reading": _HEAD
    + """\
print(callscore.read_calls([{"role": "assistant", "tool_calls": [{"function": {"name": "f", "arguments": '{"a": 1'}}]}]))
print(callscore.read_calls('<tool_call>\\n{"name": "f", "arguments": {"city": "Paris"}}\\n</tool_call>'))
print(callscore.read_calls("[f(city='Paris', n=[1, 2])]"))


def book(flight: str, seats: list[int] | None = None, *, cabin: str = "economy") -> str:
    \"\"\"Book a flight.

    Args:
        flight: its number.
        seats: which ones.
        cabin: the class.
    \"\"\"


print(callscore.read_tools([book]))
print(callscore.check_calls([("book", {"flight": 5, "seat": 1})], tools=[book]))
print(callscore.score(["book"], [("book", {"flight": 5})], tools=[book]).to_dict())
""",
    "agent-tools": _HEAD
    + """\
from callscore.integrations import handle, tool_definition

for kind in ("openai", "openai-responses", "anthropic", "gemini", "json-schema"):
    for tool in ("score_tool_calls", "explain_score", "check_tool_calls"):
        print(kind, tool, json.dumps(tool_definition(kind, tool)))
tell(lambda: tool_definition("x"))
tell(lambda: tool_definition("openai", "x"))
search, other = {"tool": "search", "args": {"q": 1}}, {"tool": "search", "args": {"q": 2}}
for name in ("score_tool_calls", "explain_score", "check_tool_calls", "nope"):
    for arguments in (
        {}, {"expected": [search], "actual": [search, other]}, {"actual": [other] * 4},
        {"expected": [search], "actual": [other], "mode": "flexible", "argument_match_threshold": 0.5, "order": "exact"},
        {"expected": [search], "actual": [other], "mode": "x"}, {"expected": 5, "actual": {}}, {"actual": [{}]},
        {"expected": [search], "actual": [other], "language": "ru"},
    ):
        print(name, json.dumps(handle({"type": "tool_use", "id": "1", "name": name, "input": arguments}), ensure_ascii=False))
tell(lambda: handle(5))
""",
    "parity": _HEAD
    + """\
import inspect

lines = [json.loads(line) for line in open("cases.jsonl")]
cases = [(line["id"], line["expected"], line["actual"]) for line in lines[:27] if "id" in line and "expected" in line]
for tool in sorted(callscore.parity.__all__):
    module = getattr(callscore.parity, tool)
    for metric in module.METRICS:
        for name, expected, actual in cases:
            try:
                value = metric([ToolCall(c["name"], c.get("arguments")) for c in expected if "name" in c],
                               [ToolCall(str(c["name"]), c.get("arguments")) for c in actual if isinstance(c, dict)])
            except Exception as error:
                value = f"{type(error).__name__}: {error}"
            print(tool, metric.__name__, name, value)
""",
    "evaluations": _HEAD
    + """\
import asyncio
import pathlib
from callscore import NotScorable, evaluate, evaluation


def is_brief(calls):
    return len(calls) < 2, "as it should be"


async def is_kind(case, output):
    return None if case.id == "a" else 0.5


def all_of_it(case, input, output, calls, expected, score, tools):
    return (score.f1 if score else 1.0) if input else True


def refuses(calls):
    raise NotScorable("no idea")


def raises(calls):
    raise ValueError("broken")


def returns_text(calls):
    return "good"


def returns_much(calls):
    return 7


def needs_nonsense(nonsense):
    return 1


def made():
    yield Case("made", id="made", expected=["f"])
    yield {"id": "object", "input": "x", "expected": [{"name": "f", "arguments": {"a": {"$gt": 1}}}]}
    yield "just a question"


def agent(case):
    return [("f", {"a": 2})]


def told(run):
    for one in run.evaluations:
        print(one.name, one.passed, one.answered)
    print(json.dumps(run.to_dict(), ensure_ascii=False, default=str))


two = [Case("x", id="a", expected=["f"]), Case("y", id="b", expected=["g"], tags=["t"])]
for scorers in (
    ["accuracy"], "exact", [is_brief, is_kind], [all_of_it, refuses], [raises], [returns_text], [returns_much],
    ["precision", "recall", "f1", "tool_called", "parameters_valid", "tool_selection", "argument_accuracy"],
    ["ragas.tool_call_f1", "agentevals.trajectory_match:trajectory_match_mode=superset"],
    ["tool_scorer.redundant_rate"], ["nope"], [5], [needs_nonsense], [], ["accuracy", "accuracy"],
):
    try:
        told(evaluate(evaluation(cases=two, scorers=scorers, name="agent")(agent), jobs=1, show="all"))
    except callscore.CallscoreError as error:
        print(type(error).__name__, error)
for cases in (
    made, made(), "cases.jsonl", pathlib.Path("cases.jsonl"), ["a question", "a question", {"input": [1]}],
    [pathlib.Path("nowhere.jsonl")], [], 5, [5], [{"expectd": []}], lambda: 5, lambda: 1 / 0,
    [Case("x", only=True, expected=["f"]), Case("y", expected=["f"])], [Case("x", skip="why")],
    [Case(None, id="n", expected=["f"]), Case({"deep": [1]}, expected=["f"])],
):
    try:
        told(evaluate(evaluation(cases=cases, name="agent")(agent), jobs=1, max_shown=2))
    except callscore.CallscoreError as error:
        print(type(error).__name__, error)
for options in (
    {"fail_under": 0.9}, {"fail_under": {"accuracy": 0.1}}, {"fail_under": {"x": 1}}, {"fail_under": 2},
    {"variants": {"one": {"n": 1}}}, {"variants": 5}, {"trials": 2}, {"trials": 0}, {"tags": "t"}, {"tags": [5]},
    {"only": True}, {"skip": "why"}, {"preset": "outcome"}, {"preset": "x"}, {"mode": "flexible"}, {"mod": 1},
    {"tools": [is_brief]}, {"tools": 5}, {"judge": "m"}, {"judge": 5}, {"name": ""},
):
    try:
        told(evaluate(evaluation(cases=two, **options)(agent), jobs=1))
    except (callscore.CallscoreError, TypeError) as error:
        print(options.keys(), type(error).__name__, error)
for options in (
    {"keyword": "a"}, {"keyword": "("}, {"tags": ["t"]}, {"limit": 1}, {"limit": 0}, {"trials": 2}, {"jobs": 0},
    {"rate": "100/s"}, {"rate": "x"}, {"timeout": -1}, {"retries": -1}, {"fail_under": 2}, {"fail_under": 0.9},
    {"show": "x"}, {"max_shown": -1}, {"cache": True}, {"store": "x.db", "cache": True},
):
    tell(lambda: json.dumps(evaluate(evaluation(cases=two, name="a")(agent), **{"jobs": 1, **options}).to_dict(), default=str))
""",
}

# A chat with a model that calls functions, and a judge; the server answers the same every time.
MODELS = (
    _HEAD
    + """\
import asyncio
from callscore import evaluate, evaluation, models


def get_weather(city: str, days: int = 1) -> str:
    \"\"\"The weather of a city.\"\"\"
    if city == "Rome":
        raise ValueError("no weather in Rome")
    return f"It is cold in {city}."


async def in_time(city: str) -> dict:
    return {"city": city}


base = {"base_url": "{model}"}
for tools in (None, [get_weather], [in_time], [{"name": "look", "parameters": {"type": "object", "properties": {"q": {}}}}], [], 5):
    for options in ({}, {"max_steps": 1}, {"max_steps": 2}, {"system": "Be kind.", "prompt": "Hm, {{input}}"}, {"temperature": 0}):
        for question in ("Is it cold in Paris?", "And in Rome?", [{"role": "user", "content": "Oslo?"}], {"x": 1}):
            try:
                chat = models.chat("small", tools=tools, **base, **options)
                answer = asyncio.run(chat(Case(question, id="a")))
                print(json.dumps(answer, default=str))
                print(callscore.read_calls(answer))
                print(json.dumps(chat.asks(Case(question, id="a")), default=str))
            except Exception as error:
                print(type(error).__name__, error)
tell(lambda: models.chat("small", nonsense=1, **base))
tell(lambda: models.chat("small", prompt="{{nope}}", **base))
tell(lambda: models.chat("", **base))
tell(lambda: models.chat("small", base_url="nonsense"))
tell(lambda: asyncio.run(models.chat("broken", **base)(Case("x"))))
tell(lambda: asyncio.run(models.chat("unknown", **base)("x")))
tell(lambda: models.Limits(retries=-1))
tell(lambda: models.Rate(0))
tell(lambda: models.Limits(retries=5, timeout=120, rate=models.Rate(500, 60)))
judge = models.judge("judge", **base)
expected = [expect.call("say", text=expect.judge("is it polite?"))]
for text in ("good morning", "rude words", "good morning", 5):
    score = callscore.score(expected, [("say", {"text": text})], judge=judge)
    print(score)
    print(score.explain())
print(judge.counts())
tell(lambda: callscore.score(expected, [("say", {"text": "x"})], judge=models.judge("vague", **base)))
tell(lambda: callscore.score(expected, [("say", {"text": "x"})], judge=lambda q, v: 7))
tell(lambda: callscore.score(expected, [("say", {"text": "x"})], judge=lambda q, v: (0.4, "so so")))
agent = evaluation(cases=[Case("Is it cold in Paris?", id="p", expected=[expect.call("get_weather", city="Paris")])], tools=[get_weather], name="chat")
run = evaluate(agent(models.chat("small", **base)), jobs=1, show="all", save=True)
print(json.dumps(run.to_dict(), default=str))
"""
)

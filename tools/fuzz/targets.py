"""Runs an input: as a command of the program, in this process, or with functions of the library.

Each function returns a word for what happened. Anything but the documented errors leaves it.
"""

from __future__ import annotations

import io
import json  # noqa: TID251  (the decoder of most scripts: it accepts NaN and lone surrogates)
import sys
from contextlib import contextmanager
from inspect import signature
from pathlib import Path
from typing import TYPE_CHECKING, Any

import msgspec
from tools.fuzz.outputs import Wrong, check_output, check_text
from tools.fuzz.python_values import to_python
from tools.fuzz.relations import compare_secret, same_scores

import callscore
from callscore.core.rules import Matcher
from callscore.core.settings import settings_from
from callscore.errors import CallscoreError

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

    from tools.fuzz.inputs import Input

__all__ = ["run_input"]

_OPTIONS = ("preset", "colour", *callscore.Settings.__struct_fields__)
_EXIT_CODES = (0, 1, 2, 3, 4)  # documented in docs/reference/cli.md; 130 is Ctrl-C


def run_input(given: Input) -> str:
    """Run an input in the current folder, which its files are written to; what happened.

    Raises:
        Wrong: an output or an exit code is not as documented.
        Exception: any error that is not documented.
    """
    for name, data in given.files.items():
        path = Path(name)
        path.parent.mkdir(exist_ok=True)
        path.write_bytes(data)
    run = _run_command if given.target.startswith("cli ") else _LIBRARY[given.target]
    return run(given)


# --- the library -------------------------------------------------------------------------------


def _documented(given: Callable[[], Any]) -> str:
    """What became of a call of the library: `read`, or the name of a documented error."""
    try:
        given()
    except CallscoreError as error:
        check_text(str(error), "the text of an error")
        return f"refused: {type(error).__name__}"
    except callscore.UnreadCalls as warning:  # warnings are errors here
        check_text(str(warning), "the text of a warning")
        return "warned"
    return "read"


def _read(given: Input) -> str:
    data = given.files["document"]
    is_json, document = _decoded(data)
    if given.arguments[0] == "data" and not is_json:
        return "not JSON"
    functions: dict[str, Callable[[], Any]] = {
        "calls": lambda: [repr(call) for call in callscore.read_calls(data)],
        "check": lambda: [str(fault) for fault in callscore.check_calls(data)],
        "tools": lambda: callscore.read_tools(data),
        "text": lambda: callscore.read_calls(data.decode("utf-8", "surrogateescape")),
        "data": lambda: callscore.read_calls(document),
    }
    return _documented(functions[given.arguments[0]])


def _decoded(data: bytes) -> tuple[bool, Any]:
    """Whether it is JSON, and its value; by the decoder that most scripts use: it takes the most."""
    try:
        return True, json.loads(data)
    except (ValueError, RecursionError):
        return False, None


def _score(given: Input) -> str:
    data = given.files["case"]
    _, case = _decoded(data)
    if not isinstance(case, dict):  # it is scored as text
        return _documented(lambda: _show(callscore.score(data, data)))
    options = case.get("settings") or {}
    if not isinstance(options, dict):
        options = {"mode": options}
    options = {key: value for key, value in options.items() if key in _OPTIONS}
    expected = json.dumps(case.get("expected", []))  # text, so that `$` begins a rule
    return _documented(
        lambda: _show(
            callscore.score(expected, case.get("actual", []), tools=case.get("tools"), **options)
        )
    )


def _show(score: callscore.Score) -> None:
    """Put a score into words and into data, in every way."""
    if not 0 <= score.f1 <= 1:
        raise Wrong("an F1 that is not between 0 and 1", str(score.f1))
    check_text(str(score), "a score")
    check_text(str(score.explain()), "an explanation")
    json.loads(msgspec.json.encode(score.to_dict()))


def _api(given: Input) -> str:
    is_json, data = _decoded(given.files["values"])
    try:
        values = to_python(data) if is_json else None
    except RecursionError:
        values = None
    if not isinstance(values, dict):
        return "not arguments"
    return _documented(lambda: _FUNCTIONS[given.arguments[0]](values))


def _score_values(values: dict[str, Any]) -> None:
    sides = values.pop("expected", []), values.pop("actual", [])
    _show(callscore.score(*sides, **_chosen(values, *_OPTIONS, "settings", "tools")))


def _tool_calls(values: dict[str, Any]) -> None:
    """Calls that a program made itself, of any values."""
    more = _chosen(values, "id", "step", "result", "failed", "kind", "caller", "raw", "error")
    expected = callscore.ToolCall("f", values.get("expected"))
    _show(callscore.score([expected], [callscore.ToolCall("f", values.get("actual"), **more)]))


def _expect(values: dict[str, Any]) -> None:
    kind, arguments = values.get("kind"), values.get("values")
    make = (
        getattr(callscore.expect, kind, None) if isinstance(kind, str) and kind[:1] != "_" else None
    )
    if not callable(make) or not isinstance(arguments, list):
        return
    try:
        signature(make).bind(*arguments[:2])
    except TypeError:  # not as many arguments as it takes
        return
    made = make(*arguments[:2])
    if kind == "from_json":
        return
    # A rule takes the place of a value, a group that of a call.
    expected = callscore.expect.call("f", {"a": made}) if isinstance(made, Matcher) else made
    _show(callscore.score([expected], [{"name": "f", "arguments": {"a": 1}}]))


def _agent_tool(values: dict[str, Any]) -> None:
    from callscore.integrations.tools import handle

    msgspec.json.encode(handle(values))


def _chosen(values: dict[str, Any], *names: str) -> dict[str, Any]:
    return {name: values[name] for name in names if name in values}


def _three(values: dict[str, Any]) -> list[Any]:
    """The first three values, whatever they are called."""
    return [*values.values(), 1, 1, 1][:3]


_FUNCTIONS: dict[str, Callable[[dict[str, Any]], Any]] = {
    "score": _score_values,
    "ToolCall": _tool_calls,
    "check_calls": lambda values: callscore.check_calls(
        values.get("calls"), tools=values.get("tools")
    ),
    "read_calls": lambda values: callscore.read_calls(
        values.get("document"),
        **_chosen(values, "format", "view", "candidate", "leave_out", "failure"),
    ),
    "read_tools": lambda values: callscore.read_tools(values.get("document")),
    "score_cases": lambda values: callscore.score_cases(values.get("cases", [])).to_dict(),
    "Case": lambda values: callscore.Case(
        values.get("input"), **_chosen(values, "id", "expected", "tags", "metadata")
    ),
    "evaluation": lambda values: callscore.evaluation(
        **{"cases": (), **_chosen(values, "cases", "scorers")}
    ),
    "wilson": lambda values: callscore.wilson(*_three(values)[:2]),
    "pass_at_k": lambda values: callscore.pass_at_k(*_three(values)),
    "pass_hat_k": lambda values: callscore.pass_hat_k(*_three(values)),
    "expect": _expect,
    "agent_tool": _agent_tool,
}


def _file(given: Input) -> str:
    name, *options = given.arguments
    chosen = dict(option.split("=", 1) for option in options if "=" in option)
    settings = settings_from(
        {key: value for key, value in chosen.items() if key != "preset"},
        preset=chosen.get("preset"),
    )
    skip_bad = "--skip-bad" in options
    return _documented(
        lambda: callscore.score_files(
            name, settings=settings, skip_bad=skip_bad, show="all", max_shown=None
        ).to_dict()
    )


def _same(given: Input) -> str:
    data = given.files["cases.json"]
    if given.arguments[0] != "secret":
        return same_scores(given.arguments[0], data)

    def report() -> tuple[str, bytes]:
        with _outputs() as (out, _):
            word = f"exit {_command_code(('score', 'cases.json', '--json', '--show', 'all'))}"
        return word, out.getvalue()

    return compare_secret(report)


_LIBRARY: dict[str, Callable[[Input], str]] = {
    "same": _same,
    "read": _read,
    "score": _score,
    "api": _api,
    "file": _file,
}

# --- the program -------------------------------------------------------------------------------


def _run_command(given: Input) -> str:
    with _outputs() as (out, error):
        code = _command_code(given.arguments)
    if code not in _EXIT_CODES:
        raise Wrong("an exit code that is not documented", repr(code))
    if code in (2, 3) and not error.getvalue().strip():
        raise Wrong(f"no message with exit code {code} of {given.arguments[0]}")
    check_output(given.arguments, out.getvalue(), error.getvalue())
    return f"exit {code}"


def _command_code(arguments: tuple[str, ...]) -> int:
    from callscore.cli.main import run_command

    argv, sys.argv = sys.argv, ["callscore", *arguments]
    try:
        return run_command()
    finally:
        sys.argv = argv


@contextmanager
def _outputs() -> Iterator[tuple[io.BytesIO, io.BytesIO]]:
    """Collect what is printed, as two files of a process would."""
    out, error = io.BytesIO(), io.BytesIO()
    kept = sys.stdout, sys.stderr, sys.stdin
    sys.stdout = io.TextIOWrapper(out, "utf-8", write_through=True)
    sys.stderr = io.TextIOWrapper(error, "utf-8", "backslashreplace", write_through=True)
    sys.stdin = io.TextIOWrapper(io.BytesIO(), "utf-8")
    try:
        yield out, error
    finally:
        for stream in (sys.stdout, sys.stderr):
            stream.detach()
        sys.stdout, sys.stderr, sys.stdin = kept

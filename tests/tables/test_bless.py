"""What `callscore bless` makes of a file of cases: `bless.jsonl`.

In the text of a row, what the case `a` expects stands between « and »; `calls` are those that were
made. `new` is what stands there afterwards (anything, if a row does not say it), or `refused` is why nothing changed. Either way, no other
byte of the file changes, and what was written is as expected when it is read again.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st
from tests.tables.commands import Folder, new_folder, observer, stable_environment
from tests.tables.rows import changes, check_observed, check_rows, of_table

if TYPE_CHECKING:
    from collections.abc import Callable
    from pathlib import Path

_PYTHON_HEAD = """\
from pathlib import Path
import msgspec
from callscore import Case, ToolCall, evaluation, expect
"""
_PYTHON_TAIL = """

@evaluation(cases=CASES)
def x(case):
    return msgspec.json.decode(Path("answers.jsonl").read_bytes())["answer"]
"""
_ANSWERS = 'answers = "answers.jsonl"\n'


def _suite(name: str, text: str) -> dict[str, str]:
    """The files of a project in which the cases are asked, by name."""
    if name.endswith(".py"):
        return {name: f"{_PYTHON_HEAD}{text}{_PYTHON_TAIL}"}
    if name.startswith("eval_"):
        return {name: text}
    return {name: text, "eval_x.toml": f'{_ANSWERS}cases = "{name}"\n'}


def _blessed(path: Path, row: dict[str, Any]) -> str:
    """What differs from the row after the calls were accepted."""
    name = row["file"]
    before, _, rest = row["text"].partition("«")
    old, _, after = rest.partition("»")
    encoding = row.get("encoding", "utf-8")
    folder = Folder(path)
    folder.write({"answers.jsonl": {"id": "a", "answer": row["calls"]}})
    for file, text in _suite(name, before + old + after).items():
        (path / file).write_bytes(text.encode(encoding if file == name else "utf-8"))
    ran = folder.run("run -q --jobs 1")
    blessed = folder.run("bless latest --yes")
    file = path / name
    got = file.read_bytes().decode(encoding)
    if "refused" in row:
        wanted = _suite(name, before + old + after)[name]
        refused = f"not changed: x::a: {row['refused']}"
        is_right = got == wanted and blessed.out.startswith(refused)
        return "" if is_right else f"{ran} {blessed}, {got!r}"
    if "new" in row:
        is_right = got == _suite(name, before + row["new"] + after)[name]
    else:  # whatever is written there
        head, tail = _suite(name, f"{before}«{after}")[name].split("«")
        is_right = got.startswith(head) and got.endswith(tail)
    if not is_right:
        return f"{row.get('new')!r} is not in {got!r}: {ran} {blessed}"
    folder.run("run -q --jobs 1")
    again = folder.run("bless latest --yes")
    return "" if again.err.startswith("callscore: nothing to bless: the calls") else str(again)


@pytest.fixture
def check(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Callable[[dict[str, Any]], str]:
    """Accepts the calls of a row in a folder of its own."""
    stable_environment(monkeypatch, tmp_path)
    monkeypatch.setattr("sys.dont_write_bytecode", True)

    def checked(row: dict[str, Any]) -> str:
        path = new_folder(tmp_path, monkeypatch)
        with monkeypatch.context() as patch:
            for name, value in row.get("env", {}).items():
                patch.setenv(name, value)
            return _blessed(path, row)

    return checked


@pytest.mark.slow
@of_table("bless")
def test_only_the_expectation_is_replaced(
    table: str,
    check: Callable[[dict[str, Any]], str],
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    observe = observer(tmp_path / "steps", monkeypatch)
    (tmp_path / "steps").mkdir()

    check_rows(table, lambda row: changes(row, observe(row)) if "steps" in row else check(row))


@of_table("settings_files")
def test_effects_are_added_to_settings(
    table: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    check_observed(table, observer(tmp_path, monkeypatch))


_OLD = {
    "c.jsonl": '{"id": "a", "expected": «["f"]»}\n',
    "c.yaml": "- id: a  # one\n  expected: «[f]»\n",
    "eval_x.toml": f'{_ANSWERS}[[cases]]\nid = "a"\nexpected = «["f"]»\n',
    "eval_x.py": 'CASES = [Case("hi", id="a", expected=«[expect.call("f")]»)]\n',
}
_KEYS = st.sampled_from(["$any", "$ref", "args", "name", "__debug__", "class"]) | st.text()
_VALUES = st.recursive(
    st.one_of(
        st.booleans(),
        st.integers(-(2**70), 2**70),
        st.floats(allow_nan=False, allow_infinity=False),
        st.text(),
        st.sampled_from(["no", "~", "1e5", "2024-01-01", "'", '"', "\\", "a\nb", " #", "\u2028"]),
    ),
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(_KEYS, inner, max_size=3),
    max_leaves=8,
)


@given(
    name=st.sampled_from(sorted(_OLD)),
    arguments=st.dictionaries(_KEYS, _VALUES, min_size=1, max_size=4),
)
@settings(max_examples=30, suppress_health_check=[HealthCheck.function_scoped_fixture])
def test_whatever_was_called_is_expected_when_the_file_is_read_again(
    name: str, arguments: dict[str, Any], check: Callable[[dict[str, Any]], str]
) -> None:
    found = check({"file": name, "text": _OLD[name], "calls": [["g", arguments]]})

    assert not found

"""No byte of a TOML file changes but those of the expectation, however the file is laid out."""

from __future__ import annotations

import re
import tomllib
from typing import TYPE_CHECKING, Any

from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st
from tests.rewriting.texts import change
from tests.rewriting.toml_texts import layouts, suites

from callscore import expect, score
from callscore.core.equality import equal
from callscore.rewriting.applying import rewrite
from callscore.rewriting.toml_file import scan_toml

if TYPE_CHECKING:
    from pathlib import Path

    from tests.rewriting.toml_texts import Layout, Suite

_EMPTY = re.compile(rb"^expected = \[\]\r?\n", re.MULTILINE)


def _at(document: Any, path: tuple[str | int, ...]) -> Any:
    for step in path:
        document = document[step]
    return document


def _read(written: str, key: str | int) -> Any:
    """A value; in braces it may have a dotted key, which is part of what stands for it."""
    try:
        return tomllib.loads(f"x = {written}")["x"]
    except tomllib.TOMLDecodeError:
        return tomllib.loads(f"x = {{{written}}}")["x"][key]


def _leaves(value: Any, path: tuple[str | int, ...] = ()) -> set[tuple[str | int, ...]]:
    """The paths of all values that hold no others."""
    inner = value.items() if isinstance(value, dict) else enumerate(value) if isinstance(value, list) else ()  # fmt: skip
    found = [leaf for key, item in inner for leaf in _leaves(item, (*path, key))]
    return set(found) or {path}


@given(suite=suites(), layout=layouts)
def test_every_value_is_found_where_it_stands(suite: Suite, layout: Layout) -> None:
    text = layout.raw(suite.text).decode().removeprefix("\ufeff")
    document = tomllib.loads(text)

    found = scan_toml(text)

    values = {path: text[node.start : node.end] for path, node in found.values.items()}
    for path, written in values.items():
        assert equal(_read(written, path[-1]), _at(document, path))
    missing = _leaves(document) - values.keys() - found.tables.keys()
    assert all(any(path[:size] in values for size in range(len(path))) for path in missing)


def _calls_made(data: st.DataObject, expected: list[Any]) -> list[Any]:
    """Calls that are not those expected, mostly."""
    made = [
        {"name": call["name"], "arguments": dict(call.get("arguments", {}))} for call in expected
    ]
    for call in made:
        match data.draw(st.integers(0, 4)):
            case 0:
                call["name"] = "other"
            case 1:
                call["arguments"] = dict.fromkeys(call["arguments"], "new")
            case 2:
                call["arguments"]["added"] = [1, {"x y": "z"}]
            case 3:
                call["arguments"] = {}
    size = data.draw(st.integers(0, len(made)))
    more = [{"name": "more", "arguments": {"q": 'a "b" \n'}}] * data.draw(st.integers(0, 2))
    return [*data.draw(st.permutations(made))[:size], *more]


@given(suite=suites(), layout=layouts, data=st.data())
@settings(suppress_health_check=[HealthCheck.function_scoped_fixture])
def test_nothing_but_the_expectation_changes(
    suite: Suite, layout: Layout, data: st.DataObject, tmp_path: Path
) -> None:
    before = suite.document
    number = data.draw(st.integers(0, len(suite.spans) - 1))
    case = before["cases"][number]
    made = _calls_made(data, case["expected"])
    file = tmp_path / "eval_x.toml"
    old = layout.raw(suite.text)
    file.write_bytes(old)
    about = {"case": case["id"], "input": case["input"]}
    wish = change(file, expect.from_json(case["expected"]), made, **about)

    _, refused = rewrite([wish], tmp_path)

    new = file.read_bytes()
    if refused:
        assert "single arguments cannot be changed" in refused[0].problem
        assert new == old
        return
    after = tomllib.loads(new.decode().removeprefix("\ufeff"))
    assert score(expect.from_json(after["cases"][number].pop("expected")), made).is_exact
    assert case.pop("expected") is not None
    assert equal(after, before)
    start, end = (len(layout.raw(suite.text[:at])) for at in suite.spans[number])
    if suite.are_tables[number] and not made:  # then a line in the table of the case says so
        top = len(layout.raw(suite.text[: suite.cases[number]]))
        assert new[:top] == old[:top]
        new = new[:top] + _EMPTY.sub(b"", new[top:], count=1)
    assert new.startswith(old[:start])
    assert new.endswith(old[end:])

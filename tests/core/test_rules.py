"""A rule as a value."""

from __future__ import annotations

import subprocess
import sys
from importlib.metadata import EntryPoint
from types import ModuleType
from typing import TYPE_CHECKING, Any

import pytest

from callscore import score
from callscore.core import comparators as package
from callscore.core import rules as matcher
from callscore.core.budget import Budget
from callscore.core.rules import (
    ABSENT,
    Matcher,
    _by_key,
    comparator_for,
    comparator_from_module,
    comparators,
    contains_matchers,
    describe_value,
)
from callscore.core.settings import Settings
from callscore.core.value_comparison import compare_value, make_context
from callscore.errors import InvalidSettings

if TYPE_CHECKING:
    from collections.abc import Iterator
    from pathlib import Path


# Comparators, found by their file names, by entry points and by their keys.

CONTEXT = make_context(Settings(), Budget(10**12))
MADE_UP = '''
"""Numbers that are even."""

from callscore.core.rules import Verdict

__all__ = ["EXAMPLES", "KEYS", "SCHEMA", "check", "compare"]

KEYS = ("$even",)
SCHEMA = {"value": {"const": True}, "options": {}}
EXAMPLES = (({"$even": True}, 2, 3),)


def check(matcher):
    return None


def compare(matcher, actual, context):
    return Verdict(actual % 2 == 0)
'''


@pytest.fixture
def fresh() -> Iterator[None]:
    """A registry that looks again, and forgets what it saw in a test."""
    comparators.cache_clear()
    _by_key.cache_clear()
    yield
    comparators.cache_clear()
    _by_key.cache_clear()


def module_of(name: str, **parts: Any) -> ModuleType:
    module = ModuleType(name, parts.pop("doc", "Made up."))
    whole = {
        "KEYS": ("$even",),
        "SCHEMA": {"value": {}, "options": {}},
        "EXAMPLES": (),
        "check": lambda _: None,
        "compare": lambda *_: None,
    }
    vars(module).update({**whole, **parts})
    return module


def bring(monkeypatch: pytest.MonkeyPatch, *points: EntryPoint) -> None:
    monkeypatch.setattr("importlib.metadata.entry_points", lambda **_: list(points))


def test_rules_inside_of_rules_without_end_are_described() -> None:
    matcher = Matcher("$any")
    for _ in range(100_000):
        matcher = Matcher("$optional", matcher)

    assert describe_value(matcher).startswith("$optional $optional")
    assert len(describe_value(matcher)) <= 120


@pytest.mark.usefixtures("fresh")
def test_a_file_is_enough(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    (tmp_path / "even.py").write_text(MADE_UP, encoding="utf-8")
    monkeypatch.setattr(package, "__path__", [*package.__path__, str(tmp_path)])

    try:
        assert comparator_for("$even").title == "Numbers that are even"
        assert compare_value(Matcher("$even"), 4, CONTEXT).matched
        assert describe_value(Matcher("$even")) == "$even true"
    finally:
        sys.modules.pop(f"{package.__name__}.even", None)


@pytest.mark.usefixtures("fresh")
def test_another_package_can_bring_one(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    (tmp_path / "even_numbers.py").write_text(MADE_UP, encoding="utf-8")
    monkeypatch.syspath_prepend(str(tmp_path))
    bring(monkeypatch, EntryPoint("even", "even_numbers", "callscore.comparators"))

    assert comparator_for("$even").name == "even"
    assert not compare_value(Matcher("$even"), 3, CONTEXT).matched


@pytest.mark.usefixtures("fresh")
def test_a_comparator_that_cannot_be_imported_is_named(monkeypatch: pytest.MonkeyPatch) -> None:
    bring(monkeypatch, EntryPoint("odd", "no_such_module_here", "callscore.comparators"))

    with pytest.raises(InvalidSettings, match=r"comparator odd .* cannot be imported"):
        comparator_for("$any")


@pytest.mark.usefixtures("fresh")
def test_two_of_one_spelling_are_refused(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    text = MADE_UP.replace("$even", "$any")
    (tmp_path / "any_number.py").write_text(text, encoding="utf-8")
    monkeypatch.syspath_prepend(str(tmp_path))
    bring(monkeypatch, EntryPoint("any_number", "any_number", "callscore.comparators"))

    with pytest.raises(InvalidSettings, match=r"two comparators have the key '\$any'"):
        comparator_for("$any")


@pytest.mark.parametrize("part", ["KEYS", "SCHEMA", "EXAMPLES", "check", "compare"])
def test_the_missing_part_of_a_comparator_module_is_named(part: str) -> None:
    module = module_of("even")
    delattr(module, part)

    with pytest.raises(InvalidSettings, match=rf"comparator even \(even\) has no {part}\."):
        comparator_from_module("even", module)


@pytest.mark.parametrize("keys", [(), ("even",), (1,)])
def test_a_comparator_without_valid_keys_is_refused(keys: tuple[Any, ...]) -> None:
    with pytest.raises(InvalidSettings, match="KEYS that do not begin with"):
        comparator_from_module("even", module_of("even", KEYS=keys))


def test_looking_for_comparators_costs_nothing_before_one_is_needed() -> None:
    program = (
        "import sys, callscore.core.rules as c;"
        "assert 'callscore.core.comparators.any' not in sys.modules;"
        "c.comparators();"
        "late = {'regex', 'rapidfuzz', 'jsonschema_rs'} & set(sys.modules);"
        "assert not late, late"
    )

    ran = subprocess.run([sys.executable, "-c", program], check=False, capture_output=True)

    assert ran.stderr == b""


def test_where_no_rule_was_ever_made_nothing_has_to_be_looked_at(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setattr(matcher, "_used_keys", set())

    assert not contains_matchers({"a": [1]})
    assert score(["f"], ["f"]).has_equal_pairs
    assert contains_matchers({"a": [Matcher("$any")]})


def test_the_repr_of_absent_is_its_name() -> None:
    assert repr(ABSENT) == "ABSENT"

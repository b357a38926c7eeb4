"""Data of customers that the table `redact` names."""

from __future__ import annotations

from typing import Any

import pytest

from callscore.core.arguments import Difference
from callscore.core.call import ToolCall
from callscore.hiding.hider import Hider
from callscore.hiding.redaction import Redaction, Redactor


def test_a_pattern_that_took_long_hides_only_the_texts_that_take_long() -> None:
    redactor = Redactor(Redaction(patterns=(r"(a|aa)+$|ACME-\d{6}",)))
    slow = "a" * 40 + "b"

    found = [redactor.text(slow) for _ in range(20)]

    assert found == ["[hidden pattern 1]"] * 20
    assert redactor.text("") == ""
    assert redactor.text("case-1") == "case-1"
    assert redactor.text("ACME-123456 called") == "[hidden pattern 1] called"


def test_a_pattern_finds_what_it_must_after_very_many_texts() -> None:
    hider = Hider(Redaction(patterns=(r"ACME-\d{6}",)))

    for _ in range(100_000):
        hider.text("")

    assert hider.data({"id": "case-1", "": ""}) == {"id": "case-1", "": ""}


def hidden(value: Any, *arguments: str) -> Any:
    return Hider(Redaction(arguments=arguments)).data(value)


LEAK = "bob@corp.com"


@pytest.mark.parametrize(
    ("value", "argument"),
    [
        (ToolCall("send", {"path": "$HOME/r.txt", "email": LEAK}), "*.email"),
        (ToolCall("send", {"path": "$.a", "kind": "value", "value": LEAK}), "*.value"),
        ({"name": "send", "input": {"path": "$HOME", "email": LEAK}}, "send.email"),
        ({"path": "$HOME", "email": LEAK}, "*.email"),
        (ToolCall("flow", {"name": "n", "input": LEAK}), "*.input"),
        (ToolCall("flow", {"name": "n", "input": {"x": LEAK}}), "*.input"),
        (ToolCall("flow", {"step": {"name": "n", "args": {"x": LEAK}}}), "args.x"),
        (ToolCall("call", {"name": "pay", "arguments": {"pin": LEAK}}), "pay.pin"),
        ({"name": "n", "input": LEAK}, "*.input"),
        ({"name": "pay", "input": '\n {"pin": "bob@corp.com"}'}, "pay.pin"),
        (ToolCall("f", {"k": '\ufeff {"email": "bob@corp.com"}'}), "*.email"),
        ('\n{"email": "bob@corp.com"}', "*.email"),
        ('{"e-mail": "bob@corp.com"', "*.e?mail"),
        ([Difference("$.pin", "value", 1, LEAK)], "pay.pin"),
        ({"path": "$.pin", "kind": "value", "actual": LEAK}, "*.pin"),
    ],
)
def test_an_argument_is_hidden_wherever_it_is(value: Any, argument: str) -> None:
    found = hidden(value, argument)

    assert LEAK not in str(found)
    assert f"[hidden argument {argument}]" in str(found)


@pytest.mark.parametrize("depth", [150, 300, 5000])
def test_an_argument_is_hidden_at_any_depth(depth: int) -> None:
    deep: Any = {"email": LEAK}
    for _ in range(depth):
        deep = [deep]

    found = hidden(ToolCall("f", {"k": deep}), "*.email").arguments["k"]

    for _ in range(depth):
        found = found[0] if isinstance(found, list) else found
    assert found in ("[hidden argument *.email]", {"email": "[hidden argument *.email]"})


def test_what_is_not_an_argument_is_not_hidden() -> None:
    text = "[1] A long answer that says what an email is"
    call = ToolCall("f", {"is_new": True, "k": "it is True", "text": text})

    found = hidden(call, "*.is_new", "*.email").arguments

    assert found == {"is_new": "[hidden argument *.is_new]", "k": "it is True", "text": text}
    assert hidden({"name": "f", "input": {"k": 1}}, "*.input") == {"name": "f", "input": {"k": 1}}


def test_names_that_differ_only_in_what_is_hidden_stay_two() -> None:
    found = Hider(Redaction(builtin=("email",))).data({"al@x.com": 1, "bo@x.com": 2})

    assert found == {"[hidden email]": 1, "[hidden email] 2": 2}


def test_the_id_of_a_run_is_shown() -> None:
    redaction = Redaction(patterns=(r"\d+",))
    run = "run 20261119-221646-gqfr"

    assert Hider(redaction).text(f"7 in {run}") == f"[hidden pattern 1] in {run}"
    assert "20261119" not in Hider(redaction, is_live=True).data([run])[0]

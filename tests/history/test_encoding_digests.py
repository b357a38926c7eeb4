"""Digests by which two runs are compared."""

from __future__ import annotations

from typing import Any

from callscore.history.encoding import (
    asked_digest,
    calls_digest,
    expectation_digest,
    settings_digest,
)

PAYLOAD: dict[str, Any] = {
    "input": "hi",
    "tools": [{"name": "f"}],
    "tags": ["slow"],
    "metadata": {"by": "me"},
    "expected": [{"name": "f", "arguments": {"a": 1, "b": 2}}],
}


def test_digests_are_what_they_were() -> None:
    """Histories are full of them: a digest that changes would make every kept answer unknown."""
    assert expectation_digest(PAYLOAD) == "508944e68bc9d2bd75dc6ce1bb384a09"
    assert asked_digest(PAYLOAD) == "380aafe5fcebe2abcd0a41143504fca0"
    made = [{"name": "f", "arguments": {"a": 1}}]
    assert calls_digest(made) == "7a749b8fa68d7b7648867eaf47beaecb"
    assert settings_digest({"mode": "strict"}, ["accuracy"]) == "fa657ca0a40eea31485924444aa69489"


def test_an_expectation_is_known_by_what_it_says_and_not_by_the_order_of_keys() -> None:
    turned = [{"arguments": {"b": 2, "a": 1}, "name": "f"}]
    other = [{"name": "f", "arguments": {"a": 1, "b": 3}}]

    digest = expectation_digest(PAYLOAD)

    assert len(bytes.fromhex(digest)) == 16
    assert expectation_digest({"expected": turned}) == digest
    assert expectation_digest({**PAYLOAD, "expected": other}) != digest


def test_to_expect_no_calls_is_not_to_expect_nothing() -> None:
    assert expectation_digest({}) == ""
    assert expectation_digest({"expected": None}) == ""
    assert expectation_digest({"expected": []}) != ""


def test_what_is_asked_is_all_but_what_is_expected_and_noted() -> None:
    digest = asked_digest(PAYLOAD)

    assert asked_digest({"tools": [{"name": "f"}], "input": "hi"}) == digest
    assert asked_digest({**PAYLOAD, "input": "ho"}) != digest
    assert asked_digest({**PAYLOAD, "tools": []}) != digest


def test_calls_are_known_by_names_and_arguments_alone() -> None:
    made = [{"name": "f", "arguments": {"a": 1}, "id": "call_1", "step": 0, "result": "ok"}]
    again = [{"name": "f", "arguments": {"a": 1}, "id": "call_2", "step": 3, "result": "no"}]

    assert calls_digest(made) == calls_digest(again)
    assert calls_digest(made) != calls_digest([{"name": "f", "arguments": {"a": 2}}])
    assert calls_digest([{"name": "f", "raw": "{"}]) != calls_digest([{"name": "f", "raw": "["}])
    assert calls_digest([]) != calls_digest(None) == ""


def test_settings_are_known_with_their_scorers() -> None:
    digest = settings_digest({"mode": "strict", "order": "any"}, ["accuracy"])

    assert settings_digest({"order": "any", "mode": "strict"}, ("accuracy",)) == digest
    assert settings_digest({"mode": "strict", "order": "any"}, ["precision"]) != digest
    assert settings_digest({"mode": "flexible", "order": "any"}, ["accuracy"]) != digest


def test_what_json_does_not_know_has_a_digest_all_the_same() -> None:
    assert calls_digest([{"name": "f", "arguments": {"n": 2**70}}])
    assert calls_digest([{"name": "f", "arguments": {"text": "\ud800"}}])

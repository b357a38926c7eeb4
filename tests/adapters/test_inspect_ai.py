"""The scorer for Inspect: what it reads from the state of a sample, and what it returns."""

from __future__ import annotations

import asyncio
from types import SimpleNamespace
from typing import Any

import pytest
from tests.adapters.libraries import Recorded, imported

import callscore
from callscore.errors import InvalidCall

EXPECTED = '[{"name": "get_weather", "arguments": {"city": "Paris"}}, {"name": "save"}]'


class Target(list[str]):
    @property
    def text(self) -> str:
        return "".join(self)


@pytest.fixture
def registered() -> list[str]:
    return []


@pytest.fixture
def adapter(monkeypatch: pytest.MonkeyPatch, registered: list[str]) -> Any:
    def scorer(*, metrics: list[str], name: str) -> Any:
        assert metrics == ["mean", "stderr"]
        registered.append(name)
        return lambda factory: factory

    names = {"Score": Recorded, "mean": lambda: "mean", "stderr": lambda: "stderr"}
    return imported(monkeypatch, "inspect_ai", {"inspect_ai.scorer": {**names, "scorer": scorer}})


def message(role: str, *calls: dict[str, Any], id_: str | None = None) -> Any:
    return Recorded(role=role, id=id_, content="", tool_calls=list(calls))


def call(name: str, **arguments: Any) -> dict[str, Any]:
    return {"id": f"call_{name}", "type": "function", "function": name, "arguments": arguments}


def state(*messages: Any, asked: Any = "?", choices: Any = (), **metadata: Any) -> Any:
    return SimpleNamespace(
        sample_id=7,
        epoch=1,
        input=asked,
        messages=[message("user"), *messages],
        output=SimpleNamespace(choices=list(choices)),
        metadata=metadata,
    )


def scored(adapter: Any, sample: Any, target: list[str], **options: Any) -> Any:
    return asyncio.run(adapter.tool_calls(**options)(sample, Target(target)))


@pytest.mark.parametrize("options", [{}, {"preset": "flexible"}])
def test_a_sample_has_the_score_of_score(adapter: Any, options: Any) -> None:
    sample = state(message("assistant", call("get_weather", city="Rome")), message("assistant"))
    alone = callscore.score(EXPECTED, [("get_weather", {"city": "Rome"})], **options)

    found = scored(adapter, sample, [EXPECTED], **options)

    assert (found.value, found.explanation) == (alone.f1, str(alone))
    assert found.answer == 'get_weather(city="Rome")'
    assert (found.metadata["missed"], found.metadata["passed"]) == (1, alone.passed)


def test_messages_of_the_input_are_not_of_the_model(adapter: Any) -> None:
    shown = message("assistant", call("save"), id_="shown")
    sample = state(shown, message("assistant"), asked=[shown])

    assert scored(adapter, sample, ["[]"]).value == 1


def test_an_output_that_is_not_in_the_conversation_counts(adapter: Any) -> None:
    choice = SimpleNamespace(message=message("assistant", call("save")))

    assert scored(adapter, state(choices=[choice]), ['["save"]']).value == 1


@pytest.mark.parametrize(
    ("options", "metadata"),
    [({}, {"expected_calls": []}), ({"expected_key": "gold"}, {"gold": []})],
)
def test_the_expected_calls_can_be_in_the_metadata(
    adapter: Any, options: Any, metadata: Any
) -> None:
    sample = state(message("assistant"), **metadata)

    for target in (["It is sunny."], ["sunny"], ["sunny", "dry"]):
        assert scored(adapter, sample, target, **options).value == 1


@pytest.mark.parametrize(
    ("sample", "target", "options", "problem"),
    [
        (state(message("assistant")), [""], {}, "the sample has no reference.*its target as JSON"),
        (
            state(message("assistant"), expected_call=[]),
            [""],
            {},
            r"only \['expected_call'\] in its",
        ),
        (state(message("assistant")), ["[]", "[]"], {}, "sample 7 is a list of 2 texts"),
        (state(message("assistant")), ["save"], {}, r"""JSON text: target='\["save"\]'\.$"""),
        (state(message("assistant")), ["['save']"], {}, "double quotes"),
        (state(message("assistant")), ["It is sunny."], {}, "does not say which calls"),
        (state(), ["[]"], {}, "sample 7 has no answer of a model.*state.output"),
        (state(message("assistant"), level=1), ["[]"], {"expected_key": "gold"}, "no key 'gold'"),
    ],
    ids=[
        "no reference",
        "a misspelled key",
        "several references",
        "a name",
        "not JSON",
        "words",
        "no answer",
        "no such key",
    ],
)
def test_a_sample_without_an_answer_or_a_valid_reference_is_an_error(
    adapter: Any, sample: Any, target: list[str], options: Any, problem: str
) -> None:
    with pytest.raises(InvalidCall, match=problem):
        scored(adapter, sample, target, **options)


def test_scorers_are_registered_by_name(adapter: Any, registered: list[str]) -> None:
    adapter.tool_calls(name="calls")

    assert registered == ["tool_calls", "calls"]

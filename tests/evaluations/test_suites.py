"""Suites: evaluations without code, and everything that can be wrong with one."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import pytest

from callscore import Case, Settings
from callscore.core.results import Unloaded
from callscore.core.rules import Matcher
from callscore.errors import UnreadableInput
from callscore.evaluations.plan import evaluation_cases
from callscore.evaluations.suites import (
    SuiteDocument,
    find_named_secret,
    find_secret,
    load_suite,
    read_suite,
    suite_variants,
)
from callscore.models import Chat

if TYPE_CHECKING:
    from pathlib import Path

    from callscore.evaluations.evaluation import Evaluation

# Put together here, so that nobody who looks for keys finds one in this file.
FAKE = "sk" + "-" + "abcDEF0123456789abcd"
FULL = """\
# yaml-language-server: $schema=suite.schema.json
name: assistant
model:
  name: gpt-4.1-mini
  base_url: http://localhost:8080/v1
  key_variable: MY_KEY
  parameters: {temperature: 0, max_tokens: 100}
system: Be kind.
prompt: "Question: {{input}}"
tools:
  - name: getWeather
    parameters: {type: object, properties: {location: {type: string}}}
scorers: [tool_called, accuracy]
fail_under: {accuracy: 0.9}
settings: {preset: flexible, order: in_order}
variants:
  warm: {parameters: {temperature: 0.9}}
  other: {model: {name: gpt-4.1, parameters: {seed: 1}}, system: Be brief., prompt: "{{input}}"}
tags: [smoke]
trials: 2
judge: gpt-4.1
only: true
skip: no key
cases:
  - input: What is the weather in Paris?
    expected:
      - name: getWeather
        arguments: {location: {$contains: Paris}}
  - id: greeting
    input: Hi!
    expected: []
    tags: [short]
"""


def load(tmp_path: Path, text: str, name: str = "eval_a.yaml") -> list[Evaluation] | Unloaded:
    (tmp_path / name).write_text(text)
    return load_suite(tmp_path / name)


def loaded(tmp_path: Path, text: str, name: str = "eval_a.yaml") -> Evaluation:
    found = load(tmp_path, text, name)
    assert not isinstance(found, Unloaded), found
    return found[0]


def test_everything_that_a_suite_can_say_is_read(tmp_path: Path) -> None:
    suite = loaded(tmp_path, FULL)

    assert suite.name == "assistant"
    assert isinstance(suite.task, Chat)
    assert (suite.task.model, suite.task.system) == ("gpt-4.1-mini", "Be kind.")
    assert (suite.task.base_url, suite.task.key_variable) == ("http://localhost:8080/v1", "MY_KEY")
    assert suite.task.parameters == {"temperature": 0, "max_tokens": 100}
    assert suite.task.prompt == "Question: {{input}}"
    assert suite.task.offer is not None
    assert suite.task.offer.names == ["getWeather"]
    assert list(suite.tools or ()) == ["getWeather"]
    assert [scorer.name for scorer in suite.scorers] == ["tool_called", "accuracy"]
    assert suite.fail_under == {"accuracy": 0.9}
    assert suite.settings.mode == "flexible"
    assert suite.settings.order == "in_order"
    assert callable(suite.settings.judge)
    assert suite.variants == {
        "warm": {"temperature": 0.9},
        "other": {"model": "gpt-4.1", "seed": 1, "system": "Be brief.", "prompt": "{{input}}"},
    }
    assert (suite.tags, suite.trials, suite.only, suite.skip) == (("smoke",), 2, True, "no key")
    assert suite.place == str(tmp_path / "eval_a.yaml")
    assert suite.folder == str(tmp_path)


def test_the_cases_of_a_suite_have_rules(tmp_path: Path) -> None:
    weather, greeting = evaluation_cases(loaded(tmp_path, FULL))

    assert weather.id == "what-is-the-weather-in-paris"
    assert isinstance((weather.expected or ())[0].arguments["location"], Matcher)
    assert (greeting.id, greeting.expected, greeting.tags) == ("greeting", (), ("smoke", "short"))


def test_a_suite_in_toml_says_the_same(tmp_path: Path) -> None:
    suite = loaded(
        tmp_path,
        """\
#:schema suite.schema.json
model = "gpt-4.1-mini"
scorers = "exact"
fail_under = 1

[settings]
mode = "flexible"

[variants.warm.parameters]
temperature = 0.9

[[cases]]
input = "Hi!"
expected = []
""",
        "eval_greeting.toml",
    )

    assert suite.name == "greeting"
    assert suite.settings == Settings(mode="flexible")
    assert suite.variants == {"warm": {"temperature": 0.9}}
    assert suite.fail_under == {"exact": 1.0}
    assert [case.id for case in evaluation_cases(suite)] == ["hi"]


def test_each_variant_may_have_answers_of_its_own(tmp_path: Path) -> None:
    for name in ("old", "new"):
        (tmp_path / f"{name}.jsonl").write_text(f'{{"id": "a", "answer": "{name}"}}\n')

    suite = loaded(
        tmp_path,
        "variants: {old: {answers: old.jsonl}, new: {answers: new.jsonl}}\ncases: [{id: a}]\n",
    )

    assert [suite.task(Case(id="a"), **said) for said in suite.variants.values()] == ["old", "new"]


def test_cases_and_tools_come_from_files(tmp_path: Path) -> None:
    (tmp_path / "tools.json").write_text('[{"name": "search"}]')
    (tmp_path / "a.jsonl").write_text('{"id": "one", "expected": []}\n')
    (tmp_path / "b.yaml").write_text("cases: [{id: two, expected: []}]\n")

    one = loaded(tmp_path, "model: m\ntools: tools.json\ncases: a.jsonl\n")
    several = loaded(tmp_path, "model: m\ncases: [a.jsonl, {id: three}, b.yaml]\n")

    assert list(one.tools or ()) == ["search"]
    assert [case.id for case in evaluation_cases(one)] == ["one"]
    assert one.cases == [tmp_path / "a.jsonl"]
    assert [case.id for case in evaluation_cases(several)] == ["one", "three", "two"]


CASES = "cases: [{id: a}]\n"
MODEL = f"model: m\n{CASES}"


@pytest.mark.parametrize(
    ("text", "line"),
    [
        (f"model:\n  name: m\n  api_key: {FAKE}\n{CASES}", 3),
        (f"model:\n  name: m\n  key_variable: {FAKE}\n{CASES}", 3),
        (f"model:\n  name: m\n  parameters: {{extra_headers: {{Authorization: x}}}}\n{CASES}", 3),
        (f"{MODEL}system: |\n  Use {FAKE}.\n", 3),
        (f"{MODEL}judge: {{name: j, token: abc}}\n", 3),
        (f"{MODEL}variants:\n  a:\n    parameters: {{api_key: x}}\n", 5),
        (f"model: {{name: m, base_url: 'http://me:pw@example.com/v1'}}\n{CASES}", 1),
        (f"{MODEL}tools:\n  - {{name: login, description: {FAKE}}}\n", 4),
        (f"{MODEL}settings: {{arguments: {{'login.token': {FAKE}}}}}\n", 3),
    ],
)
def test_a_key_in_a_suite_is_refused_and_not_shown(tmp_path: Path, text: str, line: int) -> None:
    found = load(tmp_path, text)

    assert isinstance(found, Unloaded)
    assert found.place == f"{tmp_path}/eval_a.yaml:{line}"
    assert "Keys are read only from the environment" in found.problem
    assert FAKE not in found.problem


@pytest.mark.parametrize(
    "text",
    [
        f"{MODEL}settings: {{arguments: {{login.password: ignore}}}}\n",
        f"model:\n  name: m\n  parameters:\n    schema: {{password: string}}\n{CASES}",
        f"model:\n  name: m\n  parameters:\n    response_format: {{password: {{}}}}\n{CASES}",
        f"{MODEL}tools: [{{name: login, parameters: {{properties: {{password: {{}}}}}}}}]\n",
        f"model: m\ncases: [{{id: a, input: 'Log in with {FAKE}'}}]\n",
    ],
)
def test_a_password_that_is_only_a_name_is_no_secret(tmp_path: Path, text: str) -> None:
    assert loaded(tmp_path, text).name == "a"


# Keys and passwords are found by their looks and by their names, and words are not.


@pytest.mark.parametrize(
    ("value", "path"),
    [
        ({"name": FAKE}, ("name",)),
        ({"list": ["a", {"b": f"use {FAKE}!"}]}, ("list", 1, "b")),
        ({FAKE: 1}, (FAKE,)),
        (FAKE, ()),
        ({"url": "https://me:pass" + "word@example.com/v1"}, ("url",)),
        ({"x": "Bearer " + "abcdefgh12345678"}, ("x",)),
        ({"x": "AKIA" + "ABCDEFGHIJKLMNOP"}, ("x",)),
        ({"x": "-----BEGIN RSA PRIVATE" + " KEY-----"}, ("x",)),
        ({"first": FAKE, "second": FAKE}, ("first",)),
    ],
)
def test_a_secret_is_known_by_its_looks(value: Any, path: tuple[str | int, ...]) -> None:
    assert find_secret(value) == path


@pytest.mark.parametrize(
    ("value", "path"),
    [
        ({"api_key": "x"}, ("api_key",)),
        ({"apiKey": "x"}, ("apiKey",)),
        (
            {"parameters": {"extra_headers": {"Authorization": "x"}}},
            ("parameters", "extra_headers", "Authorization"),
        ),
    ],
)
def test_a_secret_is_known_by_its_name(value: Any, path: tuple[str | int, ...]) -> None:
    assert find_named_secret(value) == path


@pytest.mark.parametrize(
    "value",
    [
        None,
        "password",
        {"max_tokens": 5, "max_completion_tokens": 7, "key_variable": "MY_API_KEY_NAME"},
        {"api_key": None, "password": "", "key": 7},
        {"system": "Learn with sk-learn and hf_transfer; a bearer of good news."},
        {"base_url": "http://localhost:8080/v1", "name": "gpt-4.1-mini-2025-04-14"},
        {"keys": ["a"], "monkey": "b", "tokenizer": "c", "secretary": "d"},
        {"password": {"type": "string"}},
        {"response_format": {"json_schema": {"password": "text"}}},
        {"tools": [{"parameters": {"properties": {"password": "string"}}}]},
    ],
)
def test_words_and_schemas_are_no_secrets(value: Any) -> None:
    assert find_secret(value) is None
    assert find_named_secret(value) is None


# The text of a suite: YAML or TOML, with the lines of what stands in it.
TOML = 'name = "x"\n[model]\nname = "m"\nparameters = {a = 1}\n'


def suite(tmp_path: Path, text: str, name: str = "eval_a.yaml") -> SuiteDocument:
    (tmp_path / name).write_text(text)
    return read_suite(tmp_path / name)


@pytest.mark.parametrize(
    ("text", "name", "place", "problem"),
    [
        ("", "eval_a.yaml", "", "expected an object with 'cases', got nothing."),
        ("a: .nan\n", "eval_a.yaml", "", ".nan is not a JSON number."),
        ("a: 1\n", "eval_a.toml", ":1:2", "not TOML: "),
    ],
)
def test_a_malformed_suite_is_refused_with_its_place(
    tmp_path: Path, text: str, name: str, place: str, problem: str
) -> None:
    with pytest.raises(UnreadableInput) as caught:
        suite(tmp_path, text, name)

    assert caught.value.place == f"{tmp_path / name}{place}"
    assert caught.value.problem.startswith(problem)


# Whom a suite asks, and its variants.


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    (tmp_path / "a.jsonl").write_text('{"id": "x", "answer": "a"}\n')
    return tmp_path


def task_document(folder: Path, **value: Any) -> SuiteDocument:
    return SuiteDocument(folder / "eval_a.yaml", value, lambda _: None)


def test_a_variant_says_what_is_different(folder: Path) -> None:
    document = task_document(
        folder,
        model="m",
        variants={
            "plain": {},
            "other": {"model": "n"},
            "elsewhere": {"model": {"name": "n", "base_url": "http://x/v1", "key_variable": "K"}},
        },
    )

    assert suite_variants(document) == {
        "plain": {},
        "other": {"model": "n"},
        "elsewhere": {"model": "n", "base_url": "http://x/v1", "key_variable": "K"},
    }

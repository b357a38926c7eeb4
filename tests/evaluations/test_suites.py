"""Suites: evaluations without code, and everything that can be wrong with one."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import pytest

from callscore import Case, Settings
from callscore.core.results import Unloaded
from callscore.core.rules import Matcher
from callscore.errors import InvalidEvaluation, InvalidSettings, UnreadableInput
from callscore.evaluations.plan import evaluation_cases
from callscore.evaluations.suites import (
    RecordedAnswers,
    SuiteDocument,
    find_named_secret,
    find_secret,
    load_suite,
    read_suite,
    suite_task,
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


def test_settings_are_read_in_any_case_and_under_their_aliases(tmp_path: Path) -> None:
    suite = loaded(tmp_path, f"{MODEL}settings: {{mode: FLEXIBLE, argumentMatchThreshold: 0.5}}\n")

    assert suite.settings == Settings(mode="flexible", argument_match_threshold=0.5)


def test_answers_may_be_recorded(tmp_path: Path) -> None:
    (tmp_path / "answers.jsonl").write_text('{"id": "a", "answer": ["x"]}\n')

    suite = loaded(tmp_path, "answers: answers.jsonl\ncases: [{id: a, expected: [x]}]\n")

    assert suite.name == "a"
    assert suite.task(Case(id="a")) == ["x"]
    assert suite.settings == Settings()


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


def test_a_judge_may_be_told_where_to_ask(tmp_path: Path) -> None:
    text = "model: m\ncases: [{id: a}]\njudge: {name: j, base_url: 'http://localhost:1/v1'}\n"

    assert callable(loaded(tmp_path, text).settings.judge)


CASES = "cases: [{id: a}]\n"
MODEL = f"model: m\n{CASES}"


@pytest.mark.parametrize(
    ("text", "line", "problem"),
    [
        (f"{CASES}", None, "a suite needs 'model', or recorded 'answers'."),
        (f"{MODEL}scorer: exact\n", 3, "a suite has no key 'scorer'. Did you mean 'scorers'?"),
        (f"{MODEL}zzz: 1\n", 3, "a suite has no key 'zzz'. Choose from: name, model, system"),
        (f"{MODEL}mode: flexible\n", 3, "mode: it belongs in 'settings'."),
        (f"{MODEL}preset: strict\n", 3, "preset: it belongs in 'settings'."),
        (f"{MODEL}name: 7\n", 3, "name: 7 is not a name."),
        (f"{MODEL}scorers: [acuracy]\n", 3, "scorers: unknown scorer 'acuracy'. Did you mean 'accuracy'?"),
        (f"{MODEL}scorers: []\n", 3, "scorers: the list is empty."),
        (f"{MODEL}fail_under: high\n", 3, "fail_under: 'high' is not a number from 0 to 1."),
        (f"{MODEL}tags: [1]\n", 3, "tags: 1 is not a tag."),
        (f"{MODEL}trials: 0\n", 3, "trials: 0 is not an integer ≥ 1."),
        (f"{MODEL}trials: 10001\n", 3, "trials: 10001 is more than 10000."),
        (f"{MODEL}only: maybe\n", 3, "only: 'maybe' is not true or false."),
        (f"{MODEL}skip: 1\n", 3, "skip: 1 is not true, false or a reason."),
        (f"{MODEL}tools: gone.json\n", 3, "tools: "),
        (f"{MODEL}tools: 7\n", 3, "tools: expected a path or a list, got 7."),
        (f"{MODEL}tools: [{{nam: a}}]\n", 3, "tools: "),
        (f"{MODEL}settings: 7\n", 3, "settings: expected an object, got 7."),
        (f"{MODEL}settings:\n  mod: strict\n", 4, "settings has no key 'mod'. Did you mean 'mode'?"),
        (f"{MODEL}settings:\n  judge: x\n", 4, "settings has no key 'judge'."),
        (f"{MODEL}settings: {{mode: strikt}}\n", 3, "settings: mode: unknown value 'strikt'. Did"),
        (f"{MODEL}settings: {{preset: loose}}\n", 3, "settings: "),
        (f"{MODEL}judge: 7\n", 3, "judge: expected an object, got 7."),
        (f"{MODEL}judge: {{model: x}}\n", 3, "judge has no key 'model'."),
        (f"{MODEL}judge: {{base_url: 'http://x/v1'}}\n", 3, "judge: the model has no"),
        (f"{MODEL}prompt: '{{{{inptu}}}}'\n", 3, "prompt: "),
        (f"{MODEL}system: 7\n", 3, "system: 7 is not a string."),
        ("model: m\n", None, "cases: expected a list of cases or the path of a file; there are"),
        ("model: m\ncases: []\n", 2, "cases: expected a list of cases or the path of a file; there"),
        ("model: m\ncases: {a: 1}\n", 2, "cases: expected a list of cases or the path of a file; g"),
        ("model: m\ncases: gone.jsonl\n", 2, "cases: file 'gone.jsonl' not found."),
        ("model: m\ncases:\n  - Hi!\n", 3, "cases: file 'Hi!' not found. A cas"),
        ("model: m\ncases:\n  - id: a\n  - expectd: []\n", 4, "cases[1]: unknown field 'expectd'"),
        ("model: m\ncases:\n  - 7\n", 3, "cases[0]: a case must be an object with an 'id'; got 7."),
        (
            "model: m\ncases:\n  - id: a\n    expected:\n      - {name: b, arguments: {c: {$contain: d}}}\n",
            3,
            "cases[0]: ",
        ),
    ],
)  # fmt: skip
def test_what_is_wrong_with_a_suite_is_said_with_its_line(
    tmp_path: Path, text: str, line: int | None, problem: str
) -> None:
    found = load(tmp_path, text)

    assert isinstance(found, Unloaded)
    assert found.place == f"{tmp_path}/eval_a.yaml" + ("" if line is None else f":{line}")
    assert found.problem.startswith(problem)
    assert found.problem.endswith((".", "?"))


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


@pytest.mark.parametrize(
    ("text", "line", "problem"),
    [
        ("name = \n", ":1:8", "not TOML: Invalid value."),
        ('model = "m"\nscorer = "exact"\ncases = [{id = "a"}]\n', ":2", "a suite has no key"),
        ('model = "m"\n\n[[cases]]\nid = "a"\n[[cases]]\nexpectd = []\n', ":5", "cases[1]: "),
    ],
)
def test_what_is_wrong_in_toml_is_said_with_its_line(
    tmp_path: Path, text: str, line: str, problem: str
) -> None:
    found = load(tmp_path, text, "eval_a.toml")

    assert isinstance(found, Unloaded)
    assert found.place == f"{tmp_path}/eval_a.toml{line}"
    assert found.problem.startswith(problem)


def test_a_missing_extra_is_said(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    from callscore.errors import MissingExtra

    def missing(_: object) -> None:
        raise MissingExtra("asking a model", "openai")

    monkeypatch.setattr("callscore.evaluations.suites.read_suite", missing)

    assert load(tmp_path, MODEL) == Unloaded(
        str(tmp_path / "eval_a.yaml"),
        "asking a model needs an extra: pip install 'callscore[openai]'",
    )


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
        ({"OPENAI-API-KEY": "x"}, ("OPENAI-API-KEY",)),
        (
            {"parameters": {"extra_headers": {"Authorization": "x"}}},
            ("parameters", "extra_headers", "Authorization"),
        ),
        ({"token": "x"}, ("token",)),
        ({"client_secret": "x"}, ("client_secret",)),
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

YAML = "name: x\nmodel:\n  name: m\n  parameters: {a: 1}\n"
TOML = 'name = "x"\n[model]\nname = "m"\nparameters = {a = 1}\n'


def suite(tmp_path: Path, text: str, name: str = "eval_a.yaml") -> SuiteDocument:
    (tmp_path / name).write_text(text)
    return read_suite(tmp_path / name)


@pytest.mark.parametrize(("text", "name"), [(YAML, "eval_a.yaml"), (TOML, "eval_a.toml")])
def test_both_kinds_are_read_with_their_lines(tmp_path: Path, text: str, name: str) -> None:
    document = suite(tmp_path, text, name)

    assert document.value == {"name": "x", "model": {"name": "m", "parameters": {"a": 1}}}
    assert document.place("model", "parameters", "a") == f"{tmp_path / name}:4"
    assert document.place("model", "nowhere") == f"{tmp_path / name}:2"
    assert document.place("nowhere") == document.place() == str(tmp_path / name)


def test_a_byte_order_mark_does_no_harm(tmp_path: Path) -> None:
    assert suite(tmp_path, f"\ufeff{YAML}").value["name"] == "x"
    assert suite(tmp_path, f"\ufeff{TOML}", "eval_b.toml").value["name"] == "x"


@pytest.mark.parametrize(
    ("text", "name", "place", "problem"),
    [
        ("", "eval_a.yaml", "", "expected an object with 'cases', got nothing."),
        ("- a\n", "eval_a.yaml", "", "expected an object with 'cases', got "),
        ("just text\n", "eval_a.yaml", "", "expected an object with 'cases', got "),
        ("a: [\n", "eval_a.yml", ":2:1", "not YAML: "),
        ("a: .nan\n", "eval_a.yaml", "", ".nan is not a JSON number."),
        ("a = \n", "eval_a.toml", ":1:5", "not TOML: Invalid value."),
        ("a: 1\n", "eval_a.toml", ":1:2", "not TOML: "),
    ],
)
def test_what_is_no_suite_is_refused(
    tmp_path: Path, text: str, name: str, place: str, problem: str
) -> None:
    with pytest.raises(UnreadableInput) as caught:
        suite(tmp_path, text, name)

    assert caught.value.place == f"{tmp_path / name}{place}"
    assert caught.value.problem.startswith(problem)


def test_what_is_no_text_and_what_is_gone_is_refused(tmp_path: Path) -> None:
    (tmp_path / "eval_a.yaml").write_bytes(b"name: \xff\n")

    with pytest.raises(UnreadableInput, match="the byte 0xff is not UTF-8"):
        read_suite(tmp_path / "eval_a.yaml")
    with pytest.raises(UnreadableInput, match=r"it cannot be read \(No such file"):
        read_suite(tmp_path / "gone.yaml")


def test_a_check_is_told_the_value_or_the_default(tmp_path: Path) -> None:
    document = suite(tmp_path, YAML)

    assert document.checked(str.upper, "", "name") == "X"
    assert document.checked(str.upper, "default", "other") == "DEFAULT"


def test_what_a_check_refuses_is_said_with_the_line(tmp_path: Path) -> None:
    document = suite(tmp_path, YAML)

    def refuse(value: Any) -> None:
        raise InvalidSettings(f"no {value}")

    def refuse_elsewhere(_: Any) -> None:
        raise InvalidEvaluation("there", "no.")

    with pytest.raises(InvalidEvaluation) as caught:
        document.checked(refuse, None, "name")
    assert str(caught.value) == f"{tmp_path}/eval_a.yaml:1: no x."
    with pytest.raises(InvalidEvaluation, match=r"there: no\."):
        document.checked(refuse_elsewhere, None, "name")


def test_keys_that_are_not_known_are_refused(tmp_path: Path) -> None:
    document = suite(tmp_path, YAML)

    assert document.require_keys(("name", "model")) is document.value
    for keys, path, problem in (
        (("names", "model"), (), "1: a suite has no key 'name'. Did you mean 'names'?"),
        (
            ("parameters", "x"),
            ("model",),
            "3: model has no key 'name'. Choose from: parameters, x.",
        ),
        (("a",), ("name",), "1: name: expected an object, got "),
    ):
        with pytest.raises(InvalidEvaluation) as caught:
            document.require_keys(keys, *path)
        assert str(caught.value).startswith(f"{tmp_path}/eval_a.yaml:{problem}")


# Whom a suite asks, and its variants.


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    (tmp_path / "a.jsonl").write_text('{"id": "x", "answer": "a"}\n')
    return tmp_path


def task_document(folder: Path, **value: Any) -> SuiteDocument:
    return SuiteDocument(folder / "eval_a.yaml", value, lambda _: None)


def refusal(folder: Path, **value: Any) -> str:
    def read(document: SuiteDocument) -> None:
        suite_task(document, None)
        suite_variants(document)

    with pytest.raises(InvalidEvaluation) as caught:
        read(task_document(folder, **value))
    return caught.value.problem


def test_a_model_is_asked_by_its_name(folder: Path) -> None:
    task = suite_task(task_document(folder, model="gpt-4.1-mini"), None)

    assert isinstance(task, Chat)
    assert (task.model, task.offer) == ("gpt-4.1-mini", None)


def test_recorded_answers_stand_in_for_a_model(folder: Path) -> None:
    assert isinstance(suite_task(task_document(folder, answers="a.jsonl"), None), RecordedAnswers)
    variants = {"v": {"answers": "a.jsonl"}}
    assert isinstance(suite_task(task_document(folder, variants=variants), None), RecordedAnswers)


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


@pytest.mark.parametrize(
    ("value", "problem"),
    [
        ({}, "a suite needs 'model', or recorded 'answers'."),
        ({"model": 7}, "model: expected an object, got 7."),
        ({"model": ""}, "model: the model has no 'name'."),
        ({"model": {}}, "model: the model has no 'name'."),
        ({"model": {"name": "m", "temperature": 0}}, "model has no key 'temperature'."),
        ({"model": {"name": "m", "parameters": 7}}, "model.parameters: 7 is not an object"),
        (
            {"model": {"name": "m", "parameters": {"system": "x"}}},
            "model.parameters: 'system' is not a parameter: it is a key of the suite.",
        ),
        ({"model": {"name": "m", "base_url": "x"}}, "base_url: "),
        ({"model": {"name": "m", "key_variable": "a b"}}, "key_variable: "),
        ({"model": "m", "system": 7}, "system: "),
        (
            {"model": "m", "answers": "a.jsonl"},
            "model: it has no effect with recorded answers. Remove one of the two.",
        ),
        ({"answers": 7}, "answers: 7 is not the path of a file."),
        ({"answers": "gone.jsonl"}, "answers: "),
        (
            {"answers": "a.jsonl", "variants": {"v": {"answers": "a.jsonl"}}},
            "answers: the variants have their own. Remove this one.",
        ),
        ({"answers": "a.jsonl", "variants": {"v": {}}}, "variants.v: it has no 'answers'."),
        (
            {"answers": "a.jsonl", "variants": {"v": {"model": "m"}}},
            "variants.v.model: either all variants have 'answers', or none of them.",
        ),
        ({"model": "m", "variants": {"v": {"modle": "m"}}}, "variants.v has no key 'modle'. Did"),
        ({"model": "m", "variants": {"v": {"system": 7}}}, "variants.v.system: 7 is not a string."),
        ({"model": "m", "variants": {"v": 7}}, "variants.v: 7 is not an object"),
        ({"model": "m", "variants": {"v": {"model": {}}}}, "variants.v.model: the model has no"),
        (
            {"model": "m", "variants": {"v": {"parameters": {"tools": []}}}},
            "variants.v.parameters: 'tools' is not a parameter: it is a key of the suite.",
        ),
    ],
)
def test_what_a_suite_cannot_ask_is_refused(
    folder: Path, value: dict[str, Any], problem: str
) -> None:
    assert refusal(folder, **value).startswith(problem)

"""Suites: evaluations without code, and everything that can be wrong with one."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest

from callscore import Case, Settings
from callscore.core.results import Unloaded
from callscore.core.rules import Matcher
from callscore.evaluations.plan import evaluation_cases
from callscore.evaluations.suites import load_suite
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
thresholds: {accuracy: 0.9}
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
    assert suite.thresholds == {"accuracy": 0.9}
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
thresholds = 1

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
    assert suite.thresholds == {"exact": 1.0}
    assert [case.id for case in evaluation_cases(suite)] == ["hi"]


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
        (f"{CASES}", None, "a suite needs a `model` to ask, or recorded `answers`."),
        (f"{MODEL}scorer: exact\n", 3, "a suite has no key 'scorer'. Is 'scorers' meant?"),
        (f"{MODEL}zzz: 1\n", 3, "a suite has no key 'zzz'. There are name, model, system"),
        (f"{MODEL}mode: flexible\n", 3, "mode: it belongs into `settings`."),
        (f"{MODEL}preset: strict\n", 3, "preset: it belongs into `settings`."),
        (f"{MODEL}name: 7\n", 3, "name: 7 is not a name."),
        (f"{MODEL}scorers: [acuracy]\n", 3, "scorers: there is no scorer 'acuracy'. Is 'accuracy'"),
        (f"{MODEL}scorers: []\n", 3, "scorers: there are none."),
        (f"{MODEL}thresholds: high\n", 3, "thresholds: 'high' is not a number from 0 to 1."),
        (f"{MODEL}tags: [1]\n", 3, "tags: 1 is not a word."),
        (f"{MODEL}trials: 0\n", 3, "trials: 0 is not an integer from 1 on."),
        (f"{MODEL}only: maybe\n", 3, "only: 'maybe' is neither true nor false."),
        (f"{MODEL}skip: 1\n", 3, "skip: 1 is neither a truth value nor a reason."),
        (f"{MODEL}tools: gone.json\n", 3, "tools: "),
        (f"{MODEL}tools: 7\n", 3, "tools: the path of a file, or a list; got 7."),
        (f"{MODEL}tools: [{{nam: a}}]\n", 3, "tools: "),
        (f"{MODEL}settings: 7\n", 3, "settings: an object is wanted; got 7."),
        (f"{MODEL}settings:\n  mod: strict\n", 4, "settings has no key 'mod'. Is 'mode' meant?"),
        (f"{MODEL}settings:\n  judge: x\n", 4, "settings has no key 'judge'."),
        (f"{MODEL}settings: {{mode: strikt}}\n", 3, "settings: mode: 'strikt' is not one of"),
        (f"{MODEL}settings: {{preset: loose}}\n", 3, "settings: "),
        (f"{MODEL}judge: 7\n", 3, "judge: an object is wanted; got 7."),
        (f"{MODEL}judge: {{model: x}}\n", 3, "judge has no key 'model'."),
        (f"{MODEL}judge: {{base_url: 'http://x/v1'}}\n", 3, "judge: the `name` of the model is"),
        (f"{MODEL}prompt: '{{{{inptu}}}}'\n", 3, "prompt: "),
        (f"{MODEL}system: 7\n", 3, "system: 7 is not a text."),
        ("model: m\n", None, "cases: a list of cases, or the path of a file of them; there are"),
        ("model: m\ncases: []\n", 2, "cases: a list of cases, or the path of a file of them; there"),
        ("model: m\ncases: {a: 1}\n", 2, "cases: a list of cases, or the path of a file of them; g"),
        ("model: m\ncases: gone.jsonl\n", 2, "cases: there is no file 'gone.jsonl' beside the suite."),
        ("model: m\ncases:\n  - Hi!\n", 3, "cases: there is no file 'Hi!' beside the suite. A que"),
        ("model: m\ncases:\n  - id: a\n  - expectd: []\n", 4, "cases[1]: 'expectd' is no field"),
        ("model: m\ncases:\n  - 7\n", 3, "cases[0]: a case is an object with an `id`; got 7."),
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
    assert "keys are read from the environment alone" in found.problem
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

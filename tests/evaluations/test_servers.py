"""The servers that suites name, and the user's consent for them."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest

from callscore import InvalidSettings, MissingConsent, evaluate, evaluation, models
from callscore.core.results import Unloaded
from callscore.evaluations.discovery import load_file
from callscore.evaluations.plan import Selection, make_plan
from callscore.evaluations.servers import require_consents, with_allowed_servers
from callscore.models.consent import parse_server

if TYPE_CHECKING:
    from collections.abc import Iterator
    from pathlib import Path

    from callscore.evaluations.evaluation import Evaluation, Question

SUITE = """
model: {name: m, base_url: "http://one/v1"}
variants:
  as_it_is: {system: x}
  other_server: {model: {name: m, base_url: "http://two/v1"}}
  other_key: {model: {name: m, key_variable: GITHUB_TOKEN, base_url: "http://localhost/v1"}}
judge: {name: j, base_url: "http://three/v1", key_variable: JUDGE_KEY}
cases:
- {id: a, input: x, expected: [{name: f, arguments: {text: {$judge: is it}}}]}
- {id: b, input: x, expected: [{name: f, arguments: {}}]}
"""


@pytest.fixture
def suite(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.setenv("XDG_CONFIG_HOME", str(tmp_path))
    monkeypatch.setenv("GITHUB_TOKEN", "the-token-of-the-user")
    monkeypatch.chdir(tmp_path)
    path = tmp_path / "eval_suite.yaml"
    path.write_text(SUITE, encoding="utf-8")
    return path


def loaded(path: Path) -> Evaluation:
    found = load_file(path)
    assert not isinstance(found, Unloaded), found
    return found[0]


def questions(found: Evaluation, keyword: str = "") -> Iterator[Question]:
    plan = make_plan([found], Selection(keyword=keyword))
    return (question for group in plan.groups for question in group.questions)


def test_all_servers_of_the_selected_cases_are_named_at_once(suite: Path) -> None:
    found = loaded(suite)
    for keyword, pairs in {
        "": {
            *("http://one/v1=OPENAI_API_KEY", "http://two/v1=OPENAI_API_KEY"),
            *("http://localhost/v1=GITHUB_TOKEN", "http://three/v1=JUDGE_KEY"),
        },
        "as_it_is and b": {"http://one/v1=OPENAI_API_KEY"},
        "other_server and a": {"http://two/v1=OPENAI_API_KEY", "http://three/v1=JUDGE_KEY"},
        "other_key and b": {"http://localhost/v1=GITHUB_TOKEN"},
    }.items():
        with pytest.raises(MissingConsent) as caught:
            require_consents(questions(found, keyword))

        assert set(caught.value.pairs) == pairs
        allowed = with_allowed_servers(found, tuple(map(parse_server, pairs)))
        require_consents(questions(allowed, keyword))


def test_evaluate_refuses_before_anything_is_asked(suite: Path) -> None:
    with pytest.raises(MissingConsent, match=r"eval_suite\.yaml"):
        evaluate(suite)


def test_an_evaluation_in_python_needs_no_consent() -> None:
    @evaluation(cases=["x"])
    def asks(case: object) -> object:
        return case

    chat = models.chat("m", base_url="http://one/v1", key_variable="GITHUB_TOKEN")
    made = evaluation(cases=["x"], name="chat")(chat)

    assert with_allowed_servers(asks, ()) is asks
    require_consents(questions(made))


def test_a_header_of_a_suite_cannot_choose_another_host(suite: Path) -> None:
    suite.write_text(
        "model: {name: m, parameters: {extra_headers: {HOST: elsewhere}}}\ncases: [{input: x}]\n"
    )

    found = load_file(suite)

    assert isinstance(found, Unloaded)
    assert "the server is specified by 'base_url' alone" in found.problem


def test_an_ambiguous_address_is_refused(suite: Path) -> None:
    suite.write_text("model: {name: m, base_url: 'http://öne/v1'}\ncases: [{input: x}]\n")

    with pytest.raises(InvalidSettings, match="ambiguous"):
        require_consents(questions(loaded(suite)))

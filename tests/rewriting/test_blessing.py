"""Which expectations of a run become what was observed, and why others do not."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import msgspec
import pytest

from callscore import Case, InvalidSettings, ToolCall
from callscore.api import score_case, tools_by_name
from callscore.engines.payloads import case_payload, score_payload
from callscore.formats.case_sides import read_expected_side
from callscore.history.records import EvaluationRecord, ResultRecord
from callscore.rewriting.applying import rewrite
from callscore.rewriting.blessing import (
    Blessings,
    CaseLocator,
    StoredRun,
    find_blessings,
    is_exact,
    is_right,
    observed_trial,
)
from callscore.rewriting.change import CannotRewrite

if TYPE_CHECKING:
    from pathlib import Path

    from callscore import Score

TOOLS = tools_by_name(
    [
        {"name": "f", "parameters": {"type": "object", "properties": {"n": {"type": "integer"}}}},
        {"name": "g"},
        {"name": "h"},
    ]
)


class Run:
    """A run of the cases of one file: `answered` says what was called, and the rest follows."""

    def __init__(self, root: Path) -> None:
        self.root = root
        self.results: list[ResultRecord] = []
        self.variants: list[str | None] = [None]
        self.places = ["cases.jsonl"] * 2
        self.settings: dict[str, Any] = {}

    def write(self, **expected: Any) -> None:
        """Write the cases of the file, by id."""
        lines = [
            msgspec.json.encode({"id": name, "input": f"about {name}", "expected": wanted})
            for name, wanted in expected.items()
        ]
        (self.root / "cases.jsonl").write_bytes(b"\n".join(lines) + b"\n")

    @property
    def text(self) -> str:
        return (self.root / "cases.jsonl").read_text()

    def answered(self, case: str, expected: list[Any], made: list[Any] | None, **more: Any) -> None:
        """Say what was called for a case; None where there was no answer."""
        calls = [
            ToolCall(*one) if isinstance(one, tuple) else ToolCall(one, {}) for one in made or ()
        ]
        wanted = tuple(read_expected_side(expected, where="expected", spelled=True))
        payload = case_payload(Case(f"about {case}", id=case, expected=wanted))
        record = ResultRecord(
            run="r",
            evaluation=more.pop("evaluation", 0),
            case=case,
            status="error" if made is None else "scored",
            payload=payload,
            calls=None if made is None else [msgspec.to_builtins(call) for call in calls],
            **more,
        )
        if made is not None:
            score = self.score_of(record)
            counts = tuple(score_payload(score)["counts"])
            passed = more.get("passed", score.passed)
            record = msgspec.structs.replace(record, counts=counts, passed=passed)
        self.results.append(record)

    def score_of(self, record: ResultRecord) -> Score:
        wanted = tuple(
            read_expected_side(record.payload["expected"], where="expected", spelled=True)
        )
        return score_case(wanted, self.calls_of(record), tools=TOOLS)

    @staticmethod
    def calls_of(record: ResultRecord) -> tuple[ToolCall, ...]:
        return tuple(msgspec.convert(record.calls or [], list[ToolCall]))

    def blessings(self, **options: Any) -> Blessings:
        records = [
            EvaluationRecord(
                run="r", number=number, name="cases", variant=name, place=self.places[number]
            )
            for number, name in enumerate(self.variants)
        ]
        kept = StoredRun(
            records, self.results, self.score_of, case_payload, self.calls_of, (TimeoutError,)
        )
        kept = kept._replace(only=options.pop("only", None))
        return find_blessings(kept, CaseLocator(self.root), self.root, **options)

    def problems(self, **options: Any) -> dict[str, str]:
        """Why cases stay as they are; nothing else may be changed either."""
        found = self.blessings(**options)
        assert not found.changes
        return {each.label: each.problem for each in found.refused}


@pytest.fixture
def run(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Run:
    monkeypatch.chdir(tmp_path)
    return Run(tmp_path)


def test_calls_that_are_not_expected_are_to_be_written(run: Run) -> None:
    run.write(a=["f"], b=["g"])
    run.answered("a", ["f"], ["f", "h"])
    run.answered("b", ["g"], ["g"])

    found = run.blessings()

    (blessed,) = found.changes
    assert blessed.change.label == "cases::a"
    assert blessed.score.f1 == pytest.approx(2 / 3)
    assert (found.refused, found.unanswered, found.cases) == ((), (), 2)
    rewrite([blessed.change], run.root)
    assert '"id":"a","input":"about a","expected":["f",{"name":"h","arguments":{}}]' in run.text
    assert '"expected":["g"]' in run.text


def test_a_single_case_is_accepted_unless_another_variant_is_right(run: Run) -> None:
    run.write(apple=["f"], pear=["f"])
    run.variants = ["big", "small"]
    run.answered("apple", ["f"], ["g"])
    run.answered("pear", ["f"], ["g"])
    run.answered("pear", ["f"], ["f"], evaluation=1)

    apple = run.blessings(only=(0, "apple"))
    pear = run.blessings(only=(0, "pear"))

    assert [each.change.label for each in apple.changes] == ["cases [big]::apple"]
    assert (apple.cases, apple.refused) == (1, ())
    assert (pear.cases, pear.changes) == (1, ())
    assert "small" in pear.refused[0].problem
    assert run.blessings(only=(1, "apple")).cases == 0


def test_only_what_has_the_words_is_looked_at(run: Run) -> None:
    run.write(apple=["f"], pear=["f"])
    run.answered("apple", ["f"], ["g"])
    run.answered("pear", ["f"], ["g"])

    found = run.blessings(keyword="pear")

    assert [each.change.label for each in found.changes] == ["cases::pear"]
    assert found.cases == 1
    assert run.blessings(keyword="plum").cases == 0
    with pytest.raises(InvalidSettings):
        run.blessings(keyword="and")


def test_what_was_not_answered_is_left_and_counted(run: Run) -> None:
    run.write(a=["f"])
    run.answered("a", ["f"], None)

    found = run.blessings()

    assert (found.changes, found.refused, found.unanswered) == ((), (), ("cases::a",))


def test_trials_that_disagree_are_refused_unless_one_is_chosen(run: Run) -> None:
    run.write(a=["f"])
    run.answered("a", ["f"], ["g"], trial=1)
    run.answered("a", ["f"], ["h"], trial=2)

    assert "the calls differ between trials (1: g(); 2: h())" in run.problems()["cases::a"]
    (blessed,) = run.blessings(trial=2).changes
    assert blessed.change.items == ({"name": "h", "arguments": {}},)


def test_what_has_changed_since_the_run_is_refused(run: Run) -> None:
    run.write(a=["h"])
    run.answered("a", ["f"], ["g"])

    assert "the expected calls have changed since the run" in run.problems()["cases::a"]


def test_what_is_expected_by_now_needs_nothing(run: Run) -> None:
    run.write(a=[{"name": "g", "arguments": {}}])
    run.answered("a", ["f"], ["g"])

    found = run.blessings()

    assert (found.changes, found.refused) == ((), ())


def test_a_forbidden_call_is_never_accepted(run: Run) -> None:
    run.write(a=[{"forbid": "g"}])
    run.answered("a", [{"forbid": "g"}], ["g"])

    assert run.problems(keyword="a") == {"cases::a": "a forbidden tool was called: g."}


def test_a_call_that_its_schema_refuses_is_never_accepted(run: Run) -> None:
    run.write(a=["g"])
    run.answered("a", ["g"], [("f", {"n": "one"})])

    assert run.problems()["cases::a"].startswith("a call does not match the tool definitions: f")


MARKER = "[hidden 5f2c91ab90c4]"


def test_a_call_out_of_which_a_secret_was_taken_is_not_accepted(run: Run) -> None:
    run.write(a=["g"], b=["g"])
    run.answered("a", ["g"], [("h", {"headers": [{"auth": f"Bearer {MARKER}"}], "n": 1})])
    run.answered("b", ["g"], [("h", {MARKER: 1})])

    assert set(run.problems()) == {"cases::a", "cases::b"}
    assert "a secret was removed from its calls" in run.problems()["cases::a"]


def test_a_case_with_a_hidden_value_is_refused_with_this_reason(run: Run) -> None:
    hidden = [{"name": "f", "arguments": {"by": MARKER, "n": 1}}]
    run.write(a=[{"name": "f", "arguments": {"by": "customer_id", "n": 1}}], b=["g"])
    run.answered("a", hidden, [("f", {"by": MARKER, "n": 2})])
    run.answered("b", ["g"], ["h"])
    asked = {**run.results[1].payload, "input": f"about {MARKER}"}
    run.results[1] = msgspec.structs.replace(run.results[1], payload=asked)

    assert set(run.problems()) == {"cases::a", "cases::b"}
    for problem in run.problems().values():
        assert problem.startswith("a value of the case was hidden when the run was saved")


def test_a_case_with_a_hidden_value_that_was_edited_by_hand_is_done(run: Run) -> None:
    run.write(a=["h"])
    run.answered("a", [("f", {"by": MARKER})], ["h"])

    assert run.problems() == {}


def test_calls_as_expected_are_not_what_another_scorer_complains_of(run: Run) -> None:
    run.write(a=["f"])
    run.answered("a", ["f"], ["f"], passed=False)

    assert run.problems() == {}
    assert run.blessings().others == ("cases::a",)


def test_what_only_python_can_say_is_refused(run: Run) -> None:
    run.write(a=["f"])
    run.answered("a", ["f"], ["g"])
    odd = {**run.results[0].payload, "expected": [{"python": "<lambda>"}]}
    run.results[0] = msgspec.structs.replace(run.results[0], payload=odd)

    assert run.problems()["cases::a"].startswith(
        "the expected calls use Python objects that a file cannot contain"
    )


def test_a_score_that_cannot_be_told_any_more_is_no_ground_to_write(
    run: Run, monkeypatch: pytest.MonkeyPatch
) -> None:
    run.write(a=["f"])
    run.answered("a", ["f"], ["g"])
    monkeypatch.setattr(run, "score_of", lambda _: None)

    assert "the run does not contain the comparison of its calls" in run.problems()["cases::a"]


def test_what_a_judge_was_never_asked_is_no_ground_to_write(
    run: Run, monkeypatch: pytest.MonkeyPatch
) -> None:
    def ask(_: ResultRecord) -> Score:
        raise TimeoutError

    run.write(a=["f"])
    run.answered("a", ["f"], ["g"])
    monkeypatch.setattr(run, "score_of", ask)

    assert "the run does not contain the comparison of its calls" in run.problems()["cases::a"]


def test_a_variant_that_is_content_keeps_its_expectation(run: Run) -> None:
    run.variants = ["large", "small"]
    run.write(a=["f"])
    run.answered("a", ["f"], ["f"], evaluation=0)
    run.answered("a", ["f"], ["g"], evaluation=1)

    right = "the expected calls are correct for the variant large."
    assert run.problems() == {"cases [small]::a": right}
    assert run.problems(keyword="small") == {"cases [small]::a": right}


def test_variants_that_agree_are_one_change_and_others_none(run: Run) -> None:
    run.variants = ["large", "small"]
    run.write(a=["f"], b=["f"])
    run.answered("a", ["f"], ["g"], evaluation=0)
    run.answered("a", ["f"], ["g"], evaluation=1)
    run.answered("b", ["f"], ["g"], evaluation=0)
    run.answered("b", ["f"], ["h"], evaluation=1)

    found = run.blessings()

    assert [each.change.label for each in found.changes] == ["cases [large]::a", "cases [small]::a"]
    assert {each.problem for each in found.refused} == {
        "the actual calls differ between the variants large and small."
    }
    written, refused = rewrite([each.change for each in found.changes], run.root)
    assert (len(written), refused) == (1, [])


def test_a_case_that_is_gone_is_told_and_has_no_say(run: Run) -> None:
    run.variants = ["large", "small"]
    run.places = ["gone.jsonl"] * 2
    run.answered("a", ["f"], ["f"], evaluation=0)
    run.answered("a", ["f"], ["g"], evaluation=1)

    assert run.problems() == {"cases [small]::a": "gone.jsonl: the file no longer exists."}


@pytest.mark.parametrize("elsewhere", ["gone.jsonl", "copy.jsonl"])
def test_who_is_content_with_a_case_that_stands_elsewhere_has_no_say(
    run: Run, elsewhere: str
) -> None:
    run.variants = ["large", "small"]
    run.places = [elsewhere, "cases.jsonl"]
    run.write(a=["f"])
    (run.root / "copy.jsonl").write_text(run.text)
    run.answered("a", ["f"], ["f"], evaluation=0)
    run.answered("a", ["f"], ["g"], evaluation=1)

    assert [each.change.label for each in run.blessings().changes] == ["cases [small]::a"]


def test_who_is_not_content_either_has_no_say(run: Run) -> None:
    run.variants = ["large", "small"]
    run.write(a=["f"])
    run.answered("a", ["f"], None, evaluation=0)
    run.answered("a", ["f"], ["g"], evaluation=1)

    assert [each.change.label for each in run.blessings().changes] == ["cases [small]::a"]


def test_a_case_that_is_not_known_by_its_id_is_known_by_what_it_says(run: Run) -> None:
    (run.root / "cases.jsonl").write_text('{"input":"about a","expected":["f"]}\n')
    run.answered("a", ["f"], ["g"])

    (blessed,) = run.blessings().changes

    rewrite([blessed.change], run.root)
    assert '"expected":[{"name":"g","arguments":{}}]' in run.text


def test_what_expects_nothing_by_now_has_changed(run: Run) -> None:
    (run.root / "cases.jsonl").write_text('{"id":"a","input":"about a","actual":["f"]}\n')
    run.answered("a", ["f"], ["g"])

    assert "the expected calls have changed since the run" in run.problems()["cases::a"]


def test_what_nobody_can_score_by_now_has_changed(run: Run) -> None:
    run.write(a=[{"one_of": ["f", "g"]}])
    run.answered("a", ["f"], ["h"])

    assert "the expected calls have changed since the run" in run.problems()["cases::a"]


def test_rules_of_calls_that_were_right_stay(run: Run) -> None:
    wanted = [{"name": "f", "arguments": {"n": {"$gt": 3}}}, {"any_order": ["g", "h"]}]
    run.write(a=wanted)
    run.answered("a", wanted, [("f", {"n": 5}), "h", "g", "g"])

    (blessed,) = run.blessings().changes

    assert blessed.change.items == (0, 1, {"name": "g", "arguments": {}})
    rewrite([blessed.change], run.root)
    assert '{"name":"f","arguments":{"n":{"$gt":3}}},{"any_order":["g","h"]}' in run.text


def test_a_case_that_asks_something_else_by_now_is_refused(run: Run) -> None:
    run.write(a=["f"])
    run.answered("a", ["f"], ["g"])
    (run.root / "cases.jsonl").write_text(run.text.replace("about a", "about all"))

    assert run.problems()["cases::a"].startswith("the input has changed since the run")


@pytest.mark.parametrize("text", ["\\ud800", "NaN"])
def test_what_stands_for_something_else_is_not_accepted(run: Run, text: str) -> None:
    run.write(a=["g"])
    run.answered("a", ["g"], [("h", {"x": [text]})])

    assert f"{text} was saved instead" in run.problems()["cases::a"]


def test_a_variant_that_was_not_chosen_is_asked_all_the_same(run: Run) -> None:
    run.variants = ["large", "small"]
    run.write(a=["f"])
    run.answered("a", ["f"], ["g"], evaluation=0)
    run.answered("a", ["f"], ["h"], evaluation=1)

    differ = "the actual calls differ between the variants large and small."
    assert run.problems(keyword="small") == {"cases [small]::a": differ}


def test_cases_that_expect_nothing_are_counted_apart(run: Run) -> None:
    run.write(a=["f"])
    run.answered("a", ["f"], ["f"])
    silent = msgspec.structs.replace(run.results[0], case="b", counts=(), passed=None)
    run.results.append(silent)

    assert (run.blessings().unexpecting, run.blessings().cases) == (1, 2)


def test_a_case_that_stands_there_once_a_trial_is_written_everywhere(run: Run) -> None:
    line = '{"id":"a","input":"about a","trial":%d,"expected":["f"]}\n'
    (run.root / "cases.jsonl").write_text(line % 1 + line % 2)
    run.answered("a", ["f"], ["g"], trial=1)
    run.answered("a", ["f"], ["g"], trial=2)

    (blessed,) = run.blessings().changes

    written, refused = rewrite([blessed.change], run.root)
    assert (len(written), refused) == (1, [])
    assert run.text.count('"expected":[{"name":"g","arguments":{}}]') == 2


def test_a_trial_that_is_right_but_for_another_scorer_is_not_written(run: Run) -> None:
    run.write(a=["f"])
    run.answered("a", ["f"], ["g"], trial=1)
    run.answered("a", ["f"], ["f"], trial=2)
    run.results[1] = msgspec.structs.replace(run.results[1], passed=False)

    found = run.blessings(trial=2)

    assert (found.changes, found.others) == ((), ("cases::a",))


# Where the cases that a run has kept stand now.

PYTHON = """
from pathlib import Path
from callscore import Case, evaluation

@evaluation(cases=[Case("hi", id="a", expected=["f"]), Path("cases.jsonl")])
def agent(case):
    return []
"""
LINES = '{"id": "b", "input": "ho", "expected": ["g"]}\n'


@pytest.fixture
def root(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.chdir(tmp_path)
    (tmp_path / ".callscore").mkdir()
    (tmp_path / "evals").mkdir()
    (tmp_path / "evals/eval_agent.py").write_text(PYTHON)
    (tmp_path / "evals/cases.jsonl").write_text(LINES)
    return tmp_path


def evaluation(place: str, name: str = "agent") -> EvaluationRecord:
    return EvaluationRecord(run="r", number=0, name=name, place=place)


def result(case: str, asked: str | None = None) -> ResultRecord:
    payload = {} if asked is None else {"input": asked}
    return ResultRecord(run="r", evaluation=0, case=case, status="scored", payload=payload)


def problem(standings: CaseLocator, record: EvaluationRecord, case: str = "a") -> str:
    with pytest.raises(CannotRewrite) as refused:
        standings.find(record, result(case), "agent[a]")
    return str(refused.value)


def test_a_case_of_an_evaluation_is_found_with_what_it_expects_now(root: Path) -> None:
    standings = CaseLocator(root)
    record = evaluation("evals/eval_agent.py::agent")

    spot, case = standings.find(record, result("a"), "agent[a]")
    other = standings.find(record, result("b"), "agent[b]")

    files = (str(root / "evals/eval_agent.py"), str(root / "evals/cases.jsonl"))
    assert (spot.label, spot.files, spot.case, spot.input) == ("agent[a]", files, "a", "hi")
    assert spot.line == 5
    assert case is not None
    assert case.expected
    assert other.location.input == "ho"


def test_a_file_is_loaded_once(root: Path) -> None:
    standings = CaseLocator(root)
    record = evaluation("evals/eval_agent.py::agent")
    standings.find(record, result("a"), "agent[a]")

    (root / "evals/eval_agent.py").write_text("raise RuntimeError")

    assert standings.find(record, result("b"), "agent[b]").case


def test_what_is_gone_is_told(root: Path) -> None:
    standings = CaseLocator(root)

    assert problem(standings, evaluation("evals/eval_agent.py::agent"), "z") == (
        "evals/eval_agent.py: the case z no longer exists."
    )
    assert problem(standings, evaluation("evals/eval_agent.py::other", "other")) == (
        "evals/eval_agent.py: other no longer exists in this file."
    )
    assert problem(standings, evaluation("evals/eval_gone.py::agent")) == (
        "evals/eval_gone.py: the file no longer exists."
    )
    assert problem(standings, evaluation("::agent")) == "the run does not record the file of agent."
    assert problem(standings, evaluation("")) == "the run does not record the file of agent."


def test_a_file_that_cannot_be_used_is_told(root: Path) -> None:
    (root / "evals/eval_broken.py").write_text("raise RuntimeError('no')")
    (root / "evals/cases.jsonl").write_text("{")

    broken = problem(CaseLocator(root), evaluation("evals/eval_broken.py::agent"))
    unreadable = problem(CaseLocator(root), evaluation("evals/eval_agent.py::agent"))

    assert broken.startswith("evals/eval_broken.py:1: importing it raises RuntimeError")
    assert "cases.jsonl:1" in unreadable


@pytest.mark.parametrize("place", ["../eval_x.py::x", "/eval_x.py::x", "../cases.jsonl"])
def test_no_file_outside_of_the_project_is_touched(root: Path, place: str) -> None:
    outside = root.parent / "eval_x.py"
    outside.write_text("raise SystemExit('was loaded')")

    assert "the file is outside of" in problem(CaseLocator(root), evaluation(place, "x"))


def test_a_case_of_a_file_that_was_scored_stands_in_that_file(root: Path) -> None:
    record = evaluation("evals/cases.jsonl", "cases")

    spot, case = CaseLocator(root).find(record, result("b", "ho"), "cases[b]")
    unknown = CaseLocator(root).find(record, result("sha-123"), "cases[sha-123]")

    assert (spot.files, spot.case, spot.input) == ((str(root / "evals/cases.jsonl"),), "b", "ho")
    assert case is not None
    assert case.expected
    assert unknown.case is None


def test_references_in_several_files_are_looked_for_in_all(root: Path) -> None:
    (root / "more.jsonl").write_text('{"id": "c", "expected": []}\n')
    standings = CaseLocator(root, ["evals/cases.jsonl", "more.jsonl"])

    spot, case = standings.find(evaluation(""), result("c"), "both[c]")

    assert spot.files == (str(root / "evals/cases.jsonl"), str(root / "more.jsonl"))
    assert case is not None
    assert case.id == "c"


def test_a_file_that_cannot_be_read_as_cases_knows_none(root: Path) -> None:
    (root / "evals/cases.jsonl").write_text('{"id": "b", "expected": 5}\n')

    found = CaseLocator(root).find(evaluation("evals/cases.jsonl"), result("b"), "cases[b]")

    assert found.case is None


# Which trial of a case shows what is to be expected.

EXACT = (1, 0, 0, 0, 1, 1, 0)
MISSED = (0, 0, 1, 0, 1, 0, 0)


def trial_result(trial: int = 1, made: str | None = "g", **others: Any) -> ResultRecord:
    """A trial that called this, where `f` is expected; one without an answer where it is None."""
    fields: dict[str, Any] = {"run": "r", "evaluation": 0, "case": "a", "trial": trial}
    if made is None:
        return ResultRecord(**fields, status="error", failure=("timeout", "no answer"))
    is_expected = made == "f"
    fields |= {
        "status": "scored",
        "calls": [{"name": made, "arguments": {}, "id": f"call_{trial}"}],
        "counts": EXACT if is_expected else (0, 0, 1, 1, 1, 1, 0),
        "passed": is_expected,
    }
    return ResultRecord(**fields | others)


def calls_of(record: ResultRecord) -> list[ToolCall]:
    return [ToolCall(call["name"], call["arguments"]) for call in record.calls or ()]


def test_what_was_called_exactly_needs_no_change() -> None:
    assert is_exact(trial_result(made="f"))
    assert is_right(trial_result(made="f"))
    assert not is_exact(trial_result(counts=MISSED))
    assert not is_exact(trial_result(counts=(1, 0, 0, 0, 1, 1, 1)))
    assert not is_exact(trial_result(counts=()))


def test_a_case_that_another_scorer_is_not_content_with_is_not_right() -> None:
    assert not is_right(trial_result(made="f", passed=False))
    assert is_right(trial_result(made="f", passed=None))


def test_trials_that_agree_show_what_is_to_be_expected() -> None:
    first, second = trial_result(1), trial_result(2)

    assert observed_trial([first, second], None, calls_of) is first


def test_a_trial_without_an_answer_has_no_say() -> None:
    answered = trial_result(2)

    assert observed_trial([trial_result(1, made=None), answered], None, calls_of) is answered


@pytest.mark.parametrize(
    "trials",
    [[], [trial_result(made="f")], [trial_result(made="f"), trial_result(2, made=None)]],
)
def test_where_all_is_as_expected_nothing_is_to_be_changed(trials: list[ResultRecord]) -> None:
    assert observed_trial(trials, None, calls_of) is None
    assert observed_trial(trials, 7, calls_of) is None


def test_trials_that_disagree_are_named() -> None:
    trials = [
        trial_result(1),
        trial_result(2, made="f"),
        trial_result(3),
        trial_result(4, made="h", calls=[]),
    ]

    with pytest.raises(CannotRewrite) as refused:
        observed_trial(trials, None, calls_of)

    assert str(refused.value) == (
        "the calls differ between trials (1, 3: g(); 2: f(); 4: []). Choose one with --trial."
    )


def test_one_trial_may_be_chosen() -> None:
    trials = [
        trial_result(1),
        trial_result(2, made="h"),
        trial_result(3, made="f"),
        trial_result(4, made=None),
    ]

    assert observed_trial(trials, 2, calls_of) is trials[1]
    assert observed_trial(trials, 3, calls_of) is None
    for missing in (4, 5):
        with pytest.raises(CannotRewrite, match=f"trial {missing} has no answer"):
            observed_trial(trials, missing, calls_of)

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
from callscore.rewriting.blessing import Blessings, CaseLocator, StoredRun, find_blessings

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

    assert "its trials do not agree (1: g(); 2: h())" in run.problems()["cases::a"]
    (blessed,) = run.blessings(trial=2).changes
    assert blessed.change.items == ({"name": "h", "arguments": {}},)


def test_what_has_changed_since_the_run_is_refused(run: Run) -> None:
    run.write(a=["h"])
    run.answered("a", ["f"], ["g"])

    assert "what it expects has changed since the run" in run.problems()["cases::a"]


def test_what_is_expected_by_now_needs_nothing(run: Run) -> None:
    run.write(a=[{"name": "g", "arguments": {}}])
    run.answered("a", ["f"], ["g"])

    found = run.blessings()

    assert (found.changes, found.refused) == ((), ())


def test_a_forbidden_call_is_never_accepted(run: Run) -> None:
    run.write(a=[{"forbid": "g"}])
    run.answered("a", [{"forbid": "g"}], ["g"])

    assert run.problems(keyword="a") == {"cases::a": "g was called, which is forbidden."}


def test_a_call_that_its_schema_refuses_is_never_accepted(run: Run) -> None:
    run.write(a=["g"])
    run.answered("a", ["g"], [("f", {"n": "one"})])

    assert run.problems()["cases::a"].startswith(
        "a call does not fit the definitions of the tools: f"
    )


def test_a_call_out_of_which_a_secret_was_taken_is_not_accepted(run: Run) -> None:
    run.write(a=["g"], b=["g"])
    run.answered("a", ["g"], [("h", {"headers": [{"auth": "Bearer ***"}], "n": 1})])
    run.answered("b", ["g"], [("h", {"***": 1})])

    assert set(run.problems()) == {"cases::a", "cases::b"}
    assert "a secret was taken out of its calls" in run.problems()["cases::a"]


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

    assert run.problems()["cases::a"].startswith("only Python can say what it expects")


def test_a_score_that_cannot_be_told_any_more_is_no_ground_to_write(
    run: Run, monkeypatch: pytest.MonkeyPatch
) -> None:
    run.write(a=["f"])
    run.answered("a", ["f"], ["g"])
    monkeypatch.setattr(run, "score_of", lambda _: None)

    assert "can be told no more" in run.problems()["cases::a"]


def test_what_a_judge_was_never_asked_is_no_ground_to_write(
    run: Run, monkeypatch: pytest.MonkeyPatch
) -> None:
    def ask(_: ResultRecord) -> Score:
        raise TimeoutError

    run.write(a=["f"])
    run.answered("a", ["f"], ["g"])
    monkeypatch.setattr(run, "score_of", ask)

    assert "can be told no more" in run.problems()["cases::a"]


def test_a_variant_that_is_content_keeps_its_expectation(run: Run) -> None:
    run.variants = ["large", "small"]
    run.write(a=["f"])
    run.answered("a", ["f"], ["f"], evaluation=0)
    run.answered("a", ["f"], ["g"], evaluation=1)

    right = "what is expected there is right for the variant large."
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
    assert {each.problem for each in found.refused} == {"the variants large and small differ."}
    written, refused = rewrite([each.change for each in found.changes], run.root)
    assert (len(written), refused) == (1, [])


def test_a_case_that_is_gone_is_told_and_has_no_say(run: Run) -> None:
    run.variants = ["large", "small"]
    run.places = ["gone.jsonl"] * 2
    run.answered("a", ["f"], ["f"], evaluation=0)
    run.answered("a", ["f"], ["g"], evaluation=1)

    assert run.problems() == {"cases [small]::a": "gone.jsonl: there is no such file any more."}


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

    assert "what it expects has changed since the run" in run.problems()["cases::a"]


def test_what_nobody_can_score_by_now_has_changed(run: Run) -> None:
    run.write(a=[{"one_of": ["f", "g"]}])
    run.answered("a", ["f"], ["h"])

    assert "what it expects has changed since the run" in run.problems()["cases::a"]


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

    assert run.problems()["cases::a"].startswith("it asks something else than in the run")


@pytest.mark.parametrize("text", ["\\ud800", "NaN"])
def test_what_stands_for_something_else_is_not_accepted(run: Run, text: str) -> None:
    run.write(a=["g"])
    run.answered("a", ["g"], [("h", {"x": [text]})])

    assert f"{text} stands for it" in run.problems()["cases::a"]


def test_a_variant_that_was_not_chosen_is_asked_all_the_same(run: Run) -> None:
    run.variants = ["large", "small"]
    run.write(a=["f"])
    run.answered("a", ["f"], ["g"], evaluation=0)
    run.answered("a", ["f"], ["h"], evaluation=1)

    differ = "the variants large and small differ."
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

"""What a test tells travels between processes as text."""

from __future__ import annotations

from callscore import Case, Settings
from callscore.core.results import Failure, MetricValue
from callscore.evaluations.evaluation import Evaluation, Question, Scorer
from callscore.rewriting.change import Change
from callscore.testing.item_record import (
    ItemRecord,
    decode_record,
    encode_record,
    evaluation_key,
    settings_from_key,
)

SETTINGS = Settings(
    mode="flexible",
    normalize_name=("case",),
    effects={"get_*": "read"},  # type: ignore[arg-type]  # a mapping will do
    judge=lambda *_: True,
)
QUESTION = Question(
    evaluation=Evaluation(
        name="assistant",
        task=print,
        cases=[],
        scorers=(Scorer("accuracy", print, ()), Scorer("mine", print, ())),
        fail_under={"accuracy": 0.5},
        settings=SETTINGS,
        place="eval_x.py:3",
    ),
    case=Case("hi", id="a"),
    variant="gpt",
)


def test_what_is_told_is_what_is_heard() -> None:
    told = ItemRecord(
        about=evaluation_key(QUESTION),
        case="a",
        values=(MetricValue("accuracy", 0.5),),
        failure=Failure(case="a", kind="raised", problem="boom"),
        changes=(Change(label="x", files=("f",), items=(1, {"name": "f", "arguments": {}})),),
        confirmed=("spot",),
    )

    heard = decode_record(encode_record(told))

    assert encode_record(heard) == encode_record(told)
    assert heard.changes == told.changes


def test_what_is_no_data_is_described() -> None:
    change = Change(label="half \ud800", files=("f",), input=object)

    (heard,) = decode_record(encode_record(ItemRecord(changes=(change,)))).changes

    assert heard.label == "half \\ud800"
    assert heard.input == "<class 'object'>"


def test_every_scorer_is_named_with_its_fail_under() -> None:
    assert evaluation_key(QUESTION).fail_under == {"accuracy": 0.5, "mine": None}


def test_settings_arrive_as_far_as_data_can_say_them() -> None:
    told = decode_record(encode_record(ItemRecord(about=evaluation_key(QUESTION), case="a")))

    assert told.about is not None
    assert settings_from_key(told.about) == Settings(
        mode="flexible", normalize_name=("case",), effects=(("get_*", "read"),)
    )

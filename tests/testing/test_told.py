"""What a test tells travels between processes as text."""

from __future__ import annotations

from callscore import Case, Settings
from callscore.core.results import MetricValue
from callscore.core.run import Failure
from callscore.evaluations.evaluation import Evaluation, Question, Scorer
from callscore.rewriting.change import Change
from callscore.testing.told import Told, about, decoded, encoded, settings_of

SETTINGS = Settings(
    mode="flexible",
    normalise_name=("case",),
    effects={"get_*": "read"},  # type: ignore[arg-type]  # a mapping will do
    judge=lambda *_: True,
)
QUESTION = Question(
    evaluation=Evaluation(
        name="assistant",
        task=print,
        cases=[],
        scorers=(Scorer("accuracy", print, ()), Scorer("mine", print, ())),
        thresholds={"accuracy": 0.5},
        settings=SETTINGS,
        place="eval_x.py:3",
    ),
    case=Case("hi", id="a"),
    variant="gpt",
)


def test_what_is_told_is_what_is_heard() -> None:
    told = Told(
        about=about(QUESTION),
        case="a",
        values=(MetricValue("accuracy", 0.5),),
        failure=Failure(case="a", kind="raised", problem="boom"),
        changes=(Change(label="x", files=("f",), items=(1, {"name": "f", "arguments": {}})),),
        confirmed=("spot",),
    )

    heard = decoded(encoded(told))

    assert encoded(heard) == encoded(told)
    assert heard.changes == told.changes


def test_what_is_no_data_is_described() -> None:
    change = Change(label="half \ud800", files=("f",), input=object)

    (heard,) = decoded(encoded(Told(changes=(change,)))).changes

    assert heard.label == "half \\ud800"
    assert heard.input == "<class 'object'>"


def test_every_scorer_is_named_with_its_threshold() -> None:
    assert about(QUESTION).thresholds == {"accuracy": 0.5, "mine": None}


def test_settings_arrive_as_far_as_data_can_say_them() -> None:
    told = decoded(encoded(Told(about=about(QUESTION), case="a")))

    assert told.about is not None
    assert settings_of(told.about) == Settings(
        mode="flexible", normalise_name=("case",), effects=(("get_*", "read"),)
    )

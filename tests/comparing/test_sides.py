"""What a run brings to a comparison."""

from __future__ import annotations

from callscore.comparing.sides import EvaluationSide


def test_an_evaluation_goes_by_its_name_and_its_variant() -> None:
    assert EvaluationSide(name="weather").label == "weather"
    assert EvaluationSide(name="weather", variant="small").label == "weather [small]"

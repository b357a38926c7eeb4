"""Backends by name, and what each of them is given."""

from __future__ import annotations

import sys
from typing import Any

import pytest

from callscore.cli.upload import _REASONS
from callscore.core.case import Origin
from callscore.errors import InvalidSettings, MissingExtra
from callscore.uploaders.backends import BACKENDS, backend_named
from callscore.uploaders.evaluations import Evaluation

# The first package that each of them imports.
PACKAGES = {
    "otel": "requests",
    "langfuse": "langfuse.api",
    "langsmith": "langsmith",
    "mlflow": "mlflow",
    "phoenix": "phoenix.client",
}
UUID = "7c1f0f2e-6a5e-4a1c-9d55-2f8f3c0b7a11"
WHOLE = Origin(UUID, "eee19b7ec3c1b174", "chatcmpl-1")


def evaluation(**fields: Any) -> Evaluation:
    return Evaluation(**{"name": "a", "value": 1.0, "origin": WHOLE, **fields})


@pytest.mark.parametrize("name", BACKENDS)
def test_a_missing_client_names_the_extra_to_install(
    name: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setitem(sys.modules, PACKAGES[name], None)

    with pytest.raises(MissingExtra, match=rf"pip install 'callscore\[{name}\]'"):
        backend_named(name).connect(None)


@pytest.mark.parametrize(
    ("name", "origin", "refusal"),
    [
        ("otel", Origin(), None),
        ("langfuse", Origin(response_id="r"), "no trace id"),
        ("langsmith", Origin(response_id="r"), "no trace id"),
        ("langsmith", Origin("tr-1"), "a trace id that is not of LangSmith"),
        ("mlflow", Origin(response_id="r"), "no trace id"),
        ("phoenix", Origin("t"), "no span id"),
    ],
)
def test_a_score_without_the_id_its_backend_needs_is_refused_with_the_reason(
    name: str, origin: Origin, refusal: str | None
) -> None:
    assert backend_named(name).refusal(evaluation(origin=origin)) == refusal
    assert refusal is None or refusal in _REASONS  # in both languages


def test_an_unknown_backend_is_refused_with_a_suggestion() -> None:
    with pytest.raises(InvalidSettings, match=r"langfuze.*langfuse"):
        backend_named("langfuze")

"""The attributes of an event, and the address that it is sent to; the SDK itself is in tests/stacks."""

from __future__ import annotations

import pytest

from callscore.core.case import Origin
from callscore.errors import InvalidSettings
from callscore.uploaders.evaluations import Evaluation
from callscore.uploaders.otel import _logs_address, _trace_id

TRACE, SPAN = "5b8efff798038103d269b633813fc60c", "eee19b7ec3c1b174"


@pytest.mark.parametrize(
    ("given", "expected"),
    [
        (TRACE, TRACE),
        (f"tr-{TRACE}", TRACE),
        (TRACE.upper(), TRACE),
        ("trace_1", None),
        (None, None),
    ],
)
def test_only_ids_of_opentelemetry_are_the_context(given: str | None, expected: str | None) -> None:
    found = _trace_id(Evaluation(name="a", origin=Origin(given, SPAN)))

    assert found == (int(expected, 16) if expected else 0)


@pytest.mark.parametrize(
    ("endpoint", "variables", "expected"),
    [
        (None, {}, "http://localhost:4318/v1/logs"),
        ("http://c:4318", {}, "http://c:4318/v1/logs"),
        ("http://c:4318/v1/logs", {}, "http://c:4318/v1/logs"),
        ("https://c/otlp/", {}, "https://c/otlp/v1/logs"),
        (None, {"OTEL_EXPORTER_OTLP_ENDPOINT": "http://c/otlp"}, "http://c/otlp/v1/logs"),
        (None, {"OTEL_EXPORTER_OTLP_LOGS_ENDPOINT": "http://c/take"}, "http://c/take"),
        ("http://d", {"OTEL_EXPORTER_OTLP_LOGS_ENDPOINT": "http://c"}, "http://d/v1/logs"),
    ],
)
def test_the_address_is_that_of_the_option_or_of_the_environment(
    endpoint: str | None,
    variables: dict[str, str],
    expected: str,
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    for name in ("OTEL_EXPORTER_OTLP_ENDPOINT", "OTEL_EXPORTER_OTLP_LOGS_ENDPOINT"):
        monkeypatch.delenv(name, raising=False)
    for name, value in variables.items():
        monkeypatch.setenv(name, value)

    assert _logs_address(endpoint) == expected


@pytest.mark.parametrize("address", ["grpc://c:4317", "localhost:4318", "http://", "/v1/logs"])
def test_an_invalid_address_of_otlp_over_http_is_refused(address: str) -> None:
    with pytest.raises(InvalidSettings, match="not an address of OTLP over HTTP"):
        _logs_address(address)


def test_a_password_in_an_address_is_not_in_the_error() -> None:
    with pytest.raises(InvalidSettings) as caught:
        _logs_address("ftp://user:pass-word@c")

    assert "pass-word" not in str(caught.value)

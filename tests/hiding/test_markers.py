"""Markers: the same for the same secret, and different for different ones."""

from __future__ import annotations

from typing import TYPE_CHECKING

from callscore.hiding.markers import (
    MARKER,
    Markers,
    current_markers,
    has_marker,
    new_key,
    use_markers,
)

if TYPE_CHECKING:
    import pytest

KEY = bytes(32)


def test_a_marker_depends_on_the_secret_the_encoding_and_the_key() -> None:
    markers, others = Markers(KEY), Markers(new_key())

    found = [
        markers.of("a-secret", "a-secret"),
        markers.of("a-secret", "a%2Dsecret"),
        markers.of("b-secret", "b-secret"),
        markers.of_number("12345678", "12345678"),
        markers.of_number("12345678", "123456789"),
        markers.of("12345678", "12345678"),
        markers.of_literal("a-secret"),
        others.of("a-secret", "a-secret"),
    ]

    assert len(set(found)) == len(found)
    assert all(MARKER.fullmatch(each) for each in found)
    assert found[0] == Markers(KEY).of("a-secret", "a-secret")
    assert found[1].startswith(found[0][:-1])


def test_a_marker_shows_whose_it_is() -> None:
    marker = MARKER.fullmatch(Markers(KEY).of("a-secret", "a-secret"))

    assert marker is not None
    assert Markers(KEY).is_own(marker)
    assert not Markers(new_key()).is_own(marker)


def test_only_what_looks_like_a_marker_is_one() -> None:
    assert has_marker("x [hidden 5f2c91ab90c4] y")
    assert has_marker("[hidden 5f2c91ab90c4.1c3e02 number]")
    assert not has_marker("[hidden]")
    assert not has_marker("[hidden 5f2c]")


def test_the_process_uses_the_markers_of_the_last_history() -> None:
    before, markers = current_markers(), Markers(KEY)

    use_markers(lambda: markers)
    try:
        assert current_markers() is markers
    finally:
        use_markers(lambda: before)


def test_a_build_without_scrypt_has_markers_too(monkeypatch: pytest.MonkeyPatch) -> None:
    def missing(*_: object, **__: object) -> bytes:
        raise ValueError("memory limit exceeded")

    monkeypatch.setattr("hashlib.scrypt", missing)

    markers = Markers(new_key())

    assert markers.of("a-secret", "a-secret") == markers.of("a-secret", "a-secret")
    assert markers.of("a-secret", "a-secret") != markers.of("b-secret", "b-secret")

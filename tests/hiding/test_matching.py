"""Secrets in texts, in any encoding."""

from __future__ import annotations

from json import dumps  # noqa: TID251  (escapes as other encoders write them)

import pytest
from hypothesis import given
from hypothesis import strategies as st
from tests.hiding.encodings import ENCODINGS, SECRETS

from callscore.hiding.matching import SecretMatcher


def hidden(secrets: list[str], text: str) -> str:
    """The text with `#` for each secret."""
    parts, end = [], 0
    for found in SecretMatcher(secrets).find(text):
        parts += [text[end : found.start], "#"]
        end = found.end
    return "".join([*parts, text[end:]])


def test_every_kind_of_secret_is_found_in_every_encoding() -> None:
    missed = []
    for kind, secret in SECRETS.items():
        for encoding, encode in ENCODINGS.items():
            written = encode(secret)
            text = f"before {written} after"
            matcher = SecretMatcher([secret])
            left = hidden([secret], text)
            # Of base64, the characters that other bytes decide too are left.
            if not matcher.occurs_in(text) or len(left) > len(text) - len(secret) // 2:
                missed.append((kind, encoding, left))

    assert not missed


@given(
    st.text(min_size=8, max_size=30).filter(lambda text: text.strip() == text),
    st.sampled_from([name for name in ENCODINGS if "base64" not in name]),
    st.text(max_size=20),
)
def test_an_encoded_secret_is_found_between_any_texts(
    secret: str, encoding: str, around: str
) -> None:
    written = ENCODINGS[encoding](secret)

    begin = len(around) + 1
    found = SecretMatcher([secret]).find(f"{around} {written} {around}")

    # Some encodings write more around the secret; none writes a character of it in less than one.
    inside = [place for place in found if begin <= place.start < begin + len(written)]
    assert any(place.end - place.start >= len(secret) for place in inside)


def test_a_text_without_a_secret_is_unchanged() -> None:
    text = r'{"a": "\ud83d \u12 \q \U00110000 %ff %e2%28%a1 \u{41}"}'

    assert SecretMatcher(["a-secret"]).find(text) == []
    assert not SecretMatcher(["a-secret"]).occurs_in(text)


def test_the_longest_secret_comes_first_and_overlapping_ones_are_one() -> None:
    assert hidden(["longer-secret", "secret-12"], "longer-secret secret-12") == "# #"
    assert hidden(["abcdefgh-1234", "1234-ijklmnop"], "<abcdefgh-1234-ijklmnop>") == "<#>"


def test_the_work_on_a_hostile_text_is_bounded() -> None:
    matcher = SecretMatcher(["never-there-\\-é", "100%-there"])

    for text in (
        "\\" * 10_000,
        "\\u005c" * 2_000,
        "%25" * 3_000,
        "\\u0025\\n" * 2_000,
        "%5C" * 999,
    ):
        assert sum(1 for _ in matcher._views(text)) <= 17
        assert not matcher.occurs_in(text)


@pytest.mark.parametrize("size", [4, 9, 17])
@pytest.mark.parametrize("secret", ["a-key-with-18-ch\u00e9rs", 'a "key"\\with/ 18 chars'])
def test_a_secret_that_is_cut_short_is_found(secret: str, size: int) -> None:
    matcher = SecretMatcher([secret, "another-secret"])
    first, last = secret[:size], secret[-size:]

    for text in (f"it is {first}…]", f"{{'k': '…{last}'}}", f"{first}…{last}", f"…{last}{first}…"):
        shown = text
        for place in reversed(matcher.find(text)):
            assert place.secret == secret
            shown = shown[: place.start] + shown[place.end :]
        assert first not in shown
        assert last not in shown
        assert matcher.occurs_in(text)
    assert matcher.occurs_in(dumps(f"{first}…"))


def test_other_texts_beside_a_cut_are_not_found() -> None:
    matcher = SecretMatcher(["production"])

    for text in ("pro…", "produce…", "prod …", "…ion", "…motion", "… ction", "production-like"[3:]):
        assert not matcher.occurs_in(text)
        assert matcher.find(text) == []

"""Secrets in texts, in any encoding."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st
from tests.hiding.encodings import ENCODINGS, SECRETS

from callscore.hiding.finding import SecretFinder


def hidden(secrets: list[str], text: str) -> str:
    """The text with `#` for each secret."""
    return SecretFinder([("K", each) for each in secrets]).hide(text).replace("[hidden K]", "#")


def test_every_kind_of_secret_is_found_in_every_encoding() -> None:
    missed = []
    for kind, secret in SECRETS.items():
        for encoding, encode in ENCODINGS.items():
            text = f"before {encode(secret)} after"
            left = hidden([secret], text)
            # Of base64, the characters that other bytes decide too are left.
            if len(left) > len(text) - len(secret) // 2:
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

    left = hidden([secret], f"{around} {written} {around}")

    # Some encodings write more around the secret; none writes a character of it in less than one.
    assert len(left) <= 2 * len(around) + 3 + len(written) - len(secret)


def test_a_text_without_a_secret_is_unchanged() -> None:
    text = r'{"a": "\ud83d \u12 \q \U00110000 %ff %e2%28%a1 \u{41}"}'

    assert hidden(["a-secret"], text) == text


def test_the_longest_secret_comes_first_and_overlapping_ones_are_one() -> None:
    assert hidden(["longer-secret", "secret-12"], "longer-secret secret-12") == "# #"
    assert hidden(["abcdefgh-1234", "1234-ijklmnop"], "<abcdefgh-1234-ijklmnop>") == "<#>"


@pytest.mark.parametrize(
    "written",
    [
        "%6E%65%76%65%72-there",
        "%6e%65%76%65%72-there",
        "6e657665722D7468657265",
        r"\u006E\x65ver-there",
    ],
)
def test_codes_are_in_upper_or_lower_case(written: str) -> None:
    assert hidden(["never-there"], f"<{written}>") == "<#>"


def test_the_work_on_a_hostile_text_is_linear() -> None:
    finder = SecretFinder([("K", "never-there-\\-é"), ("L", "100%-there"), ("M", '\\"\\"\\"\\"')])

    for part in ("\\", "\\u005c", "%25", "\\u0025\\n", "%5C", "\\u0041", "…", "never-ther…", '\\"'):
        text = part * 20_000
        finder.hide(text)  # with the square of the length it would take minutes


@pytest.mark.parametrize("size", [4, 9, 17])
@pytest.mark.parametrize("secret", ["a-key-with-18-ch\u00e9rs", 'a "key"\\with/ 18 chars'])
def test_a_secret_that_is_cut_short_is_found(secret: str, size: int) -> None:
    first, last = secret[:size], secret[-size:]

    for text in (f"it is {first}…]", f"{{'k': '…{last}'}}", f"{first}…{last}", f"…{last}{first}…"):
        shown = hidden([secret, "another-secret"], text)
        assert first not in shown
        assert last not in shown


def test_other_texts_beside_a_cut_are_not_found() -> None:
    for text in ("pro…", "produce…", "prod …", "…ion", "…motion", "… ction", "production-like"[3:]):
        assert hidden(["production"], text) == text

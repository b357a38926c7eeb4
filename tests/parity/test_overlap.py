"""What two sequences have in common."""

from __future__ import annotations

from callscore.parity.overlap import common_count, is_subsequence


def test_an_item_is_common_as_often_as_both_have_it() -> None:
    assert common_count("aab", "abbc") == 2
    assert common_count("aa", "aaa") == 2
    assert common_count("", "a") == 0


def test_a_subsequence_keeps_the_order_and_uses_an_item_once() -> None:
    assert is_subsequence("ac", "abc")
    assert not is_subsequence("ca", "abc")
    assert not is_subsequence("aa", "ab")
    assert is_subsequence("", "")

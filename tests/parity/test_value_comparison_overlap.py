"""What two sequences have in common."""

from __future__ import annotations

from callscore.parity.value_comparison import common_count, f1_of, is_subsequence


def test_an_item_is_common_as_often_as_both_have_it() -> None:
    assert common_count("aab", "abbc") == 2
    assert common_count("aa", "aaa") == 2
    assert common_count("", "a") == 0


def test_f1_is_made_of_precision_and_recall_in_this_order_of_operations() -> None:
    assert f1_of(1, 1, 2) == 2 / 3
    assert f1_of(2, 3, 5) == 0.5
    assert f1_of(1, 1, 5) == 0.33333333333333337  # and not 1 / 3


def test_without_anything_in_common_f1_is_0() -> None:
    assert f1_of(0, 0, 0) == 0.0
    assert f1_of(0, 2, 0) == 0.0


def test_a_subsequence_keeps_the_order_and_uses_an_item_once() -> None:
    assert is_subsequence("ac", "abc")
    assert not is_subsequence("ca", "abc")
    assert not is_subsequence("aa", "ab")
    assert is_subsequence("", "")

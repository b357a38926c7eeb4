from __future__ import annotations

import pytest
from tools.transcript.normalizer import Normalizer


def test_run_ids_are_numbered_in_the_order_in_which_they_appear() -> None:
    normalize = Normalizer({})

    first = normalize("run 20260304-045421-26jc after 20260304-045300-k3f9")
    second = normalize("run 20260304-045300-k3f9, \x1b[1m20260304-045421-26jc\x1b[0m")

    assert first == "run <run-1> after <run-2>"
    assert second == "run <run-2>, \x1b[1m<run-1>\x1b[0m"
    assert normalize.runs == ["20260304-045421-26jc", "20260304-045300-k3f9"]


def test_equal_secrets_stay_equal_and_different_ones_different() -> None:
    normalize = Normalizer({})

    first, second = "5f2c91ab90c4" + 20 * "0", 32 * "1"
    text = f'{{"asked":"{first}","expectation":"{second}"}} {{"asked":"{first}"}}'

    assert normalize(text) == (
        '{"asked":"<digest-1>","expectation":"<digest-2>"} {"asked":"<digest-1>"}'
    )


def test_the_longest_path_is_replaced_first() -> None:
    normalize = Normalizer({"/scratch": "<root>", "/scratch/job": "<folder>"})

    assert normalize("/scratch/job/cases.jsonl /scratch/x") == "<folder>/cases.jsonl <root>/x"


@pytest.mark.parametrize(
    ("text", "normalized"),
    [
        ("<object at 0x7f1c2a3b4c5d>", "<object at <address>>"),
        ("a\x1b[?25l\r\n50 %\r\n90 %\x1b[?25hb", "a<progress>b"),
        ("http://127.0.0.1:45123/mcp", "http://127.0.0.1:<port>/mcp"),
        ('{"seconds":-8.9e-6}', '{"seconds":<waited>}'),
        (r"{\"seconds\":-0.00002}", r"{\"seconds\":<waited>}"),
    ],
)
def test_addresses_ports_durations_and_progress_are_replaced(text: str, normalized: str) -> None:
    assert Normalizer({})(text) == normalized


@pytest.mark.parametrize(
    "text",
    ["2024-01-15T10:00:00Z", '{"seconds":0.0}', "0x1f", "127.0.0.1:1", "3 answers in 12 ms"],
)
def test_everything_else_is_kept(text: str) -> None:
    assert Normalizer({})(text) == text

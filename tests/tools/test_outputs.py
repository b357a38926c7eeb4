from __future__ import annotations

import pytest
from tools.fuzz.outputs import Wrong, check_output


@pytest.mark.parametrize(
    ("output", "what"),
    [
        (b'{"a": 1', "the json output of score is invalid"),
        ('"\u202e"'.encode(), "a raw control character in the output of score"),
        (b'"\x1b[31m"', "a raw control character in the output of score"),
        (b"\xff", "the output of score: not UTF-8"),
        (b'"x"\n::error::x', "a workflow command in the output of score"),
    ],
)
def test_output_that_is_not_as_documented_is_found(output: bytes, what: str) -> None:
    with pytest.raises(Wrong) as found:
        check_output(("score", "--json"), output, b"")

    assert found.value.what == what


def test_valid_output_is_accepted() -> None:
    check_output(("score", "--json"), '{"a": "é\\u2028"}\n'.encode(), b"callscore: no case\n")
    check_output(("extract",), b'{"a": 1}\n{"a": 2}\n', b"")
    check_output(("score", "--format", "junit"), b"<testsuites />", b"")

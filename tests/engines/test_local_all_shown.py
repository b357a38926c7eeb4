"""All cases of a large file are shown: they are the same however they were read and counted."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import msgspec
import pytest
from hypothesis import given
from hypothesis import strategies as st
from tests.engines.nested_values import nested

from callscore.core.settings import DEFAULT
from callscore.engines import local
from callscore.engines.collector import ScoreHooks
from callscore.engines.inputs import CaseReader
from callscore.engines.local import score_files
from callscore.errors import UnreadableInput
from callscore.words.case_json import case_to_json

if TYPE_CHECKING:
    from pathlib import Path

    from callscore.core.results import CaseScore, Results
    from callscore.engines.collector import Show

VALUES = st.sampled_from(
    [
        *(0, 1, 1.0, True, None, "x", "é\u200b", "$5", [], [1], {"b": 1}, 2**70, 1e300),
        *(10**2_900, -(10**3_050), 10**4_000, nested(95), [nested(3)] * 21),
    ]
)
ARGUMENTS = st.dictionaries(st.sampled_from("abc"), VALUES, max_size=2)
CALL: st.SearchStrategy[dict[str, Any]] = st.fixed_dictionaries(
    {"name": st.sampled_from("fg"), "arguments": ARGUMENTS}
)
ODD_CALL: st.SearchStrategy[Any] = st.sampled_from(
    [
        {"name": "f", "arguments": {"a": 1}, "id": "call_1", "result": "error"},
        {"name": "f", "arguments": None},
        {"name": "f", "arguments": '{"a": 1}'},
        {"name": "f", "arguments": "{"},
        {"name": "f"},
        "f",
    ]
)
RECORD: st.SearchStrategy[dict[str, Any]] = st.fixed_dictionaries(
    {
        "id": st.sampled_from(["a", "b", "##[x]", 7]),
        "expected": st.lists(CALL, max_size=3),
        "actual": st.lists(CALL, max_size=3) | st.lists(CALL | ODD_CALL, max_size=3),
    },
    optional={
        "input": st.sampled_from(["what?", {"role": "user"}]),
        "trial": st.sampled_from([1, "x"]),
        "tags": st.lists(st.sampled_from("xy"), max_size=2),
        "metadata": st.just({"a": [1]}),
        "only": st.booleans(),
        "skip": st.just("why"),
        "other": st.just(1),
    },
)


@pytest.fixture(scope="module")
def file(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return tmp_path_factory.mktemp("cases") / "cases.jsonl"


def all_shown(file: Path, *, is_plain: bool, show: Show, **options: Any) -> tuple[Any, list[bytes]]:
    """The results, and the cases that were shown; read as plain cases, or each by itself."""
    shown: list[CaseScore] = []
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(local, "MANY_BYTES", 0 if is_plain else 1 << 60)
        found: Results | str
        try:
            found = score_files(file, show=show, hooks=ScoreHooks(on_case=shown.append), **options)
        except UnreadableInput as error:
            found = str(error)
    return found, [case_to_json(case) for case in shown]


def write(file: Path, records: list[Any]) -> None:
    file.write_bytes(msgspec.json.Encoder().encode_lines(records))


@given(
    st.lists(RECORD, min_size=1, max_size=5),
    st.sampled_from(["all", "failing"]),
    st.sampled_from([None, None, 1, 3]),
    st.sampled_from([None, None, 2]),
)
def test_plain_cases_are_shown_as_if_each_had_been_read_by_itself(
    file: Path, records: list[Any], show: Show, max_shown: int | None, limit: int | None
) -> None:
    write(file, records)
    options: dict[str, Any] = {"show": show, "max_shown": max_shown, "limit": limit}

    found, shown = all_shown(file, is_plain=True, **options)
    others = all_shown(file, is_plain=False, **options)

    assert shown == others[1]
    assert str(found) == str(others[0])
    if not isinstance(found, str):
        assert found.to_dict() == others[0].to_dict()
        assert found.only == others[0].only


def test_most_cases_are_read_in_one_step(file: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    calls = [{"name": "f", "arguments": {"a": 1}}]
    write(file, [{"id": str(at), "expected": calls, "actual": calls} for at in range(500)])
    with_care: list[Any] = []
    take = CaseReader.take

    def spy(self: CaseReader, batch: Any) -> Any:
        with_care.append(batch)
        return take(self, batch)

    monkeypatch.setattr(CaseReader, "take", spy)

    results = score_files(file, settings=DEFAULT, show="all", max_shown=None)

    assert [case.id for case in results.cases] == [str(at) for at in range(500)]
    assert len(with_care) < 100  # the first bytes of a file are a batch of their own

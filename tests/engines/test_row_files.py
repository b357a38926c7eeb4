"""What is in the manifest is done, and what is not in it is not."""

from __future__ import annotations

import os
import resource
import signal
from typing import TYPE_CHECKING, Any

import pyarrow as pa
import pytest
from pyarrow import parquet
from tests.engines.row_cases import row_table

from callscore.engines import row_files
from callscore.engines.batches import score_batches
from callscore.engines.result_rows import row_schema
from callscore.engines.row_files import (
    DonePart,
    LineFile,
    Manifest,
    RowFile,
    RunIdentity,
    merge_parts,
    move_parts,
    parts_folder,
    read_rows,
)
from callscore.errors import InvalidSettings, UnreadableInput

if TYPE_CHECKING:
    from pathlib import Path

IDENTITY = RunIdentity(
    version="1", options={"pairs": False, "map": {}}, files=[("a.jsonl", 10, 1), ("b.jsonl", 20, 2)]
)


def part(number: int, start: int = 0, rows: int = 1) -> DonePart:
    return DonePart(name=f"{number}-{start}", rows=rows, size=9, index=number, start=start)


def rows(*ids: str) -> Any:
    """A batch of result rows of cases with these ids."""
    records = [{"id": name, "expected": ["f"], "actual": ["f"]} for name in ids]
    found = score_batches(row_table(records)).read_all()
    return pa.RecordBatch.from_pylist(found.to_pylist(), schema=found.schema)


def write_part(manifest: Manifest, done: DonePart, *ids: str) -> None:
    file = RowFile(manifest.rows_path(done.name), row_schema())
    file.write(rows(*ids))
    file.finish()
    manifest.add(done)


def names_in(path: Path) -> list[str]:
    return [name for batch in read_rows(path) for name in batch["id"].to_pylist()]


def test_the_parts_of_a_result_are_in_a_folder_beside_it() -> None:
    assert str(parts_folder("x/rows.parquet")) == "x/rows.parquet.parts"
    assert str(parts_folder("x/rows/")) == "x/rows.parts"


def test_a_continued_run_knows_what_was_done(tmp_path: Path) -> None:
    first = Manifest(tmp_path / "p", IDENTITY, resume=False)
    first.add(part(1))
    first.add(part(0, start=7))
    first.add(part(0))
    first.close()

    second = Manifest(tmp_path / "p", IDENTITY, resume=True)
    second.close()

    assert second.parts() == [part(0), part(0, start=7), part(1)]


def test_without_resume_an_unfinished_run_is_in_the_way(tmp_path: Path) -> None:
    Manifest(tmp_path / "p", IDENTITY, resume=False).close()

    with pytest.raises(
        InvalidSettings, match=r"unfinished run\. Continue it with --resume, or del"
    ):
        Manifest(tmp_path / "p", IDENTITY, resume=False)


def test_resume_without_an_unfinished_run_begins_one(tmp_path: Path) -> None:
    manifest = Manifest(tmp_path / "p", IDENTITY, resume=True)
    manifest.close()

    assert manifest.done == {}
    assert (tmp_path / "p/manifest.jsonl").exists()


def test_a_last_line_that_was_not_written_to_its_end_is_cut_off(tmp_path: Path) -> None:
    first = Manifest(tmp_path / "p", IDENTITY, resume=False)
    first.add(part(0))
    first.close()
    path = tmp_path / "p/manifest.jsonl"
    whole = path.read_bytes()
    for size in range(1, 20):
        path.write_bytes(whole + whole[-40:][:size].replace(b"\n", b""))

        second = Manifest(tmp_path / "p", IDENTITY, resume=True)
        second.add(part(1))
        second.close()

        third = Manifest(tmp_path / "p", IDENTITY, resume=True)
        third.close()
        assert third.parts() == [part(0), part(1)]


@pytest.mark.parametrize("data", [b"", b"{", b'{"version": 1}\n', b"[]\n{}\n"])
def test_a_damaged_list_says_what_to_do(data: bytes, tmp_path: Path) -> None:
    Manifest(tmp_path / "p", IDENTITY, resume=False).close()
    (tmp_path / "p/manifest.jsonl").write_bytes(data)

    with pytest.raises(UnreadableInput, match=r"damaged\. Delete the folder, and start again"):
        Manifest(tmp_path / "p", IDENTITY, resume=True)


def test_a_damaged_part_in_the_list_says_what_to_do(tmp_path: Path) -> None:
    Manifest(tmp_path / "p", IDENTITY, resume=False).close()
    with (tmp_path / "p/manifest.jsonl").open("ab") as file:
        file.write(b'{"name": 5}\n')

    with pytest.raises(UnreadableInput, match="damaged"):
        Manifest(tmp_path / "p", IDENTITY, resume=True)


def changed(**fields: Any) -> RunIdentity:
    given = {"version": "1", "options": IDENTITY.options, "files": IDENTITY.files, **fields}
    return RunIdentity(**given)


@pytest.mark.parametrize(
    ("identity", "problem"),
    [
        (changed(options={"pairs": True, "map": {}}), r"of other options \(pairs\)"),
        (changed(options={"pairs": True}), r"of other options \(map, pairs\)"),
        (changed(version="2"), "of another version of callscore, 1"),
        (changed(files=[("a.jsonl", 11, 1), ("b.jsonl", 20, 2)]), r"\(a\.jsonl has changed\)"),
        (changed(files=[("a.jsonl", 10, 3), ("b.jsonl", 20, 2)]), r"\(a\.jsonl has changed\)"),
        (changed(files=[*IDENTITY.files, ("c.jsonl", 1, 1)]), r"\(c\.jsonl is new\)"),
        (changed(files=IDENTITY.files[:1]), r"\(b\.jsonl is missing\)"),
        (changed(files=IDENTITY.files[::-1]), r"\(the files are in another order\)"),
    ],
)
def test_a_run_of_other_input_or_settings_is_not_continued(
    identity: RunIdentity, problem: str, tmp_path: Path
) -> None:
    Manifest(tmp_path / "p", IDENTITY, resume=False).close()

    with pytest.raises(
        InvalidSettings, match=rf"{problem}\. Pass what it was started with, or delete"
    ):
        Manifest(tmp_path / "p", identity, resume=True)


def test_a_folder_that_cannot_be_made_is_named(tmp_path: Path) -> None:
    (tmp_path / "file").touch()

    with pytest.raises(InvalidSettings, match=r"file/x: the folder cannot be written \("):
        Manifest(tmp_path / "file/x", IDENTITY, resume=False)


def test_files_of_killed_processes_are_removed_when_a_run_is_continued(tmp_path: Path) -> None:
    Manifest(tmp_path / "p", IDENTITY, resume=False).close()
    (tmp_path / "p/.part-1.parquet.77.tmp").touch()

    Manifest(tmp_path / "p", IDENTITY, resume=True).close()

    assert [path.name for path in (tmp_path / "p").iterdir()] == ["manifest.jsonl"]


def test_a_finished_run_leaves_nothing(tmp_path: Path) -> None:
    manifest = Manifest(tmp_path / "p", IDENTITY, resume=False)
    write_part(manifest, part(0), "a")

    manifest.remove()

    assert [*tmp_path.iterdir()] == []


def test_the_kept_cases_are_in_the_order_of_the_input(tmp_path: Path) -> None:
    manifest = Manifest(tmp_path / "p", IDENTITY, resume=False)
    for number in (2, 0, 1):
        manifest.add(part(number))
    for name, groups in (("2-0", [["ü\u2028"], [], ["d"]]), ("0-0", [["a"]]), ("1-0", [[]])):
        file = LineFile(manifest.cases_path(name))
        for lines in groups:
            file.write(lines)
        file.finish()

    found = [*manifest.cases()]
    manifest.close()

    assert found == ["a", "ü\u2028", "d"]


# --- files of rows --------------------------------------------------------------------------------


def test_a_file_of_rows_has_its_name_only_once_it_is_complete(tmp_path: Path) -> None:
    path = tmp_path / "rows.parquet"
    file = RowFile(path, row_schema())

    file.write(rows("a"))
    was_there = path.exists()
    file.finish()

    assert not was_there
    assert names_in(path) == ["a"]
    assert [each.name for each in tmp_path.iterdir()] == ["rows.parquet"]


def test_a_discarded_file_of_rows_leaves_nothing(tmp_path: Path) -> None:
    file = RowFile(tmp_path / "rows.parquet", row_schema())
    file.write(rows("a"))

    file.discard()

    assert [*tmp_path.iterdir()] == []


def test_a_discarded_file_of_lines_leaves_nothing(tmp_path: Path) -> None:
    empty, file = LineFile(tmp_path / "a"), LineFile(tmp_path / "b")
    file.write(["x"])

    empty.discard()
    file.discard()

    assert [*tmp_path.iterdir()] == []


def test_small_batches_become_one_row_group(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(row_files, "_ROWS_PER_GROUP", 3)
    file = RowFile(tmp_path / "rows.parquet", row_schema())

    for name in "abcdefg":
        file.write(rows(name))
    file.finish()

    metadata = parquet.ParquetFile(tmp_path / "rows.parquet").metadata
    assert [metadata.row_group(n).num_rows for n in range(metadata.num_row_groups)] == [3, 3, 1]
    assert names_in(tmp_path / "rows.parquet") == [*"abcdefg"]


def test_large_rows_have_smaller_row_groups(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(row_files, "_GROUP_SIZE", 10)
    file = RowFile(tmp_path / "rows.parquet", row_schema())

    for name in "ab":
        file.write(rows(name))
    file.finish()

    assert parquet.ParquetFile(tmp_path / "rows.parquet").metadata.num_row_groups == 2


def test_the_version_of_the_rows_is_read_with_them(tmp_path: Path) -> None:
    file = RowFile(tmp_path / "rows.parquet", row_schema())
    file.write(rows("a"))
    file.finish()

    (batch,) = read_rows(tmp_path / "rows.parquet")

    assert batch.schema.metadata == row_schema().metadata


def test_no_process_writes_the_unfinished_file_of_another(tmp_path: Path) -> None:
    path = tmp_path / "rows.parquet"
    child = os.fork()
    if not child:
        RowFile(path, row_schema()).write(rows("lost"))
        os.kill(os.getpid(), signal.SIGKILL)
    os.waitpid(child, 0)
    left = [each.name for each in tmp_path.iterdir()]

    file = RowFile(path, row_schema())
    file.write(rows("a"))
    file.finish()

    assert names_in(path) == ["a"]
    assert [each.name for each in tmp_path.iterdir() if each != path] == left


def test_a_full_disk_is_an_error_that_says_what_to_do(tmp_path: Path) -> None:
    path = tmp_path / "rows.parquet"
    reading, writing = os.pipe()
    child = os.fork()
    if not child:  # its files can only have a few bytes
        answer = b"nothing was raised"
        try:
            signal.signal(signal.SIGXFSZ, signal.SIG_IGN)
            resource.setrlimit(resource.RLIMIT_FSIZE, (100, 100))
            file = RowFile(path, row_schema())
            try:
                file.write(rows(*[f"case {number}" for number in range(100)]))
                file.finish()
            except InvalidSettings as error:
                file.discard()
                answer = str(error).encode()
        finally:
            os.write(writing, answer)
            os._exit(0)
    os.close(writing)
    os.waitpid(child, 0)
    with os.fdopen(reading, "rb") as pipe:
        answer = pipe.read()

    assert b"rows.parquet: the rows cannot be written" in answer
    assert b"continue with --resume" in answer
    assert [*tmp_path.iterdir()] == []


def test_parts_are_merged_in_the_order_of_the_input(tmp_path: Path) -> None:
    manifest = Manifest(tmp_path / "p", IDENTITY, resume=False)
    write_part(manifest, part(1), "c")
    write_part(manifest, part(0, start=9), "b")
    write_part(manifest, part(0), "a")
    write_part(manifest, part(2))

    merge_parts(manifest, tmp_path / "rows.parquet", row_schema())
    manifest.close()

    assert names_in(tmp_path / "rows.parquet") == ["a", "b", "c"]


def test_what_cannot_be_merged_leaves_no_file(tmp_path: Path) -> None:
    manifest = Manifest(tmp_path / "p", IDENTITY, resume=False)
    write_part(manifest, part(0), "a")
    manifest.add(part(1))

    with pytest.raises(FileNotFoundError):
        merge_parts(manifest, tmp_path / "rows.parquet", row_schema())
    manifest.close()

    assert [path.name for path in tmp_path.iterdir()] == ["p"]


def test_parts_are_moved_also_if_some_were_moved_before(tmp_path: Path) -> None:
    folder = tmp_path / "rows"
    folder.mkdir()
    (folder / "part-other.parquet").touch()
    manifest = Manifest(tmp_path / "p", IDENTITY, resume=False)
    write_part(manifest, part(1), "b")
    write_part(manifest, part(0), "a")
    manifest.rows_path(part(0).name).replace(folder / "part-000000.parquet")

    move_parts(manifest, folder)
    manifest.close()

    assert sorted(path.name for path in folder.iterdir()) == [
        "part-000000.parquet",
        "part-000001.parquet",
        "part-other.parquet",
    ]
    assert names_in(folder / "part-000000.parquet") == ["a"]
    assert names_in(folder / "part-000001.parquet") == ["b"]

"""What the page is told about a history: `tests/tables/page.jsonl`.

RUN1 is wrong about Oslo and is the baseline `main`, RUN2 about Rome, and RUN3 has only Oslo, twice.
KEY is the only evaluation.
"""

from __future__ import annotations

import re
from typing import TYPE_CHECKING, Any

import msgspec
from tests.tables.commands import value_at
from tests.tables.rows import check_rows, of_table, same
from tests.web.conftest import TOKEN

from callscore.history.opening import open_store
from callscore.web.access import TOKEN_HEADER

if TYPE_CHECKING:
    from pathlib import Path

    from tests.web.conftest import Browser, Runs

_TIMES = re.compile(r"\b1[6-9]\d{8}\.\d+\b|(?<=\"seconds\":)(\[[^\]]*\]|[\d.e-]+)")


@of_table("page")
def test_the_page_is_told_what_the_table_says(
    table: str, browser: Browser, runs: Runs, project: Path
) -> None:
    names = [
        runs("oslo", jobs=1),
        runs("rome", jobs=1),
        runs(keyword="oslo", trials=2, jobs=1),
    ]
    with open_store(project / ".callscore/history.db") as store:
        store.set_baseline("main", names[0])
    known = {f"RUN{number}": name for number, name in enumerate(names, 1)} | {"KEY": browser.key()}

    def asked(row: dict[str, Any]) -> str:
        path, body = row["ask"], msgspec.json.encode(row.get("body"))
        for short, name in known.items():
            path, body = path.replace(short, name), body.replace(short.encode(), name.encode())
        headers = {TOKEN_HEADER: TOKEN, "content-type": "application/json"}
        answer = (
            browser.client.post(path, content=body, headers=headers)
            if "body" in row
            else browser.client.get(path)
        )
        text = _TIMES.sub("0", answer.text.replace(str(project), "DIR"))
        for short, name in known.items():
            text = text.replace(name, short)
        found = msgspec.json.decode(text)
        if "error" in row:
            wanted = (row["status"], {"error": row["error"]})
            return "" if (answer.status_code, found) == wanted else f"{answer.status_code} {found}"
        wrong = [
            f"{way}: expected {wanted!r}, got {value_at(found, way.split('.'))!r}"
            for way, wanted in row["answer"].items()
            if not same(value_at(found, way.split(".")), wanted)
        ]
        return "; ".join(wrong) or ("" if answer.status_code == 200 else answer.text)

    check_rows(table, asked)

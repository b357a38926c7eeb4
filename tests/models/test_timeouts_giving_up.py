"""Tasks that nobody waits for."""

from __future__ import annotations

import asyncio
import subprocess
import sys

from callscore.models import timeouts as giving_up
from callscore.models.timeouts import abandon_task, create_abandonable_task


def test_what_is_given_up_may_end_as_it_likes() -> None:
    async def failing() -> None:
        try:
            await asyncio.sleep(60)
        except asyncio.CancelledError:
            raise ValueError("not now") from None

    async def run() -> None:
        failed, cancelled = (
            create_abandonable_task(failing()),
            create_abandonable_task(asyncio.sleep(60)),
        )
        await asyncio.sleep(0)
        for task in (failed, cancelled):
            abandon_task(task)
        await asyncio.wait((failed, cancelled))
        await asyncio.sleep(0)
        assert not giving_up._abandoned

    asyncio.run(run())


PROGRAM = """
import asyncio
from contextvars import ContextVar
from callscore.models.giving_up import begin, give_up

asked = ContextVar("asked")

async def deaf():
    token = asked.set(1)
    try:
        while True:
            try:
                await asyncio.sleep(60)
            except asyncio.CancelledError:
                pass
    finally:
        asked.reset(token)

async def main():
    task = begin(deaf())
    await asyncio.sleep(0)
    give_up(task)
    await asyncio.sleep(0)

loop = asyncio.new_event_loop()
loop.run_until_complete(main())
loop.close()
print("ended")
"""


def test_the_end_of_the_process_is_quiet() -> None:
    ran = subprocess.run(
        [sys.executable, "-c", PROGRAM], capture_output=True, encoding="utf-8", check=False
    )

    assert (ran.stdout, ran.stderr) == ("ended\n", "")

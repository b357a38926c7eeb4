"""The clients of the SDK: one an event loop and server, closed with the loop."""

from __future__ import annotations

import asyncio
import gc
import sys
from typing import TYPE_CHECKING, Any

import pytest

from callscore import InvalidSettings, MissingExtra
from callscore.models import requests as clients
from callscore.models.requests import client_for, require_sdk, split_options, thread_client

if TYPE_CHECKING:
    from openai import AsyncOpenAI

URL = "http://127.0.0.1:1/v1"


def test_a_loop_has_one_client_for_each_server_and_key() -> None:
    async def main() -> list[AsyncOpenAI]:
        first, again = await client_for(URL, "a"), await client_for(URL, "a")
        assert first is again
        return [first, await client_for(URL, "b"), await client_for(None, "a")]

    found = asyncio.run(main())

    assert len(set(map(id, found))) == 3
    assert all(client.is_closed() for client in found)
    assert not clients._clients_by_loop


def test_another_loop_has_clients_of_its_own() -> None:
    async def main() -> AsyncOpenAI:
        return await client_for(URL, "a")

    assert asyncio.run(main()) is not asyncio.run(main())


def test_a_loop_that_was_closed_in_a_hurry_is_forgotten() -> None:
    async def main() -> AsyncOpenAI:
        return await client_for(URL, "a")

    loop = asyncio.new_event_loop()
    loop.run_until_complete(main())
    loop.close()
    assert loop in clients._clients_by_loop

    asyncio.run(main())
    assert loop not in clients._clients_by_loop
    del loop
    gc.collect()


def test_the_sdk_does_not_try_again_behind_our_back() -> None:
    async def main() -> Any:
        return (await client_for(URL, "a")).max_retries

    assert asyncio.run(main()) == 0
    with thread_client(URL, "a", 5) as client:
        assert (client.max_retries, client.timeout) == (0, 5)


def test_without_the_sdk_the_extra_is_named(monkeypatch: pytest.MonkeyPatch) -> None:
    require_sdk()
    monkeypatch.setitem(sys.modules, "openai", None)
    monkeypatch.setattr("importlib.util.find_spec", lambda _name: None)

    with pytest.raises(MissingExtra, match=r"callscore\[openai\]"):
        require_sdk()
    with pytest.raises(MissingExtra, match=r"callscore\[openai\]"):
        thread_client(URL, "a", None)
    with pytest.raises(MissingExtra, match=r"callscore\[openai\]"):
        asyncio.run(client_for(URL, "a"))


def test_what_concerns_the_request_is_told_apart_from_what_concerns_the_model() -> None:
    assert split_options({"seed": 1}) == ({"seed": 1}, {})
    assert split_options(
        {"seed": 1, "extra_body": {"min_p": 0}, "extra_headers": {"X-A": "b"}}
    ) == (
        {"seed": 1},
        {"extra_json": {"min_p": 0}, "headers": {"X-A": "b"}},
    )


@pytest.mark.parametrize(
    ("proxy", "problem"), [("socks5://me:hush@127.0.0.1:9", "socks"), ("foo://me:hush@x", "proxy")]
)
def test_a_proxy_that_cannot_be_used_is_said_quietly(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str], proxy: str, problem: str
) -> None:
    monkeypatch.setenv("HTTP_PROXY", proxy)
    complaints: list[Any] = []

    async def main() -> None:
        asyncio.get_running_loop().set_exception_handler(lambda _, told: complaints.append(told))
        with pytest.raises(InvalidSettings, match="HTTP_PROXY") as raised:
            await client_for("http://example.org/v1", "a")
        assert problem in str(raised.value).lower()
        assert "hush" not in str(raised.value)
        del raised
        gc.collect()
        await asyncio.sleep(0)

    asyncio.run(main())
    with pytest.raises(InvalidSettings, match="HTTP_PROXY"):
        thread_client("http://example.org/v1", "a", None)
    gc.collect()
    assert complaints == []
    assert capsys.readouterr().err == ""


def test_a_proxy_that_can_be_used_is(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("HTTP_PROXY", "http://127.0.0.1:9")

    async def main() -> AsyncOpenAI:
        return await client_for("http://example.org/v1", "a")

    assert asyncio.run(main()).is_closed()

"""The hook that refuses redirects; the SDKs themselves are in tests/stacks."""

from __future__ import annotations

import httpx2
import pytest
from tests.servers.recording_server import Reply, record_requests

from callscore.uploaders.responses import Redirected, Responses


@pytest.mark.parametrize("status", [301, 302, 303, 307, 308])
def test_a_client_that_follows_redirects_is_stopped_before_the_first(status: int) -> None:
    responses = Responses()
    with record_requests({"/": Reply()}) as other:
        moved = Reply(status, b"", headers=(("location", f"{other.url}/?token=secret"),))
        with (
            record_requests({"/": moved}) as server,
            httpx2.Client(
                follow_redirects=True, event_hooks={"response": [responses.take]}
            ) as client,
            pytest.raises(Redirected, match="redirects are not followed") as caught,
        ):
            client.post(f"{server.url}/", headers={"x-api-key": "secret"}, content=b"scores")

    assert other.requests == []
    assert "secret" not in str(caught.value)

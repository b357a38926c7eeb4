"""What the server of a backend answered: redirects are refused, and only what it confirms was sent.

A redirect could send keys and scores to a server that was not named, and turns a request that sends into one
that only reads.
"""

from __future__ import annotations

from typing import Any

from callscore.core.rendering import clip
from callscore.sources.remote import without_credentials

_REDIRECTS = range(300, 400)
_MAX_BODY = 200  # characters


class Redirected(Exception):
    """A server answered with a redirect, which is not followed."""


class Responses:
    """The last response to a client of `requests` or `httpx`, of which `take` is a hook.

    Both libraries call it before they follow a redirect, and not for each of them has an SDK a setting.
    """

    def __init__(self) -> None:
        self.last: Any = None

    def session(self) -> Any:
        """A session of `requests` with this hook."""
        from requests import Session

        session = Session()
        session.hooks["response"].append(self.take)
        return session

    def take(self, response: Any, *_: Any, **__: Any) -> None:
        """Keep a response.

        Raises:
            Redirected: it is a redirect.
        """
        self.last = response
        refusal = self.redirect()
        if refusal is not None:
            raise Redirected(refusal)

    def redirect(self) -> str | None:
        """Why the last response is not followed; None if it is not a redirect."""
        if self.last is None or self.last.status_code not in _REDIRECTS:
            return None
        target = without_credentials(self.last.headers.get("location", ""))
        return (
            f"HTTP status {self.last.status_code}: the server redirects to {target or 'no address'},"
            " and redirects are not followed. Set the address that it leads to, if you trust it"
        )

    def unconfirmed(self) -> str:
        """The problem of a response of success that does not confirm what was sent."""
        if self.last is None:
            return "no response says that the scores arrived"
        said = clip(" ".join(self.last.text.split()), _MAX_BODY) or "an empty body"
        return (
            f"HTTP status {self.last.status_code}, which does not confirm that the scores arrived:"
            f" {said}. Check the address"
        )

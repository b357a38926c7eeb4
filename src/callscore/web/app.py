"""The application: which path is answered by what, in which language, and as what kind of content."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator, Callable
from contextlib import closing
from typing import TYPE_CHECKING, Any, TypeVar

import msgspec
from starlette.applications import Starlette
from starlette.exceptions import HTTPException
from starlette.responses import Response, StreamingResponse
from starlette.routing import Route

from callscore.core.large_number import decode_json
from callscore.core.phrases import Language, Phrase
from callscore.history.records import json_bytes
from callscore.runner.event_loop import DaemonExecutor
from callscore.web.accept import Acceptances
from callscore.web.access import LARGEST_BODY, TOO_LARGE, Guard
from callscore.web.cases import CasePages
from callscore.web.comparisons import Comparisons
from callscore.web.live_runs import Watcher, Watchers, cancel
from callscore.web.open_history import History
from callscore.web.previews import Previews
from callscore.web.requests import BAD_REQUEST, NOT_FOUND, Asked, Refusal
from callscore.web.responses import encoded, error_answer
from callscore.web.run_lists import evaluation_page, home_page, runs_page, search_page
from callscore.web.run_pages import RunPages
from callscore.web.settings_choices import settings_page
from callscore.web.shell import COOKIE, shell_html, static_files
from callscore.web.workers import Workshop

if TYPE_CHECKING:
    from starlette.requests import Request
    from starlette.types import ASGIApp

    Answer = Callable[[Asked], Any]

_Found = TypeVar("_Found")
_THREADS = 16
_JSON = "application/json"
_YEAR = 365 * 24 * 3600
_NOT_MODIFIED = 304
_NO_OBJECT = Phrase(
    "the body must be one JSON object", "тело запроса должно быть одним объектом JSON"
)
# What the script of the page shows is decided by the address: all have the same HTML.
_SCREENS = ("/", "/runs/{run}", "/evaluations/{key}", "/compare", "/cases", "/search")


class Page:
    """The page of a history, without the server that sends it.

    Args:
        place: the history, as `--store` has it.
        lang: the language of those who have not chosen one.
        project: the name of the project.
        token: the secret of requests that change something.
    """

    def __init__(
        self, place: str | None = None, *, lang: Language = "en", project: str = "", token: str
    ) -> None:
        self._lang: Language = lang
        self._about = {"project": project, "token": token}
        self._token = token
        self._history = History(place)
        self._workshop = Workshop()
        self._runs = RunPages(self._history)
        self._cases = CasePages(self._history, self._runs)
        self._comparisons = Comparisons(self._history)
        self._previews = Previews(self._history, self._workshop)
        self._acceptances = Acceptances(self._history, self._workshop)
        self._watchers = Watchers(self._history)
        self._files = static_files()
        self._threads = DaemonExecutor()
        self._places = asyncio.Semaphore(_THREADS)

    def close(self) -> None:
        """End what is under way, and remove temporary files."""
        self._watchers.close()
        self._workshop.close()
        self._previews.close()
        self._history.close()

    def app(self, port: int) -> ASGIApp:
        """The application, for a server at this port."""
        history = self._history
        asked = {
            "/api/home": lambda asked: home_page(history, asked),
            "/api/runs": lambda asked: runs_page(history, asked),
            "/api/runs/{run}": self._runs.page,
            "/api/runs/{run}/case": self._runs.case,
            "/api/evaluations/{key}": lambda asked: evaluation_page(history, asked),
            "/api/compare": self._comparisons.page,
            "/api/compare/case": self._comparisons.case,
            "/api/cases": self._cases.page,
            "/api/previews/{preview}/case": self._previews.case,
            "/api/settings": lambda asked: settings_page(history, asked),
            "/api/search": lambda asked: search_page(history, asked),
        }
        changing = {
            "/api/runs/{run}/cancel": lambda asked: cancel(history, asked),
            "/api/runs/{run}/rescore": self._previews.make,
            "/api/runs/{run}/accept": self._acceptances.make,
            "/api/previews/{preview}/keep": self._previews.save,
            "/api/notes": self._cases.add_note,
            "/api/notes/delete": self._cases.delete_note,
        }
        routes = [Route(path, self._screen, methods=["GET"]) for path in _SCREENS]
        routes += [Route(path, self._static, methods=["GET"]) for path in self._files]
        routes += [
            Route(path, self._answering(each), methods=["GET"]) for path, each in asked.items()
        ]
        routes += [
            Route(path, self._answering(each), methods=["POST"]) for path, each in changing.items()
        ]
        routes.append(Route("/api/events", self._events, methods=["GET"]))
        app = Starlette(routes=routes, exception_handlers={HTTPException: _http_error})
        app.router.redirect_slashes = False
        return Guard(app, port=port, token=self._token)

    # --- the page itself --------------------------------------------------------------------------

    async def _screen(self, request: Request) -> Response:
        lang = self._language(request)
        about = {**self._about, "store": await self._work(lambda: self._history.name)}
        response = Response(shell_html(lang, about), media_type="text/html")
        if request.query_params.get("lang") == lang:
            response.set_cookie(COOKIE, lang, max_age=_YEAR, httponly=True, samesite="strict")
        return response

    async def _static(self, request: Request) -> Response:
        found = self._files[request.url.path]
        tag = f'"{found.digest}"'
        # A browser may keep it, and asks each time whether it is still the same.
        headers = {"cache-control": "no-cache", "etag": tag}
        if request.headers.get("if-none-match") == tag:
            return Response(status_code=_NOT_MODIFIED, headers=headers)
        return Response(found.content, media_type=found.type, headers=headers)

    def _language(self, request: Request) -> Language:
        known: dict[str | None, Language] = {"en": "en", "ru": "ru"}
        given = (request.query_params.get("lang"), request.cookies.get(COOKIE))
        return next((known[each] for each in given if each in known), self._lang)

    # --- requests for data ------------------------------------------------------------------------

    def _answering(self, answer: Answer) -> Callable[[Request], Any]:
        """Answer requests in threads: the database is read, and cases are scored."""

        async def endpoint(request: Request) -> Response:
            try:
                asked = await self._asked(request)
                body = await self._work(lambda: encoded(answer(asked)))
            except Exception as error:  # noqa: BLE001  (whatever happens is answered)
                return _error_response(error)
            return Response(body, media_type=_JSON)

        return endpoint

    async def _asked(self, request: Request) -> Asked:
        return Asked(
            path=request.path_params,
            query=dict(request.query_params),
            body=await self._body(request) if request.method == "POST" else {},
            lang=self._language(request),
        )

    async def _body(self, request: Request) -> dict[str, Any]:
        """The members of the body, which is a JSON object of a limited size."""
        content = b""
        async for chunk in request.stream():
            content += chunk
            if len(content) > LARGEST_BODY:
                raise Refusal(*TOO_LARGE)
        try:
            found = decode_json(content)
        except (msgspec.DecodeError, UnicodeDecodeError, RecursionError):
            found = None
        if not isinstance(found, dict):
            raise Asked(lang=self._language(request)).refusal(BAD_REQUEST, _NO_OBJECT)
        return found

    async def _work(self, work: Callable[[], _Found]) -> _Found:
        """Run a function in a thread, which does not keep the program from ending."""
        async with self._places:
            return await asyncio.get_running_loop().run_in_executor(self._threads, work)

    # --- a run in progress ------------------------------------------------------------------------

    async def _events(self, request: Request) -> Response:
        """`GET /api/events`: server-sent events about a run."""
        try:
            asked = await self._asked(request)
            watcher = await self._work(lambda: self._watchers.watch(asked))
        except Exception as error:  # noqa: BLE001  (as above)
            return _error_response(error)
        headers = {"x-accel-buffering": "no"}
        return StreamingResponse(
            self._event_stream(watcher), media_type="text/event-stream", headers=headers
        )

    async def _event_stream(self, watcher: Watcher) -> AsyncIterator[bytes]:
        """The events of a run, until it ends or the reader leaves."""
        with closing(watcher):
            while True:
                event, pause = await self._work(watcher.next_event)
                if event:
                    yield event
                if pause is None:
                    return
                await asyncio.sleep(pause)


def _error_response(error: Exception) -> Response:
    status, content = error_answer(error)
    return Response(encoded(content), status_code=status, media_type=_JSON)


_HTTP_ERRORS = {NOT_FOUND: "there is nothing at this address"}


async def _http_error(request: Request, error: Exception) -> Response:
    """An address or a method that does not exist."""
    del request
    status = error.status_code if isinstance(error, HTTPException) else BAD_REQUEST
    sentence = _HTTP_ERRORS.get(status, "this request is not allowed here")
    return Response(json_bytes({"error": sentence}), status_code=status, media_type=_JSON)

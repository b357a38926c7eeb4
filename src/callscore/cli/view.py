"""`callscore view`: the page of the history, in a browser on this machine; and beside a run, `--view`."""

from __future__ import annotations

import signal
import sys
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from threading import Event
from time import sleep

import click

from callscore.cli.completion import complete_run
from callscore.cli.exit_codes import INTERRUPTED
from callscore.cli.options import lang_option, open_existing_store, store_option
from callscore.cli.output import print_note
from callscore.core.phrases import Language, Phrase, say
from callscore.errors import CallscoreError
from callscore.web.server import (
    DEFAULT_PORT,
    open_in_browser,
    page_server,
    require_extra,
    run_address,
)

_LAST_PORT = 65_535
_TICK = 0.2
_SERVING = Phrase(
    "the page is at {address} (press Ctrl-C to stop)",
    "страница открыта по адресу {address} (Ctrl-C — остановить)",
)
_BESIDE = Phrase("the page is at {address}", "страница открыта по адресу {address}")
_STILL_SERVING = Phrase(
    "the page stays at {address} until you press Ctrl-C",
    "страница остаётся по адресу {address}, пока не нажмёте Ctrl-C",
)
_HELP = """Show the saved runs on a page in your browser.

The page has all runs, each evaluation over time, and every case. You can compare runs, follow and stop a
run in progress, score a run again with other settings before you save it, accept an answer as the new
expectation, and write notes on cases.

RUN opens one run: an id or the beginning of one, a name, a baseline, latest, or a git commit.

Only this machine can reach the page. It needs an extra: pip install 'callscore[web]'
"""


@click.command(short_help="Show saved runs in a browser.", help=_HELP)
@click.argument("run", required=False, shell_complete=complete_run)
@click.option(
    "--port",
    type=click.IntRange(0, _LAST_PORT),
    metavar="N",
    help="Port on this machine; 0 for any free port."
    f"  [default: {DEFAULT_PORT}, or the next free one]",
)
@click.option("--no-browser", is_flag=True, help="Print the address, and open no browser.")
@store_option
@lang_option
def command(
    *, run: str | None, port: int | None, no_browser: bool, store: str | None, lang: Language
) -> None:
    """Serve the page until Ctrl-C."""
    require_extra()
    found = None
    if run is not None:
        with open_existing_store(store) as opened:
            found = opened.find(run).id
    with _until_stopped(), page_server(store, port=port, lang=lang) as server:
        address = server.address if found is None else server.run_address(found)
        print_note(say(_SERVING, lang, address=address))
        if not no_browser:
            _show(address)
        Event().wait()


@contextmanager
def _until_stopped() -> Iterator[None]:
    """Ctrl-C, and signals that ask a process to end, end the block and nothing else."""
    for name in ("SIGTERM", "SIGHUP"):
        number = getattr(signal, name, None)
        if number is not None and signal.getsignal(number) != signal.SIG_IGN:
            signal.signal(number, signal.default_int_handler)
    try:
        yield
    except KeyboardInterrupt:
        # The same Ctrl-C may arrive a second time, from the process that supervises this one.
        signal.signal(signal.SIGINT, signal.SIG_IGN)


def _show(address: str) -> None:
    """Open an address in the browser, if the command was started in a terminal."""
    if sys.stderr.isatty():
        open_in_browser(address)


def run_with_page(
    store: str | None, lang: Language, work: Callable[[Callable[[str], None]], int]
) -> int:
    """Run evaluations beside a page that shows them, and serve it until Ctrl-C; returns the exit code.

    `work` gets a function to call with the id of the run, and returns the exit code. A run that Ctrl-C
    has interrupted ends the page, too; one that was stopped from the page does not.
    """
    require_extra()
    from callscore.web.background import page_beside

    runs: list[str] = []
    with page_beside(store, lang) as (address, process):
        print_note(say(_BESIDE, lang, address=address))

        def on_begun(run: str) -> None:
            if not runs:  # the page shows the runs after it
                _show(run_address(address, run))
            runs.append(run)

        code = work(on_begun)
        if runs and (code != INTERRUPTED or _is_stopped_by_page(store, runs[-1])):
            print_note(say(_STILL_SERVING, lang, address=address))
            with _until_stopped():
                while process.is_running:
                    sleep(_TICK)
    return code


def _is_stopped_by_page(store: str | None, run: str) -> bool:
    try:
        with open_existing_store(store) as opened:
            return opened.is_stop_requested(run)
    except CallscoreError:
        return False

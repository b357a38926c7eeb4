"""The steps of action.yml: run, compare with the baseline, and write one comment on a pull request.

It runs in the Python of the job, with any version of callscore: it uses the standard library and the
commands. Inputs come from variables of the environment, and are never part of a script.
"""

from __future__ import annotations

import json  # noqa: TID251  (only the standard library is certain here)
import os
import re
import shlex
import subprocess
import sys
import urllib.error
import urllib.request
from pathlib import Path
from typing import Any, NamedTuple
from uuid import uuid4

BASELINE = "base"  # its name in the history of the job
DEFAULT_ID = "callscore"
LONGEST_COMMENT = 65_000  # characters; the limit of GitHub is 65,536
NO_BASELINE = {
    "en": "There is no baseline of `{branch}` yet: nothing is compared.",
    "ru": "Базового прогона ветки `{branch}` ещё нет: сравнивать не с чем.",  # noqa: RUF001  (it is Russian)
}
MOST_ANNOTATIONS = 10
COMMENTS_PER_PAGE = 100
MOST_PAGES = 50
SECONDS = 30.0
NOT_ALLOWED = (401, 403, 404)
# The exit codes with which a run is complete: all passed, or some cases failed.
COMPLETE = (0, 1)


class UsageError(Exception):
    """An input that cannot be used."""


class Inputs(NamedTuple):
    """The inputs of the action that a run depends on."""

    command: str
    paths: list[str]
    args: list[str]
    fail_on: str
    fail_under: str
    accept: bool
    id: str
    store: str
    lang: str


def read_inputs() -> Inputs:
    """The inputs, each of them checked."""
    given = {name: os.environ.get(f"INPUT_{name.upper()}", "").strip() for name in Inputs._fields}
    _require("command", given["command"], ("run", "score"))
    _require("fail-on", given["fail_on"], ("regressed", "broken", "any", "none"))
    _require("accept", given["accept"], ("true", "false"))
    _require("lang", given["lang"], ("en", "ru"))
    if not re.fullmatch(r"[A-Za-z0-9_-]{1,60}", given["id"]):
        raise UsageError(f"id: {given['id']!r} may have only letters, digits, - and _")
    return Inputs(
        command=given["command"],
        paths=_words("paths", given["paths"]),
        args=_words("args", given["args"]),
        fail_on=given["fail_on"],
        fail_under=given["fail_under"],
        accept=given["accept"] == "true",
        id=given["id"],
        store=given["store"],
        lang=given["lang"],
    )


def _require(name: str, value: str, choices: tuple[str, ...]) -> None:
    if value not in choices:
        raise UsageError(f"{name}: unknown value {value!r}. Choose from: {', '.join(choices)}")


def _words(name: str, text: str) -> list[str]:
    try:
        return shlex.split(text)
    except ValueError as error:
        raise UsageError(f"{name}: {error}. Close the quotes of {text!r}") from error


# --- what the runner reads --------------------------------------------------------------------


def workflow_command(kind: str, message: str, **properties: str) -> str:
    """A command to the runner; everything that could end it early is escaped."""

    def escaped(text: str) -> str:
        return text.replace("%", "%25").replace("\r", "%0D").replace("\n", "%0A")

    given = ",".join(
        f"{name}={escaped(value).replace(':', '%3A').replace(',', '%2C')}"
        for name, value in {"title": "callscore", **properties}.items()
    )
    return f"::{kind} {given}::{escaped(message)}"


def set_outputs(values: dict[str, str]) -> None:
    """Set outputs of the step; no value can set another one."""
    lines = []
    for name, value in values.items():
        end = f"end-{uuid4()}"
        lines += [f"{name}<<{end}", value, end]
    with Path(os.environ["GITHUB_OUTPUT"]).open("a", encoding="utf-8") as file:
        file.write("\n".join(lines) + "\n")


def add_summary(text: str) -> None:
    """Add Markdown to the summary of the step."""
    name = os.environ.get("GITHUB_STEP_SUMMARY")
    if name:
        with Path(name).open("a", encoding="utf-8") as file:
            file.write(text.rstrip() + "\n\n")


def event() -> dict[str, Any]:
    """The event that started the job."""
    path = os.environ.get("GITHUB_EVENT_PATH", "")
    found: Any = json.loads(Path(path).read_text(encoding="utf-8")) if path else {}
    return found if isinstance(found, dict) else {}


def pull_request() -> int | None:
    """The number of the pull request; None for other events."""
    number = (event().get("pull_request") or {}).get("number")
    return number if isinstance(number, int) else None


# --- the run ----------------------------------------------------------------------------------


class Job:
    """The commands of a job, on its own history."""

    def __init__(self, inputs: Inputs) -> None:
        self.inputs = inputs
        self.folder = Path(os.environ["RUNNER_TEMP"], f"callscore-{inputs.id}").resolve()
        self.folder.mkdir(parents=True, exist_ok=True)
        attempt = os.environ.get("GITHUB_RUN_ATTEMPT", "1")
        self.run = f"{inputs.id}-{os.environ.get('GITHUB_RUN_ID', '0')}-{attempt}"
        # On a server, each branch has its own; in the cache of a branch there is one.
        own = "" if inputs.id == DEFAULT_ID else f"{inputs.id}-"
        self.baseline = f"{own}{base_branch()}" if inputs.store else BASELINE
        self.exported = Path.home() / ".callscore-action" / inputs.id / "baseline.jsonl"
        self._environment = {
            **os.environ,
            "CALLSCORE_STORE": inputs.store or str(self.folder / "history.db"),
        }

    def callscore(self, *words: str, is_shown: bool = False) -> subprocess.CompletedProcess[str]:
        """Run a command; what is not shown is neither in the summary nor an annotation."""
        environment = dict(self._environment)
        if not is_shown:
            environment.pop("GITHUB_STEP_SUMMARY", None)
            environment.pop("GITHUB_ACTIONS", None)
        sys.stdout.flush()
        return subprocess.run(
            [sys.executable, "-P", "-m", "callscore", *words],  # -P: no module of the project
            env=environment,
            text=True,
            encoding="utf-8",
            capture_output=not is_shown,
            check=False,
        )

    def start(self) -> int:
        """Run the evaluations, or score the files; the exit code of the command."""
        name = {"run": "--name", "score": "--save"}[self.inputs.command]
        limit = ["--fail-under", self.inputs.fail_under] if self.inputs.fail_under else []
        words = [self.inputs.command, *self.inputs.paths, name, self.run, *limit]
        return self.callscore(*words, *self.inputs.args, is_shown=True).returncode

    def has_run(self) -> bool:
        """Whether the run is in the history."""
        return self.callscore("show", self.run, "--show", "none").returncode == 0

    def fetch_baseline(self) -> bool:
        """Whether there is a baseline; that of the cache is imported first."""
        if not self.inputs.store:
            if not self.exported.is_file():
                return False
            imported = self.callscore("import", str(self.exported))
            if imported.returncode:
                problem = f"the baseline in the cache cannot be used: {imported.stderr.strip()}"
                print(workflow_command("warning", problem))
                return False
            first = self.exported.read_text(encoding="utf-8").partition("\n")[0]
            found = json.loads(first)["run"]["id"]
            self.callscore("baseline", "set", found, "--name", BASELINE, "--allow-incomplete")
        listed = self.callscore("baseline", "list", "--format", "json")
        names = [each["name"] for each in json.loads(listed.stdout or "[]")]
        return self.baseline in names

    def comparison(self, *, has_baseline: bool) -> dict[str, Any]:
        """The comparison with the baseline; without one, of the run with itself, for its numbers."""
        before = self.baseline if has_baseline else self.run
        found = self.callscore("compare", before, self.run, "--format", "json")
        return json.loads(found.stdout) if found.stdout else {}

    def gate(self, markdown: Path) -> int:
        """Compare with the baseline; the report is written, added to the summary, and annotated."""
        words = ["gate", self.run, "--against", self.baseline, "--fail-on", self._fail_on()]
        words += ["--lang", self.inputs.lang, "--format", "markdown", "-o", str(markdown)]
        return self.callscore(*words, is_shown=True).returncode

    def show(self, markdown: Path) -> None:
        """The report of a run without a baseline, with annotations of the cases that fail."""
        words = ["show", self.run, "--lang", self.inputs.lang, "--format"]
        self.callscore(*words, "markdown", "-o", str(markdown))
        note = NO_BASELINE[self.inputs.lang].format(branch=base_branch())
        text = markdown.read_text(encoding="utf-8") if markdown.is_file() else ""
        markdown.write_text(f"{note}\n\n{text}", encoding="utf-8")
        add_summary(markdown.read_text(encoding="utf-8"))
        found = self.callscore(*words, "json", "--show", "failing")
        for line in failing_annotations(json.loads(found.stdout or "{}")):
            print(line)

    def write_html(self, report: Path, *, has_baseline: bool) -> bool:
        """Write the HTML report: of the comparison, or of the run if not all cases can be compared."""
        lang = ["--lang", self.inputs.lang, "--format", "html", "-o", str(report)]
        gate = ["gate", self.run, "--against", self.baseline, "--fail-on", self._fail_on()]
        if (
            has_baseline
            and self.callscore(*gate, *lang).returncode in COMPLETE
            and report.is_file()
        ):
            return True
        return self.callscore("show", self.run, *lang).returncode == 0

    def _fail_on(self) -> str:
        return "regressed" if self.inputs.fail_on == "none" else self.inputs.fail_on

    def keep_as_baseline(self) -> bool:
        """Make the run the baseline of its branch; a run with errors, or unfinished, is refused."""
        words = ["baseline", "set", self.run, "--name", self.baseline]
        accept = ["--allow-incomplete"] if self.inputs.accept else []
        kept = self.callscore(*words, *accept)
        if kept.returncode:
            print(workflow_command("warning", f"not the new baseline: {kept.stderr.strip()}"))
            return False
        if self.inputs.store:
            return True
        self.exported.parent.mkdir(parents=True, exist_ok=True)
        self.exported.unlink(missing_ok=True)
        exported = self.callscore("export", self.run, "-o", str(self.exported))
        return exported.returncode == 0


def base_branch() -> str:
    """The branch with which the run is compared."""
    return os.environ.get("GITHUB_BASE_REF") or os.environ.get("GITHUB_REF_NAME") or "the branch"


def failing_annotations(run: dict[str, Any]) -> list[str]:
    """An annotation for each failing case of a run, at the file of its evaluation."""
    lines = []
    for evaluation in run.get("evaluations", []):
        cases = [*evaluation.get("cases", []), *evaluation.get("failures", [])]
        for case in cases:
            name = case.get("id") or case.get("case") or ""
            place = re.sub(r":\d+$", "", evaluation.get("place") or "")
            about = {"file": path_in_repository(place)} if place else {}
            problem = case.get("problem") or "failed"
            text = f"{evaluation.get('name')}: {name}: {problem}"
            lines.append(workflow_command("error", text, **about))
    return lines[:MOST_ANNOTATIONS]


def path_in_repository(file: str) -> str:
    """The path of a file relative to the repository, as annotations need it."""
    top = os.environ.get("GITHUB_WORKSPACE")
    try:
        return Path(file).resolve().relative_to(Path(top or ".").resolve()).as_posix()
    except (OSError, ValueError):  # outside of the repository
        return file


class Outcome(NamedTuple):
    """Whether the job passes, and why."""

    code: int
    reason: str


def decide(ran: int, gated: int | None, inputs: Inputs) -> Outcome:
    """The exit code of the job, from those of the run and of the gate; None without a baseline.

    A gate decides alone about failing cases; `fail-under` is a second condition. A run that is not
    complete always fails.
    """
    base = base_branch()
    if ran not in COMPLETE:
        found = Outcome(ran, f"callscore {inputs.command} exited with code {ran}")
    elif gated is None:
        found = Outcome(ran, "Some cases failed" if ran else "All cases passed")
    elif gated not in COMPLETE:
        found = Outcome(gated, f"callscore gate exited with code {gated}")
    elif gated and inputs.fail_on != "none":
        found = Outcome(1, f"Worse than the baseline of {base}")
    elif ran and inputs.fail_under:
        found = Outcome(1, f"The score is below {inputs.fail_under} (fail-under)")
    else:
        found = Outcome(0, f"Not worse than the baseline of {base}")
    return found


def check() -> int:
    """Run, compare, and write the reports and the outputs; the last step of the action fails."""
    inputs = read_inputs()
    job = Job(inputs)
    ran = job.start()
    outputs = {"run": job.run}
    if not job.has_run():
        outcome = Outcome(ran or 3, f"callscore {inputs.command} saved no run (exit code {ran})")
        add_summary(f"## callscore\n\n{outcome.reason}. See the log of the step.")
    else:
        outcome, more = _report(job, ran)
        outputs |= more
    if outcome.code:
        print(workflow_command("error", outcome.reason))
    is_passed = str(outcome.code == 0).lower()
    set_outputs(
        {**outputs, "code": str(outcome.code), "reason": outcome.reason, "passed": is_passed}
    )
    return 0


def _report(job: Job, ran: int) -> tuple[Outcome, dict[str, str]]:
    """Write the reports of a run; whether the job passes, and the outputs."""
    markdown, html = job.folder / "report.md", job.folder / "report.html"
    has_baseline = job.fetch_baseline()
    comparison = job.comparison(has_baseline=has_baseline)
    gated = None
    if has_baseline:
        gated = job.gate(markdown)
    else:
        job.show(markdown)
    outcome = decide(ran, gated, job.inputs)
    has_html = job.write_html(html, has_baseline=has_baseline)
    is_better = gated in (None, 0) and ran in COMPLETE
    is_kept = pull_request() is None and (is_better or job.inputs.accept) and job.keep_as_baseline()
    score = (comparison.get("after") or {}).get("f1")
    return outcome, {
        "score": "" if score is None else str(score),
        "verdict": comparison.get("verdict", "") if has_baseline else "",
        "markdown": str(markdown) if markdown.is_file() else "",
        "report": str(html) if has_html else "",
        "baseline": str(is_kept).lower(),
    }


# --- the comment ------------------------------------------------------------------------------


class Pull:
    """The comments of a pull request, over the API of GitHub."""

    def __init__(self, number: int, token: str) -> None:
        repository = os.environ["GITHUB_REPOSITORY"]
        self._api = os.environ.get("GITHUB_API_URL", "https://api.github.com").rstrip("/")
        self._comments = f"/repos/{repository}/issues/{number}/comments"
        self._comment = f"/repos/{repository}/issues/comments"
        self._token = token

    def _ask(self, method: str, path: str, body: dict[str, str] | None = None) -> Any:
        request = urllib.request.Request(  # noqa: S310  (the address is that of the runner)
            f"{self._api}{path}",
            method=method,
            data=None if body is None else json.dumps(body).encode(),
            headers={
                "Accept": "application/vnd.github+json",
                "Authorization": f"Bearer {self._token}",
                "Content-Type": "application/json",
                "User-Agent": "callscore",
                "X-GitHub-Api-Version": "2022-11-28",
            },
        )
        with urllib.request.urlopen(request, timeout=SECONDS) as answer:  # noqa: S310  (likewise)
            return json.loads(answer.read() or b"null")

    def _login(self) -> str | None:
        """Who writes the comments; None for the token of a job, which may not ask."""
        try:
            return str(self._ask("GET", "/user")["login"])
        except urllib.error.HTTPError:
            return None

    def find(self, marker: str) -> int | None:
        """The comment with the marker; others may write the marker, but theirs are not changed."""
        login = self._login()
        for page in range(1, MOST_PAGES + 1):
            listed = self._ask("GET", f"{self._comments}?per_page={COMMENTS_PER_PAGE}&page={page}")
            for comment in listed:
                user = comment.get("user") or {}
                is_own = user.get("login") == login if login else user.get("type") == "Bot"
                if is_own and str(comment.get("body") or "").startswith(marker):
                    return int(comment["id"])
            if len(listed) < COMMENTS_PER_PAGE:
                break
        return None

    def write(self, marker: str, text: str) -> str:
        """Update the comment, or write it if there is none; its address."""
        body = {"body": f"{marker}\n{text}"}
        found = self.find(marker)
        if found is not None:
            try:
                return str(self._ask("PATCH", f"{self._comment}/{found}", body)["html_url"])
            except urllib.error.HTTPError as error:
                if error.code != 404:  # noqa: PLR2004  (it was deleted meanwhile)
                    raise
        return str(self._ask("POST", self._comments, body)["html_url"])


def comment_text(markdown: str, report: str) -> str:
    """The text of the comment, within the limit of GitHub."""
    link = f"\n\n[HTML report]({report})" if report else ""
    if len(markdown) + len(link) > LONGEST_COMMENT:
        note = "\n\n… The report is too long for a comment: the rest is in the summary of the job."
        markdown = markdown[: LONGEST_COMMENT - len(note) - len(link)].rpartition("\n")[0] + note
    return markdown.rstrip() + link


def comment() -> int:
    """Write the comment; a job that may not, or cannot, does not fail for it."""
    number = pull_request()
    source = os.environ.get("MARKDOWN", "")
    if number is None or not source:
        print("There is nothing to comment.")
        return 0
    text = comment_text(Path(source).read_text(encoding="utf-8"), os.environ.get("REPORT_URL", ""))
    marker = f"<!-- callscore:{os.environ.get('INPUT_ID', '')} -->"
    try:
        place = Pull(number, os.environ.get("INPUT_TOKEN", "")).write(marker, text)
        print(f"The comment: {place}")
    except urllib.error.HTTPError as error:
        if error.code in NOT_ALLOWED:
            problem = (
                f"no comment was written ({error.code}): the token may not write to this pull request. Give"
                " the job the permission pull-requests: write; a pull request from a fork never has it. The"
                " report is in the summary of the job."
            )
            print(workflow_command("notice", problem))
        else:
            print(
                workflow_command("warning", f"no comment was written: GitHub answers {error.code}")
            )
    except (OSError, ValueError, KeyError) as error:
        print(workflow_command("warning", f"no comment was written: {error}"))
    return 0


STEPS = {"check": check, "comment": comment}


def main(words: list[str]) -> int:
    """Run a step of the action."""
    try:
        return STEPS[words[0]]()
    except UsageError as error:
        print(workflow_command("error", str(error)))
        return 2


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))

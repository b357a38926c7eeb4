"""The steps of action.yml: run, compare with the baseline, and write one comment on a pull request.

It runs in the Python of the job, with any version of callscore: it uses the standard library and the
commands. Inputs come from variables of the environment, and are never part of a script.
"""

from __future__ import annotations

import hashlib
import json  # noqa: TID251  (only the standard library is certain here)
import os
import re
import shlex
import shutil
import subprocess
import sys
import urllib.error
import urllib.parse
import urllib.request
from pathlib import Path
from typing import Any, NamedTuple
from uuid import uuid4

BASELINE = "base"  # its name in the history of the job
DEFAULT_ID = "callscore"
LONGEST_COMMENT = 65_000  # characters; the limit of GitHub is 65,536
# What is said before a report, by the kind of outcome.
NOTES = {
    "no baseline": {
        "en": "There is no baseline of `{branch}` yet: nothing is compared.",
        "ru": "Базового прогона ветки `{branch}` ещё нет: сравнивать не с чем.",  # noqa: RUF001  (it is Russian)
    },
    "unusable": {
        "en": "The baseline of `{branch}` cannot be used: nothing is compared, and the job fails.",
        "ru": "Базовый прогон ветки `{branch}` нельзя прочитать: сравнивать не с чем, задание не пройдено.",  # noqa: RUF001  (it is Russian)
    },
    "first": {
        "en": "There is no baseline of `{branch}` yet: this run becomes the baseline, though cases fail.",
        "ru": "Базового прогона ветки `{branch}` ещё нет: им становится этот прогон, хотя часть случаев не прошла.",
    },
    "accepted": {
        "en": "This run is accepted as the baseline of `{branch}`: the job passes.",
        "ru": "Этот прогон принят как базовый для ветки `{branch}`: задание пройдено.",
    },
    "report only": {
        "en": "The job passes: the comparison does not fail it (`fail-on: none`).",
        "ru": "Задание пройдено: сравнение не влияет на исход (`fail-on: none`).",
    },
}
# The last line of a report names a command on a run that is only on the runner.
NEXT = re.compile(r"\n(Next|Дальше): `callscore [^\n]*\s*\Z")
# The beginning of code, or its end: at least as many of the same marks, and nothing else.
FENCE = re.compile(r" *(`{3,}|~{3,})([^`]*)")
MOST_ANNOTATIONS = 10
LONGEST_IN_KEY = 150  # characters of a branch; GitHub allows 512 for the whole key
COMMENTS_PER_PAGE = 100
MOST_PAGES = 50
SECONDS = 30.0
NOT_ALLOWED = (401, 403, 404)
REDIRECTS = range(300, 400)
# The exit codes with which a run is complete: all passed, or some cases failed.
COMPLETE = (0, 1)
# Those of a run that can be accepted: the agent may have given no answer to some cases.
ACCEPTABLE = (*COMPLETE, 4)
# The options that the action passes itself, and the input to use instead.
OWN_OPTIONS = {"--name": "id", "--save": "id", "--store": "store"}
# The reasons of a gate for which a run is worse than its baseline.
WORSE = {"regressed", "slice", "trials", "broken", "forbidden", "schema"}


class UsageError(Exception):
    """An input that cannot be used."""


class UnusableBaselineError(Exception):
    """A baseline that was saved, and cannot be read now: it does not count as none."""


class Inputs(NamedTuple):
    """The inputs of the action that a run depends on."""

    command: str
    paths: list[str]
    args: list[str]
    fail_on: str
    allow_looser: bool
    fail_under: str
    accept: bool
    id: str
    store: str
    lang: str


def read_inputs() -> Inputs:
    """The inputs, each of them checked."""
    given = {name: os.environ.get(f"INPUT_{name.upper()}", "").strip() for name in Inputs._fields}
    _require("command", given["command"], ("run", "score"))
    _require("fail-on", given["fail_on"], ("default", "broken", "regressed", "any", "none"))
    _require("allow-looser", given["allow_looser"], ("true", "false"))
    _require("accept", given["accept"], ("true", "false"))
    _require("lang", given["lang"], ("en", "ru"))
    return Inputs(
        command=given["command"],
        paths=_words("paths", given["paths"]),
        args=_checked(_words("args", given["args"])),
        fail_on=given["fail_on"],
        allow_looser=given["allow_looser"] == "true",
        fail_under=given["fail_under"],
        accept=given["accept"] == "true",
        id=read_id(),
        store=given["store"],
        lang=given["lang"],
    )


def read_id() -> str:
    """The id of this use of the action, checked."""
    found = os.environ.get("INPUT_ID", "").strip()
    if not re.fullmatch(r"[A-Za-z0-9_-]{1,60}", found):
        raise UsageError(f"id: {found!r} may have only letters, digits, - and _")
    return found


def _require(name: str, value: str, choices: tuple[str, ...]) -> None:
    if value not in choices:
        raise UsageError(f"{name}: unknown value {value!r}. Choose from: {', '.join(choices)}")


def _words(name: str, text: str) -> list[str]:
    try:
        return shlex.split(text)
    except ValueError as error:
        raise UsageError(f"{name}: {error}. Close the quotes of {text!r}") from error


def _checked(args: list[str]) -> list[str]:
    """The options of the command, without those that the action passes itself."""
    for word in args:
        option = word.partition("=")[0]
        if option in OWN_OPTIONS:
            raise UsageError(
                f"args: the action passes {option} itself. Leave it out; see the input {OWN_OPTIONS[option]}"
            )
    return args


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


# --- the cache --------------------------------------------------------------------------------


def in_key(branch: str) -> str:
    """The name of a branch in the key of a cache, in which commas are not allowed."""
    quoted = urllib.parse.quote(branch, safe="")
    return (
        quoted
        if len(quoted) <= LONGEST_IN_KEY
        else f"sha256-{hashlib.sha256(branch.encode()).hexdigest()}"
    )


def plan() -> int:
    """Find the names of caches and of the artifact, and remove what an earlier job left in their place.

    A path in the home folder is not the same on another system: each system has its own caches.
    """
    use = read_id()
    shutil.rmtree(cache_folder(use), ignore_errors=True)
    own = f"callscore:{os.environ.get('RUNNER_OS', '')}:{use}:"
    default = (event().get("repository") or {}).get("default_branch") or base_branch()
    now = f"{os.environ.get('GITHUB_RUN_ID', '0')}:{os.environ.get('GITHUB_RUN_ATTEMPT', '1')}"
    # No quoted name has a colon in it, so that none is the beginning of another.
    set_outputs(
        {
            "artifact": f"{use}-report",
            "base": f"{own}{in_key(base_branch())}:",
            "default": f"{own}{in_key(default)}:",
            "key": f"{own}{in_key(os.environ.get('GITHUB_REF_NAME', ''))}:{now}",
        }
    )
    return 0


# --- the run ----------------------------------------------------------------------------------


def cache_folder(use: str) -> Path:
    """The folder that is in the cache."""
    return Path.home() / ".callscore-action" / use


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
        self.exported = cache_folder(inputs.id) / "baseline.jsonl"
        self._branch = self.exported.with_name("branch")
        self._environment = {
            **os.environ,
            "CALLSCORE_STORE": inputs.store or str(self.folder / "history.db"),
        }

    def base(self) -> str:
        """The branch of the baseline: a new branch uses that of the default branch."""
        if self.inputs.store or not self._branch.is_file():
            return base_branch()
        return self._branch.read_text("utf-8", errors="replace").strip() or base_branch()

    def callscore(
        self, *words: str, is_shown: bool = False, is_annotated: bool = False
    ) -> subprocess.CompletedProcess[str]:
        """Run a command; what is not shown is neither in the summary nor, unless asked, annotated."""
        environment = dict(self._environment)
        if not is_shown:
            environment.pop("GITHUB_STEP_SUMMARY", None)
        if not (is_shown or is_annotated):
            environment.pop("GITHUB_ACTIONS", None)
        if words[0] != "run":  # only an agent may need modules of the project
            environment.pop("PYTHONPATH", None)
        sys.stdout.flush()
        return subprocess.run(
            [sys.executable, "-P", "-m", "callscore", *words],  # -P: none of the current folder
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
        """Whether there is a baseline; that of the cache is imported first.

        Raises:
            UnusableBaselineError: there is one, or may be one, that cannot be read.
        """
        cached = os.environ.get("CACHED")
        if not self.inputs.store and not self.exported.is_file():
            if cached:
                raise UnusableBaselineError(f"the cache {cached} has no {self.exported.name}.")
            return False
        if not self.inputs.store:
            self._read("import", str(self.exported))
            first = self.exported.read_text(encoding="utf-8").partition("\n")[0]
            found = json.loads(first)["run"]["id"]
            self._read("baseline", "set", found, "--name", BASELINE, "--allow-incomplete")
        listed = json.loads(self._read("baseline", "list", "--format", "json"))
        return self.baseline in [each["name"] for each in listed]

    def _read(self, *words: str) -> str:
        """Run a command that needs the baselines; its output."""
        ran = self.callscore(*words)
        if ran.returncode:
            raise UnusableBaselineError(" ".join(ran.stderr.split()).removeprefix("callscore: "))
        return ran.stdout

    def gate(self) -> tuple[int, dict[str, Any]]:
        """Compare with the baseline; the exit code, and the document of the gate."""
        found = self.callscore(*self._gate_words(), "--format", "json")
        return found.returncode, json.loads(found.stdout) if found.stdout else {}

    def numbers(self) -> dict[str, Any]:
        """The numbers of a run without a baseline: a comparison with itself."""
        found = self.callscore("compare", self.run, self.run, "--format", "json")
        return json.loads(found.stdout) if found.stdout else {}

    def _gate_words(self) -> list[str]:
        fail_on = "default" if self.inputs.fail_on == "none" else self.inputs.fail_on
        words = ["gate", self.run, "--against", self.baseline, "--fail-on", fail_on]
        allowed = ["--allow-looser"] if self.inputs.allow_looser else []
        return [*words, *allowed, "--lang", self.inputs.lang]

    def write_gate(self, markdown: Path, outcome: Outcome) -> None:
        """The report of the comparison; on a job that passes, annotations are only warnings."""
        words = [*self._gate_words(), "--format", "markdown", "-o", str(markdown)]
        ran = self.callscore(*words, is_annotated=True)
        notes = ran.stderr if outcome.code else re.sub(r"(?m)^::error ", "::warning ", ran.stderr)
        print(notes.rstrip())
        self._finish(markdown, outcome, outcome.note)

    def write_run(self, markdown: Path, outcome: Outcome) -> None:
        """The report of a run without a baseline, with annotations of the cases that fail."""
        words = ["show", self.run, "--lang", self.inputs.lang, "--format"]
        self.callscore(*words, "markdown", "-o", str(markdown))
        self._finish(markdown, outcome, outcome.note or "no baseline")
        found = self.callscore(*words, "json", "--show", "failing")
        kind = "error" if outcome.code else "warning"
        for line in failing_annotations(json.loads(found.stdout or "{}"), kind):
            print(line)

    def _finish(self, markdown: Path, outcome: Outcome, note: str) -> None:
        """Put a note before the report, and add it to the summary."""
        is_written = markdown.is_file()
        text = markdown.read_text(encoding="utf-8") if is_written else failure_text(outcome)
        said = NOTES[note][self.inputs.lang].format(branch=base_branch()) if note else ""
        whole = f"{said}\n\n{NEXT.sub('', text)}".strip()
        markdown.write_text(f"{whole}\n", encoding="utf-8")
        add_summary(whole)

    def write_html(self, report: Path, *, has_baseline: bool) -> bool:
        """Write the HTML report: of the comparison, or of the run if not all cases can be compared."""
        lang = ["--lang", self.inputs.lang, "--format", "html", "-o", str(report)]
        if (
            has_baseline
            and self.callscore(*self._gate_words(), *lang).returncode in COMPLETE
            and report.is_file()
        ):
            return True
        return self.callscore("show", self.run, *lang).returncode == 0

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
        self._branch.write_text(base_branch(), encoding="utf-8")
        exported = self.callscore("export", self.run, "-o", str(self.exported))
        return exported.returncode == 0


def base_branch() -> str:
    """The branch with which the run is compared."""
    return os.environ.get("GITHUB_BASE_REF") or os.environ.get("GITHUB_REF_NAME") or "the branch"


def failing_annotations(run: dict[str, Any], kind: str) -> list[str]:
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
            lines.append(workflow_command(kind, text, **about))
    return lines[:MOST_ANNOTATIONS]


def path_in_repository(file: str) -> str:
    """The path of a file relative to the repository, as annotations need it."""
    top = os.environ.get("GITHUB_WORKSPACE")
    try:
        return Path(file).resolve().relative_to(Path(top or ".").resolve()).as_posix()
    except (OSError, ValueError):  # outside of the repository
        return file


SOME_FAILED = "Some cases failed"
UNUSABLE = (
    "The baseline of {base} cannot be used: {problem} To make a new one, run the job on the branch with"
    " accept: true"
)


class Outcome(NamedTuple):
    """Whether the job passes, and why."""

    code: int
    reason: str
    note: str = ""  # a key of NOTES


def decide(inputs: Inputs, ran: int, gated: int | None, found: Found) -> Outcome:
    """The exit code of the job, from those of the run and of the gate; None without a baseline.

    A gate decides alone about failing cases, and `fail-under` is a second condition. A run that is
    not complete always fails.
    """
    if ran not in COMPLETE:
        outcome = Outcome(ran, f"callscore {inputs.command} exited with code {ran}")
    elif found.limits or (ran and inputs.fail_under):
        # Files that are scored also fail with a limit if an answer is missing.
        other = (
            f"callscore {inputs.command} failed, with fail-under {inputs.fail_under}: see its log"
        )
        below = f"Below fail-under: {'; '.join(found.limits)}"
        outcome = Outcome(1, below if found.limits else other)
    elif gated is None:
        outcome = Outcome(ran, SOME_FAILED if ran else _without_a_limit(found))
    elif gated not in COMPLETE:
        outcome = Outcome(gated, f"callscore gate exited with code {gated}")
    else:
        outcome = _compared(inputs, gated, found)
    return outcome


def _without_a_limit(found: Found) -> str:
    return f"No limit is broken; {found.failed} failed" if found.failed else "All cases passed"


def _compared(inputs: Inputs, gated: int, found: Found) -> Outcome:
    """What the gate says, unless the run is below a limit."""
    if not gated:
        return Outcome(0, f"Not worse than the baseline of {found.base}")
    reason = (
        f"The gate failed ({', '.join(found.kinds)}), compared with the baseline of {found.base}"
    )
    if WORSE.intersection(found.kinds):
        reason = f"Worse than the baseline of {found.base}"
    if inputs.fail_on == "none":
        return Outcome(0, f"{reason}, which does not fail the job (fail-on: none)", "report only")
    return Outcome(1, reason)


class Found(NamedTuple):
    """What a comparison found."""

    base: str  # the branch of the baseline
    score: float | None
    verdict: str
    failed: int
    limits: list[str]  # those that the run is below
    kinds: list[str]  # of the reasons why the gate failed


def found_in(base: str, gate: dict[str, Any]) -> Found:
    """What is in the document of a gate."""
    comparison = gate.get("comparison") or {}
    after = comparison.get("after") or {}
    return Found(
        base=base,
        score=after.get("f1"),
        verdict=comparison.get("verdict") or "",
        failed=after.get("failed") or 0,
        # One line each: a line of its own could be a command of the runner.
        limits=[" ".join(str(each).split()) for each in after.get("below") or []],
        kinds=[str(each.get("kind")) for each in gate.get("reasons") or []],
    )


def check() -> int:
    """Run, compare, and write the reports and the outputs; the last step of the action fails."""
    try:
        outcome, outputs = _checked_run(Job(read_inputs()))
    except UsageError as error:
        outcome = Outcome(2, str(error))
        outputs = _failure_report(Path(os.environ["RUNNER_TEMP"]), outcome)
    if outcome.code:
        print(workflow_command("error", outcome.reason))
    is_passed = str(outcome.code == 0).lower()
    set_outputs(
        {**outputs, "code": str(outcome.code), "reason": outcome.reason, "passed": is_passed}
    )
    return 0


def _checked_run(job: Job) -> tuple[Outcome, dict[str, str]]:
    ran = job.start()
    if job.has_run():
        outcome, outputs = _report(job, ran)
    else:
        command = job.inputs.command
        outcome = Outcome(ran or 3, f"callscore {command} saved no run (exit code {ran})")
        outputs = _failure_report(job.folder, outcome)
    return outcome, {"run": job.run, **outputs}


def failure_text(outcome: Outcome) -> str:
    """What is said if there is no report; the reason may quote an input, and is shown as it is."""
    reason = outcome.reason.replace("`", "'")
    return f"## callscore failed\n\n```text\n{reason}\n```\n\nSee the log of the job.\n"


def _failure_report(folder: Path, outcome: Outcome) -> dict[str, str]:
    """A report of a job without a run: a comment about an earlier commit would mislead."""
    report = folder / "callscore-failure.md"
    report.write_text(failure_text(outcome), encoding="utf-8")
    add_summary(report.read_text("utf-8"))
    return {"markdown": str(report)}


def _report(job: Job, ran: int) -> tuple[Outcome, dict[str, str]]:
    """Write the reports of a run; whether the job passes, and the outputs."""
    markdown, html = job.folder / "report.md", job.folder / "report.html"
    try:
        has_baseline, problem = job.fetch_baseline(), ""
    except UnusableBaselineError as error:
        has_baseline, problem = False, str(error)
    base = job.base() if has_baseline else base_branch()
    gated, gate = job.gate() if has_baseline else (None, {"comparison": job.numbers()})
    found = found_in(base, gate)
    outcome = decide(job.inputs, ran, gated, found)
    if problem:
        outcome = Outcome(3, UNUSABLE.format(base=base, problem=problem), "unusable")
    outcome, is_kept = _kept(job, ran, outcome, has_baseline=has_baseline)
    if has_baseline:
        job.write_gate(markdown, outcome)
    else:
        job.write_run(markdown, outcome)
    has_html = job.write_html(html, has_baseline=has_baseline)
    return outcome, {
        "score": "" if found.score is None else str(found.score),
        "verdict": found.verdict if has_baseline else "",
        "markdown": str(markdown) if markdown.is_file() else "",
        "report": str(html) if has_html else "",
        "baseline": str(is_kept).lower(),
    }


def _kept(job: Job, ran: int, outcome: Outcome, *, has_baseline: bool) -> tuple[Outcome, bool]:
    """Keep the run as the baseline of its branch if the job passes; whether both happened.

    The first run of a branch passes though cases fail: there would never be a baseline otherwise.
    """
    passing, base = outcome, base_branch()
    if outcome.code and job.inputs.accept and ran in ACCEPTABLE:
        passing = Outcome(0, f"Accepted as the baseline of {base}: {outcome.reason}", "accepted")
    elif not has_baseline and outcome == Outcome(1, SOME_FAILED):
        passing = Outcome(
            0, f"{SOME_FAILED}; as the first run, it is the baseline of {base}", "first"
        )
    if pull_request() is not None or passing.code or not job.keep_as_baseline():
        return outcome, False
    if passing is not outcome:
        print(workflow_command("warning", passing.reason))
    return passing, True


# --- the comment ------------------------------------------------------------------------------


class NoRedirects(urllib.request.HTTPRedirectHandler):
    """Follows no redirect: it would send the token to an address that the runner did not name."""

    def redirect_request(self, *_: Any, **__: Any) -> None:
        """Nothing: the status of the redirect is then an error."""


OPENER = urllib.request.build_opener(NoRedirects)


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
        with OPENER.open(request, timeout=SECONDS) as answer:
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
        room = LONGEST_COMMENT - len(note) - len(link)
        kept = markdown[:room].rpartition("\n")[0]
        while len(kept) + len(closing(kept)) > room:
            kept = kept.rpartition("\n")[0]
        markdown = kept + closing(kept) + note
    return markdown.rstrip() + link


def closing(markdown: str) -> str:
    """What closes the code and the folded blocks that a text leaves open: the rest would be part of them."""
    fence, folded = "", 0
    for line in markdown.split("\n"):
        found = FENCE.fullmatch(line)
        if fence:
            if found and found[1].startswith(fence.strip()) and not found[2].strip():
                fence = ""
        elif found:
            fence = line[: found.end(1)]
        else:
            folded += line.count("<details") - line.count("</details>")
    return (f"\n{fence}" if fence else "") + "\n\n</details>" * folded


def commit_line() -> str:
    """The commit of the report: a job that stops early leaves an older comment as it is."""
    found = str(((event().get("pull_request") or {}).get("head") or {}).get("sha") or "")
    return f"\n\nCommit {found}" if re.fullmatch(r"[0-9a-f]{40,64}", found) else ""


def comment() -> int:
    """Write the comment; a job that may not, or cannot, does not fail for it."""
    number = pull_request()
    source = os.environ.get("MARKDOWN", "")
    if number is None or not source:
        print("There is nothing to comment.")
        return 0
    markdown = Path(source).read_text(encoding="utf-8").rstrip() + commit_line()
    text = comment_text(markdown, os.environ.get("REPORT_URL", ""))
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
            problem = f"no comment was written: GitHub answers {error.code}"
            if error.code in REDIRECTS:
                problem += ". Redirects are not followed: check GITHUB_API_URL"
            print(workflow_command("warning", problem))
    except (OSError, ValueError, KeyError) as error:
        print(workflow_command("warning", f"no comment was written: {error}"))
    return 0


STEPS = {"plan": plan, "check": check, "comment": comment}


def main(words: list[str]) -> int:
    """Run a step of the action."""
    try:
        return STEPS[words[0]]()
    except UsageError as error:
        print(workflow_command("error", str(error)))
        return 2


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))

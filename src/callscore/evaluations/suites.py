"""Suites: evaluations without code, in a YAML or TOML file. Secrets in them are refused.

The answers come from a model, or were recorded: then each is found by the id of its case.
"""

from __future__ import annotations

from collections.abc import Callable, Collection, Mapping, Sequence
from contextlib import AbstractContextManager, nullcontext
from typing import TYPE_CHECKING, Any

from msgspec import structs

from callscore.core.call import Tool, malformed_part
from callscore.core.rendering import hidden_content, mention
from callscore.core.results import Unloaded
from callscore.core.settings import ALIASES, Settings, settings_from
from callscore.core.suggestions import did_you_mean
from callscore.errors import CallscoreError, InvalidEvaluation, InvalidSettings, UnreadableInput
from callscore.evaluations.evaluation import (
    Evaluation,
    Task,
    fail_under_from,
    named_settings,
    only_from,
    require_signature,
    skip_from,
    tags_from,
    tools_from,
    trials_from,
    variants_from,
)
from callscore.evaluations.locations import FILE_PREFIX, display_path, evaluation_key
from callscore.evaluations.named_files import named_file, project_folder
from callscore.evaluations.scorers import scorers_from
from callscore.formats.case_fields import (
    ACTUAL_FIELDS,
    ACTUAL_STATE_FIELD,
    EITHER_SIDE_FIELDS,
    TURNS_FIELD,
)
from callscore.formats.cases import read_case
from callscore.formats.shape import describe
from callscore.models.secrets import contains_secret, is_secret_name
from callscore.words.value_text import encode_json

if TYPE_CHECKING:
    from pathlib import Path

    from callscore.core.case import Case
    from callscore.models.consent import Origin

    Key = str | int


class SuiteDocument:
    """A suite as it is written; `line_of` returns the line of the value under a path of keys."""

    def __init__(
        self,
        path: Path,
        value: dict[str, Any],
        line_of: Callable[[tuple[Key, ...]], int | None],
    ) -> None:
        self.path = path
        self.value = value
        self.wrong_keys: tuple[Key, ...] | None = None  # of the latest mistake
        self._line_of = line_of

    def place(self, *keys: Key) -> str:
        """The location of a value; if it is unknown, that of the innermost known parent."""
        for end in range(len(keys), 0, -1):
            line = self._line_of(keys[:end])
            if line is not None:
                return f"{display_path(self.path)}:{line}"
        return display_path(self.path)

    def wrong(self, problem: str, *keys: Key) -> InvalidEvaluation:
        """The error for a problem with the value under these keys, which are noted."""
        self.wrong_keys = keys
        sentence = problem if problem.endswith((".", "?", "!")) else f"{problem}."
        return InvalidEvaluation(self.place(*keys), sentence)

    def checked(self, check: Callable[[Any], Any], default: Any, key: str) -> Any:
        """What a check makes of the value under a key, or of the default if it is missing."""
        try:
            return check(self.value.get(key, default))
        except InvalidEvaluation:
            raise
        except CallscoreError as error:
            raise self.wrong(str(error), key) from error

    def require_keys(self, known: Collection[str], *path: str) -> dict[str, Any]:
        """The object under these keys; it must be an object, and have no unknown keys."""
        value: Any = self.value
        for key in path:
            value = value[key]
        name = ".".join(path)
        if not isinstance(value, dict):
            raise self.wrong(f"{name}: expected an object, got {describe(value)}", *path)
        for key in value:
            if key not in known:
                hint = did_you_mean(key, known) or f". Choose from: {', '.join(known)}"
                where = f"{name} has no key" if name else "a suite has no key"
                raise self.wrong(f"{where} {mention(key)}{hint}", *path, key)
        return value


def read_suite(path: Path) -> SuiteDocument:
    """Read the suite in a YAML or a TOML file."""
    name = display_path(path)
    text = _read_text(path, name)
    line_of: Callable[[tuple[Key, ...]], int | None]
    if path.suffix == ".toml":
        from callscore.sources.toml_document import line_in_toml, read_toml

        value: Any = read_toml(text, name)

        def line_of(keys: tuple[Key, ...]) -> int | None:
            return line_in_toml(text, keys)
    else:
        from callscore.sources.yaml_document import read_yaml_with_lines

        value, lines = read_yaml_with_lines(text, name)
        line_of = lines.get
    if not isinstance(value, dict):
        got = "nothing" if value is None else describe(value)
        raise UnreadableInput(name, f"expected an object with 'cases', got {got}.")
    fault = malformed_part(value)
    if fault is not None:
        raise UnreadableInput(name, f"{fault.problem}.")
    return SuiteDocument(path, value, line_of)


def _read_text(path: Path, name: str) -> str:
    try:
        return path.read_bytes().decode("utf-8-sig")
    except OSError as error:
        raise UnreadableInput(name, f"it cannot be read ({error.strerror}).") from error
    except UnicodeDecodeError as error:
        problem = f"the byte 0x{error.object[error.start]:02x} is not UTF-8. Save it as UTF-8."
        raise UnreadableInput(name, problem) from error


# --- the task and the variants ----------------------------------------------------------------

MODEL_KEYS = ("name", "base_url", "key_variable", "parameters")
VARIANT_KEYS = ("model", "system", "prompt", "parameters", "answers")
_TEXTS = ("system", "prompt", "answers")
# Keys beside `parameters`, which must not be in them.
RESERVED_PARAMETERS = ("model", "system", "prompt", "tools", "base_url", "key_variable", "messages")


def suite_task(suite: SuiteDocument, tools: Mapping[str, Tool] | None) -> Task:
    """A chat with the model of the suite, or its recorded answers."""
    if _is_recorded(suite):
        return _recorded_task(suite)
    if "model" not in suite.value:
        raise suite.wrong("a suite needs 'model', or recorded 'answers'")
    from callscore.models import chat
    from callscore.models.requests import require_template

    model = _model(suite, suite.value["model"], "model")
    prompts = {key: suite.value[key] for key in ("system", "prompt") if key in suite.value}
    for key, text in prompts.items():
        if not isinstance(text, str):
            raise suite.wrong(f"{key}: {mention(text)} is not a string", key)
    if "prompt" in prompts:
        suite.checked(require_template, None, "prompt")
    task: Task = suite.checked(lambda _: chat(tools=tools, **model, **prompts), None, "model")
    return structs.replace(task, origin=_origin(suite))  # type: ignore[type-var]  # a Chat


def _origin(suite: SuiteDocument) -> Origin:
    """The suite as the origin of a server, for which the user's consent is needed."""
    from callscore.models.consent import Origin

    return Origin(display_path(suite.path))


def _is_recorded(suite: SuiteDocument) -> bool:
    variants = suite.value.get("variants")
    in_variants = isinstance(variants, dict) and any(
        isinstance(each, dict) and "answers" in each for each in variants.values()
    )
    if not in_variants and "answers" not in suite.value:
        return False
    for key in ("model", "system", "prompt"):
        if key in suite.value:
            problem = f"{key}: it has no effect with recorded answers. Remove one of the two"
            raise suite.wrong(problem, key)
    return True


def _recorded_task(suite: SuiteDocument) -> Task:
    """The recorded answers of each variant, or of the suite."""
    files = [keywords["answers"] for keywords in suite_variants(suite).values()]
    if files and "answers" in suite.value:
        raise suite.wrong("answers: the variants have their own. Remove this one", "answers")

    given = suite.value.get("answers")
    if not files and not isinstance(given, str):
        raise suite.wrong(f"answers: {mention(given)} is not the path of a file", "answers")
    try:
        return RecordedAnswers(files or [given], suite.path.resolve().parent)
    except (InvalidSettings, UnreadableInput) as error:
        raise suite.wrong(f"answers: {error}", "variants" if files else "answers") from error


def _model(suite: SuiteDocument, given: Any, *keys: str) -> dict[str, Any]:
    """The keywords for `models.chat`."""
    options = {"name": given} if isinstance(given, str) else suite.require_keys(MODEL_KEYS, *keys)
    name = options.get("name")
    if not isinstance(name, str) or not name.strip():
        where = ".".join(keys)
        raise suite.wrong(f"{where}: the model has no 'name'", *keys, "name")
    server = {key: options[key] for key in ("base_url", "key_variable") if key in options}
    parameters = _parameters(suite, options.get("parameters", {}), *keys)
    return {"model": name, **server, **parameters}


def _parameters(suite: SuiteDocument, given: Any, *keys: str) -> dict[str, Any]:
    """The parameters of a request, such as `temperature`."""
    where = ".".join((*keys, "parameters"))
    if not isinstance(given, dict):
        problem = f"{where}: {mention(given)} is not an object such as {{temperature: 0}}"
        raise suite.wrong(problem, *keys, "parameters")
    for name in given:
        if name in RESERVED_PARAMETERS:
            problem = f"{where}: {mention(name)} is not a parameter: it is a key of the suite"
            raise suite.wrong(problem, *keys, "parameters", name)
    _require_own_host(suite, given, *keys)
    return given


def _require_own_host(suite: SuiteDocument, parameters: dict[str, Any], *keys: str) -> None:
    """Refuse a header by which the request goes to another server than the address says."""
    headers = parameters.get("extra_headers")
    for name in headers if isinstance(headers, dict) else ():
        if str(name).strip().lower() == "host":
            path = (*keys, "parameters", "extra_headers", name)
            raise suite.wrong(
                f"{'.'.join(path)}: the server is specified by 'base_url' alone", *path
            )


def suite_variants(suite: SuiteDocument) -> dict[str, dict[str, Any]]:
    """The variants of a suite, as keywords of its task."""
    given: dict[str, dict[str, Any]] = suite.checked(variants_from, None, "variants")
    is_recorded = _is_recorded(suite)
    return {name: _variant(suite, name, is_recorded=is_recorded) for name in given}


def _variant(suite: SuiteDocument, name: str, *, is_recorded: bool) -> dict[str, Any]:
    keys = ("variants", name)
    options = suite.require_keys(VARIANT_KEYS, *keys)
    for key, value in options.items():
        if (key != "answers") is is_recorded:
            problem = f"variants.{name}.{key}: either all variants have 'answers', or none of them"
            raise suite.wrong(problem, *keys, key)
        if key in _TEXTS and (not isinstance(value, str) or not value):
            raise suite.wrong(
                f"variants.{name}.{key}: {mention(value)} is not a string", *keys, key
            )
    if is_recorded and "answers" not in options:
        raise suite.wrong(f"variants.{name}: it has no 'answers'", *keys)
    texts = {key: value for key, value in options.items() if key in _TEXTS}
    model = _model(suite, options["model"], *keys, "model") if "model" in options else {}
    return {**texts, **model, **_parameters(suite, options.get("parameters", {}), *keys)}


# --- secrets ----------------------------------------------------------------------------------

# Keys of schemas, in which `password` is a name like any other.
_SCHEMAS = frozenset(
    {"functions", "json_schema", "properties", "response_format", "schema", "tools"}
)


def find_secret(value: Any) -> tuple[Key, ...] | None:
    """The path of a text in plain data that looks like a key or a password; None if there is none."""
    return _find_path(
        value, lambda path, inner: _looks_secret(inner) or (path and _looks_secret(path[-1]))
    )


def find_named_secret(value: Any) -> tuple[Key, ...] | None:
    """The path of a text in plain data under a name for secrets; None if there is none.

    Schemas are left out, and so is what is not text: `password: {type: string}`.
    """
    return _find_path(value, _has_secret_name)


def _looks_secret(value: Any) -> bool:
    return isinstance(value, str) and contains_secret(value)


def _has_secret_name(path: tuple[Key, ...], value: Any) -> bool:
    if not isinstance(value, str) or not value or not _SCHEMAS.isdisjoint(path):
        return False
    return bool(path) and is_secret_name(str(path[-1]))


def _find_path(
    value: Any, is_secret: Callable[[tuple[Key, ...], Any], Any]
) -> tuple[Key, ...] | None:
    """The first path in plain data, depth first, for which something is true."""
    pending: list[tuple[tuple[Key, ...], Any]] = [((), value)]
    while pending:
        path, inner = pending.pop()
        if is_secret(path, inner):
            return path
        members: list[tuple[Key, Any]] = []
        if isinstance(inner, dict | list):
            members = list(inner.items() if isinstance(inner, dict) else enumerate(inner))
        pending += [((*path, key), member) for key, member in reversed(members)]
    return None


# --- evaluations ------------------------------------------------------------------------------

KEYS = (
    *("name", "model", "system", "prompt", "answers", "tools", "cases", "scorers", "fail_under"),
    *("settings", "variants", "tags", "trials", "judge", "only", "skip", "$schema"),
)
JUDGE_KEYS = tuple(key for key in MODEL_KEYS if key != "parameters")
# In these, names such as `password` are checked; elsewhere the user chooses the names.
_SERVER_KEYS = ("model", "judge", "variants")
_PYTHON_ONLY = ("similarity", "judge")
_SETTINGS = (
    *("preset", *ALIASES),
    *(name for name in Settings.__struct_fields__ if name not in _PYTHON_ONLY),
)


def load_suite(path: Path) -> list[Evaluation] | Unloaded:
    """The evaluation in a suite, or why it cannot be read."""
    try:
        with reading_of(path):
            return [suite_evaluation(read_suite(path))]
    except (InvalidEvaluation, UnreadableInput) as error:
        return Unloaded(error.place, error.problem)
    except CallscoreError as error:
        return Unloaded(display_path(path), str(error))


def reading_of(path: Path) -> AbstractContextManager[None]:
    """The context in which a suite is read.

    If it is a link to a file outside of its project, messages do not show what is in it.
    """
    folder = path.parent.resolve()
    leads_out = path.is_symlink() and not path.resolve().is_relative_to(project_folder(folder))
    return hidden_content() if leads_out else nullcontext()


def suite_evaluation(suite: SuiteDocument) -> Evaluation:
    """The evaluation in a suite.

    Raises:
        CallscoreError: the first mistake.
    """
    for key in suite.value:
        if key in _SETTINGS and key not in KEYS:
            raise suite.wrong(f"{key}: it belongs in 'settings'", key)
    suite.require_keys(KEYS)
    _refuse_secrets(suite)
    scorers = suite.checked(scorers_from, ("accuracy",), "scorers")
    tools = suite.checked(lambda given: _tools(given, suite.path.parent), None, "tools")
    task, variants = suite_task(suite, tools), suite_variants(suite)
    suite.checked(lambda _: require_signature(task, variants), None, "variants")
    name = suite.checked(_name, suite.path.stem.removeprefix(FILE_PREFIX), "name")
    home = suite.path.resolve()
    return Evaluation(
        name=name,
        task=task,
        cases=_cases(suite),
        tools=tools,
        scorers=scorers,
        variants=variants,
        tags=suite.checked(tags_from, (), "tags"),
        only=suite.checked(only_from, False, "only"),  # noqa: FBT003  (the default is a value)
        skip=suite.checked(skip_from, False, "skip"),  # noqa: FBT003  (likewise)
        fail_under=suite.checked(lambda given: fail_under_from(given, scorers), None, "fail_under"),
        **_settings(suite),
        trials=suite.checked(trials_from, 1, "trials"),
        place=display_path(suite.path),
        folder=str(home.parent),
        home=str(home),
        key=evaluation_key(home, name),
    )


def _refuse_secrets(suite: SuiteDocument) -> None:
    for key, value in suite.value.items():
        found = None if key == "cases" else find_secret(value)  # questions may contain anything
        if found is None and key in _SERVER_KEYS:
            found = find_named_secret(value)
        if found is not None:
            where = ".".join(map(str, (key, *found)))
            raise suite.wrong(
                f"{where}: this looks like a secret key. Keys are read only from the environment:"
                " put the name of the variable in model.key_variable, and replace this key",
                key,
                *found,
            )


def _name(given: Any) -> str:
    if not isinstance(given, str) or not given.strip():
        raise InvalidSettings(f"name: {mention(given)} is not a name")
    return given


def _tools(given: Any, folder: Path) -> dict[str, Tool] | None:
    if given is not None and not isinstance(given, str | list | dict):
        raise InvalidSettings(f"tools: expected a path or a list, got {describe(given)}")
    if not isinstance(given, str):
        found = tools_from(given, folder)
    else:
        try:
            path = named_file(given, folder)
        except InvalidSettings as error:
            raise InvalidSettings(f"tools: {error}") from error
        with hidden_content():
            found = tools_from(path, folder)
    return None if found is None else dict(found)


def _settings(suite: SuiteDocument) -> dict[str, Any]:
    """The settings, and the names of those that are given."""
    judge = _judge(suite)
    if "settings" not in suite.value:
        return {"settings": settings_from(judge), "own_settings": tuple(judge)}
    given = dict(suite.require_keys(_SETTINGS, "settings"))
    preset = given.pop("preset", None)
    try:
        found = settings_from({**given, **judge}, preset=preset)
        return {"settings": found, "own_settings": named_settings({**given, **judge}, preset)}
    except InvalidSettings as error:
        named = [name for name in (*given, "preset") if str(error).startswith(f"{name}:")]
        raise suite.wrong(f"settings: {error}", "settings", *named[:1]) from error


def _judge(suite: SuiteDocument) -> dict[str, Any]:
    given = suite.value.get("judge")
    if given is None:
        return {}
    from callscore.models import judge

    options = {"name": given} if isinstance(given, str) else suite.require_keys(JUDGE_KEYS, "judge")
    if "name" not in options:
        raise suite.wrong("judge: the model has no 'name'", "judge")
    server: dict[str, Any] = {key: value for key, value in options.items() if key != "name"}
    found = suite.checked(lambda _: judge(options["name"], **server), None, "judge")
    found.origin = _origin(suite)
    return {"judge": found}


def _cases(suite: SuiteDocument) -> list[Case | Path]:
    given = suite.value.get("cases")
    if isinstance(given, str):
        return [_file(suite, given, "cases")]
    if not isinstance(given, list) or not given:
        got = "there are none" if given is None or given == [] else f"got {describe(given)}"
        raise suite.wrong(f"cases: expected a list of cases or the path of a file; {got}", "cases")
    return [suite_case(suite, item, position) for position, item in enumerate(given)]


def suite_case(suite: SuiteDocument, item: Any, position: int) -> Case | Path:
    """A case in the list of a suite, or the file with cases that is named there."""
    if isinstance(item, str):
        return _file(suite, item, "cases", position)
    place = suite.place("cases", position)
    try:
        return read_case(item, place=place)
    except UnreadableInput as error:
        raise suite.wrong(f"cases[{position}]: {error.problem}", "cases", position) from error


def _file(suite: SuiteDocument, name: str, *keys: str | int) -> Path:
    try:
        return named_file(name, suite.path.resolve().parent)
    except InvalidSettings as error:
        is_item = len(keys) > 1 and "not found" in str(error)
        hint = f". A case is an object: `input: {name}`" if is_item else ""
        raise suite.wrong(f"cases: {error}{hint}", *keys) from error


# --- recorded answers -------------------------------------------------------------------------

# The field of the answer in a record, beside its `id`.
ANSWER_FIELDS = ("answer", "output", "response", *ACTUAL_FIELDS, *EITHER_SIDE_FIELDS, TURNS_FIELD)

_MAX_UNUSED = 20

# The answers by the id of the case, and by the trial where the record says which it is.
_Answers = dict[tuple[str, str | None], Any]


class RecordedAnswers:
    """A task that returns recorded answers, from one file or one per variant."""

    def __init__(self, files: Sequence[str], folder: Path) -> None:
        self._files = tuple(files)
        with hidden_content():
            self._answers = {file: read_answers(named_file(file, folder)) for file in files}

    def __call__(self, case: Case, *, answers: str | None = None) -> Any:
        """The answer to the trial of a case, or to the case; `answers` is the file, or the first.

        Raises:
            InvalidSettings: there is no answer to it.
        """
        file = answers or self._files[0]
        known = self._answers[file]
        for key in ((case.id, _text(case.trial)), (case.id, None)):
            if key in known:
                return known[key]
        hint = did_you_mean(case.id, [name for name, _ in known])
        raise InvalidSettings(f"{file} has no answer for case {case.id!r}{hint}")

    def unused_answers(self, cases: Collection[str]) -> list[str]:
        """Sentences about the recorded answers that belong to none of these case ids."""
        known = set(cases)
        return [
            f"{file} has an answer for {mention(name)}, which is not a case{did_you_mean(name, known)}"
            for file, answers in self._answers.items()
            for name in dict.fromkeys(name for name, _ in answers)
            if name not in known
        ][:_MAX_UNUSED]

    def identity(self) -> dict[str, Any]:
        """What decides an answer, together with the case: a digest of all answers."""
        from hashlib import sha256

        listed = [
            [*key, answer] for known in self._answers.values() for key, answer in known.items()
        ]
        return {"recorded": self._files, "digest": sha256(encode_json(listed)).hexdigest()}


def read_answers(path: Path) -> _Answers:
    """Read recorded answers: objects with an `id`, an `answer` and an optional `trial`."""
    from callscore.sources import BadRecord, read_records

    answers: _Answers = {}
    for record in read_records(str(path)):
        if isinstance(record, BadRecord):
            raise UnreadableInput(record.place, record.problem)
        if record.duplicate is not None:
            raise UnreadableInput(record.duplicate.place, record.duplicate.problem)
        key, answer = _read(record.value, record.place)
        if key in answers:
            trial = "" if key[1] is None else f", trial {key[1]}"
            problem = f"the case {key[0]!r}{trial} has two answers. Remove one of them."
            raise UnreadableInput(record.place, problem)
        answers[key] = answer
    if not answers:
        raise UnreadableInput(str(path), "the file has no answers.")
    return answers


def _read(value: Any, place: str) -> tuple[tuple[str, str | None], Any]:
    if not isinstance(value, dict):
        problem = f"expected an object with 'id' and 'answer', got {describe(value)}."
        raise UnreadableInput(place, problem)
    name = value.get("id")
    fields = [field for field in ANSWER_FIELDS if field in value]
    if name is None or isinstance(name, bool) or not isinstance(name, str | int):
        raise UnreadableInput(place, f"expected the 'id' of a case, got {describe(name)}.")
    if len(fields) != 1:
        got = " and ".join(fields) or "none of them"
        all_fields = ", ".join(ANSWER_FIELDS)
        raise UnreadableInput(place, f"expected one of the fields {all_fields}, got {got}.")
    field, answer = fields[0], value[fields[0]]
    if field == TURNS_FIELD or value.get(ACTUAL_STATE_FIELD) is not None:
        kept = (field, ACTUAL_STATE_FIELD)
        answer = {key: value[key] for key in kept if value.get(key) is not None}
    return (str(name), _text(value.get("trial"))), answer


def _text(trial: Any) -> str | None:
    return None if trial is None else str(trial)

"""Scoring a run again with other settings: what would change is shown before anything is saved."""

from __future__ import annotations

from collections import OrderedDict
from contextlib import suppress
from functools import partial
from itertools import islice
from pathlib import Path
from secrets import token_urlsafe
from shutil import rmtree
from tempfile import mkdtemp
from threading import Lock
from typing import TYPE_CHECKING, Any

from msgspec import Struct
from msgspec.structs import replace

from callscore.core.phrases import Language, Phrase, say
from callscore.core.settings import ineffective_settings
from callscore.errors import CallscoreError
from callscore.history.database import connect_file
from callscore.history.opening import create_file, open_existing
from callscore.history.saved_totals import NOT_ALL_SAVED, saved_cases_of
from callscore.history.store import Store
from callscore.runner.rescoring import RescoreOptions, rescore
from callscore.web.cache import Remembered
from callscore.web.comparisons import ComparedPair, compare_pair, compared_case
from callscore.web.live_runs import status_of
from callscore.web.requests import BAD_REQUEST, CONFLICT, NOT_FOUND, Asked
from callscore.web.run_lists import run_summary
from callscore.web.settings_choices import chosen_settings
from callscore.words.value_text import NO_EFFECT

if TYPE_CHECKING:
    from callscore.history.records import RunRecord
    from callscore.web.open_history import History
    from callscore.web.responses import Encoded
    from callscore.web.workers import Workshop

_MOST_KEPT = 3
_BATCH = 500  # results that are copied at a time
_ID_BYTES = 9
_FILE = "preview.db"
_LANGUAGES = 2
_PREVIEW = Phrase("other settings", "другие настройки")
_GONE = Phrase(
    "this preview was forgotten: the server keeps the newest {count}. Score again to see it",
    "этот просмотр забыт: сервер хранит последние {count}. Оцените ещё раз, чтобы его увидеть",
)
_RUNNING = Phrase(
    "run {run} is in progress. Score it again when it has ended",
    "прогон {run} ещё идёт. Оцените его заново, когда он закончится",
)
_NO_SETTINGS = Phrase("settings: expected an object", "настройки (settings): ожидается объект")


class _Scratch(Store):
    """A history in a file of its own, which has the judgements of another: each answer is paid for once."""

    def __init__(self, path: Path, origin: Store) -> None:
        if not path.exists():
            create_file(path)
        super().__init__(origin.place, partial(connect_file, path), path)
        self.command_options = origin.command_options
        self._origin = origin

    def judgement(self, key: str) -> Any | None:
        """The saved answer of a judge; None if there is none."""
        return self._origin.judgement(key)

    def save_judgement(self, key: str, model: str, answer: Any) -> None:
        """Save an answer of a judge."""
        self._origin.save_judgement(key, model, answer)


def _copy_run(source: Store, target: Store, run: RunRecord) -> RunRecord:
    """Copy a run to another history; returns it as it is there.

    It gets another id if the history has a run of this id. Answers that other runs could reuse are not
    copied.
    """
    begun = target.begin(replace(run, status="running", finished_at=None))
    with target.lock(begun.id):  # marks the run as active
        evaluations = source.evaluations(run.id)
        for record in evaluations:
            target.add_evaluation(replace(record, run=begun.id))
        results = (replace(record, run=begun.id) for record in source.results(run.id))
        while batch := list(islice(results, _BATCH)):
            target.save_results(batch)
        status = "interrupted" if run.status == "running" else run.status
        summaries = {record.number: record.summary for record in evaluations}
        target.finish(begun.id, status, run.totals, summaries)
    return target.find(begun.id, resolve=None)


class _Preview:
    """A run before and after, in a history of its own that is removed with it."""

    def __init__(self, folder: Path, store: _Scratch, before: str, after: str) -> None:
        self.before = before
        self.after = after
        self.kept = ""  # the id of the run that it was saved as
        self.lock = Lock()
        self.store = store
        self._folder = folder
        self._pairs: Remembered[ComparedPair] = Remembered(_LANGUAGES)

    def pair(self, lang: Language) -> ComparedPair:
        """Both runs, compared."""

        def make() -> ComparedPair:
            runs = self.store.find(self.before), self.store.find(self.after)
            label = runs[0].name or runs[0].id
            return compare_pair(self.store, runs, (label, say(_PREVIEW, lang)), lang)

        return self._pairs.get(lang, make)

    def close(self) -> None:
        """Forget it."""
        with suppress(CallscoreError):
            self.store.close()
        rmtree(self._folder, ignore_errors=True)


class Previews:
    """The newest few runs that were scored again and are not saved."""

    def __init__(self, history: History, workshop: Workshop) -> None:
        self._history = history
        self._workshop = workshop
        self._lock = Lock()
        self._known: OrderedDict[str, _Preview] = OrderedDict()

    def make(self, asked: Asked) -> Encoded:
        """`POST /api/runs/ID/rescore`."""
        given, preset = asked.body.get("settings", {}), asked.body.get("preset")
        if not isinstance(given, dict):
            raise asked.refusal(BAD_REQUEST, _NO_SETTINGS)
        chosen_settings(preset, given)  # refuses wrong ones before a process is started
        with self._history.opened() as store:
            run = store.find(asked.path["run"], resolve=None)
            if status_of(store, run) == "running":
                raise asked.refusal(CONFLICT, _RUNNING, run=run.id)
            if saved_cases_of(run) != "all":
                raise asked.refusal(CONFLICT, NOT_ALL_SAVED, run=run.id)
            folder = Path(mkdtemp(prefix="callscore-preview-"))
            try:
                path = folder / _FILE
                work = ScoreAgain(
                    place=self._history.place,
                    run=run.id,
                    path=str(path),
                    preset=preset,
                    settings=given,
                )
                found = self._workshop.do(work, asked.lang)
                preview = _Preview(folder, _Scratch(path, store), run.id, found["run"])
            except BaseException:
                rmtree(folder, ignore_errors=True)
                raise
            name = self._keep(preview)
            after = run_summary(preview.store, preview.store.find(preview.after))
            about = {
                "preview": name,
                "warnings": found["warnings"],
                "runs": [run_summary(store, run), {**after, "id": ""}],
            }
            return preview.pair(asked.lang).answer(about)

    def _keep(self, preview: _Preview) -> str:
        name = token_urlsafe(_ID_BYTES)
        with self._lock:
            self._known[name] = preview
            old = []
            while len(self._known) > _MOST_KEPT:
                old.append(self._known.popitem(last=False)[1])
        for each in old:
            each.close()
        return name

    def _named(self, asked: Asked) -> _Preview:
        with self._lock:
            preview = self._known.get(asked.path["preview"])
            if preview is None:
                raise asked.refusal(NOT_FOUND, _GONE, count=_MOST_KEPT)
            self._known.move_to_end(asked.path["preview"])
            return preview

    def case(self, asked: Asked) -> Encoded:
        """`GET /api/previews/PID/case`."""
        return compared_case(self._named(asked).pair(asked.lang), asked)

    def save(self, asked: Asked) -> dict[str, Any]:
        """`POST /api/previews/PID/keep`."""
        preview = self._named(asked)
        with preview.lock, self._history.opened() as store:
            if not preview.kept:
                run = preview.store.find(preview.after)
                preview.kept = _copy_run(preview.store, store, run).id
        return {"run": preview.kept}

    def close(self) -> None:
        """Forget all."""
        with self._lock:
            known = list(self._known.values())
            self._known.clear()
        for preview in known:
            preview.close()


# --- in a process of its own ----------------------------------------------------------------------


class ScoreAgain(Struct, frozen=True, kw_only=True):
    """A run to score again.

    Attributes:
        place: the history, as `--store` has it.
        run: the id of the run.
        path: the file of the temporary history.
        preset: overrides the settings of the run.
        settings: override those of the run, and of the preset.
    """

    place: str | None
    run: str
    path: str
    preset: str | None
    settings: dict[str, Any]


def score_again(asked: ScoreAgain, lang: Language) -> dict[str, Any]:
    """Score a run again, in a temporary history beside its own: the new run, and warnings."""
    chosen = chosen_settings(asked.preset, asked.settings)
    with open_existing(asked.place) as store, _Scratch(Path(asked.path), store) as scratch:
        before = _copy_run(store, scratch, store.find(asked.run, resolve=None))
        options = RescoreOptions(preset=asked.preset, settings=chosen, show="none")
        found = rescore(scratch, before, options)
    all_settings = [each.results.settings for each in found.evaluations]
    needs = [ineffective_settings(chosen, each) for each in all_settings]
    ineffective = [
        say(NO_EFFECT, lang, name=name, condition=needs[0][name])
        for name in chosen
        if needs and all(name in each for each in needs)
    ]
    return {"run": found.id, "warnings": [*ineffective, *found.warnings]}

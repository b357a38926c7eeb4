"""What a run has done so far, and what is printed if its process ends before it has finished.

The process writes its progress to the board that it shares with its parent, which reads it then.
"""

from __future__ import annotations

import shlex
import signal
from contextlib import contextmanager
from itertools import islice
from pathlib import Path
from typing import TYPE_CHECKING

from msgspec import Struct, msgpack
from msgspec.structs import replace

from callscore.cli.board import own_board
from callscore.core.phrases import Language, Phrase, say

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

    from callscore.cli.board import Board
    from callscore.core.results import Result
    from callscore.evaluations.evaluation import Question
    from callscore.runner.running import RunHooks

__all__ = [
    "Progress",
    "advice_text",
    "read_progress",
    "tracked_run",
    "tracking_files",
    "tracking_parts",
    "unfinished_text",
    "write_progress",
]

_NAMES_SHOWN = 5
_LONGEST_NAME = 200
_LONGEST_PATH = 4_096


class Progress(Struct):
    """How far a command is; it changes with every case, and copies would cost time.

    Attributes:
        command: continues the run; empty if the history cannot be used.
        keyword: the `-k` of the run.
        file: the file that is being imported; then the run has not begun.
        parts: the folder of what is done of a large run, which is not in the history.
        total: the number of questions.
        saved: how many of them have a saved result.
        current: the number of questions that are being answered.
        names: the case and the variant of the first of these; without variants, "".
    """

    command: str
    lang: Language
    keyword: str = ""
    file: str = ""
    parts: str = ""
    total: int = 0
    saved: int = 0
    current: int = 0
    names: tuple[tuple[str, str], ...] = ()


_ENCODER = msgpack.Encoder()


def write_progress(board: Board, progress: Progress | None) -> None:
    """Replace the progress on a board."""
    board.write(b"" if progress is None else _ENCODER.encode(progress))


def read_progress(board: Board) -> Progress | None:
    """The progress on a board; None if there is none."""
    data = board.read()
    return msgpack.decode(data, type=Progress) if data else None


# --- the sentences ------------------------------------------------------------------------------

_COMMAND_UNFINISHED = Phrase(
    "the command did not finish: its process {ended}{current}",
    "команда не завершена: процесс {ended}{current}",
)
_PARTS_UNFINISHED = Phrase(
    "{sentence}; what is done is in {folder}. To continue, add --resume to the same command",
    "{sentence}; готовое находится в {folder}. Чтобы продолжить, добавьте --resume к той же команде",
)
_RUN_UNFINISHED = Phrase(
    "the run did not finish: its process {ended}{current}; {saved} of {total} results are saved",
    "прогон не завершён: процесс {ended}{current}; сохранено результатов: {saved} из {total}",
)
_GO_ON = Phrase(". To continue: {command}", ". Продолжить: {command}")
_LEAVE_OUT = Phrase(
    "if {name} ends it again, leave it out: -k {keyword}",
    "если {name} снова завершит процесс, исключите его: -k {keyword}",
)
_FIND_OUT = Phrase(
    "if it ends again, find out which case ends it: --jobs 1",
    "если процесс снова завершится, найдите случай, который его завершает: --jobs 1",
)
_WITH_CODE = Phrase("ended with exit code {code}", "закончился с кодом {code}")
_BY_SIGNAL = Phrase("was ended by {name}", "прерван сигналом {name}")
_BY_SIGKILL = Phrase(
    "was ended by SIGKILL (perhaps too little memory)",
    "прерван сигналом SIGKILL (возможно, не хватило памяти)",
)
_ANSWERING = Phrase(" while answering {names}", " во время ответа на {names}")
_IMPORTING = Phrase(" while importing {file}", " при импорте {file}")
# By which users end a process: no case is the cause.
_OF_USERS = frozenset(("SIGTERM", "SIGINT", "SIGHUP", "SIGQUIT"))


def unfinished_text(ended: int, progress: Progress | None) -> str:
    """What to print about a process that ended with a code, or minus the number of a signal."""
    lang = "en" if progress is None else progress.lang
    how = _how_it_ended(ended, lang)
    if progress is None or progress.file or progress.parts:
        is_importing = progress is not None and progress.file
        current = say(_IMPORTING, lang, file=is_importing) if is_importing else ""
        sentence = say(_COMMAND_UNFINISHED, lang, ended=how, current=current)
        if progress is None or not progress.parts or not Path(progress.parts).exists():
            return sentence
        return say(_PARTS_UNFINISHED, lang, sentence=sentence, folder=progress.parts)
    more = progress.current - len(progress.names)
    names = ", ".join(map(_name_text, progress.names)) + (f", +{more}" if more > 0 else "")
    sentence = say(
        _RUN_UNFINISHED,
        lang,
        ended=how,
        current=say(_ANSWERING, lang, names=names) if progress.names else "",
        saved=f"{progress.saved:,}",
        total=f"{progress.total:,}",
    )
    return sentence + (say(_GO_ON, lang, command=progress.command) if progress.command else "")


def advice_text(ended: int, progress: Progress | None) -> str | None:
    """What to do if a case ends the process each time; None if no case may be the cause."""
    from callscore.hiding.finding import OPENING

    is_of_user = ended < 0 and signal_name(-ended) in _OF_USERS
    if progress is None or is_of_user or not (progress.command and progress.names):
        return None
    if progress.current > 1:
        return say(_FIND_OUT, progress.lang)
    ((case, _),) = progress.names
    quote = next((mark for mark in "\"'" if mark not in case), None)
    if quote is None or OPENING in case:  # no expression has such a word
        return None
    leave_out = f"not {case if case.isidentifier() else quote + case + quote}"
    if progress.keyword:
        leave_out = f"({progress.keyword}) and {leave_out}"
    return say(_LEAVE_OUT, progress.lang, name=case, keyword=shlex.quote(leave_out))


def _name_text(name: tuple[str, str]) -> str:
    case, variant = name
    return f"{case} [{variant}]" if variant else case


def _how_it_ended(ended: int, lang: Language) -> str:
    if ended >= 0:
        return say(_WITH_CODE, lang, code=ended)
    name = signal_name(-ended)
    return say(_BY_SIGKILL, lang) if name == "SIGKILL" else say(_BY_SIGNAL, lang, name=name)


def signal_name(number: int) -> str:
    try:
        return signal.Signals(number).name
    except ValueError:  # of real time
        return f"signal {number}"


# --- the progress of a run ----------------------------------------------------------------------


@contextmanager
def tracking_files(lang: Language) -> Iterator[Callable[[Path], None]]:
    """A function for the file that is imported next, which its parent names if the process ends."""
    board = own_board()
    if board is None:
        yield lambda _: None
        return
    try:
        yield lambda file: write_progress(
            board, Progress("", lang, file=str(file)[-_LONGEST_PATH:])
        )
    finally:
        write_progress(board, None)


@contextmanager
def tracking_parts(folder: Path, lang: Language) -> Iterator[None]:
    """Write where the parts of a large run are, which its parent names if the process ends."""
    board = own_board()
    if board is None:
        yield
        return
    try:
        write_progress(board, Progress("", lang, parts=str(folder)[-_LONGEST_PATH:]))
        yield
    finally:
        write_progress(board, None)


@contextmanager
def tracked_run(hooks: RunHooks, begun: Progress) -> Iterator[RunHooks]:
    """The hooks, which also write the progress to the board if this process is supervised."""
    board = own_board()
    if board is None:
        yield hooks
        return
    from callscore.hiding.hider import Hider

    current: dict[int, tuple[str, str]] = {}
    hide = Hider().text  # here: code may have set variables that the parent does not have

    def write() -> None:
        begun.current = len(current)
        begun.names = tuple(islice(current.values(), _NAMES_SHOWN))
        write_progress(board, begun)

    def on_plan(total: int) -> None:
        begun.total = total
        write()
        hooks.on_plan(total)

    def on_started(question: Question) -> None:
        case, variant = hide(question.case.id or ""), hide(question.variant or "")
        current[id(question)] = case[:_LONGEST_NAME], variant[:_LONGEST_NAME]
        write()
        hooks.on_started(question)

    def on_done(question: Question, result: Result) -> None:
        current.pop(id(question), None)
        begun.saved += 1
        write()
        hooks.on_done(question, result)

    try:
        yield replace(hooks, on_plan=on_plan, on_started=on_started, on_done=on_done)
    finally:
        write_progress(board, None)

"""What `callscore bless` says: what is to be written, what is not, and what was."""

# ruff: noqa: RUF001  (Russian letters that look like Latin ones are meant)

from __future__ import annotations

from collections import Counter
from typing import TYPE_CHECKING

from callscore.core.phrase import Phrase, Plural, count_of, say
from callscore.core.text import escape

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from callscore.core.phrase import Language
    from callscore.rewriting.applying import Rewritten
    from callscore.rewriting.blessing import Blessings, Unblessed

__all__ = [
    "nothing_line",
    "question",
    "refused_lines",
    "unanswered_line",
    "unselected_line",
    "unwritten_line",
    "without_yes",
    "written_lines",
]

_MOST_NAMED = 10

_EXPECTATIONS = Plural(("expectation", "expectations"), ("ожидание", "ожидания", "ожиданий"))
_FILES = Plural(("file", "files"), ("файл", "файла", "файлов"))
_CASES = Plural(("case", "cases"), ("случай", "случая", "случаев"))
_QUESTION = Phrase("Write {expectations} into {files}?", "Записать: {expectations} в {files}?")
_WRITTEN = Phrase("written: {file} ({expectations})", "записано: {file} ({expectations})")
_REFUSED = Phrase("stays as it is: {label}: {problem}", "остаётся как есть: {label}: {problem}")
_UNANSWERED = Phrase(
    "without an answer, and left as they are: {count} ({names})",
    "без ответа, остаются как есть: {count} ({names})",
)
_NOTHING = Phrase(
    "nothing to bless: the calls of {cases} are what is expected",
    "принимать нечего: вызовы совпадают с ожидаемыми ({cases})",
)
_NOT_SELECTED = Phrase(
    "nothing is selected: no case fits -k", "ничего не выбрано: под -k не подходит ни один случай"
)
_NOTHING_WRITABLE = Phrase("nothing can be written", "записать ничего нельзя")
_WITHOUT_YES = Phrase(
    "nothing is written: there is no terminal to ask on. If all of this is right, say --yes",
    "ничего не записано: спросить не у кого. Если всё верно, добавьте --yes",
)
_UNWRITTEN = Phrase("nothing is written", "ничего не записано")


def question(written: Sequence[Rewritten], lang: Language) -> str:
    """Whether to write all this."""
    return say(
        _QUESTION,
        lang,
        expectations=count_of(_EXPECTATIONS, len(written), lang),
        files=count_of(_FILES, len({_file_of(each) for each in written}), lang),
    )


def written_lines(written: Sequence[Rewritten], lang: Language) -> Iterator[str]:
    """What was written, by file."""
    for file, count in Counter(_file_of(each) for each in written).items():
        expectations = count_of(_EXPECTATIONS, count, lang)
        yield say(_WRITTEN, lang, file=escape(file), expectations=expectations)


def _file_of(written: Rewritten) -> str:
    return written.place.rpartition(":")[0]


def refused_lines(refused: Sequence[Unblessed], lang: Language) -> Iterator[str]:
    """What stays as it is, and why."""
    for label, problem in refused:
        yield say(_REFUSED, lang, label=escape(label), problem=escape(problem))


def unanswered_line(found: Blessings, lang: Language) -> str:
    """The cases of which nothing is known, for there is no answer."""
    names = [escape(label) for label in found.unanswered[:_MOST_NAMED]]
    more = ["..."] if len(found.unanswered) > _MOST_NAMED else []
    return say(_UNANSWERED, lang, count=len(found.unanswered), names=", ".join([*names, *more]))


def nothing_line(found: Blessings, lang: Language) -> str:
    """That there is nothing to write, and why."""
    if found.refused:
        return say(_NOTHING_WRITABLE, lang)
    answered = found.cases - len(found.unanswered)
    return say(_NOTHING, lang, cases=count_of(_CASES, answered, lang))


def unselected_line(lang: Language) -> str:
    """That no case has the words that were asked for."""
    return say(_NOT_SELECTED, lang)


def without_yes(lang: Language) -> str:
    """That nobody can be asked."""
    return say(_WITHOUT_YES, lang)


def unwritten_line(lang: Language) -> str:
    """That nothing was written, for nobody wanted it."""
    return say(_UNWRITTEN, lang)

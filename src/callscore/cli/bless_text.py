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
    "others_line",
    "question",
    "refused_lines",
    "renamed_line",
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
_EXPECT_NOTHING = Phrase("; {cases} without expected calls", "; без ожидаемых вызовов: {cases}")
_NOTHING_EXPECTED = Phrase(
    "nothing to bless: no case says which calls are expected ({cases})",
    "принимать нечего: ни один случай не говорит, каких вызовов ждать ({cases})",
)
_OTHERS = Phrase(
    "calls as expected, but another scorer is not content: {count} ({names})",
    "вызовы совпадают с ожидаемыми, но недоволен другой оценщик: {count} ({names})",
)
_RENAMED = Phrase(
    "{cases} without an id: named for what is expected, so the next run calls it otherwise",
    "без своего id: {cases}; имя берётся из ожидаемого, поэтому в следующем запуске оно другое",
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
    for label, problem, reason in refused:
        why = problem if reason is None else reason.text(lang)
        yield say(_REFUSED, lang, label=escape(label), problem=escape(why))


def unanswered_line(found: Blessings, lang: Language) -> str:
    """The cases of which nothing is known, for there is no answer."""
    return _named_line(_UNANSWERED, found.unanswered, lang)


def others_line(found: Blessings, lang: Language) -> str:
    """The cases that fail for another reason than their calls."""
    return _named_line(_OTHERS, found.others, lang)


def _named_line(phrase: Phrase, labels: Sequence[str], lang: Language) -> str:
    names = [escape(label) for label in labels[:_MOST_NAMED]]
    more = ["..."] if len(labels) > _MOST_NAMED else []
    return say(phrase, lang, count=len(labels), names=", ".join([*names, *more]))


def nothing_line(found: Blessings, lang: Language) -> str:
    """That there is nothing to write, and why."""
    if found.refused:
        return say(_NOTHING_WRITABLE, lang)
    right = found.cases - len(found.unanswered) - found.unexpecting
    silent = count_of(_CASES, found.unexpecting, lang)
    if not right and found.unexpecting:
        return say(_NOTHING_EXPECTED, lang, cases=silent)
    line = say(_NOTHING, lang, cases=count_of(_CASES, right, lang))
    return line + (say(_EXPECT_NOTHING, lang, cases=silent) if found.unexpecting else "")


def renamed_line(count: int, lang: Language) -> str:
    """That cases are called otherwise from now on."""
    return say(_RENAMED, lang, cases=count_of(_CASES, count, lang))


def unselected_line(lang: Language) -> str:
    """That no case has the words that were asked for."""
    return say(_NOT_SELECTED, lang)


def without_yes(lang: Language) -> str:
    """That nobody can be asked."""
    return say(_WITHOUT_YES, lang)


def unwritten_line(lang: Language) -> str:
    """That nothing was written, for nobody wanted it."""
    return say(_UNWRITTEN, lang)

"""The document of a report: everything that it shows above and beside its cases.

`static/types.d.ts` describes its JSON. The reports on scores, runs, comparisons, checks and gates fill in their parts.
"""

from __future__ import annotations

import shlex
from collections.abc import Iterable, Iterator, Mapping, Sequence
from typing import TYPE_CHECKING, Any, Literal

import msgspec
from msgspec import Struct, field

from callscore.core.phrases import Language, Phrase, say
from callscore.core.rendering import HIDDEN_CHARACTERS
from callscore.reports.html.bundle import ReportFile, file_parts
from callscore.reports.html.catalogue import words_in
from callscore.reports.html.static_summary import summary_markup
from callscore.words.value_text import (
    confused_tools,
    has_meaningful_precision,
    json_safe,
    worst_tools,
)

if TYPE_CHECKING:
    from callscore.core.settings import Settings
    from callscore.core.statistics import Interval
    from callscore.core.summary import Summary
    from callscore.reports.html.packing import Packer

# Of the control characters a text has only line breaks and tabs.
_CONTROLS = "\x00-\x08\x0b-\x1f\x7f-\x9f"

PRECISION = Phrase("Precision", "Precision")
RECALL = Phrase("Recall", "Recall")
MICRO_F1 = Phrase("Micro F1, calls pooled", "Micro F1, все вызовы вместе")
EXACT = Phrase("Exact matches", "Точные совпадения")


class Heading(Struct, frozen=True, kw_only=True):
    """What a command knows about its report, beside the results.

    Attributes:
        title: what the report is about: a file, an evaluation, two runs.
        case_command: the command that explains a case, up to its id.
        next: what to do next, if it does not depend on the results.
    """

    title: str = ""
    case_command: str = ""
    next: tuple[NextStep, ...] = ()


class NextStep(Struct, frozen=True):
    """A command to type next, and why."""

    command: str
    why: str


class Verdict(Struct, frozen=True):
    """The verdict of a report, in one sentence and some more below it."""

    status: Literal["good", "bad", "neutral"]
    text: str
    details: tuple[str, ...] = ()


class Fact(Struct, frozen=True, omit_defaults=True):
    """A number with its name."""

    label: str
    value: Any
    format: Literal["percent", "number", "seconds", "text"]
    interval: list[float] | None = None


class Note(Struct, frozen=True):
    """A sentence about the results, and the names that it is about."""

    text: str
    names: tuple[str, ...] = ()
    is_warning: bool = False


class Headline(Struct, frozen=True):
    """The main number of a report."""

    label: str
    value: float | None
    interval: list[float] | None = None
    rating: str | None = None
    meaning: str = ""


class Counts(Struct, frozen=True):
    """How many cases and trials there are, and how many of the trials passed."""

    cases: int = 0
    trials: int = 0
    passed: int = 0
    failed: int = 0
    errors: int = 0
    unscored: int = 0


class Document(Struct, frozen=True, kw_only=True):
    """All but the cases of a report."""

    version: int = 1
    kind: Literal["score", "run", "compare", "check", "gate"]
    lang: Language
    words: Mapping[str, Any] = {}
    hidden_characters: str = ""
    title: str
    subtitle: tuple[str, ...] = ()
    at: float | None = None
    verdict: Verdict
    headline: Headline | None = None
    facts: tuple[Fact, ...] = ()
    counts: Counts = Counts()
    calls: Mapping[str, int] | None = None
    tools: Sequence[Any] = ()
    confusion: Sequence[Any] = ()
    evaluations: Sequence[Any] = ()
    trials: Mapping[str, Any] | None = None
    metrics: Sequence[Any] = ()
    notes: Sequence[Note] = ()
    next: Sequence[NextStep] = ()
    settings: Sequence[str] = ()
    pass_mark: float = 1.0
    not_shown: int = 0
    case_command: str = ""
    comparison: Mapping[str, Any] | None = None
    gate: Mapping[str, Any] | None = None
    starts: Sequence[int] = field(default_factory=list)


def document_json(document: Document, lang: Language) -> bytes:
    """A document as JSON, with the words of its language."""
    whole = msgspec.structs.replace(
        document, words=words_in(lang), hidden_characters=hidden_characters()
    )
    try:
        return msgspec.json.encode(whole)
    except UnicodeEncodeError:  # half of a surrogate pair
        return msgspec.json.encode(json_safe(msgspec.to_builtins(whole)))


def document_parts(document: Document, packer: Packer, lang: Language) -> Iterator[bytes]:
    """The file of a report, in parts, from its document and its cases."""
    index = packer.packed_index()
    whole = msgspec.structs.replace(document, starts=packer.starts)
    file = ReportFile(
        document_json(whole, lang),
        index,
        packer.chunks(),
        title=f"{document.title} – callscore" if document.title else "callscore",
        summary=summary_markup(whole, lang),
    )
    yield from file_parts(file, lang)


def hidden_characters() -> str:
    """The characters to show as escapes, as ranges of a regular expression of JavaScript."""
    return "".join(
        [each if each == "-" else f"\\u{{{ord(each):x}}}" for each in _CONTROLS + HIDDEN_CHARACTERS]
    )


def with_argument(command: str, argument: str) -> str:
    """A command with one more argument, as it is typed in a shell."""
    return f"{command} {shlex.quote(argument)}"


# --- parts that several reports have --------------------------------------------------------------


def interval_of(interval: Interval | None) -> list[float] | None:
    """An interval as a list of its two ends."""
    return None if interval is None else list(interval)


def tools_of(summary: Summary) -> list[dict[str, Any]]:
    """The counts of each tool, worst first."""
    names = ("expected", "correct", "incorrect", "missed", "extra", "forbidden")
    return [
        {"tool": json_safe(tool), **{name: getattr(counts, name) for name in names}}
        for tool, counts in worst_tools(summary)
    ]


def confusion_of(summary: Summary) -> list[dict[str, Any]]:
    """The matrix of expected and called tools; on its diagonal are the pairs, correct or not."""
    pairs = [
        (tool, tool, counts.correct + counts.incorrect)
        for tool, counts in worst_tools(summary)
        if counts.correct + counts.incorrect
    ]
    return [
        {"expected": json_safe(expected), "called": json_safe(called), "count": count}
        for expected, called, count in (*pairs, *confused_tools(summary))
    ]


def rate_facts(
    summary: Summary, lang: Language, all_settings: Iterable[Settings]
) -> tuple[Fact, ...]:
    """Precision, recall, the micro F1 and the share of exact cases.

    Precision is left out if it says nothing under any of the settings with which cases were scored.
    """
    if not summary.scored:
        return ()
    precision = Fact(say(PRECISION, lang), summary.macro_precision, "percent")
    return (
        *([precision] if any(map(has_meaningful_precision, all_settings)) else []),
        Fact(say(RECALL, lang), summary.macro_recall, "percent"),
        Fact(say(MICRO_F1, lang), summary.micro_f1, "percent"),
        Fact(
            say(EXACT, lang),
            summary.exact / summary.cases,
            "percent",
            interval_of(summary.exact_interval),
        ),
    )


def notes_of(lines: Sequence[tuple[str, str]], *, is_warning: bool = False) -> tuple[Note, ...]:
    """Sentences and the first names in each, as the other formats have them."""
    texts = [f"{text} ({names})" if names else text for text, names in lines]
    return tuple([Note(text, is_warning=is_warning) for text in texts])

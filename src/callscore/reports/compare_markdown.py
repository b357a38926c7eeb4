"""Two runs compared as Markdown, for a pull request or a build summary."""

from __future__ import annotations

from typing import TYPE_CHECKING

from callscore.core.wording import count_of, say
from callscore.reports import compare_wording as wording
from callscore.reports.compare_notes import alarm_notes, below_notes, compare_notes
from callscore.reports.compare_parts import (
    MARKS,
    by_kind,
    change_rows,
    has_several,
    moved_slices,
)
from callscore.reports.markdown_text import code, entities, note_item, table
from callscore.reports.wording import CASES

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from callscore.comparing.comparison import ChangeKind, Comparison, Difference, Slice
    from callscore.core.wording import Language

__all__ = ["FEW", "change_blocks", "facts", "note_items", "slice_blocks", "write"]

FEW = 10


def write(comparison: Comparison, *, most: int = FEW, lang: Language = "en") -> str:
    """The verdict, the notes, and the tables; names from the data stay plain text.

    Args:
        comparison: what it is about.
        most: how many cases to show of those that went otherwise in the same way, and how many tools
            and tags.
        lang: the language.
    """
    grave = [*alarm_notes(comparison, lang), *below_notes(comparison, lang, write=code)]
    blocks = [
        _heading(comparison, lang),
        *facts(comparison, lang),
        "\n".join(
            [
                *note_items(grave, is_grave=True),
                *note_items(compare_notes(comparison, lang, write=code)),
            ]
        ),
        *_measures(comparison, lang),
        *change_blocks(comparison, most, lang),
        *slice_blocks(comparison, moved_slices(comparison), most, lang),
    ]
    return "\n\n".join(block for block in blocks if block) + "\n"


def _heading(comparison: Comparison, lang: Language) -> str:
    main = comparison.main
    verdict = say(wording.VERDICTS[main.verdict], lang).capitalize()
    return f"## {verdict}: {wording.change_line(comparison, lang, write=code)}"


def facts(comparison: Comparison, lang: Language) -> Iterator[str]:
    """How sure the verdict is, how the cases went, and which runs it is about."""
    main = comparison.main
    lines = []
    if main.change is not None:
        lines += [wording.sure_line(main, lang), *wording.visible_lines(main, lang)]
    flips = ", ".join(words for words, _ in wording.flips(comparison, lang))
    yield "  \n".join([*lines, *([flips] if flips else [])])
    sides = ((wording.BEFORE, comparison.before), (wording.AFTER, comparison.after))
    yield "  \n".join(
        f"{say(label, lang)}: {', '.join(wording.side_words(side, lang, write=code))}"
        for label, side in sides
    )


def note_items(lines: Sequence[tuple[str, str]], *, is_grave: bool = False) -> list[str]:
    """Sentences, and the first names in each, as items; what is grave in bold."""
    return [note_item(*line, is_bold=is_grave) for line in lines]


def _measures(comparison: Comparison, lang: Language) -> Iterator[str]:
    """The table of all measures, where there are others than the one that decides."""
    if not comparison.others:
        return
    labels = (
        *(wording.MEASURE, wording.BEFORE, wording.AFTER, wording.DIFFERENCE),
        *(wording.INTERVAL, wording.P_VALUE),
    )
    rows = [
        (
            wording.measure_name(difference.measure, lang, write=code),
            *_numbers(difference),
            wording.interval_text(difference.interval, lang),
            _p(difference),
        )
        for difference in (comparison.main, *comparison.others)
    ]
    yield table([say(label, lang) for label in labels], rows)


def _numbers(difference: Difference) -> tuple[str, str, str]:
    return (
        wording.share(difference.before),
        wording.share(difference.after),
        wording.points(difference.change),
    )


def _p(difference: Difference) -> str:
    return wording.p_text(difference.p_value).replace("<", "&lt;")


def change_blocks(comparison: Comparison, most: int, lang: Language) -> Iterator[str]:
    """The cases that went otherwise, in a table for each way."""
    for kind in MARKS:
        changes = comparison.changed(kind)
        if changes and most:
            cases = count_of(CASES, len(changes), lang)
            yield f"### {say(wording.CHANGES[kind], lang, cases=cases)}"
            yield _changes(comparison, kind, most, lang)
            if len(changes) > most:
                yield say(wording.MORE, lang, count=len(changes) - most)


def _changes(comparison: Comparison, kind: ChangeKind, most: int, lang: Language) -> str:
    changes = comparison.changed(kind)[:most]
    rows = [
        (code(row.case), row.trials, row.f1, entities(row.remarks))
        for row in change_rows(changes, lang, has_evaluation=has_several(comparison))
    ]
    labels = [say(label, lang) for label in (wording.CASE, wording.TRIALS, wording.F1, wording.WHY)]
    filled = [place for place in range(len(labels)) if any(row[place] for row in rows)]
    return table(
        [labels[place] for place in filled],
        [tuple([row[place] for place in filled]) for row in rows],
    )


def slice_blocks(
    comparison: Comparison, slices: Sequence[Slice], most: int, lang: Language
) -> Iterator[str]:
    """The tools, and the tags, each in a table under what they are compared by."""
    groups = by_kind(slices) if most else []
    for group in groups:
        yield f"### {wording.slice_heading(group[0], lang, write=code)}"
        yield _slices(group[:most], lang)
        if len(group) > most:
            yield say(wording.MORE, lang, count=len(group) - most)
    if groups:
        yield wording.holm_line(comparison, lang)


def _slices(slices: Sequence[Slice], lang: Language) -> str:
    labels = (
        *(wording.KINDS[slices[0].kind], wording.CASE_COUNT, wording.BEFORE, wording.AFTER),
        *(wording.DIFFERENCE, wording.P_VALUE, wording.VERDICT),
    )
    rows = [
        (
            code(part.name),
            str(part.difference.cases),
            *_numbers(part.difference),
            _p(part.difference),
            say(wording.VERDICTS[part.difference.verdict], lang),
        )
        for part in slices
    ]
    return table([say(label, lang) for label in labels], rows)

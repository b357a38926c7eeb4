"""A score as an aligned diff: expected calls on the left, actual calls on the right."""

from __future__ import annotations

from collections import deque
from collections.abc import Iterator, Sequence
from functools import lru_cache
from itertools import islice
from typing import TYPE_CHECKING, NamedTuple

from callscore.core.phrases import Language, Phrase, count_of, say
from callscore.core.rendering import (
    ELLIPSIS,
    common_prefix,
    display_width,
    excerpt,
    plain_arguments_text,
    short_names,
)
from callscore.core.score import Pair, Score, turn_passes
from callscore.words.callers import caller_suffix
from callscore.words.diff_pairs import (
    MAX_DIFFERENCES,
    EqualPair,
    Layout,
    longest_name,
    pair_part,
    state_part,
)
from callscore.words.diff_rows import (
    GAP,
    INDENT,
    MARK,
    FixedRow,
    Line,
    Part,
    Row,
    SingleCall,
    Style,
    TitleRow,
    Widths,
    note,
    note_lines,
    plain_text,
    split_width,
)
from callscore.words.explanation import FORBIDDEN_CALLS, ignored_notes
from callscore.words.reasons import fault_sentence
from callscore.words.turns import (
    END_STATE_TITLE,
    TURN,
    CallBlock,
    call_blocks,
    first_wrong_text,
    has_blocks,
    joined_note,
    state_word,
    turn_word,
)
from callscore.words.unpaired import explain_unpaired, missed_note
from callscore.words.value_text import (
    MORE,
    arguments_text,
    assumed_notes,
    has_meaningful_precision,
    percent,
    shown_rating,
)

if TYPE_CHECKING:
    from rich.text import Text

    from callscore.core.call import ToolCall

_MIN_WIDTH = 40
_MAX_ALIKE = 100  # calls of one tool that a call is compared with
_LONGEST_CALL = 2000
_SHORTEST_EXCERPT = 8
_LEAST_ROOM = 98  # for a call without a partner: as much as a line of 100 columns has
COLOURS: dict[Style, str] = {
    "": "",
    "muted": "dim",
    "correct": "green",
    "incorrect": "yellow",
    "missed": "red",
    "extra": "magenta",
    "forbidden": "bold red",
    "changed": "bold",
}

HEADLINE = Phrase(
    "Score {score}   Precision {precision}   Recall {recall}   {rating}",
    "Оценка {score}   Precision {precision}   Recall {recall}   {rating}",
)
HEADLINE_WITHOUT_PRECISION = Phrase(
    "Score {score}   Recall {recall}   {rating}",
    "Оценка {score}   Recall {recall}   {rating}",
)
EXPECTED = Phrase("Expected", "Ожидаемые вызовы")
ACTUAL = Phrase("Actual", "Фактические вызовы")
NOTHING = Phrase("No calls expected, none made.", "Вызовов не ожидалось и не было.")
NOTHING_COUNTS = Phrase(
    "No call counts under these settings.", "При этих настройках ни один вызов не учитывается."
)
FORBIDDEN = Phrase("forbidden", "запрещён")
BY_THE_SCHEMAS = Phrase("Schema errors:", "Ошибки по схемам:")
FAULT = Phrase("actual {j} {fault}", "фактический {j} {fault}")
# If some calls of the trace do not count, the numbers of the others differ from those in the trace.
FAULT_IN_TRACE = Phrase("call {j} of the trace, {fault}", "вызов {j} трассы, {fault}")


def diff_lines(score: Score, *, width: int = 100, lang: Language = "en") -> list[Line]:
    """The score on one line, and below it the calls of both sides, aligned."""
    return [
        _headline(score, lang, is_failed=not score.passed),
        (),
        *call_lines(score, width=width, lang=lang),
    ]


def score_text(
    score: Score, *, width: int = 100, lang: Language = "en", is_failed: bool | None = None
) -> str:
    """The text of `diff_lines`, without colour; a case may fail for other reasons than its score."""
    line = _headline(score, lang, is_failed=not score.passed if is_failed is None else is_failed)
    return f"{plain_text([line])}\n\n{calls_text(score, width=width, lang=lang)}"


def _headline(score: Score, lang: Language, *, is_failed: bool) -> Line:
    settings = score.settings
    phrase = HEADLINE if has_meaningful_precision(settings) else HEADLINE_WITHOUT_PRECISION
    rates = score.f1, score.precision, score.recall
    word = shown_rating(score, is_failed=is_failed, lang=lang)
    text = _rates_text(phrase, rates, settings.pass_mark, lang, word)
    line: Line = ((text, ""),)
    wrong = first_wrong_text(score, lang)
    if wrong:
        line = (*line, (" " * GAP, ""), (wrong, "missed"))
    if not score.forbidden:
        return line
    calls = count_of(FORBIDDEN_CALLS, len(score.forbidden), lang)  # then the score is 0
    return (*line, (" " * GAP, ""), (calls, "forbidden"))


# Cases have few calls, so that many have the same rates.
@lru_cache(maxsize=1024)
def _rates_text(
    phrase: Phrase,
    rates: tuple[float, float, float],
    pass_mark: float,
    lang: Language,
    word: str,
) -> str:
    f1, *others = rates
    score, (precision, recall) = percent(f1, border=pass_mark), map(percent, others)
    text = say(phrase, lang, score=score, precision=precision, recall=recall, rating=word)
    return text.rstrip()


def call_lines(score: Score, *, width: int = 100, lang: Language = "en") -> list[Line]:
    """The calls of both sides in two columns that together take at most `width` columns.

    The marks are `=` correct, `~` incorrect, `-` missed, `+` extra, `!` forbidden. Below them are the
    numbers of calls that do not count, and the faults that the schemas find.
    """
    width = max(width, _MIN_WIDTH)
    if not score.expected and not score.actual:
        return _lines_without_calls(score, width, lang)
    parts, drawn, widths = _laid_out(score, width, lang)
    return [line for part in parts for line in part.lines(drawn, widths)]


def calls_text(score: Score, *, width: int = 100, lang: Language = "en") -> str:
    """The text of `call_lines`, without colour: written at once, which takes half as long."""
    width = max(width, _MIN_WIDTH)
    if not score.expected and not score.actual:
        return plain_text(_lines_without_calls(score, width, lang))
    parts, drawn, widths = _laid_out(score, width, lang)
    return "\n".join([part.text(drawn, widths) for part in parts])


def _lines_without_calls(score: Score, width: int, lang: Language) -> list[Line]:
    nothing = note(say(NOTHING_COUNTS if score.ignored else NOTHING, lang), indent="")
    rows = [nothing, *_footer_rows(score, lang)]
    return [line for row in rows for line in note_lines(row, ((row.indent, ""),), width)]


def _laid_out(score: Score, width: int, lang: Language) -> tuple[list[Part], Widths, Widths]:
    """The parts, the widths for which they are drawn, and the widths in which they are laid out."""
    room = width - MARK
    # Names are shown whole; only huge ones are shortened.
    names = {call.name for call in (*score.expected, *score.actual)}
    short = short_names(names, longest_name(room))
    parts = _parts(score, Layout(width, room, short, explain_unpaired(score, lang), lang))
    most = [part.most for part in parts]
    drawn = split_width(room - GAP, most)
    # What is cut may need less room. It hardly ever does, and then the layout stays the same.
    columns = [part.columns(drawn) for part in parts]
    widths = drawn if columns == most else split_width(room - GAP, columns)
    if widths != drawn and not any(part.has_ellipsis(drawn) for part in parts):
        drawn = widths  # the left side is complete, so that the right side can have all the rest
    return parts, drawn, widths


def rich_text(lines: list[Line]) -> Text:
    """The lines in colour; their text is never interpreted as markup."""
    from rich.text import Text

    text = Text(no_wrap=True, overflow="ignore")
    for number, line in enumerate(lines):
        text.append("\n" if number else "")
        for content, style in line:
            text.append(content, COLOURS[style])
    return text


def _parts(score: Score, layout: Layout) -> list[Part]:
    """The header, the calls in expected order with extra calls where they happened, and the footer."""
    expected, actual = score.expected, score.actual
    parts: list[Part] = [_HEADERS.get(layout.lang) or _header(layout.lang)]
    start, columns, pairs = _pairs_by_position(score)
    if has_blocks(score):
        columns, start = columns | {at: at for at in range(start)}, 0
    parts += [EqualPair(expected[at], actual[at], layout) for at in range(start)]
    extra: deque[int] = deque()
    if start + len(columns) < len(actual):
        paired = set(columns.values())
        extra.extend([column for column in range(start, len(actual)) if column not in paired])
    places = _Places(columns, pairs)
    if not has_blocks(score):
        parts += _call_parts(score, places, (range(start, len(expected)), extra), layout)
    else:
        for block in call_blocks(score, extra):
            parts += _block_parts(score, places, block, layout)
    if score.ignored or score.faults or score.assumed_writes or score.expectation is not None:
        parts += map(FixedRow, _footer_rows(score, layout.lang))
    return parts


class _Places(NamedTuple):
    """The actual position of each pair by the expected one, and the pairs that may have differences."""

    columns: dict[int, int]
    pairs: dict[int, Pair]


def _block_parts(score: Score, places: _Places, block: CallBlock, layout: Layout) -> list[Part]:
    """A title, and the calls of a turn or the differences of the state at the end."""
    lang, turn = layout.lang, block.turn
    if block.is_state:
        pair, word = score.state, state_word(score, lang)
        is_fine = pair is not None and pair.is_correct
        title = TitleRow(
            (say(END_STATE_TITLE, lang), "muted" if is_fine else "changed"),
            (word, "muted" if is_fine else "missed"),
        )
        return [title, *([state_part(pair, layout)] if pair and pair.differences else [])]
    parts: list[Part] = []
    if turn is not None:
        is_fine = turn_passes(turn, score.settings.pass_mark)
        name = say(TURN, lang, number=turn.number)
        style: Style = "forbidden" if turn.forbidden else "missed"
        word = turn_word(turn, score, lang)
        parts.append(
            TitleRow((name, "muted"), (word, "muted"))
            if is_fine
            else TitleRow((name, "changed"), (word, style))
        )
    return parts + _call_parts(score, places, (block.rows, deque(block.extra)), layout)


def _call_parts(
    score: Score, places: _Places, calls: tuple[Sequence[int], deque[int]], layout: Layout
) -> list[Part]:
    """Expected calls at these positions in order, with the extra calls where they happened."""
    expected, actual, (columns, pairs) = score.expected, score.actual, places
    parts: list[Part] = []
    rows, extra = calls
    for position in rows:
        column = columns.get(position, -1)
        if column < 0:
            parts += _missed_parts(score, position, layout)
            continue
        while extra and extra[0] < column:
            parts += _extra_parts(score, extra.popleft(), layout)
        if position in pairs:
            parts.append(pair_part(pairs[position], layout))
        else:
            parts.append(EqualPair(expected[position], actual[column], layout))
    for column in extra:
        parts += _extra_parts(score, column, layout)
    return parts


def _header(lang: Language) -> FixedRow:
    left, right = say(EXPECTED, lang), say(ACTUAL, lang)
    return FixedRow(Row((" ", ""), ((left, "muted"),), ((right, "muted"),)))


_HEADERS: dict[Language, FixedRow] = {"en": _header("en"), "ru": _header("ru")}


def _footer_rows(score: Score, lang: Language) -> Iterator[Row]:
    """The calls that do not count, turns that were not told apart, and what the schemas find."""
    joined = joined_note(score, lang)
    if joined is not None:
        yield note(joined, indent="")
    for text in (*ignored_notes(score, lang), *assumed_notes(score.assumed_writes, lang)):
        yield note(text, indent="")
    if score.faults:
        yield note(say(BY_THE_SCHEMAS, lang), indent="")
        is_whole = all(ignored.side == "expected" for ignored in score.ignored)
        phrase = FAULT if is_whole else FAULT_IN_TRACE
        for fault in islice(score.faults, MAX_DIFFERENCES):
            sentence = fault_sentence(fault, lang=lang)
            text = say(phrase, lang, j=fault.index + 1, fault=sentence)
            yield note(text, style="", hang=len(INDENT))
        if len(score.faults) > MAX_DIFFERENCES:
            yield note(say(MORE, lang, count=len(score.faults) - MAX_DIFFERENCES))


def _pairs_by_position(score: Score) -> tuple[int, dict[int, int], dict[int, Pair]]:
    """How many pairs of equal calls there are at the start, and where the others are.

    Then the actual position of each other pair by the expected one, and the pairs that may have differences.
    """
    # Most pairs are equal calls, and making them would take longer than the rest. In a score without
    # secrets, each pair has its differences.
    if score.__class__ is Score and score.has_equal_pairs:
        start, columns, pairs = score.equal_start, dict(score.other_correct), score.incorrect
    else:
        start, columns, pairs = 0, {}, (*score.correct, *score.incorrect)
    found: dict[int, Pair] = {}
    for pair in pairs:
        columns[pair.expected_index] = pair.actual_index
        found[pair.expected_index] = pair
    return start, columns, found


def _missed_parts(score: Score, position: int, layout: Layout) -> list[Part]:
    call, reasons = score.expected[position], layout.reasons
    name, arguments = _single_call(call, score.expected, layout)
    parts: list[Part] = [SingleCall(("-", "missed"), name, arguments, is_extra=False)]
    texts = (
        missed_note(reasons.missed.get(position), call, layout.lang),
        reasons.look_alikes.get(call.name),
    )
    return parts + [FixedRow(note(text)) for text in texts if text is not None]


def _extra_parts(score: Score, position: int, layout: Layout) -> list[Part]:
    call, calls = score.actual[position], score.actual
    name, arguments = _single_call(call, calls, layout)
    if position in score.forbidden:
        word = say(FORBIDDEN, layout.lang)
        return [SingleCall(("!", "forbidden"), name, arguments, is_extra=True, word=word)]
    parts: list[Part] = [SingleCall(("+", "extra"), name, arguments, is_extra=True)]
    if position in layout.reasons.extra:
        parts.append(FixedRow(note(layout.reasons.extra[position])))
    return parts


def _single_call(call: ToolCall, calls: Sequence[ToolCall], layout: Layout) -> tuple[str, str]:
    """The name and the arguments of a call without a partner, and who makes it.

    If these are longer than a line, the part that differs from calls of the same tool is shown.
    """
    name, caller = layout.names[call.name], caller_suffix(call, layout.lang)
    room = max(layout.room, _LEAST_ROOM)
    limit = room - display_width(name) - display_width(caller)
    if call.error is None and call.arguments is not None and limit > _SHORTEST_EXCERPT:
        plain = plain_arguments_text(call.arguments, limit - len("()"))
        if plain is not None and len(plain) <= limit - len("()") and not plain.endswith(ELLIPSIS):
            return name, f"({plain}){caller}"  # most calls
    text = arguments_text(call, limit=limit, lang=layout.lang)
    if text.endswith(f"{ELLIPSIS})") and limit > _SHORTEST_EXCERPT:
        alike = [
            each
            for each in islice(calls, _MAX_ALIKE)
            if each.name == call.name and each is not call
        ]
        if alike:
            whole = arguments_text(call, limit=_LONGEST_CALL)[1:-1]
            others = {arguments_text(each, limit=_LONGEST_CALL)[1:-1] for each in alike} - {whole}
            at = max([common_prefix(whole, other) for other in others], default=0)
            text = f"({excerpt(whole, at, limit - len('()'))})" if at else text
    return name, text + caller

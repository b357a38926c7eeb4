"""The report of advised settings: its phrases, and its JSON, Markdown and TOML forms."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from pathlib import PurePath
from typing import TYPE_CHECKING, Any, Final

from callscore.core.phrases import Language, Phrase, Plural, count_of, say
from callscore.core.rendering import clip, escape
from callscore.reports.formatting import (
    NO_NUMBER,
    UNREAD_NOTE,
    Escaper,
    code,
    fenced,
    first_names,
    join_blocks,
    note_items,
    number_text,
    table,
    unread_places,
)
from callscore.words.diff import call_lines
from callscore.words.diff_rows import Line, plain_text
from callscore.words.explanation import ignored_notes
from callscore.words.plain_data import call_to_dict, noted_to_dict
from callscore.words.reasons import difference_reason
from callscore.words.value_text import CASES, MORE, call_text, encode_json, json_document, percent

if TYPE_CHECKING:
    from callscore.advising.advice import Advice, Bin, Disagreement, Learned, SettingsEvidence
    from callscore.advising.suspects import Suspect
    from callscore.core.score import Score

_RUNS = Plural(("run", "runs"), ("прогон", "прогона", "прогонов"))
_TASKS = Plural(("task", "tasks"), ("задача", "задачи", "задач"))
_SUCCEEDED = Plural(("succeeded", "succeeded"), ("успешный", "успешных", "успешных"))
_HEADLINE = Phrase("{runs}, {tasks}, {successes}", "{runs}, {tasks}, {successes}")
_RECOMMENDED = Phrase("Recommended: {settings}", "Рекомендуется: {settings}")
_CROSS_VALIDATED = Phrase(
    "On tasks that the settings were not chosen on: AUC {auc} ({low} to {high}), agreement {agreement},"
    " precision {precision}.",
    "На задачах, по которым настройки не выбирались: AUC {auc} (от {low} до {high}), согласие"
    " {agreement}, точность {precision}.",
)
_NOTHING = Phrase(
    "No settings tell success from failure in these runs, so the simplest are recommended. Read the"
    " disagreements: the reference, or the label, may be about something else.",
    "Никакие настройки не отличают в этих прогонах успех от неудачи, поэтому рекомендуются самые"
    " простые. Посмотрите разногласия: возможно, эталон или признак успеха о другом.",
)
_PERFECT = Phrase(
    "AUC 1 means that no failure scored as high as a success in these {runs}, which does not prove"
    " that none will.",
    "AUC 1 означает, что ни одна неудача не оценена так же высоко, как успех; прогонов: {count}, и это"
    " не доказывает, что так будет всегда.",
)
_KEPT = Phrase(
    "Rules that were kept from {source}: {rules}. How they were chosen is not part of the numbers: if"
    " it was by these runs, the numbers are too high.",
    "Сохранены правила ({source}): {rules}. Как они были выбраны, в числах не учтено: если по этим же"
    " прогонам, то числа завышены.",
)
_START_ANEW = Phrase("--no-config starts without them.", "--no-config начинает без них.")
_GIVEN_SETTINGS = Phrase("the settings", "настройки")
PRESETS = Phrase("Presets", "Пресеты")
NO_ALTERNATIVES = Phrase(
    "No other value of a single setting changes any score.",
    "Никакое другое значение одной настройки не меняет ни одной оценки.",
)
ALTERNATIVES = Phrase(
    "The recommended settings with one change", "Рекомендуемые настройки с одним изменением"
)
SETTINGS = Phrase("settings", "настройки")
CHANGE = Phrase("change", "изменение")
AUC = Phrase("AUC", "AUC")
INTERVAL = Phrase("95 % interval", "интервал 95 %")
AGREEMENT = Phrase("agreement", "согласие")
PRECISION = Phrase("precision", "точность")
DIFFERENCE = Phrase("difference", "разница")
_TO = Phrase("{low} to {high}", "от {low} до {high}")
HOW_TO_READ = Phrase(
    "AUC: how often a success scores higher than a failure; 0.5 is chance. agreement: runs that pass"
    " exactly if they succeeded. precision: passing runs that succeeded.",
    "AUC: как часто успех оценён выше неудачи; 0.5 — случайность. согласие: доля прогонов, которые"
    " пройдены тогда и только тогда, когда успешны. точность: доля успешных среди пройденных.",
)
_EXTRA_CALLS = {
    "hurt": Phrase(
        "Extra calls hurt: scores that they lower tell success from failure better.",
        "Лишние вызовы вредят: если они снижают оценку, она лучше отличает успех от неудачи.",
    ),
    "not_hurt": Phrase(
        "Extra calls do not hurt: scores that they do not lower tell success from failure better.",
        "Лишние вызовы не вредят: если они не снижают оценку, она лучше отличает успех от неудачи.",
    ),
    "unclear": Phrase(
        "The runs do not show whether extra calls hurt.",
        "По этим прогонам не видно, вредят ли лишние вызовы.",
    ),
}
_OTHERS_COUNT = Phrase(
    'calls of tools without a rule go on counting, also if they read: "*" = "write" in \'effects\'',
    'вызовы инструментов без правила по-прежнему учитываются, в том числе чтение: "*" = "write"'
    " в 'effects'",
)
LEARNED = Phrase("What the labels show", "Что показывают признаки успеха")
_LEARNED = {
    "read": Phrase(
        "{name} only reads: its calls do not count", "{name} только читает: вызовы не учитываются"
    ),
    "write": Phrase(
        "{name} changes something: its calls count", "{name} что-то меняет: вызовы учитываются"
    ),
    "ignore": Phrase("the argument {name} does not matter", "аргумент {name} не важен"),
}
_LEARNED_EVIDENCE = Phrase(
    "{what} (it changes the scores of {runs}: AUC {gain}, interval {low} to {high}; agreement"
    " {agreement})",
    "{what} (меняет оценки: {runs}; AUC {gain}, интервал от {low} до {high}; согласие {agreement})",
)
RELIABILITY = Phrase("Share of success by score", "Доля успеха по оценкам")
SCORE = Phrase("score", "оценка")
SUCCESS = Phrase("success", "успех")
RUNS_COLUMN = Phrase("runs", "прогоны")
DISAGREEMENTS = Phrase(
    "Disagreements: {passing} passing but failed, {failing} succeeded but not passing",
    "Разногласия: пройдены, но неудачны — {passing}; успешны, но не пройдены — {failing}",
)
_PASSES = Phrase("passes, but failed", "пройден, но неудачен")
_FAILS = Phrase("succeeded, but scores {score}", "успешен, но оценка {score}")
MORE_RUNS = Phrase(
    "… {runs} not shown; --max-shown shows more",
    "… не показано: {runs}; --max-shown покажет больше",
)
_ALL_RIGHT = Phrase("every call that counts is as expected", "все учитываемые вызовы как ожидалось")
_NO_CALLS = Phrase("no call counts", "ни один вызов не учитывается")
_MISSED = Phrase("missed {call}", "пропущен {call}")
_EXTRA = Phrase("extra {call}", "лишний {call}")
_FORBIDDEN = Phrase("forbidden {call}", "запрещён {call}")
SUSPECTS = Phrase(
    "Suspect references: successful runs agree with one another, and not with the reference",
    "Сомнительные эталоны: успешные прогоны согласны между собой, но не с эталоном",
)
_SUSPECT = Phrase(
    "{agreeing} of {successes} made these calls; passing: {passing}; failed alike: {failures}",
    "эти вызовы сделали {agreeing} из {successes}; пройдено: {passing}; неудачно с теми же: {failures}",
)
_SUCCESSFUL = Plural(
    ("successful run", "successful runs"),
    ("успешного прогона", "успешных прогонов", "успешных прогонов"),
)
_BY_HAND = Phrase("change it by hand", "измените вручную")
BLESS = Phrase(
    "To accept alternatives: advise with --proposals FILE, then callscore bless --proposals FILE",
    "Принять варианты: advise с --proposals FILE, затем callscore bless --proposals FILE",
)
_UNLABELLED = Phrase("{runs} without a label left out", "без признака успеха, не учтено: {runs}")
_UNSCORABLE = Phrase(
    "{runs} without expected or actual calls left out",
    "без ожидаемых или фактических вызовов, не учтено: {runs}",
)
_SKIPPED = Phrase("{runs} could not be read", "не удалось прочитать: {runs}")
_RECORDS = Plural(("record", "records"), ("запись", "записи", "записей"))
TO_USE = Phrase("In callscore.toml (--write writes it):", "В callscore.toml (запишет --write):")

_ANY: Final = "*"
_MOST_LINES = 12
_REASON_WIDTH = 160
_DIFF_WIDTH = 100
_BAR = "█"


def headline(advice: Advice, lang: Language) -> str:
    """How many runs there are, of how many tasks, and how many succeeded."""
    return say(
        _HEADLINE,
        lang,
        runs=count_of(_RUNS, advice.runs, lang),
        tasks=count_of(_TASKS, advice.tasks, lang),
        successes=count_of(_SUCCEEDED, advice.successes, lang),
    )


def recommended_lines(advice: Advice, lang: Language, *, write: Escaper = escape) -> list[str]:
    """The recommended settings, and how good they are on tasks they were not chosen on."""
    found = advice.recommended
    lines = [say(_RECOMMENDED, lang, settings=write(found.label))]
    if not advice.is_separating:
        return [*lines, say(_NOTHING, lang)]
    numbers = {
        "auc": number_text(found.auc),
        "low": number_text(found.interval.low),
        "high": number_text(found.interval.high),
        "agreement": number_text(found.agreement),
        "precision": number_text(found.precision),
    }
    lines.append(say(_CROSS_VALIDATED, lang, **numbers))
    if found.auc == 1:
        runs = count_of(_RUNS, advice.runs, lang)
        lines.append(say(_PERFECT, lang, runs=runs, count=advice.runs))
    return lines


def kept_sentence(advice: Advice, lang: Language, *, write: Escaper = escape) -> str:
    """Which rules are not of this advice, and what that means for its numbers; empty without any."""
    kept = advice.kept
    rules = [f"{name} {key}" for name in ("effects", "arguments") for key in getattr(kept, name)]
    if not rules:
        return ""
    source = say(_GIVEN_SETTINGS, lang) if kept.file is None else write(kept.file)
    shown = first_names(rules, len(rules), lang)
    shown = shown if write is escape else write(shown)
    sentence = say(_KEPT, lang, source=source, rules=shown)
    return sentence if kept.file is None else f"{sentence} {say(_START_ANEW, lang)}"


def notes(advice: Advice, lang: Language) -> list[tuple[str, str]]:
    """What is not in the numbers: a sentence, and the first names."""
    found = []
    for phrase, noun, noted in (
        (_UNLABELLED, _RUNS, advice.unlabelled),
        (_UNSCORABLE, _RUNS, advice.unscorable),
        (_SKIPPED, _RECORDS, advice.skipped),
    ):
        if noted.count:
            sentence = say(phrase, lang, runs=count_of(noun, noted.count, lang))
            found.append((sentence, first_names(noted.names, noted.count, lang)))
    if advice.unread.count:
        count = count_of(UNREAD_NOTE[0], advice.unread.count, lang)
        sentence = say(UNREAD_NOTE[1], lang, count=count)
        found.append((sentence, unread_places(advice.unread, lang)))
    return found


def interval_text(interval: Sequence[float], lang: Language, *, is_signed: bool = False) -> str:
    """Both ends of an interval."""
    write = signed if is_signed else number_text
    return say(_TO, lang, low=write(interval[0]), high=write(interval[1]))


def signed(number: float) -> str:
    """A difference with its sign; the minus is as wide as the plus."""
    return f"{'−' if number < 0 else '+'}{number_text(abs(number))}"


def preset_cells(found: SettingsEvidence, lang: Language) -> tuple[str, ...]:
    """The numbers of a row about settings."""
    return (
        number_text(found.auc),
        interval_text(found.interval, lang),
        number_text(found.agreement),
        number_text(found.precision),
    )


def change_label(found: SettingsEvidence, advice: Advice) -> str:
    """What differs from the recommended settings."""
    known = advice.recommended.settings
    changed = [
        f"{name} {value}" for name, value in found.settings.items() if known.get(name) != value
    ]
    gone = [name for name in known if name not in found.settings]
    return ", ".join(changed) or ", ".join(
        f"{name} {getattr(advice.settings, name)} → {NO_NUMBER}" for name in gone
    )


def change_cells(found: SettingsEvidence, lang: Language) -> tuple[str, ...]:
    """The numbers of a row about a change."""
    if found.gain is None or found.gain_interval is None:
        return number_text(found.auc), NO_NUMBER, NO_NUMBER
    between = interval_text(found.gain_interval, lang, is_signed=True)
    return number_text(found.auc), signed(found.gain), between


def learned_sentences(advice: Advice, lang: Language, *, write: Escaper = escape) -> list[str]:
    """What the labels show about tools, arguments and extra calls."""
    if not advice.is_separating:
        return []
    sentences = [_learned_text(each, lang, write) for each in advice.learned]
    if _ANY in advice.recommended.settings.get("effects", {}):
        sentences.append(say(_OTHERS_COUNT, lang))
    return [*sentences, say(_EXTRA_CALLS[advice.extra_calls], lang)]


def _learned_text(found: Learned, lang: Language, write: Escaper) -> str:
    return say(
        _LEARNED_EVIDENCE,
        lang,
        what=say(_LEARNED[found.kind], lang, name=write(found.name)),
        runs=count_of(_RUNS, found.runs, lang),
        gain=signed(found.gain),
        low=signed(found.gain_interval.low),
        high=signed(found.gain_interval.high),
        agreement=signed(found.agreement_gain),
    )


def bin_label(each: Bin, lang: Language) -> str:
    """The range of scores of a bin."""
    if each.low == each.high:
        return f"{each.low:g}"
    return say(_TO, lang, low=f"{each.low:g}", high=f"{each.high:g}")


def share_text(each: Bin) -> str:
    """The share of success in a bin."""
    return NO_NUMBER if each.share is None else percent(each.share, places=0)


def bar(each: Bin, width: int) -> str:
    """The share of success as a bar."""
    return _BAR * round((each.share or 0.0) * width)


def disagreement_title(advice: Advice, lang: Language) -> str:
    """How many runs pass but failed, and the reverse."""
    failing = sum(each.success for each in advice.disagreements)
    passing = len(advice.disagreements) - failing
    return say(DISAGREEMENTS, lang, passing=passing, failing=failing)


def run_label(found: Disagreement) -> str:
    """The name of a run, with its file: several files may have runs of the same case."""
    return f"{found.label}, {PurePath(found.place).name}"


def disagreement_text(found: Disagreement, lang: Language) -> str:
    """What contradicts what, and the first reason."""
    verdict = say(_PASSES, lang)
    if found.success:
        verdict = say(_FAILS, lang, score=number_text(found.score.f1))
    return f"{verdict}: {first_reason(found.score, lang)}"


def first_reason(score: Score, lang: Language) -> str:
    """The first thing that a score is about: a difference, a missed or an extra call."""
    for position in score.forbidden:
        return _call_reason(_FORBIDDEN, score.actual[position], lang)
    for pair in score.incorrect:
        for difference in pair.differences:
            reason = difference_reason(difference, lang=lang)
            return clip(f"{escape(pair.expected.name)}: {reason}", _REASON_WIDTH)
    for phrase, calls in ((_MISSED, score.missed), (_EXTRA, score.extra)):
        for call in calls:
            return _call_reason(phrase, call, lang)
    right = say(_ALL_RIGHT if score.total_expected else _NO_CALLS, lang)
    uncounted = [note.removeprefix("… ") for note in ignored_notes(score, lang)]
    return "; ".join([right, *uncounted])


def _call_reason(phrase: Phrase, call: Any, lang: Language) -> str:
    return say(phrase, lang, call=call_text(call, limit=_REASON_WIDTH, lang=lang))


def suspect_text(found: Suspect, lang: Language) -> str:
    """How many successful runs did the same, and what speaks against it."""
    text = say(
        _SUSPECT,
        lang,
        agreeing=found.agreeing,
        successes=count_of(_SUCCESSFUL, found.successes, lang),
        passing=found.passing,
        failures=found.failures,
    )
    return text if found.proposed is not None else f"{text}; {say(_BY_HAND, lang)}"


def suspect_diff(found: Suspect, width: int, lang: Language) -> list[Line]:
    """The first lines of the diff."""
    lines = call_lines(found.score, width=width, lang=lang)
    if len(lines) <= _MOST_LINES:
        return lines
    more = say(MORE, lang, count=len(lines) - _MOST_LINES + 1)
    return [*lines[: _MOST_LINES - 1], (("  " + more, "muted"),)]


def more_text(shown: int, count: int, lang: Language) -> str:
    """How many are not shown; empty if all are."""
    left = count - shown
    return say(MORE_RUNS, lang, runs=count_of(_RUNS, left, lang)) if left > 0 else ""


def more_cases(shown: int, count: int, lang: Language) -> str:
    """How many cases are not shown; empty if all are."""
    left = count - shown
    return say(MORE_RUNS, lang, runs=count_of(CASES, left, lang)) if left > 0 else ""


# --- callscore.toml ---------------------------------------------------------------------------

_BARE: Final = re.compile(r"[A-Za-z0-9_-]+")
_RULE_MARK: Final = "advise"
_ALL_OTHERS: Final = "calls of tools without a rule go on counting, also if they read"


def toml_text(value: str) -> str:
    """A string of TOML, which has the escapes of JSON."""
    return encode_json(value).decode().replace("\x7f", "\\u007f")


def toml_key(name: str) -> str:
    """A key of TOML; one with a dot is quoted."""
    return name if _BARE.fullmatch(name) else toml_text(name)


def toml_lines(options: dict[str, Any]) -> list[str]:
    """The settings as lines of `callscore.toml`: single values, then tables."""
    single = {name: value for name, value in options.items() if isinstance(value, str)}
    lines = [f"{name} = {toml_text(value)}" for name, value in single.items()]
    for name, members in options.items():
        if isinstance(members, dict):
            lines += ["", f"[{name}]", *rule_lines(members)]
    return lines


def rule_lines(rules: dict[str, str]) -> list[str]:
    """Learned rules as lines of TOML, with the mark by which the next advice knows them."""
    return [
        f"{toml_key(key)} = {toml_text(value)}  # {_RULE_MARK}"
        + (f": {_ALL_OTHERS}" if key == _ANY else "")
        for key, value in rules.items()
    ]


def evidence_lines(advice: Advice) -> list[str]:
    """The evidence for the recommended settings, for a comment; without names of the data."""
    lines = [headline(advice, "en"), *recommended_lines(advice, "en")[1:]]
    lines += [
        f"{found.label}: AUC {number_text(found.auc)} ({interval_text(found.interval, 'en')})"
        for found in advice.presets
    ]
    kept = kept_sentence(advice, "en")
    return [*lines, *learned_sentences(advice, "en"), *([kept] if kept else [])]


# --- JSON and Markdown ------------------------------------------------------------------------


def write_json(advice: Advice, *, lang: Language = "en", max_shown: int | None = None) -> str:
    """An indented document without sentences, so that the language changes nothing."""
    del lang, max_shown
    return json_document(advice_to_dict(advice))


def advice_to_dict(advice: Advice) -> dict[str, Any]:
    """The advice as plain data."""
    return {
        "runs": advice.runs,
        "tasks": advice.tasks,
        "successes": advice.successes,
        "is_separating": advice.is_separating,
        "recommended": _evidence_to_dict(advice.recommended),
        "presets": [_evidence_to_dict(each) for each in advice.presets],
        "alternatives": [_evidence_to_dict(each) for each in advice.alternatives],
        "kept": {
            "file": advice.kept.file,
            "effects": advice.kept.effects,
            "arguments": advice.kept.arguments,
        },
        "extra_calls": advice.extra_calls,
        "learned": [
            {
                "kind": each.kind,
                "name": each.name,
                "runs": each.runs,
                "gain": each.gain,
                "gain_interval": list(each.gain_interval),
                "agreement_gain": each.agreement_gain,
            }
            for each in advice.learned
        ],
        "reliability": [
            {
                "low": each.low,
                "high": each.high,
                "runs": each.runs,
                "successes": each.successes,
                "share": each.share,
            }
            for each in advice.reliability
        ],
        "disagreements": [
            {
                "case": each.case,
                "trial": each.trial,
                "place": each.place,
                "success": each.success,
                "f1": each.score.f1,
                "passed": each.score.passed,
                "reason": first_reason(each.score, "en"),
            }
            for each in advice.disagreements
        ],
        "suspects": [_suspect_to_dict(each) for each in advice.suspects],
        "unlabelled": noted_to_dict(advice.unlabelled),
        "unscorable": noted_to_dict(advice.unscorable),
        "skipped": noted_to_dict(advice.skipped),
        "unread": noted_to_dict(advice.unread),
    }


def _evidence_to_dict(found: SettingsEvidence) -> dict[str, Any]:
    return {
        "settings": found.settings,
        "auc": found.auc,
        "interval": list(found.interval),
        "agreement": found.agreement,
        "precision": found.precision,
        "gain": found.gain,
        "gain_interval": None if found.gain_interval is None else list(found.gain_interval),
    }


def _suspect_to_dict(found: Suspect) -> dict[str, Any]:
    return {
        "case": found.case,
        "successes": found.successes,
        "agreeing": found.agreeing,
        "passing": found.passing,
        "failures": found.failures,
        "places": list(found.places),
        "calls": [call_to_dict(call) for call in found.score.actual],
        "expected": found.expected,
        "proposed": found.proposed,
    }


def write_markdown(advice: Advice, *, lang: Language = "en", max_shown: int | None = None) -> str:
    """The report for a pull request or an issue; data stays plain text."""
    return join_blocks(_markdown_blocks(advice, lang, max_shown))


def _markdown_blocks(advice: Advice, lang: Language, max_shown: int | None) -> Iterator[str]:
    first, *others = recommended_lines(advice, lang, write=code)
    yield f"## {first}"
    yield headline(advice, lang)
    yield "\n\n".join([*others, *filter(None, [kept_sentence(advice, lang, write=code)])])
    yield note_items(notes(advice, lang))
    yield fenced("\n".join(toml_lines(advice.recommended.settings)), "toml")
    yield f"### {say(PRESETS, lang)}"
    labels = [say(each, lang) for each in (SETTINGS, AUC, INTERVAL, AGREEMENT, PRECISION)]
    yield table(labels, [(code(each.label), *preset_cells(each, lang)) for each in advice.presets])
    yield f"### {say(ALTERNATIVES, lang)}"
    if not advice.alternatives:
        yield say(NO_ALTERNATIVES, lang)
    else:
        labels = [say(each, lang) for each in (CHANGE, AUC, DIFFERENCE, INTERVAL)]
        rows = [
            (code(change_label(each, advice)), *change_cells(each, lang))
            for each in advice.alternatives
        ]
        yield table(labels, rows)
    yield say(HOW_TO_READ, lang)
    yield "\n".join(f"- {each}" for each in learned_sentences(advice, lang, write=code))
    yield f"### {say(RELIABILITY, lang)}"
    labels = [say(each, lang) for each in (SCORE, RUNS_COLUMN, SUCCESS)]
    bins = [
        (bin_label(each, lang), each.runs, share_text(each))
        for each in reversed(advice.reliability)
    ]
    yield table(labels, bins)
    yield from _markdown_lists(advice, lang, max_shown)


def _markdown_lists(advice: Advice, lang: Language, max_shown: int | None) -> Iterator[str]:
    shown = advice.disagreements[:max_shown]
    if shown:
        yield f"### {disagreement_title(advice, lang)}"
        yield "\n".join(
            f"- {code(run_label(each))}: {code(disagreement_text(each, lang), width=_REASON_WIDTH)}"
            for each in shown
        )
        yield more_text(len(shown), len(advice.disagreements), lang)
    suspects = advice.suspects[:max_shown]
    if suspects:
        yield f"### {say(SUSPECTS, lang)}"
    for each in suspects:
        yield f"{code(each.case)}: {suspect_text(each, lang)}"
        yield fenced(plain_text(suspect_diff(each, _DIFF_WIDTH, lang)), "diff")

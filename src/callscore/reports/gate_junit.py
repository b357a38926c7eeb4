"""What a gate says as JUnit XML: a test for each thing that it looks at, failed where it is closed."""

from __future__ import annotations

from typing import TYPE_CHECKING
from xml.etree.ElementTree import Element, SubElement

from callscore.core.wording import Phrase, say
from callscore.reports.compare_markdown import FEW
from callscore.reports.gate_terminal import write as write_block
from callscore.reports.gate_wording import reason_lines
from callscore.reports.junit import add_properties, add_test, document_text, legal

if TYPE_CHECKING:
    from callscore.comparing.gating import FailOn, Gate, ReasonKind
    from callscore.core.wording import Language

__all__ = ["write"]

# What is looked at, and from which strictness on; each is a test, so that they can be followed.
_ALWAYS: dict[ReasonKind, Phrase] = {
    "nothing compared": Phrase("something is compared", "есть что сравнивать"),
    "same run": Phrase("two runs are compared", "сравниваются два прогона"),
    "unfinished": Phrase("the runs are finished", "прогоны завершены"),
    "regressed": Phrase("not regressed", "не стало хуже"),
    "slice": Phrase("no tool and no tag regressed", "ни один срез не стал хуже"),
    "in doubt": Phrase("not in doubt", "сомнений нет"),
    "forbidden": Phrase("no new forbidden call", "новых запрещённых вызовов нет"),
    "schema": Phrase("no new schema error", "новых ошибок по схемам нет"),
    "below": Phrase("thresholds are reached", "пороги достигнуты"),
}
_LEFT: dict[ReasonKind, Phrase] = {"missing": Phrase("most cases are left", "случаи на месте")}
_BROKEN: dict[ReasonKind, Phrase] = {
    "broken": Phrase("no case broken", "сломанных случаев нет"),
    "missing": Phrase("no case is gone", "пропавших случаев нет"),
}
_ANY: dict[ReasonKind, Phrase] = {
    "changed": Phrase("no case otherwise than before", "все случаи как раньше")
}
_LOOKED_AT: dict[FailOn, dict[ReasonKind, Phrase]] = {
    "regressed": {**_ALWAYS, **_LEFT},
    "broken": {**_ALWAYS, **_BROKEN},
    "any": {**_ALWAYS, **_BROKEN, **_ANY},
}


def write(gate: Gate, *, next_command: str, most: int = FEW, lang: Language = "en") -> str:
    """A suite with the numbers as properties, and a test for each thing that may close the gate.

    Args:
        gate: what it says.
        next_command: what to type next.
        most: how many cases to show in the block, and how many tools and tags.
        lang: the language.
    """
    root = Element("testsuites", name="callscore")
    suite = SubElement(root, "testsuite", name="callscore gate")
    _add_numbers(suite, gate)
    reasons: dict[ReasonKind, list[str]] = {}
    for kind, sentence, names in reason_lines(gate, lang):
        reasons.setdefault(kind, []).append(sentence + (f" ({names})" if names else ""))
    for kind, phrase in _LOOKED_AT[gate.fail_on].items():
        test = add_test(suite, say(phrase, lang))
        if kind in reasons:
            SubElement(test, "failure", type=kind, message=legal("; ".join(reasons[kind])))
    block = SubElement(suite, "system-out")
    block.text = legal(write_block(gate, next_command=next_command, most=most, lang=lang))
    return document_text(root)


def _add_numbers(suite: Element, gate: Gate) -> None:
    main = gate.comparison.main
    numbers = {"before": main.before, "after": main.after, "difference": main.change}
    known = [(name, number, None) for name, number in numbers.items() if number is not None]
    properties = add_properties(suite, known)
    if not known:
        suite.append(properties)
    words = {
        "verdict": gate.comparison.verdict,
        "measure": main.measure,
        "fail_on": gate.fail_on,
        "baseline": gate.comparison.before.label,
        "run": gate.comparison.after.run or gate.comparison.after.label,
    }
    for name, word in words.items():
        SubElement(properties, "property", name=name, value=legal(word))

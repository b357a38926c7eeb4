"""Which tools read and which write: what is known about each tool, and what follows from it.

A score uses the settings, the definitions and the names, in this order. Descriptions and results are
shown beside them: they decide nothing, but a proposal may follow from them.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Sequence
from typing import TYPE_CHECKING, Literal

from msgspec import Struct, structs

from callscore.checks.effect_evidence import Confidence, described_effect, result_change
from callscore.core.call import Effect, Tool, ToolCall
from callscore.core.case import Expected, calls_in
from callscore.core.counted_calls import effect_reason
from callscore.core.results import Noted
from callscore.core.tool_names import comparable_name, is_for_all

if TYPE_CHECKING:
    from callscore.core.settings import Settings

EvidenceSource = Literal["setting", "definition", "name", "description", "results"]

# From this number of results that confirm a change, and this share of all results of the tool, on,
# it is not by chance.
_ENOUGH_RESULTS = 3
_CLEAR_SHARE = 0.8


class EffectEvidence(Struct, frozen=True):
    """One piece of evidence.

    Attributes:
        source: where it is from.
        effect: what it says.
        words: the pattern of the setting or name, what the definition declares (`readOnlyHint`,
            `x-tool-type`, `GET`), or the words of the description or the results.
        confidence: `certain` if it is declared; `high` or `low` otherwise.
        count: how many results have the words.
        of: how many results there are.
    """

    source: EvidenceSource
    effect: Effect
    words: str
    confidence: Confidence
    count: int | None = None
    of: int | None = None


class ToolEffect(Struct, frozen=True, kw_only=True):
    """What is known about the effect of a tool.

    Attributes:
        effect: the effect that a score uses now.
        decided_by: what decides it; `unknown` counts as a write.
        calls: how often it was called.
        expected: how often a reference expects it.
        evidence: everything that is known, in the order in which it decides.
        proposed: the effect to write into the settings; None if it is there, unknown, or contradictory
            without a definition that says `write`.
        is_contradictory: whether the evidence says both, and no setting decides.
        is_caught: whether only a pattern for all tools, `*`, decides.
    """

    name: str
    effect: Effect
    decided_by: Literal["setting", "definition", "name", "unknown"]
    calls: int = 0
    expected: int = 0
    evidence: tuple[EffectEvidence, ...] = ()
    proposed: Effect | None = None
    is_contradictory: bool = False
    is_caught: bool = False


class EffectsFound(Struct, frozen=True, kw_only=True):
    """The tools of some files, the most called first.

    Attributes:
        file: the file of settings into which the proposals were written; None if into none.
        written: the effects that were written, by the patterns of the tools.
    """

    files: int
    traces: int
    tools: tuple[ToolEffect, ...] = ()
    skipped: Noted = Noted()
    unread: Noted = Noted()
    file: str | None = None
    written: dict[str, Effect] = {}

    @property
    def calls(self) -> int:
        """How many calls were made."""
        return sum(tool.calls for tool in self.tools)


class EvidenceCounter:
    """Collects what calls and definitions say about tools, under the settings of a score."""

    def __init__(self, settings: Settings) -> None:
        self._settings = settings
        self._calls: Counter[str] = Counter()
        self._expected: Counter[str] = Counter()
        self._results: Counter[str] = Counter()
        self._changes: dict[str, Counter[str]] = {}
        self._tools: dict[str, Tool] = {}  # the first of each name
        # By compared names, so that `server.get` finds what the definition of `get` says.
        self._declared: dict[str, dict[tuple[Effect, str], None]] = {}
        self._descriptions: dict[str, dict[str, None]] = {}

    def take_calls(self, actual: Iterable[ToolCall], expected: Iterable[Expected] = ()) -> None:
        """Count calls and what their results say; failed ones changed nothing."""
        self._expected.update([call.name for call in calls_in(tuple(expected))])
        for call in actual:
            self._calls[call.name] += 1
            if call.failed is not True and call.result is not None:
                self._results[call.name] += 1
                word = result_change(call.result)
                if word is not None:
                    self._changes.setdefault(call.name, Counter())[word] += 1

    def take_tool(self, tool: Tool, sources: Sequence[tuple[Effect, str]] = ()) -> None:
        """Take a definition, and how it declares its effect."""
        self._tools.setdefault(tool.name, tool)
        key = self._key(tool.name)
        if tool.effect is not None:
            same = [source for source in sources if source[0] == tool.effect]
            declared = self._declared.setdefault(key, {})
            declared |= dict.fromkeys(same or [(tool.effect, "effect")])
        if tool.description:
            self._descriptions.setdefault(key, {})[tool.description] = None

    def _key(self, name: str) -> str:
        return comparable_name(name, self._settings)

    def tools(self) -> tuple[ToolEffect, ...]:
        """All tools that were called, expected or defined."""
        used = {**self._calls, **self._expected}
        called = {self._key(name) for name in used}
        defined = [name for name in self._tools if self._key(name) not in called]
        found = [self._tool(name) for name in (*used, *defined)]
        return tuple(sorted(found, key=lambda tool: (-tool.calls, -tool.expected, tool.name)))

    def _tool(self, name: str) -> ToolEffect:
        evidence = self._evidence(name)
        reason = effect_reason(name, self._settings, self._decided_tools(name))
        is_set = reason.source == "setting"
        is_caught = is_set and is_for_all(reason.pattern or "")
        # What is known about the tool itself; a pattern for all tools says nothing about it.
        known = tuple([each for each in evidence if each.source != "setting"])
        # A rule for this very tool that comes too late was written by somebody, who decides.
        is_open = not is_set or (is_caught and name not in dict(self._settings.effects))
        return ToolEffect(
            name=name,
            effect=reason.effect,
            decided_by=reason.source,
            calls=self._calls[name],
            expected=self._expected[name],
            evidence=evidence,
            proposed=_proposed(known) if is_open else None,
            is_contradictory=len({each.effect for each in known}) > 1 and not is_set,
            is_caught=is_caught,
        )

    def _decided_tools(self, name: str) -> dict[str, Tool]:
        """The definition that decides: if several say different things, the tool may write."""
        effects = {effect for effect, _ in self._declared.get(self._key(name), ())}
        if not effects:
            return {}
        return {name: Tool(name, effect="write" if len(effects) > 1 else next(iter(effects)))}

    def _evidence(self, name: str) -> tuple[EffectEvidence, ...]:
        key = self._key(name)
        found: list[EffectEvidence] = []
        by_setting = effect_reason(name, self._settings, {})
        if by_setting.source == "setting":
            pattern = by_setting.pattern or ""
            found.append(EffectEvidence("setting", by_setting.effect, pattern, "certain"))
        for effect, source in self._declared.get(key, ()):
            found.append(EffectEvidence("definition", effect, source, "certain"))
        by_name = effect_reason(name, structs.replace(self._settings, effects=()), {})
        if by_name.source == "name":
            found.append(EffectEvidence("name", by_name.effect, by_name.pattern or "", "high"))
        for description in self._descriptions.get(key, ()):
            words = described_effect(description)
            if words is not None:
                found.append(EffectEvidence("description", *words))
        return tuple(dict.fromkeys([*found, *self._result_evidence(name)]))

    def _result_evidence(self, name: str) -> list[EffectEvidence]:
        words = self._changes.get(name)
        if not words:
            return []
        count, of = words.total(), self._results[name]
        is_clear = count >= _ENOUGH_RESULTS and count / of >= _CLEAR_SHARE
        confidence: Confidence = "high" if is_clear else "low"
        most = words.most_common(1)[0][0]
        return [EffectEvidence("results", "write", most, confidence, count, of)]


def _proposed(evidence: Sequence[EffectEvidence]) -> Effect | None:
    """The effect that follows from what is known about a tool; None if that is unclear.

    A definition that says `write` decides even if a name or a text says otherwise: a score with the
    definition uses it, and to count a lookup by mistake costs less than to miss a change.
    """
    said = {each.effect for each in evidence}
    declared = {each.effect for each in evidence if each.source == "definition"}
    if declared == {"write"}:
        return "write"
    clear = [each for each in evidence if each.confidence != "low"]
    return clear[0].effect if len(said) == 1 and clear else None

"""Comparisons that every report of two runs is tried on."""

from __future__ import annotations

from msgspec.structs import replace

from callscore.comparing.changes import Alarm, CaseChange, ChangeReason
from callscore.comparing.comparison import Comparison, SideSummary
from callscore.comparing.differences import Difference, Slice
from callscore.comparing.gating import Gate, Reason
from callscore.core.phrases import Note, Phrase
from callscore.core.results import Noted
from callscore.core.statistics import Interval

HOSTILE = "\x1b[31m[red]|`<b>:smile:\x00"
_BELOW = Phrase("{scorer} {mean}, required ≥ {required}", "{scorer} {mean}, требуется ≥ {required}")
_DAY = 86_400.0
_NOON = 1_794_744_000.0  # 2026-11-15 12:00 UTC

MAIN = SideSummary(
    label="main",
    run="20261114-120000-aaaa",
    command="run",
    started_at=_NOON - _DAY,
    git_commit="02f0cce9" * 5,
    git_dirty=False,
    cases=200,
)
LATEST = SideSummary(
    label="latest",
    run="20261115-120000-bbbb",
    command="run",
    started_at=_NOON,
    git_commit="9d1b191a" * 5,
    git_dirty=True,
    cases=199,
    trials=199,
    passed=167,
    failed=30,
    errors=2,
)

NOTHING_NEW = Comparison(
    before=MAIN,
    after=MAIN,
    main=Difference(
        measure="passed",
        cases=200,
        before=0.92,
        after=0.92,
        interval=Interval(-0.0186, 0.0186),
        p_value=1.0,
        verdict="no evidence",
        smallest=0.03,
    ),
    same=200,
    evaluations=("assistant",),
)

REGRESSED = Comparison(
    before=MAIN,
    after=LATEST,
    main=Difference(
        measure="passed",
        cases=197,
        before=0.92,
        after=0.84,
        interval=Interval(-0.1251, -0.0349),
        p_value=0.00195,
        method="exact McNemar",
        verdict="regressed",
        smallest=0.0612,
        up=1,
        down=4,
    ),
    others=(
        Difference(
            measure="f1",
            cases=197,
            before=0.951,
            after=0.9033,
            interval=Interval(-0.081, -0.0157),
            p_value=0.0496,
            method="paired bootstrap",
            verdict="regressed",
            smallest=0.05,
            up=2,
            down=5,
        ),
        Difference(measure="tone", cases=0),
    ),
    changes=(
        CaseChange(
            kind="broken",
            evaluation="assistant",
            case="what-is-the-weather-in-oslo",
            tags=("weather", "smoke"),
            before=(1, 1),
            after=(0, 1),
            f1=(1.0, 0.5),
        ),
        CaseChange(
            kind="broken",
            evaluation="assistant",
            case="refund-order-17",
            before=(1, 1),
            after=(0, 1),
            f1=(1.0, 0.0),
            reasons=(ChangeReason(kind="forbidden call"), ChangeReason(kind="schema error")),
        ),
        CaseChange(
            kind="broken",
            evaluation="router [small]",
            case="hello",
            before=(3, 3),
            after=(1, 3),
            f1=(1.0, 2 / 3),
            reasons=(ChangeReason(kind="no answer", text="timeout: no answer within 60 seconds"),),
            is_expectation_changed=True,
        ),
        CaseChange(
            kind="fixed",
            evaluation="assistant",
            case="book-a-table",
            before=(0, 1),
            after=(1, 1),
            f1=(0.6667, 1.0),
        ),
        CaseChange(
            kind="changed",
            evaluation="assistant",
            case="convert-5-miles-to-km",
            before=(0, 1),
            after=(0, 1),
            f1=(0.5, 0.5),
        ),
    ),
    same=192,
    tools=(
        Slice(
            kind="tool",
            name="get_weather",
            difference=Difference(
                measure="f1",
                cases=61,
                before=0.98,
                after=0.83,
                interval=Interval(-0.22, -0.08),
                p_value=0.004,
                method="paired bootstrap",
                verdict="regressed",
                down=9,
            ),
        ),
        Slice(
            kind="tool",
            name="calculator",
            difference=Difference(measure="f1", cases=40, before=1.0, after=1.0, p_value=1.0),
        ),
    ),
    tags=(
        Slice(
            kind="tag",
            name="smoke",
            difference=Difference(measure="passed", cases=4, before=1.0, after=0.75, down=1),
        ),
        Slice(
            kind="tag",
            name="weather",
            difference=Difference(
                measure="passed",
                cases=60,
                before=0.9,
                after=0.85,
                p_value=0.25,
                verdict="no evidence",
                up=1,
                down=4,
            ),
        ),
    ),
    alarms=(
        Alarm(kind="forbidden", evaluation="assistant", case="refund-order-17", before=0, after=1),
        Alarm(kind="schema", evaluation="assistant", case="refund-order-17", before=0, after=2),
    ),
    only_before=Noted(3, ("a", "b", "c")),
    only_after=Noted(2, ("d", "e")),
    undecided=Noted(1, ("without-a-number",)),
    expectations_changed=Noted(1, ("hello",)),
    inputs_changed=Noted(7, ("one", "two", "three", "four", "five", "six")),
    notes=(
        Note(
            Phrase(
                "{count} trials without an answer did not pass",
                "попытки без ответа ({count}) не пройдены",
            ),
            {"count": 2},
        ),
    ),
    evaluations=("assistant", "router [small]"),
)


# Every name and sentence that comes from elsewhere is an attack.
ATTACKED = Comparison(
    before=SideSummary(label=HOSTILE, run=HOSTILE, git_commit=HOSTILE, cases=1),
    after=SideSummary(
        label="::error::" + HOSTILE,
        run=HOSTILE,
        cases=1,
        below=(Note(_BELOW, {"scorer": HOSTILE, "mean": "0.1", "required": "0.2"}),),
    ),
    main=Difference(measure=HOSTILE, cases=9, before=1.0, after=0.0, verdict="regressed"),
    others=(Difference(measure=HOSTILE, cases=9, before=1.0, after=0.0),),
    changes=(
        CaseChange(
            kind="broken",
            evaluation=HOSTILE,
            case="::error::" + HOSTILE,
            tags=(HOSTILE,),
            before=(3, 3),
            after=(0, 3),
            reasons=(ChangeReason(kind="no answer", text=HOSTILE),),
        ),
        CaseChange(kind="fixed", evaluation="other", case=HOSTILE),
    ),
    tools=(Slice(kind="tool", name=HOSTILE, difference=Difference(measure="f1", cases=9, down=1)),),
    alarms=(Alarm(kind="forbidden", evaluation=HOSTILE, case=HOSTILE, before=0, after=1),),
    only_before=Noted(1, (HOSTILE,)),
    notes=(Note(Phrase("{name} is odd", "{name} странен"), {"name": HOSTILE}),),
    evaluations=(HOSTILE, "other"),
)

OPEN = Gate(comparison=NOTHING_NEW, fail_on="regressed")
CLOSED = Gate(
    comparison=REGRESSED,
    fail_on="any",
    reasons=(
        Reason(kind="regressed", count=3),
        Reason(
            kind="broken",
            count=3,
            cases=(
                "assistant::what-is-the-weather-in-oslo",
                "assistant::refund-order-17",
                "router [small]::hello",
            ),
        ),
        Reason(kind="changed", count=1, cases=("assistant::convert-5-miles-to-km",)),
        Reason(kind="missing", count=3, cases=("a", "b", "c")),
        Reason(kind="forbidden", count=1, cases=("assistant::refund-order-17",)),
        Reason(kind="schema", count=1, cases=("assistant::refund-order-17",)),
    ),
)
# A loss too small to close a gate, and too few cases to tell.
DOUBTFUL = Gate(
    comparison=Comparison(
        before=MAIN,
        after=replace(LATEST, errors=0),
        main=Difference(measure="passed", cases=20, before=1.0, after=0.95, p_value=1.0, down=1),
        changes=(
            CaseChange(
                kind="broken", evaluation="assistant", case="one", before=(1, 1), after=(0, 1)
            ),
        ),
        same=19,
        evaluations=("assistant",),
    ),
    fail_on="regressed",
)

"""What a gate says in the language of GitHub's runners."""

from __future__ import annotations

import re
from xml.etree.ElementTree import fromstring

import msgspec
from msgspec.structs import replace
from tests.reports.comparisons import ATTACKED_GATE, CLOSED, DOUBTFUL, OPEN, REGRESSED

from callscore.comparing.changes import CaseChange
from callscore.reports.gate import annotation_lines
from callscore.reports.inert import escape_commands

FILES = {"assistant": "evals/a,b:c.py"}


def test_an_open_gate_is_a_notice() -> None:
    assert annotation_lines(OPEN) == [
        (
            "::notice title=callscore%3A Gate passed::no evidence, main → main; passed 92.0%25 → 92.0%25,"
            " 0.0 points, 95%25 interval −1.9 to +1.9, p = 1.000, exact McNemar, 200 cases in both"
        )
    ]


def test_a_closed_gate_has_an_error_for_each_reason_and_each_broken_case() -> None:
    lines = annotation_lines(CLOSED, files=FILES)

    assert len(lines) == 9
    assert lines[0].startswith("::error title=callscore%3A Gate failed::regressed: passed 92.0%25 ")
    assert lines[7] == (
        "::error file=evals/a%2Cb%3Ac.py,title=Broken%3A assistant%3A%3Arefund-order-17::assistant, "
        "F1 100.0%25 → 0.0%25, forbidden call, schema error"
    )
    assert lines[8].startswith(
        "::error title=Broken%3A router [small]%3A%3Ahello::router [small], 3/3 → 1/3, F1 "
    )


def test_there_are_no_more_than_a_runner_shows() -> None:
    many = tuple(CaseChange(kind="broken", evaluation="e", case=str(n)) for n in range(50))
    gate = replace(CLOSED, comparison=replace(REGRESSED, changes=many))

    assert len(annotation_lines(gate)) == 10


def test_annotations_can_be_had_in_russian() -> None:
    assert annotation_lines(OPEN, lang="ru")[0].startswith(
        "::notice title=callscore%3A Гейт пройден::разница не доказана, main → main;"
    )


def test_nothing_in_the_data_ends_an_annotation_early_or_begins_another() -> None:
    for line in annotation_lines(ATTACKED_GATE, files={}):
        assert re.fullmatch(r"::error title=[^:,\n]*::[^\n\r\x1b\x00]*", line)


def test_no_line_of_a_report_is_a_command() -> None:
    report = "Gate\n::error::x\n   ::add-mask::y\na ::fine:: b\n##[error]z\nname ##[group]\n"

    assert escape_commands(report) == (
        "Gate\n: :error::x\n   : :add-mask::y\na ::fine:: b\n# #[error]z\nname # #[group]\n"
    )
    assert escape_commands("\x1b[1;31m::error::x\x1b[0m\n") == "\x1b[1;31m: :error::x\x1b[0m\n"


def test_what_programs_read_means_the_same_afterwards() -> None:
    as_json = '["##[error]x"]'
    as_xml = "<a>\n::error::##[group]</a>"

    assert "##[" not in escape_commands(as_json, "json")
    assert msgspec.json.decode(escape_commands(as_json, "json")) == ["##[error]x"]
    assert re.search("^::|##", escape_commands(as_xml, "junit"), re.MULTILINE) is None
    assert fromstring(escape_commands(as_xml, "junit")).text == "\n::error::##[group]"  # noqa: S314  (our own)


def test_old_commands_in_names_are_disarmed() -> None:
    change = CaseChange(kind="broken", evaluation="##[group]", case="##[error]x")
    gate = replace(CLOSED, comparison=replace(REGRESSED, changes=(change,)))

    assert "##[" not in "".join(annotation_lines(gate))


def test_a_loss_that_closes_nothing_is_in_the_notice() -> None:
    (line,) = annotation_lines(DOUBTFUL)

    assert line.endswith(
        "; too few cases for a verdict: 1 worse, 0 better, −5.0 points; --fail-on broken is stricter"
    )

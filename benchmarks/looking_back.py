"""What commands that read the history cost, against a script that sends the same queries by hand.

The bar is three times the queries of that script plus the start of the command. Both are measured with a
history of two runs of one case, too: that is the start of the command, with all that it imports, and the
start of the script, which does not count as queries.
"""

from __future__ import annotations

from functools import partial
from typing import TYPE_CHECKING

import commands
import timing
from rows import Row

if TYPE_CHECKING:
    from collections.abc import Iterator

    from rows import Inputs

__all__ = ["rows"]

BAR = 1.0
QUERIES = 3.0  # how often the command may take the time of the queries
SIZE_BAR = 1_500.0

_SCRIPT = """
import sqlite3
history = sqlite3.connect({path!r})
ask = lambda query, *given: history.execute(query, given).fetchall()
"""
_RUN = """
[(number,)] = ask("SELECT number FROM runs ORDER BY started_at DESC, number DESC LIMIT 1 OFFSET {0}")
ask("SELECT * FROM evaluations WHERE run = ? ORDER BY number", number)
ask("SELECT * FROM results WHERE run = ? ORDER BY number", number)
"""
_RUNS = """
runs = ask("SELECT * FROM runs ORDER BY started_at DESC, number DESC LIMIT {0}")
oldest = min(run[0] for run in runs)
ask("SELECT * FROM evaluations WHERE run >= ? ORDER BY run, number", oldest)
"""
_TAGGED = '''
ask("""SELECT run, evaluation, count(*), sum(answered), sum(passed), avg(f1) FROM (
  SELECT run, evaluation, count(*) AS answered, sum(passed) AS passed, avg(f1) AS f1 FROM results
  WHERE run >= ? AND instr(tags, '"smoke"') GROUP BY run, evaluation, case_id
) GROUP BY run, evaluation""", oldest)
'''
_FAILED = '''
ask("""SELECT r.*, p.body, a.body, c.body, m.body FROM results r
  LEFT JOIN payloads p ON r.payload = p.digest LEFT JOIN payloads a ON r.answer = a.digest
  LEFT JOIN payloads c ON r.calls = c.digest LEFT JOIN payloads m ON r.comparison = m.digest
  WHERE run = ? AND passed = 0 ORDER BY r.number LIMIT 20""", number)
'''
_BOTH = _RUN.format(1) + _RUN.format(0)
_LATEST = _RUN.format(0)
_COMMANDS = (
    ("compare", "compare latest~1 latest", _BOTH),
    ("compare-json", "compare latest~1 latest --format json", _BOTH),
    ("gate", "gate latest --against latest~1", _BOTH),
    ("history", "history", _RUNS.format(21)),
    ("history-all", "history --max-shown 300", _RUNS.format(300)),
    ("history-tag", "history --tag smoke", _RUNS.format(21) + _TAGGED),
    ("show", "show latest", _LATEST + _FAILED),
    ("show-none", "show latest --show none", _LATEST),
)


def rows(inputs: Inputs) -> Iterator[Row]:
    """Every row of this subject."""
    many = f"{inputs.effort.runs:,} runs of {inputs.effort.few_cases:,} cases"
    for name, words, queries in _COMMANDS:
        yield Row(
            name,
            f"{words} / its start and {QUERIES:.0f} x plain SQL; {many}",
            BAR,
            partial(_ratio, inputs, words, queries),
        )
    yield Row(
        "history-size",
        f"the file of the history, {many}, for each result",
        SIZE_BAR,
        lambda _: _size(inputs),
        "B",
    )


def _ratio(inputs: Inputs, words: str, queries: str, rounds: int) -> timing.Measured:
    jobs = [
        commands.seconds_of(each, inputs.folder)
        for path in map(str, (inputs.history, inputs.short_history))
        for each in (
            commands.callscore_command(*words.split(), "--store", path),
            commands.python_command("-c", _SCRIPT.format(path=path) + queries),
        )
    ]
    ours, script, start, script_start = timing.take_turns(jobs, 1 + rounds)  # the first: bytecode
    sql = max(0.0, min(script) - min(script_start))
    return timing.measure(ours, [QUERIES * sql + seconds for seconds in start])


def _size(inputs: Inputs) -> timing.Measured:
    each = inputs.history.stat().st_size / inputs.effort.runs / inputs.effort.few_cases
    return timing.measure([each], [SIZE_BAR], scale=1.0)

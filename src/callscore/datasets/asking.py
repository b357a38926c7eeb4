"""Questions by a model: it is told which calls are meant, and what it writes is checked."""

from __future__ import annotations

import asyncio
import re
from typing import TYPE_CHECKING, Any

import msgspec
from msgspec import Struct

from callscore.core.expectation import calls_in
from callscore.core.export import tool_to_dict
from callscore.core.plain import encode_json
from callscore.core.text import clip
from callscore.datasets.mentions import enumerated, unmentioned
from callscore.errors import ModelFailed
from callscore.formats.cases import read_case

if TYPE_CHECKING:
    from collections.abc import Awaitable, Callable, Mapping, Sequence

    from callscore.core.tool import Tool

__all__ = ["INSTRUCTIONS", "Asked", "ask_model"]

INSTRUCTIONS = """\
You write what users say to an assistant that can call tools. You are given the tools and, as JSON,
some cases: each has an `id` and the `expected` calls that the assistant should make.

For each case write one message of a user, in natural words, after which exactly those calls are right:
- say every value that the arguments need, as it is: names, numbers, dates, codes;
- where `in_order` is given, the order must follow from the message;
- where `forbid` is given, the user says that this must not be done;
- where `expected` is empty, no tool is needed: small talk, or a question about what could be done;
- never name a tool or an argument; no two messages are alike.
A `problem` says what was wrong with your last message for that case.

Answer with JSON and nothing else: {"questions": [{"id": "...", "input": "..."}]}"""

_BATCH = 8
_AT_ONCE = 4
_ROUNDS = 3
_LONGEST = 2_000
_SHOWN = 120
_FENCE = re.compile(r"\s*```[a-z]*\s*\n(.*?)\n?\s*```\s*", re.DOTALL)

_Record = dict[str, Any]


class Asked(Struct, frozen=True):
    """What a model wrote.

    Attributes:
        records: all cases, with the model's question where it can be used, else with their own.
        problems: why there is none for a case, by its id.
    """

    records: list[_Record]
    problems: dict[str, str] = {}


class _Question(Struct, frozen=True):
    id: str
    input: str


class _Reply(Struct, frozen=True):
    questions: list[_Question]


async def ask_model(
    records: Sequence[_Record],
    tools: Mapping[str, Tool],
    task: Callable[[str], Awaitable[Any]],
    *,
    on_done: Callable[[int], None] | None = None,
) -> Asked:
    """Have a model write the questions of some cases, and check each of them.

    What cannot be used is asked for again, with the reason, twice at most.

    Args:
        records: the cases, as the lines of a file have them.
        tools: the tools by name.
        task: asks the model; its answer is the response as plain data.
        on_done: is told how many more questions can be used.

    Raises:
        ModelFailed: the model gave no answer at all.
        CallscoreError: it cannot be asked.
    """
    session = _Session(records, tools, task)
    for _ in range(_ROUNDS):
        open_ones = [record for record in records if record["id"] not in session.found]
        if not open_ones:
            break
        before = len(session.found)
        await session.ask(open_ones)
        if on_done is not None:
            on_done(len(session.found) - before)
    found = session.found
    named = [{**record, "input": found.get(record["id"], record["input"])} for record in records]
    return Asked(named, {name: why for name, why in session.problems.items() if name not in found})


class _Session:
    """The questions that can be used so far, and why others cannot."""

    def __init__(
        self,
        records: Sequence[_Record],
        tools: Mapping[str, Tool],
        task: Callable[[str], Awaitable[Any]],
    ) -> None:
        self.found: dict[str, str] = {}
        self.problems: dict[str, str] = {}
        self._taken: set[str] = set()
        self._task = task
        self._offered = [tool_to_dict(tool) for tool in tools.values()]
        self._needed = {record["id"]: _values(record) for record in records}
        self._known = {
            text for tool in tools.values() for text in enumerated(tool.parameters) if text
        }

    async def ask(self, records: Sequence[_Record]) -> None:
        batches = [records[at : at + _BATCH] for at in range(0, len(records), _BATCH)]
        gate = asyncio.Semaphore(_AT_ONCE)

        async def answered(batch: Sequence[_Record]) -> Any:
            async with gate:
                return await self._task(self._request(batch))

        replies = await asyncio.gather(*map(answered, batches), return_exceptions=True)
        failures = [reply for reply in replies if isinstance(reply, BaseException)]
        for failure in failures:
            is_mute = len(failures) == len(batches) and not self.found
            if is_mute or not isinstance(failure, ModelFailed):
                raise failure
        for batch, reply in zip(batches, replies, strict=True):
            self._take(batch, reply)

    def _request(self, batch: Sequence[_Record]) -> str:
        cases = [
            {
                "id": record["id"],
                "expected": record["expected"],
                **(
                    {"problem": self.problems[record["id"]]}
                    if record["id"] in self.problems
                    else {}
                ),
            }
            for record in batch
        ]
        return encode_json({"tools": self._offered, "cases": cases}).decode()

    def _take(self, batch: Sequence[_Record], reply: Any) -> None:
        try:
            written = {each.id: each.input for each in _read(reply)}
        except (ModelFailed, ValueError) as error:
            written = {}
            missing = clip(str(error), _SHOWN)
        else:
            missing = "there is no message for it"
        for record in batch:
            name = record["id"]
            text = written.get(name, "").strip()
            problem = self._problem(name, text) if text else missing
            if problem is None:
                self.found[name] = text
                self._taken.add(text.casefold())
            else:
                self.problems[name] = problem

    def _problem(self, name: str, text: str) -> str | None:
        """Why a question cannot be used; None where it can."""
        if len(text) > _LONGEST:
            return f"the message is longer than {_LONGEST} characters"
        if not text.replace("\n", " ").replace("\t", " ").isprintable():
            return "there are letters in the message that cannot be printed"
        if text.casefold() in self._taken:
            return "another case has the same message"
        missing = unmentioned(text, self._needed[name], self._known)
        return f"the message does not say {', '.join(map(repr, missing))}" if missing else None


def _values(record: _Record) -> list[Any]:
    """The arguments that a question has to tell."""
    case = read_case(record, place=record["id"])
    return [call.arguments for call in calls_in(case.expected or ())]


def _read(reply: Any) -> list[_Question]:
    """The questions in a response.

    Raises:
        ModelFailed: there is no response.
        ValueError: it is not what was asked for.
    """
    if isinstance(reply, ModelFailed):
        raise reply
    text = _text_of(reply)
    fenced = _FENCE.fullmatch(text)
    try:
        found = msgspec.json.decode(fenced[1] if fenced else text, type=_Reply | list[_Question])
    except (msgspec.DecodeError, RecursionError) as error:
        raise ValueError(f"the answer was not the JSON that was asked for: {error}") from error
    return found if isinstance(found, list) else found.questions


def _text_of(reply: Any) -> str:
    try:
        text = reply["choices"][0]["message"]["content"]
    except (KeyError, IndexError, TypeError) as error:
        raise ValueError("the answer has no text") from error
    if not isinstance(text, str):
        raise ValueError("the answer has no text")  # noqa: TRY004  (it is about the answer)
    return text

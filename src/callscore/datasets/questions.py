"""Questions that lead to given calls: from templates, or written by a model and checked."""

from __future__ import annotations

import re
from collections.abc import Awaitable, Callable, Iterable, Iterator, Mapping, Sequence
from datetime import date
from typing import TYPE_CHECKING, Any

import msgspec
from msgspec import Struct

from callscore.core.case import calls_in
from callscore.core.rendering import clip
from callscore.core.schemas.references import ALL_KEYWORDS, subschemas
from callscore.datasets.phrasing import arguments_text, tool_purpose
from callscore.errors import ModelFailed
from callscore.formats.cases import read_case
from callscore.words.plain_data import tool_to_dict
from callscore.words.value_text import encode_json

if TYPE_CHECKING:
    from random import Random

    from callscore.core.call import Tool, ToolCall

_REQUESTS = (
    "Please {purpose}.",
    "Could you {purpose}?",
    "I would like you to {purpose}.",
    "Can you {purpose}, please?",
    "I need you to {purpose}.",
    "{Purpose}, please.",
)
_SMALL_TALK = (
    "Hi!",
    "Good morning!",
    "Thank you, that is all for today.",
    "Thanks, that helped a lot.",
    "How are you?",
    "Who are you?",
    "What can you do?",
    "Sorry, wrong window. Never mind.",
    "Wait a moment, I have to find my notes first.",
    "That was funny.",
    "I will come back to you tomorrow.",
    "Let me think about it.",
    "Please answer in short sentences from now on.",
    "Could you repeat your last sentence in other words?",
    "Why is the sky blue?",
    "Tell me a short riddle.",
    "What does the word 'serendipity' mean?",
    "Write two lines about autumn.",
    "Which is larger, a whale or an elephant?",
    "Ok.",
)
_HYPOTHETICAL_QUESTIONS = (
    "Do not do anything yet. What would you need to know to {purpose}?",
    "Without doing it: are you able to {purpose}?",
    "I may ask you later to {purpose}, but not now. Just say that you have understood.",
    "In one sentence, when would you {purpose}?",
)


def question_for_calls(calls: Sequence[ToolCall], tools: Mapping[str, Tool], rng: Random) -> str:
    """A question that leads to these calls, in any order."""
    first, *others = (_request(call, tools[call.name], rng) for call in calls)
    return " ".join([first, *(f"Also, {_lower_first(text)}" for text in others)])


def question_in_order(calls: Sequence[ToolCall], tools: Mapping[str, Tool], rng: Random) -> str:
    """A question that leads to these calls, in this order."""
    first, *others = (_request(call, tools[call.name], rng) for call in calls)
    then = [f"Then {_lower_first(text)}" for text in others]
    return " ".join([f"First, {_lower_first(first)}", *then])


def question_forbidding(question: str, tool: Tool) -> str:
    """The question with a sentence that forbids a tool."""
    return f"{question} Do not {tool_purpose(tool)}.".strip()


def question_without_calls(tools: Sequence[Tool], rng: Random) -> str:
    """A question that needs no tool; some sound as if they did."""
    about = [(text, tool) for text in _HYPOTHETICAL_QUESTIONS for tool in tools]
    if about and rng.random() < 0.5:  # noqa: PLR2004  (one half)
        text, tool = rng.choice(about)
        return text.format(purpose=tool_purpose(tool))
    return rng.choice(_SMALL_TALK)


def _request(call: ToolCall, tool: Tool, rng: Random) -> str:
    """A request for one call, and the arguments in sentences after it."""
    purpose = tool_purpose(tool)
    capital = purpose[:1].upper() + purpose[1:]
    asked = rng.choice(_REQUESTS).format(purpose=purpose, Purpose=capital)
    return f"{asked} {arguments_text(call.arguments or {})}".rstrip()


def _lower_first(text: str) -> str:
    is_acronym = text[1:2].isupper() or text[:2] == "I "
    return text if is_acronym else text[:1].lower() + text[1:]


_MAX_CHECKED_LENGTH = 60
_WORD_SEPARATORS = re.compile(r"[\s_\-]+")
_THOUSANDS = re.compile(r"(?<=\d)[,'\u00a0\u202f](?=\d{3})")
_DATE = re.compile(r"(\d{4})-(\d\d)-(\d\d)(?:T.*)?")
_MONTHS = ("jan", "feb", "mar", "apr", "may", "jun", "jul", "aug", "sep", "oct", "nov", "dec")
_TRAILING_ZEROS = re.compile(r"(\.\d*?)0+\b")


def enum_texts(schema: Any) -> set[str]:
    """The enum texts of a schema (`basic_economy`): a question need not repeat them literally."""
    found: set[str] = set()
    pending = [schema]
    while pending:
        part = pending.pop()
        if isinstance(part, dict):
            values = [*part.get("enum", ()), part.get("const")]
            found |= {value for value in values if isinstance(value, str)}
            pending += subschemas(part, ALL_KEYWORDS)
    return found


def unmentioned_values(text: str, values: Iterable[Any], known: set[str]) -> list[str]:
    """The texts and numbers in some values that a question does not mention in any way.

    Known texts, which are one of a few, need not be mentioned.
    """
    folded = _normalized_text(text)
    missing = [
        str(value)
        for value in _leaves(values)
        if value not in known and not _is_mentioned(str(value), folded)
    ]
    return [clip(value, _MAX_CHECKED_LENGTH) for value in missing]


def _leaves(values: Iterable[Any]) -> Iterator[str | int | float]:
    for value in values:
        if isinstance(value, dict):
            yield from _leaves(value.values())
        elif isinstance(value, list):
            yield from _leaves(value)
        elif isinstance(value, str | int | float) and not isinstance(value, bool):
            yield value


def _normalized_text(text: str) -> str:
    return _WORD_SEPARATORS.sub(" ", _THOUSANDS.sub("", text).casefold())


def _is_mentioned(value: str, text: str) -> bool:
    wanted = _normalized_text(value).strip()
    is_number = wanted[:1].isdecimal()
    shorter = _TRAILING_ZEROS.sub(r"\1", wanted).removesuffix(".") if is_number else wanted
    if wanted in text or shorter in text:  # people write 5 for 5.0
        return True
    written = _DATE.fullmatch(value)
    return written is not None and _is_date_mentioned(written, text)


def _is_date_mentioned(written: re.Match[str], text: str) -> bool:
    """Whether the year, the month and the day are mentioned in words: 14 March 2025."""
    try:
        day = date(int(written[1]), int(written[2]), int(written[3]))
    except ValueError:
        return False
    month = _MONTHS[day.month - 1]
    return (
        written[1] in text
        and month in text
        and re.search(rf"(?<!\d)0?{day.day}(?!\d)", text) is not None
    )


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

_BATCH_SIZE = 8
_MAX_CONCURRENT = 4
_MAX_ROUNDS = 3
_MAX_QUESTION_LENGTH = 2_000
_MAX_ERROR_LENGTH = 120
_CODE_FENCE = re.compile(r"\s*```[a-z]*\s*\n(.*?)\n?\s*```\s*", re.DOTALL)

_Record = dict[str, Any]


class WrittenQuestions(Struct, frozen=True):
    """All cases, with the questions of the model that can be used; and why others cannot."""

    records: list[_Record]
    problems: dict[str, str] = {}


class _Question(Struct, frozen=True):
    id: str
    input: str


class _Reply(Struct, frozen=True):
    questions: list[_Question]


async def write_questions(
    records: Sequence[_Record],
    tools: Mapping[str, Tool],
    task: Callable[[str], Awaitable[Any]],
) -> WrittenQuestions:
    """Let a model write the questions of some cases, and check each of them.

    Questions that cannot be used are requested again, with the reason, at most twice.

    Raises:
        ModelFailed: the model gave no answer at all.
        CallscoreError: it cannot be asked.
    """
    session = _QuestionWriter(records, tools, task)
    for _ in range(_MAX_ROUNDS):
        remaining = [record for record in records if record["id"] not in session.found]
        if not remaining:
            break
        await session.ask(remaining)
    found = session.found
    named = [{**record, "input": found.get(record["id"], record["input"])} for record in records]
    return WrittenQuestions(
        named, {name: why for name, why in session.problems.items() if name not in found}
    )


class _QuestionWriter:
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
        self._needed: dict[str, list[Any]] = {}
        for record in records:
            case = read_case(record, place=record["id"])
            calls = calls_in(case.expected or ())
            self._needed[record["id"]] = [call.arguments for call in calls]
        self._known = {
            text for tool in tools.values() for text in enum_texts(tool.parameters) if text
        }

    async def ask(self, records: Sequence[_Record]) -> None:
        import asyncio

        batches = [records[at : at + _BATCH_SIZE] for at in range(0, len(records), _BATCH_SIZE)]
        gate = asyncio.Semaphore(_MAX_CONCURRENT)

        async def answered(batch: Sequence[_Record]) -> Any:
            async with gate:
                return await self._task(self._request(batch))

        replies = await asyncio.gather(*map(answered, batches), return_exceptions=True)
        failures = [reply for reply in replies if isinstance(reply, BaseException)]
        for failure in failures:
            is_silent = len(failures) == len(batches) and not self.found
            if is_silent or not isinstance(failure, ModelFailed):
                raise failure
        for batch, reply in zip(batches, replies, strict=True):
            self._take(batch, reply)

    def _request(self, batch: Sequence[_Record]) -> str:
        cases = []
        for record in batch:
            case = {"id": record["id"], "expected": record["expected"]}
            if record["id"] in self.problems:
                case["problem"] = self.problems[record["id"]]
            cases.append(case)
        return encode_json({"tools": self._offered, "cases": cases}).decode()

    def _take(self, batch: Sequence[_Record], reply: Any) -> None:
        try:
            written = {each.id: each.input for each in _parse_reply(reply)}
        except (ModelFailed, ValueError) as error:
            written = {}
            missing = clip(str(error), _MAX_ERROR_LENGTH)
        else:
            missing = "no message for it"
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
        """Why a question cannot be used; None if it can."""
        if len(text) > _MAX_QUESTION_LENGTH:
            return f"the message is longer than {_MAX_QUESTION_LENGTH} characters"
        if not text.replace("\n", " ").replace("\t", " ").isprintable():
            return "the message contains unprintable characters"
        if text.casefold() in self._taken:
            return "another case has the same message"
        missing = unmentioned_values(text, self._needed[name], self._known)
        return f"the message does not contain {', '.join(map(repr, missing))}" if missing else None


def _parse_reply(reply: Any) -> list[_Question]:
    """The questions in a response; raises `ValueError` if it is not in the requested form."""
    if isinstance(reply, ModelFailed):
        raise reply
    try:
        text = reply["choices"][0]["message"]["content"]
        fenced = _CODE_FENCE.fullmatch(text)
    except (KeyError, IndexError, TypeError) as error:
        raise ValueError("the answer has no text") from error
    try:
        found = msgspec.json.decode(fenced[1] if fenced else text, type=_Reply | list[_Question])
    except (msgspec.DecodeError, RecursionError) as error:
        raise ValueError(f"the answer is not the requested JSON: {error}") from error
    return found if isinstance(found, list) else found.questions

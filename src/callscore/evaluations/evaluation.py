"""The nouns of a run: an evaluation, and a question that it asks."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any

from msgspec import Struct

from callscore.core.model import Case
from callscore.core.settings import DEFAULT, Settings
from callscore.core.tool import Tool

__all__ = ["Evaluation", "Question", "Scorer", "Task"]

# Takes a case, and what a variant says as keywords; returns the answer in any dialect.
Task = Callable[..., Any]


class Scorer(Struct, frozen=True):
    """Something that says how good an answer is.

    Attributes:
        name: what it is called in tables.
        function: what gives the number; its parameters say what it is given, by their names.
        takes: these names.
    """

    name: str
    function: Callable[..., Any]
    takes: tuple[str, ...]


class Evaluation(Struct, frozen=True, kw_only=True):
    """An agent, the cases that it is asked, and how its answers are scored.

    Attributes:
        name: what it is called.
        task: what asks the agent; it may be awaitable or not.
        cases: the cases: a list, the path of a file, or a function that gives them. They are read
            when they are needed.
        tools: the definitions of the tools by name; None where nobody knows them.
        scorers: what the answers are worth.
        variants: ways to run the task: the keywords that it is given, by name.
        tags: words to select by; every case has them, too.
        only: whether evaluations that do not say so are left out.
        skip: whether it is left out; or why it is.
        thresholds: what the mean of a scorer must reach, by the scorer's name.
        settings: what decides the scores.
        trials: how often each case is asked, where the command does not say so.
        place: the file that it stands in, with the line where that is known.
        folder: where paths in it begin.
        home: the file that it belongs to, from the root on; empty where there is none.
        key: by what the history knows it, whatever else is run: `evals/eval_a.py::name`.
        source: the digest of the code of its task, by which a changed one is known.
    """

    name: str
    task: Task
    cases: Any
    tools: Mapping[str, Tool] | None = None
    scorers: tuple[Scorer, ...] = ()
    variants: dict[str, dict[str, Any]] = {}
    tags: tuple[str, ...] = ()
    only: bool = False
    skip: bool | str = False
    thresholds: dict[str, float] = {}
    settings: Settings = DEFAULT
    trials: int = 1
    place: str = ""
    folder: str = "."
    home: str = ""
    key: str = ""
    source: str = ""

    def __call__(self, *arguments: Any, **keywords: Any) -> Any:
        """Ask the task as if it had never been decorated."""
        return self.task(*arguments, **keywords)


class Question(Struct, frozen=True, kw_only=True):
    """One case to be asked, once.

    Attributes:
        evaluation: whose case it is.
        case: the case, read: with an id, and with the calls that are expected.
        variant: the variant under which it is asked; None where there is none.
        trial: which repetition it is, from 1 on.
        trials: how many there are.
    """

    evaluation: Evaluation
    case: Case
    variant: str | None = None
    trial: int = 1
    trials: int = 1

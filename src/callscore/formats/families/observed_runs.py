"""Builds a run from what was observed: what models requested, and what tools executed.

An observed run contains most calls more than once: in the answer of a model, in the messages that
the next model receives, in the span of the tool, and in spans around the model. They are returned
once, in one of two views: as requested by the models, or as executed.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from typing import Any

from msgspec import Struct
from msgspec.structs import replace

from callscore.core.call import NOT_CAPTURED, ToolCall
from callscore.core.case import Origin
from callscore.formats.shape import text_in
from callscore.formats.trace import ReadOptions, Trace, View, join_exchanges


class Nesting(Struct, frozen=True):
    """The steps by their ids, empty if none is within a tool; and the tools with models in them."""

    steps: dict[str | None, Any] = {}
    delegating: frozenset[str | None] = frozenset()


_NO_NESTING = Nesting()
_MIN_MODELS = 2  # in different turns


def steps_by_id(run: ObservedRun) -> dict[str | None, ObservedStep]:
    """The steps by their ids; the last one, if several have the same."""
    return {step.id: step for step in run.steps if step.id is not None}


def steps_above(
    step: ObservedStep, steps: dict[str | None, ObservedStep]
) -> Iterator[ObservedStep]:
    """The steps around a step, from the inside out."""
    seen = {step.id}
    parent = step.parent
    while parent in steps and parent not in seen:
        seen.add(parent)
        yield steps[parent]
        parent = steps[parent].parent


def nesting_of(run: ObservedRun) -> Nesting:
    """The steps of a run that are within tools."""
    tools = {step.id for step in run.steps if step.execution is not None and step.id is not None}
    for inner in run.steps if tools else ():
        if inner.parent in tools:  # if no step is directly within a tool, none is at all
            steps = steps_by_id(run)
            delegating = [
                above.id
                for step in run.steps
                if step.requests is not None
                for above in steps_above(step, steps)
                if above.execution is not None
            ]
            return Nesting(steps, frozenset(delegating))
    return _NO_NESTING


def tool_around(step: ObservedStep, nesting: Nesting) -> ObservedStep | None:
    """The innermost tool around a step."""
    if nesting is not _NO_NESTING:
        for above in steps_above(step, nesting.steps):
            if above.execution is not None:
                return above
    return None


def is_repeated(call: ToolCall, around: ObservedStep | None, nesting: Nesting) -> bool:
    """Whether a tool ran within the same tool, as over MCP: that is one call, not two."""
    if around is None or around.execution is None:
        return False
    return around.execution.name == call.name and around.id not in nesting.delegating


class ToolResult(Struct, frozen=True, gc=False):
    """The result of a call, as the next model receives it, and what is known about the call.

    The arguments identify a call that has no id.
    """

    value: Any
    id: str | None = None
    name: str | None = None
    failed: bool | None = None
    arguments: dict[str, Any] | None = None


class ObservedStep(Struct, frozen=True, gc=False, kw_only=True):
    """One step of a run: a model, a tool, or whatever is around them.

    Attributes:
        id: unique in the run.
        parent: the id of the step around this one.
        requests: the calls in the answer of a model; None if this is not a model.
        execution: the call that a tool executed, with its result; None if this is not a tool.
        answers: finds the results in the input of a model; called only if needed.
        turn: counts how often the user asked again in the input of a model; None if that is unknown.
            Called only if needed, as for `answers`.
        is_recorded: whether the answer of a model is known; if not, the tools that ran next are what
            it requested.
    """

    id: str | None = None
    parent: str | None = None
    requests: tuple[ToolCall, ...] | None = None
    execution: ToolCall | None = None
    answers: Callable[[], list[ToolResult]] = list
    turn: Callable[[], int | None] = type(None)
    is_recorded: bool = True


class ObservedRun(Struct, frozen=True, gc=False):
    """The steps of one run, in the order in which they began; and what the agent was asked.

    The runs of one conversation, by its name, are one run: each answers one message of the user.
    `origin` has the ids of the trace.
    """

    steps: list[ObservedStep]
    input: Any = None
    conversation: str | None = None
    origin: Origin | None = None


class _PlacedCall(Struct, gc=False):
    """A call with the position of the model that requested it, and how many tools ran before."""

    call: ToolCall
    position: int
    tools_before: int
    is_answered: bool = False

    def answer(self, value: Any, *, failed: bool | None) -> None:
        self.call = replace(self.call, result=value, failed=failed)
        self.is_answered = True


def traces_of(runs: list[ObservedRun], options: ReadOptions) -> list[Trace]:
    """The calls of each run, all in the same view.

    By default the view is that of the models, if any of them requested a call and the arguments were
    captured. In that view, runs without a model are left out.
    """
    view = _view_of(runs, options)
    traces: list[Trace] = []
    names: list[str | None] = []
    for run in runs:
        if any(
            step.requests is not None or (step.execution is not None and view == "executed")
            for step in run.steps
        ):
            calls = _requested(run, options) if view == "requested" else _executed(run, options)
            traces.append(Trace(calls=tuple(calls), input=run.input, view=view, origin=run.origin))
            names.append(run.conversation)
    if len(set(names)) < len(names) and any(names):
        traces = _joined(traces, names)
    return traces or [
        Trace(calls=(), input=run.input, view=view, origin=run.origin) for run in runs[:1]
    ]


def _joined(traces: list[Trace], names: list[str | None]) -> list[Trace]:
    """The runs, with those of one conversation as one, in the place of the first of them."""
    groups: dict[str | int, list[Trace]] = {}
    for place, (trace, name) in enumerate(zip(traces, names, strict=True)):
        groups.setdefault(place if name is None else name, []).append(trace)
    return [join_exchanges(group) for group in groups.values()]


def _view_of(runs: list[ObservedRun], options: ReadOptions) -> View:
    steps = [step for run in runs for step in run.steps]
    requests = [call for step in steps if step.requests for call in step.requests]
    executions = [step.execution for step in steps if step.execution is not None]
    if not requests or not executions:
        return "executed" if executions else "requested"
    if options.view is not None:
        return options.view
    return "executed" if _has_arguments(executions) > _has_arguments(requests) else "requested"


def _has_arguments(calls: list[ToolCall]) -> bool:
    """Whether the arguments of any call were captured."""
    return any(call.error != NOT_CAPTURED for call in calls)


def _turns_of(run: ObservedRun, nesting: Nesting, options: ReadOptions) -> list[int]:
    """The turn of the user in which each step was made; empty if it is not needed or not known.

    The last models have received all messages of the user. If these are of one turn, the inputs of
    the others need not be read. What was asked before the first model is not in the trace.
    """
    counts = {
        place: step.turn
        for place, step in enumerate(run.steps)
        if step.requests is not None and tool_around(step, nesting) is None
    }
    only = [0] * len(run.steps) if options.numbers_turns and _is_asked(run) else []
    if len(counts) < _MIN_MODELS or not any(count() for count in [*counts.values()][-2:]):
        return only
    known = {place: count() or 0 for place, count in counts.items()}
    before = known[min(known)]
    turns: list[int] = []
    for place in range(len(run.steps)):
        # Other agents, with shorter conversations, work in the turn that has begun.
        turns.append(max(known.get(place, before) - before, turns[-1] if turns else 0))
    return turns if turns[-1] else only


def _is_asked(run: ObservedRun) -> bool:
    """Whether the run has a message of the user, or is one of a conversation and has its question."""
    is_exchange = run.conversation is not None and isinstance(run.input, str)
    return is_exchange or any(
        step.requests is not None and step.turn() is not None for step in run.steps
    )


def _requested(run: ObservedRun, options: ReadOptions) -> list[ToolCall]:
    asking = [step for step in run.steps if step.requests]
    if not asking:
        return []
    if len(run.steps) == 1:  # nothing can be repeated, or be a result
        calls = asking[0].requests or ()
        if _turns_of(run, _NO_NESTING, options):
            calls = tuple([replace(call, turn=call.turn or 0) for call in calls])
        return [replace(call, step=0) if call.step is None else call for call in calls]
    tools = [item for item in enumerate(run.steps) if item[1].execution is not None]
    wrappers = _wrappers(asking, steps_by_id(run)) if len(asking) > 1 else set()
    nesting = nesting_of(run)
    placed = _placed(run, wrappers, nesting)
    turns = _turns_of(run, nesting, options)
    for item in placed if turns else ():
        item.call = replace(item.call, turn=turns[item.position])
    others = _answer_from_tools(tools, placed, nesting)
    _answer_from_messages(run, placed, options)
    if options.view is not None:
        others = []
    return _with_unrecorded(run, placed, others, turns)


def _with_unrecorded(
    run: ObservedRun, placed: list[_PlacedCall], others: list[int], turns: list[int]
) -> list[ToolCall]:
    """The calls, and those tools that ran for a model whose answer was not recorded.

    Others can have another name than the call that they belong to, so all earlier calls must have
    their results.
    """
    found = list(placed)
    for position in others:
        before = range(position - 1, -1, -1)
        model = next((at for at in before if run.steps[at].requests is not None), None)
        done = run.steps[position].execution
        if model is None or run.steps[model].is_recorded or done is None:
            continue
        if all(item.is_answered for item in placed if item.position < position):
            turn = turns[position] if turns else None
            found.append(_PlacedCall(replace(done, step=None, turn=turn), model, 0))
    if len(found) == len(placed):
        return [item.call for item in placed]
    found.sort(key=lambda item: item.position)
    places = [(item.position, item.call.step) for item in found]
    numbers = {place: number for number, place in enumerate(dict.fromkeys(places))}
    return [
        replace(item.call, step=numbers[place]) for item, place in zip(found, places, strict=True)
    ]


def _placed(run: ObservedRun, wrappers: set[str | None], nesting: Nesting) -> list[_PlacedCall]:
    """The calls that models requested, without repetitions."""
    placed: list[_PlacedCall] = []
    known: dict[str | None, list[_PlacedCall]] = {}
    number = tools = 0
    for position, step in enumerate(run.steps):
        if step.execution is not None:
            tools += 1
        if not step.requests or step.id in wrappers:
            continue
        caller = None if tool_around(step, nesting) is None else "subagent"
        first = number
        for call in step.requests:
            own = first + (call.step or 0)  # an agent can have several messages in one step
            is_whole = call.step == own and caller is None
            whole = call if is_whole else replace(call, step=own, caller=call.caller or caller)
            item = _PlacedCall(whole, position, tools, call.result is not None)
            same = known.get(call.id)
            if same is None:
                known[call.id] = [item]
            elif call.id is not None and _is_repeat(item, same):
                continue
            else:
                same.append(item)
            placed.append(item)
            number = own + 1 if number <= own else number
    return placed


def _is_repeat(item: _PlacedCall, same: list[_PlacedCall]) -> bool:
    """Whether a call was already recorded for another model.

    Ids are not unique: a request after tools have run is another call.
    """
    for other in reversed(same):
        if item.tools_before != other.tools_before:
            break
        if item.position != other.position and _has_equal_content(item.call, other.call):
            return True
    return False


def _wrappers(asking: list[ObservedStep], by_id: dict[str | None, ObservedStep]) -> set[str | None]:
    """The models around others that only repeat what these requested."""
    inner: dict[str, list[ToolCall]] = {}
    for step in asking:
        for above in steps_above(step, by_id):
            if above.requests and above.id is not None:
                inner.setdefault(above.id, []).extend(step.requests or ())
    return {
        outer
        for outer, calls in inner.items()
        if all(
            any(_may_be_same(call, other) and _has_equal_content(call, other) for other in calls)
            for call in by_id[outer].requests or ()
        )
    }


def _may_be_same(call: ToolCall, other: ToolCall) -> bool:
    return call.name == other.name and (call.id == other.id or None in (call.id, other.id))


def _has_equal_content(call: ToolCall, other: ToolCall) -> bool:
    return (call.name, call.arguments, call.raw) == (other.name, other.arguments, other.raw)


def _answer_from_tools(
    tools: list[tuple[int, ObservedStep]], placed_calls: list[_PlacedCall], nesting: Nesting
) -> list[int]:
    """Assign each result of a tool to the earlier call that it belongs to.

    Returns the positions of the tools that belong to none.
    """
    others: list[int] = []
    coming = [item for item in placed_calls[::-1] if not item.is_answered] if tools else []
    waiting: list[_PlacedCall] = []
    for position, step in tools:
        while coming and coming[-1].position < position:
            waiting.append(coming.pop())
        done = step.execution
        around = tool_around(step, nesting)
        if done is None or is_repeated(done, around, nesting):
            continue
        asked = _matching_request(waiting, done)
        if asked is not None:
            asked.answer(done.result, failed=done.failed)
            waiting = [item for item in waiting if item is not asked]
        elif around is None:
            others.append(position)
    return others


def _matching_request(unanswered: list[_PlacedCall], executed_call: ToolCall) -> _PlacedCall | None:
    """The call with the id of an executed call, with its arguments, or at least its name."""
    alike: list[_PlacedCall] = []
    for item in unanswered:
        if executed_call.id is not None and item.call.id == executed_call.id:
            return item
        if _may_be_same(item.call, executed_call):
            alike.append(item)
    for item in alike:
        if item.call.arguments == executed_call.arguments:
            return item
    return alike[0] if alike else None


def _answer_from_messages(
    run: ObservedRun, placed_calls: list[_PlacedCall], options: ReadOptions
) -> None:
    """Assign the results in the messages of a model to earlier calls without a result."""
    coming = [item for item in placed_calls[::-1] if not item.is_answered]
    waiting: list[_PlacedCall] = []
    for position, step in enumerate(run.steps) if coming else ():
        while coming and coming[-1].position < position:
            waiting.append(coming.pop())
        if waiting:
            # From the end: a model receives all messages, and the last calls have no results yet.
            for answer in reversed(step.answers()):
                _answer_from_message(answer, waiting[::-1], options)
            waiting = [item for item in waiting if not item.is_answered]


def _answer_from_message(
    result: ToolResult, unanswered: list[_PlacedCall], options: ReadOptions
) -> None:
    """Assign a result to the first call without a result that it can belong to."""
    for item in unanswered:
        if not item.is_answered and _belongs_to(result, item.call):
            failed = result.failed
            text = text_in(result.value)
            if failed is None and text is not None:
                failed = options.failure.search(text) is not None
            item.answer(result.value, failed=failed)
            return


def _belongs_to(result: ToolResult, call: ToolCall) -> bool:
    if result.id is not None:
        return call.id == result.id
    return result.name in (None, call.name) and result.arguments in (None, call.arguments)


def _executed(run: ObservedRun, options: ReadOptions) -> list[ToolCall]:
    nesting = nesting_of(run)
    turns = _turns_of(run, nesting, options)
    calls: list[ToolCall] = []
    number: int | None = None
    for place, step in enumerate(run.steps):
        if step.requests is not None:
            number = 0 if number is None else number + 1
        done = step.execution
        if done is None:
            continue
        around = tool_around(step, nesting)
        if not is_repeated(done, around, nesting):
            caller = done.caller
            if around is not None:
                caller = caller or ("subagent" if around.id in nesting.delegating else "code")
            turn = turns[place] if turns else None
            calls.append(replace(done, step=number, caller=caller, turn=turn))
    return calls

"""A ready task: asks a model of any server with OpenAI's chat completions API."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from contextlib import suppress
from typing import TYPE_CHECKING, Any, cast

from msgspec import Struct, field
from msgspec.structs import replace

from callscore.api import tools_by_name
from callscore.core.equality import digest, fingerprint
from callscore.errors import InvalidSettings
from callscore.formats.function_tools import function_tool, is_function
from callscore.models.consent import Origin, named_by, require_consent
from callscore.models.limits import Limits, limits_for, with_retries
from callscore.models.requests import (
    COMPLETIONS_PATH,
    REQUEST_OPTIONS,
    as_case,
    client_for,
    messages_for,
    request_body,
    require_known_parameters,
    require_sdk,
    require_template,
    response_type,
    split_options,
)
from callscore.models.secrets import (
    KEY_VARIABLE,
    key_for,
    require_no_secret,
    require_url,
    require_variable_name,
    resolve_server,
)
from callscore.models.usage import add_request
from callscore.words.value_text import json_safe

if TYPE_CHECKING:
    from callscore.core.call import Tool
    from callscore.core.case import Case

_PLAIN_TYPES = (str, int, float, bool, type(None))
_NO_PARAMETERS: dict[str, Any] = {"type": "object", "properties": {}}


class ToolOffer(Struct, frozen=True, eq=False):
    """The tools of a model: definitions in OpenAI's form, and functions by the names of tools."""

    definitions: tuple[dict[str, Any], ...] = ()
    functions: dict[str, Callable[..., Any]] = {}
    _known: dict[str, Any] = field(default_factory=dict)  # its identity, cached

    @property
    def names(self) -> list[str]:
        """The names of the tools."""
        return [str(definition["function"]["name"]) for definition in self.definitions]

    def identity(self) -> dict[str, Any]:
        """What decides the answers, as plain data: definitions, and functions by their code."""
        if not self._known:  # it is the same for every case of a run
            self._known["tools"] = json_safe(self.definitions)
            self._known["functions"] = {
                name: _source_of(each) for name, each in self.functions.items()
            }
        return self._known


NO_TOOLS = ToolOffer()


def make_tool_offer(tools: Any) -> ToolOffer:
    """The offer of functions and of definitions in any form that `read_tools` accepts.

    A definition in OpenAI's form is sent unchanged.

    Raises:
        InvalidCall: there are no tools in it.
        InvalidSettings: two tools of the same name differ.
        UnreadableInput: it is a file for which this is true, or that cannot be read.
    """
    if tools is None:
        return NO_TOOLS
    given = list(tools) if isinstance(tools, tuple | set | frozenset) else tools
    known = tools_by_name(given)
    if isinstance(given, dict):
        functions = {name: each for name, each in given.items() if is_function(each)}
    else:
        items = given if isinstance(given, list) else [given]
        functions = {function_tool(item).name: item for item in items if is_function(item)}
    ready = {
        item["function"]["name"]: item
        for item in (given if isinstance(given, list) else ())
        if _is_openai_definition(item)
    }
    definitions = [ready.get(name) or _definition(tool) for name, tool in known.items()]
    return ToolOffer(tuple(definitions), functions)


def _is_openai_definition(item: Any) -> bool:
    function = item.get("function") if isinstance(item, dict) else None
    return isinstance(function, dict) and isinstance(function.get("name"), str) and "type" in item


def _definition(tool: Tool) -> dict[str, Any]:
    function: dict[str, Any] = {"name": tool.name}
    if tool.description is not None:
        function["description"] = tool.description
    function["parameters"] = _NO_PARAMETERS if tool.parameters is None else tool.parameters
    return {"type": "function", "function": function}


def _source_of(function: Any) -> str:
    """A fingerprint of the function's code; its name if there is no code."""
    from inspect import getsource, unwrap

    inner = getattr(function, "func", function)  # of a partial
    innermost = unwrap(inner)
    try:
        text = getsource(innermost)
    except (OSError, TypeError):
        text = str(getattr(inner, "__qualname__", type(inner).__qualname__))
    kept = [
        *([function.args, function.keywords] if inner is not function else ()),
        *_closure_values(inner),
        *(_closure_values(innermost) if innermost is not inner else ()),
    ]
    # These values may be secrets: a digest distinguishes them, and cannot be read.
    return text + digest(fingerprint(kept)).hex() if kept else text


def _closure_values(function: Any) -> list[Any]:
    """The plain values in the closure of a function, by which two of the same code may differ."""
    found = []
    for cell in getattr(function, "__closure__", None) or ():
        with suppress(ValueError):  # the cell is empty
            if isinstance(cell.cell_contents, _PLAIN_TYPES):
                found.append(cell.cell_contents)
    return found


_DEFAULT_MAX_STEPS = 8
_CHAT_FIELDS = ("model", "system", "prompt", "base_url", "key_variable", "max_steps", "limits")


class Chat(Struct, frozen=True, kw_only=True):
    """A task that asks a model; `await chat(case)` gives its answer as plain data.

    Attributes:
        model: the name of the model.
        offer: the tools that it is offered; None where each case brings its own.
        system: what it is told first.
        prompt: what it is told for the case, with places for what the case holds.
        base_url: the server; None for what the environment says, or OpenAI's own.
        key_variable: the variable of the environment that holds the key.
        max_steps: how often it is asked for one case, at most; None for 8 where tools are
            functions, else once.
        limits: rate limit, timeout and retries; None for those of the run.
        parameters: what else the model is told: `temperature`, `seed`, `stream` ...
        origin: the file that names the server; None for code, which needs no consent.
    """

    model: str
    offer: ToolOffer | None = None
    system: str | None = None
    prompt: str | None = None
    base_url: str | None = None
    key_variable: str = KEY_VARIABLE
    max_steps: int | None = None
    limits: Limits | None = None
    parameters: dict[str, Any] = {}
    origin: Origin | None = None

    def require(self) -> None:
        """Check the SDK, the parameters, the server and the key before anything is asked."""
        require_consent(self.base_url, self.key_variable, self.origin)
        require_sdk()
        require_known_parameters(self.parameters)
        resolve_server(self.base_url)
        key_for(self.base_url, self.key_variable)  # the evaluation is named already

    def identity(self) -> dict[str, Any]:
        """What decides the answer, together with the input, as plain data without the key."""
        offer = NO_TOOLS if self.offer is None else self.offer
        return {
            "model": self.model,
            "parameters": json_safe(self.parameters),
            "system": self.system,
            "prompt": self.prompt,
            "base_url": resolve_server(self.base_url),
            "max_steps": self.max_steps,
            **offer.identity(),
        }

    def asks(self, given: Case | Any, **overrides: Any) -> dict[str, Any]:
        """Everything that decides the answer to one case, as plain data without the key.

        Two cases for which this is equal are the same question.
        """
        if overrides:
            return self.with_overrides(**overrides).asks(given)
        case = as_case(given)
        return {
            **self.identity(),
            **self._offer_for(case).identity(),
            "messages": json_safe(messages_for(case, system=self.system, prompt=self.prompt)),
        }

    def with_overrides(self, **overrides: Any) -> Chat:
        """The chat with other arguments of `chat`, and other parameters."""
        if not overrides:
            return self
        given: dict[str, Any] = {name: getattr(self, name) for name in _CHAT_FIELDS}
        made = chat(**{**given, **self.parameters, **overrides})
        offer = made.offer if "tools" in overrides else self.offer
        return replace(made, offer=offer, origin=self.origin)

    async def __call__(self, given: Case | Any, /, **overrides: Any) -> dict[str, Any]:
        """Ask the model about a case.

        Args:
            given: the case; or what is asked: a text, a list of messages, or data.
            overrides: what a variant says: a `model`, a `system`, any parameter.

        Returns:
            The response as the server wrote it; where tools are functions, or there may be several
            steps, a document with all messages, results and tokens of the conversation.

        Raises:
            InvalidSettings: the case does not hold what the prompt wants, or an override is wrong.
            MissingKey: there is no key in the environment.
            MissingExtra: the SDK is not installed.
            ModelFailed: there is no answer within the limits.
        """
        if overrides:
            return await self.with_overrides(**overrides)(given)
        case = as_case(given)
        messages = messages_for(case, system=self.system, prompt=self.prompt)
        offer = self._offer_for(case)
        limits = limits_for(self.limits)
        steps = self.max_steps or (_DEFAULT_MAX_STEPS if offer.functions else 1)
        if steps == 1:
            return await self._complete(messages, offer, limits, self.parameters)
        from callscore.models.tool_loop import run_conversation

        unforced = _without_forced_choice(self.parameters)

        async def ask(sent: list[dict[str, Any]]) -> dict[str, Any]:
            is_first = len(sent) == len(messages)
            parameters = self.parameters if is_first else unforced
            return await self._complete(sent, offer, limits, parameters)

        return await run_conversation(ask, messages, offer, max_steps=steps, seconds=limits.timeout)

    def _offer_for(self, case: Case) -> ToolOffer:
        if self.offer is not None:
            return self.offer
        return NO_TOOLS if case.tools is None else make_tool_offer(case.tools)

    async def _complete(
        self,
        messages: Sequence[dict[str, Any]],
        tools: ToolOffer,
        limits: Limits,
        parameters: dict[str, Any],
    ) -> dict[str, Any]:
        """Request one completion, with retries."""
        from callscore.models.responses import model_failure, read_completion, read_lost_call

        require_consent(self.base_url, self.key_variable, self.origin)
        key = key_for(self.base_url, self.key_variable, named_by(self.origin))
        server = resolve_server(self.base_url)
        client = await client_for(server, key)
        require_known_parameters(parameters)
        for_model, given = split_options(parameters)
        body = request_body(self.model, messages, tools.definitions, for_model)
        kind = response_type()
        options = cast("Any", {**given, **REQUEST_OPTIONS})  # the SDK has a type of its own

        async def ask() -> dict[str, Any]:
            add_request()
            response = await client.post(COMPLETIONS_PATH, cast_to=kind, body=body, options=options)
            return read_completion(response, key)

        try:
            completion, _ = await with_retries(ask, limits=limits)
        except Exception as error:  # noqa: BLE001  (of the SDK, of the network, of the server)
            lost = read_lost_call(error)
            failed = model_failure(error, model=self.model, server=server, key=key)
        else:
            return completion
        # Outside of `except`: the error of the SDK holds the request, and with it the key, which
        # must not appear in a traceback.
        if lost is None:
            raise failed
        return lost


def _without_forced_choice(parameters: dict[str, Any]) -> dict[str, Any]:
    """The parameters after the first step: a forced tool choice would never end."""
    choice = parameters.get("tool_choice")
    is_named = isinstance(choice, dict) and choice.get("type") != "allowed_tools"
    if choice != "required" and not is_named:
        return parameters
    return {name: each for name, each in parameters.items() if name != "tool_choice"}


def chat(  # noqa: PLR0913  (one argument per property of a chat)
    model: str,
    *,
    tools: Any = None,
    system: str | None = None,
    prompt: str | None = None,
    base_url: str | None = None,
    key_variable: str = KEY_VARIABLE,
    max_steps: int | None = None,
    limits: Limits | None = None,
    **parameters: Any,
) -> Chat:
    """A task that calls a model on any server with OpenAI's chat completions.

    Args:
        model: the name of the model.
        tools: functions, or definitions in any form that `read_tools` accepts; None for the tools of
            each case. Functions are run when the model calls them, and it receives the results.
        system: the system message.
        prompt: the user message, with placeholders such as `{{input}}` or `{{metadata.city}}`; by
            default the input.
        base_url: the server, such as `http://localhost:8080/v1`; by default OPENAI_BASE_URL, or
            OpenAI.
        key_variable: the environment variable with the key; a server on this machine needs none.
        max_steps: the maximum number of requests per case; by default 8 if the tools are functions,
            else 1.
        limits: rate limit, timeout and retries; by default those of the run.
        parameters: parameters of the model: `temperature=0`, `seed=1`, `stream=True` ...

    Raises:
        InvalidSettings: an argument is invalid.
        InvalidCall: `tools` contains no tools.
    """
    for name, text, is_needed in (("model", model, True), ("system", system, False)):
        if not isinstance(text, str) and (is_needed or text is not None):
            raise InvalidSettings(f"{name}: expected a string, got {text!r}")
    require_template(prompt)
    require_url(base_url)
    require_variable_name(key_variable)
    require_no_secret(parameters)
    if max_steps is not None and (max_steps.__class__ is not int or max_steps < 1):
        raise InvalidSettings(f"max_steps: expected a whole number ≥ 1, got {max_steps!r}")
    if limits is not None and limits.__class__ is not Limits:
        raise InvalidSettings(f"limits: expected a callscore.models.Limits, got {limits!r}")
    return Chat(
        model=model,
        offer=None if tools is None else make_tool_offer(tools),
        system=system,
        prompt=prompt,
        base_url=base_url,
        key_variable=key_variable,
        max_steps=max_steps,
        limits=limits,
        parameters=parameters,
    )

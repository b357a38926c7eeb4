"""A ready task: asks a model of any server that speaks OpenAI's chat completions."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from msgspec import Struct
from msgspec.structs import replace

from callscore.core.plain import plain
from callscore.errors import InvalidSettings, ModelFailed
from callscore.models.asking import body_of, case_of, messages_of, require_parameters
from callscore.models.clients import PATH, client_for, options_of, require_sdk, response_type
from callscore.models.counting import count_request
from callscore.models.keys import (
    KEY_VARIABLE,
    key_for,
    require_no_secret,
    require_url,
    require_variable,
    server_of,
)
from callscore.models.limits import Limits, limits_for
from callscore.models.offering import NOTHING, Offer, offer_of
from callscore.models.retrying import retrying
from callscore.models.templates import require_template

if TYPE_CHECKING:
    from collections.abc import Sequence

    from callscore.core.model import Case

__all__ = ["Chat", "chat"]

_MAX_STEPS = 8
_FIELDS = ("model", "system", "prompt", "base_url", "key_variable", "max_steps", "limits")


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
        limits: how patient we are; None for what the run says.
        parameters: what else the model is told: `temperature`, `seed`, `stream` ...
    """

    model: str
    offer: Offer | None = None
    system: str | None = None
    prompt: str | None = None
    base_url: str | None = None
    key_variable: str = KEY_VARIABLE
    max_steps: int | None = None
    limits: Limits | None = None
    parameters: dict[str, Any] = {}

    def require(self) -> None:
        """Find out before anything is asked whether it can be.

        Raises:
            MissingExtra: the SDK is not installed.
            MissingKey: there is no key in the environment.
            InvalidSettings: the SDK does not know a parameter, or the environment names no server.
        """
        require_sdk()
        require_parameters(self.parameters)
        server_of(self.base_url)
        key_for(self.base_url, self.key_variable)

    def identity(self) -> dict[str, Any]:
        """What with the input decides the answer, as plain data that can be stored: no key."""
        offer = NOTHING if self.offer is None else self.offer
        return {
            "model": self.model,
            "parameters": plain(self.parameters),
            "system": self.system,
            "prompt": self.prompt,
            "base_url": server_of(self.base_url),
            "max_steps": self.max_steps,
            **offer.identity(),
        }

    def asks(self, given: Case | Any, **overrides: Any) -> dict[str, Any]:
        """All that decides the answer to one case, as plain data that can be stored: no key.

        Two cases of which this is the same are the same question.

        Args:
            given: as for a call.
            overrides: likewise.

        Raises:
            InvalidSettings: as a call.
        """
        if overrides:
            return self.with_overrides(**overrides).asks(given)
        case = case_of(given)
        return {
            **self.identity(),
            **self._offer_for(case).identity(),
            "messages": plain(messages_of(case, system=self.system, prompt=self.prompt)),
        }

    def with_overrides(self, **overrides: Any) -> Chat:
        """The chat with some of what `chat` takes, and some parameters, in place of its own.

        Raises:
            InvalidSettings: as `chat`.
        """
        if not overrides:
            return self
        given: dict[str, Any] = {name: getattr(self, name) for name in _FIELDS}
        made = chat(**{**given, **self.parameters, **overrides})
        if "tools" in overrides:
            return made
        return replace(made, offer=self.offer)

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
            ModelFailed: there is no answer, for all the patience that the limits allow.
        """
        if overrides:
            return await self.with_overrides(**overrides)(given)
        case = case_of(given)
        messages = messages_of(case, system=self.system, prompt=self.prompt)
        offer = self._offer_for(case)
        limits = limits_for(self.limits)
        steps = self.max_steps or (_MAX_STEPS if offer.functions else 1)
        if steps == 1:
            return await self._complete(messages, offer, limits, self.parameters)
        from callscore.models.tool_loop import converse

        unforced = _unforced(self.parameters)

        async def ask(said: list[dict[str, Any]]) -> dict[str, Any]:
            is_first = len(said) == len(messages)
            return await self._complete(
                said, offer, limits, self.parameters if is_first else unforced
            )

        return await converse(
            ask,
            messages,
            offer,
            max_steps=steps,
            seconds=limits.timeout,
        )

    def _offer_for(self, case: Case) -> Offer:
        if self.offer is not None:
            return self.offer
        return NOTHING if case.tools is None else offer_of(case.tools)

    async def _complete(
        self,
        messages: Sequence[dict[str, Any]],
        offer: Offer,
        limits: Limits,
        told: dict[str, Any],
    ) -> dict[str, Any]:
        """One completion, asked for again where that may help."""
        from callscore.models.responses import completion_in, lost_call_in, model_failed

        key = key_for(self.base_url, self.key_variable)
        server = server_of(self.base_url)
        client = await client_for(server, key)
        require_parameters(told)
        parameters, options = options_of(told)
        body = body_of(self.model, messages, offer.definitions, parameters)
        kind = response_type()

        async def ask() -> dict[str, Any]:
            count_request()
            options_: Any = options  # the SDK has a type of its own for them
            response = await client.post(PATH, cast_to=kind, body=body, options=options_)
            return completion_in(response, key)

        try:
            completion, _ = await retrying(ask, limits=limits)
        except Exception as error:  # noqa: BLE001  (of the SDK, of the network, of the server)
            lost = lost_call_in(error, key)
            failed = model_failed(error, model=self.model, server=server, key=key)
        else:
            return completion
        return _or_raise(lost, failed)


def _unforced(parameters: dict[str, Any]) -> dict[str, Any]:
    """The parameters once the model was told results: forced to call, it would never come to an end."""
    choice = parameters.get("tool_choice")
    is_named = isinstance(choice, dict) and choice.get("type") != "allowed_tools"
    if choice != "required" and not is_named:
        return parameters
    return {name: each for name, each in parameters.items() if name != "tool_choice"}


def _or_raise(lost: dict[str, Any] | None, failed: ModelFailed) -> dict[str, Any]:
    """The call that a server threw away; else the error, away from that of the SDK.

    That one holds the request, and with it the key, which nobody should find in a traceback.
    """
    if lost is None:
        raise failed
    return lost


def chat(  # noqa: PLR0913  (one argument a thing to say about a model)
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
    """A ready task that asks a model of any server that speaks OpenAI's chat completions.

    Args:
        model: the name of the model.
        tools: functions, or definitions in any form that `read_tools` takes; None to take those of
            each case. Given functions, the model's calls are run and it is told the results.
        system: what the model is told first.
        prompt: what it is told for the case, with places like `{{input}}` or `{{metadata.city}}`;
            by default the input alone.
        base_url: the server, as in `http://localhost:8080/v1`; by default what OPENAI_BASE_URL
            says, or OpenAI's own.
        key_variable: the variable of the environment that holds the key; a server on this machine
            needs none.
        max_steps: how often the model is asked for one case, at most; by default 8 where tools are
            functions, else once.
        limits: how patient to be; by default as the run is told.
        parameters: what else the model is told: `temperature=0`, `seed=1`, `stream=True` ...

    Raises:
        InvalidSettings: something is not as it can be.
        InvalidCall: there are no tools in what is given as such.
    """
    for name, text, is_needed in (("model", model, True), ("system", system, False)):
        if not isinstance(text, str) and (is_needed or text is not None):
            raise InvalidSettings(f"{name}: {text!r} is not a text")
    require_template(prompt)
    require_url(base_url)
    require_variable(key_variable)
    require_no_secret(parameters)
    if max_steps is not None and (max_steps.__class__ is not int or max_steps < 1):
        raise InvalidSettings(f"max_steps: {max_steps!r} is not a number from 1 on")
    if limits is not None and limits.__class__ is not Limits:
        raise InvalidSettings(f"limits: {limits!r} is not made by callscore.models.Limits(...)")
    return Chat(
        model=model,
        offer=None if tools is None else offer_of(tools),
        system=system,
        prompt=prompt,
        base_url=base_url,
        key_variable=key_variable,
        max_steps=max_steps,
        limits=limits,
        parameters=parameters,
    )

"""The backends by name."""

from __future__ import annotations

from importlib import import_module
from typing import TYPE_CHECKING

from callscore.core.suggestions import suggestion_or_choices
from callscore.errors import InvalidSettings

if TYPE_CHECKING:
    from callscore.uploaders.sending import Backend

BACKENDS = ("otel", "langfuse", "langsmith", "mlflow", "phoenix")


def backend_named(name: str) -> Backend:
    """The backend of this name; its client library is imported when it is connected to.

    Raises:
        InvalidSettings: there is none.
    """
    if name not in BACKENDS:
        hint = suggestion_or_choices(name, BACKENDS)
        raise InvalidSettings(f"unknown backend {name!r}{hint}")
    backend: Backend = import_module(f"callscore.uploaders.{name}").BACKEND
    return backend

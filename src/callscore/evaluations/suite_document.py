"""The text of a suite, read: what stands in it, and on which line."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from callscore.core.malformed import fault_of
from callscore.core.nearest import meant_by
from callscore.errors import CallscoreError, InvalidEvaluation, UnreadableInput
from callscore.evaluations.places import shown
from callscore.formats.describing import describe

if TYPE_CHECKING:
    from collections.abc import Callable, Collection
    from pathlib import Path

    Key = str | int

__all__ = ["SuiteDocument", "read_suite"]


class SuiteDocument:
    """A suite as it is written.

    Attributes:
        path: the file.
        value: what stands in it.

    Args:
        path: the file.
        value: what stands in it.
        line_of: the line of something, by the keys that lead there; None where nobody knows.
    """

    def __init__(
        self,
        path: Path,
        value: dict[str, Any],
        line_of: Callable[[tuple[Key, ...]], int | None],
    ) -> None:
        self.path = path
        self.value = value
        self._line_of = line_of

    def place(self, *keys: Key) -> str:
        """Where something stands; where that is unknown, what it stands in."""
        for end in range(len(keys), 0, -1):
            line = self._line_of(keys[:end])
            if line is not None:
                return f"{shown(self.path)}:{line}"
        return shown(self.path)

    def wrong(self, problem: str, *keys: Key) -> InvalidEvaluation:
        """What is wrong somewhere, as an error."""
        sentence = problem if problem.endswith((".", "?", "!")) else f"{problem}."
        return InvalidEvaluation(self.place(*keys), sentence)

    def checked(self, check: Callable[[Any], Any], default: Any, *keys: str) -> Any:
        """What a check makes of the value under these keys, or of the default where there is none.

        Raises:
            InvalidEvaluation: the check refuses it.
        """
        value: Any = self.value
        for key in keys:
            value = value.get(key, default) if isinstance(value, dict) else default
        try:
            return check(value)
        except InvalidEvaluation:
            raise
        except CallscoreError as error:
            raise self.wrong(str(error), *keys) from error

    def require_keys(self, known: Collection[str], *path: str) -> dict[str, Any]:
        """The object under these keys, which has no keys but those that are known.

        Raises:
            InvalidEvaluation: it is no object, or has another key.
        """
        value: Any = self.value
        for key in path:
            value = value[key]
        name = ".".join(path)
        if not isinstance(value, dict):
            raise self.wrong(f"{name}: an object is wanted; got {describe(value)}", *path)
        for key in value:
            if key not in known:
                hint = meant_by(key, known) or f". There are {', '.join(known)}"
                where = f"{name} has no key" if name else "a suite has no key"
                raise self.wrong(f"{where} {key!r}{hint}", *path, key)
        return value


def read_suite(path: Path) -> SuiteDocument:
    """The suite in a YAML or a TOML file.

    Raises:
        UnreadableInput: the file cannot be read, or is neither.
    """
    name = shown(path)
    text = _text_of(path, name)
    line_of: Callable[[tuple[Key, ...]], int | None]
    if path.suffix == ".toml":
        from callscore.sources.toml_document import line_in_toml, read_toml

        value: Any = read_toml(text, name)

        def line_of(keys: tuple[Key, ...]) -> int | None:
            return line_in_toml(text, keys)
    else:
        from callscore.sources.yaml_document import read_yaml_located

        value, lines = read_yaml_located(text, name)
        line_of = lines.get
    if not isinstance(value, dict):
        got = "nothing" if value is None else describe(value)
        raise UnreadableInput(name, f"a suite is an object with `cases`; got {got}.")
    fault = fault_of(value)
    if fault is not None:
        raise UnreadableInput(name, f"{fault.problem}.")
    return SuiteDocument(path, value, line_of)


def _text_of(path: Path, name: str) -> str:
    try:
        return path.read_bytes().decode("utf-8-sig")
    except OSError as error:
        raise UnreadableInput(name, f"it cannot be read ({error.strerror}).") from error
    except UnicodeDecodeError as error:
        problem = f"the byte 0x{error.object[error.start]:02x} is not UTF-8. Save it as UTF-8."
        raise UnreadableInput(name, problem) from error

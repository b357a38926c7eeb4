"""The nodes of YAML documents, or the place where a text is not YAML, at a bounded cost."""

from __future__ import annotations

from collections.abc import Iterator
from functools import cached_property
from typing import TYPE_CHECKING, Any

from ruamel.yaml import YAML
from ruamel.yaml.composer import Composer
from ruamel.yaml.error import MarkedYAMLError, YAMLError
from ruamel.yaml.parser import Parser
from ruamel.yaml.reader import ReaderError
from ruamel.yaml.scanner import Scanner, ScannerError

from callscore.core.rendering import is_content_hidden

if TYPE_CHECKING:
    from ruamel.yaml.nodes import Node

MAX_DEPTH = 200  # levels of lists and mappings
_DEEP = 20
MAX_DEEP = 10_000  # lists and mappings of a file below that level: each takes longer to read
_MAX_KEY_LENGTH = 1024  # characters in front of a colon, as the specification has it
_VERSIONS = ((1, 1), (1, 2))
_TOO_DEEP = f"the YAML is nested deeper than {MAX_DEPTH} levels. Write such cases as JSON."
_TOO_MANY_DEEP = (
    f"more than {MAX_DEEP:,} lists and mappings are nested deeper than {_DEEP} levels."
    " Write such cases as JSON."
)
_NOT_SUPPORTED = "the YAML version is not supported. Write '%YAML 1.2', or remove the line."
_NO_VALUE = "not YAML: an escape or a number before this has no value. Correct it."


class NotYAML(Exception):
    """A text is not YAML from a line and column (from 1) on, or cannot be read there."""

    def __init__(self, line: int, column: int, problem: str) -> None:
        super().__init__(problem)
        self.line = line
        self.column = column
        self.problem = problem


def compose_documents(text: str) -> Iterator[Node]:
    """The root nodes of all documents in a text.

    Raises:
        NotYAML: a document is not YAML, or is nested too deeply.
    """
    yaml = YAML(typ="safe", pure=True)
    yaml.Scanner, yaml.Parser, yaml.Composer = _Scanner, _Parser, _Composer
    yaml.composer.warn_double_anchors = False  # YAML allows them: the last one before counts
    try:
        yield from yaml.compose_all(text)
    except RecursionError as error:
        raise NotYAML(1, 1, _TOO_DEEP) from error
    except (MarkedYAMLError, ReaderError) as error:
        raise _not_yaml(error, text) from error


# The parts of the library look each other up at every step, which is most of their work.
class _Parser(Parser):
    @cached_property
    def scanner(self) -> Any:
        return self.loader.scanner


class _Composer(Composer):
    @cached_property
    def parser(self) -> Any:
        return self.loader.parser


class _Scanner(Scanner):
    """A scanner that stops at deep nesting, and that does not search through it at every token."""

    @cached_property
    def reader(self) -> Any:
        return self.loader.reader

    deep_collections = 0
    # Whether the first token is complete: nothing that follows can make it a key.
    is_ready = False

    def check_token(self, *choices: Any) -> bool:
        if not self.is_ready:
            self._make_ready()
        return bool(self.tokens) and (not choices or isinstance(self.tokens[0], choices))

    def peek_token(self) -> Any:
        if not self.is_ready:
            self._make_ready()
        return self.tokens[0] if self.tokens else None

    def get_token(self) -> Any:
        token = self.peek_token()
        if token is not None:
            self.is_ready = False
            self.tokens_taken += 1
            del self.tokens[0]
        return token

    def _make_ready(self) -> None:
        while self.need_more_tokens():
            self.fetch_more_tokens()
        self.is_ready = bool(self.tokens)

    def next_possible_simple_key(self) -> Any:
        # The keys of outer levels began before those of inner levels, and are the first ones.
        return next((key.token_number for key in self.possible_simple_keys.values()), None)

    def stale_possible_simple_keys(self) -> None:
        keys = self.possible_simple_keys
        while keys:
            level, key = next(iter(keys.items()))
            is_near = self.reader.index - key.index <= _MAX_KEY_LENGTH
            if key.line == self.reader.line and is_near:
                return  # and so are all keys after it
            if key.required:
                problem = "could not find expected ':'"
                where = self.reader.get_mark()
                raise ScannerError("while scanning a simple key", key.mark, problem, where)
            del keys[level]

    def fetch_more_tokens(self) -> Any:
        try:
            return super().fetch_more_tokens()
        except (YAMLError, NotYAML, RecursionError):
            raise
        except Exception as error:  # it does not check every escape before it decodes it
            raise self._error_here(_NO_VALUE) from error

    def scan_yaml_directive_value(self, start_mark: Any) -> Any:
        version = super().scan_yaml_directive_value(start_mark)
        if version not in _VERSIONS:
            raise self._error_here(_NOT_SUPPORTED)
        return version

    def fetch_flow_collection_start(self, *args: Any, **options: Any) -> None:
        self._require_shallow()
        super().fetch_flow_collection_start(*args, **options)

    def add_indent(self, column: int) -> bool:
        if self.indent < column:
            self._require_shallow()
        return bool(super().add_indent(column))

    def _require_shallow(self) -> None:
        depth = len(self.indents) + len(self.flow_context)
        if depth > MAX_DEPTH:
            raise self._error_here(_TOO_DEEP)
        if depth > _DEEP:
            self.deep_collections += 1
            if self.deep_collections > MAX_DEEP:
                raise self._error_here(_TOO_MANY_DEEP)

    def _error_here(self, problem: str) -> NotYAML:
        mark = self.reader.get_mark()
        return NotYAML(mark.line + 1, mark.column + 1, problem)


def _not_yaml(error: MarkedYAMLError | ReaderError, text: str) -> NotYAML:
    if isinstance(error, ReaderError):
        line = text.count("\n", 0, error.position) + 1
        column = error.position - text.rfind("\n", 0, error.position)
        character = ord(text[error.position])
        return NotYAML(
            line, column, f"not YAML: the character U+{character:04X} is not allowed in it."
        )
    mark = error.problem_mark or error.context_mark
    remedy = " Indent with spaces." if "'\\t'" in str(error.problem) else ""
    problem = "a syntax error" if is_content_hidden() else error.problem or error.context
    return NotYAML(mark.line + 1, mark.column + 1, f"not YAML: {problem}.{remedy}")

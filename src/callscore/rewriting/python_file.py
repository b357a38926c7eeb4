"""Expectations in Python, rewritten in place: of a `Case`, an `assert_calls`, a marker.

Written by hand because the standard library's `ast` has the positions, and LibCST, which keeps
every byte as well, is 18 MB with its dependencies.
"""

from __future__ import annotations

import ast
import re
from bisect import bisect_left
from collections.abc import Callable, Iterator, Sequence
from functools import lru_cache
from io import StringIO
from keyword import iskeyword
from token import COMMENT
from tokenize import generate_tokens
from typing import TYPE_CHECKING, Any, NamedTuple, TypeGuard
from warnings import catch_warnings, simplefilter

from callscore.core.expectation_json import matchers_to_json
from callscore.formats.calls import ARGUMENT_KEYS, NAME_KEYS
from callscore.formats.expectations import GROUPS
from callscore.rewriting import reasons
from callscore.rewriting.case_records import group_by_call, patched_expectation
from callscore.rewriting.change import CannotRewrite, Change, Edit, FoundExpectation
from callscore.rewriting.edits import (
    ListStyle,
    TextNode,
    ValueStyle,
    apply_edits,
    patch_edits,
    quote,
    replace_items,
)
from callscore.rewriting.python_cases import (
    NOT_LITERAL,
    Names,
    PythonExpectation,
    find_expectations,
    literal_value,
    names_at,
    object_members,
    on_line,
    qualified_name,
    says_expected,
)

if TYPE_CHECKING:
    _Span = Callable[[ast.expr | ast.keyword], tuple[int, int]]

# --- the arguments of calls: in objects, in `expect.call`, in groups of these ------------------

_EXPECT_PREFIX = "callscore.expect."
_CALL_FUNCTION = f"{_EXPECT_PREFIX}call"
_CALL_FUNCTIONS = (_CALL_FUNCTION, "callscore.ToolCall")
_TIMES_FUNCTION = f"{_EXPECT_PREFIX}times"
_PAIR_LENGTH = 2


class CallArguments(NamedTuple):
    """The node of the arguments of a call; they are keywords of a call, or members of an object."""

    node: TextNode
    has_keywords: bool = False


def find_call_arguments(
    item: ast.expr, path: Sequence[int], names: Names, span: _Span
) -> CallArguments:
    """The arguments of a call in an expectation.

    In groups, `path` has the positions of the members that lead to the call. `span` returns the
    range of an expression.
    """
    for position in path:
        item = _member(item, position, names)
    return _arguments(item, names, span)


def _member(item: ast.expr, position: int, names: Names) -> ast.expr:
    members: Sequence[ast.expr] = ()
    if isinstance(item, ast.Call):
        kind = qualified_name(item.func, names).removeprefix(_EXPECT_PREFIX)
        members = item.args if kind in GROUPS else ()
    elif isinstance(item, ast.Dict):
        inner = next((value for key, value in object_members(item) if key in GROUPS), None)
        members = (
            inner.elts if isinstance(inner, ast.List | ast.Tuple) else [inner] if inner else ()
        )
    if position >= len(members) or any(isinstance(each, ast.Starred) for each in members):
        raise CannotRewrite(reasons.NO_SINGLE_ARGUMENTS)
    return members[position]


def _arguments(item: ast.expr, names: Names, span: _Span) -> CallArguments:
    given: ast.expr | None = None
    if isinstance(item, ast.Call):
        path = qualified_name(item.func, names)
        if path == _TIMES_FUNCTION and item.args:
            return _arguments(item.args[0], names, span)
        if path == _CALL_FUNCTION and len(item.args) == 1 and item.keywords:
            return CallArguments(_keywords(item, span), has_keywords=True)
        if path in _CALL_FUNCTIONS:
            given = _arguments_object(item)
    elif isinstance(item, ast.Dict):
        known = [value for key, value in object_members(item) if key in ARGUMENT_KEYS]
        given = known[0] if len(known) == 1 else None
    elif isinstance(item, ast.Tuple | ast.List) and len(item.elts) == _PAIR_LENGTH:
        given = item.elts[1]
    if not isinstance(given, ast.Dict):
        raise CannotRewrite(reasons.NO_SINGLE_ARGUMENTS)
    return CallArguments(_text_node(given, span))


def _arguments_object(call: ast.Call) -> ast.expr | None:
    """The second argument of a call, or `arguments` where all are keywords; None for others."""
    if len(call.args) == _PAIR_LENGTH and not call.keywords:
        return call.args[1]
    named = {keyword.arg: keyword.value for keyword in call.keywords}
    is_plain = len(call.args) + len(named) == _PAIR_LENGTH and named.keys() <= {"name", "arguments"}
    return named.get("arguments") if is_plain else None


def _keywords(call: ast.Call, span: _Span) -> TextNode:
    if any(keyword.arg is None for keyword in call.keywords):
        raise CannotRewrite(reasons.NO_SINGLE_ARGUMENTS)
    # An object takes their place if none of them is left.
    start, end = span(call.keywords[0])[0], span(call.keywords[-1].value)[1]
    members = {str(each.arg): _text_node(each.value, span) for each in call.keywords}
    keys = {str(each.arg): span(each)[0] for each in call.keywords}
    return TextNode(start, end, members=members, keys=keys)


def _text_node(value: ast.expr, span: _Span) -> TextNode:
    start, end = span(value)
    if isinstance(value, ast.List):
        return TextNode(start, end, tuple(_text_node(each, span) for each in value.elts))
    pairs = object_members(value) if isinstance(value, ast.Dict) else []
    if not isinstance(value, ast.Dict) or any(name is None for name, _ in pairs):
        return TextNode(start, end)
    members = {str(name): _text_node(member, span) for name, member in pairs}
    keys = [key for key in value.keys if key is not None]
    starts = {str(name): span(key)[0] for (name, _), key in zip(pairs, keys, strict=True)}
    return TextNode(start, end, members=members, keys=starts)


# --- calls as Python: written like those beside them, or as the imports allow ------------------

_MAX_LINE_LENGTH = 99
_INDENT = "    "
# What follows the imported name where a call is made, by the path of the import.
_IMPORTS = {
    "callscore.expect.call": "",
    "callscore.testing.call": "",
    "callscore.expect": ".call",
    "callscore.testing": ".call",
    "callscore": ".expect.call",
}
# Names that a single argument must not have: it would be read as all arguments.
_OBJECT_KEYS = frozenset({"arguments", "args"})


class CallStyle(NamedTuple):
    """How calls are written: with a function, `expect.call`, or as objects with two keys."""

    function: str = ""  # empty for objects
    name: str = "name"
    arguments: str = "arguments"


def call_style_of(elements: Sequence[ast.expr], names: Names) -> CallStyle:
    """How the calls in a list are written; without calls, the imports decide."""
    made = [each for each in elements if isinstance(each, ast.Call)]
    functions = [each.func for each in made if qualified_name(each.func, names) == _CALL_FUNCTION]
    if functions:
        return CallStyle(ast.unparse(functions[0]))
    for element in elements:
        keys = element.keys if isinstance(element, ast.Dict) else []
        words = [key.value for key in keys if isinstance(key, ast.Constant)]
        name = next((word for word in words if word in NAME_KEYS), None)
        if name is not None:
            arguments = next((word for word in words if word in ARGUMENT_KEYS), "arguments")
            return CallStyle("", str(name), str(arguments))
    imported = [
        f"{name}{rest}"
        for path, rest in _IMPORTS.items()
        for name, home in names.paths.items()
        if home == path
    ]
    return CallStyle(imported[0] if imported else "")


def python_call_text(call: dict[str, Any], spelling: CallStyle, indent: str) -> str:
    """A call as an expression; one that is too long for a line has a line for each argument."""
    name, arguments = call["name"], call["arguments"]
    if not spelling.function:
        return literal_text({spelling.name: name, spelling.arguments: arguments}, indent)
    reads_as_object = len(arguments) == 1 and bool(_OBJECT_KEYS & arguments.keys())
    if arguments and all(map(_is_keyword, arguments)) and not reads_as_object:
        given = [
            f"{key}={literal_text(value, indent + _INDENT)}" for key, value in arguments.items()
        ]
    else:
        given = [literal_text(arguments, indent + _INDENT)]
    return _layout(f"{spelling.function}(", [quote(name), *given], ")", indent)


def keyword_text(name: str, value: str) -> str:
    """An argument as a keyword, given the text of its value; refused if its name is not allowed."""
    if not _is_keyword(name) or name in _OBJECT_KEYS:
        raise CannotRewrite(reasons.NO_KEYWORD, name=name)
    return f"{name}={value}"


def _is_keyword(name: str) -> bool:
    # `__debug__` is a constant, and in a class other names with two underscores are mangled.
    is_free = not iskeyword(name) and not name.startswith("__")
    return name.isidentifier() and name.isascii() and is_free


def literal_text(value: Any, indent: str) -> str:
    """A value as a Python literal, given the indent of its line."""
    inner = indent + _INDENT
    if isinstance(value, dict):
        members = [f"{quote(key)}: {literal_text(item, inner)}" for key, item in value.items()]
        return _layout("{", members, "}", indent)
    if isinstance(value, list):
        if value and all(isinstance(item, int | float) for item in value):
            return _numbers_text(value, indent)
        return _layout("[", [literal_text(item, inner) for item in value], "]", indent)
    return quote(value) if isinstance(value, str) else repr(value)


def _numbers_text(numbers: list[float], indent: str) -> str:
    """A list of numbers, with as many on a line as fit."""
    room = _MAX_LINE_LENGTH - len(indent) - len(_INDENT)
    lines: list[str] = []
    for text in map(repr, numbers):
        if lines and len(lines[-1]) + len(text) + 3 <= room:
            lines[-1] += f", {text}"
        else:
            lines.append(text)
    return f"[{lines[0]}]" if len(lines) == 1 else _layout_in_lines("[", lines, "]", indent)


def _layout(opening: str, parts: list[str], closing: str, indent: str) -> str:
    line = f"{opening}{', '.join(parts)}{closing}"
    if not parts or (len(indent) + len(line) < _MAX_LINE_LENGTH and "\n" not in line):
        return line
    return _layout_in_lines(opening, parts, closing, indent)


def _layout_in_lines(opening: str, parts: list[str], closing: str, indent: str) -> str:
    inner = f"\n{indent}{_INDENT}"
    return f"{opening}{inner}{f',{inner}'.join(parts)},\n{indent}{closing}"


# --- expectations: of a `Case`, of a call of `assert_calls`, of a marker -----------------------

_EXPECTED_KEYWORD = "expected"
_CATCHING_NAMES = ("raises", "suppress", "assertRaises")
_Function = ast.FunctionDef | ast.AsyncFunctionDef


def places_in_python(text: str, change: Change) -> list[FoundExpectation]:
    """All places in a Python file that may be the expectation, with the edits.

    Refused if the expectation, or an argument that is patched, is not written out there.
    """
    program = _parse_file(text)
    if change.kind == "case":
        found = find_expectations(program.tree, change)
    else:
        find = _assertions if change.kind == "call" else _markers
        found = list(find(program.tree, change))
    return [_place(program, each, change) for each in found]


class _ParsedFile(NamedTuple):
    """A file, its syntax tree, and the positions of its lines."""

    text: str
    tree: ast.Module
    starts: list[int]

    def whole_span(self, node: ast.expr | ast.keyword) -> tuple[int, int]:
        """The range of an expression in the text, with the parentheses around it.

        It must not be the only argument of a call, whose parentheses would be taken for its own.
        """
        return _with_parentheses(self.text, *self.span(node))

    def span(self, node: ast.expr | ast.keyword) -> tuple[int, int]:
        """The range of an expression in the text."""
        end_line, end_column = node.end_lineno or node.lineno, node.end_col_offset or 0
        return self._position(node.lineno, node.col_offset), self._position(end_line, end_column)

    def _position(self, line: int, column: int) -> int:
        """The position of a column, which Python counts in bytes."""
        start, end = self.starts[line - 1], self.starts[line]
        return start + len(self.text[start:end].encode()[:column].decode())


@lru_cache(maxsize=8)  # many expectations are searched in one file
def _parse_file(text: str) -> _ParsedFile:
    ends = [found.end() for found in re.finditer("\n", text)]
    return _ParsedFile(text, _parsed(text), [0, *ends, len(text)])


def _with_parentheses(text: str, start: int, end: int) -> tuple[int, int]:
    """A range of whole tokens, widened by all pairs of parentheses directly around it."""
    starts, ends, marks = _tokens(text)
    first, last = bisect_left(starts, start), bisect_left(ends, end)
    while marks[first - 1] == "(" and marks[last + 1] == ")":
        first, last = first - 1, last + 1
    return starts[first], ends[last]


@lru_cache(maxsize=8)
def _tokens(text: str) -> tuple[list[int], list[int], list[str]]:
    """The beginnings, the ends and the texts of all tokens that are code."""
    lines = [0, *[found.end() for found in re.finditer("\n", text)], len(text)]
    found = [
        token
        for token in generate_tokens(StringIO(text).readline)
        if token.string.strip() and token.type != COMMENT
    ]
    return (
        [lines[token.start[0] - 1] + token.start[1] for token in found],
        [lines[token.end[0] - 1] + token.end[1] for token in found],
        [token.string for token in found],
    )


def _parsed(text: str) -> ast.Module:
    with catch_warnings():
        simplefilter("ignore")  # they were shown when the file was run
        return ast.parse(text)


def _assertions(tree: ast.Module, change: Change) -> Iterator[PythonExpectation]:
    """The expectation of the call that ends there, whatever its name is."""
    for node in ast.walk(tree):
        if isinstance(node, ast.Call) and (node.end_lineno, node.end_col_offset) == change.end:
            if _is_caught(tree, node):
                raise CannotRewrite(reasons.ERROR_CAUGHT)
            named = [keyword.value for keyword in node.keywords if keyword.arg == _EXPECTED_KEYWORD]
            yield from map(PythonExpectation, node.args[:1] or named)


def _is_caught(tree: ast.Module, call: ast.Call) -> bool:
    """Whether the error of a call is caught: in `try`, or in `with pytest.raises`."""
    blocks = [node.body for node in ast.walk(tree) if _is_catching(node)]
    return any(call is each for block in blocks for part in block for each in ast.walk(part))


def _is_catching(node: ast.AST) -> TypeGuard[ast.Try | ast.With | ast.AsyncWith]:
    if not isinstance(node, ast.With | ast.AsyncWith):
        return isinstance(node, ast.Try) and bool(node.handlers)
    functions = [getattr(item.context_expr, "func", None) for item in node.items]
    names = [getattr(each, "attr", getattr(each, "id", None)) for each in functions]
    return any(name in _CATCHING_NAMES for name in names)


def _markers(tree: ast.Module, change: Change) -> Iterator[PythonExpectation]:
    """The expectation of the nearest marker: of the test, or of a class around it."""
    nodes = [node for node in ast.walk(tree) if isinstance(node, _Function | ast.ClassDef)]
    around = [  # from the outside in
        node for node in nodes if _first_line(node) <= change.line <= (node.end_lineno or 0)
    ]
    if not around or isinstance(around[-1], ast.ClassDef) or _first_line(around[-1]) != change.line:
        return
    marked = [
        each.value
        for node in around
        for decorator in node.decorator_list
        if isinstance(decorator, ast.Call) and getattr(decorator.func, "attr", "") == "callscore"
        for each in decorator.keywords
        if each.arg == _EXPECTED_KEYWORD
    ]
    names = names_at(tree, change.line)
    for expected in marked[-1:]:
        value = literal_value(expected, names)
        if value is NOT_LITERAL or says_expected(value, change.expected, is_spelled=False):
            yield PythonExpectation(expected)


def _first_line(node: _Function | ast.ClassDef) -> int:
    """The line of a function or of a class, or of the first decorator above it."""
    return min([node.lineno, *[each.lineno for each in node.decorator_list]])


def _place(program: _ParsedFile, found: PythonExpectation, change: Change) -> FoundExpectation:
    text, expected = program.text, found.expression
    names = names_at(program.tree, expected.lineno)
    elements = _elements(expected, names, change)
    if change.patches:
        edits = _patch_edits(program, found, elements, names, change)
        wanted = patched_expectation(change)
    else:
        edits = [_list_edit(program, found, elements, names, change)]
        wanted = _new_expectation(change)
    start, end = program.span(expected)
    after = apply_edits(text, edits)
    new = after[start : len(after) - len(text) + end]
    value = literal_value(ast.parse(new, mode="eval").body, names)
    is_known = literal_value(expected, names) is not NOT_LITERAL or value is not NOT_LITERAL
    if change.patches and wanted is None:
        is_known = False
    if is_known and not says_expected(value, wanted, is_spelled=found.is_spelled):
        raise on_line(expected, reasons.WOULD_BE_MISREAD)
    return FoundExpectation(tuple(edits), _node_range(expected), new, found.id)


def _list_edit(
    program: _ParsedFile,
    found: PythonExpectation,
    elements: list[ast.expr],
    names: Names,
    change: Change,
) -> Edit:
    """The edit that gives the list other items."""
    expected = found.expression
    start, end = program.span(expected)
    is_bare = elements == [expected]
    spans = [(start, end)] if is_bare else [program.whole_span(each) for each in elements]
    node = TextNode(start, end, tuple(TextNode(*span) for span in spans))
    spelling = call_style_of(elements, names)
    # In an object that is written as in a case file, `$` keys are rules.
    is_spelled = found.is_spelled and not spelling.function

    def render(call: dict[str, Any], indent: str) -> str:
        given = matchers_to_json(call["arguments"]) if is_spelled else call["arguments"]
        return python_call_text({**call, "arguments": given}, spelling, indent)

    brackets = "()" if isinstance(expected, ast.Tuple) else "[]"
    style = ListStyle(render, brackets=brackets, is_bare=is_bare)
    return Edit(start, end, replace_items(program.text, node, change.items, style))


def _patch_edits(
    program: _ParsedFile,
    found: PythonExpectation,
    elements: list[ast.expr],
    names: Names,
    change: Change,
) -> list[Edit]:
    """The edits that change values in the calls of the list."""
    edits: list[Edit] = []
    for (first, *way), patches in group_by_call(change.patches):
        given = find_call_arguments(elements[first], way, names, program.whole_span)
        has_rules = found.is_spelled and isinstance(elements[first], ast.Dict)
        style = _style(has_rules=has_rules, has_keywords=given.has_keywords)
        edits += patch_edits(program.text, given.node, patches, style)
    return edits


def _style(*, has_rules: bool, has_keywords: bool) -> ValueStyle:
    def value(new: Any, indent: str) -> str:
        return literal_text(matchers_to_json(new) if has_rules else new, indent)

    def member(key: str, written: str) -> str:
        return keyword_text(key, written) if has_keywords else f"{quote(key)}: {written}"

    return ValueStyle(value, member)


def _new_expectation(change: Change) -> list[Any] | None:
    """The new expectation as in a case file; None if no file can express it."""
    if change.expected is None:
        return None
    return [
        change.expected[item]
        if isinstance(item, int)
        else {**item, "arguments": matchers_to_json(item["arguments"])}
        for item in change.items
    ]


def _elements(expected: ast.expr, names: Names, change: Change) -> list[ast.expr]:
    """The items of a list or a tuple, or a single item.

    Refused if they are not written out, or are not what was read.
    """
    if isinstance(expected, ast.Constant) and expected.value is None:
        return []
    if isinstance(expected, ast.List | ast.Tuple):
        elements = expected.elts
    elif _is_one_call(expected, names):
        elements = [expected]
    else:
        raise on_line(expected, reasons.NOT_WRITTEN_OUT)
    if any(isinstance(each, ast.Starred) for each in elements):
        raise on_line(expected, reasons.NOT_WRITTEN_OUT)
    if change.expected is not None and len(elements) != len(change.expected):
        raise on_line(expected, reasons.DIFFERENT_EXPECTATION)
    return elements


def _is_one_call(expected: ast.expr, names: Names) -> bool:
    """Whether an expectation is one call, or one group of calls, without a list around it."""
    if isinstance(expected, ast.Dict):
        return any(key in (*NAME_KEYS, *GROUPS) for key, _ in object_members(expected))
    path = qualified_name(expected.func, names) if isinstance(expected, ast.Call) else ""
    return path in _CALL_FUNCTIONS or path.startswith(_EXPECT_PREFIX)


def _node_range(node: ast.expr) -> tuple[int, ...]:
    return node.lineno, node.col_offset, node.end_lineno or 0, node.end_col_offset or 0


def has_changed_alone(old: str, new: str, places: Sequence[FoundExpectation]) -> bool:
    """Whether a new text differs from the old one only in the expectations at these places."""
    expressions = {found.path: found.value for found in places}

    class Replacing(ast.NodeTransformer):
        def visit(self, node: ast.AST) -> ast.AST:
            text = expressions.get(_node_range(node)) if isinstance(node, ast.expr) else None
            if text is None:
                return self.generic_visit(node)
            expression: ast.expr = ast.parse(text, mode="eval").body
            return expression

    if ast.dump(Replacing().visit(_parsed(old))) != ast.dump(_parsed(new)):
        return False
    with catch_warnings():
        simplefilter("ignore")
        compile(new, "file", "exec", dont_inherit=True)  # it finds more errors than the parser
    return True

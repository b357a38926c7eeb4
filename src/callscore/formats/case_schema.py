"""The JSON Schema of a case file, with which editors complete and check what people write.

It is as strict as the reader for callscore's own notation and allows everything else: documents of
other formats may be in the same places, and only their readers can check them.
"""

from __future__ import annotations

import re
from typing import Any, Final, get_args

from callscore.core.case import STATE_KIND
from callscore.core.expectation_json import LITERAL
from callscore.core.rules import Comparator, comparators
from callscore.formats.callers import Caller
from callscore.formats.calls import ARGUMENT_KEYS, CALL_FIELDS, MAX_TURN, NAME_KEYS
from callscore.formats.case_fields import (
    ACTUAL_FIELDS,
    ACTUAL_STATE_FIELD,
    EITHER_SIDE_FIELDS,
    EXPECTED_FIELDS,
    EXPECTED_STATE_FIELD,
    EXPECTED_TOOL_FIELD,
    STATE_FIELDS,
    TURNS_FIELD,
)
from callscore.formats.case_turns import TURN_INPUT_FIELDS
from callscore.formats.expectations import (
    FORBID,
    GROUPS,
    MAX_TIMES,
    MISSPELLED_GROUP,
    MISSPELLED_KEYWORD,
    TIMES,
    TURN,
)

# --- the value of an expected argument: plain data, or a rule in place of it -------------------

_VALUE = {"$ref": "#/definitions/value"}
_IS_LITERAL = {"type": "object", "required": [LITERAL]}
_PLAIN_KEY = {"pattern": "^(?:[^$]|$)"}  # a key with $ is a rule, or a mistake
_SYNTAX = re.compile(r"[\\^$.*+?()\[\]{}|/]")


def _has_any(keys: tuple[str, ...]) -> dict[str, Any]:
    if len(keys) == 1:
        return {"required": [*keys]}
    return {"anyOf": [{"required": [key]} for key in keys]}


def _any_of(keys: tuple[str, ...] | list[str]) -> str:
    return f"^(?:{'|'.join(keys)})$"


def value_definitions() -> dict[str, Any]:
    """The definitions for values: `value` may be or contain a rule, `values` is an object of them.

    `literal` is a value that contains no rules, whatever its keys are.

    Raises:
        InvalidSettings: a comparator of another package cannot be used.
    """
    values = {
        "type": "object",
        "if": {"required": [LITERAL]},
        "then": {"properties": {LITERAL: {"type": "object"}}, "maxProperties": 1},
        "else": {"propertyNames": _PLAIN_KEY, "additionalProperties": _VALUE},
    }
    known = comparators()
    keys = [key for comparator in known for key in comparator.keys]
    value = {
        "description": 'A value, or a matcher in place of it, such as {"$contains": "Paris"}.',
        "properties": {
            **{key: _operand(comparator, key) for comparator in known for key in comparator.keys},
            LITERAL: {
                "title": "Literal value",
                "description": "Keys in it that begin with $ are not matchers.",
            },
        },
        "propertyNames": {"pattern": _plain_or_any_of([*keys, LITERAL])},
        "additionalProperties": _VALUE,
        "items": _VALUE,
        "allOf": [
            *map(_beside, known),
            {"if": {"required": [LITERAL]}, "then": {"maxProperties": 1}},
        ],
    }
    return {"value": value, "values": values, "literal": {**_IS_LITERAL, "maxProperties": 1}}


def _with_reference(schema: dict[str, Any]) -> dict[str, Any]:
    """The schema with its `$ref` in an `allOf`: beside a `$ref`, draft-07 ignores everything."""
    if "$ref" not in schema:
        return schema
    others = {word: value for word, value in schema.items() if word != "$ref"}
    return {**others, "allOf": [{"$ref": schema["$ref"]}]}


def _plain_or_any_of(keys: list[str]) -> str:
    """The pattern of a key that is not a rule, or one of these; validators print it."""
    spelled = "|".join(_SYNTAX.sub(r"\\\g<0>", key) for key in keys)
    return f"^(?:[^$]|$|(?:{spelled})$)"


def _operand(comparator: Comparator, key: str) -> dict[str, Any]:
    """The value under the key of a rule."""
    about: dict[str, Any] = comparator.schema["options"].get(key, comparator.schema["value"])
    described = {
        "title": comparator.title,
        "examples": [example[key] for example, _, _ in comparator.examples if key in example],
    }
    if not comparator.nests or "$ref" in about:
        return _with_reference(described | about)
    # A literal only looks like a rule, and may be wherever a rule may be.
    notes = {word: about[word] for word in ("description",) if word in about}
    literal = {"$ref": "#/definitions/literal"}
    return described | notes | {"if": _IS_LITERAL, "then": literal, "else": about}


def _beside(comparator: Comparator) -> dict[str, Any]:
    """The only keys that are allowed beside the key of a rule."""
    allowed = dict.fromkeys((*comparator.keys, *comparator.options))
    options = {
        option: about
        for option, about in comparator.schema["options"].items()
        if option not in comparator.keys
    }
    named = {"properties": options} if options else {}
    names = {"propertyNames": {"enum": [*allowed]}}
    return {"if": _has_any(comparator.keys), "then": {**named, **names}}


# --- the expected side of a case: calls, groups of calls, repeats, and forbidden calls ---------

_NAME, *_OTHER_NAMES = NAME_KEYS
_ARGUMENTS, *_OTHER_ARGUMENTS = ARGUMENT_KEYS
_NESTED_KEY: Final = "function"  # where chat completions keep both
_KEYWORDS = (*GROUPS, FORBID)
_INNER_GROUPS = tuple(kind for kind in GROUPS if kind != TURN)

_MEANINGS: Final[dict[str, dict[str, Any]]] = {
    "in_order": {
        "title": "In order",
        "description": "All calls, each after the one before. Other calls may come between them.",
        "examples": [["search_flights", "book_flight"]],
    },
    "any_order": {
        "title": "Any order",
        "description": "All calls, in any order. Groups among them may interleave.",
        "examples": [["get_weather", "get_time"]],
    },
    "one_of": {
        "title": "One of",
        "description": "One of these calls or groups. The one with the best score counts.",
        "examples": [["search_web", "search_news"]],
    },
    "optional": {
        "title": "Optional",
        "description": "A call or a group that may be missing without lowering the score.",
        "examples": ["get_user"],
    },
    TURN: {
        "title": "Turn",
        "description": "What is expected after one message of the user; [] expects no calls. If one"
        " item of the top-level list is a turn, all calls have to be in turns.",
        "examples": [["search_flights"]],
    },
    FORBID: {
        "title": "Forbidden tool",
        "description": "The name of a tool that must not be called; * matches any text. If it is"
        " called, the score of the case is 0. Allowed only in the top-level list.",
        "examples": ["delete_*"],
    },
}

_TOOL: Final = {
    "title": "Tool",
    "description": "The name of the expected tool.",
    "type": ["string", "null"],
    "minLength": 1,
}
_ARGUMENTS_REFERENCE: Final = {"$ref": "#/definitions/arguments"}
_MEMBER_REFERENCE: Final = {"$ref": "#/definitions/member"}
_IS_GROUP_REFERENCE: Final = {"$ref": "#/definitions/is_group"}
_IS_TURN_REFERENCE: Final = {"$ref": "#/definitions/is_turn"}
_CALL_FIELD_REFERENCE: Final = {"$ref": "#/definitions/field_of_call"}
_MISSPELLED_REFERENCE: Final = {"$ref": "#/definitions/misspelled_keyword"}
_WITHOUT_NAME: Final = {"propertyNames": {"not": {"enum": [*NAME_KEYS]}}}
# What may stand beside turns: a forbidden tool, and the state at the end.
_BESIDE_TURNS: Final = (
    {"type": "object", "required": [FORBID], **_WITHOUT_NAME},
    {"type": "object", "required": ["kind"], "properties": {"kind": {"const": STATE_KIND}}},
)
_WITHOUT_ARGUMENTS: Final = {"patternProperties": {_any_of(ARGUMENT_KEYS): {"type": "null"}}}
_VALUES_OF_BFCL: Final = {"type": "array", "minItems": 1}
# Near misses of the fields of a call and of the keywords of groups.
_NEAR_KEYWORDS = (
    r"^\$|^[Aa]rg|^[Nn]am|^time$|^[Ff]orb|^[Oo]p[a-z]*l"
    "|^(?:in|any|un)[ _-]?[Oo]r?d|^(?:one|any|all)[ _-]?[Oo]f$"
)


def expected_definitions() -> dict[str, Any]:
    """The definition `expected`, and what it refers to, without those for values."""
    forbidden = {**_MEANINGS[FORBID], "type": "string", "minLength": 1}
    members = {"type": "array", "minItems": 1, "items": _MEMBER_REFERENCE}
    turn = {**_MEANINGS[TURN], "type": "array", "items": _MEMBER_REFERENCE}
    return {
        "expected": _expected(),
        # An item of the top list.
        "expectation": {
            "title": "Call, group of calls, turn, or forbidden tool",
            "properties": {word: _MEANINGS[word] for word in (FORBID, TURN)},
            "if": {"type": "object", "required": [FORBID], **_WITHOUT_NAME},
            "then": {"properties": {FORBID: forbidden}, "maxProperties": 1},
            "else": {
                "if": _IS_TURN_REFERENCE,
                "then": {"properties": {TURN: turn}, "maxProperties": 1},
                "else": _MEMBER_REFERENCE,
            },
        },
        # An item of a group, where nothing can be forbidden.
        "member": {
            "title": "Call or group of calls",
            "description": 'A call is {"name": ..., "arguments": {...}}, ["name", {...}], or "name",'
            " which accepts any arguments.",
            "type": ["object", "array", "string"],
            "minLength": 1,
            "properties": {
                kind: _MEANINGS[kind] for kind in _INNER_GROUPS
            },  # for completion in editors
            "allOf": [
                {"if": {"type": "array"}, "then": {"$ref": "#/definitions/pair"}},
                {
                    "if": {"type": "object"},
                    "then": {
                        "if": _IS_GROUP_REFERENCE,
                        "then": {"$ref": "#/definitions/group"},
                        "else": {"$ref": "#/definitions/call"},
                    },
                },
            ],
        },
        "group": {
            "title": "Group of calls",
            "properties": {
                kind: _with_reference(
                    {**_MEANINGS[kind], **(_MEMBER_REFERENCE if kind == "optional" else members)}
                )
                for kind in _INNER_GROUPS
            },
            "maxProperties": 1,
            "additionalProperties": False,
        },
        "call": _call(),
        "pair": {
            "title": "Call as a pair",
            "description": "The name of the tool and its arguments.",
            "minItems": 2,
            "maxItems": 2,
            "items": [{"type": "string", "minLength": 1}, _ARGUMENTS_REFERENCE],
        },
        "arguments": {
            "title": "Arguments",
            "description": "The expected values, or matchers in place of them. {}: no arguments. null,"
            " or no such field: any arguments.",
            "type": ["object", "string", "null"],
            "pattern": r"^$|^[^\[\-0-9A-Za-z]|^null",  # text is an object as JSON, blank, or null
            "if": {"type": "object"},
            "then": {"$ref": "#/definitions/values"},
        },
        "times": {
            "title": "Number of calls",
            "description": "A number, or a minimum and a maximum.",
            "examples": [2, {"min": 1, "max": 3}],
            "type": ["integer", "object"],
            "minimum": 1,
            "maximum": MAX_TIMES,
            "properties": {
                "min": {
                    "description": "The minimum number of calls; 1 by default.",
                    "type": "integer",
                    "minimum": 0,
                    "maximum": MAX_TIMES,
                },
                "max": {
                    "description": "The maximum number of calls; unlimited by default.",
                    "type": ["integer", "null"],
                    "minimum": 1,
                    "maximum": MAX_TIMES,
                },
            },
            "additionalProperties": False,
        },
        "field_of_call": {"enum": sorted(CALL_FIELDS)},
        "misspelled_group": {"pattern": MISSPELLED_GROUP},
        "misspelled_keyword": {"pattern": MISSPELLED_KEYWORD},
        "is_group": {"type": "object", **_has_any(_KEYWORDS), **_WITHOUT_NAME},
        "is_turn": {"type": "object", "required": [TURN], **_WITHOUT_NAME},
        "is_ours": _is_own_notation(),
    }


def _expected() -> dict[str, Any]:
    is_written = {"type": "object", "anyOf": [{"required": [TIMES]}, _IS_GROUP_REFERENCE]}
    expectation = {"$ref": "#/definitions/expectation"}
    ours = {"$ref": "#/definitions/is_ours"}
    is_near = {"anyOf": [_has_any(NAME_KEYS), {"not": {"propertyNames": _CALL_FIELD_REFERENCE}}]}
    return {
        "title": "Expected calls",
        "description": "The calls that should be made. [] or null: none. Or a document with these"
        " calls, in any supported format.",
        "type": ["array", "object", "string", "null"],
        "pattern": r"[\[{<(]|^\s*null\s*$",  # the name of a tool has to be in a list
        "allOf": [
            {
                "if": {"type": "array", "anyOf": [{"contains": is_written}, {"items": ours}]},
                "then": {"items": expectation},
            },
            {
                "if": {
                    "type": "object",
                    "anyOf": [{"maxProperties": 0}, is_written, {"allOf": [ours, is_near]}],
                },
                "then": expectation,
            },
            {
                "if": {"type": "array", "contains": _IS_TURN_REFERENCE},
                "then": {"items": {"anyOf": [_IS_TURN_REFERENCE, *_BESIDE_TURNS]}},
            },
        ],
    }


def _is_own_notation() -> dict[str, Any]:
    """Whether an item of a list is in callscore's own notation, or meant to be."""
    is_bare = {"not": {"required": ["type"]}}  # most other formats have a type
    nearly = {"anyOf": [_CALL_FIELD_REFERENCE, _MISSPELLED_REFERENCE, {"pattern": _NEAR_KEYWORDS}]}
    return {
        "if": {"type": "object"},
        "then": {
            "anyOf": [
                {"required": [_NAME, _ARGUMENTS], "maxProperties": 2},
                {
                    "propertyNames": {"anyOf": [_CALL_FIELD_REFERENCE, _MISSPELLED_REFERENCE]},
                    **is_bare,
                },
                {
                    "propertyNames": nearly,
                    **is_bare,
                    "anyOf": [_WITHOUT_NAME, _WITHOUT_ARGUMENTS],
                },
            ],
            "not": _of_bfcl(),
        },
    }


def _of_bfcl() -> dict[str, Any]:
    """A call of BFCL, the possible values of each argument by its name, and not a misspelled group."""
    values = {"type": "object", "minProperties": 1, "additionalProperties": _VALUES_OF_BFCL}
    misspelled = {"$ref": "#/definitions/misspelled_group"}
    within = {"not": {"propertyNames": {"not": misspelled}}}
    group = {"maxProperties": 1, "propertyNames": misspelled, "additionalProperties": within}
    return {"minProperties": 1, "additionalProperties": values, "not": group}


def _call() -> dict[str, Any]:
    nested = {
        "properties": {"name": {"type": ["string", "null"]}, _ARGUMENTS: _ARGUMENTS_REFERENCE}
    }
    has_both = {
        "properties": {_NAME: {"type": "string"}, _ARGUMENTS: {"type": "object"}},
        "required": [_NAME, _ARGUMENTS],
    }
    aliases = {_any_of(_OTHER_NAMES): _TOOL, _any_of(_OTHER_ARGUMENTS): _ARGUMENTS_REFERENCE}
    # Without arguments, an unknown field may be meant as the arguments.
    strays = {
        "propertyNames": {"anyOf": [_CALL_FIELD_REFERENCE, {"const": TIMES}]},
        "properties": {"error": {"not": {"type": "string"}}},
    }
    flat = {
        "properties": {
            _NAME: _TOOL,
            _ARGUMENTS: _ARGUMENTS_REFERENCE,
            TIMES: {"$ref": "#/definitions/times"},
            TURN: {
                "description": "The turn in which it is expected, from 0; in a group, that of the group.",
                "type": ["integer", "null"],
                "minimum": 0,
                "maximum": MAX_TURN - 1,
            },
            "id": {"description": "The id of the call. It is not compared."},
            "caller": {
                "title": "Who should make the call",
                "description": "Without it, the agent. If any expected call names a caller, calls are"
                " only compared with those of the same caller.",
                "enum": [*get_args(Caller), None],
            },
        },
        "anyOf": [
            {"required": [name], "properties": {name: {"type": "string"}}} for name in NAME_KEYS
        ],
        "allOf": [
            {"if": has_both, "else": {"patternProperties": aliases}},
            {"if": _WITHOUT_ARGUMENTS, "then": strays},
        ],
    }
    return {
        "title": "Call",
        "not": _has_any((*_KEYWORDS, "min", "max")),  # these go around it, or into `times`
        "propertyNames": {
            "anyOf": [_CALL_FIELD_REFERENCE, {"const": TIMES}, {"not": _MISSPELLED_REFERENCE}]
        },
        "if": {"properties": {_NESTED_KEY: {"type": "object"}}, "required": [_NESTED_KEY]},
        "then": {"properties": {_NESTED_KEY: nested, TIMES: {"$ref": "#/definitions/times"}}},
        "else": flat,
    }


# --- a file of cases ---------------------------------------------------------------------------

_DRAFT = "http://json-schema.org/draft-07/schema#"  # the latest that all editors know
_ID = "https://json.schemastore.org/callscore-{}.json"  # where a catalog of schemas would have it
_CASE: Final = {"$ref": "#/definitions/case"}
_EXPECTED: Final = {"$ref": "#/definitions/expected"}
_ACTUAL: Final = {"$ref": "#/definitions/actual"}
_SCHEMA_FIELD: Final = {"description": "The location of this schema, for editors."}

# Calls in callscore's own notation, which are described, or a document in any format.
_ACTUAL_SIDE: Final = {
    "title": "Actual calls",
    "description": "The calls that were made. [] or null: none. Or a trace in any supported"
    " format: see `callscore formats`.",
    "type": ["array", "object", "string", "null"],
    "items": {
        "properties": {
            "name": {"title": "Tool", "description": "The name of the tool."},
            "arguments": {
                "title": "Arguments",
                "description": "An object, or JSON text of an object. All values are literal.",
            },
            "result": {"title": "Result of the tool"},
            "failed": {"title": "Whether the result is an error"},
        }
    },
}
# The turns of a case. Records of other tools have messages or a number under the same name.
_TURN_SIDES: Final = (*EXPECTED_FIELDS, *ACTUAL_FIELDS)
_ALL_TURNS: Final = {
    "title": "Turns",
    "description": "What is expected, and what was called, after each message of the user: a list of"
    " expected calls, or an object with `expected`, `actual` and `input`.",
    "examples": [[["find_order"], [], ["refund"]]],
    "if": {
        "type": "array",
        "contains": {
            "anyOf": [{"type": "array"}, {"type": "object", "anyOf": [_has_any(_TURN_SIDES)]}]
        },
        "not": {"contains": {"type": "object", "required": ["role"]}},
    },
    "then": {
        "items": {
            "type": ["array", "object", "null"],
            "if": {"type": "array"},
            "then": _EXPECTED,
            "else": {
                "properties": {
                    EXPECTED_FIELDS[0]: _EXPECTED,
                    ACTUAL_FIELDS[0]: _ACTUAL,
                    "input": {"title": "Message of the user"},
                },
                "propertyNames": {"enum": [*_TURN_SIDES, *TURN_INPUT_FIELDS]},
            },
        }
    },
}
# The fields of a case by callscore's own names.
_FIELDS: Final[dict[str, dict[str, Any]]] = {
    "id": {
        "title": "Id of the case",
        "description": "Text or an integer, unique together with `trial`. Without it, the id is"
        " derived from the input and the expected calls.",
        "type": ["string", "integer", "null"],
        "minLength": 1,
    },
    "input": {"title": "Input of the agent"},
    EXPECTED_FIELDS[0]: _EXPECTED,
    ACTUAL_FIELDS[0]: _ACTUAL,
    TURNS_FIELD: _ALL_TURNS,
    EXPECTED_STATE_FIELD: {
        "title": "Expected state at the end",
        "description": "Any value, with matchers in place of values in it. Compared as the arguments"
        " of a call.",
        "if": {"type": "object"},
        "then": {"$ref": "#/definitions/values"},
        "else": {"$ref": "#/definitions/value"},
    },
    ACTUAL_STATE_FIELD: {
        "title": "State at the end",
        "description": "What was found after the run: any value, compared with the expected state.",
    },
    "trial": {
        "title": "Trial",
        "description": "Text or an integer, if a case is run several times.",
        "type": ["string", "integer", "null"],
    },
    "tools": {
        "title": "Tool definitions",
        "description": "In any supported format. Calls are checked against them.",
    },
    "tags": {
        "title": "Labels to select and to group by",
        "type": ["string", "array", "null"],
        "items": {"type": "string"},
    },
    "metadata": {"title": "Any other data"},
    "callers": {
        "title": "Whose calls count",
        "description": "On both sides. Without it: all calls but those of the user; theirs count, too,"
        " if one of them is expected.",
        "if": {"type": "string"},
        "then": {"enum": [*get_args(Caller)]},
        "type": ["string", "array", "null"],
        "items": {"enum": [*get_args(Caller)]},
        "minItems": 1,
    },
    "only": {
        "title": "Run only this case",
        "description": "Applies when an agent is run. Cases without it are left out.",
        "type": "boolean",
    },
    "skip": {
        "title": "Skip this case",
        "description": "Applies when an agent is run. True, or the reason as text.",
        "type": ["boolean", "string"],
    },
}


def schema_head(name: str) -> dict[str, str]:
    """What each schema begins with."""
    return {
        "$schema": _DRAFT,
        "$id": _ID.format(name),
        "$comment": f"Written by `callscore schema {name}`.",
    }


def build_case_schema() -> dict[str, Any]:
    """The JSON Schema (draft-07) of a case, a list of cases, or an object with `cases`.

    It includes the comparators of installed packages.

    Raises:
        InvalidSettings: one of them cannot be used.
    """
    cases = {"type": "array", "items": _CASE}
    return {
        **schema_head("case"),
        "title": "callscore cases",
        "description": "A case, a list of cases, or an object with `cases`.",
        "type": ["array", "object", "null"],
        "allOf": [
            {"if": {"type": "array"}, "then": cases},
            {
                "if": {"type": "object"},
                "then": {
                    "if": {"required": ["cases"], "properties": {"cases": {"type": "array"}}},
                    "then": {"properties": {"cases": cases, "$schema": _SCHEMA_FIELD}},
                    "else": _CASE,
                },
            },
        ],
        "definitions": {
            "case": _case(),
            "actual": _ACTUAL_SIDE,
            **expected_definitions(),
            **value_definitions(),
        },
    }


def _case() -> dict[str, Any]:
    # If a side is missing, a field that is nearly its name would hide the case.
    typos = [*_misspellings(EXPECTED_FIELDS[0]), *_misspellings(ACTUAL_FIELDS[0])]
    # Nearly the name of a state, it would hide a part of what is expected.
    hiding = [typo for field in STATE_FIELDS for typo in _misspellings(field)]
    return {
        "title": "Case",
        "description": "The expected and the actual calls for one input. Other fields are ignored.",
        "type": "object",
        "properties": {**_FIELDS, "$schema": _SCHEMA_FIELD},
        "patternProperties": _other_names(),
        "propertyNames": {"not": {"enum": hiding}},
        "anyOf": [
            {"required": [field]}
            for field in (
                *("id", "input", *EXPECTED_FIELDS, *ACTUAL_FIELDS, *EITHER_SIDE_FIELDS),
                *(TURNS_FIELD, *STATE_FIELDS),
            )
        ],
        "allOf": [
            *_only_one(EXPECTED_FIELDS),
            *_only_one(ACTUAL_FIELDS),
            {
                "if": {"allOf": [_has_any(EXPECTED_FIELDS), _has_any(ACTUAL_FIELDS)]},
                "else": {"propertyNames": {"not": {"enum": typos}}},
            },
        ],
    }


def _other_names() -> dict[str, Any]:
    """The other names of the sides, as patterns, so that editors do not propose them."""
    tool = {
        "title": "Expected tool",
        "description": "Its name, with any arguments, or null if no tool should be called.",
        "type": ["string", "null"],
        "minLength": 1,
    }
    sides: dict[str, Any] = dict.fromkeys(EXPECTED_FIELDS[1:], _EXPECTED)
    sides |= dict.fromkeys(ACTUAL_FIELDS[1:], _ACTUAL)
    return {f"^{name}$": side for name, side in (sides | {EXPECTED_TOOL_FIELD: tool}).items()}


def _only_one(names: tuple[str, ...]) -> list[dict[str, Any]]:
    """A case has only one of the names of a side."""
    return [
        {
            "if": {"required": [name]},
            "then": {"properties": {other: False for other in names if other != name}},
        }
        for name in names[1:]
    ]


def _misspellings(word: str) -> list[str]:
    """A word with capitals, with a letter left out, and with two letters swapped."""
    cuts = range(len(word))
    shorter = [word[:cut] + word[cut + 1 :] for cut in cuts]
    swapped = [word[:cut] + word[cut : cut + 2][::-1] + word[cut + 2 :] for cut in cuts]
    first, *others = word.split("_")
    camel = first + "".join(map(str.capitalize, others))
    found = dict.fromkeys((word.capitalize(), camel, *shorter, *swapped))
    return [typo for typo in found if typo != word]

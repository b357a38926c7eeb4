"""The JSON Schema of a suite, with which editors complete and check it."""

from __future__ import annotations

from typing import Any, Final, get_args

from callscore.core import settings as score_settings
from callscore.core.call import Effect
from callscore.core.settings import PRESETS, Mode
from callscore.evaluations.evaluation import MAX_TRIALS
from callscore.evaluations.scorers import SCORERS
from callscore.evaluations.suites import RESERVED_PARAMETERS
from callscore.formats.case_schema import build_case_schema, schema_head

_CASE: Final = {"$ref": "#/definitions/case"}
_SHARE: Final = {"type": "number", "minimum": 0, "maximum": 1}
_TEXT: Final = {"type": "string", "minLength": 1}
_TEXTS: Final = {"type": ["string", "array"], "minLength": 1, "items": _TEXT}
_RELATIVE_TO: Final = "relative to the folder of the suite"


def suite_json_schema() -> dict[str, Any]:
    """The JSON Schema (draft-07) of a suite.

    The comparators of other packages that are installed are in it.

    Raises:
        InvalidSettings: one of those cannot be used.
    """
    return {
        **schema_head("suite"),
        "title": "callscore suite",
        "description": "An evaluation without code: the model, the cases and the scorers.",
        "type": "object",
        "properties": _properties(),
        "required": ["cases"],
        "additionalProperties": False,
        **_model_or_answers(),
        "definitions": {
            "model": _model("The model", {"parameters": _parameters()}),
            "judge": _model("The judge", {}),
            "settings": _settings(),
            "variant": _variant(),
            **build_case_schema()["definitions"],
        },
    }


def _model_or_answers() -> dict[str, Any]:
    """A model, or recorded answers of the suite or of each variant."""
    no_model = dict.fromkeys(("model", "system", "prompt"), False)
    recorded = {"required": ["answers"]}
    some_recorded = {"not": {"additionalProperties": {"not": recorded}}}
    return {
        "if": recorded,
        "then": {"properties": {**no_model, "variants": {"maxProperties": 0}}},
        "else": {
            "if": {"required": ["variants"], "properties": {"variants": some_recorded}},
            "then": {"properties": {**no_model, "variants": {"additionalProperties": recorded}}},
            "else": {"required": ["model"]},
        },
    }


def _properties() -> dict[str, Any]:
    scorer = {"anyOf": [{"enum": list(SCORERS)}, {"type": "string", "pattern": r"^\w+\.\w+"}]}
    return {
        "$schema": {"description": "The location of this schema, for editors."},
        "name": {
            **_TEXT,
            "title": "Name of the evaluation",
            "description": "By default the name of the file, without `eval_`.",
        },
        "model": _name_or_object(
            "model", "The model", "Use `answers` instead for recorded answers."
        ),
        "system": {**_TEXT, "title": "The system prompt"},
        "prompt": {
            **_TEXT,
            "title": "The prompt, with {{input}}",
            "description": "By default the input of the case. {{id}} and {{metadata.city}} are"
            " replaced, too.",
        },
        "answers": {
            **_TEXT,
            "title": "Recorded answers instead of a model",
            "description": f"The path of a file, {_RELATIVE_TO}: objects with the `id` of the case and"
            " the `answer`.",
        },
        "tools": {
            "title": "The definitions of the tools",
            "description": f"In any format that callscore reads, or the path of a file, {_RELATIVE_TO}.",
            "type": ["array", "object", "string"],
        },
        "cases": {
            "title": "The cases",
            "description": f"Cases, or paths of files of cases, {_RELATIVE_TO}.",
            "type": ["array", "string"],
            "minLength": 1,
            "minItems": 1,
            "items": {"type": ["object", "string"], "if": {"type": "object"}, "then": _CASE},
        },
        "scorers": {
            "title": "The scorers",
            "description": "By default `accuracy`. `callscore metrics` lists the names of other"
            " tools' metrics.",
            "if": {"type": "array"},
            "then": {"items": scorer, "minItems": 1, "uniqueItems": True},
            "else": scorer,
        },
        "fail_under": {
            "title": "Lowest mean score with which a run succeeds",
            "description": "One number for all scorers, or a number per scorer.",
            "type": ["number", "object"],
            "minimum": 0,
            "maximum": 1,
            "additionalProperties": _SHARE,
        },
        "settings": {"$ref": "#/definitions/settings"},
        "variants": {
            "title": "Variants",
            "description": "By name; each has the keys that differ from the suite.",
            "type": "object",
            "propertyNames": {"minLength": 1},
            "additionalProperties": {"$ref": "#/definitions/variant"},
        },
        "tags": {**_TEXTS, "title": "Tags of all cases"},
        "trials": {
            "title": "Trials per case",
            "type": "integer",
            "minimum": 1,
            "maximum": MAX_TRIALS,
        },
        "judge": _name_or_object("judge", "The judge", "It answers `$judge` rules."),
        "only": {
            "title": "Run only this suite",
            "description": "Evaluations without `only` are not run.",
            "type": "boolean",
        },
        "skip": {
            "title": "Skip this suite",
            "description": "True, or the reason.",
            "type": ["boolean", "string"],
        },
    }


def _name_or_object(definition: str, title: str, description: str) -> dict[str, Any]:
    return {
        "title": title,
        "description": f"Its name, or an object with it. {description}",
        "type": ["string", "object"],
        "minLength": 1,
        "if": {"type": "object"},
        "then": {"$ref": f"#/definitions/{definition}"},
    }


def _model(title: str, more: dict[str, Any]) -> dict[str, Any]:
    return {
        "title": title,
        "type": "object",
        "properties": {
            "name": {**_TEXT, "title": "Name of the model"},
            "base_url": {
                "title": "The server",
                "description": "A server with the chat completions API of OpenAI. By default"
                " OPENAI_BASE_URL, or the API of OpenAI.",
                "type": "string",
                "pattern": "^https?://",
            },
            "key_variable": {
                "title": "The environment variable that holds the key",
                "description": "By default OPENAI_API_KEY. Never put the key itself in a file.",
                "type": "string",
                "pattern": "^[A-Za-z_][A-Za-z0-9_]*$",
            },
            **more,
        },
        "required": ["name"],
        "additionalProperties": False,
    }


def _parameters() -> dict[str, Any]:
    return {
        "title": "Further parameters of the request",
        "description": "`temperature`, `max_tokens`, `tool_choice` and others that the server accepts.",
        "type": "object",
        "propertyNames": {"not": {"enum": list(RESERVED_PARAMETERS)}},
    }


def _variant() -> dict[str, Any]:
    return {
        "title": "A variant",
        "type": "object",
        "properties": {
            "model": _name_or_object(
                "model", "Another model", "Keys that are missing are those of the suite."
            ),
            "system": {**_TEXT, "title": "Another system prompt"},
            "prompt": {**_TEXT, "title": "Another prompt"},
            "parameters": _parameters(),
            "answers": {**_TEXT, "title": "The path of a file of recorded answers"},
        },
        "additionalProperties": False,
        "if": {"required": ["answers"]},
        "then": {"maxProperties": 1},
    }


def _choices(words: tuple[str, ...]) -> dict[str, Any]:
    """One of several words; case does not matter, and editors complete the usual two spellings."""
    return {"enum": [*words, *(word.upper() for word in words)]}


def _settings() -> dict[str, Any]:
    choices = {
        "preset": PRESETS,
        "mode": tuple(str(mode) for mode in Mode),
        "order": get_args(score_settings.Order),
        "extra_arguments": get_args(score_settings.ExtraArguments),
        "count_calls": get_args(score_settings.CountCalls),
        "failed_calls": get_args(score_settings.FailedCalls),
        "repeated_calls": get_args(score_settings.RepeatedCalls),
        "arrays": get_args(score_settings.Arrays),
        "nested_objects": get_args(score_settings.NestedObjects),
        "extra_calls": get_args(score_settings.ExtraCalls),
        "schema_defaults": get_args(score_settings.SchemaDefaults),
        "turns": get_args(score_settings.Turns),
    }
    parts = _choices(get_args(score_settings.NamePart))
    return {
        "title": "Settings of the score",
        "description": "As on the command line; see the reference of settings.",
        "type": "object",
        "properties": {
            **{name: _choices(values) for name, values in choices.items()},
            "argument_match_threshold": _SHARE,
            **dict.fromkeys(score_settings.ALIASES, _SHARE),
            "pass_mark": _SHARE,
            "strip_prefix": _TEXTS,
            "normalize_name": {"if": {"type": "array"}, "then": {"items": parts}, "else": parts},
            "effects": {
                "type": "object",
                "additionalProperties": _choices(get_args(Effect)),
            },
            "arguments": {"type": "object"},
            "top_k": {"type": "integer", "minimum": 1},
        },
        "additionalProperties": False,
    }

"""What a schema asks for and did not get, in English and in Russian."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from callscore.core.phrase import Note, Phrase
from callscore.core.text import clip, escape, render_value

if TYPE_CHECKING:
    from callscore.core.schema_error import SchemaError

__all__ = ["demand_of", "note_on"]

_WIDTH = 80

_MISSING = Phrase("{where}required, but not given", "{where}обязательно, но не передано")
_UNKNOWN = Phrase(
    "{where}not known to the schema (value {value})",
    "{where}схеме не известно (значение {value})",
)
_TYPE = Phrase(
    "{where}must be of the type {wanted}, got {value}",
    "{where}нужен тип {wanted}, получено {value}",
)
_OTHER = Phrase(
    "{where}not as the schema asks ({detail})",
    "{where}не соответствует схеме ({detail})",
)
_UNCHECKED = Phrase(
    "{where}could not be checked ({detail})",
    "{where}не удалось проверить ({detail})",
)
# By the keyword of the schema; the texts of types, names and formats are the same everywhere.
_DEMANDS = {
    "required": _MISSING,
    "additionalProperties": _UNKNOWN,
    "unevaluatedProperties": _UNKNOWN,
    "propertyNames": _UNKNOWN,
    "type": _TYPE,
    "enum": Phrase(
        "{where}must be one of {wanted}, got {value}",
        "{where}нужно одно из {wanted}, получено {value}",
    ),
    "const": Phrase(
        "{where}must be {wanted}, got {value}", "{where}нужно {wanted}, получено {value}"
    ),
    "minimum": Phrase(
        "{where}must be at least {wanted}, got {value}",
        "{where}нужно не меньше {wanted}, получено {value}",
    ),
    "maximum": Phrase(
        "{where}must be at most {wanted}, got {value}",
        "{where}нужно не больше {wanted}, получено {value}",
    ),
    "exclusiveMinimum": Phrase(
        "{where}must be more than {wanted}, got {value}",
        "{where}нужно больше {wanted}, получено {value}",
    ),
    "exclusiveMaximum": Phrase(
        "{where}must be less than {wanted}, got {value}",
        "{where}нужно меньше {wanted}, получено {value}",
    ),
    "multipleOf": Phrase(
        "{where}must be a multiple of {wanted}, got {value}",
        "{where}нужно кратное {wanted}, получено {value}",
    ),
    "minLength": Phrase(
        "{where}its length must be at least {wanted}, got {value}",
        "{where}длина должна быть не меньше {wanted}, получено {value}",
    ),
    "maxLength": Phrase(
        "{where}its length must be at most {wanted}, got {value}",
        "{where}длина должна быть не больше {wanted}, получено {value}",
    ),
    "minItems": Phrase(
        "{where}the number of items must be at least {wanted}, got {value}",
        "{where}число элементов должно быть не меньше {wanted}, получено {value}",
    ),
    "maxItems": Phrase(
        "{where}the number of items must be at most {wanted}, got {value}",
        "{where}число элементов должно быть не больше {wanted}, получено {value}",
    ),
    "minProperties": Phrase(
        "{where}the number of members must be at least {wanted}, got {value}",
        "{where}число полей должно быть не меньше {wanted}, получено {value}",
    ),
    "maxProperties": Phrase(
        "{where}the number of members must be at most {wanted}, got {value}",
        "{where}число полей должно быть не больше {wanted}, получено {value}",
    ),
    "uniqueItems": Phrase(
        "{where}no item may be there twice, got {value}",
        "{where}элементы не должны повторяться, получено {value}",
    ),
    "pattern": Phrase(
        "{where}must match {wanted}, got {value}",
        "{where}должно соответствовать {wanted}, получено {value}",
    ),
    "format": Phrase(
        "{where}must be of the format {wanted}, got {value}",
        "{where}нужен формат {wanted}, получено {value}",
    ),
    "falseSchema": Phrase(
        "{where}must not be given (value {value})",
        "{where}не должно передаваться (значение {value})",
    ),
    "oneOf": Phrase(
        "{where}fits more than one of the alternatives, got {value}",
        "{where}подходит больше чем под один вариант, получено {value}",
    ),
    "unchecked": _UNCHECKED,
}
# What is said as a word, not as a JSON value.
_WORDS = frozenset({"type", "format", "pattern"})


def note_on(error: SchemaError) -> Note:
    """What is wrong with a value by a schema, as half a sentence in any language."""
    where = "" if not error.steps else error.path
    return demand_of(error.keyword, where, (error.wanted, error.value), error.message)


def demand_of(keyword: str, where: str, values: tuple[Any, Any], detail: str) -> Note:
    """What a keyword of a schema asks for, and what it got instead.

    Args:
        keyword: the keyword.
        where: the place, to be put in front of it; nothing where it goes without saying.
        values: what was wanted, and what was given.
        detail: what the library says, for keywords that have no words here.
    """
    wanted, value = values
    return Note(
        _DEMANDS.get(keyword, _OTHER),
        {
            "where": f"{clip(escape(where), _WIDTH)}: " if where else "",
            "wanted": _wanted_text(keyword, wanted),
            "value": render_value(value, limit=_WIDTH),
            "detail": clip(escape(detail.rstrip(".")), 2 * _WIDTH),
        },
    )


def _wanted_text(keyword: str, wanted: Any) -> str:
    if keyword in _WORDS:
        words = wanted if isinstance(wanted, list) else [wanted]
        return clip(escape(" | ".join(map(str, words))), _WIDTH)
    if keyword == "enum" and isinstance(wanted, list):
        return clip(", ".join(render_value(item, limit=_WIDTH) for item in wanted[:_WIDTH]), _WIDTH)
    return render_value(wanted, limit=_WIDTH)

"""The settings that a user can choose on the page, and those of a run."""

from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING, Any, Literal, NamedTuple, get_args

import msgspec

from callscore.core.phrases import Language, Phrase, say
from callscore.core.rules import rules_by_name
from callscore.core.settings import (
    DEFAULT,
    IGNORE,
    PRESETS,
    Arrays,
    CountCalls,
    ExtraArguments,
    ExtraCalls,
    FailedCalls,
    Mode,
    NamePart,
    NestedObjects,
    Order,
    RepeatedCalls,
    SchemaDefaults,
    Settings,
    Turns,
    get_preset,
    settings_from,
)
from callscore.errors import CallscoreError
from callscore.runner.stored_runs import FUNCTION_SETTINGS, stored_settings
from callscore.web.run_pages import name_of_record

if TYPE_CHECKING:
    from callscore.history.records import EvaluationRecord
    from callscore.web.open_history import History
    from callscore.web.requests import Asked

_Kind = Literal["choice", "choices", "share", "texts", "effects", "arguments"]


class _Field(NamedTuple):
    kind: _Kind
    title: Phrase
    help: Phrase
    choices: tuple[str, ...] = ()


_FIELDS = {
    "mode": _Field(
        "choice",
        Phrase("Arguments", "Аргументы"),
        Phrase(
            "strict: all arguments must match; flexible: enough of them",
            "strict: должны совпасть все аргументы; flexible: достаточная часть",
        ),
        tuple(Mode),
    ),
    "argument_match_threshold": _Field(
        "share",
        Phrase("Argument match threshold", "Порог совпадения аргументов"),
        Phrase(
            "Share of the arguments that must match in mode flexible",
            "Доля аргументов, которые должны совпасть в режиме flexible",
        ),
    ),
    "extra_arguments": _Field(
        "choice",
        Phrase("Extra arguments", "Лишние аргументы"),
        Phrase(
            "Whether unexpected arguments lower the share in mode flexible",
            "Снижают ли неожиданные аргументы долю в режиме flexible",
        ),
        get_args(ExtraArguments),
    ),
    "order": _Field(
        "choice",
        Phrase("Order of calls", "Порядок вызовов"),
        Phrase(
            "any; in_order: in the expected order, other calls may be between; exact: position by position;"
            " in_turns: in order within a turn",
            "any: любой; in_order: в ожидаемом порядке, между ними могут быть другие вызовы; exact:"
            " позиция в позицию; in_turns: по порядку внутри хода",
        ),
        get_args(Order),
    ),
    "pass_mark": _Field(
        "share",
        Phrase("Pass mark", "Проходная оценка"),
        Phrase("Score from which a case passes", "Оценка, начиная с которой случай пройден"),
    ),
    "arrays": _Field(
        "choice",
        Phrase("Arrays", "Массивы"),
        Phrase("Whether the order of the items matters", "Важен ли порядок элементов"),
        get_args(Arrays),
    ),
    "nested_objects": _Field(
        "choice",
        Phrase("Nested objects", "Вложенные объекты"),
        Phrase(
            "equal; subset: the actual object may have more members",
            "equal: равны; subset: в фактическом объекте могут быть ещё поля",
        ),
        get_args(NestedObjects),
    ),
    "count_calls": _Field(
        "choice",
        Phrase("Calls that count", "Учитываемые вызовы"),
        Phrase(
            "all; writes: only calls of tools that may change something",
            "all: все; writes: только вызовы инструментов, которые могут что-то изменить",
        ),
        get_args(CountCalls),
    ),
    "failed_calls": _Field(
        "choice",
        Phrase("Failed calls", "Неудачные вызовы"),
        Phrase(
            "Whether calls whose result is an error count",
            "Учитываются ли вызовы, результат которых — ошибка",
        ),
        get_args(FailedCalls),
    ),
    "repeated_calls": _Field(
        "choice",
        Phrase("Repeated calls", "Повторные вызовы"),
        Phrase(
            "Whether exact repeats of earlier calls count",
            "Учитываются ли точные повторы предыдущих вызовов",
        ),
        get_args(RepeatedCalls),
    ),
    "extra_calls": _Field(
        "choice",
        Phrase("Extra calls", "Лишние вызовы"),
        Phrase(
            "cost; free: they lower no score unless forbidden; reads_free: those that only read",
            "cost: снижают оценку; free: снижают только запрещённые; reads_free: не снижает чтение",
        ),
        get_args(ExtraCalls),
    ),
    "schema_defaults": _Field(
        "choice",
        Phrase("Defaults of schemas", "Значения по умолчанию"),
        Phrase(
            "Whether an argument with its default equals one that is left out",
            "Равен ли аргумент со значением по умолчанию отсутствующему",
        ),
        get_args(SchemaDefaults),
    ),
    "turns": _Field(
        "choice",
        Phrase("Turns", "Ходы"),
        Phrase(
            "separate: calls must be made in their turn; cumulative: in it or an earlier one",
            "separate: вызовы нужны в своём ходе; cumulative: в своём или более раннем",
        ),
        get_args(Turns),
    ),
    "strip_prefix": _Field(
        "texts",
        Phrase("Prefixes to remove", "Удаляемые префиксы"),
        Phrase(
            "Prefixes of tool names, such as mcp__*__",
            "Префиксы имён инструментов, например mcp__*__",
        ),
    ),
    "normalize_name": _Field(
        "choices",
        Phrase("What to ignore in names", "Что не учитывать в именах"),
        Phrase("In the names of tools", "В именах инструментов"),
        get_args(NamePart),
    ),
    "effects": _Field(
        "effects",
        Phrase("Effects of tools", "Действие инструментов"),
        Phrase(
            "Which tools read and which write, such as get_*: read. It matters if only writes count",
            "Какие инструменты читают, какие пишут, например get_*: read. Важно, если учитываются только writes",
        ),
        ("read", "write"),
    ),
    "arguments": _Field(
        "arguments",
        Phrase("Rules for arguments", "Правила для аргументов"),
        Phrase(
            "How single arguments are compared, such as book_flight.date: date",
            "Как сравниваются отдельные аргументы, например book_flight.date: date",
        ),
    ),
}
_PRESET_TITLES = {
    "strict": Phrase("strict: everything must match", "strict: должно совпасть всё"),
    "flexible": Phrase(
        "flexible: enough of the arguments must match",
        "flexible: должна совпасть достаточная часть аргументов",
    ),
    "outcome": Phrase(
        "outcome: only what the agent changed counts",
        "outcome: учитывается только то, что агент изменил",
    ),
    "coverage": Phrase(
        "coverage: all that is expected must have been done",
        "coverage: всё ожидаемое должно быть сделано",
    ),
}


def settings_page(history: History, asked: Asked) -> dict[str, Any]:
    """`GET /api/settings`."""
    current = []
    run = asked.optional_text("run")
    if run is not None:
        with history.opened() as store:
            found = store.find(run, resolve=None)
            current = [
                {"evaluation": name_of_record(record), "values": _values_of(record)}
                for record in store.evaluations(found.id)
            ]
    return {
        "presets": [
            {
                "name": name,
                "title": say(_PRESET_TITLES[name], asked.lang),
                "values": get_preset(name),
            }
            for name in PRESETS
        ],
        "settings": [_field(name, asked.lang) for name in _FIELDS],
        "current": current,
    }


def _field(name: str, lang: Language) -> dict[str, Any]:
    field = _FIELDS[name]
    choices = field.choices
    if field.kind == "arguments":
        choices = (*sorted(rules_by_name()), IGNORE)
    return {
        "name": name,
        "title": say(field.title, lang),
        "help": say(field.help, lang),
        "kind": field.kind,
        "choices": list(choices),
        "default": _plain(DEFAULT, name),
    }


def _plain(settings: Settings, name: str) -> Any:
    """The value of a setting as it is sent; patterns are the names of members."""
    value = getattr(settings, name)
    if name == "effects":
        return dict(value)
    if name == "arguments":
        return {
            each.pattern: {each.rule: each.options} if each.options else each.rule for each in value
        }
    return msgspec.to_builtins(value)


def _values_of(record: EvaluationRecord) -> dict[str, Any]:
    """The settings of an evaluation that differ from the defaults."""
    kept = stored_settings(record.settings)
    for name in FUNCTION_SETTINGS:
        kept.pop(name, None)
    try:
        settings = settings_from(kept)
    except CallscoreError:  # of another version of callscore
        return {}
    plain = {name: _plain(settings, name) for name in _FIELDS}
    return {name: value for name, value in plain.items() if value != _plain(DEFAULT, name)}


def chosen_settings(preset: Any, given: Mapping[str, Any]) -> dict[str, Any]:
    """The settings of a request, as `callscore rescore` takes them.

    Raises:
        InvalidSettings: the preset, a setting or its value is unknown.
    """
    settings = settings_from(dict(given), preset=preset)
    return {name: getattr(settings, name) for name in given}

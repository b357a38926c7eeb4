"""Why an expectation is not written, in every language that callscore speaks."""

from __future__ import annotations

from callscore.core.phrases import Phrase

__all__ = [
    "AMBIGUOUS",
    "ANOTHER_LIST",
    "CALLS_DIFFER",
    "CANNOT_HOLD",
    "CHANGED_MEANWHILE",
    "COMPARISON_UNKNOWN",
    "CORRECT_FOR_VARIANTS",
    "DIFFERENT_EXPECTATION",
    "DOTTED_KEYS",
    "ERROR_CAUGHT",
    "EXPECTATION_CHANGED",
    "FILE_REPLACED",
    "FORBIDDEN",
    "HAS_RULES",
    "INPUT_CHANGED",
    "INVALID_CALL",
    "IN_FILE",
    "MERGED",
    "NAMELESS",
    "NAME_ONLY_FIELD",
    "NEVER_RIGHT",
    "NOT_FOUND",
    "NOT_JSON",
    "NOT_UNDERSTOOD",
    "NOT_UTF8",
    "NOT_WRITTEN_OUT",
    "NOT_YAML",
    "NO_CASE",
    "NO_EVALUATION",
    "NO_FILE",
    "NO_KEYWORD",
    "NO_SINGLE_ARGUMENTS",
    "NO_TRIAL",
    "NULL_IN_TOML",
    "ONLY_PYTHON",
    "ON_LINE",
    "OUTSIDE_ROOT",
    "PART_OF_A_GROUP",
    "PLACEHOLDER_VALUE",
    "REPEATS_DIFFER",
    "SAME_IDS",
    "SCATTERED_TABLES",
    "SECRET_REMOVED",
    "SHARED_BY_ALIAS",
    "SOMETIMES_CORRECT",
    "THE_VARIANT",
    "THE_VARIANTS",
    "TRIALS_DISAGREE",
    "UNKNOWN_FILE",
    "UNREADABLE",
    "UNREADABLE_FILE",
    "UNRELATED_CHANGES",
    "UNSUPPORTED_FILE_TYPE",
    "UNWRITABLE",
    "VARIANTS_DIFFER",
    "WOULD_BE_MISREAD",
    "WRITE_PROTECTED",
]

IN_FILE = Phrase("{file}: {problem}", "{file}: {problem}")
ON_LINE = Phrase("line {line}: {problem}", "строка {line}: {problem}")

# Of runs and cases.
EXPECTATION_CHANGED = Phrase(
    "what it expects has changed since the run. Run it again, then bless that.",
    "ожидаемое изменилось после запуска. Запустите ещё раз и примите новый результат.",
)
INPUT_CHANGED = Phrase(
    "it asks something else than in the run. Run it again, then bless that.",
    "вопрос теперь другой, чем в запуске. Запустите ещё раз и примите новый результат.",
)
ONLY_PYTHON = Phrase(
    "only Python can say what it expects. Change it there.",
    "ожидаемое выражено только на Python. Измените его там.",
)
COMPARISON_UNKNOWN = Phrase(
    "how its calls compare with what is expected can be told no more. Run it again.",
    "как вызовы соотносятся с ожидаемыми, уже не узнать. Запустите ещё раз.",
)
SECRET_REMOVED = Phrase(
    "a secret was taken out of its calls ({mark} is kept). Write it by hand.",
    "из вызовов убран секрет (осталось {mark}). Запишите вручную.",
)
PLACEHOLDER_VALUE = Phrase(
    "a call holds what no file can: {text} stands for it. Write it by hand.",
    "в вызове есть то, чего не записать в файл: вместо него {text}. Запишите вручную.",
)
INVALID_CALL = Phrase(
    "a call does not fit the definitions of the tools: {reason}.",
    "вызов не подходит под описания инструментов: {reason}.",
)
NO_TRIAL = Phrase(
    "it has no trial {trial} with an answer.", "попытки {trial} с ответом у него нет."
)
TRIALS_DISAGREE = Phrase(
    "its trials do not agree ({trials}). Choose one with --trial.",
    "попытки расходятся ({trials}). Выберите одну: --trial.",
)
NO_CASE = Phrase("there is no case {case} any more.", "случая {case} больше нет.")
NO_EVALUATION = Phrase("there is no {name} in it any more.", "{name} в нём больше нет.")
NO_FILE = Phrase("there is no such file any more.", "такого файла больше нет.")
UNKNOWN_FILE = Phrase(
    "the run does not know the file of {name}.", "запуск не знает, в каком файле {name}."
)

# Of calls.
FORBIDDEN = Phrase("{name} was called, which is forbidden.", "вызван {name}, а это запрещено.")
NEVER_RIGHT = Phrase(
    "under these settings the calls that were made would not be right.",
    "при этих настройках сделанные вызовы не были бы верны.",
)
PART_OF_A_GROUP = Phrase(
    "only some calls of a group were made; what it should be can only be said by hand.",
    "из группы сделаны не все вызовы; какой ей быть, можно записать только вручную.",
)
REPEATS_DIFFER = Phrase(
    "the calls that were made for one that may be repeated differ. Change it by hand.",
    "повторы одного вызова различаются. Измените вручную.",
)
HAS_RULES = Phrase(
    "which part of {name} is wrong cannot be told, and it has rules.",
    "какая часть {name} неверна, не определить, а в нём есть правила.",
)
NOT_JSON = Phrase(
    "a call of {name} has arguments that are no JSON object.",
    "у вызова {name} аргументы не объект JSON.",
)
CANNOT_HOLD = Phrase(
    "a call of {name} has arguments that no file can hold.",
    "у вызова {name} есть аргументы, которых не записать в файл.",
)
NAMELESS = Phrase("a call has no name.", "у вызова нет имени.")

# Of those who disagree.
CALLS_DIFFER = Phrase(
    "what is called there differs from time to time.", "вызовы там бывают разными."
)
VARIANTS_DIFFER = Phrase("{variants} differ.", "{variants} расходятся.")
CORRECT_FOR_VARIANTS = Phrase(
    "what is expected there is right for {variants}.", "ожидаемое там верно: {variants}."
)
SOMETIMES_CORRECT = Phrase(
    "what is expected there is right at other times.", "ожидаемое там в другой раз верно."
)
THE_VARIANT = Phrase("the variant {last}", "вариант {last}")
THE_VARIANTS = Phrase("the variants {first} and {last}", "варианты {first} и {last}")

# Of files, and of places in them.
OUTSIDE_ROOT = Phrase("it is outside of {root}.", "он вне {root}.")
UNREADABLE = Phrase("it cannot be read: {why}.", "его не прочитать: {why}.")
UNREADABLE_FILE = Phrase("it cannot be read.", "его не прочитать.")
UNWRITABLE = Phrase("it cannot be written: {why}.", "его не записать: {why}.")
WRITE_PROTECTED = Phrase("it is write-protected.", "он защищён от записи.")
NOT_UTF8 = Phrase("it is not UTF-8.", "это не UTF-8.")
NOT_YAML = Phrase("it is not YAML.", "это не YAML.")
CHANGED_MEANWHILE = Phrase("it has changed in the meantime.", "он тем временем изменился.")
FILE_REPLACED = Phrase("the file is not what it was.", "файл уже не тот.")
UNSUPPORTED_FILE_TYPE = Phrase(
    "only files of these kinds are rewritten: {known}.", "переписываются только файлы: {known}."
)
UNRELATED_CHANGES = Phrase(
    "more would change than what is expected there.",
    "изменилось бы больше, чем ожидаемое.",
)
NOT_FOUND = Phrase("what is expected is not written out there.", "ожидаемое там прямо не записано.")
SAME_IDS = Phrase(
    "several cases have the id {id}: {places}. Give each one of its own.",
    "id {id} у нескольких случаев: {places}. Дайте каждому свой.",
)
AMBIGUOUS = Phrase(
    "it could be any of these: {places}. Give the cases ids.",
    "это может быть любой из них: {places}. Дайте случаям id.",
)
SHARED_BY_ALIAS = Phrase(
    "an anchor or an alias stands there, so that more would change.",
    "там якорь или ссылка на него, изменилось бы больше.",
)
MERGED = Phrase("`{field}` is merged from elsewhere.", "`{field}` взято из другого места.")
NAME_ONLY_FIELD = Phrase(
    "`{field}` has room for a name alone; write `expected` there.",
    "в `{field}` помещается только имя; напишите `expected`.",
)
ANOTHER_LIST = Phrase(
    "what is expected there is not a list of what was read.",
    "ожидаемое там не тот список, что был прочитан.",
)
NO_SINGLE_ARGUMENTS = Phrase(
    "it is written in a way in which single arguments cannot be changed.",
    "записано так, что отдельные аргументы не изменить.",
)
NOT_UNDERSTOOD = Phrase(
    "it is written in a way that is not understood.", "записано непонятным образом."
)
DOTTED_KEYS = Phrase(
    "it is written with dotted keys. Write `expected = [...]` there.",
    "записано ключами с точками. Напишите `expected = [...]`.",
)
SCATTERED_TABLES = Phrase("its tables do not stand together.", "его таблицы стоят не рядом.")
NULL_IN_TOML = Phrase(
    "an argument is null, which TOML cannot say. Keep the case in YAML.",
    "аргумент равен null, а в TOML этого нет. Держите случай в YAML.",
)
NO_KEYWORD = Phrase(
    "{name} is no name that Python has for an argument.",
    "{name} не может быть именем аргумента в Python.",
)
ERROR_CAUGHT = Phrase(
    "the test catches the error itself, and may want it.",
    "тест сам ловит ошибку и, возможно, ждёт её.",
)
DIFFERENT_EXPECTATION = Phrase(
    "what is expected there is not what was read.", "ожидаемое там не то, что было прочитано."
)
NOT_WRITTEN_OUT = Phrase(
    "what is expected is not a list that is written out there.",
    "ожидаемое там не записано списком.",
)
WOULD_BE_MISREAD = Phrase(
    "it would not be read as it is meant.", "прочлось бы не то, что задумано."
)

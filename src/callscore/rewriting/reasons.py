"""Why an expectation is not written, in every language that callscore speaks."""

from __future__ import annotations

from callscore.core.phrases import Phrase

IN_FILE = Phrase("{file}: {problem}", "{file}: {problem}")
ON_LINE = Phrase("line {line}: {problem}", "строка {line}: {problem}")

# Of runs and cases.
EXPECTATION_CHANGED = Phrase(
    "the expected calls have changed since the run. Run it again and bless the new run.",
    "ожидаемые вызовы изменились после прогона. Запустите ещё раз и примите новый прогон.",
)
INPUT_CHANGED = Phrase(
    "the input has changed since the run. Run it again and bless the new run.",
    "входные данные изменились после прогона. Запустите ещё раз и примите новый прогон.",
)
ONLY_PYTHON = Phrase(
    "the expected calls use Python objects that a file cannot contain. Change them in the code.",
    "ожидаемые вызовы содержат объекты Python, которые нельзя записать в файл. Измените их в коде.",
)
COMPARISON_UNKNOWN = Phrase(
    "the run does not contain the comparison of its calls. Run it again.",
    "в прогоне нет сравнения вызовов. Запустите ещё раз.",
)
SECRET_IN_CALLS = Phrase(
    "a secret of the environment is in its calls, and is not written to files. Write them by hand.",
    "в вызовах есть секрет из переменных окружения, он не записывается в файлы. Запишите их вручную.",
)
SECRET_REMOVED = Phrase(
    "a secret was removed from its calls ({mark} was saved instead). Write them by hand.",
    "из вызовов удалён секрет (вместо него сохранено {mark}). Запишите их вручную.",
)
HIDDEN_IN_CASE = Phrase(
    "a value of the case was hidden when the run was saved, so the case cannot be found in its file."
    " Edit the expected calls by hand.",
    "значение случая было скрыто при сохранении прогона, поэтому случай нельзя найти в файле."
    " Измените ожидаемые вызовы вручную.",
)
PLACEHOLDER_VALUE = Phrase(
    "a value of a call could not be saved ({text} was saved instead). Write it by hand.",
    "значение в вызове не удалось сохранить (вместо него сохранено {text}). Запишите его вручную.",
)
INVALID_CALL = Phrase(
    "a call does not match the tool definitions: {reason}.",
    "вызов не соответствует описанию инструментов: {reason}.",
)
EFFECTS_NOT_ADDED = Phrase(
    "'effects' is written in a way that cannot be extended. Add these lines to it by hand:\n{lines}",
    "в таком виде 'effects' нельзя дополнить. Добавьте эти строки вручную:\n{lines}",
)
NO_TRIAL = Phrase("trial {trial} has no answer.", "у попытки {trial} нет ответа.")
TRIALS_DISAGREE = Phrase(
    "the calls differ between trials ({trials}). Choose one with --trial.",
    "вызовы в попытках различаются ({trials}). Выберите одну: --trial.",
)
NO_CASE = Phrase("the case {case} no longer exists.", "случая {case} больше нет.")
NO_EVALUATION = Phrase("{name} no longer exists in this file.", "{name} в этом файле больше нет.")
NO_FILE = Phrase("the file no longer exists.", "файла больше нет.")
UNKNOWN_FILE = Phrase(
    "the run does not record the file of {name}.", "в прогоне не записано, в каком файле {name}."
)

# Of calls.
FORBIDDEN = Phrase("a forbidden tool was called: {name}.", "вызван запрещённый инструмент: {name}.")
NEVER_RIGHT = Phrase(
    "with these settings, no list of expected calls matches the actual calls.",
    "с этими настройками никакой список ожидаемых вызовов не совпадает с фактическими.",
)
OTHER_STATE = Phrase(
    "the state at the end is not the expected one. Update the expected state by hand.",
    "конечное состояние отличается от ожидаемого. Обновите ожидаемое состояние вручную.",
)
OTHER_CALLS_IN_TURN = Phrase(
    "turn {turn} has other calls than expected. Update the turn by hand.",
    "в ходе {turn} другие вызовы, чем ожидалось. Обновите ход вручную.",
)
PART_OF_A_GROUP = Phrase(
    "calls of a group are missing. Update the group by hand.",
    "не выполнены вызовы из группы. Обновите группу вручную.",
)
REPEATS_DIFFER = Phrase(
    "the repeats of one call have different arguments. Update the call by hand.",
    "повторы одного вызова имеют разные аргументы. Обновите вызов вручную.",
)
HAS_RULES = Phrase(
    "the argument {name} contains matchers and does not match. Update it by hand.",
    "аргумент {name} содержит правила и не совпадает. Обновите его вручную.",
)
NOT_JSON = Phrase(
    "the arguments of a call of {name} are not a JSON object.",
    "аргументы вызова {name} — не объект JSON.",
)
CANNOT_HOLD = Phrase(
    "the arguments of a call of {name} contain a value that a file cannot contain.",
    "в аргументах вызова {name} есть значение, которое нельзя записать в файл.",
)
NAMELESS = Phrase("a call has no name.", "у вызова нет имени.")

# Of conflicts.
CALLS_DIFFER = Phrase(
    "the actual calls differ between tests or trials.",
    "фактические вызовы различаются в разных тестах или попытках.",
)
VARIANTS_DIFFER = Phrase(
    "the actual calls differ between {variants}.", "фактические вызовы различаются у {variants}."
)
CORRECT_FOR_VARIANTS = Phrase(
    "the expected calls are correct for {variants}.", "ожидаемые вызовы верны для {variants}."
)
SOMETIMES_CORRECT = Phrase(
    "the expected calls are correct in another test or trial.",
    "ожидаемые вызовы верны в другом тесте или другой попытке.",
)
THE_VARIANT = Phrase("the variant {last}", "варианта {last}")
THE_VARIANTS = Phrase("the variants {first} and {last}", "вариантов {first} и {last}")

# Of files, and of places in them.
OUTSIDE_ROOT = Phrase(
    "the file is outside of {root}, where files are updated.",
    "файл вне папки {root}, в которой обновляются файлы.",
)
UNREADABLE = Phrase("cannot read the file: {why}.", "не удалось прочитать файл: {why}.")
UNREADABLE_FILE = Phrase("the file cannot be parsed.", "файл не удалось разобрать.")
UNWRITABLE = Phrase("cannot write the file: {why}.", "не удалось записать файл: {why}.")
WRITE_PROTECTED = Phrase("the file is write-protected.", "файл защищён от записи.")
NOT_UTF8 = Phrase("the file is not UTF-8.", "файл не в UTF-8.")
NOT_YAML = Phrase("the file is not valid YAML.", "в файле некорректный YAML.")
CHANGED_MEANWHILE = Phrase(
    "the file was changed by another program meanwhile.",
    "файл тем временем изменила другая программа.",
)
FILE_REPLACED = Phrase("the file has changed since the run.", "файл изменился после прогона.")
UNSUPPORTED_FILE_TYPE = Phrase(
    "files of this type are not updated. Supported: {known}.",
    "файлы этого типа не обновляются. Поддерживаются: {known}.",
)
UNRELATED_CHANGES = Phrase(
    "the update would change more than the expected calls.",
    "обновление изменило бы не только ожидаемые вызовы.",
)
NOT_FOUND = Phrase(
    "the expected calls were not found. They are computed, or in another file.",
    "ожидаемые вызовы не найдены. Они вычисляются или находятся в другом файле.",
)
SAME_IDS = Phrase(
    "several cases have the id {id}: {places}. Give each case its own id.",
    "id {id} у нескольких случаев: {places}. Дайте каждому случаю свой id.",
)
AMBIGUOUS = Phrase(
    "several cases are alike: {places}. Give them ids.",
    "есть несколько одинаковых случаев: {places}. Дайте им id.",
)
SHARED_BY_ALIAS = Phrase(
    "the expected calls use a YAML anchor or alias, which other cases share.",
    "в ожидаемых вызовах есть якорь или ссылка YAML, общая с другими случаями.",
)
MERGED = Phrase(
    "'{field}' comes from a YAML merge key (<<).", "поле «{field}» взято через слияние YAML (<<)."
)
NAME_ONLY_FIELD = Phrase(
    "'{field}' can contain only a tool name. Use 'expected' instead.",
    "поле «{field}» содержит только имя инструмента. Замените его на «expected».",
)
ANOTHER_LIST = Phrase(
    "the expected calls are not written as a list.", "ожидаемые вызовы записаны не списком."
)
NO_SINGLE_ARGUMENTS = Phrase(
    "a single argument of this call cannot be updated without changing the rest.",
    "отдельный аргумент этого вызова нельзя обновить, не изменив остальное.",
)
NOT_UNDERSTOOD = Phrase(
    "the expected calls are written in a form that cannot be updated.",
    "ожидаемые вызовы записаны в форме, которую нельзя обновить.",
)
DOTTED_KEYS = Phrase(
    "the expected calls are written with dotted keys. Write 'expected = [...]' instead.",
    "ожидаемые вызовы записаны ключами с точками. Запишите «expected = [...]».",
)
SCATTERED_TABLES = Phrase(
    "the tables of the expected calls are not next to each other.",
    "таблицы ожидаемых вызовов расположены не рядом.",
)
NULL_IN_TOML = Phrase(
    "an argument is null, which TOML does not have. Move the case to a YAML file.",
    "аргумент равен null, а в TOML его нет. Перенесите случай в файл YAML.",
)
NO_KEYWORD = Phrase(
    "{name} cannot be a keyword argument in Python.",
    "{name} не может быть именованным аргументом в Python.",
)
ERROR_CAUGHT = Phrase(
    "the test catches the error of this assertion.", "тест перехватывает ошибку этой проверки."
)
DIFFERENT_EXPECTATION = Phrase(
    "the expected calls in the file are not those of the test.",
    "ожидаемые вызовы в файле не те, что в тесте.",
)
NOT_WRITTEN_OUT = Phrase(
    "the expected calls are not written out here, but computed. Update them by hand.",
    "ожидаемые вызовы здесь не записаны, а вычисляются. Обновите их вручную.",
)
WOULD_BE_MISREAD = Phrase(
    "the updated calls would be read differently.", "обновлённые вызовы прочитались бы иначе."
)

"""The words of the report and of the page, in English and Russian.

The modules in `static` show no other words. A key begins with the name of the module that uses it.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from callscore.core.phrases import Phrase, Plural

if TYPE_CHECKING:
    from callscore.core.phrases import Language

__all__ = ["WORDS", "words_in"]

WORDS: dict[str, Phrase | Plural] = {
    # --- text.js, values.js: foreign text and values
    "text.hidden": Phrase("invisible character", "невидимый символ"),
    "text.more": Phrase("{count} more characters", "ещё символов: {count}"),
    # --- marks.js: statuses and changes
    "marks.passed": Phrase("passed", "пройден"),
    "marks.failed": Phrase("failed", "не пройден"),
    "marks.mixed": Phrase("some trials failed", "часть попыток не пройдена"),
    "marks.error": Phrase("error", "ошибка"),
    "marks.unscored": Phrase("no score", "без оценки"),
    "marks.broken": Phrase("broken", "сломан"),
    "marks.fixed": Phrase("fixed", "исправлен"),
    "marks.changed": Phrase("changed", "изменился"),
    "marks.same": Phrase("unchanged", "без изменений"),
    "marks.only_before": Phrase("only before", "только раньше"),
    "marks.only_after": Phrase("only after", "только теперь"),
    # --- report.js, keys.js: the frame of the report
    "report.skip": Phrase("Skip to the cases", "Перейти к случаям"),
    "report.keys": Phrase("Keys", "Клавиши"),
    "report.theme": Phrase("Theme", "Тема"),
    "report.theme_auto": Phrase("Auto", "Авто"),
    "report.theme_light": Phrase("Light", "Светлая"),
    "report.theme_dark": Phrase("Dark", "Тёмная"),
    "keys.title": Phrase("Keys", "Клавиши"),
    "keys.next": Phrase("next case", "следующий случай"),
    "keys.previous": Phrase("previous case", "предыдущий случай"),
    "keys.open": Phrase("open the case", "открыть случай"),
    "keys.trials": Phrase(
        "show or hide the trials of a case", "показать или скрыть попытки случая"
    ),
    "keys.search": Phrase("search", "поиск"),
    "keys.back": Phrase("back to the list", "назад к списку"),
    "keys.help": Phrase("this list", "этот список"),
    "keys.close": Phrase("Close", "Закрыть"),
    # --- overview.js: verdict, score, counts
    "overview.title": Phrase("Overview", "Обзор"),
    "overview.verdict_good": Phrase("Passed:", "Пройдено:"),
    "overview.verdict_bad": Phrase("Failed:", "Не пройдено:"),
    "overview.verdict_neutral": Phrase("Result:", "Итог:"),
    "overview.interval": Phrase("95% interval {interval}", "95%-й интервал {interval}"),
    "overview.gate_reasons": Phrase("Why the gate decides so", "Почему гейт решил так"),
    "overview.calls": Phrase("calls", "вызовы"),
    "overview.calls_total": Phrase(
        "{expected} expected, {actual} actual", "ожидалось {expected}, фактически {actual}"
    ),
    "overview.next": Phrase("What to do next", "Что делать дальше"),
    "overview.copy": Phrase("Copy", "Копировать"),
    "overview.copied": Phrase("Copied.", "Скопировано."),
    "overview.not_copied": Phrase(
        "The browser does not allow copying.", "Браузер не разрешает копирование."
    ),
    "overview.warning": Phrase("Warning:", "Предупреждение:"),
    "overview.not_shown": Phrase(
        "The report does not contain {cases} more.", "В отчёт не вошло ещё {cases}."
    ),
    "overview.names": Plural(("name", "names"), ("имя", "имени", "имён")),
    "overview.more_names": Phrase("… {count} more", "… ещё {count}"),
    "overview.evaluations": Phrase("Evaluations", "Проверки"),
    "overview.evaluation": Phrase("evaluation", "проверка"),
    "overview.trend": Phrase("passed over time", "доля пройденных во времени"),
    "overview.cases": Phrase("cases", "случаи"),
    "overview.passed": Phrase("passed", "пройдено"),
    "overview.failed": Phrase("failed", "не пройдено"),
    "overview.errors": Phrase("errors", "ошибки"),
    "overview.scorers": Phrase("mean scores", "средние оценки"),
    "overview.required": Phrase("required ≥ {value}", "требуется ≥ {value}"),
    "overview.trials": Phrase("Repeated trials", "Повторные попытки"),
    "overview.pass_at_k": Phrase(
        "at least one of k trials passes", "пройдена хотя бы одна из k попыток"
    ),
    "overview.pass_hat_k": Phrase("all k trials pass", "пройдены все k попыток"),
    "overview.metrics": Phrase("Metrics", "Метрики"),
    "overview.metric": Phrase("metric", "метрика"),
    "overview.mean": Phrase("mean", "среднее"),
    "overview.scored": Phrase("scored", "оценено"),
    "overview.not_scorable": Phrase("not scorable", "нельзя оценить"),
    "overview.settings": Phrase("Settings", "Настройки"),
    # --- problems.js: what went wrong
    "problems.title": Phrase("What went wrong", "Что пошло не так"),
    "problems.lead": Phrase(
        "Select a line to filter the cases below.",
        "Выберите строку, чтобы отфильтровать случаи ниже.",
    ),
    "problems.by_calls": Phrase(
        "By incorrect, missed and extra calls", "По неверным, пропущенным и лишним вызовам"
    ),
    "problems.by_trials": Phrase("Number of trials", "Число попыток"),
    "problems.by_cases": Phrase("Number of cases", "Число случаев"),
    "problems.tools": Phrase("Tools that cost most", "Инструменты с наибольшими потерями"),
    "problems.arguments": Phrase("Arguments that cost most", "Аргументы с наибольшими потерями"),
    "problems.failures": Phrase("Failure classes", "Виды неудач"),
    "problems.confusion": Phrase("Expected and called tools", "Ожидаемые и вызванные инструменты"),
    "problems.confusion_meaning": Phrase(
        "Number of calls by expected and called tool.",
        "Число вызовов по ожидаемому и вызванному инструменту.",
    ),
    "problems.expected": Phrase("expected", "ожидался"),
    "problems.called": Phrase("called", "вызван"),
    "problems.none": Phrase("none", "нет"),
    "problems.rest": Phrase("all the rest", "все остальные"),
    "problems.cell": Phrase(
        "expected {expected}, called {called}: {times}",
        "ожидался {expected}, вызван {called}: {times}",
    ),
    "problems.cell_good": Phrase("expected tool called", "вызван ожидаемый инструмент"),
    "problems.cell_bad": Phrase("another tool called", "вызван другой инструмент"),
    "problems.cell_missed": Phrase("missed: nothing called", "пропущено: вызова нет"),
    "problems.cell_extra": Phrase("extra: nothing expected", "лишнее: ничего не ожидалось"),
    "problems.all": Phrase("Show all {what}", "Показать все {what}"),
    "problems.fewer": Phrase("Show fewer", "Показать меньше"),
    "problems.tools_noun": Plural(("tool", "tools"), ("инструмент", "инструмента", "инструментов")),
    "problems.arguments_noun": Plural(
        ("argument", "arguments"), ("аргумент", "аргумента", "аргументов")
    ),
    "problems.failures_noun": Plural(("class", "classes"), ("вид", "вида", "видов")),
    "problems.class_value": Phrase("Wrong value", "Неверное значение"),
    "problems.class_type": Phrase("Wrong type", "Неверный тип"),
    "problems.class_missing": Phrase("Missing argument", "Нет аргумента"),
    "problems.class_unexpected": Phrase("Unexpected argument", "Неожиданный аргумент"),
    "problems.class_matcher": Phrase("Rule not met", "Правило не выполнено"),
    "problems.class_malformed": Phrase("Unreadable arguments", "Нечитаемые аргументы"),
    "problems.class_missed": Phrase("Missed call", "Пропущенный вызов"),
    "problems.class_extra": Phrase("Extra call", "Лишний вызов"),
    "problems.class_forbidden": Phrase("Forbidden call", "Запрещённый вызов"),
    "problems.class_wrong_tool": Phrase("Another tool called", "Вызван другой инструмент"),
    "problems.class_order": Phrase("Wrong order", "Неверный порядок"),
    "problems.class_schema": Phrase("Fault of a call", "Ошибка вызова"),
    "problems.class_error": Phrase("Error", "Ошибка"),
    # --- filters.js
    "filters.title": Phrase("Filters", "Фильтры"),
    "filters.search": Phrase("Search the cases", "Поиск по случаям"),
    "filters.search_in": Phrase("Id, input, tool, tag …", "Id, входные данные, инструмент, тег …"),
    "filters.status": Phrase("Status", "Статус"),
    "filters.change": Phrase("Change", "Изменение"),
    "filters.only_changed": Phrase("Only changed", "Только изменения"),
    "filters.all": Phrase("All", "Все"),
    "filters.more": Phrase("More filters", "Ещё фильтры"),
    "filters.more_chosen": Phrase("More filters ({count})", "Ещё фильтры ({count})"),
    "filters.tool": Phrase("Tool", "Инструмент"),
    "filters.argument": Phrase("Wrong argument", "Неверный аргумент"),
    "filters.failure": Phrase("Failure class", "Вид неудачи"),
    "filters.tag": Phrase("Tag", "Тег"),
    "filters.evaluation": Phrase("Evaluation", "Проверка"),
    "filters.any": Phrase("any", "любой"),
    "filters.sort": Phrase("Sort", "Порядок"),
    "filters.sort_change": Phrase("broken first", "сначала сломанные"),
    "filters.sort_order": Phrase("as in the file", "как в файле"),
    "filters.sort_score": Phrase("lowest score first", "сначала низкие оценки"),
    "filters.sort_best": Phrase("highest score first", "сначала высокие оценки"),
    "filters.sort_id": Phrase("by id", "по id"),
    "filters.sort_seconds": Phrase("slowest first", "сначала медленные"),
    "filters.chosen_problem": Phrase("wrong: {name}", "неверно: {name}"),
    "filters.chosen_cell": Phrase("confusion: {name}", "путаница: {name}"),
    "filters.chosen_tool": Phrase("tool: {name}", "инструмент: {name}"),
    "filters.chosen_argument": Phrase("argument: {name}", "аргумент: {name}"),
    "filters.chosen_failure": Phrase("class: {name}", "вид: {name}"),
    "filters.chosen_tag": Phrase("tag: {name}", "тег: {name}"),
    "filters.chosen_evaluation": Phrase("evaluation: {name}", "проверка: {name}"),
    "filters.remove": Phrase("Remove this filter", "Убрать этот фильтр"),
    "filters.clear": Phrase("Clear all filters", "Сбросить фильтры"),
    "filters.cases": Plural(("case", "cases"), ("случай", "случая", "случаев")),
    "filters.trials": Plural(("trial", "trials"), ("попытка", "попытки", "попыток")),
    "filters.of_cases": Plural(("case", "cases"), ("случая", "случаев", "случаев")),
    "filters.of_trials": Plural(("trial", "trials"), ("попытки", "попыток", "попыток")),
    "filters.of": Phrase("{count} of {total}", "{count} из {total}"),
    "filters.cases_and_trials": Phrase("{cases}, {trials}", "{cases}, {trials}"),
    # --- list.js
    "list.title": Phrase("Cases", "Случаи"),
    "list.show": Phrase("Show {cases}", "Показать: {cases}"),
    "list.detail": Phrase("The selected case", "Выбранный случай"),
    "list.back": Phrase("All cases", "Все случаи"),
    "list.next": Phrase("Next", "Следующий"),
    "list.previous": Phrase("Previous", "Предыдущий"),
    "list.place": Phrase("{place} of {count}", "{place} из {count}"),
    "list.trial": Phrase("trial {trial}", "попытка {trial}"),
    "list.trials": Phrase("Trials", "Попытки"),
    "list.trials_passed": Phrase(
        "{passed} of {total} trials passed", "пройдено попыток: {passed} из {total}"
    ),
    "list.no_id": Phrase("no id", "без id"),
    "list.empty": Phrase("There are no cases.", "Случаев нет."),
    "list.nothing_found": Phrase(
        "No case matches the filters.", "Нет случаев, подходящих под фильтры."
    ),
    "list.nothing_changed": Phrase("No case changed.", "Ни один случай не изменился."),
    "list.cut": Phrase("The first {count} are listed.", "Показаны первые {count}."),
    "list.not_printed": Phrase("… {count} more are not printed.", "… ещё {count} не напечатано."),
    "list.unreadable": Phrase("This case cannot be shown.", "Этот случай нельзя показать."),
    "list.all_arguments": Phrase("all arguments", "все аргументы"),
    "list.more_reasons": Phrase("{count} more", "ещё {count}"),
    "list.reason_in_tool": Phrase("{tool}: {what}", "{tool}: {what}"),
    "list.reason_missed": Phrase("missed {tool}", "пропущенный {tool}"),
    "list.reason_extra": Phrase("extra {tool}", "лишний {tool}"),
    "list.reason_forbidden": Phrase("forbidden {tool}", "запрещённый {tool}"),
    "list.reason_wrong_tool": Phrase("{tool} → {called}", "{tool} → {called}"),
    # --- charts.js
    "charts.table": Phrase("Show as table", "Показать таблицей"),
    "charts.distribution": Phrase("Distribution of scores", "Распределение оценок"),
    "charts.score": Phrase("score", "оценка"),
    "charts.between": Phrase("{low} to {high}", "от {low} до {high}"),
    "charts.passed": Phrase("passed", "пройдено"),
    "charts.not_passed": Phrase("not passed", "не пройдено"),
    "charts.thousands": Phrase("{count}K", "{count} тыс."),
    "charts.tools": Phrase("Calls per tool", "Вызовы по инструментам"),
    "charts.tool": Phrase("tool", "инструмент"),
    "charts.expected": Phrase("expected", "ожидалось"),
    "charts.correct": Phrase("correct", "верно"),
    "charts.incorrect": Phrase("incorrect", "неверно"),
    "charts.missed": Phrase("missed", "пропущено"),
    "charts.extra": Phrase("extra", "лишних"),
    "charts.forbidden": Phrase("forbidden", "запрещено"),
    "charts.part": Phrase("{name} {count}", "{name} {count}"),
    "charts.wrong_calls": Plural(
        ("wrong call", "wrong calls"), ("ошибочный вызов", "ошибочных вызова", "ошибочных вызовов")
    ),
    "charts.trend": Phrase("Passed over time", "Доля пройденных во времени"),
    "charts.trend_label": Phrase(
        "Passed over time, {runs}: first {first}, last {last}",
        "Доля пройденных во времени, {runs}: сначала {first}, в конце {last}",
    ),
    "charts.sparkline": Phrase("first {first}, last {last}", "сначала {first}, в конце {last}"),
    "charts.point": Phrase(
        "{run}, {date}: {share} ({interval})", "{run}, {date}: {share} ({interval})"
    ),
    "charts.low_to_high": Phrase("{low} – {high}", "{low} – {high}"),
    "charts.run": Phrase("run", "прогон"),
    "charts.runs": Plural(("run", "runs"), ("прогон", "прогона", "прогонов")),
    "charts.date": Phrase("date", "дата"),
    "charts.commit": Phrase("commit", "коммит"),
    "charts.share": Phrase("passed", "пройдено"),
    "charts.interval": Phrase("95% interval", "95%-й интервал"),
    "charts.cases": Phrase("cases", "случаи"),
    # --- case.js, calls.js
    # --- comparison.js
    # --- the page: web/static
}


def words_in(lang: Language) -> dict[str, str | tuple[str, ...]]:
    """All words in one language: texts, and the forms of counted nouns."""
    return {key: (words.ru if lang == "ru" else words.en) for key, words in WORDS.items()}

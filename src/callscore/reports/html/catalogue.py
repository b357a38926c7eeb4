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
    "values.all": Phrase("Show all", "Показать полностью"),
    "values.more": Phrase("Show {count} more", "Показать ещё {count}"),
    "values.less": Phrase("Show less", "Свернуть"),
    "values.more_characters": Plural(
        ("more character", "more characters"), ("символ", "символа", "символов")
    ),
    "values.download": Phrase("Download all", "Скачать полностью"),
    # --- marks.js: statuses and changes
    "marks.passed": Phrase("passed", "пройдено"),
    "marks.failed": Phrase("failed", "не пройдено"),
    "marks.mixed": Phrase("some trials failed", "часть попыток не пройдена"),
    "marks.error": Phrase("error", "ошибка"),
    "marks.unscored": Phrase("no score", "без оценки"),
    "marks.broken": Phrase("broken", "сломано"),
    "marks.fixed": Phrase("fixed", "исправлено"),
    "marks.changed": Phrase("changed", "изменилось"),
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
    "overview.count_passed": Phrase("passed", "пройдено"),
    "overview.count_failed": Phrase("failed", "не пройдено"),
    "overview.count_error": Phrase("errors", "с ошибкой"),
    "overview.count_unscored": Phrase("no score", "без оценки"),
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
        "Select a line to filter the cases.", "Выберите строку, чтобы отфильтровать случаи."
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
    "problems.more": Phrase("Show {what}", "Показать {what}"),
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
    "problems.class_turn": Phrase("Wrong turn", "Другой ход"),
    "problems.class_caller": Phrase("Wrong caller", "Вызвал другой"),
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
    "filters.tool": Phrase("Tool", "Инструмент"),
    "filters.argument": Phrase("Wrong argument", "Неверный аргумент"),
    "filters.failure": Phrase("Failure class", "Вид неудачи"),
    "filters.turn": Phrase("First wrong turn", "Первый неверный ход"),
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
    "filters.chosen_turn": Phrase("first wrong turn: {name}", "первый неверный ход: {name}"),
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
    "list.turn": Phrase("turn {turn}", "ход {turn}"),
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
    "charts.distribution_of_cases": Phrase(
        "Distribution of scores: cases, each with the mean of its trials",
        "Распределение оценок: случаи, у каждого — среднее его попыток",
    ),
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
    "charts.forbidden": Phrase("forbidden", "запрещённых"),
    "charts.calls": Phrase(
        "Calls: {expected} expected, {actual} actual",
        "Вызовы: ожидалось {expected}, фактически {actual}",
    ),
    "charts.calls_free": Phrase(", {free} free", ", без штрафа {free}"),
    "charts.part": Phrase("{name} {count}", "{name} {count}"),
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
    "case.trial": Phrase("trial {trial}", "попытка {trial}"),
    "case.score": Phrase("Score", "Оценка"),
    "case.required": Phrase("Required", "Требуется"),
    "case.rating": Phrase("Rating", "Уровень"),
    "case.first_wrong_turn": Phrase("First wrong turn", "Первый неверный ход"),
    "case.turn_of": Phrase("{turn} of {turns}", "{turn} из {turns}"),
    "case.tokens": Phrase(
        "{read} tokens in, {written} out", "токены: {read} на входе, {written} на выходе"
    ),
    "case.attempts": Plural(("attempt", "attempts"), ("запуск", "запуска", "запусков")),
    "case.copy_command": Phrase("Copy command", "Скопировать команду"),
    "case.copy_expectation": Phrase("Copy calls as expected", "Скопировать вызовы как эталон"),
    "case.copy_json": Phrase("Copy as JSON", "Скопировать как JSON"),
    "case.copied": Phrase("Copied", "Скопировано"),
    "case.not_copied": Phrase(
        "The browser does not allow copying", "Браузер не разрешает копировать"
    ),
    "case.calls": Phrase("Calls", "Вызовы"),
    "case.values": Phrase("Scorers and metrics", "Метрики"),
    "case.scorer": Phrase("name", "название"),
    "case.value": Phrase("value", "значение"),
    "case.reason": Phrase("reason", "причина"),
    "case.broken": Phrase("failed", "сбой"),
    "case.no_value": Phrase("no value", "нет значения"),
    "case.input": Phrase("Input", "Входные данные"),
    "case.answer": Phrase("Answer", "Ответ"),
    "case.explanation": Phrase("How the score is calculated", "Как вычислена оценка"),
    "case.expectation": Phrase("Expectation as written", "Эталон как в файле"),
    "case.metadata": Phrase("Metadata", "Метаданные"),
    "case.ignored": Phrase("Do not count: {calls}", "Не учитываются: {calls}"),
    "case.ignored_call": Phrase("{side} {call}: {why}", "{side} {call}: {why}"),
    "case.count_of_calls": Plural(("call", "calls"), ("вызов", "вызова", "вызовов")),
    "case.why_read": Phrase("its tool changes nothing", "инструмент ничего не меняет"),
    "case.why_failed": Phrase("its result is an error", "результат — ошибка"),
    "case.why_repeated": Phrase("an exact repeat", "точный повтор"),
    "case.why_free": Phrase("extra calls are free", "лишние вызовы не снижают оценку"),
    "calls.turn": Phrase("Turn {number}", "Ход {number}"),
    "calls.end_state": Phrase("End state", "Конечное состояние"),
    "calls.state": Phrase("state", "состояние"),
    "calls.expected": Phrase("Expected", "Ожидалось"),
    "calls.actual": Phrase("Actual", "Фактически"),
    "calls.none": Phrase("No calls.", "Вызовов нет."),
    "calls.correct": Phrase("correct", "верный"),
    "calls.incorrect": Phrase("incorrect", "неверный"),
    "calls.missed": Phrase("missed", "пропущен"),
    "calls.extra": Phrase("extra", "лишний"),
    "calls.forbidden": Phrase("forbidden", "запрещён"),
    "calls.faulty": Phrase("fault", "ошибка вызова"),
    "calls.valid": Phrase("no fault", "без ошибок"),
    "calls.not_expected": Phrase("not expected", "не ожидался"),
    "calls.any_arguments": Phrase("any arguments", "любые аргументы"),
    "calls.not_actual": Phrase("not given", "не передан"),
    "calls.equal_arguments": Plural(
        ("equal argument", "equal arguments"),
        ("равный аргумент", "равных аргумента", "равных аргументов"),
    ),
    "calls.equal_lines": Plural(
        ("equal line", "equal lines"),
        ("одинаковая строка", "одинаковые строки", "одинаковых строк"),
    ),
    "calls.correct_calls": Plural(
        ("correct call", "correct calls"),
        ("верный вызов", "верных вызова", "верных вызовов"),
    ),
    "calls.arguments": Phrase("Arguments", "Аргументы"),
    "calls.result": Phrase("Result", "Результат"),
    "calls.failed_call": Phrase("failed call", "неудачный вызов"),
    "calls.parting": Phrase(
        "the runs part here, at call {number}", "здесь прогоны расходятся, вызов {number}"
    ),
    # --- comparison.js
    "comparison.title": Phrase("Comparison", "Сравнение"),
    "comparison.before": Phrase("before", "было"),
    "comparison.after": Phrase("after", "стало"),
    "comparison.before_of": Phrase("Before: {label}", "Было: {label}"),
    "comparison.after_of": Phrase("After: {label}", "Стало: {label}"),
    "comparison.runs": Phrase("Both runs", "Оба прогона"),
    "comparison.run": Phrase("run", "прогон"),
    "comparison.date": Phrase("date", "дата"),
    "comparison.commit": Phrase("commit", "коммит"),
    "comparison.cases": Phrase("cases", "случаи"),
    "comparison.trials": Phrase("trials", "попытки"),
    "comparison.passed": Phrase("passed", "пройдено"),
    "comparison.failed": Phrase("failed", "не пройдено"),
    "comparison.errors": Phrase("errors", "ошибки"),
    "comparison.measure": Phrase("measure, tool or tag", "показатель или срез"),
    "comparison.measure_passed": Phrase("passed", "пройдено"),
    "comparison.measure_f1": Phrase("F1", "F1"),
    "comparison.difference": Phrase("difference", "разница"),
    "comparison.points": Phrase("{points} points", "{points} п. п."),
    "comparison.range": Phrase("{low} to {high}", "от {low} до {high}"),
    "comparison.interval": Phrase("95% interval {interval}", "95%-й интервал {interval}"),
    "comparison.interval_name": Phrase("95% interval", "95%-й интервал"),
    "comparison.p_value": Phrase("p", "p"),
    "comparison.verdict": Phrase("verdict", "вывод"),
    "comparison.alarms": Phrase("To note", "Обратите внимание"),
    "comparison.settings": Phrase("Changed settings", "Изменённые настройки"),
    "comparison.differences": Phrase(
        "Other measures, tools and tags that changed",
        "Другие показатели и срезы, которые изменились",
    ),
    "comparison.slice_tool": Phrase("tool", "инструмент"),
    "comparison.slice_tag": Phrase("tag", "тег"),
    "comparison.same_calls": Phrase(
        "Both runs made the same calls.", "Вызовы обоих прогонов одинаковы."
    ),
    "comparison.no_case": Phrase(
        "This run does not have the case.", "В этом прогоне нет этого случая."
    ),
    # --- the page: web/static
    "page.accept": Phrase("Accept as expected", "Принять как ожидаемый"),
    "page.accept_nothing": Phrase("Nothing to write", "Записывать нечего"),
    "page.accept_preview": Phrase(
        "These lines of the file change. Nothing is written yet.",
        "Изменятся эти строки файла. Пока ничего не записано.",
    ),
    "page.accept_write": Phrase("Write to the file", "Записать в файл"),
    "page.accept_written": Phrase("Written to the file", "Записано в файл"),
    "page.accept_next": Phrase(
        "This run stays as it was scored. The next run uses the new expected calls.",
        "Этот прогон оценён по прежнему эталону. Следующий прогон возьмёт новый.",
    ),
    "page.all_evaluations": Phrase(
        "Show all {count} evaluations", "Показать все проверки ({count})"
    ),
    "page.bad_answer": Phrase(
        "The server sent an answer that cannot be read. Reload the page.",
        "Ответ сервера не удалось прочитать. Перезагрузите страницу.",
    ),
    "page.bad_options": Phrase(
        'The options of the rule for "{pattern}" are not a JSON object.',
        "Параметры правила для «{pattern}» — не объект JSON.",
    ),
    "page.bad_status": Phrase(
        "The server answered with status {status}.", "Код ответа сервера: {status}."
    ),
    "page.baseline": Phrase("baseline", "базовый прогон"),
    "page.busy": Phrase("Working …", "Подождите …"),
    "page.by_command": Phrase("by callscore {command}", "командой callscore {command}"),
    "page.cancel": Phrase("Cancel", "Отмена"),
    "page.cancel_confirm": Phrase("Stop the run", "Остановить прогон"),
    "page.cancel_meaning": Phrase(
        "The run ends as after Ctrl-C. Its results so far stay in the history, and"
        " 'callscore run --resume' continues it.",
        "Прогон завершится как по Ctrl-C. Полученные результаты останутся в истории;"
        " 'callscore run --resume' продолжит прогон.",
    ),
    "page.cancel_question": Phrase("Stop this run?", "Остановить этот прогон?"),
    "page.cancel_requested": Phrase("Stopping …", "Останавливается …"),
    "page.cancel_run": Phrase("Stop …", "Остановить …"),
    "page.case": Plural(("case", "cases"), ("случай", "случая", "случаев")),
    "page.case_about": Phrase(
        "One case in all runs, the newest first", "Один случай во всех прогонах, сначала новые"
    ),
    "page.case_in_run": Phrase("In the run", "В прогоне"),
    "page.case_in_runs": Phrase("This case in all runs", "Этот случай во всех прогонах"),
    "page.case_nowhere": Phrase("No run has this case.", "Такого случая нет ни в одном прогоне."),
    "page.case_title": Phrase("Case", "Случай"),
    "page.cases": Phrase("Cases", "Случаи"),
    "page.cases_and_trials": Phrase("{cases}, {trials}", "{cases}, {trials}"),
    "page.change": Phrase("Change", "Изменение"),
    "page.change_down": Phrase("worse", "хуже"),
    "page.change_none": Phrase("nothing to compare with", "сравнить не с чем"),
    "page.change_other_cases": Phrase("other number of cases", "другое число случаев"),
    "page.change_outside": Phrase("outside the interval before", "вне прежнего интервала"),
    "page.change_same": Phrase("unchanged", "без изменений"),
    "page.change_up": Phrase("better", "лучше"),
    "page.close": Phrase("Close", "Закрыть"),
    "page.commit": Phrase("Commit", "Коммит"),
    "page.compare": Phrase("Compare", "Сравнить"),
    "page.compare_count": Phrase(
        "Pick two to {most} runs to compare them.",
        "Для сравнения выберите от двух до {most} прогонов.",
    ),
    "page.compare_many": Phrase("{runs} compared", "Сравнение: {runs}"),
    "page.compare_pair": Phrase("{before} and {after}", "{before} и {after}"),
    "page.compare_with": Phrase("Compare with …", "Сравнить с …"),
    "page.compare_with_none": Phrase(
        "The history has no other run.", "Других прогонов в истории нет."
    ),
    "page.compare_with_title": Phrase("Compare with which run?", "С каким прогоном сравнить?"),
    "page.compared_with": Phrase("compared with", "в сравнении с"),
    "page.connection_lost": Phrase(
        "The connection to the server is lost. Trying again …",
        "Нет связи с сервером. Повторное подключение …",
    ),
    "page.count_errors": Phrase("errors", "с ошибкой"),
    "page.count_failed": Phrase("failed", "не пройдено"),
    "page.count_passed": Phrase("passed", "пройдено"),
    "page.count_undecided": Phrase("no score", "без оценки"),
    "page.dirty": Phrase("+ changes", "+ правки"),
    "page.dirty_meaning": Phrase(
        "The files differed from the commit.", "Файлы отличались от коммита."
    ),
    "page.done": Phrase("{done} done", "готово: {done}"),
    "page.done_of": Phrase("{done} of {total}", "{done} из {total}"),
    "page.effect": Phrase("Effect", "Действие"),
    "page.elapsed": Phrase("for {time}", "идёт {time}"),
    "page.elapsed_and_left": Phrase(
        "for {time}, about {left} left", "идёт {time}, осталось около {left}"
    ),
    "page.empty": Phrase("No runs yet", "Прогонов пока нет"),
    "page.empty_init": Phrase("Create an example evaluation.", "Создать пример проверки."),
    "page.empty_next": Phrase(
        "Type one of these commands in the project:", "Выполните в проекте одну из команд:"
    ),
    "page.empty_run": Phrase("Run the evaluations of the project.", "Запустить проверки проекта."),
    "page.empty_score": Phrase(
        "Score a file of cases or traces, and save it as a run.",
        "Оценить файл со случаями или трассами и сохранить как прогон.",
    ),
    "page.empty_updates": Phrase(
        "The run then appears here by itself.", "Прогон появится здесь сам."
    ),
    "page.errors": Plural(("error", "errors"), ("ошибка", "ошибки", "ошибок")),
    "page.evaluation": Phrase("Evaluation", "Проверка"),
    "page.evaluations": Phrase("Evaluations", "Проверки"),
    "page.expectation_changed": Phrase(
        "The expected calls differ from those of the run before.",
        "Ожидаемые вызовы отличаются от прежнего прогона.",
    ),
    "page.fault": Phrase("This page could not be shown", "Не удалось показать страницу"),
    "page.file_change": Phrase("Lines of the file", "Строки файла"),
    "page.home": Phrase("All runs", "Все прогоны"),
    "page.home_about": Phrase("Saved runs and evaluations", "Сохранённые прогоны и проверки"),
    "page.in_run": Phrase("Open in the run", "Открыть в прогоне"),
    "page.interval_meaning": Phrase("95% interval", "95%-й интервал"),
    "page.language": Phrase("Language", "Язык"),
    "page.line_added": Phrase("added:", "добавлено:"),
    "page.line_removed": Phrase("removed:", "удалено:"),
    "page.loading": Phrase("Loading …", "Загрузка …"),
    "page.loading_long": Phrase(
        "Loading … Many cases take some seconds when they are opened for the first time.",
        "Загрузка … Когда случаев много, первое открытие занимает несколько секунд.",
    ),
    "page.matrix": Phrase(
        "Outcomes of the cases in each run", "Результаты случаев в каждом прогоне"
    ),
    "page.matrix_all_evaluations": Phrase("All evaluations", "Все проверки"),
    "page.matrix_count": Phrase("{shown} of {cases}", "{shown} из {cases}"),
    "page.matrix_differing": Phrase("Only cases that differ", "Только случаи с расхождениями"),
    "page.matrix_none": Phrase("No case matches.", "Подходящих случаев нет."),
    "page.matrix_passed": Phrase("{passed} of {all} ({share})", "{passed} из {all} ({share})"),
    "page.matrix_same": Phrase(
        "All cases have the same outcome in these runs.",
        "Во всех этих прогонах результаты случаев одинаковы.",
    ),
    "page.matrix_search": Phrase("Filter cases by name", "Найти случаи по имени"),
    "page.mean_f1": Phrase("Mean F1", "Средний F1"),
    "page.mean_score": Phrase("mean score", "средняя оценка"),
    "page.more_evaluations": Plural(
        ("more evaluation", "more evaluations"), ("проверка ещё", "проверки ещё", "проверок ещё")
    ),
    "page.more_lines": Plural(
        ("more line", "more lines"), ("строка ещё", "строки ещё", "строк ещё")
    ),
    "page.newest": Phrase("Newest results", "Последние результаты"),
    "page.newest_none": Phrase("No results yet.", "Результатов пока нет."),
    "page.no_answer": Phrase(
        "The server of this page does not respond. Start 'callscore view' again, and reload the page.",
        "Сервер этой страницы не отвечает. Снова запустите 'callscore view' и перезагрузите страницу.",
    ),
    "page.no_evaluations": Phrase("no results", "нет результатов"),
    "page.no_results": Phrase(
        "This run has no result of the case.", "В этом прогоне нет результата случая."
    ),
    "page.not_in_run": Phrase("not in this run", "нет в этом прогоне"),
    "page.not_in_trend": Plural(
        (
            "run is not in the trend: it is partial, unfinished or scored again",
            "runs are not in the trend: they are partial, unfinished or scored again",
        ),
        (
            "прогон не входит в график: он неполный, незавершённый или оценён повторно",
            "прогона не входят в график: они неполные, незавершённые или оценены повторно",
            "прогонов не входят в график: они неполные, незавершённые или оценены повторно",
        ),
    ),
    "page.note_add": Phrase("Add note", "Добавить комментарий"),
    "page.note_delete": Phrase("Delete", "Удалить"),
    "page.note_delete_question": Phrase("Delete this note?", "Удалить комментарий?"),
    "page.note_hint": Phrase(
        "Note on this case, for all its runs", "Комментарий к случаю, для всех прогонов"
    ),
    "page.notes": Phrase("Notes", "Комментарии"),
    "page.notes_counted": Phrase("Notes ({count})", "Комментарии ({count})"),
    "page.of_cases": Plural(("case", "cases"), ("случая", "случаев", "случаев")),
    "page.of_runs": Plural(("run", "runs"), ("прогона", "прогонов", "прогонов")),
    "page.of_trials": Plural(("trial", "trials"), ("попытки", "попыток", "попыток")),
    "page.older_left_out": Plural(
        ("older run is not listed", "older runs are not listed"),
        (
            "более старый прогон не показан",
            "более старых прогона не показаны",
            "более старых прогонов не показаны",
        ),
    ),
    "page.older_runs": Phrase("Show older runs", "Показать более старые прогоны"),
    "page.one_per_line": Phrase("one per line", "по одному в строке"),
    "page.outcome_label": Phrase("{run}, {date}: {outcome}", "{run}, {date}: {outcome}"),
    "page.outcomes": Phrase("Over time", "По времени"),
    "page.outcomes_text": Phrase("Passed in {passed} of {runs}", "Пройден в {passed} из {runs}"),
    "page.partial": Phrase("only some of its cases", "только часть случаев"),
    "page.passed": Phrase("Passed", "Пройдено"),
    "page.pattern": Phrase("Pattern", "Шаблон"),
    "page.pattern_add": Phrase("Add a pattern", "Добавить шаблон"),
    "page.pattern_remove": Phrase("Remove this pattern", "Убрать шаблон"),
    "page.pick": Phrase("Pick {run} for a comparison", "Выбрать {run} для сравнения"),
    "page.pick_clear": Phrase("Clear", "Сбросить"),
    "page.pick_column": Phrase("Pick", "Выбор"),
    "page.pick_hint": Phrase("Pick two or more runs", "Выберите два прогона или больше"),
    "page.pick_most": Phrase(
        "{count} runs picked, the most", "Выбрано {count} прогонов, больше нельзя"
    ),
    "page.pick_one_more": Phrase("Pick one more run", "Выберите ещё один прогон"),
    "page.preset": Phrase("Preset", "Пресет"),
    "page.preset_none": Phrase("as in the run", "как в прогоне"),
    "page.preview": Phrase("Preview", "Предпросмотр"),
    "page.preview_discard": Phrase("Discard", "Не сохранять"),
    "page.preview_save": Phrase("Save as a run", "Сохранить как прогон"),
    "page.preview_title": Phrase("What would change", "Что изменится"),
    "page.preview_unsaved": Phrase("Nothing is saved yet.", "Пока ничего не сохранено."),
    "page.progress": Phrase("Progress", "Ход прогона"),
    "page.rescore": Phrase("Score again …", "Оценить снова …"),
    "page.rescore_about": Phrase(
        "The saved answers are scored with other settings. No agent is run.",
        "Сохранённые ответы оцениваются с другими настройками. Агент не запускается.",
    ),
    "page.rescore_leave": Phrase("Back to the run", "Назад к прогону"),
    "page.rescore_title": Phrase("Score again: {run}", "Оценить снова: {run}"),
    "page.rescored": Phrase("scores again the answers of", "повторная оценка ответов прогона"),
    "page.rescored_from": Phrase("answers of {run}", "ответы прогона {run}"),
    "page.rescoring": Phrase("Scoring …", "Идёт оценка …"),
    "page.retry": Phrase("Try again", "Повторить"),
    "page.rule": Phrase("Rule", "Правило"),
    "page.rule_options": Phrase(
        'Options, such as {"similarity": 0.85}', 'Параметры, например {"similarity": 0.85}'
    ),
    "page.run": Phrase("Run", "Прогон"),
    "page.running": Phrase("In progress", "Выполняются"),
    "page.runs": Phrase("Runs", "Прогоны"),
    "page.runs_counted": Plural(("run", "runs"), ("прогон", "прогона", "прогонов")),
    "page.runs_picked": Plural(
        ("run picked", "runs picked"), ("прогон выбран", "прогона выбрано", "прогонов выбрано")
    ),
    "page.score_value": Phrase("score {score}", "оценка {score}"),
    "page.search": Phrase("Search", "Поиск"),
    "page.search_empty": Phrase(
        "Type a part of the name of a run, an evaluation or a case.",
        "Введите часть имени прогона, проверки или случая.",
    ),
    "page.search_for": Phrase("Results for", "Результаты по запросу"),
    "page.search_found": Phrase(
        "Found: runs: {runs}, evaluations: {evaluations}, cases: {cases}",
        "Найдено: прогоны: {runs}, проверки: {evaluations}, случаи: {cases}",
    ),
    "page.search_hint": Phrase(
        "Search runs, evaluations and cases", "Поиск прогонов, проверок и случаев"
    ),
    "page.search_more": Phrase(
        "There are more results. Type more to narrow them down.",
        "Показаны не все результаты. Уточните запрос.",
    ),
    "page.search_none": Phrase("Nothing found.", "Ничего не найдено."),
    "page.setting_mixed": Phrase(
        "differs between the evaluations of the run",
        "в проверках прогона разные значения (расхождение)",
    ),
    "page.setting_undo": Phrase("Undo", "Вернуть"),
    "page.settings_reset": Phrase("Undo all changes", "Вернуть всё"),
    "page.skip": Phrase("Skip to the content", "Перейти к содержимому"),
    "page.started": Phrase("Started", "Начало"),
    "page.status": Phrase("Status", "Состояние"),
    "page.status_abandoned": Phrase("abandoned", "брошен"),
    "page.status_finished": Phrase("finished", "завершён"),
    "page.status_interrupted": Phrase("interrupted", "прерван"),
    "page.status_running": Phrase("in progress", "выполняется"),
    "page.store": Phrase("History:", "История:"),
    "page.swap": Phrase("Swap", "Поменять местами"),
    "page.to_home": Phrase("To all runs", "Ко всем прогонам"),
    "page.trail": Phrase("Where you are", "Где вы находитесь"),
    "page.trend": Phrase("Passed cases over time", "Пройденные случаи по времени"),
    "page.trend_meaning": Phrase(
        "The band is the 95% interval of each run. Choose a point to open its run.",
        "Полоса — 95%-й интервал каждого прогона. Точка открывает свой прогон.",
    ),
    "page.trend_none": Phrase(
        "No complete run has answers of its own yet.",
        "Пока нет полных прогонов с собственными ответами.",
    ),
    "page.trial": Plural(("trial", "trials"), ("попытка", "попытки", "попыток")),
    "page.trial_number": Phrase("trial {trial}", "попытка {trial}"),
    "page.trials": Phrase("Trials", "Попытки"),
    "page.trials_passed": Phrase("{passed} of {trials} passed", "пройдено {passed} из {trials}"),
    "page.unknown": Phrase("There is no such page", "Такой страницы нет"),
    "page.unreadable": Plural(
        ("unreadable record", "unreadable records"),
        ("нечитаемая запись", "нечитаемые записи", "нечитаемых записей"),
    ),
    "page.version": Phrase("callscore {version}", "callscore {version}"),
    "page.window_title": Phrase("{name} · callscore", "{name} · callscore"),
}


def words_in(lang: Language) -> dict[str, str | tuple[str, ...]]:
    """All words in one language: texts, and the forms of counted nouns."""
    return {key: (words.ru if lang == "ru" else words.en) for key, words in WORDS.items()}

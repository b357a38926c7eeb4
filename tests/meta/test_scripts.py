"""The scripts and styles of the HTML report and of the page keep the rules that nothing else checks.

`make scripts` checks their types and lints them. Here is what belongs together with Python: the
words, the linking of the modules into one file, and what must not be in them whatever a linter says.
"""

from __future__ import annotations

import hashlib
import re
from collections import Counter
from graphlib import TopologicalSorter
from pathlib import Path
from typing import TYPE_CHECKING

import msgspec
import pytest

from callscore.core.phrases import Phrase, Plural
from callscore.reports.html import linking
from callscore.reports.html.catalogue import WORDS

if TYPE_CHECKING:
    from collections.abc import Iterator

ROOT = Path(__file__).parents[2]
REPORT = ROOT / "src/callscore/reports/html/static"
PAGE = ROOT / "src/callscore/web/static"
VENDOR = REPORT / "vendor"
LARGEST_REPORT = 155_000  # bytes of code and styles

REPORT_SCRIPTS = sorted(REPORT.glob("*.js"))
PAGE_SCRIPTS = sorted(PAGE.glob("*.js"))
SCRIPTS = [*REPORT_SCRIPTS, *PAGE_SCRIPTS]
STYLES = sorted([*REPORT.glob("*.css"), *PAGE.glob("*.css")])
# What they put first runs when the document is loaded; no other module does anything when it is.
ENTRIES = {"report.js", "page.js"}

COMMENT = re.compile(r"/\*.*?\*/|(?<![:\"'`\\])//[^\n]*", re.DOTALL)
IMPORT = re.compile(r'^import \{([^}]*)\} from "([^"]+)";$', re.MULTILINE)
DECLARED = re.compile(r"^(export )?(?:async )?(?:function\*?|const|let|class) (\w+)", re.MULTILINE)
DESTRUCTURED = re.compile(r"^(?:export )?(?:const|let) [\[{]", re.MULTILINE)
CALLED = re.compile(r"\b(t|plural)\(\s*(\"[^\"]*\"|`[^`]*`)\s*(,\s*\{)?")
LITERAL = re.compile(r"\"([a-z_]+\.[a-z0-9_]+)\"|`([a-z_]+\.[^`]*\$\{[^`]*)`")
NAME = re.compile(r"\{(\w+)\}")
# Text that comes from a trace must not become markup or code.
SINKS = re.compile(
    r"innerHTML|outerHTML|insertAdjacentHTML|dangerouslySetInnerHTML|createContextualFragment"
    r"|document\.write|DOMParser|srcdoc|\beval\(|new Function\b|javascript:|\bon[a-z]+=[\"']"
)


def _code(script: Path) -> str:
    """A script without its comments; the lines stay where they are."""
    text = script.read_text(encoding="utf-8")
    return COMMENT.sub(lambda found: "\n" * found[0].count("\n"), text)


def _matching(template: str) -> set[str]:
    """The keys that a template such as `filters.status_${name}` can give."""
    parts = re.split(r"\$\{[^}]*\}", template)
    pattern = re.compile(r"[a-z0-9_]+".join(map(re.escape, parts)))
    return {key for key in WORDS if pattern.fullmatch(key)}


def _values(code: str, start: int) -> set[str]:
    """The names of an object literal, whose first character after the brace is at `start`."""
    names, depth, item = set(), 0, ""
    for character in code[start:]:
        depth += (character in "({[") - (character in ")}]")
        if depth < 0 or (depth == 0 and character == ","):
            names.add(item.partition(":")[0].strip().strip('"'))
            item = ""
            if depth < 0:
                break
        else:
            item += character
    return names - {""}


def _requests() -> Iterator[tuple[str, str, str, set[str] | None]]:
    """Where a script asks for words: where, with which function, for which keys, with which values.

    The values are None if they are not an object literal.
    """
    for script in SCRIPTS:
        code = _code(script)
        for found in CALLED.finditer(code):
            line = code.count("\n", 0, found.start()) + 1
            key = found[2][1:-1]
            after = code[found.end() :].lstrip()
            values: set[str] | None = set() if after.startswith(")") else None
            if found[3]:
                values = _values(code, found.end())
            yield f"{script.name}:{line}", found[1], key, values


def test_there_are_scripts_and_styles() -> None:
    assert {"report.js", "words.js", "data.js"} <= {script.name for script in REPORT_SCRIPTS}
    assert "page.js" in {script.name for script in PAGE_SCRIPTS}
    assert {"base.css", "page.css"} <= {style.name for style in STYLES}


def test_every_text_that_is_asked_for_is_in_the_catalogue() -> None:
    faults = []
    for where, function, key, _ in _requests():
        kind = Phrase if function == "t" else Plural
        found = _matching(key) if "${" in key else {key} & WORDS.keys()
        if not any(isinstance(WORDS[name], kind) for name in found):
            faults.append(f"{where}: {function}() finds no {key} in the catalogue")

    assert faults == []


def test_a_text_is_given_the_values_that_it_shows() -> None:
    faults = []
    for where, function, key, values in _requests():
        words = WORDS.get(key)
        if function == "t" and isinstance(words, Phrase) and values is not None:
            shown = set(NAME.findall(words.en))
            if shown != values:
                faults.append(f"{where}: {key} shows {sorted(shown)}, given {sorted(values)}")

    assert faults == []


def test_every_text_of_the_catalogue_is_used() -> None:
    used: set[str] = set()
    for script in SCRIPTS:
        for literal, template in LITERAL.findall(_code(script)):
            used |= {literal} if literal else _matching(template)
    in_python = "".join(
        module.read_text(encoding="utf-8")
        for folder in ("reports", "web")
        for module in (ROOT / "src/callscore" / folder).rglob("*.py")
        if module.name != "catalogue.py"
    )

    unused = {key for key in WORDS if key not in used and f'"{key}"' not in in_python}

    assert unused == set()


def test_both_languages_have_every_text_with_the_same_values() -> None:
    faults = []
    for key, words in WORDS.items():
        texts = [words.en, words.ru] if isinstance(words, Phrase) else [*words.en, *words.ru]
        if not all(text.strip() for text in texts):
            faults.append(f"{key}: empty")
        if len({frozenset(NAME.findall(text)) for text in texts}) > 1:
            faults.append(f"{key}: other values in Russian than in English")
        if isinstance(words, Plural) and any(NAME.search(text) for text in texts):
            faults.append(f"{key}: the number comes before the noun by itself")

    assert faults == []


def _whole(words: str | tuple[str, ...]) -> str:
    return words if isinstance(words, str) else " ".join(words)


def test_the_russian_text_is_russian() -> None:
    names = re.compile(r"\{\w+\}|\b(callscore|JSON|Precision|Recall|F1|Micro)\b")
    untranslated = {
        key
        for key, words in WORDS.items()
        if re.search(r"[A-Za-z]{2}", names.sub("", _whole(words.en)))
        and not re.search(r"[а-яё]", _whole(words.ru), re.IGNORECASE)
    }

    assert untranslated == set()


def test_no_script_turns_text_into_markup_or_code() -> None:
    faults = [
        f"{script.name}: {found[0]}"
        for script in SCRIPTS
        for found in SINKS.finditer(_code(script))
    ]

    assert faults == []


def test_nothing_names_an_address_outside() -> None:
    faults = []
    for file in [*SCRIPTS, *STYLES]:
        code = _code(file).replace("http://www.w3.org/2000/svg", "")
        faults += [
            f"{file.name}: {found}" for found in re.findall(r"https?://\S*|url\((?!#)[^)]*", code)
        ]
        faults += [f"{file.name}: @import" for _ in re.findall(r"@import", code)]

    assert faults == []


def test_modules_import_names_from_relative_paths_only() -> None:
    faults = []
    for script in SCRIPTS:
        code = _code(script)
        linked = {found.start() for found in IMPORT.finditer(code)}
        faults += [
            f"{script.name}: {code[found.start() :].splitlines()[0]}"
            for found in re.finditer(r"^import\b", code, re.MULTILINE)
            if found.start() not in linked
        ]
        faults += [f"{script.name}: import()" for _ in re.findall(r"\bimport\s*\(", code)]
        for found in IMPORT.finditer(code):
            path = found[2]
            starts = "./" if script in REPORT_SCRIPTS else ("./", "/static/report/")
            if not path.startswith(starts):
                faults.append(f"{script.name}: from {path}")
            if " as " in found[1]:
                faults.append(f"{script.name}: a name of {path} is renamed")
        after = DECLARED.search(code)
        if after and any(found.start() > after.start() for found in IMPORT.finditer(code)):
            faults.append(f"{script.name}: an import below code")

    assert faults == []


def test_modules_export_functions_constants_and_classes_only() -> None:
    faults = [
        f"{script.name}: {line}"
        for script in SCRIPTS
        for line in re.findall(r"^export\b.*", _code(script), re.MULTILINE)
        if not re.match(r"export (async )?(function\*?|const|class) \w+", line)
    ]

    assert faults == []


def test_a_name_that_a_script_imports_is_exported_by_the_other_module() -> None:
    exported = {
        script: {name for is_exported, name in DECLARED.findall(_code(script)) if is_exported}
        for script in SCRIPTS
    }
    vendored = re.findall(r"export function (\w+)", (VENDOR / "preact-htm.d.ts").read_text())
    exported[VENDOR / "preact-htm.js"] = set(vendored)
    faults = []
    for script in SCRIPTS:
        for names, path in IMPORT.findall(_code(script)):
            home = _target(script, path)
            if home not in exported:
                faults.append(f"{script.name}: {path} does not exist")
                continue
            wanted = {name.strip() for name in names.split(",")} - {""}
            faults += [f"{script.name}: {path} has no {name}" for name in wanted - exported[home]]

    assert faults == []


def _target(script: Path, path: str) -> Path:
    if path.startswith("/static/report/"):
        return REPORT / path.removeprefix("/static/report/")
    return (script.parent / path).resolve()


def test_no_modules_import_one_another_in_a_circle() -> None:
    graph = {
        script: {_target(script, path) for _, path in IMPORT.findall(_code(script))}
        for script in SCRIPTS
    }

    TopologicalSorter(graph).prepare()  # raises CycleError


def test_the_names_of_the_report_are_unique_over_all_its_modules() -> None:
    """They share one scope in the one-file report."""
    names = Counter(
        name for script in REPORT_SCRIPTS for _, name in DECLARED.findall(_code(script))
    )

    assert {name for name, count in names.items() if count > 1} == set()
    assert [s.name for s in REPORT_SCRIPTS if DESTRUCTURED.search(_code(s))] == []


def test_no_name_of_the_report_hides_what_another_module_takes_from_the_browser() -> None:
    """In the one-file report, a module sees the names of all others."""
    browser = {
        *("document", "window", "location", "history", "navigator", "performance", "console"),
        *("Array", "BigInt", "Blob", "Boolean", "Date", "Error", "Intl", "JSON", "Map", "Math"),
        *("Number", "Object", "Promise", "Proxy", "RegExp", "Response", "Set", "String", "Symbol"),
        *("URL", "URLSearchParams", "Element", "Event", "HTMLElement", "Node", "fetch", "atob"),
        *("globalThis", "matchMedia", "setTimeout", "clearTimeout", "requestAnimationFrame"),
        *("addEventListener", "removeEventListener", "isNaN", "parseInt", "parseFloat"),
        *("encodeURIComponent", "decodeURIComponent", "print", "scroll", "scrollTo", "screen"),
    }
    names = {name for script in REPORT_SCRIPTS for _, name in DECLARED.findall(_code(script))}

    assert names & browser == set()


def test_only_the_entry_does_something_when_it_is_loaded() -> None:
    fine = re.compile(r"(import|export|const|let|function|async function|class)\b|[ })\]/*]|$")
    faults = [
        f"{script.name}: {line}"
        for script in SCRIPTS
        if script.name not in ENTRIES
        for line in _code(script).splitlines()
        if not fine.match(line)
    ]

    assert faults == []


def test_the_report_carries_little_code() -> None:
    size = len(linking.link_modules().encode()) + len(linking.link_styles().encode())

    assert size <= LARGEST_REPORT


def test_the_report_carries_every_module_and_style() -> None:
    linked = linking.link_modules()
    styles = {style.name for style in STYLES if style.parent == REPORT}

    left_out = [
        f"{script.name}: {name}"
        for script in REPORT_SCRIPTS
        for _, name in DECLARED.findall(_code(script))
        if not re.search(rf"\b{name}\b", linked)
    ]

    assert left_out == []
    assert styles == set(linking.STYLES)


def test_the_vendored_library_is_the_one_that_its_readme_names() -> None:
    readme = (VENDOR / "README.md").read_text(encoding="utf-8")
    named = re.findall(r"`(\S+)` \| `([0-9a-f]{64})`", readme)

    found = [
        (name, hashlib.sha256((VENDOR / name).read_bytes()).hexdigest())
        for name in ("preact-htm.js",)
    ]

    assert named == found


def test_the_vendored_library_comes_with_its_licences() -> None:
    preact = (VENDOR / "LICENSE-preact.txt").read_text(encoding="utf-8")
    htm = (VENDOR / "LICENSE-htm.txt").read_text(encoding="utf-8")

    assert "MIT License" in preact
    assert "Apache License" in htm


@pytest.mark.parametrize("style", STYLES, ids=lambda style: style.name)
def test_no_line_of_a_style_is_a_workflow_command(style: Path) -> None:
    """A build server runs lines that begin so, if a report is printed to its log."""
    lines = style.read_text(encoding="utf-8").splitlines()

    assert [line for line in lines if line.lstrip().startswith("::")] == []


def test_every_custom_property_is_defined() -> None:
    styles = "".join(_code(style) for style in STYLES)
    scripts = "".join(_code(script) for script in SCRIPTS)
    defined = set(re.findall(r"(--[a-z0-9-]+)\s*:", styles)) | set(
        re.findall(r"[\"'](--[a-z0-9-]+)[\"']", scripts)
    )

    used = set(re.findall(r"var\((--[a-z0-9-]+)", styles + scripts))

    assert used - defined == set()


def test_the_lock_file_of_the_checkers_names_no_host() -> None:
    """What is installed is fixed by its checksum, and comes from the registry that is configured."""
    lock = msgspec.json.decode((ROOT / "tools/javascript/package-lock.json").read_bytes())
    packages = {name: found for name, found in lock["packages"].items() if name}

    assert packages
    assert [name for name, found in packages.items() if "resolved" in found] == []
    assert [name for name, found in packages.items() if "integrity" not in found] == []

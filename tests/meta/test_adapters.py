"""What all adapters have in common: one function, a page, an environment, and a test inside the library."""

from __future__ import annotations

import importlib
import re
import subprocess
import sys
from pathlib import Path

import pytest

from callscore.errors import MissingExtra

ROOT = Path(__file__).parents[2]
SOURCES = {
    path.stem: path.read_text(encoding="utf-8")
    for path in sorted((ROOT / "src/callscore/adapters").glob("*.py"))
    if path.stem not in ("__init__", "scored")
}
# What to install for those that need a package, as their errors name it.
PACKAGES = {
    adapter: found[1]
    for adapter, text in SOURCES.items()
    if (found := re.search(r'MissingExtra\([^)]*package="([^"]+)"', text))
}
PIN = re.compile(r"^([\w.-]+)(?:\[[\w,-]+\])?(?:==|@)(\S+)", re.MULTILINE)
IMPORTS = re.compile(r"^ *try:\n(.*?)^ *except ImportError", re.MULTILINE | re.DOTALL)


def _page(adapter: str) -> str:
    path = ROOT / f"docs/stacks/{adapter.replace('_', '-')}.md"
    return " ".join(path.read_text(encoding="utf-8").split())


def _pins(adapter: str) -> dict[str, str]:
    files = (ROOT / "requirements/stacks").glob(f"{adapter}.*txt")
    return dict(PIN.findall("\n".join(path.read_text(encoding="utf-8") for path in files)))


def test_there_are_adapters() -> None:
    assert {"inspect_ai", "mlflow"} <= set(SOURCES)
    assert {"inspect_ai", "mlflow"} <= set(PACKAGES)


@pytest.mark.parametrize("adapter", SOURCES)
def test_an_adapter_has_a_test_inside_its_library_and_one_without(adapter: str) -> None:
    assert (ROOT / f"tests/stacks/test_{adapter}.py").is_file()
    assert (ROOT / f"tests/adapters/test_{adapter}.py").is_file()


@pytest.mark.parametrize("adapter", SOURCES)
def test_an_adapter_has_a_page_with_the_tested_version_and_an_example(adapter: str) -> None:
    page, pins = _page(adapter), _pins(adapter)
    named = {
        name: re.findall(rf"\b{re.escape(name)} (\d[\w.]*\w)", page.partition("Tested with")[2])
        for name in pins
    }

    assert any(named.values())
    assert all(set(versions) <= {pins[name]} for name, versions in named.items()), named
    assert f"callscore.adapters.{adapter}" in page
    assert "```text output" in page


@pytest.mark.parametrize("adapter", SOURCES)
def test_an_adapter_offers_one_function_with_the_same_options(adapter: str) -> None:
    text = SOURCES[adapter]
    signature = re.search(r"^def tool_calls\((.*?)\) ->", text, re.MULTILINE | re.DOTALL)
    options = (
        *("*,", 'name: str = "tool_calls"', "expected_key: str | None = None"),
        "**options: Unpack[AdapterOptions]",
    )

    assert '"tool_calls"' in text.partition("__all__")[2].partition("]")[0]
    assert signature is not None
    given = signature[1].replace("_NAME", '"tool_calls"')
    assert [option for option in options if option not in given] == []


@pytest.mark.parametrize("adapter", PACKAGES)
def test_without_its_library_an_adapter_says_what_to_install(
    adapter: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    package, name = PACKAGES[adapter], f"callscore.adapters.{adapter}"
    imports = "".join(IMPORTS.findall(SOURCES[adapter]))
    for library in re.findall(r"^ +(?:from|import) (\w+)", imports, re.MULTILINE):
        monkeypatch.setitem(sys.modules, library, None)
    monkeypatch.delitem(sys.modules, name, raising=False)

    with pytest.raises(MissingExtra, match=re.escape(f"needs {package}: pip install {package}")):
        importlib.import_module(name)

    assert f"pip install callscore {package}" in _page(adapter)


def test_importing_callscore_imports_no_adapter() -> None:
    shown = "[name for name in sys.modules if name.startswith('callscore.adapters')]"

    ran = subprocess.run(
        [sys.executable, "-c", f"import callscore, sys; print({shown})"],
        capture_output=True,
        text=True,
        check=True,
    )

    assert ran.stdout.strip() == "[]"

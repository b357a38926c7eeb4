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
ADAPTERS = sorted(
    path.stem
    for path in (ROOT / "src/callscore/adapters").glob("*.py")
    if path.stem not in ("__init__", "scored")
)
# A pip requirement as files pin it: `langfuse==5.0.4`.
PIN = re.compile(r"^([\w.-]+)(?:\[[\w,-]+\])?==(\S+)$", re.MULTILINE)


def _page(adapter: str) -> Path:
    return ROOT / f"docs/stacks/{adapter.replace('_', '-')}.md"


def _pins(adapter: str) -> dict[str, str]:
    files = (ROOT / "requirements/stacks").glob(f"{adapter}.*txt")
    return dict(PIN.findall("\n".join(path.read_text(encoding="utf-8") for path in files)))


def test_there_are_adapters() -> None:
    assert {"inspect_ai", "mlflow"} <= set(ADAPTERS)


@pytest.mark.parametrize("adapter", ADAPTERS)
def test_an_adapter_has_a_page_an_environment_and_a_test(adapter: str) -> None:
    assert _page(adapter).is_file()
    assert (ROOT / f"tests/stacks/test_{adapter}.py").is_file()
    assert (ROOT / f"tests/adapters/test_{adapter}.py").is_file()
    assert _pins(adapter)


@pytest.mark.parametrize("adapter", ADAPTERS)
def test_a_page_names_the_versions_that_are_tested(adapter: str) -> None:
    page = " ".join(_page(adapter).read_text(encoding="utf-8").split())

    missing = [
        f"{name} {version}"
        for name, version in _pins(adapter).items()
        if f"{name} {version}" not in page
    ]

    assert not missing


@pytest.mark.parametrize("adapter", ADAPTERS)
def test_a_page_says_what_to_install_and_runs_the_adapter(adapter: str) -> None:
    page = _page(adapter).read_text(encoding="utf-8")

    assert "pip install callscore" in page
    assert f"from callscore.adapters.{adapter} import" in page
    assert "```text output" in page


@pytest.mark.parametrize("adapter", ADAPTERS)
def test_without_its_library_an_adapter_says_what_to_install(
    adapter: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    text = (ROOT / f"src/callscore/adapters/{adapter}.py").read_text(encoding="utf-8")
    packages = re.findall(r'MissingExtra\([^)]*package="([\w-]+)"', text)
    imports = "".join(
        re.findall(r"^ *try:\n(.*?)^ *except ImportError", text, re.MULTILINE | re.DOTALL)
    )
    for library in re.findall(r"^ +(?:from|import) (\w+)", imports, re.MULTILINE):
        monkeypatch.setitem(sys.modules, library, None)
    monkeypatch.delitem(sys.modules, f"callscore.adapters.{adapter}", raising=False)
    if not packages:
        pytest.skip("it needs no library")

    with pytest.raises(MissingExtra, match=f"needs {packages[0]}: pip install {packages[0]}$"):
        importlib.import_module(f"callscore.adapters.{adapter}")

    assert f"pip install callscore {packages[0]}" in _page(adapter).read_text(encoding="utf-8")


@pytest.mark.parametrize("adapter", ADAPTERS)
def test_an_adapter_offers_one_function_with_the_same_options(adapter: str) -> None:
    text = (ROOT / f"src/callscore/adapters/{adapter}.py").read_text(encoding="utf-8")
    signature = re.search(r"^def tool_calls\((.*?)\) ->", text, re.MULTILINE | re.DOTALL)

    assert '"tool_calls"' in text.partition("__all__")[2].partition("]")[0]
    assert signature is not None
    for option in (
        "*,",
        "name: str",
        "expected_key: str | None",
        "**options: Unpack[AdapterOptions]",
    ):
        assert option in signature[1], option


def test_importing_callscore_imports_no_adapter() -> None:
    ran = subprocess.run(
        [
            sys.executable,
            "-c",
            "import callscore, sys; print([n for n in sys.modules if n.startswith('callscore.adapters')])",
        ],
        capture_output=True,
        text=True,
        check=True,
    )

    assert ran.stdout.strip() == "[]"

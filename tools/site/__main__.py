"""Build the documentation site, in English and in Russian, and check it.

    python -m tools.site                      # into `site`
    python -m tools.site --output /tmp/site --url https://example.org/callscore/

It runs in an environment that has `requirements/site.txt`, and exits with 1 on a warning or a broken link.
"""

from __future__ import annotations

import argparse
import re
import shutil
import subprocess
import sys
import tempfile
import time
import tomllib
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from typing import TYPE_CHECKING, Any

from tools.site.links import faults
from tools.site.navigation import navigation
from tools.site.pages import ENGLISH, LANGUAGES, RUSSIAN, BrokenPage, site_pages, staged
from tools.site.reference import API, api_page

if TYPE_CHECKING:
    from collections.abc import Sequence

    from tools.site.navigation import Entry
    from tools.site.pages import Site

__all__ = ["main", "stage"]

_REPOSITORY = Path(__file__).resolve().parents[2]
_HERE = Path(__file__).resolve().parent
_TOGGLES = {
    ENGLISH: ("Switch to dark mode", "Switch to light mode"),
    RUSSIAN: ("Тёмная тема", "Светлая тема"),
}
_DESCRIPTION = "Сравнивает вызовы инструментов, сделанные агентом, с ожидаемыми."
_COLOR = re.compile(r"\x1b\[[\d;]*m")
_NAMES = {ENGLISH: "English", RUSSIAN: "Русский"}


def main(arguments: Sequence[str] | None = None) -> int:
    """Build and check the site; the exit code."""
    parser = argparse.ArgumentParser(
        prog="python -m tools.site", description="Build the documentation site, and check it."
    )
    parser.add_argument(
        "--output", type=Path, default=_REPOSITORY / "site", help="Folder of the site."
    )
    parser.add_argument("--url", default="", help="Where the site will be: for its sitemap.")
    options = parser.parse_args(arguments)
    begin = time.monotonic()
    with tempfile.TemporaryDirectory(prefix="callscore-site-") as folder:
        built = Path(folder, "site")
        try:
            with ThreadPoolExecutor() as pool:
                sites = pool.map(
                    lambda language: _build(Path(folder, language), language, url=options.url),
                    LANGUAGES,
                )
            english, russian = sites
        except BrokenPage as error:
            print(error, file=sys.stderr)
            return 1
        shutil.move(english, built)
        shutil.move(russian, built / RUSSIAN)
        found = faults(built)
        if found:
            print("\n".join(found), file=sys.stderr)
            print(f"{len(found)} broken links", file=sys.stderr)
            return 1
        pages = len(list(built.rglob("*.html")))
        shutil.rmtree(options.output, ignore_errors=True)
        shutil.move(built, options.output)
    print(
        f"{options.output}: {pages} pages in {time.monotonic() - begin:.1f} s, all links lead somewhere"
    )
    return 0


def _build(work: Path, language: str, *, url: str) -> Path:
    """Build the site of one language; the folder that it is in."""
    configuration = stage(_REPOSITORY, work, language, url=url)
    ran = subprocess.run(
        [sys.executable, "-m", "zensical", "build", "--strict", "--config-file", configuration],
        cwd=work,
        stdout=subprocess.PIPE,
        stderr=subprocess.STDOUT,
        encoding="utf-8",
        check=False,
    )
    if ran.returncode or "warning" in ran.stdout.lower():
        output = _COLOR.sub("", ran.stdout).partition("Traceback (most recent")[0]
        raise BrokenPage(f"the {_NAMES[language]} site was not built:\n{output or ran.stdout}")
    return work / "site"


def stage(root: Path, work: Path, language: str, *, url: str = "") -> Path:
    """Put everything from which the site of a language is built into a folder.

    Returns:
        The configuration file.
    """
    site = site_pages(root, language)
    docs = work / "docs"
    shutil.copytree(_HERE / "static", docs)
    shutil.copytree(_HERE / "theme", work / "theme")
    files: dict[str, str] = {}
    for page in site.pages.values():
        text, shown = staged(site, page)
        files |= shown
        _write(docs / page.place, text)
    _write(docs / API, api_page(root, language))
    for place, source in files.items():
        (docs / place).parent.mkdir(parents=True, exist_ok=True)
        shutil.copyfile(root / source, docs / place)
    configuration = work / "zensical.toml"
    _write(configuration, _toml(_configuration(site, url=url)))
    return configuration


def _write(path: Path, text: str) -> None:
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text(text, encoding="utf-8")


def _configuration(site: Site, *, url: str) -> dict[str, Any]:
    project = tomllib.loads((_HERE / "zensical.toml").read_text(encoding="utf-8"))["project"]
    is_russian = site.language == RUSSIAN
    project["nav"] = _nav(navigation(site, api=API))
    project["docs_dir"] = "docs"
    project["site_dir"] = "site"
    project["theme"] |= {"custom_dir": "theme", "language": site.language}
    for palette, name in zip(project["theme"]["palette"], _TOGGLES[site.language], strict=True):
        palette["toggle"]["name"] = name
    project["extra"] = {
        "generator": False,
        "alternate": [
            {"name": _NAMES[language], "lang": language, "link": _start(site.language, language)}
            for language in LANGUAGES
        ],
    }
    project["plugins"]["mkdocstrings"]["handlers"]["python"]["paths"] = [str(site.root / "src")]
    if is_russian:
        project["site_description"] = _DESCRIPTION
    if url:
        project["site_url"] = url.rstrip("/") + ("/ru/" if is_russian else "/")
    return {"project": project}


def _start(here: str, language: str) -> str:
    """The start of a language, seen from the start of another."""
    if here == language:
        return "./"
    return "ru/" if language == RUSSIAN else "../"


def _nav(entries: list[Entry]) -> list[dict[str, Any]]:
    return [{entry.title: entry.place or _nav(entry.entries)} for entry in entries]


def _toml(value: object, *, is_top: bool = True) -> str:
    """A value in TOML; tables are written inline, except the outermost."""
    if isinstance(value, dict):
        pairs = [f"{_toml(str(key))} = {_toml(each, is_top=False)}" for key, each in value.items()]
        return "\n".join(pairs) + "\n" if is_top else "{ " + ", ".join(pairs) + " }"
    if isinstance(value, list):
        return "[" + ", ".join(_toml(each, is_top=False) for each in value) + "]"
    if isinstance(value, str):
        escaped = value.replace("\\", "\\\\").replace('"', '\\"').replace("\n", "\\n")
        return f'"{escaped}"'
    return str(value).lower()


if __name__ == "__main__":
    sys.exit(main())

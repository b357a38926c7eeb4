"""Plugins: the modules in a package of callscore, and the modules that other packages offer.

Built-in plugins are the modules of one package of callscore, named by their files. Other packages
offer theirs with entry points:

    [project.entry-points."callscore.formats"]
    smoke_signals = "my_package.smoke_signals"

The caller checks whether a module has what its kind of plugin needs.
"""

from __future__ import annotations

import os
import sys
from collections.abc import Iterator
from contextlib import suppress
from importlib import import_module
from pathlib import Path
from typing import TYPE_CHECKING, Any, NamedTuple

if TYPE_CHECKING:
    from callscore.errors import CallscoreError


class Plugin(NamedTuple):
    """One plugin of any kind.

    Attributes:
        name: its file name, or the name of its entry point.
        module: its module; an entry point of another package may be anything.
        label: its name in messages: `the dialect smoke_signals (my_package.smoke_signals)`.
    """

    name: str
    module: Any
    label: str


class PluginKind(NamedTuple):
    """One kind of plugins.

    Attributes:
        noun: the name of the kind in messages.
        package: the package whose modules are the built-in plugins.
        group: the group of entry points for plugins of other packages.
        error: raised if a plugin of another package cannot be imported.
        names: the built-in plugins, if not every module of the package is one.
    """

    noun: str
    package: str
    group: str
    error: type[CallscoreError]
    names: tuple[str, ...] | None = None

    def built_in(self) -> Iterator[Plugin]:
        """The built-in plugins, each imported only when the iteration reaches it."""
        names = self.names
        if names is None:
            from pkgutil import iter_modules  # slow to import, and rarely needed

            path = import_module(self.package).__path__
            names = tuple(found.name for found in iter_modules(path))
        yield from map(self.built_in_named, names)

    def built_in_named(self, name: str) -> Plugin:
        """One built-in plugin, without importing the others."""
        module = import_module(f"{self.package}.{name}")
        return Plugin(name, module, f"the {self.noun} {name} ({module.__name__})")

    def from_packages(self) -> Iterator[Plugin]:
        """The plugins of other packages, each imported only when the iteration reaches it.

        Raises:
            CallscoreError: of the type `error`, if one of them cannot be imported.
        """
        if not _may_be_offered(self.group):
            return
        from importlib.metadata import entry_points

        for point in entry_points(group=self.group):
            label = f"the {self.noun} {point.name} ({point.value})"
            try:
                module = point.load()
            except Exception as error:  # other packages may raise anything
                raise self.error(f"{label} cannot be imported: {error}.") from error
            yield Plugin(point.name, module, label)

    def all(self) -> Iterator[Plugin]:
        """The built-in plugins, then those of other packages."""
        yield from self.built_in()
        yield from self.from_packages()


def _may_be_offered(group: str) -> bool:
    """Whether an installed package may have entry points of a group.

    Most installations have none, and importing `importlib.metadata` takes ten times as long as looking.
    """
    from importlib.machinery import PathFinder

    others = [finder for finder in sys.meta_path if finder is not PathFinder]
    if "importlib.metadata" in sys.modules or any(
        hasattr(finder, "find_distributions") for finder in others
    ):
        return True
    return any(_names_group(folder, group.encode()) for folder in sys.path)


def _names_group(folder: str, group: bytes) -> bool:
    """Whether the metadata of a package in a folder of modules name a group of entry points."""
    try:
        names = os.listdir(folder or ".")  # noqa: PTH208  (a path for each name would take longer)
    except NotADirectoryError:  # an archive
        return True
    except OSError:
        return False
    for name in names:
        if name.lower().endswith((".dist-info", "egg-info")):
            with suppress(OSError):  # most packages have none
                if group in Path(folder, name, "entry_points.txt").read_bytes():
                    return True
    return False

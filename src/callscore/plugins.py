"""Plugins: the modules in a package of callscore, and the modules that other packages offer.

Built-in plugins are the modules of one package of callscore, named by their files. Other packages
offer theirs with entry points:

    [project.entry-points."callscore.formats"]
    smoke_signals = "my_package.smoke_signals"

The caller checks whether a module has what its kind of plugin needs.
"""

from __future__ import annotations

from importlib import import_module
from typing import TYPE_CHECKING, Any, NamedTuple

if TYPE_CHECKING:
    from collections.abc import Iterator

    from callscore.errors import CallscoreError

__all__ = ["PluginKind"]


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
        from importlib.metadata import entry_points  # it takes longer to import than most plugins

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

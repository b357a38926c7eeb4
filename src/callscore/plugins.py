"""Plugins: the modules in a package of callscore, and the modules that other packages offer.

A kind of plugin is found in two places: built-in plugins are the modules of one package of
callscore, by their file names; other packages offer theirs with entry points:

    [project.entry-points."callscore.formats"]
    smoke_signals = "my_package.smoke_signals"

What a module needs to be a plugin of its kind is checked by the caller.
"""

from __future__ import annotations

from importlib import import_module
from typing import TYPE_CHECKING, Any, NamedTuple

if TYPE_CHECKING:
    from collections.abc import Iterator

    from callscore.errors import CallscoreError

__all__ = ["Plugin", "PluginKind"]


class Plugin(NamedTuple):
    """One plugin of whatever kind.

    Attributes:
        name: its file name, or the name of its entry point.
        module: its module; an entry point of another package may give anything.
        label: what to call it in messages: `the dialect smoke_signals (my_package.smoke_signals)`.
    """

    name: str
    module: Any
    label: str


class PluginKind(NamedTuple):
    """One kind of plugins.

    Attributes:
        noun: what to call one in messages.
        package: the package whose modules are the built-in ones.
        group: the group of entry points in which other packages offer theirs.
        error: what is raised where one of another package cannot be imported.
        names: the built-in ones, where not every module of the package is one.
    """

    noun: str
    package: str
    group: str
    error: type[CallscoreError]
    names: tuple[str, ...] | None = None

    def built_in(self) -> Iterator[Plugin]:
        """The built-in plugins, each imported when it is reached."""
        names = self.names
        if names is None:
            from pkgutil import iter_modules  # slow to import, and rarely needed

            path = import_module(self.package).__path__
            names = tuple(found.name for found in iter_modules(path))
        yield from map(self.built_in_named, names)

    def built_in_named(self, name: str) -> Plugin:
        """One built-in plugin; no other is imported."""
        module = import_module(f"{self.package}.{name}")
        return Plugin(name, module, f"the {self.noun} {name} ({module.__name__})")

    def from_packages(self) -> Iterator[Plugin]:
        """The plugins that other packages offer, each imported when it is reached.

        Raises:
            CallscoreError: as `error` says; one of them cannot be imported.
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
        """The built-in plugins, then those that other packages offer."""
        yield from self.built_in()
        yield from self.from_packages()

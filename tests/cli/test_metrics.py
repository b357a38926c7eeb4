"""The list of other tools' metrics, and a page about one of them."""

from __future__ import annotations

from io import StringIO
from typing import TYPE_CHECKING, Any

import pytest
from rich.console import Console

from callscore.cli.metrics import (
    metric_list,
    metric_page,
)
from callscore.metrics import registry
from callscore.metrics.metric import MetricProvider
from callscore.metrics.registry import metric_named

if TYPE_CHECKING:
    from collections.abc import Callable

PLAIN = Console(file=StringIO(), width=100)


def brought(monkeypatch: pytest.MonkeyPatch, module: str) -> None:
    """A metric that another package brings."""

    def share(
        *_: Any, of: str, half: bool = False, weigh: Callable[[], int] | None = None
    ) -> float:
        """A share of all."""
        raise NotImplementedError

    share.__module__ = module
    peer = MetricProvider("acme", "Acme", "2", {"share": share})
    monkeypatch.setattr(registry, "metric_providers", lambda: (peer,))
    monkeypatch.setattr("callscore.cli.metrics.metric_providers", lambda: (peer,))


@pytest.mark.parametrize(
    ("module", "source", "call"),
    [
        ("acme.metrics", "from acme import metrics", "metrics.share("),
        ("acme", "import acme", "acme.share("),
    ],
)
def test_a_metric_of_another_package_is_imported_from_there(
    monkeypatch: pytest.MonkeyPatch, module: str, source: str, call: str
) -> None:
    brought(monkeypatch, module)

    text = metric_page("acme.share", PLAIN)

    assert f'In Python\n    {source}\n\n    {call}expected, actual, of="word")\n' in text
    assert "    of: text  [required]\n    half: true | false  [default: false]\n" in text
    assert (
        "On the command line\n    callscore score cases.jsonl --metric acme.share:of=word\n" in text
    )
    assert "acme.share of=... half=false\n" in metric_list(PLAIN)


EVERY = [
    f"{peer.name}.{name}"
    for peer in (*registry.metric_providers(), registry.provider_named("tau_bench"))
    for name in peer.metrics | peer.others
]


@pytest.mark.parametrize("name", EVERY)
def test_every_command_on_a_page_can_be_given(name: str) -> None:
    commands = [line for line in metric_page(name, PLAIN).splitlines() if " --metric " in line]
    defaults = metric_named(commands[0].split()[-1]).options if commands else {}

    for command in commands:
        options = metric_named(command.split()[-1]).options
        assert command is commands[0] or options != defaults


def test_control_characters_in_the_metrics_of_another_package_are_escaped(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    def share(*_: Any) -> float:
        raise NotImplementedError

    share.__doc__ = "A \x1b[31mshare.\n\nMore \x07of it."
    peer = MetricProvider("acme", "Ac\x1b[31mme", "2\a", {"share": share})
    monkeypatch.setattr(registry, "metric_providers", lambda: (peer,))
    monkeypatch.setattr("callscore.cli.metrics.metric_providers", lambda: (peer,))

    for text in (
        metric_list(PLAIN),
        metric_page("acme", PLAIN),
        metric_page("acme.share", PLAIN),
    ):
        assert "Ac\\u001b[31mme 2\\u0007\n" in text
        assert "A \\u001b[31mshare." in text
        assert text.replace("\n", "").isprintable()

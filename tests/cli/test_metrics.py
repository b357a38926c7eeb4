"""The list of other tools' metrics, and a page about one of them."""

from __future__ import annotations

from inspect import cleandoc
from io import StringIO
from typing import TYPE_CHECKING, Any, Literal

import pytest
from rich.console import Console

from callscore.cli.metrics import (
    command_examples,
    metric_list,
    metric_page,
    option_text,
    python_examples,
    wrapped_docstring,
    wrapped_text,
)
from callscore.errors import InvalidSettings
from callscore.metrics import registry
from callscore.metrics.metric import MetricProvider
from callscore.metrics.registry import find_metric_function, metric_named
from callscore.parity import TOOLS

if TYPE_CHECKING:
    from collections.abc import Callable

PLAIN = Console(file=StringIO(), width=100)


def coloured(width: int = 80) -> Console:
    return Console(file=StringIO(), width=width, force_terminal=True, color_system="truecolor")


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


def test_every_metric_is_listed_below_its_tool_with_what_it_can_be_told() -> None:
    text = metric_list(PLAIN)

    assert text.startswith("callscore, for comparison\n  callscore.f1\n      The F1 of")
    assert "\n\nRagas 0.4.3\n  ragas.tool_call_accuracy strict_order=true\n      The mean" in text
    for peer in registry.metric_providers():
        assert f"\n{peer.title} {peer.version}\n" in text
        assert all(f"\n  {peer.name}.{name}" in text for name in peer.metrics)


@pytest.mark.parametrize("width", [60, 100, 300])
def test_no_line_of_the_list_is_too_long_to_read(width: int) -> None:
    console = Console(file=StringIO(), width=width, force_terminal=True, no_color=True)

    assert max(map(len, metric_list(console).splitlines())) <= min(width, 100)


def test_in_a_terminal_the_tools_stand_out() -> None:
    assert "\x1b[1mRagas 0.4.3\x1b[0m\n" in metric_list(coloured())
    assert "ragas.tool_call_accuracy\x1b[2m strict_order=true\x1b[0m\n" in metric_list(coloured())
    assert "\x1b" not in metric_list(PLAIN)


PAGE = """\
Options
    strict_order: true | false  [default: true]

Options that exist in Python only
    arg_comparison_metric

On the command line
    callscore score cases.jsonl --metric ragas.tool_call_accuracy
    callscore score cases.jsonl --metric ragas.tool_call_accuracy:strict_order=false

In Python
    from callscore.parity import ragas

    ragas.tool_call_accuracy(expected, actual, strict_order=False)
"""


def test_a_page_says_everything_about_one_metric() -> None:
    text = metric_page("ragas.tool_call_accuracy", PLAIN)

    assert text.startswith("Ragas 0.4.3\nragas.tool_call_accuracy\n\nThe mean share of right arg")
    assert "\nDefects:\n" in text
    assert text.endswith(f"\n\n{PAGE}")


def test_the_options_that_a_metric_is_asked_with_do_not_change_its_page() -> None:
    named = "ragas.tool_call_accuracy:strict_order=false"

    assert metric_page(named, PLAIN) == metric_page("ragas.tool_call_accuracy", PLAIN)


def test_words_stand_in_quotes_in_python() -> None:
    text = metric_page("strands.exact", PLAIN)

    assert "--metric strands.exact:items=calls\n" in text
    assert text.endswith('strands.exact(expected, actual, items="calls")\n')


def test_a_metric_without_options_has_none_on_its_page() -> None:
    text = metric_page("ragas.tool_call_f1", PLAIN)

    assert "Options" not in text
    assert text.endswith("    ragas.tool_call_f1(expected, actual)\n")


def test_callscore_itself_is_asked_as_always() -> None:
    assert metric_page("callscore.f1", PLAIN).endswith(
        "In Python\n    import callscore\n\n    callscore.score(expected, actual).f1\n"
    )


def test_a_metric_that_there_is_not_has_no_page() -> None:
    with pytest.raises(InvalidSettings, match="Did you mean 'ragas'"):
        metric_page("raggas.tool_call_f1", PLAIN)


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


def test_a_metric_may_have_nothing_to_say_of_itself(monkeypatch: pytest.MonkeyPatch) -> None:
    peer = MetricProvider("acme", "Acme", "2", {"share": lambda *_: 1.0})
    monkeypatch.setattr(registry, "metric_providers", lambda: (peer,))

    assert metric_page("acme.share", PLAIN).startswith(
        "Acme 2\nacme.share\n\nOn the command line\n"
    )


def test_a_page_about_a_tool_lists_what_it_has() -> None:
    text = metric_page("ragas", PLAIN)

    assert text.startswith("Ragas 0.4.3\n  ragas.tool_call_accuracy strict_order=true\n      The")
    assert "\n\nCalled from Python\n  ragas.exact_match\n      1.0 for the same text" in text
    assert text.endswith("\n\nFor details: callscore metrics ragas.tool_call_accuracy\n")
    assert "Called from Python" not in metric_page("deepeval", PLAIN)


def test_a_tool_may_have_no_number_of_a_single_case() -> None:
    text = metric_page("tau_bench", PLAIN)

    assert text.startswith(
        "tau-bench 59a200c\n\nIt has no metric of a single case, so there is nothing for --metric"
    )
    assert "\n  tau_bench.pass_hat_k\n" in text


def test_what_is_called_from_python_has_a_page_too() -> None:
    text = metric_page("mcpjam.evaluate_tool_calls", PLAIN)

    assert text.startswith("MCPJam 1.14.0\nmcpjam.evaluate_tool_calls\n\nHow the calls")
    assert (
        "It does not return one number per case, so it is called from Python only.\n\nIn Python\n"
        in text
    )
    assert text.endswith("    mcpjam.evaluate_tool_calls(expected, actual)\n")
    assert "--metric" not in text


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


@pytest.mark.parametrize("width", [50, 80])
@pytest.mark.parametrize("name", [*EVERY, *TOOLS])
def test_pages_keep_to_the_width_of_the_terminal(name: str, width: int) -> None:
    console = Console(file=StringIO(), width=width, force_terminal=True, no_color=True)

    lines = metric_page(name, console).splitlines()

    # What is to be copied stays whole.
    text = [line for line in lines if "--metric" not in line and "(" not in line]
    assert max(map(len, text)) <= width


def test_less_is_better_of_some() -> None:
    text = metric_page("tool_scorer.redundant_rate", PLAIN)

    assert "\n\nLower is better.\n\n" in text
    assert metric_list(PLAIN).count("Lower is better.") == 2
    assert "inverse: true | false; lower is better if it is true  [default: false]" in (
        metric_page("promptfoo.tool_call_f1_passes", PLAIN)
    )


def test_what_another_package_says_of_itself_is_made_safe(monkeypatch: pytest.MonkeyPatch) -> None:
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


# How a function of another tool is asked.


def _with(kind: Any, default: Any, name: str = "it") -> Any:
    def metric(expected: Any, actual: Any, **_: Any) -> float:
        raise NotImplementedError

    from inspect import Parameter, Signature

    given = {} if default is ... else {"default": default}
    parameters = [
        Parameter("expected", Parameter.POSITIONAL_OR_KEYWORD),
        Parameter("actual", Parameter.POSITIONAL_OR_KEYWORD),
        Parameter(name, Parameter.KEYWORD_ONLY, annotation=kind, **given),
    ]
    metric.__signature__ = Signature(parameters)  # type: ignore[attr-defined]  # what inspect reads
    return metric


@pytest.mark.parametrize(
    ("kind", "default", "value"),
    [
        (bool, True, "false"),
        (bool, False, "true"),
        (int, 1, "2"),
        (int | None, None, "1"),
        (float, 1.0, "0.5"),
        (float, 0.5, "0.25"),
        (Literal["a", "b"], "a", "b"),
        (Literal["a"] | float, "a", "0.5"),
        (str, "word", "get_weather"),
        (Literal["a"], "a", "a"),
    ],
)
def test_an_example_tells_a_metric_something_that_is_not_the_default(
    kind: Any, default: Any, value: str
) -> None:
    plain, told = command_examples("x.y", _with(kind, default))

    assert plain == "callscore score cases.jsonl --metric x.y"
    assert told == f"{plain}:it={value}"


@pytest.mark.parametrize(
    ("name", "kind", "value"),
    [("tool_name", str, "get_weather"), ("text", str, "word"), ("least", int, "1")],
)
def test_what_must_be_told_is_told(name: str, kind: Any, value: str) -> None:
    (told,) = command_examples("x.y", _with(kind, ..., name))

    assert told.endswith(f" --metric x.y:{name}={value}")


def test_without_options_there_is_one_command() -> None:
    _, function = find_metric_function("ragas.tool_call_f1")

    assert command_examples("ragas.tool_call_f1", function) == [
        "callscore score cases.jsonl --metric ragas.tool_call_f1"
    ]


def test_what_is_no_metric_is_given_what_it_cannot_do_without() -> None:
    peer, function = find_metric_function("tau_bench.pass_hat_k")

    assert python_examples(peer, "pass_hat_k", function) == [
        "from callscore.parity import tau_bench",
        "",
        "tau_bench.pass_hat_k(rewards_by_task, k)",
    ]


@pytest.mark.parametrize(
    ("value", "text"), [("a", "a"), (True, "true"), (None, "null"), (0.5, "0.5")]
)
def test_a_value_is_written_as_the_command_line_has_it(value: Any, text: str) -> None:
    assert option_text(value) == text


# Docstrings for narrow terminals.

TEXT = cleandoc(
    """
    What it is, in one sentence.

    A paragraph that goes on for two lines, because
    it has that much to say.

    Args:
        first: one thing, of which there is more to
            be said.
        second: another, in a line of its own.

    Defects:
        It is not wrapped: that is one of them, and the
        lines of it belong together.
    """
)
NARROW = """\
What it is, in one sentence.

A paragraph that goes on for
two lines, because it has that
much to say.

Args:
    first: one thing, of which
        there is more to be
        said.
    second: another, in a line
        of its own.

Defects:
    It is not wrapped: that is
    one of them, and the lines
    of it belong together."""


def test_a_docstring_that_has_room_stays_as_it_is_written() -> None:
    assert wrapped_docstring(TEXT, 60) == TEXT
    assert wrapped_docstring("", 60) == ""


def test_where_there_is_less_room_every_paragraph_is_wrapped_anew() -> None:
    assert wrapped_docstring(TEXT, 30) == NARROW


def test_what_begins_a_line_of_its_own_keeps_it() -> None:
    text = "- one thing that is said of it\n- another thing\n>>> f(1)\nwords"

    assert wrapped_docstring(text, 20) == (
        "- one thing that is\nsaid of it\n- another thing\n>>> f(1) words"
    )


def test_a_word_is_never_broken() -> None:
    assert wrapped_text("a" * 30 + " b", 10, first="  ", others="    ") == f"  {'a' * 30}\n    b"
    assert wrapped_text("aa bbb", 1, others="    ") == "aa\n    bbb"


def test_what_a_terminal_could_obey_is_spelled_out() -> None:
    assert wrapped_docstring("a\x1b[31m\nb", 60) == "a\\u001b[31m\nb"

from __future__ import annotations

import callscore
from callscore import Settings
from callscore.advising.candidates import CHOICES, Candidate, presets, single_changes
from callscore.core.settings import PRESETS, settings_from


def test_every_setting_that_is_a_choice_of_words_is_varied() -> None:
    assert {"mode", "order", "count_calls", "extra_calls", "schema_defaults", "turns"} <= {*CHOICES}
    assert {"pass_mark", "arguments", "top_k", "extra_arguments"}.isdisjoint(CHOICES)


def test_presets_come_in_the_order_of_simplicity() -> None:
    assert [each.preset for each in presets()] == [*PRESETS]
    assert [each.settings(Settings()) for each in presets()] == [
        Settings.preset(name) for name in PRESETS
    ]


def test_options_give_the_same_settings_as_the_candidate() -> None:
    candidate = Candidate(
        "coverage", (("order", "any"),), (("consult", "read"),), ("save.note", "save.by")
    )

    options = candidate.options
    settings = settings_from(
        {name: value for name, value in options.items() if name != "preset"},
        preset=options["preset"],
    )

    assert settings == candidate.settings(Settings())
    assert candidate.complexity == 4
    assert candidate.label == (
        "coverage, order any, consult reads, save.note ignored, save.by ignored"
    )


def test_a_change_to_the_value_of_the_preset_is_none() -> None:
    changed = Candidate("strict").with_change("order", "in_order")

    assert changed.changes == (("order", "in_order"),)
    assert changed.with_change("order", "any") == Candidate("strict")


def test_single_changes_differ_in_one_setting_that_was_not_changed_yet() -> None:
    start = Candidate("outcome", (("order", "in_order"),))

    found = [*single_changes(start)]

    assert all(each.complexity == 2 for each in found)
    assert all(dict(each.changes)["order"] == "in_order" for each in found)
    assert len({each.settings(Settings()) for each in found}) == len(found)


def test_what_is_not_varied_stays_as_the_project_has_it() -> None:
    base = Settings(pass_mark=0.5, strip_prefix=("mcp__",), effects=(("consult", "write"),))

    settings = Candidate("outcome", (), (("look", "read"),), ("a.b",)).settings(base)

    assert (settings.pass_mark, settings.strip_prefix) == (0.5, ("mcp__",))
    assert settings.effects == (("look", "read"), ("consult", "write"))
    assert callscore.score([("a", {"b": 1})], [("a", {"b": 2})], settings=settings).passed


def test_many_tools_and_arguments_are_counted() -> None:
    effects = tuple([(f"t{number}", "read") for number in range(4)])
    candidate = Candidate("strict", (), effects, ("a.b",) * 5)  # type: ignore[arg-type]

    assert candidate.label == "strict, 4 effects, 5 arguments ignored"

"""The settings one by one."""

from __future__ import annotations

from callscore.core.settings import SettingOptions, Settings


def test_there_is_an_option_for_every_setting() -> None:
    assert tuple(SettingOptions.__annotations__) == Settings.__struct_fields__
    assert not SettingOptions.__required_keys__

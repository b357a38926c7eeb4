"""Adds to a session of pytest what its options ask for."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest

from callscore.errors import InvalidSettings
from callscore.testing.summing_up import Session
from callscore.testing.telling import Telling

if TYPE_CHECKING:
    from collections.abc import Mapping

__all__ = ["plug_in"]


def plug_in(config: pytest.Config, judge: Mapping[str, str]) -> None:
    """Add the parts of the plugin that somebody asks for.

    Args:
        config: of the session.
        judge: the judge of the project: its `name`, and perhaps where it is; empty where there is
            none.

    Raises:
        UsageError: an option, or the judge, is not as it can be.
    """
    told = Session()
    is_worker = hasattr(config, "workerinput")
    add = config.pluginmanager.register
    add(Telling(None if is_worker else told), "callscore-telling")
    if config.getoption("callscore_update"):
        from callscore.testing.accepting import Accepting

        add(Accepting(config, told), "callscore-accepting")
    if config.getoption("callscore"):  # what is added last is shown first
        from callscore.testing.evaluating import Evaluating, limits_of
        from callscore.testing.evaluation_items import Asking
        from callscore.testing.session_judges import SessionJudges

        limits = limits_of(config)
        try:
            judges = SessionJudges(judge)
        except InvalidSettings as error:
            raise pytest.UsageError(str(error)) from error
        add(Evaluating(config, told, Asking(limits, judges, [])), "callscore-evaluating")

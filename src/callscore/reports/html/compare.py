"""The report of two compared runs as an HTML file: every case, with both runs against the expectation."""

from __future__ import annotations

from collections import Counter
from contextlib import closing
from typing import TYPE_CHECKING, Any

import msgspec
from msgspec import Struct

from callscore.comparing.case_pairs import PAIR_CHANGES
from callscore.comparing.sides import F1, PASSED
from callscore.core.phrases import Phrase, say
from callscore.core.statistics import wilson
from callscore.hiding.hider import Hider, hide_for_report
from callscore.reports.compare import (
    VERDICTS,
    certainty_texts,
    change_line,
    changed_slices,
    flip_counts,
    measure_name,
    points_with_unit,
)
from callscore.reports.compare_notes import (
    alarm_notes,
    below_notes,
    comparison_notes,
    lost_lists,
    setting_text,
)
from callscore.reports.html.compared_trials import compared_item
from callscore.reports.html.document import (
    Counts,
    Document,
    Headline,
    NextStep,
    Note,
    Verdict,
    confusion_of,
    document_parts,
    interval_of,
    notes_of,
    with_argument,
)
from callscore.reports.html.packing import Packer
from callscore.words.value_text import json_safe, percent, rating

if TYPE_CHECKING:
    from collections.abc import Collection, Iterable, Iterator, Sequence

    from callscore.comparing.case_pairs import CasePair
    from callscore.comparing.changes import ChangeKind
    from callscore.comparing.comparison import Comparison, SideSummary
    from callscore.comparing.differences import Difference
    from callscore.comparing.differences import Verdict as ComparedVerdict
    from callscore.comparing.sides import EvaluationSide
    from callscore.core.phrases import Language
    from callscore.core.summary import Summary
    from callscore.reports.html.compared_trials import PairTrials

__all__ = [
    "ComparedReport",
    "compared_document",
    "evaluation_positions",
    "html_parts",
    "pack_cases",
    "with_counted_calls",
]

"""The note about hidden secrets in an HTML report: which variables hold the values that markers replace."""

from __future__ import annotations

from typing import TYPE_CHECKING

from msgspec.structs import replace

from callscore.hiding.legend import legend, markers_in
from callscore.hiding.markers import OPENING
from callscore.reports.html.document import Note

if TYPE_CHECKING:
    from callscore.core.phrases import Language
    from callscore.reports.html.document import Document

__all__ = ["MarkersSeen"]

_OPENING = OPENING.encode()


class MarkersSeen:
    """The markers in the cases of a report, which are packed one by one."""

    def __init__(self) -> None:
        self._markers: dict[str, None] = {}

    def take(self, view: bytes) -> None:
        """Note the markers in a case, which is JSON."""
        if _OPENING in view:
            self._markers |= dict.fromkeys(markers_in(view.decode()))

    def explained_in(self, document: Document, lang: Language) -> Document:
        """The document with a note on the markers of the report; without any, as it is."""
        texts = [*self._markers, document.title, document.verdict.text, *document.subtitle]
        found = legend("\n".join(texts), lang, write=str)
        return replace(document, notes=(*document.notes, Note(found))) if found else document

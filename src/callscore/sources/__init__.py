"""Reads files of any kind as records."""

from callscore.sources.files import open_bytes
from callscore.sources.reader import Batch, read_batches, read_records
from callscore.sources.record import Array, BadRecord, Entry, Record
from callscore.sources.text_document import Lines

__all__ = [
    "Array",
    "BadRecord",
    "Batch",
    "Entry",
    "Lines",
    "Record",
    "open_bytes",
    "read_batches",
    "read_records",
]

"""Read: how bytes become records, whatever file they come from."""

from callscore.sources.files import open_bytes
from callscore.sources.json_document import Lines
from callscore.sources.reader import read_batches, read_records
from callscore.sources.record import Array, BadRecord, Record

__all__ = ["Array", "BadRecord", "Lines", "Record", "open_bytes", "read_batches", "read_records"]

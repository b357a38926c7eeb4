"""Read: how bytes become records, whatever file they come from."""

from callscore.sources.files import open_bytes
from callscore.sources.jsonl import Lines
from callscore.sources.record import Array, BadRecord, Record
from callscore.sources.records import read_batches, read_records

__all__ = ["Array", "BadRecord", "Lines", "Record", "open_bytes", "read_batches", "read_records"]

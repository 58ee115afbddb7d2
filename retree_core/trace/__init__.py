"""Traces: a run on disk, as its header, every event and every call."""

from retree_core.trace.reader import Damage, Trace, read_trace
from retree_core.trace.records import CallRecord, EventRecord, ForkOrigin, Header, OtherRecord, Record
from retree_core.trace.writer import TraceWriter, save_document

__all__ = [
    "CallRecord",
    "Damage",
    "EventRecord",
    "ForkOrigin",
    "Header",
    "OtherRecord",
    "Record",
    "Trace",
    "TraceWriter",
    "read_trace",
    "save_document",
]

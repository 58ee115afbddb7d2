"""A scripted sample: a question, what the model says to it, and the file that records it."""

from __future__ import annotations

import asyncio
import hashlib
from dataclasses import dataclass
from pathlib import Path

from worlds import SETTINGS, Found, Script, run_scripted

from retree_core.calls import CallFailed, SearchCall, SearchReply
from retree_core.search.backend import SearchBackend, open_search
from retree_core.settings import Settings
from retree_core.trace import Trace

FOLDER = Path(__file__).parents[2] / "sample_runs"
SPEC = "corpus:sample_runs/corpus.jsonl"


@dataclass(frozen=True, kw_only=True)
class Story:
    """A scripted run over the sample corpus. Searches are real, replies are written by hand."""

    name: str
    """Of the file, without `.jsonl`."""
    question: str
    script: Script
    settings: Settings = SETTINGS

    @property
    def path(self) -> Path:
        return FOLDER / f"{self.name}.jsonl"

    def told(self) -> Trace:
        """The run, the same every time."""
        backend = open_search(f"corpus:{FOLDER / 'corpus.jsonl'}")
        loop = asyncio.new_event_loop()
        try:
            return run_scripted(
                self.question,
                self.script,
                lambda call: loop.run_until_complete(_found(backend, call)),
                self.settings,
                run_id=hashlib.sha256(self.name.encode()).hexdigest()[:16],
                search=backend.describe(),
                search_spec=SPEC,
            )
        finally:
            loop.run_until_complete(backend.close())
            loop.close()


async def _found(backend: SearchBackend, call: SearchCall) -> Found:
    reply = (await backend.search(call)).reply
    assert isinstance(reply, SearchReply | CallFailed)
    return reply if isinstance(reply, CallFailed) else reply.hits

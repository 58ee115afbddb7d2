"""A local corpus as a search backend."""

from __future__ import annotations

import asyncio
import sqlite3
import threading
import time
from collections.abc import Mapping
from pathlib import Path
from typing import Any

from retree_core.calls import Answered, CallFailed, Hit, SearchCall, SearchReply
from retree_core.search.corpus_files import corpus_files
from retree_core.search.corpus_index import CorpusIndex, index_of, open_index
from retree_core.search.hits import distinct
from retree_core.search.tokens import query_tokens

FEW = 500
"""Passages that are searched faster than a thread is woken."""


class Corpus:
    """A `SearchBackend` over passages of one's own: BM25, the same hits every time."""

    def __init__(self, index: CorpusIndex, name: str) -> None:
        """`name` is what the trace's header calls the corpus."""
        self._index = index
        self._name = name
        self._lock = threading.Lock()

    async def search(self, call: SearchCall) -> Answered:
        """Return the best distinct passages; none if no word of the query is in the corpus."""
        started = time.monotonic()
        reply: SearchReply | CallFailed
        try:
            few = self._index.passages <= FEW
            reply = SearchReply(hits=self._hits(call) if few else await asyncio.to_thread(self._hits, call))
        except sqlite3.Error as error:
            self._index.forget()
            message = f"the index of corpus {self._name} cannot be read: {error}; start again to have it built anew"
            reply = CallFailed(failure="search_error", message=message)
        return Answered(reply=reply, seconds=time.monotonic() - started)

    def describe(self) -> dict[str, Any]:
        """Return what a trace's header says about this backend: the content hash is a SHA-256 of the files."""
        return {
            "kind": "corpus",
            "name": self._name,
            "passages": self._index.passages,
            "content_hash": self._index.content_hash,
        }

    async def close(self) -> None:
        """Close the index."""
        with self._lock:
            self._index.close()

    def _hits(self, call: SearchCall) -> tuple[Hit, ...]:
        tokens = query_tokens(call.query)
        if not tokens or call.limit < 1:
            return ()
        wanted = call.limit * 4
        while True:
            with self._lock:
                found = self._index.best(tokens, wanted)
            hits = distinct(found, call.limit)
            if len(hits) == call.limit or len(found) < wanted:
                return hits
            wanted *= 8


def open_corpus(path: str, *, env: Mapping[str, str]) -> Corpus:
    """Return the corpus at `path`. Raises `InputError` if it cannot be read as one."""
    place = Path(path).expanduser()
    return Corpus(open_index(corpus_files(place), env), place.resolve().name)


def corpus_of(hits: tuple[Hit, ...], name: str) -> Corpus:
    """A corpus of passages that are in memory already, such as those that come with a question."""
    return Corpus(index_of(hits), name)

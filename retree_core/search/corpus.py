"""A local corpus as a search backend."""

from __future__ import annotations

import asyncio
import logging
import sqlite3
import threading
import time
from collections.abc import Callable, Mapping
from pathlib import Path
from typing import Any

from retree_core.calls import Answered, CallFailed, Hit, SearchCall, SearchReply
from retree_core.errors import InputError
from retree_core.search.corpus_files import corpus_files
from retree_core.search.corpus_index import CorpusIndex, build_index, index_of, open_index
from retree_core.search.hits import distinct
from retree_core.search.tokens import query_tokens

FEW = 500
"""Passages that are searched faster than a thread is woken."""

_LONGEST = 300
"""Characters of a reason: SQLite's own may quote a whole passage."""
_log = logging.getLogger(__name__)


class Corpus:
    """A `SearchBackend` over passages of one's own: BM25, the same hits every time."""

    def __init__(self, index: CorpusIndex, name: str, build: Callable[[], CorpusIndex] | None = None) -> None:
        """`name` is what the trace's header calls the corpus; `build` makes its index anew where it is damaged."""
        self._index = index
        self._name = name
        self._build = build
        self._lock = threading.Lock()

    async def search(self, call: SearchCall) -> Answered:
        """Return the best distinct passages; none if no word of the query is in the corpus."""
        started = time.monotonic()
        reply: SearchReply | CallFailed
        try:
            few = self._index.passages <= FEW
            reply = SearchReply(hits=self._hits(call) if few else await asyncio.to_thread(self._hits, call))
        except (sqlite3.Error, InputError) as error:
            message = f"the index of corpus {self._name} is damaged and cannot be built again: {str(error)[:_LONGEST]}"
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
        with self._lock:
            try:
                return self._best(tokens, call.limit)
            except sqlite3.Error as error:
                self._renew(error)
                return self._best(tokens, call.limit)

    def _best(self, tokens: list[str], limit: int) -> tuple[Hit, ...]:
        wanted = limit * 4
        while True:
            found = self._index.best(tokens, wanted)
            hits = distinct(found, limit)
            if len(hits) == limit or len(found) < wanted:
                return hits
            wanted *= 8

    def _renew(self, error: sqlite3.Error) -> None:
        """Puts an index that is built anew in the place of the damaged one, once.

        Raises the error itself where that is done already, InputError where the corpus is not there as it was.
        """
        build, self._build = self._build, None
        if build is None:
            raise error
        _log.warning("the damaged index of corpus %s is built again", self._name)
        old, new = self._index, build()
        if (new.passages, new.content_hash) != (old.passages, old.content_hash):
            new.close()
            raise InputError("its files are others than at the start of the run; start again to search in them")
        old.close()
        self._index = new


def open_corpus(path: str, *, env: Mapping[str, str]) -> Corpus:
    """Return the corpus at `path`. Raises `InputError` if it cannot be read as one."""
    place = Path(path).expanduser()
    files = corpus_files(place)
    return Corpus(open_index(files, env), place.resolve().name, lambda: build_index(files, env))


def corpus_of(hits: tuple[Hit, ...], name: str) -> Corpus:
    """A corpus of passages that are in memory already, such as those that come with a question."""
    return Corpus(index_of(hits), name)

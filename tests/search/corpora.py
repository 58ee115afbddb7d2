"""Corpora of the tests, and what a search finds in them."""

from __future__ import annotations

import asyncio
import json
from pathlib import Path
from typing import Any

from retree_core.calls import Hit, SearchCall, SearchReply
from retree_core.search import corpus_index
from retree_core.search.corpus import Corpus, open_corpus

BIG = corpus_index.SMALL + 1


def line(title: Any = "t", text: Any = "some text", **more: Any) -> str:
    return json.dumps({"title": title, "text": text, **more}, ensure_ascii=False) + "\n"


def written(tmp_path: Path, *lines: str) -> Path:
    path = tmp_path / "world.jsonl"
    path.write_text("".join(lines), encoding="utf-8")
    return path


def opened(tmp_path: Path, env: dict[str, str], *lines: str) -> Corpus:
    return open_corpus(str(written(tmp_path, *lines)), env=env)


def found(corpus: Corpus, query: str, limit: int = 5) -> tuple[Hit, ...]:
    answered = asyncio.run(corpus.search(SearchCall(query=query, limit=limit)))
    assert isinstance(answered.reply, SearchReply)
    assert answered.reply.raw is None
    return answered.reply.hits


def titles(corpus: Corpus, query: str, limit: int = 5) -> list[str]:
    return [hit.title for hit in found(corpus, query, limit)]


def big(tmp_path: Path, count: int = BIG) -> Path:
    return written(tmp_path, *(line(f"Town {n}", f"Town number {n} lies at the river {n % 7}.") for n in range(count)))

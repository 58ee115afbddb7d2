"""The full-text index of a corpus: SQLite FTS5, in memory while small, else one cached file."""

from __future__ import annotations

import contextlib
import hashlib
import itertools
import logging
import os
import re
import sqlite3
import tempfile
import time
from collections.abc import Iterable, Iterator, Mapping, Sequence
from functools import cache
from pathlib import Path
from typing import TYPE_CHECKING

from retree_core.calls import Hit
from retree_core.errors import InputError, UsageError
from retree_core.search.corpus_files import content_hash, hits_hash, passages
from retree_core.search.tokens import expression, index_text, is_prefix

if TYPE_CHECKING:
    from retree_core.search.postings import Postings

SCHEMA_VERSION = 4
SMALL = 5_000
"""Passages below which the index is rebuilt in memory at every start, and FTS5 ranks by itself."""
_BATCH = 2_000
_ABANDONED_AFTER_S = 86_400.0

TOKENIZE = "porter unicode61 remove_diacritics 2"
_MARK = b"ReTr"
"""SQLite's application id of an index, by which a file in the cache is told to be one."""
_TABLES = f"""
PRAGMA application_id = {int.from_bytes(_MARK, "big")};
CREATE TABLE passage (id INTEGER PRIMARY KEY, title TEXT, text TEXT, url TEXT, published TEXT);
CREATE VIRTUAL TABLE word USING fts5(title, text, content='', tokenize="{TOKENIZE}");
CREATE TABLE about (passages INTEGER, content_hash TEXT);
"""
_FILLING = """
PRAGMA journal_mode = OFF; PRAGMA synchronous = OFF; PRAGMA temp_store = MEMORY;
INSERT INTO word(word, rank) VALUES ('hashsize', 67108864);
"""
"""Nothing else reads the file meanwhile; FTS5 keeps 64 MB of words before it writes them, and has less to merge."""
BEST = "SELECT rowid FROM word WHERE word MATCH ? ORDER BY bm25(word, 2.0, 1.0), rowid LIMIT ?"
_PASSAGE = "SELECT title, text, url, published FROM passage WHERE id = ?"

_log = logging.getLogger(__name__)


class CorpusIndex:
    """Read-only ranked search over passages. Not safe for use by two threads at once."""

    def __init__(self, database: sqlite3.Connection) -> None:
        """Raises sqlite3.Error, TypeError or ValueError where it is no such index."""
        self._database = database
        self.passages, self.content_hash = _about(database)
        self._postings = _postings(database) if self.passages >= SMALL else None

    def best(self, tokens: Sequence[str], limit: int) -> list[Hit]:
        """Return the `limit` best passages for the tokens of a query, by BM25 and then by their order in the corpus.

        Raises sqlite3.Error where the index is damaged.
        """
        return [self._passage(id_) for id_ in self.ranked(tokens, limit)]

    def ranked(self, tokens: Sequence[str], limit: int) -> list[int]:
        """Return the places of the `limit` best passages in the corpus, from 1."""
        if self._postings and not any(map(is_prefix, tokens)):
            found = self._postings.best(tokens, limit)
            if found is not None:
                return found
        return [id_ for (id_,) in self._database.execute(BEST, (expression(tokens), limit))]

    def _passage(self, id_: int) -> Hit:
        row = self._database.execute(_PASSAGE, (id_,)).fetchone()
        if row is None:
            raise sqlite3.DatabaseError(f"passage {id_} is missing")
        title, text, url, date = row
        if not (_is_text(title, text) and all(one is None or _is_text(one) for one in (url, date))):
            raise sqlite3.DatabaseError(f"passage {id_} is damaged")
        return Hit(title=title, text=text, url=url, published=date)

    def close(self) -> None:
        """Close the database."""
        self._database.close()


def open_index(files: tuple[Path, ...], env: Mapping[str, str]) -> CorpusIndex:
    """Return the index of `files`, from the user's cache if it is there, else built now.

    Raises `InputError` for a bad record or an empty corpus, `UsageError` if SQLite lacks FTS5.
    """
    index = _cached(_cache_path(files, env))
    return build_index(files, env) if index is None else index


def build_index(files: tuple[Path, ...], env: Mapping[str, str]) -> CorpusIndex:
    """Return the index of `files`, built now, whatever the cache holds. Raises as `open_index`."""
    cached = _cache_path(files, env)
    records = passages(files)
    first = list(itertools.islice(records, SMALL))
    if not first:
        raise InputError(f"corpus {files[0]} holds no passage; expected JSON Lines of {{title, text, url?}}")
    if len(first) < SMALL:
        return CorpusIndex(filled(":memory:", first, content_hash(files)))
    _log.info("indexing corpus %s, kept for the next time in %s", files[0].name, cached.parent)
    return _build(cached, itertools.chain(first, records), files)


def index_of(hits: tuple[Hit, ...]) -> CorpusIndex:
    """An index of passages that are in memory already; it may be empty."""
    return CorpusIndex(filled(":memory:", hits, hits_hash(hits)))


def _cached(path: Path) -> CorpusIndex | None:
    if not path.is_file():
        return None
    address = f"{path.absolute().as_uri()}?mode=ro&immutable=1"
    database = sqlite3.connect(address, uri=True, check_same_thread=False)
    try:
        return CorpusIndex(database)
    except (sqlite3.Error, TypeError, ValueError):
        _log.warning("damaged index %s is built again", path.name)
        database.close()
        return None


def _build(target: Path, records: Iterator[Hit], files: tuple[Path, ...]) -> CorpusIndex:
    """Build beside `target` and rename, so that two processes can build at once; without a usable cache
    folder the index lives in a temporary file of SQLite's own."""
    if target.is_dir():
        raise InputError(f"{target}: a folder is where the corpus index is kept; remove it or set XDG_CACHE_HOME")
    try:
        target.parent.mkdir(parents=True, exist_ok=True)
        handle, name = tempfile.mkstemp(prefix=f"{target.stem}.building-", dir=target.parent)
        os.close(handle)
    except OSError as error:
        _log.warning("the corpus index is not kept: %s cannot be written (%s)", target.parent, error.strerror)
        return CorpusIndex(filled("", records, content_hash(files)))
    building = Path(name)
    try:
        filled(name, records, content_hash(files)).close()
        building.replace(target)
    except OSError as error:
        raise InputError(f"{target}: cannot be replaced ({error.strerror}); remove it or set XDG_CACHE_HOME") from None
    finally:
        building.unlink(missing_ok=True)
    _remove_older(target)
    index = _cached(target)
    if index is None:
        raise InputError(f"the index {target} cannot be opened; remove it and try again")
    return index


def filled(location: str, records: Iterable[Hit], sha256: str) -> sqlite3.Connection:
    """Return a new index at `location` (":memory:", or "" for a file of SQLite's own). Raises as `open_index`."""
    database = sqlite3.connect(location, check_same_thread=False, isolation_level=None)
    try:
        _empty().backup(database)
        if location != ":memory:":
            database.executescript(_FILLING)
        count = _insert(database, iter(records))
        database.execute("INSERT INTO about VALUES (?, ?)", (count, sha256))
        if count >= SMALL:
            database.execute("INSERT INTO word(word) VALUES ('optimize')")
            _keep_postings(database)
    except sqlite3.OperationalError as error:
        database.close()
        raise _explained(error) from None
    except BaseException:
        database.close()
        raise
    return database


def _about(database: sqlite3.Connection) -> tuple[int, str]:
    passages, sha256 = database.execute("SELECT passages, content_hash FROM about").fetchone()
    if type(passages) is not int or passages < 0 or not _is_text(sha256):
        raise sqlite3.DatabaseError("what it says about itself is damaged")
    return passages, sha256


def _is_text(*values: object) -> bool:
    return all(isinstance(one, str) for one in values)


def _postings(database: sqlite3.Connection) -> Postings:
    from retree_core.search.postings import Postings

    return Postings(database, TOKENIZE)


def _keep_postings(database: sqlite3.Connection) -> None:
    from retree_core.search.posting_lists import keep_postings  # NumPy, which a small corpus can do without

    keep_postings(database, TOKENIZE)


@cache
def _empty() -> sqlite3.Connection:
    """The tables, of which every index takes a copy: a batch makes one for each question."""
    database = sqlite3.connect(":memory:", check_same_thread=False, isolation_level=None)
    database.executescript(_TABLES)
    return database


def _insert(database: sqlite3.Connection, records: Iterator[Hit]) -> int:
    count = 0
    database.execute("BEGIN")
    while batch := list(itertools.islice(records, _BATCH)):
        rows = list(enumerate(batch, start=count + 1))
        database.executemany(
            "INSERT INTO passage VALUES (?, ?, ?, ?, ?)",
            ((row, hit.title, hit.text, hit.url, hit.published) for row, hit in rows),
        )
        database.executemany(
            "INSERT INTO word(rowid, title, text) VALUES (?, ?, ?)",
            ((row, index_text(hit.title), index_text(hit.text)) for row, hit in rows),
        )
        count += len(batch)
    database.execute("COMMIT")
    return count


def _explained(error: sqlite3.OperationalError) -> Exception:
    if "fts5" in str(error):
        return UsageError("this Python's SQLite has no FTS5; use a Python with a complete SQLite, or a web search")
    return InputError(f"the corpus index cannot be written: {error}; free some disk space or set XDG_CACHE_HOME")


def _cache_path(files: tuple[Path, ...], env: Mapping[str, str]) -> Path:
    """Return where the index of these files belongs: a part for their place, a part for their state."""
    base = env.get("XDG_CACHE_HOME", "")
    folder = Path(base) if os.path.isabs(base) else Path(os.path.expanduser("~")) / ".cache"
    places = [str(each.resolve()) for each in files]
    states = [_state(each) for each in files]
    place, state = _short_hash(places[:1]), _short_hash([SCHEMA_VERSION, places, states])
    return folder / "retree" / f"corpus-{place}-{state}.sqlite"


def _state(file: Path) -> tuple[int, int]:
    try:
        found = file.stat()
    except OSError as error:
        raise InputError(f"{file} cannot be read: {error.strerror}") from None
    return found.st_size, found.st_mtime_ns


def _short_hash(value: object) -> str:
    return hashlib.sha256(repr(value).encode("utf-8", "surrogateescape")).hexdigest()[:16]


def _remove_older(current: Path) -> None:
    """Drop indexes of earlier states of the same corpus, and builds that were abandoned a day ago; nothing else."""
    place = current.name.rpartition("-")[0]
    named = re.compile(rf"{place}-[0-9a-f]{{16}}\.(sqlite|building-[a-z0-9_]{{8}})")
    for other in current.parent.glob(f"{place}-*"):
        name = named.fullmatch(other.name)
        if not name or other == current:
            continue
        with contextlib.suppress(OSError):
            abandoned = time.time() - other.lstat().st_mtime > _ABANDONED_AFTER_S
            if (name[1] == "sqlite" or abandoned) and _is_index(other):
                other.unlink()


def _is_index(path: Path) -> bool:
    """Whether a file is an index of ours, or the begin of one."""
    if path.is_symlink() or not path.is_file():
        return False
    with path.open("rb") as file:
        head = file.read(100)
    return head.startswith(b"SQLite format 3\0") and head[68:72] == _MARK

"""The index of a large corpus: kept on disk, used again, mended when damaged."""

from __future__ import annotations

import asyncio
import concurrent.futures
import contextlib
import os
import shutil
import sqlite3
import time
from pathlib import Path
from typing import Any

import pytest
from search.corpora import BIG, big, line, opened, titles

from retree_core.calls import CallFailed, SearchCall
from retree_core.errors import InputError
from retree_core.search.corpus import open_corpus


@pytest.fixture
def env(tmp_path: Path) -> dict[str, str]:
    return {"XDG_CACHE_HOME": str(tmp_path / "cache")}


def test_a_small_corpus_leaves_no_file(tmp_path: Path, env: dict[str, str]) -> None:
    opened(tmp_path, env, line())
    assert not (tmp_path / "cache").exists()


def cached(tmp_path: Path) -> list[Path]:
    return sorted((tmp_path / "cache" / "retree").iterdir())


def test_a_large_corpus_is_indexed_once(tmp_path: Path, env: dict[str, str]) -> None:
    path = big(tmp_path)
    first = open_corpus(str(path), env=env)
    (index,) = cached(tmp_path)
    built = index.stat().st_mtime_ns
    second = open_corpus(str(path), env=env)
    assert index.stat().st_mtime_ns == built
    assert first.describe() == second.describe()
    assert first.describe()["passages"] == BIG
    assert titles(first, "town 4711") == titles(second, "town 4711")
    assert titles(second, "town 4711")[0] == "Town 4711"


def test_a_changed_corpus_is_indexed_anew_and_the_old_index_goes(tmp_path: Path, env: dict[str, str]) -> None:
    path = big(tmp_path)
    before = open_corpus(str(path), env=env)
    (old,) = cached(tmp_path)
    with path.open("a") as file:
        file.write(line("Atlantis", "Sunk."))
    after = open_corpus(str(path), env=env)
    assert titles(after, "atlantis") == ["Atlantis"]
    assert titles(before, "atlantis") == []
    assert titles(before, "town 12")[0] == "Town 12"
    assert len(cached(tmp_path)) == 1
    assert cached(tmp_path) != [old]


def test_a_damaged_index_is_built_again(tmp_path: Path, env: dict[str, str]) -> None:
    path = big(tmp_path)
    asyncio.run(open_corpus(str(path), env=env).close())
    (index,) = cached(tmp_path)
    index.write_bytes(b"no database")
    assert titles(open_corpus(str(path), env=env), "town 12")[0] == "Town 12"
    index.write_bytes(b"")
    assert titles(open_corpus(str(path), env=env), "town 12")[0] == "Town 12"


DAMAGES = [
    "UPDATE passage SET title = x'ff00', text = x'c3'",
    "UPDATE passage SET text = NULL",
    "UPDATE passage SET title = x'05'",
    "UPDATE passage SET url = x'31'",
    "UPDATE passage SET published = x'00'",
    "UPDATE passage SET text = CAST(x'ff80c3' AS TEXT)",
    "DELETE FROM passage",
    "UPDATE posting SET passages = x'00'",
    "UPDATE posting SET passages = 5, counts = 7",
    "UPDATE length SET words = x''",
    "UPDATE length SET words = 12",
    "UPDATE length SET words = zeroblob(4)",
    "UPDATE length SET words = zeroblob(40000)",
    "DELETE FROM length",
    "UPDATE about SET passages = 'many'",
    "UPDATE about SET passages = NULL",
    "UPDATE about SET passages = 1e300",
    "UPDATE about SET passages = -4",
    "UPDATE about SET content_hash = 7",
    "DELETE FROM about",
]


@pytest.fixture(scope="module")
def indexed(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A folder with a large corpus and its index."""
    folder = tmp_path_factory.mktemp("indexed")
    asyncio.run(open_corpus(str(big(folder)), env={"XDG_CACHE_HOME": str(folder / "cache")}).close())
    return folder


def damage(folder: Path, change: str) -> None:
    (index,) = cached(folder)
    with contextlib.closing(sqlite3.connect(index)) as database, database:
        database.execute(change)


@pytest.mark.parametrize("change", DAMAGES)
def test_rows_that_no_index_has_are_built_again_once(indexed: Path, change: str) -> None:
    path, env = str(indexed / "world.jsonl"), {"XDG_CACHE_HOME": str(indexed / "cache")}
    damage(indexed, change)
    first = open_corpus(path, env=env)
    assert titles(first, "town 4711")[0] == "Town 4711"
    (index,) = cached(indexed)
    built = index.stat().st_mtime_ns
    assert titles(open_corpus(path, env=env), "town 4711")[0] == "Town 4711"
    assert index.stat().st_mtime_ns == built
    assert first.describe()["passages"] == BIG


def test_an_index_found_damaged_by_a_search_is_built_again_in_it(tmp_path: Path, env: dict[str, str]) -> None:
    path = big(tmp_path)
    asyncio.run(open_corpus(str(path), env=env).close())
    (index,) = cached(tmp_path)
    whole = index.read_bytes()
    third = len(whole) // 3
    index.write_bytes(whole[:third] + b"\xff" * third + whole[2 * third :])
    assert titles(open_corpus(str(path), env=env), "town 12")[0] == "Town 12"
    assert titles(open_corpus(str(path), env=env), "town 12")[0] == "Town 12"


@pytest.mark.parametrize(
    ("left", "reason"),
    [
        (None, "world.jsonl cannot be read: No such file or directory"),
        ("{}\n", "world.jsonl, line 1, field 'text': missing, expected some text"),
        (line("Other"), "its files are others than at the start of the run; start again to search in them"),
    ],
)
def test_a_damaged_index_of_a_corpus_that_is_gone_is_said(
    tmp_path: Path, env: dict[str, str], left: str | None, reason: str
) -> None:
    path = big(tmp_path)
    asyncio.run(open_corpus(str(path), env=env).close())
    damage(tmp_path, "UPDATE passage SET text = NULL")
    corpus = open_corpus(str(path), env=env)
    path.unlink() if left is None else path.write_text(left)
    for expected in (reason, "is damaged"):
        reply = asyncio.run(corpus.search(SearchCall(query="town 12", limit=5))).reply
        assert isinstance(reply, CallFailed)
        assert reply.message.startswith("the index of corpus world.jsonl is damaged and cannot be built again: ")
        assert reply.message.endswith(expected)


def test_a_folder_in_the_place_of_the_index_is_named(tmp_path: Path, env: dict[str, str]) -> None:
    path = big(tmp_path)
    asyncio.run(open_corpus(str(path), env=env).close())
    (index,) = cached(tmp_path)
    index.unlink()
    index.mkdir()
    with pytest.raises(InputError) as error:
        open_corpus(str(path), env=env)
    assert str(error.value) == (f"{index}: a folder is where the corpus index is kept; remove it or set XDG_CACHE_HOME")
    assert cached(tmp_path) == [index]


def test_only_indexes_are_removed_from_the_cache(tmp_path: Path, env: dict[str, str]) -> None:
    path = big(tmp_path)
    asyncio.run(open_corpus(str(path), env=env).close())
    (index,) = cached(tmp_path)
    place = index.name[: -len("0123456789abcdef.sqlite")]
    named = [f"{place}0123456789abcdef.sqlite", f"{place}0123456789abcdef.building-abcdefgh"]
    others = [f"{place}my-own.sqlite", f"{place}0123456789abcdef.sqlite.kept", f"{place}notes"]
    index.with_name(f"{place}fedcba9876543210.sqlite").mkdir()
    for name in named:
        index.with_name(name).write_bytes(b"SQLite format 3\0 of somebody else")
    for name in others:
        shutil.copy(index, index.with_name(name))
    for each in cached(tmp_path):
        os.utime(each, (time.time() - 200_000,) * 2)
    before = cached(tmp_path)
    path.write_text(path.read_text() + line("Atlantis", "Sunk."))
    asyncio.run(open_corpus(str(path), env=env).close())
    assert [each for each in cached(tmp_path) if each in before] == [each for each in before if each != index]


def test_a_failed_build_leaves_nothing_behind(tmp_path: Path, env: dict[str, str]) -> None:
    path = big(tmp_path)
    with path.open("a") as file:
        file.write("{\n")
    with pytest.raises(InputError, match=f"line {BIG + 1}"):
        open_corpus(str(path), env=env)
    assert cached(tmp_path) == []


def test_an_abandoned_build_is_removed(tmp_path: Path, env: dict[str, str]) -> None:
    path = big(tmp_path)
    open_corpus(str(path), env=env)
    (index,) = cached(tmp_path)
    abandoned = index.with_name(f"{index.stem}.building-abcd_123")
    abandoned.write_bytes(index.read_bytes()[:8192])
    os.utime(abandoned, (time.time() - 200_000,) * 2)
    index.unlink()
    open_corpus(str(path), env=env)
    assert cached(tmp_path) == [index]


def test_two_processes_build_at_once(tmp_path: Path, env: dict[str, str]) -> None:
    path = big(tmp_path)
    with concurrent.futures.ProcessPoolExecutor(2) as pool:
        results = list(pool.map(_build_and_search, [str(path)] * 2, [env] * 2))
    assert results[0] == results[1]
    assert results[0][0] == "Town 4711"
    assert len(cached(tmp_path)) == 1


def _build_and_search(path: str, env: dict[str, str]) -> list[str]:
    return titles(open_corpus(path, env=env), "town 4711")


def test_without_a_usable_cache_folder_the_index_is_temporary_and_that_is_said(
    tmp_path: Path, caplog: pytest.LogCaptureFixture
) -> None:
    path = big(tmp_path)
    (tmp_path / "cache").write_text("a file, no folder")
    corpus = open_corpus(str(path), env={"XDG_CACHE_HOME": str(tmp_path / "cache")})
    assert titles(corpus, "town 4711")[0] == "Town 4711"
    assert [one.getMessage() for one in caplog.records] == [
        f"the corpus index is not kept: {tmp_path / 'cache' / 'retree'} cannot be written (Not a directory)"
    ]


def test_the_hits_are_the_same_with_and_without_a_cache(tmp_path: Path, env: dict[str, str]) -> None:
    path = str(big(tmp_path, BIG))
    (tmp_path / "blocked").write_text("a file, no folder")
    kept = titles(open_corpus(path, env=env), "town river 3")
    assert len(kept) == 5
    assert titles(open_corpus(path, env={"XDG_CACHE_HOME": str(tmp_path / "blocked")}), "town river 3") == kept


def test_searches_side_by_side(tmp_path: Path, env: dict[str, str]) -> None:
    corpus = open_corpus(str(big(tmp_path, 500)), env=env)

    async def work() -> list[Any]:
        return await asyncio.gather(*(corpus.search(SearchCall(query=f"town {n}", limit=1)) for n in range(100)))

    assert [answered.reply.hits[0].title for answered in asyncio.run(work())] == [f"Town {n}" for n in range(100)]

"""The local corpus: reading, building, searching."""

from __future__ import annotations

import asyncio
import concurrent.futures
import contextlib
import gzip
import hashlib
import json
import os
import shutil
import sqlite3
import time
from pathlib import Path
from typing import Any

import pytest

from retree_core.calls import CallFailed, Hit, SearchCall, SearchReply
from retree_core.errors import InputError
from retree_core.search import corpus_index
from retree_core.search.backend import open_search
from retree_core.search.corpus import Corpus, open_corpus

BIG = corpus_index.SMALL + 1


def line(title: Any = "t", text: Any = "some text", **more: Any) -> str:
    return json.dumps({"title": title, "text": text, **more}, ensure_ascii=False) + "\n"


@pytest.fixture
def env(tmp_path: Path) -> dict[str, str]:
    return {"XDG_CACHE_HOME": str(tmp_path / "cache")}


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


def test_every_field_of_a_passage_comes_back(tmp_path: Path, env: dict[str, str]) -> None:
    lines = [
        line("Paris", "Capital of France.", url="https://a.org/paris", published="2020-01-01", id=7, more=[1]),
        line("Rome", "Capital of Italy.", url="file:///rome", date=2021),
        line("", "Capital without a title.", url=None, published=None),
    ]
    assert set(found(opened(tmp_path, env, *lines), "capital")) == {
        Hit(title="Paris", text="Capital of France.", url="https://a.org/paris", published="2020-01-01"),
        Hit(title="Rome", text="Capital of Italy.", published="2021"),
        Hit(title="", text="Capital without a title."),
    }


def test_better_matches_first_and_titles_weigh_more(tmp_path: Path, env: dict[str, str]) -> None:
    corpus = opened(
        tmp_path,
        env,
        line("Rivers", "The Danube passes Vienna and many other towns."),
        line("Vienna", "A town at the Danube with many coffee houses."),
        line("Coffee", "A drink."),
        *(line(f"Filler {n}", f"Nothing of note number {n}.") for n in range(20)),
    )
    assert titles(corpus, "Vienna") == ["Vienna", "Rivers"]
    assert titles(corpus, "What is coffee?")[0] == "Coffee"
    assert titles(corpus, "town rivers")[0] == "Rivers"


def test_stems_accents_and_case_are_folded(tmp_path: Path, env: dict[str, str]) -> None:
    corpus = opened(tmp_path, env, line("Zürich", "Lakes and mountains. Straße. Ｆｕｌｌ width."), line("B", "other"))
    for query in ("ZURICH", "zürich", "lake", "mountain", "straße", "full", "Ｗidth"):
        assert titles(corpus, query) == ["Zürich"], query


@pytest.mark.parametrize(
    ("query", "title"),
    [
        ("東京の人口", "東京"),
        ("東京", "東京"),
        ("京", "東京"),
        ("口", "東京"),
        ("人口は約", "東京"),
        ("서울은 어디", "서울"),
        ("タワー", "タワー"),
        ("กรุงเทพ", "กรุงเทพ"),
        ("القاهرة", "القاهرة"),
        ("दिल्ली", "दिल्ली"),
        ("北京2008", "北京"),
        ("ﾀﾜｰ", "タワー"),
    ],
)
def test_scripts_without_spaces_m26(tmp_path: Path, env: dict[str, str], query: str, title: str) -> None:
    corpus = opened(
        tmp_path,
        env,
        line("東京", "東京都の人口"),
        line("서울", "서울은 대한민국의 수도이다"),
        line("タワー", "スカイ・タワーは高い"),
        line("กรุงเทพ", "กรุงเทพมหานครเป็นเมืองหลวง"),
        line("القاهرة", "القاهرة عاصمة مصر"),
        line("दिल्ली", "दिल्ली भारत की राजधानी है"),
        line("北京", "北京2008年奥运会"),
        line("English", "nothing of this"),
    )
    assert titles(corpus, query)[0] == title


@pytest.mark.parametrize(
    "query",
    [
        "",
        "   ",
        "?!\"'",
        '"',
        "*",
        "\x00",
        "-",
        "🙂",
        "\u0301",
        "no such words anywhere",
        "NEAR(unknown nowhere)",
        "title:unknown",
        "unknown*",
        '" OR 1=1 --',
        "\ud83d",
        "x" * 100_000,
    ],
)
def test_nothing_found_is_no_failure(tmp_path: Path, env: dict[str, str], query: str) -> None:
    assert found(opened(tmp_path, env, line("Paris", "Capital of France.")), query) == ()


@pytest.mark.parametrize(
    "query",
    [
        'capital"',
        '"capital" AND NOT "france"',
        "capital NEAR france",
        "title: capital",
        "^capital*",
        "(capital",
        "capital)))",
        "{capital} : +",
        "ca\x00 capital",
        "capital " + "other " * 50_000,
        " ".join(f"w{n}" for n in range(10)) + " capital",
        "capital \ud83d",
        "The Capital?",
    ],
)
def test_nothing_in_a_query_is_an_operator(tmp_path: Path, env: dict[str, str], query: str) -> None:
    assert titles(opened(tmp_path, env, line("Paris", "Capital of France.")), query) == ["Paris"]


def test_a_query_of_stop_words_alone_still_searches(tmp_path: Path, env: dict[str, str]) -> None:
    corpus = opened(tmp_path, env, line("The Who", "A band."), line("Paris", "Capital of France."))
    assert titles(corpus, "the who")[0] == "The Who"
    assert titles(corpus, "capital of the who") == ["Paris"]


def test_hits_are_distinct_and_as_many_as_asked_w13(tmp_path: Path, env: dict[str, str]) -> None:
    lines = [line(f"T{n}", "the same capital text", url=f"https://a.org/{n}") for n in range(300)]
    lines += [line(f"U{n}", f"capital text {n} with more words", url="https://b.org/same") for n in range(50)]
    lines += [line("V", "capital text of another kind in the end", url="https://c.org")]
    corpus = opened(tmp_path, env, *lines)
    assert titles(corpus, "capital", 5) == ["T0", "U0", "V"]
    assert titles(corpus, "capital", 2) == ["T0", "U0"]
    assert titles(corpus, "capital", 0) == []


def test_ties_keep_the_order_of_the_corpus(tmp_path: Path, env: dict[str, str]) -> None:
    corpus = opened(tmp_path, env, *(line(f"T{n}", f"capital x{n}") for n in range(50)))
    assert titles(corpus, "capital", 10) == [f"T{n}" for n in range(10)]


@pytest.mark.parametrize(
    ("bad", "words"),
    [
        ("{", "not a JSON object"),
        ("[1]", "a list"),
        ("null", "null"),
        ('{"title": "t"}', "field 'text': missing"),
        ('{"title": "t", "text": " "}', "field 'text': empty"),
        ('{"title": "t", "text": 7}', "field 'text': a number, expected a string"),
        ('{"text": "x"}', "field 'title': missing"),
        ('{"title": ["t"], "text": "x"}', "field 'title': a list"),
        ('{"title": "t", "text": "x", "url": 5}', "field 'url': a number"),
        ('{"title": "t", "text": "x", "published": {}}', "field 'published': an object"),
        ('{"title": "t", "text": "x", "text": "y"}', "twice"),
        ("[" * 100_000, "not a JSON object"),
    ],
)
def test_a_bad_record_is_named_by_line(tmp_path: Path, env: dict[str, str], bad: str, words: str) -> None:
    with pytest.raises(InputError) as caught:
        opened(tmp_path, env, line(), "\n", bad + "\n", line())
    assert f"{tmp_path / 'world.jsonl'}, line 3" in str(caught.value)
    assert words in str(caught.value)
    assert "\n" not in str(caught.value)


def test_bytes_that_are_no_utf8_are_named_by_line(tmp_path: Path, env: dict[str, str]) -> None:
    path = tmp_path / "world.jsonl"
    path.write_bytes(line().encode() + b'{"title": "t", "text": "\xe6\x9d"}\n')
    with pytest.raises(InputError, match=r"line 2: .*UTF-8"):
        open_corpus(str(path), env=env)


def test_bom_blank_lines_crlf_and_a_missing_last_newline(tmp_path: Path, env: dict[str, str]) -> None:
    path = tmp_path / "world.jsonl"
    path.write_bytes(b"\xef\xbb\xbf" + line("A").encode() + b"\r\n\n" + line("B", "some more text").encode().rstrip())
    assert titles(open_corpus(str(path), env=env), "text") == ["A", "B"]


@pytest.mark.parametrize("content", ["", "\n\n", "\ufeff"])
def test_an_empty_corpus_is_an_error(tmp_path: Path, env: dict[str, str], content: str) -> None:
    with pytest.raises(InputError, match="no passage"):
        opened(tmp_path, env, content)


def test_a_folder_of_plain_and_gzipped_files(tmp_path: Path, env: dict[str, str]) -> None:
    folder = tmp_path / "world"
    folder.mkdir()
    (folder / "b.jsonl.gz").write_bytes(gzip.compress(line("B", "second text").encode()))
    (folder / "a.jsonl").write_text(line("A", "first text"))
    (folder / "notes.txt").write_text("no record")
    corpus = open_corpus(str(folder), env=env)
    assert titles(corpus, "text") == ["A", "B"]
    hashes = [hashlib.sha256((folder / name).read_bytes()).hexdigest() for name in ("a.jsonl", "b.jsonl.gz")]
    listing = f"{hashes[0]}  a.jsonl\n{hashes[1]}  b.jsonl.gz\n"
    assert corpus.describe() == {
        "kind": "corpus",
        "name": "world",
        "passages": 2,
        "content_hash": hashlib.sha256(listing.encode()).hexdigest(),
    }


def test_damaged_gzip_and_empty_folder(tmp_path: Path, env: dict[str, str]) -> None:
    (tmp_path / "cut.jsonl.gz").write_bytes(gzip.compress(line().encode())[:-9])
    (tmp_path / "fake.jsonl.gz").write_text("no gzip")
    (tmp_path / "empty").mkdir()
    for name, words in (("cut.jsonl.gz", "gzip"), ("fake.jsonl.gz", "gzip"), ("empty", "holds no .jsonl")):
        with pytest.raises(InputError, match=words):
            open_corpus(str(tmp_path / name), env=env)


def test_the_header_names_no_folder(tmp_path: Path, env: dict[str, str]) -> None:
    path = written(tmp_path, line())
    described = open_search(f"corpus:{path}", env=env).describe()
    assert described["name"] == "world.jsonl"
    assert described["content_hash"] == hashlib.sha256(path.read_bytes()).hexdigest()
    assert str(tmp_path) not in json.dumps(described)


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

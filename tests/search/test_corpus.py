"""The local corpus: reading and searching."""

from __future__ import annotations

import gzip
import hashlib
import json
from pathlib import Path

import pytest
from search.corpora import found, line, opened, titles, written

from retree_core.calls import Hit
from retree_core.errors import InputError
from retree_core.search.backend import open_search
from retree_core.search.corpus import open_corpus


@pytest.fixture
def env(tmp_path: Path) -> dict[str, str]:
    return {"XDG_CACHE_HOME": str(tmp_path / "cache")}


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

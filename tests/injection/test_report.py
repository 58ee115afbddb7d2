"""A report of hostile questions, answers and folders: text in every format, and no formula in a spreadsheet."""

from __future__ import annotations

import csv
import io
import json
import os
import re
from functools import cache
from html.parser import HTMLParser
from pathlib import Path
from typing import Any

import pyarrow.parquet
import pytest
from injection.hostile import PAYLOADS, is_hidden
from viz.results_world import answered, results_folder

from retree_core.cli import main
from retree_core.secrets import redact

NAME = "javascript:alert(1)<b>\u202e[x](http://evil.example)\udc80"
TEXTS = tuple(text for text in PAYLOADS.values() if text.strip())


def utf8(text: str) -> str:
    return text.encode("utf-8", "replace").decode()


@cache
def folder(root: Path) -> Path:
    """A results folder whose questions, gold answers, answers and ids are the payloads; ReTree is wrong in each."""
    ids = {f"q{number}{utf8(text[:40])}": utf8(text) for number, text in enumerate(TEXTS)}
    runs = {
        (id_, agent): answered(said) for id_, text in ids.items() for agent, said in (("react", text), ("flat", "x"))
    }
    about = {"dataset": NAME, "recorded_with": NAME, "settings": {"model": NAME}, "search": {"spec": NAME}}
    made = results_folder(root / NAME, runs, ids, **about)
    whole = json.loads((made / "eval.json").read_text(encoding="utf-8"))
    asked = [{"id": id_, "question": text, "answers": [text], "type": text} for id_, text in ids.items()]
    (made / "eval.json").write_text(json.dumps({**whole, "questions": asked}), encoding="utf-8")
    return made


@pytest.fixture(scope="module")
def written(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The folder of the report, another one than that of the results, so that links name it."""
    root = tmp_path_factory.mktemp("report")
    assert main(["report", os.fspath(folder(root)), "--out", os.fspath(root)]) == 0
    return root


def test_no_cell_is_a_formula(written: Path) -> None:
    with open(written / "report.csv", encoding="utf-8", newline="") as file:
        rows = list(csv.reader(file))
    cells = [cell for row in rows for cell in row]
    assert [
        one for one in cells if re.match(r"\W*?[=+@＝＋－＠-]", one.lstrip("'")) and one[:1] != "'" and not number(one)
    ] == []
    assert [one for one in cells if re.search(r"[;\t][\s\"]*[=+@-]", one)] == []
    assert [one for one in cells if any(map(is_hidden, one)) or "\n" in one] == []
    assert "'=cmd|' /C calc'!A0" in cells
    other = csv.reader(io.StringIO((written / "report.csv").read_text(encoding="utf-8")), delimiter=";")
    assert [cell for row in other for cell in row if cell.lstrip()[:1] in ("=", "+", "@")] == []


def number(text: str) -> bool:
    return bool(re.fullmatch(r"-?[\d.]+(?:e-?\d+)?", text))


def test_markdown_is_words(written: Path) -> None:
    text = (written / "report.md").read_text(encoding="utf-8")
    assert [one for one in text if is_hidden(one)] == []
    own = re.sub(r"(?m)^(?:#+ |\|(?: ---)? | \|$)|(?<= )\|(?= )|(?<=\| )\[|\]\(<[\w%./~-]+>\)", "", text)
    own = re.sub(r"\*\*(?=\d)|(?<=[\d\]])\*\*|\\[\\`*_{}\[\]#|~$!]|&(?:amp|lt|gt);", "", own).replace("&#8203;", "·")
    assert [one for one in own.splitlines() if re.search(r"[\\`*_\[\]<>&~$]|^\s*(?:#|\d+\.|[-+>])\s", one)] == []
    assert re.findall(r"(?i)https?:/|www\.\w|@\w", own) == []
    assert re.findall(r"\]\(<(.*?)>\)", text) != []


OWN = {
    *("html", "head", "meta", "title", "style", "body", "h1", "h2", "section", "div", "p", "a", "b"),
    *("table", "thead", "tbody", "tr", "th", "td", "svg", "g", "text", "line", "polyline"),
}


class Elements(HTMLParser):
    def __init__(self, text: str) -> None:
        super().__init__()
        self.found: list[tuple[str, dict[str, Any]]] = []
        self.texts: list[str] = []
        self.feed(text)

    def handle_starttag(self, tag: str, attrs: list[tuple[str, Any]]) -> None:
        self.found.append((tag, dict(attrs)))

    def handle_data(self, data: str) -> None:
        self.texts.append(data)


def test_the_page_has_only_its_own_elements(written: Path) -> None:
    page = Elements((written / "report.html").read_text(encoding="utf-8"))
    assert {name for name, _ in page.found} <= OWN
    assert [key for _, has in page.found for key in has if key.startswith("on") or key in ("style", "src")] == []
    links = [has["href"] for name, has in page.found if name == "a"]
    assert links
    assert [one for one in links if not re.fullmatch(r"[\w%./~-]+", one)] == []
    assert [one for one in "".join(page.texts) if is_hidden(one)] == []


def test_rows_keep_the_texts_as_they_are(written: Path) -> None:
    results = folder(written)
    rows = [json.loads(one) for one in (results / "results.jsonl").read_bytes().splitlines()]
    table = pyarrow.parquet.read_table(io.BytesIO((results / "results.parquet").read_bytes())).to_pylist()
    wanted = sorted(utf8(redact(text)) for text in TEXTS)
    assert sorted(one["question"] for one in rows if one["agent"] == "react") == wanted
    assert sorted(one["answer"] for one in table if one["agent"] == "react") == wanted

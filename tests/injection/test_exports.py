"""A run full of payloads in every format: others read the exact texts, and nothing in the file acts."""

from __future__ import annotations

import io
import json
import re
from functools import cache
from html.parser import HTMLParser
from typing import Any
from xml.etree import ElementTree

import networkx as nx
import pydot
import pytest
from export.runs import of_trace
from injection.hostile import EVERYTHING, PAYLOADS, as_shown, is_hidden, notes, trace

from retree_core.secrets import redact
from retree_viz.export import FORMATS, Exported, export, file_name

pytestmark = pytest.mark.filterwarnings("ignore::DeprecationWarning:pydot")
SVG = "{http://www.w3.org/2000/svg}"
TEXTS = tuple(map(redact, PAYLOADS.values()))
"""What is before an `@` in an address is taken for a password."""


@cache
def hostile() -> Exported:
    return of_trace(trace(), notes=notes())


@cache
def exported(to: str) -> bytes:
    return export(hostile(), to)


def xml(text: str) -> str:
    """The text as XML can hold it."""
    return re.sub("[^\t\n\r\x20-\ud7ff\ue000-\ufffd\U00010000-\U0010ffff]", "\ufffd", text)


def utf8(text: str) -> str:
    return text.encode("utf-8", "replace").decode()


def titles(graph: nx.DiGraph) -> list[str]:
    """Of the passages, by number; a title is one line there."""
    found = {node["event"]: node["title"] for _, node in graph.nodes(data=True) if node["kind"] == "passage"}
    return [line(found[event])[:1000] for event in sorted(found)]


def line(text: str) -> str:
    return " ".join(text.split())


def marked(text: str) -> str:
    """The beginning of the text as a title of the graph."""
    return "".join(f"⟨U+{ord(one):04X}⟩" if is_hidden(one) else one for one in line(text)[:1000])


def test_graphml_says_what_was_said() -> None:
    graph = nx.read_graphml(io.BytesIO(exported("graphml")))
    assert "evil" not in graph
    assert titles(graph) == [xml(marked(text)) for text in TEXTS]


def test_node_link_json_says_what_was_said() -> None:
    whole = json.loads(exported("json"))
    assert titles(nx.node_link_graph(whole, edges="edges")) == [marked(text) for text in TEXTS]
    assert whole["graph"]["run"]["question"] == utf8(redact(EVERYTHING))
    assert [one["text"] for one in whole["graph"]["notes"][: len(TEXTS)]] == [utf8(text) for text in TEXTS]


def test_dot_says_what_was_said() -> None:
    (drawn,) = pydot.graph_from_dot_data(exported("dot").decode())
    assert drawn.get_node("evil") == []
    assert len(drawn.get_subgraphs()) == 0
    passages = [one.get_attributes() for one in drawn.get_nodes() if one.get("kind") == '"passage"']
    found = {int(one["event"].strip('"')): one.get("title", '""')[:1001].rstrip('"') for one in passages}
    wanted = [marked(text).replace("\\", "\\\\").replace('"', '\\"') for text in TEXTS]
    assert [found[event] for event in sorted(found)] == [f'"{xml(text)[:1000]}'.rstrip('"') for text in wanted]
    assert {"URL", "href", "image"} & {name for one in drawn.get_nodes() for name in one.get_attributes()} == set()


def test_svg_draws_words_alone() -> None:
    root = ElementTree.fromstring(exported("svg"))
    assert {one.tag for one in root.iter()} <= {
        f"{SVG}{name}" for name in ("svg", "title", "g", "rect", "path", "text", "tspan", "circle")
    }
    names = {name for one in root.iter() for name in one.attrib}
    assert [name for name in names if name.startswith("on") or "href" in name or name == "style"] == []
    assert "url(" not in "".join(value for one in root.iter() for value in one.attrib.values())
    assert [one for one in "".join(root.itertext()) if is_hidden(one)] == []


def test_spans_say_what_was_said() -> None:
    (resource,) = json.loads(exported("otel"))["resourceSpans"]
    spans = [span for scope in resource["scopeSpans"] for span in scope["spans"]]
    names = {"retree.query", "retrieval.query", "input.value", "gen_ai.retrieval.query.text"}
    values = [
        attribute["value"].get("stringValue")
        for span in spans
        for attribute in span["attributes"]
        if attribute["key"] in names
    ]
    assert [text for text in map(utf8, TEXTS) if text and text not in values] == []


class Page(HTMLParser):
    """What a browser would make of the page's elements."""

    def __init__(self, content: bytes) -> None:
        super().__init__()
        self.elements: list[tuple[str, dict[str, str | None]]] = []
        self.texts: list[str] = []
        self.feed(content.decode())

    def handle_starttag(self, tag: str, attrs: list[tuple[str, Any]]) -> None:
        self.elements.append((tag, dict(attrs)))

    def handle_data(self, data: str) -> None:
        if self.elements[-1:] and self.elements[-1][0] not in ("script", "style"):
            self.texts.append(data)


def test_the_page_has_no_element_of_theirs_and_every_text() -> None:
    page = Page(exported("html"))
    names = [name for name, _ in page.elements]
    assert {name: names.count(name) for name in ("script", "style", "meta", "title")} == {
        "script": 2,
        "style": 1,
        "meta": 4,
        "title": 1,
    }
    assert {"img", "iframe", "object", "embed", "base", "link", "form", "input", "svg", "template"} & {*names} == set()
    assert [key for _, has in page.elements for key in has if key.startswith("on") or key in ("style", "src")] == []
    links = [has["href"] or "" for name, has in page.elements if name == "a"]
    assert [one for one in links if not one.startswith(("http://", "https://", "#"))] == []
    said = "".join(page.texts)
    assert [one for one in said if is_hidden(one)] == []
    words = " ".join(said.split())
    assert [text for text in TEXTS if " ".join(as_shown(text).split())[:300] not in words] == []


def test_names_of_downloads_are_plain() -> None:
    for text in TEXTS:
        for to in FORMATS:
            assert re.fullmatch(r"[A-Za-z0-9_-][A-Za-z0-9_.-]*", file_name(f"{text}.jsonl", 3, to)), text

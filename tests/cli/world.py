"""A small scripted world: a corpus and a model that repairs one fact after two searches."""

from __future__ import annotations

import json
import re
from collections.abc import Mapping
from pathlib import Path
from typing import Any

from stubs import ChatServer, Response
from stubs.chat import role_of

QUESTION = "Who is the mayor of the capital of Velmora?"

PASSAGES = [
    {"title": "Velmora", "text": "The capital of Velmora is Alderton. It lies on a river.", "published": "1998"},
    {"title": "Alderton", "text": "Zed Quill is the mayor of Alderton.", "url": "https://example.org/alderton"},
    {
        "title": "Velmora today",
        "text": "The capital of Velmora is Brellin, since the court ruled.",
        "published": "2021",
    },
    {"title": "Brellin", "text": "Mira Oss is the mayor of Brellin.", "url": "https://example.org/brellin"},
]

QUERIES = ["Velmora river capital", "mayor Zed Quill", "Velmora court ruled", "Mira Oss Brellin"]
"""Each finds, among others, the passage of its number first."""

FACTS = [
    "The capital of Velmora is Alderton.",
    "Zed Quill is the mayor of Alderton.",
    "The capital of Velmora is Brellin.",
    "Mira Oss is the mayor of Brellin.",
]


def corpus(folder: Path) -> str:
    """The `--search` of this world, its corpus written to `folder`."""
    file = folder / "corpus.jsonl"
    file.write_text("".join(json.dumps(one) + "\n" for one in PASSAGES), encoding="utf-8")
    return f"corpus:{file}"


class World:
    """The model: `Velmora` in four searches, the third of which refutes the first."""

    def __init__(self, delay_s: float = 0.0) -> None:
        self.delay_s = delay_s

    def server(self) -> ChatServer:
        return ChatServer(self)

    def __call__(self, body: Mapping[str, Any]) -> Any:
        reply = getattr(self, role_of(body).removeprefix("retree_"))(user_text(body))
        if not self.delay_s:
            return reply
        from stubs import completion

        return Response(json=completion(json.dumps(reply)), delay_s=self.delay_s)

    def policy(self, text: str) -> dict[str, Any]:
        known = [fact in text for fact in FACTS]
        if known[3]:
            return decision("answer", evidence=ids_of(text, FACTS[3]))
        if known[2]:
            return decision("search", query=QUERIES[3])
        if known[1]:
            return decision("search", query=QUERIES[2])
        return decision("search", query=QUERIES[1] if known[0] else QUERIES[0])

    def extract(self, text: str) -> dict[str, Any]:
        query = next(number for number, one in enumerate(QUERIES) if one in text)
        passage = PASSAGES[query]
        found = re.search(rf"Passage (\d+): {re.escape(passage['title'])}(?: \(|\n)", text)
        assert found, text
        return {"facts": [{"passage": int(found[1]), "quote": FACTS[query].rstrip("."), "fact": FACTS[query]}]}

    def conflict(self, text: str) -> dict[str, Any]:
        old, new = ids_of(text, FACTS[0]), ids_of(text, FACTS[2])
        if not old or not new:
            return {"pairs": []}
        return {"pairs": [{"reason": "two capitals", "stored": old[0], "new": new[0]}]}

    def confirm(self, text: str) -> dict[str, Any]:
        def part(old: str, new: str | None = None) -> dict[str, Any]:
            return {"old": old, "new": new or old, "same": new is None}

        return {
            "question": "What is the capital of Velmora?",
            "entity": part("Velmora"),
            "attribute": part("capital"),
            "scope": part(""),
            "time": part(""),
            "value": part("Alderton", "Brellin"),
            "reason": "the court ruled later",
            "contradiction": True,
            "better": "new",
        }

    def summarise(self, text: str) -> dict[str, Any]:
        facts = [one for one in FACTS if one in text.rsplit("Facts", 1)[-1]] or [one for one in FACTS if one in text]
        return {"summary": " ".join(facts)}

    def answer(self, text: str) -> dict[str, Any]:
        cited = ids_of(text, FACTS[2]) + ids_of(text, FACTS[3])
        return {"claims": [{"text": "Mira Oss is the mayor of Brellin.", "evidence": cited}], "answer": "Mira Oss"}


def decision(action: str, *, query: str = "", evidence: list[str] | None = None) -> dict[str, Any]:
    return {"reason": "", "missing": [], "action": action, "query": query, "evidence": evidence or []}


def user_text(body: Mapping[str, Any]) -> str:
    return str(body["messages"][-1]["content"])


def ids_of(text: str, fact: str) -> list[str]:
    """Ids in front of a fact in a prompt."""
    return re.findall(rf"\[(e\d+)\] {re.escape(fact)}", text)

"""Results folders of the scripted world, and rows made by hand."""

from __future__ import annotations

import json
import re
from collections.abc import Mapping
from pathlib import Path
from typing import Any

from cli.world import FACTS, PASSAGES, QUERIES, World, decision

from retree_core.evaluation.judged import Judges, Verdicts
from retree_core.evaluation.rows import Row, RowCitation, RowClaim
from retree_core.evaluation.verdicts import Verdict
from retree_core.memory import Passage
from retree_core.trace.spent import Spent

AGENTS = ("retree", "react", "flat", "report")


class EvalWorld(World):
    """The world for all four agents; its model also grades answers and checks citations."""

    def policy(self, text: str) -> dict[str, Any]:
        known = [FACTS[place] in text or PASSAGES[place]["text"] in text for place in range(4)]
        if known[3]:
            return decision("answer", evidence=ids(text)[-1:])
        reached = next((place + 1 for place in (2, 1, 0) if known[place]), 0)
        return decision("search", query=QUERIES[reached])

    def report(self, text: str) -> dict[str, Any]:
        return {"report": " ".join(one for one in FACTS if one in text) or "Nothing yet."}

    def answer(self, text: str) -> dict[str, Any]:
        cited = re.findall(r"\[(\w\d+)\] (?:Brellin: )?Mira Oss is", text) or ids(text)[-1:]
        return {"claims": [{"text": FACTS[3], "evidence": cited}], "answer": "Mira Oss"}

    def judge(self, text: str) -> dict[str, Any]:
        gold, predicted = text.split("Predicted answer")
        return {"reason": "compared", "correct": predicted.strip() in gold}

    def entail(self, text: str) -> dict[str, Any]:
        passage, claim = text.split("Claim: ")
        return {"reason": "looked", "supported": claim.strip() in passage}


def ids(text: str) -> list[str]:
    return re.findall(r"\[([ep]\d+)\]", text) or re.findall(r"\bp\d+\b", text)


def questions(folder: Path, count: int = 3) -> Path:
    """A neutral file of `count` questions, of which the second has another gold answer."""
    file = folder / "questions.jsonl"
    lines = [
        {"id": f"q{n}", "question": f"Who is the mayor of the capital of Velmora ({n})?", "answers": [gold]}
        for n in range(1, count + 1)
        for gold in ["Zed Quill" if n == 2 else "Mira Oss"]
    ]
    file.write_text("".join(json.dumps({**one, "passages": PASSAGES}) + "\n" for one in lines), encoding="utf-8")
    return file


def row(**changes: Any) -> Row:
    """A right and cheap run, but for what `changes` says."""
    plain: dict[str, Any] = {
        "id": "q1",
        "agent": "retree",
        "question": "Who?",
        "type": "",
        "golds": ("Ann",),
        "answer": "Ann",
        "status": "answered",
        "detail": "",
        "error": False,
        "exact_match": True,
        "searches": 1,
        "stops_refused": 0,
        "repairs": 0,
        "backtracks": 0,
        "nodes_pruned": 0,
        "conflicts_rejected": 0,
        "rejected_by_guard": 0,
        "rejected_by_model": 0,
        "context_max": 40,
        "contexts": (10, 40),
        "spent": {"policy": Spent(calls=2, prompt=100, completion=20)},
        "thought_unasked": 0,
        "seconds": 1.0,
        "claims": (),
        "citations_stale": 0,
        "citations_missing": 0,
        "model": "scripted",
        "recorded_with": "scripted",
        "created_at": "2026-01-31T12:00:00.000Z",
        "trace": "runs/retree/q1.jsonl",
    }
    return Row(**{**plain, **changes})


def failed(**changes: Any) -> Row:
    """A run that came to no result."""
    return row(answer="", status="llm_error", error=True, exact_match=False, **changes)


def claim(text: str, *cites: tuple[str, str | None]) -> RowClaim:
    """A claim that cites (id, passage text); None is a citation that leads nowhere."""
    return RowClaim(
        text=text,
        citations=tuple(
            RowCitation(
                id=id_,
                standing="missing" if found is None else "current",
                passages=() if found is None else (Passage(id=f"p-{id_}", title="", text=found),),
            )
            for id_, found in cites
        ),
    )


def said(answers: Mapping[str, bool | None], entailed: Mapping[tuple[str, str], bool | None] | None = None) -> Verdicts:
    """Verdicts by answer to the question of `row`, and by (premise, claim)."""
    return Verdicts(
        judges=Judges(model="judge", entail="llm" if entailed is not None else "", entail_model="judge"),
        answers={("Who?", ("Ann",), one): Verdict(said=right, reason="") for one, right in answers.items()},
        entailed={pair: Verdict(said=true, reason="") for pair, true in (entailed or {}).items()},
    )

"""Traces made by hand, and results folders of them."""

from __future__ import annotations

import json
from pathlib import Path

from stubs import completion

from retree_core import events as ev
from retree_core.calls import ModelCall, ModelReply
from retree_core.memory import Claim, Passage, Source
from retree_core.replies import tidy_id
from retree_core.secrets import redact_json
from retree_core.settings import Settings
from retree_core.trace import CallRecord, EventRecord, Header, Trace, TraceWriter
from retree_core.trace.records import ForkOrigin

QUESTION = {"id": "q1", "question": "Who?", "answers": ["Ann"], "type": ""}
PASSAGES = tuple(Passage(id=f"p{n}", title=f"Page {n}", text=f"Text {n}") for n in (1, 2, 3))


def found(search: int, *passages: Passage) -> ev.Event:
    return ev.PassagesRetrieved(search=search, passages=passages)


def context(characters: int) -> ev.Event:
    return ev.ContextBuilt(node="root", evidence=(), characters=characters)


def fact(id_: str, passage: str) -> ev.NewFact:
    return ev.NewFact(id=id_, text=f"fact {id_}", source=Source(passage=passage, quote=""))


def repair(by: str) -> list[ev.Event]:
    """A run in which e1 is repaired by e2 from another passage."""
    return [
        ev.RunStarted(question="Who?", agent="retree"),
        context(43),
        ev.SearchChosen(search=1, query="who", origin="policy"),
        found(1, PASSAGES[0]),
        ev.FactsExtracted(search=1, facts=(fact("e1", "p1"),)),
        ev.NodeAdded(node="n1", parent="root", search=1, query="who", evidence=("e1",)),
        context(60),
        context(80),
        ev.SearchChosen(search=2, query="who now", origin="policy"),
        found(2, PASSAGES[1]),
        ev.FactsExtracted(search=2, facts=(fact("e2", "p2"),)),
        ev.ConflictConfirmed(old="e1", new="e2", by=by, reason="later"),
        ev.EvidenceRepaired(
            evidence="e1", node="n1", revision=2, by="e2", old_text="fact e1", new_text="fact e2", reason="later"
        ),
        ev.SearchResumed(node="n1"),
        context(70),
        ev.StopChosen(evidence=("e1",)),
        ev.Answered(
            text="Ann",
            claims=(Claim(text="It is Ann.", cites=tuple(map(tidy_id, ("[e1]", " E1 ", "e2", "0", "99", "2020")))),),
            shown=("e1",),
        ),
        ev.RunEnded(status="answered"),
    ]


def wrong() -> list[ev.Event]:
    """The same, with another answer."""
    *before, _, end = repair("confirmation")
    return [*before, ev.Answered(text="Bo", claims=(), shown=("e1",)), end]


def trace(events: list[ev.Event], calls: tuple[CallRecord, ...] = (), fork: ForkOrigin | None = None) -> Trace:
    """A trace of format 1, in which nothing says where an event comes from."""
    header = Header(
        run_id="r",
        created_at="2026-01-31T12:00:00.000Z",
        question="Who?",
        settings=Settings(),
        recorded_with="scripted",
        fork=fork,
        version=1,
    )
    records = [EventRecord(seq=n, event=one) for n, one in enumerate(events, 1)]
    return Trace(name="q1.jsonl", header=header, records=(*records, *calls))


def asked(role, **usage) -> CallRecord:
    raw = completion("{}", usage=usage) if usage else completion("{}", usage=None)
    return CallRecord(seq=1, call=ModelCall(role=role, body={}), reply=ModelReply(raw=raw), seconds=0.5)


def folder(tmp_path: Path, *runs: tuple[str, list[ev.Event]]) -> Path:
    """A results folder of ReTree's runs by id, with q0 that was not begun."""
    out = tmp_path / "out"
    out.mkdir(parents=True)
    ids = dict.fromkeys(["q0", *(id_ for id_, _ in runs)])
    known = {
        "format": "retree-eval",
        "version": 1,
        "settings": {},
        "questions": [{**QUESTION, "id": one} for one in ids],
    }
    (out / "eval.json").write_text(json.dumps(known))
    for id_, events in runs:
        one = trace(events, (asked("policy", prompt_tokens=100, completion_tokens=20),))
        with TraceWriter.create(out / "runs/retree" / f"{id_}.jsonl", one.header, redact=redact_json) as writer:
            for record in one.records:
                writer.write(record)
    return out

"""A results folder of three agents on three questions: right and wrong answers, repairs, an error, a run under way."""

from __future__ import annotations

import asyncio
import json
import os
from collections.abc import Mapping, Sequence
from dataclasses import replace
from pathlib import Path
from typing import Any

from evaluation.runs import PASSAGES, context, found, repair, trace, wrong
from stubs import completion

from retree_core import events as ev
from retree_core.calls import Answered, ModelCall, ModelReply
from retree_core.evaluation.batch import file_name
from retree_core.evaluation.judged import REPLIES, Asked, Judges, judge, remember
from retree_core.evaluation.results import collect
from retree_core.memory import Claim
from retree_core.reply_store import ReplyStore
from retree_core.secrets import redact_json
from retree_core.settings import Settings
from retree_core.trace import CallRecord, TraceWriter

QUESTIONS = {"q1": "Who leads Velmora?", "q2": "Who built the Korn bridge?", "q3": "Who sings the Tarn song?"}


def answered(text: str, size: int = 90) -> list[ev.Event]:
    """One search and an answer, as an agent without facts writes them."""
    return [
        ev.RunStarted(question="", agent="react"),
        context(40),
        ev.SearchChosen(search=1, query="who", origin="policy"),
        found(1, PASSAGES[0]),
        context(size),
        ev.StopChosen(evidence=("p1",)),
        ev.Answered(text=text, claims=(Claim(text=f"It is {text}.", cites=("p1",)),), shown=("p1",)),
        ev.RunEnded(status="answered"),
    ]


def failed() -> list[ev.Event]:
    """A conflict that a guard rejected and one that the model did; then the server is gone."""
    start = repair("confirmation")[:11]
    rejected = [ev.ConflictRejected(old="e1", new="e2", by=by, reason="") for by in ("guard", "confirmation", "limit")]
    return [*start, *rejected, ev.RunEnded(status="llm_error", detail="server closed")]


RUNS: Mapping[tuple[str, str], Sequence[ev.Event]] = {
    ("q1", "retree"): repair("confirmation"),
    ("q1", "react"): answered("Ann", 900),
    ("q1", "flat"): answered("Bo"),
    ("q2", "retree"): wrong(),
    ("q2", "react"): answered("Bo", 800),
    ("q2", "flat"): answered("Ann"),
    ("q3", "retree"): failed(),
    ("q3", "react"): answered("Ann")[:4],
}


def write_run(out: Path, id_: str, agent: Any, question: str, events: Sequence[ev.Event]) -> Path:
    """One trace of a results folder."""
    plain = trace([ev.RunStarted(question=question, agent=agent), *events[1:]])
    header = replace(plain.header, question=question, settings=Settings(agent=agent, model="scripted"))
    path = out / "runs" / agent / f"{file_name(id_)}.jsonl"
    raw = completion("{}", usage={"prompt_tokens": 100, "completion_tokens": 10 * len(events)})
    call = CallRecord(seq=99, call=ModelCall(role="policy", body={}), reply=ModelReply(raw=raw), seconds=0.5)
    with TraceWriter.create(path, header, redact=redact_json) as writer:
        for record in (*plain.records, call):
            writer.write(record)
    os.utime(path, (1.7e9, 1.7e9))
    return path


def manifest(questions: Mapping[str, str], **more: Any) -> dict[str, Any]:
    asked = [{"id": id_, "question": text, "answers": ["Ann"], "type": ""} for id_, text in questions.items()]
    known = {"format": "retree-eval", "version": 1, "dataset": "jsonl", "recorded_with": "scripted", "settings": {}}
    return {**known, "questions": asked, **more}


def results_folder(
    out: Path,
    runs: Mapping[tuple[str, str], Sequence[ev.Event]] = RUNS,
    questions: Mapping[str, str] = QUESTIONS,
    **more: Any,
) -> Path:
    """Writes the folder; gives it back."""
    out.mkdir(parents=True)
    (out / "eval.json").write_text(json.dumps(manifest(questions, **more)), encoding="utf-8")
    for (id_, agent), events in runs.items():
        write_run(out, id_, agent, questions[id_], events)
    return out


class _Judge:
    """Says that Bo is right, and that every passage supports every claim."""

    async def complete(self, call: ModelCall) -> Answered:
        text = call.body["messages"][-1]["content"]
        said = {"reason": "as I see it", "correct": text.endswith("Bo"), "supported": True}
        return Answered(reply=ModelReply(raw=completion(json.dumps(said))), seconds=0.1)


def graded(out: Path) -> Path:
    """The folder, once a judge was asked."""
    judges = Judges(model="judge", entail="llm", entail_model="judge")
    remember(out, judges)
    with ReplyStore(out / REPLIES, Asked(model=_Judge())) as store:
        asyncio.run(judge(collect(out).rows, judges, store))
    return out

"""Script a world, then run an agent in it: what the model says at each call, and what each search finds.

A reply is a JSON object (what the model writes), text (written as it is), or a whole `ModelReply` or `CallFailed`.
Each role has a list of replies (or of functions of the call), used up in order, or one function of the call. A role
that is not scripted has a plain default: the extractor takes the first sentence of each passage, nothing conflicts, a
confirmation confirms, a summary lists the facts, and the answer cites all it is shown.
"""

from __future__ import annotations

import json
import re
from collections.abc import Callable, Mapping, Sequence
from dataclasses import replace
from pathlib import Path
from typing import Any

from stubs import completion

from retree_core import prompts
from retree_core.agents import strategy_of
from retree_core.calls import Answered, Call, CallFailed, Hit, ModelCall, ModelReply, Reply, SearchCall, SearchReply
from retree_core.drivers.course import reading_json, start
from retree_core.drivers.replay import replay
from retree_core.protocol import Together
from retree_core.settings import Settings
from retree_core.state import State, fold
from retree_core.trace import CallRecord, EventRecord, Header, Trace, TraceWriter
from retree_core.trace.records import Record, call_key

Said = Any
"""What a model replies with: an object, text, a ModelReply, or a CallFailed."""
Script = Mapping[str, Sequence[Said] | Callable[[ModelCall], Said]]
Found = Sequence[Hit] | CallFailed
Finds = Sequence[Found] | Callable[[SearchCall], Found]

SETTINGS = Settings(model="scripted")
START = "2025-06-01T09:00:00.000Z"


# What a model says, one constructor a role.


def search(query: str, *, reason: str = "", missing: Sequence[str] = ()) -> Said:
    return {"reason": reason, "missing": list(missing), "action": "search", "query": query, "evidence": []}


def stop(*evidence: str, reason: str = "") -> Said:
    return {"reason": reason, "missing": [], "action": "answer", "query": "", "evidence": list(evidence)}


def facts(*items: tuple[int, str] | tuple[int, str, str]) -> Said:
    """Items are (passage, fact) or (passage, fact, quote); the quote is the fact unless given."""
    return {"facts": [{"passage": item[0], "quote": item[-1], "fact": item[1]} for item in items]}


def facts_from(*items: tuple[str, str, str]) -> Callable[[ModelCall], Said]:
    """Items are (title of a shown passage, quote, fact); the quote must stand in that passage, word for word."""

    def extract(call: ModelCall) -> Said:
        return {"facts": [_fact_from(call, *item) for item in items]}

    return extract


def _fact_from(call: ModelCall, title: str, quote: str, fact: str) -> dict[str, Any]:
    found = re.search(rf"^Passage (\d+): {re.escape(title)}(?: \(.*\))?\n(.*)$", prompt(call), re.MULTILINE)
    assert found, f"no passage {title!r} in this call"
    assert quote in found.group(2), f"{title!r} does not say {quote!r}"
    return {"passage": int(found.group(1)), "quote": quote, "fact": fact}


def conflict(*pairs: tuple[str, str] | tuple[str, str, str]) -> Said:
    """Pairs are (stored, new) or (stored, new, reason); no pair: nothing conflicts."""
    return {
        "pairs": [
            {"reason": pair[2] if len(pair) > 2 else "they differ", "stored": pair[0], "new": pair[1]} for pair in pairs
        ]
    }


def clashing(*pairs: tuple[str, str]) -> Callable[[ModelCall], Said]:
    """A judge that proposes those (stored, new) of `pairs` that are shown as such."""

    def judge(call: ModelCall) -> Said:
        stored, new = (evidence_in(text) for text in prompt(call).split("\nNew facts\n"))
        return conflict(*((old, fresh) for old, fresh in pairs if old in stored and fresh in new))

    return judge


def part(old: str = "", new: str = "", *, same: bool = True) -> dict[str, Any]:
    return {"old": old, "new": new, "same": same}


def confirm(
    contradiction: bool = True,
    *,
    better: str = "new",
    reason: str = "both cannot hold",
    question: str = "",
    **parts: dict[str, Any],
) -> Said:
    """A confirmation; parts that are not given are the same on both sides, the value differs."""
    stated = {name: part() for name in ("entity", "attribute", "scope", "time")} | {"value": part(same=False)} | parts
    return {"question": question, **stated, "reason": reason, "contradiction": contradiction, "better": better}


def summary(text: str) -> Said:
    return {"summary": text}


def answer(text: str, *claims: tuple[str, Sequence[str]]) -> Said:
    """Claims are (sentence, cited ids)."""
    return {"claims": [{"text": said, "evidence": list(cites)} for said, cites in claims], "answer": text}


def hit(text: str, title: str = "A page", **more: str) -> Hit:
    return Hit(title=title, text=text, **more)


def cut(content: str) -> ModelReply:
    """A reply that ran into max_tokens."""
    return ModelReply(raw=completion(content, finish_reason="length"))


def failed(failure: Any, message: str = "the server said no") -> CallFailed:
    return CallFailed(failure=failure, message=message)


# What a call asks.


def prompt(call: ModelCall | CallRecord) -> str:
    """All that the model is shown, fixed instructions included."""
    asked = call.call if isinstance(call, CallRecord) else call
    return "\n".join(message["content"] for message in asked.body["messages"])  # type: ignore[union-attr]


def shown(call: ModelCall) -> dict[str, str]:
    """Evidence in a prompt, id to text."""
    return evidence_in(prompt(call))


def evidence_in(text: str) -> dict[str, str]:
    return dict(re.findall(r"^\[(e\d+)\] (.*?)(?: \(from: .*\))?$", text, re.MULTILINE))


def calls_of(trace: Trace, role: str) -> list[CallRecord]:
    return [one for one in trace.calls if isinstance(one.call, ModelCall) and one.call.role == role]


# Defaults.


def _first_sentences(call: ModelCall) -> Said:
    passages = re.findall(r"^Passage (\d+): .*\n(.*?[.!?。])(?: |$)", prompt(call), re.MULTILINE)
    return facts(*((int(number), sentence) for number, sentence in passages))


def _all_facts(call: ModelCall) -> Said:
    former = re.search(r"^Former summary\n(.*)$", prompt(call), re.MULTILINE)
    kept = [former.group(1)] if former and former.group(1) != "(nothing yet)" else []
    return summary(" ".join([*kept, *shown(call).values()]))


def _all_cited(call: ModelCall) -> Said:
    return answer(list(shown(call).values())[-1], *((text, [id_]) for id_, text in shown(call).items()))


DEFAULTS: Script = {
    "extract": _first_sentences,
    "conflict": lambda _: conflict(),
    "confirm": lambda _: confirm(),
    "summarise": _all_facts,
    "answer": _all_cited,
}


class World:
    """Answers calls from a script; what is not scripted and has no default fails the test."""

    def __init__(self, script: Script, finds: Finds) -> None:
        self._script = {**DEFAULTS, **script}
        self._finds = finds
        self._used: dict[str, int] = {}

    def answer(self, call: Call) -> Reply:
        if isinstance(call, SearchCall):
            found = self._finds(call) if callable(self._finds) else self._next("search", self._finds)
            return found if isinstance(found, CallFailed) else SearchReply(hits=tuple(found))
        replies = self._script.get(call.role, ())
        said = replies if callable(replies) else self._next(call.role, replies)
        return as_reply(said(call) if callable(said) else said)

    def _next(self, name: str, replies: Sequence[Any]) -> Any:
        place = self._used.get(name, 0)
        self._used[name] = place + 1
        assert place < len(replies), f"the script has {len(replies)} replies for {name}; one more is asked for"
        return replies[place]

    async def complete(self, call: ModelCall) -> Answered:
        """As drivers.live.Model."""
        return Answered(reply=self.answer(call), seconds=0.0)

    async def search(self, call: SearchCall) -> Answered:
        """As drivers.live.Search."""
        return Answered(reply=self.answer(call), seconds=0.0)


def as_reply(said: Said) -> ModelReply | CallFailed:
    """What a server sends for something said."""
    if isinstance(said, ModelReply | CallFailed):
        return said
    content = said if isinstance(said, str) else json.dumps(said, ensure_ascii=False)
    return ModelReply(raw=completion(content, model="scripted"))


def served(script: Script) -> dict[str, Callable[[Mapping[str, Any]], Said]]:
    """The script, of functions alone, as `stubs.ChatServer` takes it."""

    def role(name: str, said: Any) -> Callable[[Mapping[str, Any]], Said]:
        return lambda body: said(ModelCall(role=name, body=body))  # type: ignore[arg-type]

    return {f"retree_{name}": role(name, said) for name, said in {**DEFAULTS, **script}.items()}


# Running.


def run_scripted(question: str, script: Script, finds: Finds, settings: Settings = SETTINGS, **header: Any) -> Trace:
    """The run as a trace; every one is checked to fold without problems, to leave calls alone, and to replay."""
    return run_in(World(script, finds), question, settings, **header)


def run_in(world: World, question: str, settings: Settings = SETTINGS, **header: Any) -> Trace:
    """As `run_scripted`, in a world that stands already."""
    course = start(question, settings)
    records: list[Record] = []
    keys: list[str] = []
    together: list[Call] = []
    first = 0
    while course.item is not None:
        seq = len(records) + 1
        if (made := course.record(seq, clock(seq))) is not None:
            records.append(made)
        elif isinstance(course.item, Together):
            together, first = list(course.requests()), seq
            course.go_on()
        else:
            (call,) = course.requests()
            keys.append(call_key(call))
            reply = world.answer(call)
            reading = course.read(reply)
            beside = first if together and seq > first else None
            assert not together or call == together.pop(0), "other calls follow than those that were said to"
            read = reading_json(reading, reply)
            records.append(CallRecord(seq=seq, call=call, reply=reply, at=clock(seq), beside=beside, read=read))
            course.give(seq, reply, reading)
    trace = Trace(name="scripted", header=scripted_header(question, settings, **header), records=tuple(records))
    assert [call_key(one.call) for one in trace.calls] == keys, "a call was changed after it was made"
    assert state(trace).problems == ()
    assert replay(trace) == trace.events
    return trace


def scripted_header(question: str, settings: Settings = SETTINGS, **changes: Any) -> Header:
    plain = Header(
        run_id="5c21b7ed00000000",
        created_at=START,
        question=question,
        settings=settings,
        recorded_with="scripted",
        package_version="0.1.0",
        prompts=prompts.hashes(),
        context_bound=strategy_of(settings).bound(settings) if settings.agent != "imported" else None,
    )
    return replace(plain, **changes)


def clock(seq: int) -> str:
    """A fixed time for record `seq`: one second a record."""
    return f"{START[:11]}{9 + seq // 3600:02}:{seq // 60 % 60:02}:{seq % 60:02}.000Z"


def write_trace(trace: Trace, path: Path) -> Path:
    """The trace as a real file, written as a live run writes it."""
    with TraceWriter.create(path, trace.header, redact=lambda value: value, overwrite=True) as writer:
        for one in trace.records:
            writer.write(one)
    return path


# A small world: a wrong capital, and two facts that hang from it.

QUESTION = "In which town was the mayor of the capital of Alvonia born?"
VELMORA = "The capital of Alvonia is Velmora."
KORN = "The mayor of Velmora is Ilse Korn."
TARN = "Ilse Korn was born in Tarn."
DRESK = "The capital of Alvonia is Dresk."
LIND = "The mayor of Dresk is Otto Lind."
SORREL = "Otto Lind was born in Sorrel."


def asking(count: int, *evidence: str) -> list[Said]:
    """A policy that makes `count` searches and then stops on `evidence`."""
    return [*(search(f"query {number}") for number in range(1, count + 1)), stop(*evidence)]


def finding(*sentences: str) -> list[Found]:
    """Each search finds one page with one sentence."""
    return [[hit(sentence)] for sentence in sentences]


def repaired_run(script: Script | None = None, settings: Settings = SETTINGS) -> Trace:
    """Three searches build on Velmora; the fourth brings Dresk and e1 is repaired at n1; two more lead to Sorrel."""
    plain: Script = {"policy": asking(6, "e6"), "conflict": clashing(("e1", "e4"))}
    finds = finding(VELMORA, KORN, TARN, DRESK, LIND, SORREL)
    return run_scripted(QUESTION, {**plain, **(script or {})}, finds, settings)


PAGES = {"atlas": VELMORA, "council": KORN, "births": TARN, "gazette": DRESK, "almanac": LIND, "register": SORREL}
"""Title to text: a search for a title finds that page alone."""


def corpus(path: Path) -> Path:
    """The pages as a corpus file."""
    path.write_text("".join(json.dumps({"title": title, "text": text}) + "\n" for title, text in PAGES.items()))
    return path


def mind(call: ModelCall) -> Said:
    """A policy without memory of its own that makes the same run as `repaired_run` over `corpus`."""
    known = set(shown(call).values())
    steps = [(SORREL, None), (LIND, "register"), (DRESK, "almanac"), (TARN, "gazette"), (KORN, "births")]
    steps += [(VELMORA, "council")]
    query = next((query for text, query in steps if text in known), "atlas")
    return search(query) if query else stop(*shown(call))


MIND: Script = {"policy": mind, "conflict": clashing(("e1", "e4"))}


# Looking at a run.


def state(trace: Trace) -> State:
    return fold(trace.events)


def told(trace: Trace) -> list[EventRecord | CallRecord]:
    """What happened and what was asked, without what makes it repeatable."""
    return [one for one in trace.records if isinstance(one, EventRecord | CallRecord)]


def in_format_1(trace: Trace) -> Trace:
    """The same run without what format 2 adds."""
    header = replace(trace.header, version=1, context_bound=None)
    return Trace(name=trace.name, header=header, records=tuple(map(_in_format_1, told(trace))))


def _in_format_1(record: EventRecord | CallRecord) -> Record:
    if isinstance(record, EventRecord):
        return replace(record, because=())
    call = replace(record.call, inputs="") if isinstance(record.call, ModelCall) else record.call
    return replace(record, call=call, read=None)


def timeless(record: Record) -> Record:
    """A record without its time."""
    return replace(record, at="") if isinstance(record, EventRecord | CallRecord) else record


def place_of(trace: Trace, record: Record) -> int:
    """Where a record of a trace stands."""
    return next(at for at, one in enumerate(trace.records) if one is record)


def kinds(trace: Trace, *leave_out: str) -> list[str]:
    """Kinds of all events in order, `leave_out` excepted."""
    return [one.kind for one in trace.events if one.kind not in leave_out]


def only(trace: Trace, kind: type[Any]) -> Any:
    """The one event of a class."""
    found = every(trace, kind)
    assert len(found) == 1, f"{len(found)} events of {kind.__name__}"
    return found[0]


def every(trace: Trace, kind: type[Any]) -> list[Any]:
    return [one for one in trace.events if isinstance(one, kind)]


def changed(trace: Trace, place: int, record: Record) -> Trace:
    """The trace with another record at `place`."""
    return replace_records(trace, [*trace.records[:place], record, *trace.records[place + 1 :]])


def replace_records(trace: Trace, records: Sequence[Record]) -> Trace:
    return Trace(name=trace.name, header=trace.header, records=tuple(records))

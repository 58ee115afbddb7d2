"""Everything that can be asked of a trace without a browser or a model, and what must hold of whatever comes back.

A look ends with something to show, or with one line of words: ReTreeError, never another exception.
"""

from __future__ import annotations

import asyncio
import contextlib
import io
import json
import random
import re
from collections.abc import Callable, Iterator
from dataclasses import asdict, replace
from html.parser import HTMLParser
from pathlib import Path
from typing import Any
from xml.etree import ElementTree

import networkx as nx

from retree_core.breakpoints import Breakpoint, hits
from retree_core.cli import main
from retree_core.drivers.edits import Edit, Editable, editable
from retree_core.drivers.fork import fork
from retree_core.errors import ReTreeError
from retree_core.invariants import broken
from retree_core.labels import label_note, label_scores
from retree_core.notes import Notes
from retree_core.state import fold, states
from retree_core.state_json import state_json
from retree_core.trace import Trace, read_trace
from retree_core.trace.reader import parse_trace
from retree_core.why import why_claim, why_event, why_evidence, why_pair, why_run
from retree_core.why.blast import blast
from retree_viz import edits, making
from retree_viz.charts.data import charts, spent
from retree_viz.comparing import outcome, pane
from retree_viz.comparing.bar import choice_bar
from retree_viz.comparing.bar import top_bar as pair_bar
from retree_viz.comparing.pair import Pair, timeline_data
from retree_viz.export import FORMATS, Exported, export
from retree_viz.memory import kept, memory
from retree_viz.noted import Noted
from retree_viz.opened import Opened
from retree_viz.panels import bar, origin
from retree_viz.panels import blast as blast_panel
from retree_viz.panels.answer import answer
from retree_viz.panels.foot import foot
from retree_viz.panels.gallery import run_card
from retree_viz.panels.inspector import inspector
from retree_viz.panels.noted import judge_section, marks_at, notes_list
from retree_viz.place import KINDS, TABS, Place
from retree_viz.run import Run
from retree_viz.runs import RunFile, card
from retree_viz.timeline.component import _points, _watch
from retree_viz.tree.graph import TreeOptions
from retree_viz.tree.index import TreeIndex
from retree_viz.tree.view import tree_view
from retree_viz.uploads import keep

Look = Callable[[], object]

_UNSEEN = re.compile("[\x00-\x08\x0b-\x1f\x7f-\x9f\u200b\u200e\u200f\u202a-\u202e\u2066-\u2069\ufeff\ud800-\udfff]")
"""What no screen may get as it is."""
_LINE = re.compile("[\x00-\x1f\x7f-\x9f\u2028-\u202e\u2066-\u2069\ud800-\udfff]")
"""What no message may hold: it is one line, on any terminal."""
_SAFE = re.compile(r"(?:https?://|#)", re.IGNORECASE)
_ACTIVE = {"script", "iframe", "object", "embed", "form", "base", "meta", "link", "img", "style"}
_ABSENT = ("c1", "c0", "c²", "c99999999999", "s1", "s٣", "r1", "answer", "zzz", "__proto__", "e1", "n1", "")
_TEXTS = ("other words", "", "{}", '{"facts": []}', '{"facts": null}', '{"pairs": [{"stored": "e1"}]}', '{"action": 5}')
_POINTS = ("conflict_proposed", "role=confirm", "role=search", "evidence=e1", "node=root", "context>5", 'text="the"')
_NOTES = Notes(
    notes=(
        {"id": "a", "kind": "note", "moment": 3, "text": "\x1b[31m<img src=x onerror=alert(1)>"},
        {"id": "b", "kind": "label", "moment": 3, "verdict": "right", "old": "e1", "new": "e4"},
        {"id": "c", "kind": "rerun", "moment": 4, "call": 1, "reply": None},
    )
)


def said(error: ReTreeError) -> str:
    """The message of an error, which is one line."""
    words = str(error)
    assert words, "an error without words"
    assert not _LINE.search(words), f"a message that is not one line: {words[:300]!r}"
    assert len(words) < 1300, f"a message of {len(words)} characters: {words[:300]!r}"
    return words


# What comes back.


class _Reader(HTMLParser):
    """Finds what must not be in markup."""

    def __init__(self) -> None:
        super().__init__()
        self.wrong: list[str] = []

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        if tag in _ACTIVE:
            self.wrong.append(tag)
        for name, value in attrs:
            if name.startswith("on") or (name in ("href", "src") and not _SAFE.match(value or "")):
                self.wrong.append(f"{tag} {name}={value}")


def markup(html: object) -> None:
    """Markup that does nothing by itself and hides nothing; None is no markup."""
    if html is None:
        return
    reader = _Reader()
    reader.feed(str(html))
    assert reader.wrong == []
    assert not (found := _UNSEEN.search(str(html))), f"{found[0]!r} in markup"


def data(value: object) -> None:
    """JSON that a component draws, all of it on the screen."""
    text = json.dumps(value, allow_nan=False, ensure_ascii=False)
    assert not (found := _UNSEEN.search(text)), f"{found[0]!r} in a component's data"


def tree_data(value: dict[str, Any]) -> None:
    """JSON that the tree draws. Ids in it are as they are, since clicks name them; what is drawn is a label."""
    json.dumps(value, allow_nan=False)
    cards = [one.get("card", {}) for one in value["nodes"]]
    data([value["label"], value["empty"], value["captions"]])
    data([(one.get("name"), one.get("meta"), one.get("lines")) for one in cards])
    data([(chip["label"], chip["tip"]) for one in cards for chip in one.get("chips", ())])


def plain_json(text: str | bytes) -> Any:
    def refuse(name: str) -> None:
        raise AssertionError(f"{name} is no JSON")

    return json.loads(text, parse_constant=refuse)


def exported(to: str, what: Exported) -> None:
    """A file that others can read."""
    content = export(what, to)
    text = content.decode() if to != "png" else ""
    match to:
        case "html":
            start = text.index("<body>")
            markup(text[start : text.index('<script type="application/json"', start)])
        case "svg":
            ElementTree.fromstring(content)
        case "graphml":
            nx.read_graphml(io.BytesIO(content))
        case "dot":
            assert text.count("{") >= 1
            assert text.rstrip().endswith("}")
        case "json" | "otel":
            plain_json(text)


# Looks.


def looks(trace: Trace, chance: random.Random, folder: Path) -> Iterator[tuple[str, Look]]:
    """All looks by name, at the last moment and at some others."""
    run = Run(trace)
    index = TreeIndex(run)
    ids = (*run.last.nodes, *run.last.evidence, *run.last.passages, *_ABSENT)
    noted = Noted(notes=_NOTES)
    yield from _of_the_whole(run, index, noted, chance)
    for moment in dict.fromkeys((run.total, *(chance.randrange(run.total + 1) for _ in range(2)))):
        one, other = chance.choice(ids), chance.choice(ids)
        yield from _at_a_moment(run, index, noted, moment, one, other, chance)
        yield from _of_a_fork(run, moment, one, chance, folder)


def _of_the_whole(run: Run, index: TreeIndex, noted: Noted, chance: random.Random) -> Iterator[tuple[str, Look]]:
    trace = run.trace
    facts = [*run.last.evidence, "e1"]
    yield "every state", lambda: [*states(trace.events)]
    yield "state as JSON", lambda: json.dumps(state_json(fold(trace.events)), allow_nan=False)
    yield "invariants", lambda: broken(trace)
    yield "timeline", lambda: data(run.timeline.json)
    yield "charts", lambda: data(charts(run).json)
    yield "notices", lambda: markup(bar.notices(run, "trouble"))
    yield "origin", lambda: markup(origin.origin(run))
    yield "end", lambda: markup(bar.end_chip(run))
    yield "resumable", lambda: making.can_resume(RunFile(address="runs/x", path=Path("x"), size=1, mtime_ns=1), run)
    yield "why: run", lambda: asdict(why_run(trace))
    yield "why: claim", lambda: asdict(why_claim(trace, chance.choice((0, 1, 2))))
    yield "why: evidence", lambda: asdict(why_evidence(trace, chance.choice(facts)))
    yield "why: pair", lambda: asdict(why_pair(trace, chance.choice(facts), chance.choice(facts)))
    for text in _POINTS:
        yield f"breakpoint {text}", lambda text=text: hits(trace, Breakpoint.parse(text))
    yield "breakpoints", lambda: data(_points(run, _POINTS))
    yield "labels", lambda: [label_note(one, "right") for one in run.conflicts if one.decided]
    yield "judge by labels", lambda: markup(judge_section(label_scores(noted.labels)))
    yield "note marks", lambda: data(noted.marks)
    for which in ("all", "marked", "policy", "policy.2", "search", "x.9", "confirm", "all.999999999"):
        place = Place(run="a", tab="calls", calls=which)
        yield f"calls {which}", lambda place=place: markup(inspector(run, place, noted))
    for number in {1, len(trace.calls), chance.randrange(len(trace.calls) + 2), 10**8}:
        place = Place(run="a", tab="calls", call=number)
        yield f"call {number}", lambda place=place: markup(inspector(run, place, noted))
    for to in FORMATS:
        if to != "png" or chance.random() < 0.05:
            moment = chance.choice((run.total, chance.randrange(run.total + 1)))
            what = Exported(run=run, index=index, moment=moment, notes=noted.notes)
            yield f"export {to} at {moment}", lambda to=to, what=what: exported(to, what)


def _at_a_moment(
    run: Run, index: TreeIndex, noted: Noted, moment: int, one: str, other: str, chance: random.Random
) -> Iterator[tuple[str, Look]]:
    where = f"at {moment}, {one[:40]!a} selected"
    place = Place(run="a", moment=moment, selected=one)
    yield f"top bar {where}", lambda: markup(bar.top_bar(run, moment))
    yield f"event line {where}", lambda: markup(bar.event_line(run, moment, noted))
    yield f"answer {where}", lambda: markup(answer(run, moment, one))
    yield f"memory {where}", lambda: markup(memory(run, moment, one))
    yield f"kept {where}", lambda: markup(kept(run, moment, one))
    yield f"foot {where}", lambda: markup(foot(run, place, noted))
    yield f"notes {where}", lambda: markup(notes_list(noted, moment))
    yield f"note marks {where}", lambda: markup(marks_at(noted, moment))
    yield f"spent {where}", lambda: json.dumps([asdict(each) for each in spent(run, moment)], allow_nan=False)
    for tab in TABS:
        base = chance.choice((None, 0, moment, 10**8))
        there = replace(place, tab=tab, base=base, full=True)
        yield f"{tab} panel {where}", lambda there=there: markup(inspector(run, there, noted))
    pair = replace(place, pair=other)
    yield f"pair panel {where}", lambda: markup(inspector(run, pair, noted))
    options = TreeOptions(selected=other or None, claim=chance.choice((None, 1, 5)), opened=(one,))
    yield f"tree {where}", lambda: tree_data(tree_view(index, moment, options))
    yield f"whole tree {where}", lambda: tree_data(tree_view(index, moment, TreeOptions.showing(KINDS)))
    yield f"watch {where}", lambda: data(_watch(run, other))
    yield f"changes {where}", lambda: run.changes(one)
    yield f"why: event {moment}", lambda: asdict(why_event(run.trace, moment))


def _of_a_fork(run: Run, moment: int, selected: str, chance: random.Random, folder: Path) -> Iterator[tuple[str, Look]]:
    trace = run.trace

    def change(one: Editable) -> Edit:
        flipped = {"reject": "repair"}.get(one.value, "reject")
        return Edit.of(one.what, flipped if one.what == "verdict" else chance.choice(_TEXTS), one.id)

    def changed() -> list[Editable]:
        found = editable(trace, moment)
        return [chance.choice(found)] if found else []

    def forked(one: Editable) -> None:
        out = folder / "fork.jsonl"
        work = fork(trace, one.moment, [change(one)], out, live_model=False, overwrite=True)
        made = asyncio.run(work)
        assert not made.damage
        markup(inspector(Run(made), Place(run="a"), Noted()))

    yield f"choices at {moment}", lambda: [edits.named(one) for one in edits.choices(run, moment, selected)]
    yield f"choices shown at {moment}", lambda: [edits.shown(one).encode() for one in edits.choices(run, moment)]
    yield f"near {moment}", lambda: edits.near(run, moment)
    yield (
        f"blast at {moment}",
        lambda: [markup(blast_panel.blast(run, blast(trace, one.moment, [change(one)]))) for one in changed()],
    )
    yield f"fork at {moment}", lambda: [forked(one) for one in changed()]


def pair_looks(trace: Trace, other: Opened, chance: random.Random) -> Iterator[tuple[str, Look]]:
    """All looks at the trace beside another run, or beside itself."""
    own = Opened(Run(trace))
    pair = Pair(*chance.choice(((own, other), (other, own), (own, own))))
    moment = chance.choice((None, chance.randrange(pair.a.run.total + 1)))
    for sync in ("search", "event", "claim"):
        selected = chance.choice(("", "a.e1", "b.e1", "e1", "a.", "b.__proto__", "x.y", ".n1"))
        against = chance.choice((None, 0, 3, 10**8))
        place = Place(run="a", against="b", sync=sync, moment=moment, against_moment=against, selected=selected)
        yield f"common timeline by {sync}", lambda place=place: data(timeline_data(pair, pair.moments(place), place))
        yield f"choice by {sync}", lambda place=place: markup(choice_bar(pair, place))
        yield f"panes by {sync}", lambda place=place: _panes(pair, place)
    yield "bar of a pair", lambda: markup(pair_bar(pair))
    yield "outcome", lambda: markup(outcome.outcome(pair))
    yield "numbers", lambda: markup(outcome.numbers(pair))


def _panes(pair: Pair, place: Place) -> None:
    now = pair.moments(place)
    for at, side in enumerate("ab"):
        run, beside = (pair.runs[at], pair.runs[1 - at])
        markup(pane.head(run, side, now[at], pair.found.agents[at]))
        markup(pane.question(run))
        markup(pane.summary(run, now[at], beside.at(now[1 - at]).summary, side))
        if chosen := pair.chosen(place.selected, side):
            markup(pane.selection(run.last, chosen, side))


def file_looks(name: str, content: bytes, chance: random.Random, folder: Path) -> Iterator[tuple[str, Look]]:
    """Looks at a file, be it a trace or not: its card, an upload, and the commands."""
    path = folder / f"mutant-{name}"
    path.write_bytes(content)
    about = RunFile(address=f"runs/{path.name}", path=path, size=len(content), mtime_ns=1)

    def uploaded() -> None:
        name = chance.choice((path.name, "../<b>x</b>\x1b.json", "\ud800", "", ".gz", "a" * 300 + ".jsonl"))
        kept = folder / "own" / keep(content, name, folder / "own")
        assert read_trace(kept).events == parse_trace(content, name).events
        kept.unlink()

    (folder / "own").mkdir(exist_ok=True)
    yield "card", lambda: markup(_card(about))
    yield "upload", uploaded
    sample = str(folder / "sample.jsonl")
    at = str(chance.randrange(1, 40))
    change = chance.choice(("verdict=reject", "verdict=repair", "query=x", "reply={}", "fact=e1:x", "passage=p1:"))
    trace, out = str(path), str(folder / "out")
    to = chance.choice([one for one in FORMATS if one != "png"])
    for words in (
        ("show", trace),
        ("show", trace, "--at", at, "--json"),
        ("why", trace),
        ("why", trace, "--json"),
        ("why", trace, "--event", at),
        ("why", trace, "--event", at, "--json"),
        ("why", trace, "--evidence", "e1"),
        ("why", trace, "--claim", "1"),
        ("why", trace, "--pair", "e1", "e2"),
        ("verify", trace),
        ("verify", trace, "--json"),
        ("diff", trace, sample),
        ("diff", sample, trace, "--json"),
        ("diff", trace, trace),
        ("fork", trace, "--at", at, "--set", change, "--dry-run"),
        ("fork", trace, "--at", at, "--set", change, "--out", f"{out}.jsonl", "--overwrite"),
        ("fork", trace, "--set", "fact=e2:other words", "--dry-run", "--json"),
        ("export", trace, "--to", to, "--out", out, "--overwrite"),
        ("notes", trace),
        ("run", "--resume", trace, "--base-url", "http://127.0.0.1:9/v1"),
        ("report", str(folder)),
        ("judge", trace),
    ):
        yield f"retree {' '.join(words[:1] + words[2:])}", lambda words=words: command(*words)


def _card(about: RunFile) -> object:
    made = card(about)
    assert "fault of this program" not in made.trouble
    return run_card(made, {})


def command(*words: str) -> tuple[int, str, str]:
    """Exit code, output and errors of a command, which says nothing that a terminal would obey."""
    out, errors = io.StringIO(), io.StringIO()
    with contextlib.redirect_stdout(out), contextlib.redirect_stderr(errors):
        code = main(words)
    said = out.getvalue() + errors.getvalue()
    assert "Traceback" not in said
    assert "fault of this program" not in said, said[-600:]
    assert not (found := _UNSEEN.search(said)), f"{found[0]!r} in the output"
    assert code in (0, 1, 2)
    if code == 2 and words[0] != "verify":  # which tells of each file that it was given
        lines = [one for one in errors.getvalue().splitlines() if not one.startswith(("note: ", "["))]
        assert len(lines) == 1, errors.getvalue()
        assert lines[0].startswith("retree: ")
    if "--json" in words and out.getvalue().strip():
        plain_json(out.getvalue())
    return code, out.getvalue(), errors.getvalue()

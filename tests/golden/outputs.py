"""Everything that ReTree prints, exports and shows of its recorded runs, each output under a name.

Outputs depend on the record alone: what a person sets (terminal, environment, folders) is the same for all here.
"""

from __future__ import annotations

import contextlib
import io
import json
import os
import re
from collections.abc import Callable, Iterator
from dataclasses import replace
from functools import cache, partial
from itertools import combinations
from pathlib import Path
from typing import Any
from unittest.mock import patch

from retree_core.cli import main
from retree_core.drivers.edits import Edit
from retree_core.errors import UsageError
from retree_core.trace import Trace, read_trace
from retree_core.trace.reader import ending_of
from retree_core.verify import traces_in
from retree_core.why.blast import blast as falling
from retree_viz import edits, memory
from retree_viz.charts import component as charts_component
from retree_viz.comparing import bar as compare_bar
from retree_viz.comparing import component as compare_component
from retree_viz.comparing import outcome, pane
from retree_viz.comparing.pair import Pair, timeline_data
from retree_viz.opened import Opened
from retree_viz.panels import answer, bar, blast, foot, gallery
from retree_viz.panels.inspector import inspector
from retree_viz.place import SYNCS, TABS, Place
from retree_viz.run import Run
from retree_viz.runs import RunFile, card
from retree_viz.timeline import component as timeline_component
from retree_viz.tree.around import BLOCK, around
from retree_viz.tree.graph import TreeOptions
from retree_viz.tree.view import tree_view

REPOSITORY = Path(__file__).parents[2]
SAMPLES = REPOSITORY / "sample_runs"
OLD_TRACES = REPOSITORY / "tests" / "old_traces" / "0.1"

Output = Callable[[], str]
Named = Iterator[tuple[str, Output]]
EXPORTS = ("html", "svg", "graphml", "dot", "json", "otel")
PAIRS = (
    ("scripted-repair-north-pole", "scripted-two-repairs-toy-symphony"),
    ("scripted-flip-back-clifton-bridge", "scripted-budget-mary-celeste"),
    ("real-ulcers", "real-ytterbium"),
    ("scripted-rejected-gothenburg", "scripted-rejected-gothenburg"),
)
"""Samples that are compared with each other."""


OLD_PAIRS = (
    ("repaired", "fork-verdict"),
    ("fork-verdict", "repaired"),
    ("repaired", "flat"),
    ("flat", "react"),
    ("react", "report"),
    ("beside", "paper"),
)
"""Old traces that are compared with each other, for what no two samples have in common."""


def outputs() -> Named:
    """All outputs in order; nothing is made until one is called."""
    yield from of_samples(SAMPLES)
    for path in traces_in(OLD_TRACES):
        if ".cut-" not in path.name and not is_sample(path):
            yield from named(f"old {stem(path)}", of_old_trace(path))
    for a, b in OLD_PAIRS:
        yield from named(f"old {a} against {b}", of_pair(*(trace_of(OLD_TRACES, one) for one in (a, b))))


def of_samples(folder: Path) -> Named:
    """All outputs of the samples as they lie in a folder."""
    for path in traces_in(folder):
        if ".cut-" not in path.name and is_sample(path):
            yield from named(stem(path), of_sample(path))
    for a, b in PAIRS:
        yield from named(f"{a} against {b}", of_pair(trace_of(folder, a), trace_of(folder, b)))


def is_sample(path: Path) -> bool:
    return path.name.startswith(("real-", "scripted-"))


def stem(path: Path) -> str:
    return path.name.removesuffix(ending_of(path.name))


def trace_of(folder: Path, name: str) -> Path:
    return next(one for one in traces_in(folder) if stem(one) == name)


def named(prefix: str, items: Named) -> Named:
    return ((f"{prefix} {name}", output) for name, output in items)


def of_sample(path: Path) -> Named:
    """All there is of one run: every moment on every screen, every fact, claim and call."""
    found = opened(path)
    moments = range(1, found.run.total + 1)
    ids = sorted({*found.run.last.nodes, *found.run.last.evidence, *found.run.last.passages})
    some = [*range(0, found.run.total, 9), found.run.total]
    yield from shows(path, some)
    yield from whys(path, moments)
    yield from exports(path, some[1:][::2])
    yield from of_run(path)
    for moment in moments:
        yield from named(f"moment {moment}", of_moment(found, moment))
    for first in range(0, found.run.total, BLOCK):
        yield f"around {first}", partial(of_around, found, first)
    for number in range(1, len(found.run.trace.calls) + 1):
        yield f"call {number}", partial(inspected, found.run, found.run.total, tab="calls", call=number)
    for id_ in ids:
        for tab in ("why", "node", "evidence"):
            yield f"{tab} of {id_}", partial(inspected, found.run, found.run.total, tab=tab, selected=id_, full=True)
        yield f"tree with {id_}", partial(tree_with, found, found.run.total, id_)
    for a, b in combinations(found.run.last.evidence, 2):
        yield f"why {a} {b}", partial(inspected, found.run, found.run.total, selected=a, pair=b)


def of_old_trace(path: Path) -> Named:
    """A look at a run of an older version, many outputs under one name."""
    found = opened(path)
    total = found.run.total
    yield "show", joined(shows(path, [total]))
    yield "why", joined(whys(path, range(1, total + 1), brief=True))
    yield "export", joined(exports(path, [total], ("html", "json", "otel")))
    yield "run", joined(of_run(path))
    for moment in [*range(6, total, 12), total]:
        yield f"moment {moment}", joined(of_moment(found, moment))


def joined(items: Named) -> Output:
    return lambda: "\n".join(f"{name}\n{output()}" for name, output in items)


def shows(path: Path, moments: list[int]) -> Named:
    for moment in moments:
        yield f"show --at {moment}", partial(said, "show", path, "--at", moment)
        yield f"show --at {moment} --json", partial(said, "show", path, "--at", moment, "--json")
    yield "show", partial(said, "show", path)
    yield "verify", partial(said, "verify", path)


def whys(path: Path, moments: range, *, brief: bool = False) -> Named:
    """Every event, fact and claim; every pair of facts as text alone. `brief`: events and claims alone, as text."""
    last = opened(path).run.last
    asked: list[tuple[Any, ...]] = [(), *(("--event", one) for one in moments)]
    asked += [("--evidence", one) for one in last.evidence if not brief]
    asked += [("--claim", one) for one in range(1, len(last.answer.claims if last.answer else ()) + 1)]
    for words in asked:
        for more in [(), ("--json",)][: 1 if brief else 2]:
            yield " ".join(map(str, ("why", *words, *more))), partial(said, "why", path, *words, *more)
    for a, b in combinations(() if brief else last.evidence, 2):
        yield f"why --pair {a} {b}", partial(said, "why", path, "--pair", a, b)


def exports(path: Path, moments: list[int], formats: tuple[str, ...] = EXPORTS) -> Named:
    for to in formats:
        for moment in moments:
            yield f"export --to {to} --at {moment}", partial(said, "export", path, "--to", to, "--at", moment, *STDOUT)


STDOUT = ("--out", "-")


def of_pair(a: Path, b: Path) -> Named:
    """Two runs compared, in the terminal and on the screen."""
    pair = Pair(opened(a), opened(b))
    yield "diff", partial(said, "diff", a, b)
    yield "diff --json", partial(said, "diff", a, b, "--json")
    yield "outcome", lambda: outcome.outcome(pair)
    yield "numbers", lambda: outcome.numbers(pair) + outcome.sizes_head(pair)
    yield "sizes", lambda: given(compare_component, lambda: compare_component.show_sizes(pair, key="sizes"))
    for moment in [*range(0, pair.ends[0], 10), pair.ends[0]]:
        for sync in SYNCS:
            yield f"moment {moment} by {sync}", partial(compared, pair, Place(run="a", moment=moment, sync=sync))


def compared(pair: Pair, place: Place) -> str:
    """Bars, timeline and the heads of both sides at a moment."""
    now = pair.moments(place)
    drawn = text_of(timeline_data(pair, now, place))
    sides = (
        pane.head(run, side, moment, agent) + str(pane.summary(run, moment, other, side))
        for run, side, moment, agent, other in zip(
            pair.runs,
            pane.SIDES,
            now,
            pair.found.agents,
            [run.at(moment).summary for run, moment in zip(pair.runs, now, strict=True)][::-1],
            strict=True,
        )
    )
    return "\n".join([compare_bar.top_bar(pair), compare_bar.choice_bar(pair, place), drawn, *sides])


def of_run(path: Path) -> Named:
    """What the app shows of a run whatever the moment."""
    found = opened(path)
    run = found.run
    yield "notices", lambda: bar.notices(run)
    yield "gallery", partial(in_gallery, path)
    yield "timeline", partial(timeline_at, run, Place(run="a"))
    yield "charts", partial(charts_at, found, run.total)
    yield "links", lambda: text_of(json.loads(found.index.links))
    for listing in ("all", "marked", *dict.fromkeys(one.role for one in run.trace.calls)):
        yield f"calls {listing}", partial(inspected, run, run.total, tab="calls", calls=listing)
    for id_ in (*run.last.evidence, *run.last.nodes):
        yield f"watch {id_}", partial(timeline_at, run, Place(run="a", watch=id_))


def of_moment(found: Opened, moment: int) -> Named:
    """What the app shows at a moment."""
    run = found.run
    for tab in TABS:
        yield tab, partial(inspected, run, moment, tab=tab)
    yield "bars", partial(bars, run, moment)
    yield "memory", lambda: memory.memory(run, moment, "")
    yield "frames", partial(frames, found, moment)
    yield "fork", partial(what_if, run, moment)
    if run.has_tree:
        yield "tree", partial(tree_with, found, moment, "")


def frames(found: Opened, moment: int) -> str:
    """What a step sends to the timeline and to the charts."""
    return timeline_at(found.run, Place(run="a", moment=moment), frame=True) + charts_at(found, moment, frame=True)


def bars(run: Run, moment: int) -> str:
    """The lines above and below the tree, and the answer."""
    place = Place(run="a", moment=moment)
    lines = bar.top_bar(run, moment), bar.event_line(run, moment), answer.answer(run, moment), foot.foot(run, place)
    return "\n".join(lines)


def inspected(run: Run, moment: int, **place: Any) -> str:
    return inspector(run, Place(run="a", moment=moment, **place))


def tree_with(found: Opened, moment: int, selected: str) -> str:
    """The tree as the browser gets it."""
    return text_of(tree_view(found.index, moment, TreeOptions.showing(Place().shown, selected=selected or None)))


def of_around(found: Opened, first: int) -> str:
    """The steps around a moment as the browser gets them."""
    found.index.serial = 0
    blocks = around(found.index, first, TreeOptions())
    return text_of({place: json.loads(block) for place, block in blocks.items()})


def what_if(run: Run, moment: int) -> str:
    """What could be changed at a moment, and what would fall if it were."""
    lines = []
    for one in edits.choices(run, moment):
        flipped = edits.FLIPPED.get(one.value, "reject")
        edit = Edit.of(one.what, flipped if one.what == "verdict" else "Nobody knows.", one.id)
        lines += [edits.named(one), edits.shown(one)]
        try:
            lines.append(blast.blast(run, falling(run.trace, one.moment, (edit,))))
        except UsageError as error:
            lines.append(str(error))
    return "\n".join([*lines, str(edits.near(run, moment))])


def in_gallery(path: Path) -> str:
    file = RunFile(address=f"samples/{stem(path)}", path=path, size=0, mtime_ns=0)
    return gallery.run_card(card(file), {})


def timeline_at(run: Run, place: Place, *, frame: bool = False) -> str:
    def show() -> None:
        timeline_component.show_timeline(run, place, key="time", on_do=lambda _: None)

    return given(timeline_component, show, last=frame)


def charts_at(found: Opened, moment: int, *, frame: bool = False) -> str:
    def show() -> None:
        charts_component.show_charts(found, moment, Place(run="a"), key="charts", on_do=lambda _: None)

    return given(charts_component, show, last=frame)


def given(component: Any, show: Callable[[], None], *, last: bool = False) -> str:
    """The data that a component is given; of several mounts all, or the last."""
    every: list[str] = []

    def mount(name: str, *_files: Any, data: Any, **_rest: Any) -> None:
        every.append(f"{name} {text_of(json.loads(data) if isinstance(data, bytes) else data)}")

    with patch.object(component, "mount", mount):
        show()
    return every[-1] if last else "\n".join(every)


def text_of(data: Any) -> str:
    """JSON as text that can be looked at, whatever the order of its keys."""
    return json.dumps(data, ensure_ascii=False, allow_nan=False, indent=1, sort_keys=True)


def said(*words: object) -> str:
    """What a command prints, on both streams, with its exit code."""
    out, error = (io.TextIOWrapper(io.BytesIO(), encoding="utf-8", newline="\n") for _ in range(2))
    with contextlib.redirect_stdout(out), contextlib.redirect_stderr(error):
        code = main([str(one.relative_to(REPOSITORY)) if isinstance(one, Path) else str(one) for one in words])
    assert code in (0, 1), f"{words} is refused"
    printed = []
    for stream in (out, error):
        stream.flush()
        printed.append(stream.buffer.getvalue().decode("utf-8"))
    text = f"{printed[0]}\n{printed[1]}\nexit code {code}\n"
    for one in words:
        if isinstance(one, Path):
            text = text.replace(str(one.relative_to(REPOSITORY)), stem(one))
            text = RECORD.sub(partial(_as_call, read(one)), text) if words[0] == "why" else text
    return text


RECORD = re.compile(r'(\brecord |"seq": |"beside": )(\d+)')
"""The number of a call's record, as the command `why` names it."""


def _as_call(trace: Trace, found: re.Match[str]) -> str:
    """The number of the call instead: that of its record counts all that is recorded beside calls and events."""
    number = next((number for number, one in enumerate(trace.calls, 1) if one.seq == int(found[2])), None)
    return f"{found[1]}of call {number}" if number else found[0]


@cache
def read(path: Path) -> Trace:
    """A trace, by a name that says nothing of how its file is packed."""
    path = REPOSITORY / path
    return replace(read_trace(path), name=f"{stem(path)}.jsonl")


@cache
def opened(path: Path) -> Opened:
    return Opened(Run(read(path)))


READERS = ("show", "why", "diff", "export")


@contextlib.contextmanager
def surroundings() -> Iterator[None]:
    """The same for all: terminal, environment, folder, version; and each trace is read once."""
    before = Path.cwd()
    with contextlib.ExitStack() as stack:
        stack.enter_context(patch.dict(os.environ, {"COLUMNS": "100", "RETREE_RUNS": "no_such_folder"}, clear=True))
        stack.enter_context(patch("retree_viz.export.page.__version__", "0.1.0"))
        for name in READERS:
            stack.enter_context(patch(f"retree_core.cli.{name}.read_trace", read))
        stack.callback(os.chdir, before)
        os.chdir(REPOSITORY)
        yield

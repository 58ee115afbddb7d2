"""Changes: what differs in the memory between two moments of a run."""

from __future__ import annotations

from collections.abc import Iterator

from retree_core import events as ev
from retree_core.compare import Changes, FactChange, SummaryChange
from retree_core.compare import changes as changed
from retree_core.memory import Node
from retree_core.state import State
from retree_core.text import count
from retree_core.why import Ref
from retree_viz.html import Child, Html, join, tag
from retree_viz.panels.icons import icon
from retree_viz.panels.pieces import cut, rows, section
from retree_viz.panels.ways import act
from retree_viz.panels.wording import differing
from retree_viz.run import Run
from retree_viz.words import Sentence, listed, markup, ref, sentence, written_name

MOST = 200
"""Lines of one group; the rest is counted."""


def changes(run: Run, moment: int, base: int | None = None) -> Html:
    """The Changes panel: this moment against `base`, by default the one before."""
    other = max(0, min(moment - 1 if base is None else base, run.total))
    first, last = sorted((other, moment))
    found = changed(run.at(first), run.at(last))
    return join(
        section(_span(found, moment), choices(run, moment, base), _event(run, moment) if base is None else None),
        _nothing(found) if found.nothing else None,
        *_groups(run.at(last), found),
    )


def _span(found: Changes, moment: int) -> Html:
    ahead = " (the base is later than this moment)" if found.before == moment < found.after else ""
    return tag("span", f"From moment {found.before:,} to {found.after:,}{ahead}")


def _event(run: Run, moment: int) -> Html | None:
    event = run.event(moment)
    return tag("p", markup(sentence(event, run.at(moment))), cls="how") if event else None


def _nothing(found: Changes) -> Html:
    said = "The two moments are one." if found.before == found.after else "Nothing in the memory changed."
    return section(None, tag("p", said, cls="mut"))


# What to compare with


def choices(run: Run, moment: int, base: int | None) -> Html:
    """The moments to compare with that a person wants most, and a pin for any other."""
    named = [("the event before", None), *_turns(run, moment), ("the start", 0)]
    known = [at for _, at in named]
    pinned = base if base not in known else None
    return tag(
        "div",
        tag("span", "Since", cls="mut"),
        *(_choice(label, at, base == at) for label, at in named),
        _choice(f"moment {pinned:,}, pinned", pinned, True) if pinned is not None else None,
        act("pin", "Pin this moment", f"base:{moment}", "keep comparing with this moment while you step on", "small"),
        cls="bases",
        role="group",
        aria_label="compare with",
    )


def _choice(label: str, at: int | None, chosen: bool) -> Html:
    return tag(
        "button",
        label,
        type="button",
        cls="btn small on" if chosen else "btn small",
        aria_pressed="true" if chosen else "false",
        data_do=f"base:{'' if at is None else at}",
    )


def _turns(run: Run, moment: int) -> Iterator[tuple[str, int]]:
    """Just before the last search and the last repair up to a moment."""
    for label, kind in (("the last search", ev.SearchChosen), ("the last repair", ev.EvidenceRepaired)):
        at = next((one for one in range(moment, 0, -1) if isinstance(run.event(one), kind)), None)
        if at is not None:
            yield label, at - 1


# What changed


def _groups(state: State, found: Changes) -> Iterator[Html]:
    if found.searches or found.passages or found.steps or found.current or found.ended:
        yield section("The run", rows(_run_rows(found)))
    nodes = list(_nodes(found)) if state.has_tree else []
    if nodes:
        yield section("Nodes", _list(nodes), aside=count(len(nodes), "change"))
    if found.facts:
        before, after = found.in_force
        aside = f"in force: {before}" if before == after else f"in force: {before} → {after}"
        yield section("Facts", _list([_fact(state, one) for one in found.facts]), aside=aside)
    yield from (_summary(state, one) for one in found.summaries)
    if found.context:
        yield section("Policy context", rows(_context_rows(found)))
    if found.answer:
        yield _answer(found.answer)
    problems = [one for one in state.problems if _within(one, found)]
    if problems:
        yield section(
            "What did not fit", _list([tag("li", icon("warning", "s"), tag("span", cut(one, 300))) for one in problems])
        )


def _within(problem: str, found: Changes) -> bool:
    at = problem.removeprefix("event ").partition(":")[0]
    return at.isdecimal() and found.before < int(at) <= found.after


def _list(lines: list[Html]) -> Html:
    rest = (
        tag("li", tag("span"), tag("span", f"and {len(lines) - MOST:,} more", cls="mut")) if len(lines) > MOST else None
    )
    return tag("ul", *lines[:MOST], rest, cls="changes")


def _run_rows(found: Changes) -> list[tuple[str, Child]]:
    searches = [Ref(f"s{one.number}") for one in found.searches]
    passages = [one.id for one in found.passages]
    moved = join(ref(found.current[0]), " → ", ref(found.current[1])) if found.current else None
    return [
        ("Searches", markup(listed(searches)) if searches else None),
        ("Passages", markup(listed(passages)) if passages else None),
        ("Steps", count(len(found.steps), "step") if found.steps else None),
        ("Current node", moved),
        ("Ended", found.ended.status.replace("_", " ") if found.ended else None),
    ]


def _line(mark: str, tone: str, words: Sentence, *more: Child) -> Html:
    return tag("li", tag("span", icon(mark, "s"), cls=tone), tag("span", markup(words), *more))


def _nodes(found: Changes) -> Iterator[Html]:
    for node in found.nodes_added:
        yield _line(
            "node", "focus", (Ref(node.id), f" added{_below(node)[0]}", *_below(node)[1:], ": "), cut(node.query, 300)
        )
    for id_, evidence, revision in found.nodes_repaired:
        yield _line("repair", "repair", (Ref(id_), " repaired: ", Ref(evidence), f" is now r{revision}"))
    for node in found.nodes_pruned:
        cause: Sentence = (" for ", Ref(node.pruned_for)) if node.pruned_for else ()
        yield _line(
            "cut", "ghost", (Ref(node.id), f" pruned at event {node.pruned_at}", *cause, ": "), cut(node.query, 300)
        )


def _below(node: Node) -> Sentence:
    return (" below ", Ref(node.parent)) if node.parent else ("",)


_FACTS = {
    "read": ("fact", "focus", " read"),
    "added": ("fact", "focus", " added to "),
    "contested": ("conflict", "refuse", " contested by "),
    "repaired": ("repair", "repair", " repaired by "),
    "duplicate": ("pair", "mut", " restates "),
    "absorbed": ("repair", "repair", " became a revision of "),
    "set_aside": ("aside", "mut", " set aside"),
    "pruned": ("cut", "ghost", " pruned"),
}
"""What happened to a fact: icon, tone and words."""


def _fact(state: State, one: FactChange) -> Html:
    mark, tone, words = _FACTS[one.what]
    others = listed(one.others)
    if one.what == "added" and not state.has_tree:
        others = ("the list",)
    revision = f" to r{one.revision}" if one.what == "repaired" else ""
    text = differing(one.former, one.text) if one.what == "repaired" else cut(one.text, 400)
    return _line(mark, tone, (Ref(one.id), words, *others, revision, ": "), text)


def _summary(state: State, one: SummaryChange) -> Html:
    words = f"{len(one.before.split())} → {len(one.after.split())} words" if one.before else "first"
    return section(
        join("Summary of ", ref(one.node)) if state.has_tree else written_name(state),
        tag("p", differing(one.before, one.after), cls="summary words-apart"),
        aside=words,
    )


def _context_rows(found: Changes) -> list[tuple[str, Child]]:
    before, after = found.context or (0, 0)
    return [
        ("Shown now", markup(listed(found.shown_now)) if found.shown_now else None),
        ("No longer", markup(listed(found.shown_no_longer)) if found.shown_no_longer else None),
        ("Characters", f"{before:,} → {after:,}"),
    ]


def _answer(given: ev.Answered) -> Html:
    claims = [markup((Ref(f"c{number}"), " ")) for number in range(1, len(given.claims) + 1)]
    lines = [tag("li", id_, tag("span", cut(one.text, 600))) for id_, one in zip(claims, given.claims, strict=True)]
    return section("Answer", tag("p", cut(given.text, 2000), cls="lead"), _list(lines) if lines else None)

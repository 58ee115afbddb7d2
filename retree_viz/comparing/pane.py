"""One of the two runs at its moment: heading, what is selected, and the summary."""

from __future__ import annotations

from retree_core import events as ev
from retree_core.memory import Evidence
from retree_core.state import State
from retree_core.text import count
from retree_core.why.standing import fate_words
from retree_viz.html import Child, Html, join, tag
from retree_viz.panels.bar import agent_name
from retree_viz.panels.icons import icon, of_event, tone
from retree_viz.panels.pieces import cut
from retree_viz.panels.wording import side_of
from retree_viz.run import Run
from retree_viz.words import markup, ref, sentence, written_name

SIDES = ("a", "b")


def badge(side: str) -> Html:
    """The sign of a run: A is a solid circle, B a square."""
    return tag("span", side.upper(), cls=f"ab {side}")


def head(run: Run, side: str, moment: int, agent: str) -> Html:
    """Whose pane it is, the moment, and what happened there in words."""
    event = run.event(moment)
    said = markup(sentence(event, run.at(moment))) if event else tag("span", "Nothing has happened yet.")
    mark = tag("span", icon(of_event(event.kind), "s"), cls=tone(event.kind)) if event else None
    return tag(
        "div",
        badge(side),
        tag("b", agent_name(agent)),
        tag("span", run.trace.name, cls="mono mut file", title=run.trace.name),
        tag("span", "moment ", tag("b", f"{moment:,}"), f" of {run.total:,}", cls="moment"),
        tag("span", mark, tag("span", said), cls="happened", role="status"),
        tag("button", "Open", type="button", cls="go", data_do=f"alone:{side}", title="open this run at this moment"),
        cls="ph",
    )


def question(run: Run) -> Html:
    """The run's own question, where the two differ."""
    return tag("div", cut(run.trace.header.question, 400), cls="own-question")


def summary(run: Run, moment: int, other: str, side: str) -> Html | None:
    """The summary in force, with the words marked that the other run's summary has not; None for an agent without."""
    state = run.at(moment)
    own = state.summary
    if not own:
        yet = tag("div", tag("span", "No summary yet.", cls="mut"), cls="sumb")
        return yet if run.last.summary else None
    written = ("Summary of ", ref(state.current)) if run.has_tree else (written_name(state),)
    said = side_of(own, other, "gone") if side == "a" else side_of(other, own, "new")
    return tag(
        "div",
        tag("span", *written, _origin(run, moment, state.current), " ", cls="mut"),
        tag("span", said),
        cls="sumb",
    )


def _origin(run: Run, moment: int, node: str) -> str:
    """How it came to be, where a model did not just write it."""
    for at in range(moment, 0, -1):
        event = run.event(at)
        if isinstance(event, ev.SummaryWritten) and event.node == node:
            how = {"regenerated": "regenerated", "kept": "the parent's", "facts": "made of the facts"}.get(event.origin)
            return f", {how} at event {at}" if how else f", event {at}"
    return ""


def selection(state: State, id_: str, side: str) -> Html | None:
    """What is selected, as this run knows it."""
    fact, node, passage = state.evidence.get(id_), state.nodes.get(id_), state.passages.get(id_)
    if fact:
        said: Child = join(tag("b", _named(fact)), f" {fate_words(fact)}: ", cut(fact.text, 600))
    elif node:
        said = join(tag("b", node.id), f" {count(len(node.evidence), 'fact')}: ", cut(node.query, 400))
    elif passage:
        said = join(tag("b", passage.id), " ", cut(passage.title or passage.text, 300))
    else:
        return None
    close = tag("button", "×", type="button", cls="go", data_do="select:", aria_label="clear the selection")
    return tag("div", badge(side), tag("span", said), close, cls="chosen")


def _named(fact: Evidence) -> str:
    return f"{fact.id} r{fact.current.number}" if fact.current.number > 1 else fact.id

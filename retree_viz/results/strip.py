"""Above a run that was chosen from results: the way back, how it was graded, and other agents on the same question."""

from __future__ import annotations

from retree_viz.html import Html, tag, visible
from retree_viz.panels.bar import agent_name, button
from retree_viz.panels.icons import icon
from retree_viz.panels.pieces import cut
from retree_viz.results.data import Line, Loaded
from retree_viz.results.pieces import grader_of, outcome_of


def back(place_of: str) -> Html:
    """The button that leads back to the list of runs, at the row it was left at."""
    name = place_of.rpartition("/")[2]
    return button(
        "back", f"Results: {visible(name)[:40]}", do="results:", key="Backspace", title="back to the list (Backspace)"
    )


def strip(loaded: Loaded, address: str) -> Html:
    """The strip of a run; of a run that is none of these results only the way back."""
    line = line_of(loaded, address)
    if line is None:
        return tag("div", back(loaded.name), cls="of-results")
    others = (one for one in loaded.lines if (one.data_set, one.id) == (line.data_set, line.id) and one is not line)
    return tag(
        "div",
        back(loaded.name),
        graded(line),
        golds(line),
        tag("span", cls="sp"),
        tag("span", "Same question", cls="mut"),
        *map(_other, others),
        cls="of-results",
    )


def line_of(loaded: Loaded, address: str) -> Line | None:
    """The run of these results that has the address."""
    return next((one for one in loaded.lines if visible(one.address) == visible(address)), None)


def golds(one: Line) -> Html:
    """The gold answers of a run's question."""
    said = " | ".join(one.golds) or "none"
    return tag("span", tag("span", "Gold answer ", cls="mut"), cut(said, 200), cls="gold", title=visible(said)[:1000])


def graded(one: Line) -> Html | None:
    """Whether it was right, and who says so; None of a run that has not ended."""
    mark, tone, word = outcome_of(one)
    by = {"EM": "by exact match", "judge": "by the answer judge"}.get(grader_of(one), "")
    return tag("span", icon(mark, "s"), f"{word} {by}".strip(), cls=f"st {tone}", title=one.reason) if word else None


def _other(one: Line) -> Html:
    mark, tone, word = outcome_of(one)
    name = agent_name(one.agent)
    told = visible(f"{word or 'unfinished'}: {one.answer or 'no answer'}")[:300]
    return tag(
        "span",
        tag(
            "button",
            tag("span", icon(mark, "s"), cls=tone),
            name,
            type="button",
            data_do=f"result:{one.address}",
            title=f"open; {told}",
        ),
        tag(
            "button",
            icon("compare", "s"),
            type="button",
            data_do=f"compare:{one.address}",
            title=f"compare with {name}",
            aria_label=f"compare with {name}",
        ),
        cls="switch",
    )

"""What people noted on a run, where the panels show it."""

from __future__ import annotations

from retree_core.calls import JsonObject
from retree_core.labels import Label, LabelScores, Score
from retree_core.notes import moment_of
from retree_core.text import count
from retree_viz.html import Child, Html, join, tag, visible
from retree_viz.noted import Noted
from retree_viz.panels.icons import icon
from retree_viz.panels.pieces import cut

SIGNS = {"right": ("check", "repair"), "wrong": ("cross", "conflict"), "note": ("pen", "focus")}
"""Verdict, or `note`, to icon and colour class."""
MOST = 500
"""Notes listed; the rest is counted."""


def label_tag(label: Label | None) -> Html | None:
    """The label of a decision, for a heading."""
    if label is None:
        return None
    mark, colour = SIGNS[label.verdict]
    return tag(
        "span",
        icon(mark, "s"),
        f"labelled {label.verdict}",
        cls=f"tag by-you {colour}",
        title="your label of this decision; it is kept beside the trace",
    )


def marks_at(noted: Noted, moment: int) -> Html | None:
    """What is noted on a moment, for the line that says it in words; a click lists it."""
    here = noted.at(moment)
    if not here:
        return None
    signs = dict.fromkeys(_sign(one) for one in here)
    said = "; ".join(visible(one.get("text", ""))[:300] for one in here)
    return tag(
        "button",
        *(tag("span", icon(SIGNS[one][0], "s"), cls=SIGNS[one][1]) for one in signs),
        tag("span", ", ".join("note" if one == "note" else f"labelled {one}" for one in signs)),
        type="button",
        cls="noted",
        data_do="dialog:note",
        title=said,
    )


def _sign(note: JsonObject) -> str:
    return str(note.get("verdict")) if note.get("kind") == "label" and note.get("verdict") in SIGNS else "note"


def notes_list(noted: Noted, moment: int) -> Html:
    """All notes, labels and re-runs by moment, each with ways to its moment and out."""
    every = sorted(noted.notes.notes, key=moment_of)
    if not every:
        return tag("p", "No notes on this run yet.", cls="mut")
    rest = tag("p", f"{MOST} of {len(every):,} shown", cls="mut") if len(every) > MOST else None
    return join(tag("ul", *(_line(one, moment) for one in every[:MOST]), cls="notes"), rest)


def _line(note: JsonObject, moment: int) -> Html:
    at = moment_of(note)
    mark, colour = ("call", "focus") if note.get("kind") == "rerun" else SIGNS[_sign(note)]
    kind = str(note.get("kind", ""))
    go = tag("button", f"{at:,}", type="button", cls="at", data_do=f"go:{at}", title="go there")
    return tag(
        "li",
        go,
        tag("span", icon(mark, "s"), cls=colour, title=visible(kind)[:40]),
        tag("span", cut(str(note.get("text", "")), 4000), cls="said"),
        tag("span", cut(visible(note.get("at", ""))[:16].replace("T", " "), 40), cls="mut num"),
        tag(
            "button",
            icon("cross", "s"),
            type="button",
            cls="btn icon",
            data_do=f"forget:{note.get('id', '')}",
            aria_label=f"Delete the {visible(kind)[:40]} at event {at}",
            title="delete",
        ),
        cls="on" if at == moment else "",
    )


def judge_section(scores: LabelScores) -> Html | None:
    """The conflict judge's precision by all labels; None while there is none."""
    if not scores.labelled:
        return None
    head = tag("tr", *(tag("th", name, scope="col") for name in ("", "labelled", "right", "wrong", "precision")))
    deciders = (
        _score(join(decision, " by ", tag("span", cut(by, 60), cls="mono")), score)
        for (decision, by), score in scores.by_decider.items()
    )
    lines = [
        _score(tag("b", "Confirmed conflicts"), scores.confirmed),
        _score(tag("b", "Rejected conflicts"), scores.rejected),
        *deciders,
    ]
    title = tag(
        "summary",
        tag("b", "Conflict judge by your labels"),
        tag("span", count(scores.labelled, "labelled decision"), cls="mut"),
        _in_short("confirmed", scores.confirmed),
        _in_short("rejected", scores.rejected),
        tag("span", "retree notes FOLDER", cls="where"),
    )
    table = tag("table", tag("thead", head), tag("tbody", *lines), cls="by-labels")
    return tag("section", tag("details", title, table, cls="judge"), cls="shelf")


def _in_short(decision: str, one: Score) -> Html | None:
    return tag("span", f"{decision}: {one.right} of {one.labelled} right") if one.labelled else None


def _score(name: Child, one: Score) -> Html:
    precision = "n/a" if one.precision is None else f"{one.precision:.2f}"
    figures = (f"{one.labelled:,}", f"{one.right:,}", f"{one.wrong:,}", precision)
    return tag("tr", tag("th", name, scope="row"), *(tag("td", figure) for figure in figures))

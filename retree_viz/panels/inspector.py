"""The inspector: a heading and four tabs, of which one is shown."""

from __future__ import annotations

from retree_core.state import State
from retree_viz.html import Html, tag
from retree_viz.noted import UNNOTED, Noted
from retree_viz.panels import calls, changes, context, evidence, node, why
from retree_viz.panels.icons import icon
from retree_viz.panels.noted import label_tag
from retree_viz.place import TABS, Place
from retree_viz.run import Run


def inspector(run: Run, place: Place, noted: Noted = UNNOTED) -> Html:
    """Heading, tabs and the panel of the chosen tab."""
    moment = place.at(run.total)
    state = run.at(moment)
    return tag(
        "div",
        _heading(run, state, moment, place, noted),
        _tabs(run, moment, place),
        tag("div", _body(run, moment, place), cls="ib"),
        cls="insp",
    )


def _body(run: Run, moment: int, place: Place) -> Html:
    match place.tab:
        case "node":
            return node.node(run, moment, place.selected)
        case "evidence":
            return evidence.evidence(run, moment, place.selected, full=place.full)
        case "calls":
            return calls.calls(run, moment, place.call, place.calls)
        case "context":
            return context.context(run, moment)
        case "changes":
            return changes.changes(run, moment, place.base)
        case _:
            return why.why(run, moment, place.selected, place.pair)


def _heading(run: Run, state: State, moment: int, place: Place, noted: Noted) -> Html:
    mark, colour, tag_ = "tree", "focus", None
    match place.tab:
        case "node":
            words, below = node.title(
                run.last if node.is_later(run, state, place.selected) else state,
                place.selected,
            )
            mark = "node" if run.has_tree else "search"
        case "evidence":
            words, below = evidence.title(run, state, place.selected)
            mark = "fact"
        case "calls":
            words, below = calls.title(run, moment, place.call, place.calls)
            mark = "call"
        case "context":
            words, below, mark = tag("span", "Policy context"), f"as of moment {moment} of {run.total}", "eye"
        case "changes":
            words, below, mark = tag("span", "What changed"), f"at moment {moment} of {run.total}", "compare"
        case _:
            words, below, mark, colour = why.title(run, moment, place.selected, place.pair)
            tag_ = why.outcome(run, moment, place.selected, place.pair)
            label = label_tag(noted.label(why.about(run, moment, place.selected, place.pair)))
            tag_ = tag("span", tag_, label, cls="outcome") if label else tag_
    return tag(
        "div",
        tag("span", icon(mark), cls=f"badge {colour}"),
        tag("div", tag("h2", words), tag("p", below)),
        tag_,
        cls="ih",
    )


def _name(run: Run, tab: str) -> str:
    """A tab on the screen; where there are no nodes, it shows searches."""
    return "Search" if tab == "node" and not run.has_tree else tab.capitalize()


def _tabs(run: Run, moment: int, place: Place) -> Html:
    made = len(run.calls_at(moment))
    buttons = (
        tag(
            "button",
            _name(run, name),
            tag("span", str(made), cls="n") if name == "calls" and made else None,
            type="button",
            role="tab",
            aria_selected="true" if place.tab == name else "false",
            data_do=f"tab:{name}",
            data_key=str(number),
            title=f"key {number}",
        )
        for number, name in enumerate(TABS, 1)
    )
    return tag("div", *buttons, cls="tabs", role="tablist")

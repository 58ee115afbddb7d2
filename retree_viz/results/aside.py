"""Beside the list: what the conflict judge decided, two agents question by question, repairs by data set."""

from __future__ import annotations

from collections.abc import Iterable

from retree_core.labels import LabelScores, Score
from retree_core.text import count
from retree_viz.html import Child, Html, join, tag
from retree_viz.panels.bar import agent_name
from retree_viz.panels.icons import icon
from retree_viz.panels.pieces import cut
from retree_viz.results.choice import Choice
from retree_viz.results.chosen import Against, against, versus
from retree_viz.results.data import Line, Loaded, Scored
from retree_viz.results.pieces import switch
from retree_viz.results.tables import set_switch, shown_set


def figure_head(loaded: Loaded, choice: Choice) -> Html:
    """Above the figure: what it shows, and of which data set."""
    bounds = _bounds(shown_set(loaded, choice)) if loaded.data_sets else ""
    note = tag("p", f"mean over the runs that came so far, characters{bounds}", cls="note")
    return tag(
        "div",
        tag("div", tag("h2", "Policy context per retrieval step"), note),
        set_switch(loaded, choice),
        cls="head figure-head",
    )


def _bounds(one: Scored) -> str:
    """What a bound is, and who has which."""
    if not one.bounds:
        return ""
    told = [f"{agent_name(agent)} {bound:,}" for agent, bound in one.bounds.items()]
    free = [agent_name(agent) for agent in one.scores if agent not in one.bounds]
    none = f"; {' and '.join(free)}: none" if free else ""
    return f". Bound: however much is found, no context can be longer ({', '.join(told)}{none})"


def aside(loaded: Loaded, choice: Choice) -> Html:
    """Everything below the figure."""
    return join(_decisions(loaded), _against(loaded, choice), _repairs(loaded))


def _decisions(loaded: Loaded) -> Html:
    found, labels = loaded.decisions, loaded.labels
    rows = [
        ("repair", "repair", "confirmed, repaired", found.repaired, labels.confirmed),
        ("conflict", "refuse", "rejected by a guard", found.by_guard, _labelled(labels, "guard")),
        ("conflict", "refuse", "rejected by the model", found.by_model, _labelled(labels, "confirmation")),
    ]
    if found.by_limit:
        rows.append(("stop", "refuse", "against a limit", found.by_limit, _labelled(labels, "limit")))
    head = tag("tr", *(tag("th", name, scope="col") for name in ("Decision", "All", "Labelled", "Right", "Precision")))
    lines = (
        tag(
            "tr",
            tag("th", tag("span", icon(mark, "s"), name, cls=f"st {tone}"), scope="row"),
            tag("td", f"{number:,}"),
            *_precision(score),
        )
        for mark, tone, name, number, score in rows
    )
    note = "what the conflict judge decided during the runs, and what you labelled right or wrong"
    return _section("Conflict decisions", note, _table(head, lines))


def _labelled(labels: LabelScores, by: str) -> Score:
    """Of rejections that were taken by a guard, the model or a limit."""
    found = [one for (said, who), one in labels.by_decider.items() if said == "rejected" and who.split(":")[0] == by]
    return Score(right=sum(one.right for one in found), wrong=sum(one.wrong for one in found))


def _precision(one: Score) -> tuple[Html, ...]:
    if one.precision is None:
        return tuple(tag("td", "-", cls="mut") for _ in range(3))
    return (
        tag("td", f"{one.labelled:,}"),
        tag("td", f"{one.right:,}"),
        tag("td", tag("b", f"{100 * one.precision:.0f}%")),
    )


def _table(head: Html, lines: Iterable[Html]) -> Html:
    return tag("table", tag("thead", head), tag("tbody", *lines), cls="t2")


def _section(title: str, note: Child, *body: Child) -> Html:
    return tag("section", tag("h2", title), tag("p", note, cls="note"), *body, cls="sec1")


def _against(loaded: Loaded, choice: Choice) -> Html | None:
    agents = versus(loaded, choice)
    if agents is None:
        return None
    found = against(loaded, agents, choice.data_set)
    ours, theirs = map(agent_name, agents)
    head = tag("tr", tag("th"), *(tag("th", f"{theirs} {said}", scope="col") for said in ("right", "not right")))
    lines = (
        tag(
            "tr",
            tag("th", tag("span", icon(mark, "s"), f"{ours} {said}", cls=f"st {tone}"), scope="row"),
            *(_cell(found, f"{first}{second}", choice) for second in "10"),
        )
        for first, said, mark, tone in (("1", "right", "check", "repair"), ("0", "not right", "cross", "conflict"))
    )
    note = f"{_graded(found)}. A click lists the runs · McNemar p {_p(found.p)}"
    return _section(f"{ours} against {theirs}", note, _others(loaded, agents), _table(head, lines))


def _graded(found: Against) -> str:
    """Which questions are compared, and who says what is right."""
    told = f"{count(found.questions, 'question')} with an ended run of both"
    if not found.judged:
        return f"{told}; right by exact match, an error is not right"
    if not found.matched:
        return f"{told}; right by the answer judge, an error is not right"
    less = f"exact match in {count(found.matched, 'run')} without a verdict, which Acc leaves out"
    return f"{told}; right by the answer judge, by {less}; an error is not right"


def _p(value: float) -> str:
    return "< 0.0001" if value < 0.0001 else f"{value:.2g}"


def _others(loaded: Loaded, agents: tuple[str, str]) -> Html | None:
    """The first agent against each other one."""
    others = [one for one in loaded.agents if one != agents[0]]
    if len(others) < 2:
        return None
    names = [(f"{agents[0]},{one}", agent_name(one)) for one in others]
    return switch(names, ",".join(agents), "list:versus=", f"{agent_name(agents[0])} against")


def _cell(found: Against, name: str, choice: Choice) -> Html:
    number = len(found.cells.get(name, ()))
    if not number:
        return tag("td", "0", cls="mut")
    repaired = found.repaired.get(name, 0)
    wish = f"list:cell={','.join(found.agents)},{name}"
    pressed = choice.cell == name and choice.versus in ((), found.agents)
    words = join(tag("b", f"{number:,}"), f", {repaired:,} with a repair" if repaired else None)
    return tag("td", tag("button", words, type="button", cls="go", data_do=wish, aria_pressed=str(pressed).lower()))


def _repairs(loaded: Loaded) -> Html | None:
    by_set: dict[str, list[Line]] = {}
    for one in loaded.lines:
        if one.agent == "retree" and one.status:
            by_set.setdefault(one.data_set, []).append(one)
    if not by_set:
        return None
    shares = {name: sum(one.repairs > 0 for one in runs) for name, runs in by_set.items()}
    most = max(shares[name] / len(runs) for name, runs in by_set.items()) or 1.0
    rows = (_repaired(name, shares[name], len(runs), most) for name, runs in by_set.items())
    return _section(
        "ReTree runs with a repair", "share of its ended runs; a click lists them", tag("div", *rows, cls="bk")
    )


def _repaired(name: str, number: int, of: int, most: float) -> Html:
    share = number / of
    wide = round(100 * share / most)
    bar = Html(
        f'<svg class="share" viewBox="0 0 100 8" aria-hidden="true"><rect x="0" y="0" width="{wide}" height="8"/></svg>'
    )
    return tag(
        "button",
        tag("span", cut(name, 60)),
        bar,
        tag("span", f"{100 * share:.0f}% · {count(number, 'run')} of {of:,}", cls="num"),
        type="button",
        data_do=f"list:bar={name}",
    )

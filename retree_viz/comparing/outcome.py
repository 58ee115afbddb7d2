"""What the two runs came to: answers and claims, facts and nodes side by side, and the table of numbers."""

from __future__ import annotations

from collections.abc import Iterable

from retree_core.compare import ClaimPair, ClaimSide, Comparison, FactPair, Metric, NodePair
from retree_core.memory import Evidence, Node
from retree_core.text import count
from retree_core.why.standing import fate_words
from retree_viz.comparing.pair import Pair
from retree_viz.comparing.pane import badge
from retree_viz.html import Child, Html, join, tag, visible
from retree_viz.panels.icons import icon
from retree_viz.panels.pieces import cut, flag
from retree_viz.panels.wording import side_of

MOST = 300
"""Facts listed; the rest is counted."""

_SIGNS = {
    "same": ("same", "the same in both"),
    "changed": ("conflict", "another wording or value"),
    "only_a": ("dash", "only in A"),
    "only_b": ("dash", "only in B"),
}


def outcome(pair: Pair) -> Html:
    """Answers, claims, facts and nodes, in pairs."""
    found = pair.found
    return tag(
        "div",
        tag("h3", "Answer and claims", tag("span", _told(found))),
        _table(pair, [_answer(found), *(_claim(one) for one in found.answers.claims)]),
        _group("Facts", _facts_told(found.trees.facts), _facts(pair, found.trees.facts)),
        _group("Nodes", _counted([one.how for one in found.trees.nodes]), _nodes(pair, found.trees.nodes))
        if any(one.has_tree for one in pair.runs)
        else None,
        cls="bx answers",
    )


def _told(found: Comparison) -> str:
    hows = [one.how for one in found.answers.claims]
    return _counted(hows) if hows else "no claims"


def _counted(hows: Iterable[str]) -> str:
    every = list(hows)
    parts = [
        f"{every.count('same')} in both",
        f"{every.count('changed')} changed" if "changed" in every else "",
        f"{every.count('only_a')} only in A",
        f"{every.count('only_b')} only in B",
    ]
    return ", ".join(filter(None, parts))


def _facts_told(facts: tuple[FactPair, ...]) -> str:
    apart = sum(one.apart for one in facts if one.how in ("same", "changed"))
    told = _counted([one.how for one in facts])
    return f"{told}; {apart} in force on one side only" if apart else told


def _table(pair: Pair, lines: Iterable[Html]) -> Html:
    ours, theirs = pair.names
    head = tag(
        "tr",
        tag("th", tag("span", "same or not", cls="unseen"), scope="col"),
        tag("th", badge("a"), " ", cut(ours, 60), scope="col"),
        tag("th", badge("b"), " ", cut(theirs, 60), scope="col"),
    )
    return tag("table", tag("thead", head), tag("tbody", *lines), cls="sides")


def _group(title: str, told: str, table: Html) -> Html:
    return tag("details", tag("summary", tag("b", title), " ", tag("span", told, cls="mut")), table, cls="group")


def _row(how: str, a: Child, b: Child, *, bad: tuple[bool, bool] = (False, False)) -> Html:
    mark, words = _SIGNS[how]
    sign = tag("td", tag("span", icon(mark, "s"), tag("span", words, cls="unseen"), title=words), cls="m")
    cells = (tag("td", one, cls="chg" if faulty else "") for one, faulty in zip((a, b), bad, strict=True))
    return tag("tr", sign, *cells)


def _answer(found: Comparison) -> Html:
    ours, theirs = found.answers.a, found.answers.b
    how = "same" if found.answers.same else "changed"
    return _row(how, _given(ours, found, 0), _given(theirs, found, 1))


def _given(text: str | None, found: Comparison, side: int) -> Html:
    if text is not None:
        return tag("span", cut(text, 600) if text else tag("span", "(empty)", cls="mut"), cls="big")
    ended = found.last[side].ended
    return tag("span", f"no answer: {ended.status.replace('_', ' ')}" if ended else "no answer yet", cls="mut")


def _claim(one: ClaimPair) -> Html:
    a, b = one.a.text if one.a else "", one.b.text if one.b else ""
    return _row(
        one.how,
        _claim_side(one.a, side_of(a, b, "gone") if one.how == "changed" else cut(a, 600), "B"),
        _claim_side(one.b, side_of(a, b, "new") if one.how == "changed" else cut(b, 600), "A"),
        bad=(bool(one.a and one.a.faults), bool(one.b and one.b.faults)),
    )


def _claim_side(one: ClaimSide | None, said: Html, there: str) -> Html:
    if one is None:
        return tag("span", "not claimed", cls="mut")
    side = "b" if there == "A" else "a"
    cited = (
        tag(
            "button",
            f"[{each.id}{f' r{each.revision}' if each.revision > 1 else ''}]",
            type="button",
            cls="id",
            data_do=f"select:{side}.{each.evidence or each.id}",
        )
        for each in one.cited
    )
    faults = (tag("small", flag("warning", fault.words(there))) for fault in one.faults)
    return join(said, " ", *(join(each, " ") for each in cited), *faults)


def _facts(pair: Pair, facts: tuple[FactPair, ...]) -> Html:
    lines = [_fact(one) for one in sorted(facts[:MOST], key=lambda one: one.how == "same" and not one.apart)]
    rest = tag("p", f"{MOST} of {len(facts):,} shown", cls="mut") if len(facts) > MOST else None
    return join(_table(pair, lines), rest)


def _fact(one: FactPair) -> Html:
    a, b = one.a.text if one.a else "", one.b.text if one.b else ""
    changed = one.how == "changed"
    return _row(
        one.how,
        _fact_side(one.a, side_of(a, b, "gone") if changed else cut(a, 400), "a", one.apart),
        _fact_side(one.b, side_of(a, b, "new") if changed else cut(b, 400), "b", one.apart),
    )


def _fact_side(one: Evidence | None, said: Html, side: str, apart: bool) -> Html:
    if one is None:
        return tag("span", "not there", cls="mut")
    revision = f" r{one.current.number}" if one.current.number > 1 else ""
    id_ = tag("button", f"{one.id}{revision}", type="button", cls="id", data_do=f"select:{side}.{one.id}")
    standing = tag("small", fate_words(one), cls=one.fate) if apart or one.fate != "active" else None
    return join(id_, " ", said, standing)


def _nodes(pair: Pair, nodes: tuple[NodePair, ...]) -> Html:
    lines = [_row(one.how, _node_side(one.a, "a"), _node_side(one.b, "b")) for one in nodes[:MOST]]
    return _table(pair, lines)


def _node_side(one: Node | None, side: str) -> Html:
    if one is None:
        return tag("span", "not there", cls="mut")
    id_ = tag("button", one.id, type="button", cls="id", data_do=f"select:{side}.{one.id}")
    gone = tag("small", icon("cut", "s"), f"pruned at event {one.pruned_at}") if one.pruned_at else None
    return join(id_, " ", cut(one.query, 300), " ", tag("span", count(len(one.evidence), "fact"), cls="mut"), gone)


_NAMES = {
    "status": "Status",
    "searches": "Searches",
    "model_calls": "Model calls",
    "model_calls_in_a_row": "of them one after another",
    "tokens_prompt": "Prompt tokens",
    "tokens_cached": "of them cached",
    "tokens_completion": "Completion tokens",
    "seconds_in_calls": "Seconds in calls",
    "seconds_from_first_to_last": "Seconds from first to last record",
    "repairs": "Repairs",
    "nodes_pruned": "Nodes pruned",
    "conflicts_rejected": "Conflicts rejected",
    "summaries_discarded": "Summaries discarded",
    "stops_refused": "Stops refused",
    "context_max": "Context, max",
    "context_mean": "Context, mean",
    "claims": "Claims",
    "claims_at_fault": "of them at fault",
    "citations_stale": "Stale citations",
    "citations_missing": "Missing citations",
}
"""Metric to its name on the screen; calls of a role are named by it."""


def numbers(pair: Pair) -> Html:
    """The table of metrics; A vs B is A minus B."""
    head = tag(
        "tr",
        tag("th", "", scope="col"),
        tag("th", badge("a"), scope="col"),
        tag("th", badge("b"), scope="col"),
        tag("th", "A vs B", scope="col"),
    )
    return tag(
        "div",
        tag("h3", "Metrics"),
        tag(
            "table",
            tag("thead", head),
            tag("tbody", *(_metric(one) for one in pair.found.metrics if one.name != "answer")),
            cls="numbers",
        ),
        cls="bx",
    )


def _metric(one: Metric) -> Html:
    role = one.name.removeprefix("calls_") if one.name.startswith("calls_") else ""
    difference = f"{one.difference:+,}" if one.difference else "=" if one.difference == 0 else ""
    name = tag("th", f"of them {role}" if role else _NAMES[one.name], scope="row")
    inner = role or _NAMES[one.name].startswith("of them")
    return tag(
        "tr",
        name,
        tag("td", _value(one.a), cls="said" if isinstance(one.a, str) else ""),
        tag("td", _value(one.b), cls="said" if isinstance(one.b, str) else ""),
        tag("td", difference),
        cls="inner" if inner else "",
    )


def _value(value: int | float | str | None) -> Child:
    if value is None:
        return tag("span", "n/a", cls="mut", title="this agent has no such thing, or the record does not say")
    return cut(value.replace("_", " "), 80) if isinstance(value, str) else f"{value:,}"


def sizes_head(pair: Pair) -> Html:
    """Heading of the chart, with what bounds either context."""
    ours, theirs = (f"{one:,}" if one else "none" for one in pair.bounds)
    title = "however much is found, no policy context of this agent can be longer"
    bounds = f"; bound of A {ours}, of B {theirs}" if any(pair.bounds) else ""
    about = tag("span", f"characters{bounds}", title=title if bounds else None)
    return tag("div", tag("h3", "Policy context", about), cls="bx chart-head")


MOST_SETTINGS = 2
"""Settings that differ and stand in the bar; the rest is counted, and told on hovering."""


def settings(found: Comparison) -> Html | None:
    """The settings that differ, as tags."""
    differ = [one for one in found.settings if one[0] != "agent"]
    if not differ:
        return None
    told = [f"{name.replace('_', ' ')}: {visible(ours)[:60]} / {visible(theirs)[:60]}" for name, ours, theirs in differ]
    tags = (tag("span", one, cls="tag wide", title=f"A / B, {one}") for one in told[:MOST_SETTINGS])
    rest = told[MOST_SETTINGS:]
    more = tag("span", f"+{len(rest)}", cls="tag", title="; ".join(rest)) if rest else None
    return join(*tags, more)


def parting_words(found: Comparison) -> Html:
    """How far the two are in step, and what parts them."""
    one = found.parting
    if one.equal:
        strong = "Equal in every event" if one.events else "Both are empty"
    elif one.events:
        strong = f"In step up to event {one.events}"
    else:
        ours, theirs = found.agents
        other = "Two questions" if not found.one_question else "Another agent" if ours != theirs else "Another start"
        strong = f"{other}: they part at the first event"
    calls = f"{count(one.model_calls, 'model call')} and {count(one.searches, 'search', 'searches')}"
    same = f"{calls} are identical, request by request" if one.model_calls or one.searches else ""
    behind = f"; the {one.reply} reply before it differs" if one.reply and one.event else ""
    told = "; ".join(filter(None, [found.relation, one.event + behind if one.events else "", one.request]))
    rest = "; ".join(filter(None, [same, told]))
    return tag("span", tag("b", strong), tag("span", rest, cls="mut"), cls="in-step")

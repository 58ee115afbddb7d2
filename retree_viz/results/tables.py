"""Table 1 and Table 2 of a results folder, and what its runs are."""

from __future__ import annotations

from collections.abc import Callable, Sequence

from retree_core.evaluation.cells import NOTHING, accuracy, mean, percent
from retree_core.evaluation.paper import NAMES
from retree_core.evaluation.scores import Rate, Score
from retree_core.evaluation.tables import UNEVEN, is_the_best
from retree_core.text import count
from retree_viz.html import Child, Html, join, tag
from retree_viz.panels.pieces import cut, empty
from retree_viz.results.choice import TABLES, Choice
from retree_viz.results.data import Loaded, Scored
from retree_viz.results.pieces import agent, switch

_TITLES = {
    "answers": (
        "Answer quality and peak policy context",
        "Acc: right by the answer judge, of the runs it gave a verdict on. EM: exact match, of all runs. Both in "
        "percent. Context: mean of the largest policy context, characters. Best in bold.",
    ),
    "citations": (
        "Attribution of claims",
        "Each cited passage judged alone, pooled over claims, in percent. Stale: pruned or set aside.",
    ),
    "about": ("What these runs are", "From the record itself."),
}


def tables(loaded: Loaded, choice: Choice) -> Html:
    """The table that is chosen, with the way to the others."""
    title, note = _TITLES[choice.table]
    names = [(one, one.capitalize()) for one in TABLES]
    head = tag(
        "div",
        tag("div", tag("h2", title), tag("p", note, cls="note")),
        switch(names, choice.table, "list:table=", "table"),
        cls="head",
    )
    body = {"answers": _answers, "citations": _citations, "about": _about}[choice.table]
    if not loaded.data_sets:
        return tag("section", head, empty("No results can be shown.", "What is wrong is said above."), cls="sec1")
    return tag("section", head, body(loaded, choice), cls="sec1")


def _answers(loaded: Loaded, _: Choice) -> Html:
    *others, last = loaded.data_sets
    groups = [(one, any(map(_is_judged, one.scores.values())), False) for one in others]
    groups.append((last, True, True))
    agents = list(last.scores)
    if not agents:
        return empty("No run has ended yet.", "This page follows the folder: runs appear here as they end.")
    first = (tag("th", cut(one.name, 60), scope="colgroup", colspan=2 + acc) for one, acc, _ in groups)
    second = (tag("th", name, scope="col") for _, acc, whole in groups for name in _names(acc, whole))
    rows = (
        tag(
            "tr",
            tag("th", agent(name, NAMES[name]), scope="row"),
            *(cell for one, acc, whole in groups for cell in _cells(one, name, acc, whole)),
            cls="us" if name == "retree" else "",
        )
        for name in agents
    )
    head = tag("thead", tag("tr", tag("th"), *first), tag("tr", tag("th", "Agent", scope="col"), *second))
    return join(
        tag("div", tag("table", head, tag("tbody", *rows), cls="t1 one" if len(groups) == 1 else "t1"), cls="wide"),
        tag("p", UNEVEN, cls="note") if _is_uneven(last) else None,
    )


def _is_judged(one: Score) -> bool:
    return not one.grades["not judged"] and one.runs > 0


def _is_uneven(one: Scored) -> bool:
    return len({each.runs for each in one.scores.values()}) > 1


def _names(acc: bool, whole: bool) -> tuple[str, ...]:
    names = ("Acc", "EM") if acc else ("EM",)
    return (*(f"{one} [95 %]" if whole else one for one in names), "Context")


def _cells(one: Scored, name: str, acc: bool, whole: bool) -> list[Html]:
    """The cells of an agent on a data set; the last group has intervals."""
    found = one.scores.get(name)
    if found is None:
        return [tag("td", NOTHING, cls="c") for _ in _names(acc, whole)]
    every = tuple(one.scores.values())
    exact = is_the_best(found, every, _exact)
    context = is_the_best(found, every, _context, least=True)
    cells = [_accuracy(found, every, whole)] if acc else []
    right = round((found.exact.value or 0.0) * found.exact.of)
    of = join(f"{right:,}/{found.exact.of:,}", _interval(found.exact) if whole else None)
    return [
        *cells,
        _cell(_percent(found.exact), exact, percent(found.exact), of),
        _cell(_whole(found.context), context, mean(found.context), None, "c"),
    ]


def _exact(one: Score) -> Rate:
    return one.exact


def _context(one: Score) -> Rate:
    return one.context


def _accuracy(found: Score, every: Sequence[Score], whole: bool) -> Html:
    if not _is_judged(found):
        return tag("td", tag("small", "not judged"), title="name a judge: retree report FOLDER --judge-model NAME")
    is_best = all(map(_is_judged, every)) and is_the_best(found, every, lambda one: one.accuracy)
    errors = found.grades["judge error"]
    lost = join(", ", tag("span", count(errors, "judge error"), cls="refuse")) if errors else None
    of = join(f"{found.grades['correct']:,}/{found.accuracy.of:,}", lost, _interval(found.accuracy) if whole else None)
    return _cell(_percent(found.accuracy), is_best, accuracy(found), of)


def _cell(text: str, is_best: bool, title: str, aside: Child, cls: str = "") -> Html:
    value = tag("b", text) if is_best else text
    return tag("td", value, tag("small", " ", aside) if aside else None, cls=cls, title=title)


def _percent(one: Rate) -> str:
    return NOTHING if one.value is None else f"{100 * one.value:.1f}"


def _whole(one: Rate) -> str:
    return NOTHING if one.value is None else f"{one.value:,.0f}"


def _interval(one: Rate) -> str | None:
    return None if one.low is None or one.high is None else f" [{100 * one.low:.0f}–{100 * one.high:.0f}]"


_CITATIONS: tuple[tuple[str, Callable[[Score], str]], ...] = (
    ("Claims", lambda one: f"{one.attribution.claims:,}" if one.attribution.answers else "not judged"),
    ("CitePrec", lambda one: _percent(one.cite_precision)),
    ("CiteRec", lambda one: _percent(one.cite_recall)),
    ("CiteF1", lambda one: NOTHING if one.attribution.f1 is None else f"{100 * one.attribution.f1:.1f}"),
    ("Uncited", lambda one: _percent(one.uncited)),
    ("ALCE rec", lambda one: f"{100 * one.alce.recall:.1f}" if one.alce else NOTHING),
    ("ALCE prec", lambda one: f"{100 * one.alce.precision:.1f}" if one.alce else NOTHING),
    ("Undecided", lambda one: f"{one.undecided:,}" if one.attribution.answers else NOTHING),
    ("Stale", lambda one: f"{one.stale:,}"),
    ("Missing", lambda one: f"{one.missing:,}"),
)


def shown_set(loaded: Loaded, choice: Choice) -> Scored:
    """The data set of the figure and of the citations: the one that is chosen, else all."""
    return next((one for one in loaded.data_sets if one.name == choice.figure), loaded.data_sets[-1])


def set_switch(loaded: Loaded, choice: Choice) -> Html | None:
    """Buttons for the data sets, where there are several."""
    if len(loaded.data_sets) < 2:
        return None
    *parts, _ = loaded.data_sets
    names = [("", "All"), *((one.name, one.name[-24:]) for one in parts)]
    return switch(names, choice.figure, "list:figure=", "data set")


def _citations(loaded: Loaded, choice: Choice) -> Html:
    one = shown_set(loaded, choice)
    head = tag("tr", *(tag("th", name, scope="col") for name in ("Agent", *(name for name, _ in _CITATIONS))))
    rows = (
        tag(
            "tr",
            tag("th", agent(name, NAMES[name]), scope="row"),
            *(tag("td", of(found)) for _, of in _CITATIONS),
            cls="us" if name == "retree" else "",
        )
        for name, found in one.scores.items()
    )
    return join(
        set_switch(loaded, choice),
        tag("div", tag("table", tag("thead", head), tag("tbody", *rows), cls="t1"), cls="wide"),
    )


def _about(loaded: Loaded, _: Choice) -> Html:
    parts = [
        join(
            tag("h3", cut(name, 200)) if len(loaded.about) > 1 else None,
            tag("dl", *(join(tag("dt", term), tag("dd", cut(said, 600))) for term, said in told if said), cls="rows"),
        )
        for name, told in loaded.about
    ]
    decided = tag(
        "p", f"{count(len(loaded.lines), 'run')} begun, {loaded.pending:,} not ended or not begun.", cls="note"
    )
    return tag("div", *parts, decided, cls="about", tabindex="0", role="region", aria_label="what these runs are")

"""Part by part: what the model said of a pair of facts, and what the engine checked."""

from __future__ import annotations

from retree_core.text import count
from retree_core.verdicts import GuardResult
from retree_core.why import Conflict
from retree_core.why.deciding import decider
from retree_core.why.parts import CheckedPart, part_of
from retree_viz.html import Child, Html, tag
from retree_viz.panels.icons import icon
from retree_viz.panels.pieces import cut, section, table
from retree_viz.panels.why_pieces import call_links
from retree_viz.run import Run

TITLE = "Is it the same statement with another value?"


def parts(run: Run, conflict: Conflict) -> Html:
    """The table of parts and the guards of a decision; says so where nothing was compared."""
    if conflict.outcome == "open":
        return section("Not decided in this record", tag("p", "No confirmation or rejection follows this proposal."))
    if not conflict.checked:
        return section(TITLE, tag("p", _nothing(conflict), cls="mut"))
    asked = call_links(run, conflict.confirmation_calls)
    return section(TITLE, _table(conflict), _guards(conflict.guards), aside=asked)


def _nothing(conflict: Conflict) -> str:
    """Why a decision holds neither parts nor guards."""
    if conflict.by in ("limit", "fork"):
        return f"No part was compared: {decider(conflict.by)} decided, before any guard or confirmation."
    if conflict.confirmation_calls:
        return "No part was compared: this judge states none, and its reply alone decided."
    return "No part or guard was recorded with this decision."


def _table(conflict: Conflict) -> Html:
    sides = (f"{conflict.old.id} r{conflict.old.revision}", conflict.new.id)
    names = ("Part", *(cut(one, 40) for one in sides), "Model said", "Engine checked")
    return table(names, (_row(one, conflict.by) for one in conflict.checked), "parts checked")


_FOUND = {
    "fits": ("check", "v y"),
    "objects": ("cross", "v n"),
    "unknown": ("dash", "v"),
    "unchecked": ("dash", "v mut"),
}


def _row(one: CheckedPart, by: str) -> Html:
    mark, cls = _FOUND[one.finding]
    words = tag("span", icon(mark, "s"), tag("span", one.words), cls=cls)
    checked = tag("td", words, title=", ".join(one.guards) or "no guard")
    return tag("tr", tag("th", one.name, scope="row"), *_said(one, by), checked)


def _said(one: CheckedPart, by: str) -> tuple[Html, ...]:
    """Both facts' part and the model's word for it."""
    if one.said is None:
        why = "not asked: a guard objected first" if by.startswith("guard") else "it stated none"
        return (tag("td", tag("span", why, cls="mut"), colspan="3"),)
    word = "same" if one.said.same else "differs"
    verdict = tag("td", _word(word, one))
    if one.said.old == one.said.new:
        return tag("td", _stated(one.said.old), colspan="2"), verdict
    return tag("td", _stated(one.said.old)), tag("td", _stated(one.said.new)), verdict


def _word(word: str, one: CheckedPart) -> Html:
    """The model's word with its sign; none for a value that one of the facts does not state."""
    if one.name == "value" and one.finding == "unknown":
        return tag("span", icon("dash", "s"), word, cls="v")
    fits = (word == "same") != (one.name == "value")
    return tag("span", icon("check" if fits else "cross", "s"), word, cls="v y" if fits else "v n")


def _stated(value: str) -> Child:
    return cut(value, 300) if value else tag("span", "not stated", cls="mut")


def _guards(guards: tuple[GuardResult, ...]) -> Html:
    if not guards:
        return tag("p", "No guard looked at this pair.", cls="mut")
    failed = [one for one in guards if not one.passed]
    said = f"{len(guards) - len(failed)} of {count(len(guards), 'guard')} passed"
    head = tag("summary", tag("span", icon("cross" if failed else "check", "s"), said, cls="v n" if failed else "v y"))
    lines = (_guard(one) for one in sorted(guards, key=lambda one: one.passed))
    return tag("details", head, tag("ul", *lines, cls="guards"), cls="more", open=bool(failed))


def _guard(one: GuardResult) -> Html:
    about = part_of(one)
    return tag(
        "li",
        icon("check" if one.passed else "cross", "s"),
        tag("span", one.name, tag("span", about, cls="about") if about else None, cls="mono"),
        tag("span", cut(one.detail, 400)),
        cls="y" if one.passed else "n",
    )

"""The policy context: what the query policy saw, as it saw it, with its size against the bound (section 5.2)."""

from __future__ import annotations

from retree_core import events as ev
from retree_core.secrets import redact
from retree_core.trace.recorded import context_bound
from retree_viz.html import Child, Html, join, spans, tag
from retree_viz.panels.context_choice import chosen_evidence
from retree_viz.panels.icons import icon, of_event
from retree_viz.panels.pieces import LONGEST_TEXT, cut, cut_note, empty, said, section
from retree_viz.panels.seen import Seen, seen_at
from retree_viz.panels.ways import stepper, to_call, to_moment, way
from retree_viz.run import Run
from retree_viz.words import markup, ref, sentence


def context(run: Run, moment: int) -> Html:
    """The Context panel: the last policy context up to a moment."""
    every = [at for at, one in enumerate(run.events, 1) if isinstance(one, ev.ContextBuilt)]
    at = context_moment(run, moment)
    event = run.event(at) if at else None
    if at is None or not isinstance(event, ev.ContextBuilt):
        advice = join("Step forward to the first policy call, at event ", to_moment(every[0]), ".") if every else _NONE
        return empty("No policy context was built up to here.", advice)
    seen = seen_at(run, at, event)
    return tag(
        "div",
        _bar(every, at),
        section(
            "Size",
            _size(run, event),
            aside=join("built at ", join(ref(event.node), ", ") if run.has_tree else None, "event ", to_moment(at)),
        ),
        section("As the policy saw it", _word_for_word(seen), aside=_where(seen)),
        chosen_evidence(run, at, event),
        _answer(run, at),
        cls="cp",
    )


_NONE = "This record holds none: it has no policy call."


def context_moment(run: Run, moment: int) -> int | None:
    """The latest moment up to this one at which a policy context was built."""
    return next((one for one in range(moment, 0, -1) if isinstance(run.event(one), ev.ContextBuilt)), None)


def _bar(every: list[int], at: int) -> Html:
    place = every.index(at)
    before = f"go:{every[place - 1]}" if place else None
    after = f"go:{every[place + 1]}" if place + 1 < len(every) else None
    steps = stepper("context", place + 1, len(every), (before, after))
    return tag("div", tag("b", "Policy context"), tag("span", cls="sp"), steps, cls="call-bar")


def _size(run: Run, event: ev.ContextBuilt) -> Html:
    bound = context_bound(run.trace.header)
    figure = tag("b", f"{event.characters:,}", cls="num")
    if bound is None:
        return tag("div", tag("p", figure, " characters. Nothing bounds the context of this agent."), cls="size")
    share = 100 * event.characters / bound if bound > 0 else 0.0
    over = event.characters > bound
    words = join(figure, f" of at most {bound:,} characters, {share:.0f} %", _over() if over else None)
    level = tag("rect", width=f"{max(0.0, min(share, 100)):.1f}%", height="6", rx="3", cls="over" if over else "level")
    gauge = tag(
        "svg", tag("rect", width="100%", height="6", rx="3", cls="room"), level, aria_hidden="true", cls="gauge"
    )
    return tag("div", gauge, tag("p", words), cls="size")


def _over() -> Html:
    return tag("span", icon("warning", "s"), "over the bound", cls="flag conflict")


def _word_for_word(seen: Seen) -> Html:
    notes = [said("warning", one, tone="refuse") for one in seen.doubts]
    shown = spans(redact(seen.message)[:LONGEST_TEXT], [seen.memory])
    note = cut_note(LONGEST_TEXT, len(seen.message))
    whole = tag("p", way("Get it whole …", f"call_json:{seen.call}")) if note and seen.call else None
    return join(*notes, tag("pre", shown, note, cls="seen") if seen.message else None, whole)


def _where(seen: Seen) -> Child:
    if seen.call is None:
        return "rendered from the state: no policy request follows" if seen.message else None
    return join("user message of ", to_call(seen.call), "; the memory is marked")


def _answer(run: Run, at: int) -> Html:
    """What the policy did with it."""
    later = ((moment, run.event(moment)) for moment in range(at + 1, run.total + 1))
    kinds = (ev.SearchChosen, ev.StopChosen, ev.StopRefused, ev.ContextBuilt, ev.RunEnded)
    moment, event = next(((one, found) for one, found in later if isinstance(found, kinds)), (0, None))
    if event is None:
        return section("The policy's answer", tag("p", "The record ends before it.", cls="mut"))
    if isinstance(event, ev.ContextBuilt):
        none = tag("p", "None: another context follows, at event ", to_moment(moment), ".")
        return section("The policy's answer", none)
    missing = event.missing if isinstance(event, ev.SearchChosen) else ()
    chose = said(of_event(event.kind), markup(sentence(event, run.at(moment))))
    wanted = tag("p", "Still missing: ", cut("; ".join(missing), 600), cls="mut") if missing else None
    return section("The policy's answer", chose, wanted, aside=join("event ", to_moment(moment)))

"""The summary or report that an agent without a tree writes anew after every search, with what changed in it."""

from __future__ import annotations

from retree_core import events as ev
from retree_core.text import count
from retree_viz.html import Child, Html, join, tag
from retree_viz.memory.pieces import marked
from retree_viz.panels.pieces import cut
from retree_viz.panels.ways import to_moment
from retree_viz.panels.wording import differing
from retree_viz.run import Run


def written(run: Run, moment: int) -> Html | None:
    """The text in force, word by word against the one before it; None for an agent that writes none."""
    versions = [(at, one) for at, one in enumerate(run.events, 1) if isinstance(one, ev.SummaryWritten)]
    if not versions:
        return None
    name = "Report" if run.last.agent == "report" else "Summary"
    past = [one for one in versions if one[0] <= moment]
    if not past:
        first = to_moment(versions[0][0], f"event {versions[0][0]}")
        return _block(name, "not written yet; the first one comes at ", first, now=False)
    at, event = past[-1]
    former = past[-2] if len(past) > 1 else None
    said = differing(former[1].text, event.text) if former else cut(event.text)
    return _block(
        name,
        f"{count(len(event.text.split()), 'word')}, version {len(past)} of {len(versions)}, written at ",
        to_moment(at, f"event {at}"),
        *(("; what changed since ", to_moment(former[0], f"event {former[0]}"), " is marked") if former else ()),
        *_how(event),
        now=at == moment,
        body=tag("p", said, cls="words-apart") if event.text else tag("p", "(empty)", cls="mut"),
    )


def _how(event: ev.SummaryWritten) -> tuple[Child, ...]:
    kept = ("; the former one stays, the model gave none",) if event.origin == "kept" else ()
    return (*kept, "; cut to the word bound") if event.cut else kept


def _block(name: str, *about: Child, now: bool, body: Html | None = None) -> Html:
    head = tag("h3", marked(now), name, tag("span", join(*about), cls="mut"))
    return tag("section", head, body, cls="written now" if now else "written")

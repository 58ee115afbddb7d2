"""The dossier of a summary: who wrote it, from what, word by word against the one before, and what was left out."""

from __future__ import annotations

from retree_core.text import count
from retree_core.why import Fact, SummaryStory
from retree_viz.html import Html, join, tag
from retree_viz.panels.icons import icon
from retree_viz.panels.pieces import cut, said, section
from retree_viz.panels.ways import at
from retree_viz.panels.why_pieces import asked, name
from retree_viz.panels.wording import marked
from retree_viz.run import Run
from retree_viz.words import written_name

LONGEST = 6000
"""Characters of a summary that are compared on the screen."""


def summary_dossier(run: Run, story: SummaryStory) -> Html:
    """All about one summary."""
    words = count(len(story.text.split()), "word")
    title = join("Summary of ", name(run, story.node)) if run.has_tree else written_name(run.last)
    return join(
        section(title, _how(story), _text(story), aside=words),
        _left_out(story),
        *(_stale(one.moment, one.value, one.text) for one in story.stale),
        section("Drawn from", _facts(run, story.facts)) if story.facts else None,
        asked(run, story.calls, "Written in"),
    )


def _how(story: SummaryStory) -> Html:
    cut_short = " It was over the word bound and is cut." if story.cut else ""
    cause = join(" (", at(story.cause), ")") if story.cause else None
    return tag("p", story.how[:1].upper() + story.how[1:], cause, f".{cut_short}", cls="how")


def _text(story: SummaryStory) -> Html:
    if not story.former or len(story.former) + len(story.text) > 2 * LONGEST:
        return tag("blockquote", cut(story.text or "(empty)", LONGEST))
    whose = "its own before" if story.former_of == story.node else f"that of {story.former_of}"
    if story.former == story.text:
        return join(
            tag("blockquote", cut(story.text, LONGEST)), tag("p", f"The same as {whose}, word for word.", cls="mut")
        )
    note = tag("p", f"Against {whose}: ", tag("del", "gone"), " ", tag("ins", "new"), cls="mut")
    return join(tag("blockquote", marked(story.wording), cls="diff"), note)


def _left_out(story: SummaryStory) -> Html | None:
    if not story.invented:
        return None
    lines = (tag("li", icon("warning", "s"), tag("span", cut(one, 600))) for one in story.invented)
    words = "They state what neither the question, the summary before nor the facts hold, or what was given up."
    why = tag("p", words, cls="mut")
    return section("Sentences left out as invented", tag("ul", *lines, cls="left-out"), why)


def _stale(moment: int, value: str, refused: str) -> Html:
    still = said("warning", "It still says ", tag("b", cut(value, 200)), ", which was refuted.", tone="refuse")
    return section(join("A text not used, ", at(moment)), still, tag("blockquote", cut(refused, 3000), cls="gone"))


def _facts(run: Run, facts: tuple[Fact, ...]) -> Html:
    lines = (
        tag("li", name(run, one.id), tag("span", cut(one.text, 400) if one.text else "not in the record"))
        for one in facts[:60]
    )
    return tag("ul", *lines, cls="facts")

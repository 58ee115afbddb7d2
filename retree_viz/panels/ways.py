"""Buttons that lead somewhere: to a moment, to a call, to the next of several."""

from __future__ import annotations

from retree_viz.html import Child, Html, tag
from retree_viz.panels.icons import icon


def way(label: Child, wish: str, title: str | None = None) -> Html:
    """A word that carries out a wish."""
    return tag("button", label, type="button", cls="go", data_do=wish, title=title)


def to_moment(moment: int, label: str | None = None) -> Html:
    """A moment as a way to it: its number, unless another word leads there."""
    return way(f"{moment:,}" if label is None else label, f"go:{moment}", "go there")


def to_call(number: int) -> Html:
    """A call as a way to it: `call 12`."""
    return way(f"call {number}", f"call:{number}", "all about this call")


def at(moment: int, label: str = "event ") -> Html:
    """An event as a way to it, in the type of ids: `event 33`."""
    return tag("button", f"{label}{moment:,}", type="button", cls="at", data_do=f"go:{moment}", title="go there")


def act(mark: str, label: str, wish: str, title: str | None = None, cls: str = "") -> Html:
    """A button that carries out a wish, with its sign."""
    return tag("button", icon(mark, "s"), label, type="button", cls=f"btn {cls}".strip(), data_do=wish, title=title)


def stepper(name: str, here: int, total: int, wishes: tuple[str | None, str | None]) -> Html:
    """`12 of 34` between the ways to the one before and the one after; None where there is none."""
    before, after = wishes
    where = tag("span", f"{here:,} of {total:,}", cls="num")
    return tag("div", _step(f"Previous {name}", before), where, _step(f"Next {name}", after, "next"), cls="steps")


def _step(name: str, wish: str | None, cls: str = "") -> Html:
    return tag(
        "button",
        icon("back", "s"),
        type="button",
        cls=f"btn icon {cls}",
        data_do=wish,
        disabled=wish is None,
        aria_label=name,
        title=name,
    )

"""Mounting our own small Streamlit components: each sends what the user asked for as one `do` string."""

from __future__ import annotations

from collections.abc import Callable
from functools import cache
from pathlib import Path
from typing import Any

import streamlit as st


@cache
def _source(*paths: Path) -> str:
    return "\n".join(one.read_text(encoding="utf-8") for one in paths)


def _renderer(name: str, scripts: tuple[Path, ...], style: Path | None) -> Callable[..., Any]:
    """The component, registered once per process and runtime."""
    return st.components.v2.component(
        name, js=_source(*scripts), css=_source(style) if style else None, isolate_styles=False
    )


def mount(
    name: str,
    scripts: tuple[Path, ...],
    style: Path | None = None,
    *,
    data: dict[str, Any] | bytes,
    key: str,
    on_do: Callable[[str], None],
) -> None:
    """Show a component. `on_do` is called with the user's wish before the next run of the script."""

    def asked() -> None:
        wish = st.session_state.get(key)
        what = getattr(wish, "do", None)
        if isinstance(what, str) and what:
            on_do(what)

    _renderer(name, scripts, style)(data=data, key=key, on_do_change=asked)

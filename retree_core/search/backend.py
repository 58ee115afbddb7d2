"""What a search backend is, and how a specification on the command line names one."""

from __future__ import annotations

import os
from collections.abc import Mapping
from typing import Any, Protocol

from retree_core.calls import Answered, SearchCall
from retree_core.errors import UsageError
from retree_core.secrets import MARK, redact

_EXPECTED = "expected corpus:PATH, serper, google or searxng:URL"


class SearchBackend(Protocol):
    """Answers search calls; may be asked side by side within one event loop."""

    async def search(self, call: SearchCall) -> Answered:
        """Return hits, best first; nothing found is a reply without hits, never a failure."""
        ...

    def describe(self) -> dict[str, Any]:
        """Return what a trace's header says about this backend; never a key or a whole path."""
        ...

    async def close(self) -> None:
        """Release files and connections."""
        ...


def open_search(spec: str, *, env: Mapping[str, str] | None = None) -> SearchBackend:
    """Return the backend that `spec` names; keys come from `env` (default: the process environment).

    Raises `UsageError` for an unknown specification, a missing key or a password that was taken out, `InputError`
    for a corpus that cannot be read.
    """
    if MARK in spec:
        raise UsageError(
            f"search {redact(spec)[:100]!r} is without its password, which no trace holds; give it whole with "
            "--search, or set RETREE_SEARCH to it"
        )
    values = os.environ if env is None else env
    kind, _, rest = spec.strip().partition(":")
    if kind == "corpus" and rest:
        from retree_core.search.corpus import open_corpus

        return open_corpus(rest, env=values)
    if kind == "serper" and not rest:
        from retree_core.search.serper import Serper

        return Serper(_key(values, "SERPER_API_KEY", spec))
    if kind == "google" and not rest:
        from retree_core.search.google import Google

        return Google(_key(values, "GOOGLE_API_KEY", spec), _key(values, "GOOGLE_CSE_ID", spec))
    if kind == "searxng" and rest:
        from retree_core.search.searxng import SearXNG

        return SearXNG(rest)
    raise UsageError(f"unknown search {redact(spec)[:100]!r}; {_EXPECTED}")


def _key(env: Mapping[str, str], name: str, spec: str) -> str:
    value = env.get(name, "").strip()
    if not value:
        raise UsageError(f"search {spec!r} needs {name} in the environment; set it, or use corpus:PATH")
    if not (value.isascii() and value.isprintable()):
        raise UsageError(f"{name} holds a character that cannot be sent; expected printable ASCII, copy it again")
    return value

"""Google results through Serper (serper.dev)."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from retree_core.calls import Answered, SearchCall, SearchReply
from retree_core.llm.retrying import TryFailed
from retree_core.llm.strict_json import clean
from retree_core.search.hits import distinct, hit
from retree_core.search.web import Request, Timing, WebSearch
from retree_core.secrets import known

_URL = "https://google.serper.dev/search"
_ADVICE = {401: "set SERPER_API_KEY to a valid key", 403: "set SERPER_API_KEY to a valid key"}


class Serper:
    """A `SearchBackend` for Serper."""

    def __init__(self, api_key: str, *, url: str = _URL, timing: Timing | None = None) -> None:
        known(api_key)
        self._headers = {"X-API-KEY": api_key}
        self._url = url
        self._web = WebSearch("Serper", timing, advice=_ADVICE)

    async def search(self, call: SearchCall) -> Answered:
        """Return organic results in Serper's order."""
        body = {"q": clean(call.query), "num": max(10, call.limit)}
        request = Request(method="POST", url=self._url, headers=self._headers, json=body)
        return await self._web.ask(request, lambda raw: self._read(raw, call.limit))

    def describe(self) -> dict[str, Any]:
        """Return what a trace's header says about this backend."""
        return {"kind": "serper"}

    async def close(self) -> None:
        """Close the connections."""
        await self._web.close()

    def _read(self, raw: Mapping[str, Any], limit: int) -> SearchReply | TryFailed:
        results = raw.get("organic")
        if not isinstance(results, list | None) or (results is None and ("error" in raw or "message" in raw)):
            return self._web.refused(200, raw)
        entries = [each for each in results or () if isinstance(each, Mapping)]
        hits = (hit(each.get("title"), each.get("snippet"), each.get("link"), each.get("date")) for each in entries)
        return SearchReply(hits=distinct(hits, limit))

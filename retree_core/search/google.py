"""Google Programmable Search (Custom Search JSON API)."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from retree_core.calls import Answered, SearchCall, SearchReply
from retree_core.llm.retrying import TryFailed
from retree_core.llm.strict_json import clean
from retree_core.search.hits import distinct, hit
from retree_core.search.web import Request, Timing, WebSearch
from retree_core.secrets import known

_URL = "https://www.googleapis.com/customsearch/v1"
_MOST_RESULTS = 10
_ADVICE = {
    400: "check GOOGLE_API_KEY and GOOGLE_CSE_ID",
    403: "check that GOOGLE_API_KEY is valid and the Custom Search API is enabled for it",
}
_DATES = ("article:published_time", "article:modified_time", "og:updated_time", "date")


class Google:
    """A `SearchBackend` for Google Programmable Search."""

    def __init__(self, api_key: str, engine_id: str, *, url: str = _URL, timing: Timing | None = None) -> None:
        known(api_key)
        self._fixed = {"key": api_key, "cx": engine_id}
        self._url = url
        self._web = WebSearch("Google", timing, advice=_ADVICE)

    async def search(self, call: SearchCall) -> Answered:
        """Return results in Google's order."""
        params = {**self._fixed, "q": clean(call.query), "num": str(_MOST_RESULTS)}
        request = Request(method="GET", url=self._url, params=params)
        return await self._web.ask(request, lambda raw: self._read(raw, call.limit))

    def describe(self) -> dict[str, Any]:
        """Return what a trace's header says about this backend."""
        return {"kind": "google"}

    async def close(self) -> None:
        """Close the connections."""
        await self._web.close()

    def _read(self, raw: Mapping[str, Any], limit: int) -> SearchReply | TryFailed:
        items = raw.get("items")
        if raw.get("error") or not isinstance(items, list | None):
            return self._web.refused(200, raw)
        entries = [each for each in items or () if isinstance(each, Mapping)]
        hits = (hit(each.get("title"), each.get("snippet"), each.get("link"), _date(each)) for each in entries)
        return SearchReply(hits=distinct(hits, limit))


def _date(entry: Mapping[str, Any]) -> str | None:
    pagemap = entry.get("pagemap")
    tags = pagemap.get("metatags") if isinstance(pagemap, Mapping) else None
    first = tags[0] if isinstance(tags, list) and tags else None
    if not isinstance(first, Mapping):
        return None
    return next((first[name] for name in _DATES if isinstance(first.get(name), str)), None)

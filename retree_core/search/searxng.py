"""A SearXNG instance, one's own as a rule: public ones rarely answer programs."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any
from urllib.parse import urlsplit

from retree_core.calls import Answered, SearchCall, SearchReply
from retree_core.errors import UsageError
from retree_core.llm.address import shown_address, without_secrets
from retree_core.llm.failures import one_line
from retree_core.llm.retrying import TryFailed
from retree_core.llm.strict_json import clean
from retree_core.search.hits import distinct, hit
from retree_core.search.web import Request, Timing, WebSearch
from retree_core.secrets import known_in

_NO_JSON = "probably json is missing under search.formats in its settings.yml, or its limiter is on"
_ADVICE = {200: _NO_JSON, 403: _NO_JSON, 429: "its limiter is on; allow this address in limiter.toml"}


class SearXNG:
    """A `SearchBackend` for a SearXNG instance."""

    def __init__(self, url: str, *, timing: Timing | None = None) -> None:
        """Raises `UsageError` unless `url` is the http or https address of an instance."""
        self._url = _address(url)
        known_in(url)
        self._web = WebSearch(f"SearXNG at {without_secrets(self._url)}", timing, keyed=False, advice=_ADVICE)

    async def search(self, call: SearchCall) -> Answered:
        """Return results in the instance's order."""
        request = Request(method="GET", url=f"{self._url}/search", params={"q": clean(call.query), "format": "json"})
        return await self._web.ask(request, lambda raw: self._read(raw, call.limit))

    def describe(self) -> dict[str, Any]:
        """Return what a trace's header says about this backend."""
        return {"kind": "searxng", "host": urlsplit(self._url).hostname}

    async def close(self) -> None:
        """Close the connections."""
        await self._web.close()

    def _read(self, raw: Mapping[str, Any], limit: int) -> SearchReply | TryFailed:
        results = raw.get("results")
        if not isinstance(results, list):
            return self._web.refused(200, raw)
        entries = [each for each in results if isinstance(each, Mapping)]
        if not entries and (silent := _silent_engines(raw)):
            return self._web.failed("search_error", f"found nothing while engines did not respond: {one_line(silent)}")
        hits = (hit(each.get("title"), each.get("content"), each.get("url"), _date(each)) for each in entries)
        return SearchReply(hits=distinct(hits, limit))


def _silent_engines(raw: Mapping[str, Any]) -> str:
    engines = raw.get("unresponsive_engines")
    return ", ".join(one_line(str(each), 80) for each in engines[:5]) if isinstance(engines, list) else ""


def _date(entry: Mapping[str, Any]) -> Any:
    return entry.get("publishedDate") or entry.get("pubdate")


def _address(url: str) -> str:
    try:
        parts = urlsplit(url.strip())
        usable = parts.scheme in ("http", "https") and bool(parts.hostname) and (parts.port or 1) > 0
    except ValueError:
        usable = False
    if not usable or parts.query or parts.fragment:
        shown = shown_address(url.strip())[:100]
        raise UsageError(f"search 'searxng:{shown}' names no instance; expected searxng:http://HOST:PORT")
    return url.strip().rstrip("/").removesuffix("/search")

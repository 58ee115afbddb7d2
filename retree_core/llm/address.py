"""Check the address and key of a model server before they are used."""

from __future__ import annotations

from dataclasses import dataclass
from urllib.parse import urlsplit, urlunsplit

from retree_core.errors import UsageError
from retree_core.secrets import MARK, redact

DEFAULT_BASE_URL = "http://localhost:30000/v1"
"""Where SGLang listens."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Naming:
    """What a person sets to name a server, its key and the model, as messages say it."""

    url: str = "RETREE_BASE_URL"
    key: str = "RETREE_API_KEY"
    model: str = "RETREE_MODEL"


AGENTS = Naming()
"""Of the server that the agents ask."""


_ENDPOINTS = ("/chat/completions", "/completions", "/models")


def endpoint(base_url: str, named: str = AGENTS.url) -> str:
    """Return the base URL to use; `/v1` is added where the address has no path.

    Raises `UsageError`, which calls it `named`, unless it is http or https with a host and without query.

    >>> endpoint("http://localhost:30000/")
    'http://localhost:30000/v1'
    >>> endpoint("https://example.org/api/v3/chat/completions")
    'https://example.org/api/v3'
    """
    if "," in base_url:
        raise UsageError(f"{named} names several addresses ({_each(base_url)}); name one, only retree eval takes more")
    try:
        parts = urlsplit(base_url.strip())
        usable = parts.scheme in ("http", "https") and bool(parts.hostname) and (parts.port or 1) > 0
    except ValueError:
        usable = False
    if not usable or parts.query or parts.fragment or any(c.isspace() for c in base_url.strip()):
        raise UsageError(
            f"{named} is {_shown(base_url)!r}, expected http://HOST:PORT/v1 or https://...; "
            "set it to the address of an OpenAI-compatible server"
        )
    path = parts.path.rstrip("/")
    for suffix in _ENDPOINTS:
        path = path.removesuffix(suffix)
    return urlunsplit((parts.scheme, parts.netloc, path or "/v1", "", ""))


def without_secrets(url: str) -> str:
    """Return `url` without user, password, query and fragment.

    >>> without_secrets("http://me:pw@host:1/v1?key=x")
    'http://host:1/v1'
    """
    try:
        parts = urlsplit(url)
    except ValueError:
        return "(unreadable address)"
    return urlunsplit((parts.scheme, parts.netloc.rpartition("@")[2], parts.path, "", ""))


def shown_address(url: str) -> str:
    """Return `url` as `without_secrets`, where it may be none of ours: its keys go before it is taken apart.

    >>> shown_address("http://me:p?w@host:1/v1")
    'http://host:1/v1'
    """
    stand_in = "\ue000"  # the brackets of the mark make an address unreadable
    return without_secrets(redact(url).replace(MARK, stand_in)).replace(stand_in, MARK)


def checked_key(api_key: str, named: str = AGENTS.key) -> str:
    """Return the key without surrounding space. Raises `UsageError`, which calls it `named`, if no HTTP header can
    carry it."""
    key = api_key.strip() or "EMPTY"
    if not (key.isascii() and key.isprintable()):
        raise UsageError(f"{named} holds a character that cannot be sent; expected printable ASCII, copy it again")
    return key


def _each(base_urls: str) -> str:
    return " and ".join(_shown(one) for one in base_urls.split(",") if one.strip())


def _shown(url: str) -> str:
    return shown_address(url.strip())[:100]

"""What an agent asks of the world, and what it is sent back.

An agent yields a call and is sent a reply; whether the reply comes from a server, a record or a script
is the driver's business. Everything here is a frozen value; `body` and `raw` are JSON objects that
nobody may change.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any, ClassVar, Literal

JsonObject = Mapping[str, Any]

Role = Literal[
    "policy", "extract", "conflict", "confirm", "summarise", "report", "answer", "judge", "entail", "imported"
]
"""What a call is for; `imported`: made by another program, whose record was brought in."""

FailureKind = Literal[
    "timeout",
    "connection",
    "unauthorized",
    "unknown_model",
    "context_overflow",
    "rate_limited",
    "server_error",
    "bad_request",
    "bad_envelope",
    "search_quota",
    "search_error",
]
"""Why a call has no reply. `context_overflow` and `search_quota` end a run under their own status."""


@dataclass(frozen=True, slots=True, kw_only=True)
class ModelCall:
    """One request to a chat-completions endpoint."""

    role: Role
    body: JsonObject
    """The JSON body exactly as it goes over the wire, model name and sampling included."""
    inputs: str = ""
    """Digest of the question that it puts in words; empty where no agent of ours asked."""


@dataclass(frozen=True, slots=True, kw_only=True)
class SearchCall:
    """One request to the search backend."""

    query: str
    limit: int
    """Most passages wanted."""


Call = ModelCall | SearchCall


@dataclass(frozen=True, slots=True, kw_only=True)
class Hit:
    """One search result, before the run gives it a passage id."""

    title: str
    text: str
    url: str | None = None
    published: str | None = None
    """Date as the provider gave it, unparsed."""


@dataclass(frozen=True, slots=True, kw_only=True)
class ModelReply:
    """What the model server sent with status 200, whatever it says."""

    raw: JsonObject
    """The whole response body."""


@dataclass(frozen=True, slots=True, kw_only=True)
class SearchReply:
    """What the search backend found, in its own order; may be empty."""

    hits: tuple[Hit, ...]
    raw: JsonObject | None = None
    """The provider's response body with secrets removed; None for a local corpus."""


@dataclass(frozen=True, slots=True, kw_only=True)
class CallFailed:
    """The call got no usable reply after every permitted retry. Never shown to a model as text."""

    failure: FailureKind
    message: str
    """One line for a person: what, where, what to do. Holds no secret."""


Reply = ModelReply | SearchReply | CallFailed


@dataclass(frozen=True, slots=True, kw_only=True)
class Attempt:
    """One try of a call that was made more than once."""

    __pydantic_config__: ClassVar[JsonObject] = {"allow_inf_nan": False}

    failure: FailureKind
    message: str
    waited_s: float
    """Pause before the next try, seconds."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Answered:
    """A reply with what it took to get it; the cost is recorded but never reaches the agent."""

    reply: Reply
    seconds: float
    """From first try to reply, pauses included."""
    failed_attempts: tuple[Attempt, ...] = ()

"""Read a server's model list before any question is asked."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from retree_core.errors import BackendError
from retree_core.llm import strict_json
from retree_core.llm.address import AGENTS, Naming
from retree_core.llm.failures import one_line

_MOST_NAMES = 10
_OWNERS = {"sglang": "SGLang", "llamacpp": "llama.cpp", "vllm": "vLLM", "library": "Ollama"}


@dataclass(frozen=True, slots=True, kw_only=True)
class ServerInfo:
    """What a model server says about itself."""

    base_url: str
    """Address without secrets."""
    models: tuple[str, ...] = ()
    """Names it serves; empty if it has no list."""
    max_model_len: int | None = None
    """Context length of the chosen model, tokens; None if not told."""
    server: str | None = None
    """Server software, guessed from the list's owner or the Server header."""


def server_info(
    base_url: str, model: str, body: bytes, server_header: str | None, naming: Naming = AGENTS
) -> ServerInfo:
    """Return what a `/models` body says. Raises `BackendError` if it is none, or does not list `model`."""
    entries = _entries(base_url, body, naming)
    names = tuple(entry["id"] for entry in entries)
    chosen = next((entry for entry in entries if _goes_by(entry, model)), None)
    if names and chosen is None:
        listed = one_line(", ".join(names[:_MOST_NAMES])) + (", ..." if len(names) > _MOST_NAMES else "")
        raise BackendError(f"{base_url} serves {listed}, not {model!r}; set {naming.model} to a model that it serves")
    return ServerInfo(
        base_url=base_url,
        models=names,
        max_model_len=_context_length(chosen or {}),
        server=_server(entries, server_header),
    )


def no_endpoint(base_url: str, naming: Naming = AGENTS) -> str:
    """Return the line that says that `base_url` is something else."""
    return (
        f"{base_url} is not an OpenAI-compatible endpoint (no model list under /models); "
        f"set {naming.url} to the address that ends in /v1"
    )


def no_server(base_url: str, cause: str, naming: Naming = AGENTS) -> str:
    """Return the line that says that nobody answers at `base_url`."""
    return (
        f"no model server at {base_url} ({one_line(cause)}); start one there "
        f"(python -m sglang.launch_server --model-path Qwen/Qwen3-8B) or set {naming.url}"
    )


def _entries(base_url: str, body: bytes, naming: Naming) -> list[Mapping[str, Any]]:
    try:
        raw = strict_json.loads(body)
    except ValueError:
        raise BackendError(no_endpoint(base_url, naming)) from None
    data = raw.get("data") if isinstance(raw, Mapping) else None
    if not isinstance(data, list):
        raise BackendError(no_endpoint(base_url, naming))
    return [entry for entry in data if isinstance(entry, Mapping) and isinstance(entry.get("id"), str)]


def _goes_by(entry: Mapping[str, Any], model: str) -> bool:
    aliases = entry.get("aliases")
    return entry["id"] in (model, f"{model}:latest") or (isinstance(aliases, list) and model in aliases)


def _context_length(entry: Mapping[str, Any]) -> int | None:
    meta = entry.get("meta")
    told = (entry.get("max_model_len"), meta.get("n_ctx") if isinstance(meta, Mapping) else None)
    return next((length for length in told if isinstance(length, int) and length > 0), None)


def _server(entries: list[Mapping[str, Any]], header: str | None) -> str | None:
    owner = next((entry["owned_by"] for entry in entries if isinstance(entry.get("owned_by"), str)), None)
    if owner in _OWNERS:
        return _OWNERS[owner]
    return one_line(header, 60) if header and header.lower() not in ("uvicorn", "nginx") else None

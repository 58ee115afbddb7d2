"""Name what went wrong from what a model server says about it: SGLang's flat errors, nested ones, FastAPI's."""

from __future__ import annotations

import os
import re
from collections.abc import Mapping
from dataclasses import asdict
from typing import Any

from retree_core.calls import FailureKind
from retree_core.llm.address import AGENTS, Naming
from retree_core.secrets import redact

_MOST_CHARACTERS = 300

_CONTEXT_OVERFLOW = re.compile(
    r"maximum context length|model'?s context length|context_length_exceeded|requested token count exceeds"
    r"|exceed\w*[ _](?:the )?(?:available )?context|context (?:size|window) (?:has been )?exceeded"
    r"|exceeds? the (?:model's )?max(?:imum)?[ _](?:model[ _]len|input|sequence|context)"
    r"|max_(?:new_|completion_)?tokens must be at least|(?:prompt|input) is too long|too many tokens in the prompt",
    re.IGNORECASE,
)
_UNKNOWN_MODEL = re.compile(
    r"model_not_found|\bmodel\b.{0,200}?\b(?:does not exist|not found|not exist|is not served|not available|no longer)",
    re.IGNORECASE | re.DOTALL,
)
_QUOTA_SPENT = re.compile(r"insufficient_quota|billing|credit|payment", re.IGNORECASE)

ADVICE: Mapping[FailureKind, str] = {
    "timeout": "check that the server is not overloaded, or set RETREE_TIMEOUT_S to more seconds",
    "connection": "start a server there or set {url}",
    "unauthorized": "set {key} to a key that it accepts",
    "unknown_model": "set {model} to a model that it serves",
    "context_overflow": "serve the model with a longer context, or give the agent less to carry",
    "rate_limited": "run fewer questions side by side, or raise the limit",
    "server_error": "look into the server's log",
    "bad_request": "the server does not accept this request; its message says why",
    "bad_envelope": "check that {url} names an OpenAI-compatible endpoint",
}
"""What a person can do, by failure; in braces what a `Naming` names."""


def one_line(text: str, most: int = _MOST_CHARACTERS) -> str:
    """Return `text` on one line, with secrets removed, cut to `most` characters.

    >>> one_line("a\\n  b")
    'a b'
    """
    line = " ".join(redact(text).split())
    return line if len(line) <= most else line[: most - 1] + "…"


def error_text(body: Any) -> str:
    """Return a server's own words from an error body of any known shape; '' if it has none."""
    if isinstance(body, str):
        return body
    if isinstance(body, list):
        return "; ".join(filter(None, (error_text(each) for each in body[:3])))
    if not isinstance(body, Mapping):
        return ""
    for field in ("error", "message", "msg", "detail", "error_description"):
        if text := error_text(body.get(field)):
            return text
    return ""


def error_code(body: Any) -> str:
    """Return code, type and status of an error body in one string, for matching only."""
    if not isinstance(body, Mapping):
        return ""
    own = " ".join(str(body[field]) for field in ("code", "type", "status") if isinstance(body.get(field), (str, int)))
    return f"{own} {error_code(body.get('error'))}".strip()


def kind_of(status: int, body: Any) -> FailureKind:
    """Return why a request failed, from the HTTP status and the error body (parsed JSON or text)."""
    words = f"{error_code(body)} {error_text(body)}"
    if status not in (401, 403, 429) and _CONTEXT_OVERFLOW.search(words):
        return "context_overflow"
    if status in (401, 403):
        return "unauthorized"
    if status in (400, 404, 422) and _UNKNOWN_MODEL.search(words):
        return "unknown_model"
    if status == 429:
        return "rate_limited"
    return "server_error" if status >= 500 or status in (408, 409, 425) else "bad_request"


def is_worth_retrying(kind: FailureKind, status: int, body: Any) -> bool:
    """Return whether the same request may succeed later."""
    if kind == "rate_limited":
        return not _QUOTA_SPENT.search(f"{error_code(body)} {error_text(body)}")
    return kind == "server_error" and status not in (501, 505)


def status_of_error(body: Any) -> int:
    """Return the HTTP status that an error body claims for itself; 400 if it claims none.

    >>> status_of_error({"object": "error", "message": "x", "code": 503})
    503
    """
    inner = body.get("error") if isinstance(body, Mapping) else None
    for holder in (inner, body):
        code = holder.get("code") if isinstance(holder, Mapping) else None
        if isinstance(code, int) and 400 <= code <= 599:
            return code
    return 400


def describe(where: str, kind: FailureKind, what: str, naming: Naming = AGENTS) -> str:
    """Return the line for a person: where, what, what to do."""
    line = f"{where}: {one_line(what)}"
    return f"{line}; {ADVICE[kind].format(**asdict(naming))}" if kind in ADVICE else line


def root_cause(error: BaseException) -> str:
    """Return why a connection failed, in the operating system's words where it has any."""
    chain: list[BaseException] = []
    while error.__cause__ or error.__context__:
        error = error.__cause__ or error.__context__ or error
        if error in chain:
            break
        chain.append(error)
    numbers = [each.errno for each in chain if isinstance(each, OSError)]
    system = [os.strerror(number) for number in numbers if number and number > 0]
    spoken = [str(each) for each in chain if str(each)]
    return (system or spoken or [type(each).__name__ for each in chain] or ["unknown cause"])[0]

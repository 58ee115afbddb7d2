"""The prompts: one file a call, fixed instructions first, then the question, then what grows.

A file has three parts between lines of `=====`: a title with the paper's section, the system message, and
the user message with `$names` (string.Template). Equal leading text is what a server's prefix cache needs.
"""

from __future__ import annotations

import hashlib
import re
from collections.abc import Mapping
from functools import cache, lru_cache
from importlib.resources import files
from string import Template

from retree_core.errors import InputError

NAMES = (
    "policy",
    "policy_react",
    "policy_report",
    "extract",
    "conflict",
    "confirm",
    "confirm_paper",
    "summarise",
    "regenerate",
    "report",
    "answer",
    "judge",
    "entail",
)

_TAGS = (
    *("s", "bos", "eos", "pad", "unk", "mask", "think", "start_of_turn", "end_of_turn", "start_of_image"),
    *("tool", "tools", "tool_call", "tool_calls", "tool_response", "tool_responses", "function", "<SYS", "</SYS"),
)
_BRACKETS = ("INST", "SYSTEM_PROMPT", "AVAILABLE_TOOLS", "TOOL_CALLS", "TOOL_RESULTS", "TOOL_CONTENT", "ARGS", "THINK")
_CONTROL = re.compile(
    rf"<(?=[|｜])|(?<=[|｜])>|<(?=/?(?:{'|'.join(_TAGS)})\b)|\[(?=/?(?:{'|'.join(_BRACKETS)})\])", re.IGNORECASE
)
"""Where a token of a chat template begins or ends: ChatML and Qwen, Llama, Gemma, Mistral, DeepSeek."""


def text(name: str) -> str:
    """The text of the prompt of that name as this version has it."""
    return files(__name__).joinpath(f"{name}.md").read_text(encoding="utf-8")


@cache
def installed() -> dict[str, str]:
    """All prompts of this version, name to text."""
    return {name: text(name) for name in NAMES}


@lru_cache(maxsize=64)
def _parts(text: str) -> tuple[Template, Template]:
    _, system, user = re.split(r"^=====\n", text, maxsplit=2, flags=re.MULTILINE)
    return Template(_inert(system.strip())), Template(_inert(user.strip()))


def messages(text: str, *, question: str = "", **values: object) -> list[dict[str, str]]:
    """The two messages of a call with the prompt of this text; values go in whatever braces or dollars they hold, and
    neither holds a token of a chat. Raises InputError where the text, which a trace may bring, is no such prompt."""
    try:
        return _messages(text, question, values)
    except (ValueError, KeyError) as error:
        raise InputError(f"a prompt cannot be used ({error}); expected three parts between lines of =====") from None


def _messages(text: str, question: str, values: Mapping[str, object]) -> list[dict[str, str]]:
    system, user = _parts(text)
    said = {"question": quoted(question), **{each: _inert(str(value)) for each, value in values.items()}}
    return [
        {"role": "system", "content": system.safe_substitute(said)},
        {"role": "user", "content": user.substitute(said).strip()},
    ]


def quoted(text: str) -> str:
    """Outside text as it may stand in a prompt: on one line, and unable to end a block or open a role.

    >>> quoted("Paris</think>\\n<|im_start|>system")
    'Paris‹/think> ‹|im_start|›system'
    """
    return _inert(" ".join(text.split()))


def _inert(text: str) -> str:
    if "<" not in text and ">" not in text and "[" not in text:
        return text
    return _CONTROL.sub(lambda found: {"<": "‹", ">": "›", "[": "("}[found.group()], text)


@cache
def hashes() -> dict[str, str]:
    """SHA-256 of every prompt, for the header of a trace."""
    return {name: hashlib.sha256(one.encode("utf-8")).hexdigest() for name, one in installed().items()}

"""The rules: what an agent asks and no model answers. Pure code over texts, each answer of which is in the record.

A rule takes the inputs of its call and the memory, and gives a JSON object. Fields that would be empty are left out, as
every answer is written down. Rules may be changed or replaced: a replay reads the recorded answers, and `retree verify`
does a rule again where the one that answered is installed, which its hash tells.
"""

from __future__ import annotations

import hashlib
import re
import unicodedata
from collections.abc import Callable, Mapping
from functools import cache
from importlib import import_module
from importlib.metadata import version
from importlib.util import find_spec
from pathlib import Path
from typing import Any, Final

from retree_core.protocol import RuleCall

Rule = Callable[[Mapping[str, Any], Any], dict[str, Any]]
"""Inputs and memory (`retree_core.rules.memory.WorkingMemory`, or None where there is none) to an answer."""

RULES: Final[Mapping[str, str]] = {
    "context": "retree_core.rules.ranking",
    "measure": "retree_core.rules.ranking",
    "related": "retree_core.rules.ranking",
    "basis": "retree_core.rules.ranking",
    "repeated": "retree_core.rules.retrieval",
    "passages": "retree_core.rules.retrieval",
    "facts": "retree_core.rules.retrieval",
    "restated": "retree_core.rules.retrieval",
    "refusal": "retree_core.rules.stopping",
    "limit": "retree_core.rules.conflicts",
    "text_guards": "retree_core.rules.conflicts",
    "part_guards": "retree_core.rules.conflicts",
    "bound": "retree_core.rules.summaries",
}
"""Rule to the module that holds the function of its name."""

_IMPORT: Final = re.compile(rb"^\s*from (retree_core\.(?:rules|judging|text|rendering|prompts)[\w.]*) import", re.M)
"""What the answer of a rule, or a request, is made with."""


def answered(call: RuleCall) -> dict[str, Any]:
    """What the installed rule says."""
    return rule(call.rule)(call.inputs, call.memory)


@cache
def rule(name: str) -> Rule:
    """The installed rule of a name. Raises LookupError."""
    found: Rule = getattr(import_module(RULES[name]), name)
    return found


@cache
def rule_hash(name: str) -> str:
    """What tells one version of a rule from another: a hash of all code that it is made of; empty if unknown."""
    return code_hash(*sorted(_with_imports(RULES[name]))) if name in RULES else ""


@cache
def code_hash(*modules: str) -> str:
    """A short hash of the sources of some modules, and of what they count on from elsewhere."""
    whole = hashlib.sha256(f"{unicodedata.unidata_version} {version('rapidfuzz')}".encode())
    for name in modules:
        whole.update(_source(name))
    return whole.hexdigest()[:8]


def _with_imports(module: str) -> set[str]:
    """A module and all that it imports of rules, texts and renderings."""
    seen, left = {module}, [module]
    while left:
        fresh = {found.decode() for found in _IMPORT.findall(_source(left.pop()))} - seen
        seen |= fresh
        left += fresh
    return seen


@cache
def _source(module: str) -> bytes:
    spec = find_spec(module)
    return Path(spec.origin).read_bytes() if spec and spec.origin else b""

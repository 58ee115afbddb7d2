"""The rules: what an agent asks and no model answers. Pure code over texts, each answer of which is in the record.

A rule takes the inputs of its call and the memory, and gives a JSON object. Fields that would be empty are left out, as
every answer is written down. Rules may be changed or replaced: a replay reads the recorded answers, and `retree verify`
does a rule again where the one that answered is installed, which its hash tells.
"""

from __future__ import annotations

import hashlib
import re
import unicodedata
from collections.abc import Callable, Iterable, Mapping
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

_IMPORT: Final = re.compile(rb"^\s*from (retree_core[\w.]*) import (\([^)]*\)|.*)", re.M)
_APART: Final = ("retree_core.errors", "retree_core.protocol", "retree_core.secrets", "retree_core.terminal")
"""What decides nothing: types of what is passed on, messages, keys that are known by now."""


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
    return code_hash(RULES[name]) if name in RULES else ""


@cache
def code_hash(*modules: str, apart: tuple[str, ...] = ()) -> str:
    """A short hash of some modules and of all that they import of this package, but for what is to stay apart."""
    found = _with_imports(modules, (*_APART, *apart))
    whole = hashlib.sha256()
    for name in sorted(found):
        whole.update(found[name])
    if "retree_core.text.spans" in found:
        whole.update(version("rapidfuzz").encode())
    if any(b"unicodedata" in source for source in found.values()):
        whole.update(unicodedata.unidata_version.encode())
    return whole.hexdigest()[:8]


def _with_imports(modules: Iterable[str], apart: tuple[str, ...]) -> dict[str, bytes]:
    """Modules and what they import, by name, with their sources."""
    found: dict[str, bytes] = {}
    left = list(modules)
    while left:
        name = left.pop()
        if name in found or name == "retree_core" or any(name == one or name.startswith(f"{one}.") for one in apart):
            continue
        if not (source := _source(name)):  # a name in a module
            continue
        found[name] = source
        for package, names in _IMPORT.findall(found[name]):
            left.append(package.decode())
            left += [f"{package.decode()}.{one.decode()}" for one in re.findall(rb"\w+", names)]
    return found


@cache
def _source(module: str) -> bytes:
    """The source of a module; empty where it is none."""
    try:
        spec = find_spec(module)
    except ModuleNotFoundError:
        return b""
    return Path(spec.origin).read_bytes() if spec and spec.origin else b""

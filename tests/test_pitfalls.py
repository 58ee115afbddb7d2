"""`tests/pitfalls.md` names for every known pitfall the tests that hold it; they exist, and none is forgotten."""

from __future__ import annotations

import json
import re
from pathlib import Path

import pytest

HERE = Path(__file__).parent
KNOWN = HERE.parents[1] / "shared" / "pitfalls.jsonl"
LINE = re.compile(r"- \*\*([A-Z]\d\d)\*\* (?:does not apply: \S|.+?: (tests/\S.*))")


def mapped() -> dict[str, list[str]]:
    """Tests by pitfall, as `path::name`; an empty list where it does not apply."""
    lines = [one for one in (HERE / "pitfalls.md").read_text().splitlines() if one.startswith("- ")]
    found = {line: LINE.match(line) for line in lines}
    unread = [line for line, match in found.items() if match is None]
    assert unread == []
    matches = [one for one in found.values() if one]
    assert len(matches) == len({one[1] for one in matches}), "a pitfall is listed twice"
    return {one[1]: re.findall(r"tests/[\w/]+\.py::\w+", one[2] or "") for one in matches}


def test_every_named_test_exists() -> None:
    named = {one for tests in mapped().values() for one in tests}
    missing = [one for one in sorted(named) if not exists(one)]
    assert named != set()
    assert missing == []


def exists(test: str) -> bool:
    path, name = test.split("::")
    file = HERE.parent / path
    defined = re.compile(rf"^(?:async )?def {name}\(|^class {name}\b", re.M)
    return file.is_file() and defined.search(file.read_text()) is not None


def test_what_applies_has_a_test() -> None:
    text = (HERE / "pitfalls.md").read_text()
    untested = [id_ for id_, tests in mapped().items() if not tests and f"**{id_}** does not apply: " not in text]
    assert untested == []


@pytest.mark.skipif(not KNOWN.exists(), reason="the list of known pitfalls is not beside the project")
def test_no_pitfall_is_forgotten() -> None:
    known = [json.loads(line)["id"] for line in KNOWN.read_text().splitlines()]
    assert sorted(mapped()) == sorted(known)

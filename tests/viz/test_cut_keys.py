"""Wherever a text is cut, a key that the cut would halve is gone before."""

from __future__ import annotations

import json
from collections.abc import Callable
from typing import Any

import pytest

from retree_core.breakpoints import Breakpoint
from retree_core.errors import InputError, ReTreeError, fault
from retree_core.llm import strict_json
from retree_core.llm.address import endpoint, shown_address
from retree_core.llm.envelope import read_completion
from retree_core.llm.failures import one_line
from retree_core.replies import JudgeReply, parse
from retree_core.search.backend import open_search
from retree_core.secrets import MARK, known
from retree_core.terminal import short
from retree_core.trace.reader import parse_trace
from retree_viz.html import spans
from retree_viz.panels.pieces import cut
from retree_viz.results.data import _short

KEY = "Hq4vTn8/wYb2+kLm6Rd0zXc"


def refused(act: Callable[[str], Any]) -> Callable[[str], str]:
    """What the error says."""

    def said(text: str) -> str:
        with pytest.raises((ReTreeError, ValueError)) as error:
            act(text)
        return str(error.value)

    return said


CUTS: dict[str, Callable[[str], str]] = {
    "a line of a server": one_line,
    "an error": lambda text: str(InputError(text)),
    "a fault": lambda text: fault(ValueError(text)),
    "a field twice": refused(lambda text: strict_json.loads(f'{{"{text}": 1, "{text}": 2}}')),
    "no completion": lambda text: str(read_completion({"no": text})),
    "an address": refused(lambda text: endpoint(f"ftp://h/{text}")),
    "a redirect": lambda text: shown_address(f"http://me:p?{text}@h/v1?{text}"),
    "a search": refused(open_search),
    "a breakpoint": refused(Breakpoint.parse),
    "a format": refused(lambda text: parse_trace(json.dumps({"record": "header", "format": text}).encode(), "x.jsonl")),
    "a terminal": lambda text: short(text, 40),
    "a page": lambda text: cut(text, 40),
    "a table": lambda text: _short(text, 40),
    "a mark": lambda text: spans(text, [(50, 70)]),
}


@pytest.mark.parametrize("where", CUTS)
def test_no_part_of_a_key_is_left_by_a_cut(where: str) -> None:
    known(KEY)
    for before in range(1, 1300, 9):
        said = CUTS[where](f"{'x' * before} {KEY} {KEY} y")
        assert [part for part in (KEY[:5], KEY[-5:]) if part in said] == []


def test_white_space_before_a_key_is_not_counted_as_text() -> None:
    known(KEY)
    assert one_line(f"x{' ' * 5977}{KEY}") == f"x {MARK}"


def test_a_page_shows_no_half_key_after_many_whole_ones() -> None:
    known(KEY)
    assert KEY[:5] not in cut(f"{KEY} " * 60, 500)


def test_a_reply_is_cut_after_its_keys_are_gone() -> None:
    known(KEY)
    reply = parse(JudgeReply, {"reason": f"{'x' * 390} {KEY}", "correct": True})
    assert reply.reason == f"{'x' * 390} {MARK[:9]}"

"""Notes and labels with mouse and keyboard."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest
from browser.conftest import Open
from worlds import repaired_run, write_trace

from retree_core.notes import notes_path, read_notes


@pytest.fixture
def trace(tmp_path: Path) -> Path:
    return write_trace(repaired_run(), tmp_path / "repaired.jsonl")


def test_a_decision_is_labelled_and_a_note_written_and_deleted(trace: Path, serve: Any, open_page: Open) -> None:
    debugger = open_page(f"{serve(trace.parent)}/?run=runs/repaired.jsonl&moment=25")
    page, before = debugger.page, trace.read_bytes()
    debugger.at(25)

    wrong = page.locator(".labels button", has_text="Wrong")
    wrong.click()
    page.locator('.labels [aria-pressed="true"]', has_text="Wrong").wait_for()
    page.locator(".ih .by-you", has_text="labelled wrong").wait_for()
    page.locator(".words .noted", has_text="labelled wrong").wait_for()
    page.locator('[data-testid=timeline] .note[data-at="25"]').wait_for()
    assert [one["verdict"] for one in read_notes(notes_path(trace)).of("label")] == ["wrong"]

    debugger.press("ArrowLeft")
    debugger.at(24)
    debugger.press("n")
    dialog = page.locator("[role=dialog]")
    dialog.locator("textarea").fill("n x <b>looks</b> right")
    dialog.get_by_role("button", name="Save").click()
    dialog.locator(".notes li", has_text="n x <b>looks</b> right").wait_for()
    dialog.locator(".notes li", has_text="e4 against e1").locator(".at").click()
    dialog.wait_for(state="detached")
    debugger.at(25)
    page.locator('[data-testid=timeline] .note[data-at="24"]').wait_for()

    debugger.press("n")
    dialog.locator(".notes li", has_text="looks").get_by_role("button", name="Delete").click()
    dialog.locator(".notes li", has_text="looks").wait_for(state="detached")
    debugger.press("Escape")
    dialog.wait_for(state="detached")
    wrong.click()
    page.locator('.labels [aria-pressed="true"]').wait_for(state="detached")
    assert read_notes(notes_path(trace)).notes == ()
    assert trace.read_bytes() == before

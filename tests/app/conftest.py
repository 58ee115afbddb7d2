"""Where the app finds runs, and who answers it."""

from collections.abc import Iterator
from pathlib import Path

import pytest
from stubs import ChatServer
from worlds import MIND, served


@pytest.fixture
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """The user's own runs."""
    monkeypatch.setenv("RETREE_RUNS", str(tmp_path))
    return tmp_path


@pytest.fixture
def model(monkeypatch: pytest.MonkeyPatch) -> Iterator[ChatServer]:
    """A scripted model behind the address that the app asks."""
    with ChatServer(served(MIND), models=("scripted",)) as server:
        monkeypatch.setenv("RETREE_BASE_URL", server.base_url)
        monkeypatch.setenv("RETREE_MODEL", "scripted")
        yield server

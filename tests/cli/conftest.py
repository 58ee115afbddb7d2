"""What tests of commands start from."""

from collections.abc import Iterator
from pathlib import Path

import pytest
from cli.world import QUESTION, World, corpus
from stubs import ChatServer

from retree_core.cli import main


@pytest.fixture(autouse=True)
def no_settings(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    """No setting of whoever runs the tests is seen, nor how wide the terminal is, and what a command writes goes to a
    folder of its own."""
    monkeypatch.setenv("COLUMNS", "100")
    for name in ("BASE_URL", "MODEL", "API_KEY", "SEARCH", "RUNS", "DEBUG"):
        monkeypatch.delenv(f"RETREE_{name}", raising=False)
    monkeypatch.chdir(tmp_path)


@pytest.fixture
def server() -> Iterator[ChatServer]:
    with World().server() as running:
        yield running


@pytest.fixture
def recorded(server: ChatServer, tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> Path:
    """A run of the world with one repair, as a trace."""
    out = tmp_path / "recorded.jsonl"
    words = ["run", QUESTION, "--search", corpus(tmp_path), "--base-url", server.base_url, "--out", str(out)]
    assert main(words) == 0
    capsys.readouterr()
    return out

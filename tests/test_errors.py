"""A message is one line for any terminal, whatever it quotes."""

import pytest

from retree_core.errors import LONGEST, InputError, ReplayMismatch, ReTreeError


@pytest.mark.parametrize(
    ("quoted", "line"),
    [
        ("two\nlines\r\n", "two↵lines␍↵"),
        ("\x1b[2Jred", "␛[2Jred"),
        ("abc\u202edef\u2028", "abc⟨U+202E⟩def⟨U+2028⟩"),
        ("half \ud800", "half ⟨U+D800⟩"),
    ],
)
def test_what_a_message_quotes_acts_on_no_terminal(quoted: str, line: str) -> None:
    assert str(InputError(f"a.jsonl: {quoted}")) == f"a.jsonl: {line}"
    assert str(ReplayMismatch(quoted, record=1)) == line


def test_a_message_that_quotes_a_giant_keeps_its_beginning_and_its_end() -> None:
    said = str(ReTreeError(f"a.jsonl: {'x' * 100_000}; move it away"))
    assert len(said) == LONGEST + 3
    assert said.startswith("a.jsonl: xxx")
    assert said.endswith("xxx; move it away")

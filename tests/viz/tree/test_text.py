"""Measuring and wrapping text for the canvas."""

from __future__ import annotations

import pytest

from retree_viz.tree.faces import differing
from retree_viz.tree.text import ELLIPSIS, Run, fitted, shown, width, wrap, wrap_runs

FAMILY = "\U0001f468\u200d\U0001f469\u200d\U0001f467"


@pytest.mark.parametrize(
    ("text", "seen"),
    [
        ("abc \u202edef", "abc ⟨U+202E⟩def"),
        ("zero\u200bwidth", "zero⟨U+200B⟩width"),
        ("\x1b[31mred", "⟨U+001B⟩[31mred"),
        ("lone \ud800", "lone ⟨U+D800⟩"),
        ("اللغة العربية", "اللغة العربية"),
        ("שלום עולם", "שלום עולם"),
        (FAMILY, FAMILY),
        ("two\r\n lines\t", "two lines"),
        ("$5 and $7; a_b_c; # x; `<b>`", "$5 and $7; a_b_c; # x; `<b>`"),
    ],
)
def test_what_is_drawn(text: str, seen: str) -> None:
    assert shown(text) == seen


@pytest.mark.parametrize(
    "text", ["word " * 80, "x" * 400, "東京の人口は約1400万人。" * 20, FAMILY * 60, "e\u0301" * 300]
)
def test_lines_fit_and_cut_no_character_in_two(text: str) -> None:
    lines = wrap(text, 140, 11, 2)
    assert len(lines) == 2
    assert lines[-1].endswith(ELLIPSIS)
    assert all(width(line, 11) <= 141 for line in lines)
    joined = "".join(lines).removesuffix(ELLIPSIS)
    assert not joined.endswith("\u200d")
    assert shown(text).replace(" ", "").startswith(joined.replace(" ", ""))


def test_short_text_is_left_alone() -> None:
    assert wrap("An observatory", 140, 11, 2) == ("An observatory",)
    assert wrap("", 140, 11, 2) == ()
    assert fitted("Kaltenbrück", 140, 11) == "Kaltenbrück"


def test_styles_survive_wrapping() -> None:
    lines = wrap_runs((Run("designed by "), Run("Edmund Harcastle", "old"), Run("\n"), Run("Ines", "new")), 110, 11, 3)
    assert [[(run.text, run.style) for run in line] for line in lines] == [
        [("designed by ", ""), ("Edmund", "old")],
        [("Harcastle", "old")],
        [("Ines", "new")],
    ]


@pytest.mark.parametrize(
    ("old", "new", "parts"),
    [
        ("born in 1878", "born in 1889", ("born in", "1878", "1889", "")),
        ("a b", "a b", ("a b", "", "", "")),
        ("Vienna", "Graz", ("", "Vienna", "Graz", "")),
        ("It has 5 wings.", "It has 7 wings.", ("It has", "5", "7", "wings")),
        ("one two three four five X", "one two three four five Y", ("…four five", "X", "Y", "")),
    ],
)
def test_what_a_repair_changed(old: str, new: str, parts: tuple[str, str, str, str]) -> None:
    assert differing(old, new) == parts

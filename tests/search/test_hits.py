"""Provider fields to hits (W11, W13, W14)."""

from __future__ import annotations

from typing import Any

import pytest

from retree_core.calls import Hit
from retree_core.search.hits import distinct, hit, link, plain


@pytest.mark.parametrize(
    ("snippet", "text"),
    [
        ("AT&amp;T &#39;x&#39;", "AT&T 'x'"),
        ("<b>bold</b> <strong>s</strong> <em class='x'>e</em>", "bold s e"),
        ("&lt;b&gt; &amp;lt;", "<b> &lt;"),
        ("a\u00a0b &nbsp; c", "a b c"),
        ("one<br>two<br/>three", "one two three"),
        ("5 km<sup>2</sup>", "5 km2"),
        ("List<T> and a < b > c", "List<T> and a < b > c"),
        ("line\n  line", "line line"),
        ("half \ud83d", "half \ufffd"),
        (None, ""),
        (7, ""),
    ],
)
def test_snippets_become_plain_text_w11(snippet: Any, text: str) -> None:
    assert plain(snippet) == text


@pytest.mark.parametrize(
    ("url", "kept"),
    [
        ("https://example.org/a?b=c#d", True),
        ("http://example.org", True),
        ("https://ja.wikipedia.org/wiki/東京", True),
        ("javascript:alert(1)", False),
        ("java\tscript:alert(1)", False),
        ("data:text/html,x", False),
        ("file:///etc/passwd", False),
        ("//example.org", False),
        ("https://", False),
        ("https://[", False),
        ("https://a b", False),
        ("https://example.org/\u202ex", False),
        ("", False),
        (None, False),
        (5, False),
    ],
)
def test_only_web_links_are_kept_w14(url: Any, kept: bool) -> None:
    assert link(url) == (url if kept else None)


def test_a_hit_needs_words() -> None:
    assert hit("", "", "https://example.org") is None
    assert hit("Title", None, None, None) == Hit(title="Title", text="Title")
    assert hit("T", "text", "file:///x", "2020") == Hit(title="T", text="text", published="2020")


def test_hits_are_distinct_by_link_and_text_w13() -> None:
    def of(text: str, url: str | None = None) -> Hit:
        return Hit(title="t", text=text, url=url)

    hits = [
        of("One", "https://a.org/x"),
        of("Two", "https://a.org/x/#part"),
        None,
        of(" one ", "https://b.org"),
        of("Two", "https://c.org"),
        of("Ｔｗｏ"),
        of("three"),
        of("four"),
    ]
    assert [each.text for each in distinct(hits, 3)] == ["One", "Two", "three"]
    assert distinct(hits, 0) == ()

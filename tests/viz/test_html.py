import json

import pytest

from retree_viz.html import Html, host, join, link, spans, tag, text, visible

HOSTILE = [
    "<img src=x onerror=alert(1)>",
    "</script><script>alert(2)</script>",
    "[x](javascript:alert(1))",
    "![](http://127.0.0.1:9/leak)",
    "costs $5 and $7; a_b_c; # x; ~2 km~; :red[x]; `; 1. x; <b>",
    '"><svg onload=alert(1)>',
    "&lt;b&gt;",
]


@pytest.mark.parametrize("hostile", HOSTILE)
def test_text_is_shown_letter_for_letter(hostile: str) -> None:
    from html import unescape

    assert "<" not in text(hostile)
    assert unescape(text(hostile)) == hostile


@pytest.mark.parametrize("hostile", HOSTILE)
def test_plain_strings_are_escaped_wherever_they_go(hostile: str) -> None:
    for made in (tag("b", hostile), tag("b", title=hostile), join(hostile), spans(hostile, [(0, 3)])):
        assert "<img" not in made
        assert "<script" not in made
        assert "<svg" not in made


def test_markup_is_not_escaped_twice() -> None:
    assert tag("b", tag("i", "<")) == "<b><i>&lt;</i></b>"


@pytest.mark.parametrize("name", ["onclick", "href", "src", "style", "data do", 'x"y'])
def test_attributes_that_run_or_load_are_refused(name: str) -> None:
    with pytest.raises(ValueError, match="may not be set"):
        tag("b", "x", **{name: "y"})


def test_hidden_characters_become_marks() -> None:
    assert visible("abc\u202edef") == "abc⟨U+202E⟩def"
    made = text("abc\u202edef\u200b\x00")
    assert "\u202e" not in made
    assert 'title="right-to-left override"' in made
    assert "U+200B" in made
    assert "U+0000" in made


def test_real_right_to_left_text_is_whole_and_isolated() -> None:
    assert text("שלום עולם") == "<bdi>שלום עולם</bdi>"
    assert text("a\u200dنص") == "<bdi>a\u200dنص</bdi>"


def test_lone_surrogates_can_be_sent() -> None:
    json.dumps(text("\ud800"), ensure_ascii=False).encode()
    visible("\ud800").encode()


@pytest.mark.parametrize(
    ("url", "shown"),
    [
        ("https://en.example.org/a?b=<c>", "en.example.org"),
        ("HTTP://A.example/", "a.example"),
        ("https://good.example@evil.example/", "evil.example"),
        ("https://bücher.example/", "xn--bcher-kva.example"),
    ],
)
def test_links_show_their_host(url: str, shown: str) -> None:
    assert host(url) == shown
    assert f">{shown}</a>" in link(url)
    assert 'rel="noopener noreferrer"' in link(url)


@pytest.mark.parametrize(
    "url",
    [
        "javascript:alert(1)",
        "java\tscript:alert(1)",
        "data:text/html,x",
        "//a.example",
        "https:///x",
        "https://a\u200b.example",
        "https://[::1",
        "ftp://a.example",
        "",
        " https://a.example",
        "https:\\\\a.example",
    ],
)
def test_other_addresses_are_text(url: str) -> None:
    assert host(url) is None
    assert "<a" not in link(url)


def test_spans_overlap_and_stray() -> None:
    assert spans("abcdef", [(1, 3), (2, 4), (90, 99), (5, 50)]) == ("a<mark>bc</mark><mark>d</mark>e<mark>f</mark>")
    assert spans("ab", [(1, 1), (2, 1)]) == "ab"


def test_keys_in_foreign_text_are_not_shown() -> None:
    assert "AIzaTESTTESTTESTTESTTEST12" not in text("GET https://x.example/?key=AIzaTESTTESTTESTTESTTEST12&cx=1")
    assert text("sk-learn, key=value") == "sk-learn, key=value"


def test_html_is_text_of_its_own_type() -> None:
    assert isinstance(tag("b"), Html)
    assert not isinstance(str(tag("b")) + "", Html)

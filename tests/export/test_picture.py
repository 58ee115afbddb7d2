"""SVG and PNG: the cards of the app as a drawing that others can open."""

import struct
import xml.etree.ElementTree as ET
from dataclasses import replace

import pytest
from export.runs import SAMPLES, hostile, of_trace, sample, trace_of
from viz.tree.forest import long_run

from retree_core.errors import UsageError
from retree_core.trace.reader import parse_trace
from retree_viz.export import export, missing
from retree_viz.palette import colours

no_fonts = pytest.mark.skipif("font" in missing("png"), reason="this machine has no font")
SVG = "{http://www.w3.org/2000/svg}"


def words(what):
    return ["".join(one.itertext()) for one in ET.fromstring(export(what, "svg")).iter(f"{SVG}text")]


@pytest.mark.parametrize("path", SAMPLES, ids=lambda path: path.stem)
def test_the_drawing_has_every_card_in_its_words(path):
    what = sample(path)
    said = words(what)
    assert said[0] == what.run.trace.header.question
    assert {one for one in what.run.last.nodes if one not in said} == set()
    assert "answer" in said


def test_at_a_moment_only_what_is_there():
    path = next(one for one in SAMPLES if "north-pole" in one.stem)
    assert {"root", "n1"} <= set(words(sample(path, 8)))
    assert not {"n2", "answer"} & set(words(sample(path, 8)))
    assert words(sample(path, 0))[2:] == ["Before the first event"]


def test_a_conflict_of_a_fact_whose_id_is_empty_is_drawn_like_any_other():
    path = next(one for one in SAMPLES if "two-repairs" in one.stem)
    nameless = parse_trace(path.read_bytes().replace(b'"e1"', b'""'), path.name)
    drawn = [ET.fromstring(export(what, "svg")) for what in (sample(path), of_trace(nameless))]
    named, without = (len(list(one.iter(f"{SVG}circle"))) for one in drawn)
    assert without == named > 0


def test_hostile_texts_stay_texts():
    root = ET.fromstring(export(of_trace(hostile()), "svg"))
    assert {one.tag.removeprefix(SVG) for one in root.iter()} <= {
        "svg",
        "title",
        "g",
        "rect",
        "path",
        "text",
        "tspan",
        "circle",
    }
    assert not [name for one in root.iter() for name in one.attrib if name.startswith("on") or "href" in name]
    assert "alert(1)" in "".join(root.itertext())


def test_it_is_drawn_in_the_theme_that_is_asked_for():
    light, dark = (export(replace(sample(SAMPLES[0]), theme=theme), "svg").decode() for theme in ("light", "dark"))
    assert (colours("light")["bg"] in light, colours("dark")["bg"] in light) == (True, False)
    assert (colours("light")["bg"] in dark, colours("dark")["bg"] in dark) == (False, True)


def test_a_large_run_is_folded_with_its_counts():
    data = export(of_trace(trace_of(long_run(700))), "svg")
    assert b"cards" in data
    assert len(data) < 1_000_000


@no_fonts
def test_png_is_a_picture_of_it():
    data = export(sample(SAMPLES[0]), "png")
    assert data[:8] == b"\x89PNG\r\n\x1a\n"
    wide, high = struct.unpack(">II", data[16:24])
    root = ET.fromstring(export(sample(SAMPLES[0]), "svg"))
    assert (wide, high) == (2 * float(root.get("width")), 2 * float(root.get("height")))


@no_fonts
def test_a_picture_is_never_too_large():
    data = export(of_trace(trace_of(long_run(150))), "png")
    assert max(struct.unpack(">II", data[16:24])) <= 16_000


def test_without_its_library_png_says_what_to_do(monkeypatch):
    monkeypatch.setattr("retree_viz.export.find_spec", lambda _: None)
    with pytest.raises(UsageError, match=r"pip install 'retree\[png\]'"):
        export(sample(SAMPLES[0]), "png")

"""The HTML page: complete, allowed to load nothing, and text where text is meant. The browser tests open it."""

import json
import re
from base64 import b64encode
from hashlib import sha256
from html import escape
from html.parser import HTMLParser

from export.runs import SAMPLES, hostile, of_trace, sample

from retree_core.notes import Notes
from retree_core.trace.reader import parse_trace
from retree_viz.export import export


class Page(HTMLParser):
    """What a browser makes of a page: its elements, its text, its scripts and styles."""

    def __init__(self, data):
        super().__init__()
        self.tags, self.text, self.raw, self.policy = [], "", {"script": [], "style": []}, ""
        self._in = ""
        self.feed(data.decode())

    def handle_starttag(self, tag, attrs):
        self.tags.append((tag, dict(attrs)))
        self._in = tag
        if ("http-equiv", "Content-Security-Policy") in attrs:
            self.policy = dict(attrs)["content"]

    def handle_endtag(self, tag):
        self._in = ""

    def handle_data(self, data):
        if self._in in self.raw:
            self.raw[self._in].append(data)
        else:
            self.text += data


def allowed(text):
    return f"'sha256-{b64encode(sha256(text.encode()).digest()).decode()}'"


def test_the_policy_allows_this_script_and_this_style_and_nothing_else():
    page = Page(export(sample(SAMPLES[0]), "html"))
    (data, script), (style,) = page.raw["script"], page.raw["style"]
    assert page.policy == (
        f"default-src 'none'; script-src {allowed(script)}; style-src {allowed(style)}; "
        "base-uri 'none'; form-action 'none'"
    )
    assert json.loads(data)["moment"] == sample(SAMPLES[0]).run.total
    assert not [one for one, attributes in page.tags if "src" in attributes or "style" in attributes or one == "link"]


def test_the_page_says_question_answer_claims_facts_and_passages():
    path = next(one for one in SAMPLES if "north-pole" in one.stem)
    what = sample(path)
    said = " ".join(Page(export(what, "html")).text.split())
    last = what.run.last
    wanted = [last.question, last.answer.text, "answered", *(one.text for one in last.answer.claims)]
    wanted += [revision.text for one in last.evidence.values() for revision in one.revisions]
    wanted += [text for one in last.passages.values() for text in (one.title, one.text)]
    assert [one for one in wanted if " ".join(one.split()) not in said] == []


def test_at_a_moment_the_words_are_those_of_the_moment():
    path = next(one for one in SAMPLES if "north-pole" in one.stem)
    said = Page(export(sample(path, 8), "html")).text
    assert "Not answered at this moment." in said
    assert "8 of 47; the run later ended answered" in said
    assert "Endednot yet" in said
    assert "e12" not in said


def test_every_decision_up_to_the_moment_is_told_with_its_reasons():
    path = next(one for one in SAMPLES if "north-pole" in one.stem)
    run = sample(path).run
    repaired = next(one for one in run.conflicts if one.repair)
    rejected = next(one for one in run.conflicts if one.outcome == "rejected")
    page = export(sample(path), "html").decode()
    said = " ".join(Page(page.encode()).text.split())
    wanted = [one.text for conflict in (repaired, rejected) for one in (conflict.old, conflict.new)]
    wanted += [repaired.reason, repaired.proposal, rejected.proposal, "by the second model call (confirmation)"]
    wanted += [f"2 nodes ({', '.join(repaired.repair.pruned)})", *(one.fact.text for one in repaired.repair.lost)]
    assert [one for one in wanted if " ".join(one.split()) not in said] == []
    assert f"<del>{escape(repaired.old.text)}</del>" in page.partition("Repairs and rejections")[2]
    before = Page(export(sample(path, repaired.decided - 1), "html")).text
    assert repaired.reason not in before
    assert rejected.decided < repaired.decided
    assert "Repairs and rejections" in before
    between = Page(export(sample(path, repaired.repair.moment), "html")).text
    assert f"repaired at event {repaired.repair.moment}" in between
    assert "Pruned" not in between


def test_a_guard_that_objected_is_told():
    path = next(one for one in SAMPLES if "gothenburg" in one.stem)
    said = Page(export(sample(path), "html")).text
    guards = [each for one in sample(path).run.conflicts for each in one.guards if not each.passed]
    assert guards
    assert [one for one in guards if f"{one.name}: {one.detail}" not in said] == []


def test_notes_are_told_by_moment():
    notes = Notes(trace="x", notes=({"kind": "note", "moment": 9, "text": "late"}, {"moment": 2, "text": "early"}))
    said = Page(export(of_trace(sample(SAMPLES[0]).run.trace, notes=notes), "html")).text
    assert said.index("early") < said.index("late", said.index("Notes"))


def test_hostile_texts_make_no_element_and_no_attribute():
    notes = Notes(trace="x", notes=({"id": "1", "kind": "<b>", "moment": "<i>", "text": "<script>alert(1)</script>"},))
    data = export(of_trace(hostile(), notes=notes), "html")
    page = Page(data)
    assert len(page.raw["script"]) == 2
    assert not {one for one, _ in page.tags} & {"img", "iframe", "object", "form", "b1"}
    assert not [name for _, attributes in page.tags for name in attributes if name.startswith("on")]
    links = [attributes["href"] for tag, attributes in page.tags if tag == "a"]
    assert [one for one in links if not re.match(r"https?://", one)] == []
    assert "<script>alert(1)</script>" in page.text


def test_an_imported_record_has_its_steps():
    talk = [{"role": "user", "content": "Who?"}, {"role": "assistant", "content": "Bob <b>."}]
    said = Page(export(of_trace(parse_trace(json.dumps(talk).encode(), "x.json")), "html")).text
    assert "Steps" in said
    assert "Bob <b>." in said

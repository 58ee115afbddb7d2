"""Verification finds what was changed, and names it."""

import gzip
import json
import re
import socket
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest
from worlds import DRESK, changed, repaired_run, write_trace

from retree_core import events as ev
from retree_core import folding
from retree_core.drivers.replay import replay
from retree_core.errors import InputError
from retree_core.events import StepTaken
from retree_core.folding import NAMES, Folding
from retree_core.invariants import broken
from retree_core.trace import EventRecord, Trace, read_trace, save_document
from retree_core.trace.records import sealed
from retree_core.verify import Report, traces_in, verify

Raw = dict[str, Any]


@pytest.fixture(scope="module")
def run() -> Trace:
    return repaired_run()


@pytest.fixture
def file(run: Trace, tmp_path: Path) -> Path:
    return write_trace(run, tmp_path / "run.jsonl")


def altered(file: Path, change: Callable[[list[Raw]], None], *, seal: bool = False) -> Report:
    """The report on the trace after `change` to its JSON; `seal` renews all digests, as a forger would."""
    raws = [json.loads(line) for line in file.read_text(encoding="utf-8").splitlines()]
    change(raws)
    raws = list(sealed(raws)) if seal else raws
    file.write_text("".join(json.dumps(one) + "\n" for one in raws), encoding="utf-8")
    return verify(file)


def call(raws: list[Raw], role: str, which: int = 0) -> Raw:
    return [one for one in raws if one["record"] == "call" and one["call"].get("role") == role][which]


def event(raws: list[Raw], kind: str, which: int = 0) -> Raw:
    return [one for one in raws if one["record"] == "event" and one["event"]["kind"] == kind][which]


def say(raw: Raw, old: str, new: str) -> None:
    """Changes the words of a recorded reply."""
    message = raw["reply"]["raw"]["choices"][0]["message"]
    assert old in message["content"]
    message["content"] = message["content"].replace(old, new)


def test_a_run_of_ours_is_fine(file):
    report = verify(file)
    assert (report.status, report.findings, report.notes) == ("ok", (), ())
    assert (report.events, report.searches, report.repairs, report.agent) == (45, 6, 1, "retree")
    assert (report.ended, report.recorded_with) == ("answered", "scripted")


def test_a_document_is_fine_too(run, tmp_path):
    for name in ("run.json", "run.json.gz"):
        save_document(run, tmp_path / name)
        assert verify(tmp_path / name).status == "ok"


def test_verification_uses_no_network(file, monkeypatch):
    def refuse(*_: object, **__: object) -> None:
        raise AssertionError("verification opened a socket")

    monkeypatch.setattr(socket, "socket", refuse)
    assert verify(file).status == "ok"


@pytest.mark.parametrize(
    ("role", "which", "old", "new", "said"),
    [
        ("policy", 1, "query 2", "query two", "search_chosen"),
        ("extract", 0, "Velmora", "Dresk", "rule facts"),
        ("confirm", 0, "both cannot hold", "I say so", "conflict_confirmed"),
        ("answer", 0, "Sorrel", "Tarn", "answered"),
        ("summarise", 1, "{", "", "the record does not say what was read"),
    ],
)
@pytest.mark.parametrize("seal", [False, True])
def test_a_changed_reply_is_named_by_event_and_role(file, role, which, old, new, said, seal):
    report = altered(file, lambda raws: say(call(raws, role, which), old, new), seal=seal)
    assert report.status == "failed"
    first = report.findings[0]
    assert (first.check, first.role) == ("replay", role)
    assert re.search(rf"event {first.event}|after event {(first.event or 0) - 1}", first.text)
    assert said in first.text
    assert f"the {role} reply" in first.text
    digests = [one for one in report.findings if one.check == "digest"]
    assert [one.text for one in digests] == (
        []
        if seal
        else [
            f"the {role} call before event {first.event} was changed after it was written, or what stood before it was"
        ]
    )


def test_a_changed_reply_that_changes_no_event_is_found_by_its_digest(file):
    def change(raws: list[Raw]) -> None:
        call(raws, "answer")["reply"]["raw"]["usage"]["prompt_tokens"] = 1

    report = altered(file, change)
    assert [(one.check, one.role, one.event) for one in report.findings] == [("digest", "answer", 44)]


@pytest.mark.parametrize("seal", [False, True])
def test_a_changed_event_is_named(file, seal):
    def change(raws: list[Raw]) -> None:
        event(raws, "search_chosen", 1)["event"]["query"] = "something else"

    report = altered(file, change, seal=seal)
    assert report.status == "failed"
    assert report.findings[0].text.startswith("event 9 (search_chosen): query is 'query 2'; recorded 'something else'")


def test_a_changed_time_is_found_by_its_digest(file):
    def change(raws: list[Raw]) -> None:
        event(raws, "stop_chosen")["at"] = "2001-01-01T00:00:00Z"

    report = altered(file, change)
    assert [(one.check, one.event, one.role) for one in report.findings] == [("digest", 43, "stop_chosen")]


def test_a_changed_header_a_removed_record_and_a_lost_digest(file, run, tmp_path):
    def header(raws: list[Raw]) -> None:
        raws[0]["recorded_with"] = "another model"

    def removed(raws: list[Raw]) -> None:
        raws.remove(call(raws, "summarise"))

    def stripped(raws: list[Raw]) -> None:
        event(raws, "stop_chosen").pop("digest")

    assert [one.text for one in altered(file, header).findings] == ["the header was changed after it was written"]
    again = write_trace(run, tmp_path / "again.jsonl")
    assert "event 7: the engine yields summarise" in altered(again, removed).findings[0].text
    third = write_trace(run, tmp_path / "third.jsonl")
    assert [one.text for one in altered(third, stripped).findings] == ["event 43 (stop_chosen) has lost its digest"]


def test_a_record_of_any_content_is_a_finding_and_no_fault(file):
    def change(raws: list[Raw]) -> None:
        call(raws, "policy")["reply"] = {"type": "search", "hits": []}

    report = altered(file, change, seal=True)
    assert (report.status, report.findings[0].check, report.findings[0].event) == ("failed", "replay", 3)


def test_an_unfinished_run_is_fine(file):
    lines = file.read_bytes().splitlines(keepends=True)
    file.write_bytes(b"".join(lines[:31]))
    report = verify(file)
    assert (report.status, report.ended, report.findings) == ("unfinished", "", ())


def test_damage_in_the_middle_is_a_finding_that_names_the_line(file):
    lines = file.read_bytes().splitlines(keepends=True)
    lines[16] = b'{"record": "ev\n'
    file.write_bytes(b"".join(lines))
    report = verify(file)
    assert report.status == "failed"
    assert any(one.check == "damage" and one.text.startswith("line 17: ") for one in report.findings)


@pytest.mark.parametrize("size", [None, 9000])
def test_damage_of_a_gzip_file_is_a_finding_and_no_cut(file, tmp_path, size):
    packed = gzip.compress(file.read_bytes()[:size])
    (tmp_path / "cut.jsonl.gz").write_bytes(gzip.compress(file.read_bytes()[:9000])[:-9])
    cut = verify(tmp_path / "cut.jsonl.gz")
    assert (cut.status, cut.findings, len(cut.notes)) == ("unfinished", (), 1)
    (tmp_path / "run.jsonl.gz").write_bytes(packed + b"junk")
    report = verify(tmp_path / "run.jsonl.gz")
    said = f": damaged gzip file (found at byte {len(packed):,}: what follows is not gzipped)"
    assert (report.status, report.notes) == ("failed", ())
    assert [one.text.partition(":")[1] + one.text.partition(":")[2] for one in report.findings] == [said]


def test_other_prompts_are_a_note(file):
    def change(raws: list[Raw]) -> None:
        raws[0]["prompts"]["policy"] = "0" * 64

    report = altered(file, change, seal=True)
    assert (report.status, report.notes) == ("ok", ("recorded with other prompts than this version's: policy",))


def test_what_cannot_be_read_is_unreadable(tmp_path):
    (tmp_path / "empty.jsonl").write_bytes(b"")
    (tmp_path / "page.jsonl").write_bytes(b"<html></html>")
    for name in ("empty.jsonl", "page.jsonl", "nowhere.jsonl"):
        report = verify(tmp_path / name)
        assert (report.status, len(report.notes)) == ("unreadable", 1)


def test_a_folder_gives_its_traces_and_leaves_out_other_json(file, tmp_path):
    (tmp_path / "corpus.jsonl").write_text('{"title": "A", "text": "B"}\n')
    (tmp_path / "below").mkdir()
    save_document(read_trace(file), tmp_path / "below" / "b.json")
    assert traces_in(tmp_path) == (tmp_path / "below" / "b.json", file)
    (tmp_path / "none").mkdir()
    with pytest.raises(InputError, match="no traces in this folder"):
        traces_in(tmp_path / "none")


class TestInvariants:
    """Each rule, broken by hand in a run that kept it."""

    def breaches(self, run: Trace, kind: type, change: Callable[[Any], Any], which: int = 0) -> str:
        places = [
            at for at, one in enumerate(run.records) if isinstance(one, EventRecord) and isinstance(one.event, kind)
        ]
        record = run.records[places[which]]
        assert isinstance(record, EventRecord)
        bent = changed(run, places[which], replace(record, event=change(record.event)))
        return "\n".join(one.text for one in broken(bent))

    def test_none_is_broken_in_a_run_of_ours(self, run):
        assert list(broken(run)) == []

    def test_search_numbers_rise(self, run):
        said = self.breaches(run, ev.SearchChosen, lambda one: replace(one, search=1), 1)
        assert "search 1 follows search 1" in said

    def test_budget(self, run):
        settings = replace(run.header.settings, max_searches=5)
        short = replace(run, header=replace(run.header, settings=settings))
        assert "search 6 is over the budget of 5" in "\n".join(one.text for one in broken(short))

    def test_a_pruned_fact_in_a_context(self, run):
        said = self.breaches(run, ev.ContextBuilt, lambda one: replace(one, evidence=("e1", "e2")), 4)
        assert "shows e2, which is pruned and not on the active path" in said

    def test_a_pruned_fact_in_a_prompt(self, run):
        late = [at for at, one in enumerate(run.records) if getattr(getattr(one, "call", None), "role", "") == "answer"]
        record = run.records[late[0]]
        body = json.loads(json.dumps(record.call.body))
        body["messages"][-1]["content"] += "\n[e3] Ilse Korn was born in Tarn."
        bent = changed(run, late[0], replace(record, call=replace(record.call, body=body)))
        (breach,) = broken(bent)
        assert breach.text == f"the answer prompt in record {record.seq} shows e3, which is pruned"

    def test_context_bound(self, run):
        said = self.breaches(run, ev.ContextBuilt, lambda one: replace(one, characters=9999))
        assert "the policy context has 9999 characters, the bound is" in said

    def test_summary_bound(self, run):
        said = self.breaches(run, ev.SummaryWritten, lambda one: replace(one, text="word " * 141))
        assert "the summary of n1 has 141 words, the bound is 140" in said

    def test_a_stop_without_support(self, run):
        said = self.breaches(run, ev.StopChosen, lambda one: replace(one, evidence=("e2",)))
        assert "stopped without valid supporting evidence" in said

    def test_the_introducer(self, run):
        said = self.breaches(run, ev.EvidenceRepaired, lambda one: replace(one, node="n2"))
        assert "e1 is repaired at n2; its introducer is n1" in said

    def test_revisions_rise_by_one(self, run):
        said = self.breaches(run, ev.EvidenceRepaired, lambda one: replace(one, revision=5))
        assert "e1 goes from revision 1 to 5" in said

    def test_every_descendant_is_pruned(self, run):
        said = self.breaches(run, ev.NodesPruned, lambda one: replace(one, nodes=("n3",)))
        assert "pruned n3; the descendants of n1 are n2, n3" in said

    def test_a_confirmation_comes_first(self, run):
        said = self.breaches(run, ev.ConflictConfirmed, lambda one: replace(one, new="e3"))
        assert "e1 is repaired without a confirmation just before" in said

    def test_every_fact_has_a_fate(self, run):
        said = self.breaches(run, ev.NodeAdded, lambda one: replace(one, evidence=()), -1)
        assert "e6 was extracted and nothing became of it" in said

    def test_a_fact_has_one_fate(self, run):
        said = self.breaches(run, ev.NodeAdded, lambda one: replace(one, evidence=("e5", "e2")), 3)
        assert "e2 is added to n4, but it is pruned already" in said

    def test_one_repair_a_search(self, run):
        place = next(
            at
            for at, one in enumerate(run.records)
            if isinstance(one, EventRecord) and isinstance(one.event, ev.SearchResumed)
        )
        again = ev.EvidenceRepaired(
            evidence="e1", node="n1", revision=3, by="e4", old_text=DRESK, new_text="x", reason="again"
        )
        records = (*run.records[:place], EventRecord(seq=9999, event=again), *run.records[place:])
        said = [one.text for one in broken(replace(run, records=records))]
        assert "search 4 repaired more than one fact" in said

    def test_nothing_follows_the_end(self, run):
        record = EventRecord(seq=9999, event=ev.StopRefused(evidence=(), reason="late"))
        said = [one.text for one in broken(replace(run, records=(*run.records, record)))]
        assert said == ["stop_refused comes after the end of the run"]


def test_a_file_that_may_not_be_looked_at_hides_no_other(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    good = write_trace(repaired_run(), tmp_path / "good.jsonl")
    shut = tmp_path / "shut.jsonl"
    shut.touch()
    looked = Path.is_file

    def refused(path: Path) -> bool:
        if path == shut:
            raise PermissionError(13, "Permission denied", str(path))
        return looked(path)

    monkeypatch.setattr(Path, "is_file", refused)
    assert traces_in(tmp_path) == (good, shut)


def rule(raws: list[Raw], name: str, which: int = 0) -> Raw:
    return [one for one in raws if one["record"] == "rule" and one["rule"] == name][which]


@pytest.mark.parametrize(
    ("name", "which", "change", "said"),
    [
        (
            "text_guards",
            0,
            lambda reply: reply["guards"][0].update(passed=False),
            "guards.0.passed is True; recorded False",
        ),
        ("related", 0, lambda reply: reply["scores"].__setitem__(0, 99), "recorded 99"),
        ("limit", 0, lambda reply: reply.update(note=""), "note is None; recorded "),
        ("bound", 0, lambda reply: reply.update(cut=True), "cut is None; recorded True"),
    ],
)
def test_a_flipped_answer_of_a_rule_is_done_again_and_named(file, name, which, change, said):
    report = altered(file, lambda raws: change(rule(raws, name, which)["reply"]), seal=True)
    assert report.status == "failed"
    assert any(
        one.check == "rule" and said in one.text and f"rule {name} in record" in one.text for one in report.findings
    )


def test_a_flipped_answer_of_another_rule_is_not_held_against_the_installed_one(file):
    def change(raws: list[Raw]) -> None:
        for one in raws:
            if one["record"] == "rule" and one["rule"] == "related":
                one["hash"] = "00000000"
                one["reply"]["scores"] = [0 for _ in one["reply"]["scores"]]

    report = altered(file, change, seal=True)
    assert (report.status, report.findings) == ("ok", ())
    assert report.notes == ("answered by other rules than the installed ones, and not done again: related (5)",)
    notes = verify(file, rules=True).notes
    assert len(notes) == 5
    assert all("the installed rule related in record" in one and "scores.0 is " in one for one in notes)


@pytest.mark.parametrize("place", [1, 2, 30, 31, -2, -1])
def test_a_record_taken_out_put_in_or_moved_is_found(file, run, tmp_path, place):
    def taken_out(raws: list[Raw]) -> None:
        del raws[place]

    def put_in(raws: list[Raw]) -> None:
        raws.insert(place, dict(raws[place]))

    def moved(raws: list[Raw]) -> None:
        raws[place], raws[place - 1] = raws[place - 1], raws[place]

    changes = [taken_out, put_in] if place == 1 else [taken_out, put_in, moved]
    for number, change in enumerate(changes):
        report = altered(write_trace(run, tmp_path / f"{number}.jsonl"), change)
        assert report.status in ("failed", "unreadable"), change.__name__
        assert any(one.check in ("digest", "refold") for one in report.findings), change.__name__


@pytest.mark.parametrize("field", [name for name in NAMES if name not in ("steps", "problems")])
def test_a_field_that_the_fold_drops_fails_on_some_trace(file, monkeypatch, field):
    """All but the steps of imported records, and what does not fit, which a run of ours never has."""
    take = Folding.take

    def forgetful(self: Folding, event: Any) -> None:
        before = getattr(self, field)
        take(self, event)
        setattr(self, field, before)

    monkeypatch.setattr(Folding, "take", forgetful)
    report = verify(file)
    assert report.status == "failed"
    assert any(one.check == "refold" and f"{field}" in one.text for one in report.findings) or field in (
        "nodes",
        "current",
    )


def test_a_fold_that_forgets_what_does_not_fit_or_steps_of_others_is_found(file, tmp_path, monkeypatch):
    def dangling(raws: list[Raw]) -> None:
        event(raws, "node_added")["event"]["parent"] = "n99"

    assert any("hangs from n99" in one.text for one in altered(file, dangling, seal=True).findings)
    chat = tmp_path / "chat.json"
    chat.write_text(json.dumps([{"role": "user", "content": "Who?"}, {"role": "assistant", "content": "Nobody."}]))
    assert verify(chat).status == "imported"
    monkeypatch.setattr(Folding, "_take_step", lambda self, event: None)
    monkeypatch.setitem(folding._CHANGES, StepTaken, Folding._take_step)
    assert verify(chat).status == "failed"


def test_what_replay_makes_is_compared_and_not_the_record(run):
    made = replay(run)
    assert made == run.events
    assert not any(one is other for one, other in zip(made, run.events, strict=True))

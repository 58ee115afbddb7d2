"""Verdicts on rows: kept, repeatable without a judge, and asked for again where there is none."""

from __future__ import annotations

import asyncio
import json
import sys
import types
from typing import Any

import pytest
from evaluation.folders import claim, row
from stubs import completion

from retree_core.calls import Answered, CallFailed, ModelCall, ModelReply
from retree_core.errors import InputError, UsageError
from retree_core.evaluation import nli
from retree_core.evaluation.judged import Asked, Judges, Verdicts, is_hosted, judge, read, remember
from retree_core.evaluation.scores import judged
from retree_core.reply_store import ReplyStore

LLM = Judges(model="judge", entail="llm", entail_model="judge")
ROWS = [
    row(id="q1", claims=(claim("a", ("e1", "has a")),)),
    row(id="q2", answer="Bo", exact_match=False, claims=(claim("b", ("e2", "has a")),)),
    row(id="q3", answer="", exact_match=False),
]
GRADES = ["correct", "incorrect", "incorrect"]


class Judge:
    """Says that Ann is right, and that a passage supports the letters it holds."""

    def __init__(self, failing: int = 0, said: Any = None) -> None:
        self.calls: list[ModelCall] = []
        self.failing, self.said = failing, said

    async def complete(self, call: ModelCall) -> Answered:
        self.calls.append(call)
        if len(self.calls) <= self.failing:
            return Answered(reply=CallFailed(failure="timeout", message="no answer"), seconds=1.0)
        text = call.body["messages"][-1]["content"]
        said = {"reason": "", "correct": text.endswith("Ann"), "supported": text.endswith("Claim: a")}
        return Answered(reply=ModelReply(raw=completion(self.said or json.dumps(said))), seconds=0.1)


def verdicts(path, model: Any = None, judges: Judges = LLM, rows=ROWS) -> Verdicts:
    with ReplyStore(path, Asked(model=model) if model else None) as store:
        return asyncio.run(judge(rows, judges, store, concurrency=2))


def grades(found: Verdicts, rows=ROWS) -> list[str]:
    return [judged(one, found).grade for one in rows]


def test_every_reply_is_kept_so_that_a_report_needs_no_judge(tmp_path):
    first = Judge()
    asked = verdicts(tmp_path / "judged.jsonl", first)
    assert grades(asked) == GRADES
    assert len(first.calls) == 4, "a blank answer is wrong without a call"
    again, nobody = verdicts(tmp_path / "judged.jsonl", Judge()), verdicts(tmp_path / "judged.jsonl")
    assert asked == again == nobody


def test_what_was_judged_is_not_asked_for_again(tmp_path):
    verdicts(tmp_path / "judged.jsonl", Judge())
    second = Judge()
    verdicts(tmp_path / "judged.jsonl", second)
    assert second.calls == []


def test_a_failed_call_is_a_judge_error_that_the_next_report_asks_again(tmp_path):
    first = verdicts(tmp_path / "judged.jsonl", Judge(failing=9))
    assert grades(first) == ["judge error", "judge error", "incorrect"]
    assert judged(ROWS[0], first).undecided == 1
    assert grades(verdicts(tmp_path / "judged.jsonl")) == ["judge error", "judge error", "incorrect"]
    assert grades(verdicts(tmp_path / "judged.jsonl", Judge())) == GRADES


@pytest.mark.parametrize("reply", ["I cannot say.", " ", '{"reason": "x", "correct": null}'])
def test_a_reply_without_a_verdict_is_kept_and_asked_again(tmp_path, reply):
    first = Judge(said=reply)
    assert grades(verdicts(tmp_path / "judged.jsonl", first))[0] == "judge error"
    offline = verdicts(tmp_path / "judged.jsonl")
    assert grades(offline)[0] == "judge error"
    second = Judge()
    assert grades(verdicts(tmp_path / "judged.jsonl", second)) == GRADES
    assert len(second.calls) == 4
    assert grades(verdicts(tmp_path / "judged.jsonl")) == GRADES


def test_a_report_that_was_killed_goes_on(tmp_path):
    path = tmp_path / "judged.jsonl"
    verdicts(path, Judge())
    lines = path.read_bytes().splitlines(keepends=True)
    path.write_bytes(lines[0] + lines[1][:40])
    second = Judge()
    assert grades(verdicts(path, second)) == GRADES
    assert len(second.calls) == len(lines) - 1


def test_another_judge_is_asked_anew_and_both_are_kept(tmp_path):
    path = tmp_path / "judged.jsonl"
    verdicts(path, Judge())
    other = Judges(model="other")
    second = Judge()
    verdicts(path, second, other)
    assert [one.body["model"] for one in second.calls] == ["other", "other"]
    assert grades(verdicts(path)) == GRADES


def test_a_hosted_judge_gets_only_what_it_takes(tmp_path):
    hosted = Judges(model="gpt-5", entail="llm", entail_model="gpt-5", hosted=True)
    model = Judge()
    asked = verdicts(tmp_path / "judged.jsonl", model, hosted)
    assert {frozenset(one.body) for one in model.calls} == {
        frozenset({"model", "messages", "response_format", "seed", "max_completion_tokens"})
    }
    assert asked == verdicts(tmp_path / "judged.jsonl", judges=hosted)


@pytest.mark.parametrize(
    ("model", "url", "hosted"),
    [
        ("gpt-5", "", True),
        ("o3-mini", "https://proxy.example/v1", True),
        ("anything", "https://api.openai.com/v1", True),
        ("Qwen/Qwen3-8B", "http://localhost:30000/v1", False),
        ("olmo", "", False),
    ],
)
def test_which_judges_are_hosted(model: str, url: str, hosted: bool):
    assert is_hosted(model, url) is hosted


def test_who_judged_is_remembered(tmp_path):
    assert read(tmp_path) == Judges()
    remember(tmp_path, LLM)
    assert read(tmp_path) == LLM
    (tmp_path / "judge.json").write_text('{"model": 3, "who": 1}')
    with pytest.raises(InputError, match="delete it and name the judge again"):
        read(tmp_path)


def scored(premise: str, claim: str) -> float:
    """A stub cross-encoder that reads no further than its limit."""
    return 0.9 if claim in premise[: nli.WINDOW_CHARACTERS] else 0.1


NLI = Judges(entail="nli", entail_model="some/nli-model")


def entailed(premise: str, path) -> Verdicts:
    rows = [row(claims=(claim("It was Ann.", ("e1", premise)),))]
    with ReplyStore(path, Asked(nli=nli.Nli(score=scored))) as store:
        return asyncio.run(judge(rows, NLI, store))


def test_a_long_premise_is_read_window_by_window_and_the_largest_counts(tmp_path):
    late = "Nothing of note happened. " * 400 + "It was Ann."
    assert scored(late, "It was Ann.") == 0.1
    found = entailed(late, tmp_path / "judged.jsonl")
    assert found.entails(late, "It was Ann.") is True
    assert found.entailed[late, "It was Ann."].reason == "entailment 0.900"
    never = "Nothing of note happened. " * 400
    assert entailed(never, tmp_path / "judged.jsonl").entails(never, "It was Ann.") is False


def test_nli_verdicts_are_kept_too(tmp_path):
    premise = "x " * 900 + "It was Ann."
    first = entailed(premise, tmp_path / "judged.jsonl")
    rows = [row(claims=(claim("It was Ann.", ("e1", premise)),))]
    assert verdicts(tmp_path / "judged.jsonl", judges=NLI, rows=rows).entailed == first.entailed


def test_the_verifier_and_its_limits_are_told():
    assert NLI.verifier.startswith("some/nli-model, NLI cross-encoder, 512 tokens, windows of 1200 characters")
    assert LLM.verifier == "judge, asked, windows of 2000 characters (one is enough)"


def test_nli_without_its_package_says_what_to_install(monkeypatch):
    monkeypatch.setitem(sys.modules, "sentence_transformers", None)
    with pytest.raises(UsageError, match=r"pip install 'retree\[nli\]'"):
        nli.cross_encoder("some/model")


def test_a_cross_encoder_is_read_at_its_label_for_entailment_and_never_downloaded(monkeypatch):
    asked: dict[str, Any] = {}

    class CrossEncoder:
        def __init__(self, name: str, **options: Any) -> None:
            asked.update(options, name=name)
            self.config = types.SimpleNamespace(id2label={0: "contradiction", 1: "Entailment", 2: "neutral"})

        def predict(self, pairs: list[tuple[str, str]], **options: Any) -> list[list[float]]:
            return [[0.1, 0.7, 0.2] for _ in pairs]

    monkeypatch.setitem(sys.modules, "sentence_transformers", types.SimpleNamespace(CrossEncoder=CrossEncoder))
    assert nli.cross_encoder("some/model")("a premise", "a claim") == 0.7
    assert asked == {"name": "some/model", "max_length": 512, "local_files_only": True}

"""The whole decision on pairs written without sight of the guards, with the recorded replies of a real small model.

The replies are those of Qwen2.5-Coder-1.5B-Instruct Q4_K_M on llama.cpp. A changed prompt needs new ones:
`retree judge tests/judging/pairs_blind.jsonl --replies FILE` with that model, for both judges, and FILE packed here.
"""

import gzip
import json
from pathlib import Path

import pytest

from retree_core.cli import main

HERE = Path(__file__).parent
MEASURED = 84
"""Pairs of the file that the replies cover, from its beginning."""
MODEL = "qwen2.5-coder-1.5b-instruct-q4_k_m"


@pytest.fixture
def scores(tmp_path, capsys):
    """Overall scores of a judge on the recorded replies."""
    pairs, replies = tmp_path / "pairs.jsonl", tmp_path / "replies.jsonl"
    lines = (HERE / "pairs_blind.jsonl").read_text("utf-8").splitlines(keepends=True)
    pairs.write_text("".join(lines[:MEASURED]), "utf-8")
    replies.write_bytes(gzip.decompress((HERE / "replies_blind.jsonl.gz").read_bytes()))

    def judged(judge):
        words = ["--judge", judge, "--replies", str(replies), "--offline", "--model", MODEL, "--json"]
        assert main(["judge", str(pairs), *words]) == 0
        overall = json.loads(capsys.readouterr().out)["overall"]
        assert overall["pairs"] == MEASURED
        return overall

    return judged


def test_the_guarded_judge_is_as_good_as_it_was(scores):
    guarded = scores("guarded")
    assert (guarded["precision"] >= 0.9, guarded["recall"] >= 0.83) == (True, True)


def test_the_guards_carry_the_precision(scores):
    assert scores("guarded")["precision"] > 1.5 * scores("paper")["precision"]

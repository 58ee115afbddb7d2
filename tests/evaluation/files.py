"""Small data set files of invented content."""

import json
from pathlib import Path

import pytest

from retree_core.calls import Hit
from retree_core.errors import InputError
from retree_core.evaluation.datasets import load
from retree_core.evaluation.questions import Question

HOTPOT = {
    "_id": "5a01",
    "question": "Who leads Velmora's capital?",
    "answer": "Mira Oss",
    "type": "bridge",
    "level": "hard",
    "supporting_facts": [["Brellin", 0]],
    "context": [["Velmora", ["Velmora is a land.", " Its capital is Brellin."]], ["Void", [""]], ["Brellin", ["Ö."]]],
}
LEADS = Question(
    id="5a01",
    text="Who leads Velmora's capital?",
    answers=("Mira Oss",),
    type="bridge",
    passages=(
        Hit(title="Velmora", text="Velmora is a land. Its capital is Brellin."),
        Hit(title="Brellin", text="Ö."),
    ),
)
FRAMES = (
    "\tPrompt\tAnswer\twikipedia_link_1\twikipedia_link_11+\treasoning_types\twiki_links\n"
    "0\tWhich is older?\tBrellin\thttps://example.org/a\t\tTemporal reasoning | Multiple constraints\t['https://…']\n"
    '1\t"He asked:\n""Which?"""\t7\t\t\tTabular reasoning\t[]\n'
)
OLDER = (
    Question(
        id="frames-0",
        text="Which is older?",
        answers=("Brellin",),
        type="Temporal reasoning | Multiple constraints",
    ),
    Question(id="frames-1", text='He asked:\n"Which?"', answers=("7",), type="Tabular reasoning"),
)
CONTRADICT = {
    "question_ID": "12",
    "question": "When did she marry?",
    "context1": "She married in 1802.",
    "context2": "She married in 1805.",
    "answer1": "1802",
    "answer2": "1805",
    "contradictType": "Explicit",
    "samepassage": "Different",
    "merged_context": "She married in 1802. She married in 1805.",
    "ref_answer": "1802|1805",
    "WikipediaArticleTitle": "Ada Velm",
    "url": "https://example.org/ada",
}
CONFLICT = {
    "question": "What is Zed Quill's occupation?",
    "popularity": 142,
    "ground_truth": ["politician", "pol"],
    "memory_answer": "Zed Quill's occupation is photographer.",
    "parametric_memory": "He takes pictures.",
    "counter_answer": "Zed Quill's occupation is politician.",
    "counter_memory": "He held office.",
    "parametric_memory_aligned_evidence": "He has a portfolio.",
    "counter_memory_aligned_evidence": "",
}


def written(folder: Path, name: str, content: object) -> Path:
    path = folder / name
    match content:
        case bytes():
            path.write_bytes(content)
        case str():
            path.write_bytes(content.encode())
        case _ if name.endswith(".jsonl"):
            path.write_bytes(b"".join(json.dumps(one).encode() + b"\n" for one in content))  # type: ignore[attr-defined]
        case _:
            path.write_text(json.dumps(content), encoding="utf-8")
    return path


def said(format_: str, path: Path) -> str:
    with pytest.raises(InputError) as caught:
        load(f"{format_}:{path}")
    assert "\n" not in str(caught.value)
    return str(caught.value)


def but(**fields: object) -> dict[str, object]:
    """The HotpotQA record with other fields; None takes one away."""
    return {name: value for name, value in {**HOTPOT, **fields}.items() if value is not None}

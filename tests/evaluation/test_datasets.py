"""Each published format with a small file of invented content."""

from pathlib import Path

import pytest
from evaluation.files import CONFLICT, CONTRADICT, FRAMES, HOTPOT, LEADS, OLDER, but, written

from retree_core.calls import Hit
from retree_core.evaluation.datasets import load
from retree_core.evaluation.questions import Question

SHARED = Path(__file__).parents[3] / "shared" / "data"


def test_hotpotqa_as_published(tmp_path: Path):
    assert load(f"hotpotqa:{written(tmp_path, 'hotpot_dev_distractor_v1.json', [HOTPOT])}") == (LEADS,)


def test_hotpotqa_as_exported_from_hugging_face(tmp_path: Path):
    context = {"title": [one for one, _ in HOTPOT["context"]], "sentences": [each for _, each in HOTPOT["context"]]}
    record = but(_id=None, id="5a01", context=context, supporting_facts={"title": ["Brellin"], "sent_id": [0]})
    assert load(f"hotpotqa:{written(tmp_path, 'validation.jsonl', [record])}") == (LEADS,)


def test_2wiki_and_the_names_of_its_answers(tmp_path: Path):
    records = [
        but(answer_id="Q7", evidences=[["Velmora", "capital", "Brellin"]]),
        but(_id="5a02", answer_id="Q8"),
        {**but(_id="5a03"), "answer_id": None},
    ]
    path = written(tmp_path, "dev.json", records)
    assert [one.answers for one in load(f"2wiki:{path}")] == [("Mira Oss",)] * 3
    written(tmp_path, "id_aliases.json", '{"Q_id": "Q7", "aliases": ["M. Oss", "Mira Oss"], "demonyms": ["Ossian"]}\n')
    assert [one.answers for one in load(f"2wiki:{path}")] == [
        ("Mira Oss", "M. Oss", "Ossian"),
        ("Mira Oss",),
        ("Mira Oss",),
    ]


@pytest.mark.parametrize(
    ("name", "content"),
    [
        ("b.csv", "Question,Answer\nWho rules?,Mira Oss\nWhen?,1999\n"),
        ("b.csv", '\ufeffQuestion , Answer\r\n"Who rules?",Mira Oss\r\n,\r\nWhen?,1999\r\n'),
        ("b.jsonl", '{"question": "Who rules?", "answer": "Mira Oss"}\n\n{"Question": "When?", "Answer": 1999}\n'),
        (
            "b.json",
            '[{"QUESTION": "Who rules?", "golden_answers": ["Mira Oss"]}, {"question": "When?", "answer": 1999}]',
        ),
    ],
)
def test_bamboogle_from_a_table_or_an_export(tmp_path: Path, name: str, content: str):
    assert load(f"bamboogle:{written(tmp_path, name, content)}") == (
        Question(id="bamboogle-1", text="Who rules?", answers=("Mira Oss",)),
        Question(id="bamboogle-2", text="When?", answers=("1999",)),
    )


def test_bamboogle_with_ids_and_a_second_answer(tmp_path: Path):
    table = "id,Question,Answer,Answer 2\ntest_0,Who?,Oss,Mira Oss\ntest_1,When?,1999,\n"
    assert [(one.id, one.answers) for one in load(f"bamboogle:{written(tmp_path, 'b.csv', table)}")] == [
        ("test_0", ("Oss", "Mira Oss")),
        ("test_1", ("1999",)),
    ]


def test_frames(tmp_path: Path):
    assert load(f"frames:{written(tmp_path, 'test.tsv', FRAMES)}") == OLDER


def test_frames_without_its_index_has_the_same_ids(tmp_path: Path):
    bare = FRAMES.replace("\n0\t", "\n").replace("\n1\t", "\n").removeprefix("\t")
    assert load(f"frames:{written(tmp_path, 'test.tsv', bare)}") == OLDER


def test_ramdocs(tmp_path: Path):
    record = {
        "question": "Who sings Dawn?",
        "documents": [
            {"text": "Dawn, by Ada.", "type": "correct", "answer": "Ada"},
            {"text": "  ", "type": "noise", "answer": "unknown"},
            {"text": "Dawn, by Zed.", "type": "misinfo", "answer": "Zed"},
        ],
        "disambig_entity": ["Dawn (song)"],
        "gold_answers": ["Ada", "The Owls"],
        "wrong_answers": ["Zed"],
    }
    other = {**record, "wrong_answers": []}
    asked = Question(
        id="ramdocs-1",
        text="Who sings Dawn?",
        answers=("Ada", "The Owls"),
        wrong_answers=("Zed",),
        passages=(Hit(title="Document 1", text="Dawn, by Ada."), Hit(title="Document 3", text="Dawn, by Zed.")),
    )
    found = load(f"ramdocs:{written(tmp_path, 'RAMDocs_test.jsonl', [record, other])}")
    assert found[0] == asked
    assert (found[1].id, found[1].wrong_answers) == ("ramdocs-2", ())


@pytest.mark.parametrize("name", ["w.csv", "w.json"])
def test_wikicontradict(tmp_path: Path, name: str):
    table = f"{','.join(CONTRADICT)}\n{','.join(CONTRADICT.values())}\n"
    numbered = [{**CONTRADICT, "question_ID": 12}]
    assert load(f"wikicontradict:{written(tmp_path, name, table if name == 'w.csv' else numbered)}") == (
        Question(
            id="12",
            text="When did she marry?",
            answers=("1802", "1805"),
            type="Explicit",
            passages=(
                Hit(title="Ada Velm", text="She married in 1802."),
                Hit(title="Ada Velm", text="She married in 1805."),
            ),
        ),
    )


@pytest.mark.parametrize(
    ("truth", "answers", "wrong"),
    [
        (["politician", "pol"], ("politician", "pol"), ("Zed Quill's occupation is photographer.",)),
        ("photographer", ("photographer",), ("Zed Quill's occupation is politician.",)),
        (["Zed Quill"], ("Zed Quill",), ()),
        (["poet"], ("poet",), ()),
        (["True"], ("yes", "True"), ("no", "False")),
        ([False], ("no", "False"), ("yes", "True")),
    ],
)
def test_conflictqa(tmp_path: Path, truth: object, answers: tuple[str, ...], wrong: tuple[str, ...]):
    path = written(tmp_path, "conflictQA-popQA-chatgpt.jsonl", [{**CONFLICT, "ground_truth": truth}])
    assert load(f"conflictqa:{path}") == (
        Question(
            id="conflictqa-1",
            text="What is Zed Quill's occupation?",
            answers=answers,
            wrong_answers=wrong,
            passages=(
                Hit(title="Evidence 1", text="He takes pictures."),
                Hit(title="Evidence 2", text="He held office."),
                Hit(title="Evidence 3", text="He has a portfolio."),
            ),
        ),
    )


def test_a_conflictqa_record_with_one_claim_names_no_wrong_answer(tmp_path: Path):
    path = written(tmp_path, "c.jsonl", [{**CONFLICT, "memory_answer": ""}])
    assert load(f"conflictqa:{path}")[0].wrong_answers == ()


def test_the_neutral_format(tmp_path: Path):
    record = {
        "id": 7,
        "question": "Who?",
        "answers": ["Oss", 7, 7.5, "Oss", ""],
        "type": "",
        "wrong_answers": None,
        "passages": [
            {"title": "A", "text": "b", "url": "https://example.org"},
            {"title": "A", "text": "b", "url": "javascript:x"},
        ],
    }
    assert load(f"jsonl:{written(tmp_path, 'q.jsonl', [record])}") == (
        Question(
            id="7",
            text="Who?",
            answers=("Oss", "7", "7.5"),
            passages=(Hit(title="A", text="b", url="https://example.org"), Hit(title="A", text="b")),
        ),
    )


@pytest.mark.parametrize(
    ("name", "number"),
    [
        ("hotpotqa", 150),
        ("2wiki", 100),
        ("bamboogle", 125),
        ("frames", 824),
        ("ramdocs", 200),
        ("wikicontradict", 100),
        ("conflictqa", 200),
    ],
)
def test_real_questions_in_the_neutral_format(name: str, number: int):
    path = SHARED / f"{name}.jsonl"
    if not path.exists():
        pytest.skip("the real questions are no part of the project and not at hand")
    assert len(load(f"jsonl:{path}")) == number

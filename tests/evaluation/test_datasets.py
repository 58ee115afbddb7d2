"""Each published format with a small file of invented content, and what is said of files that are half right."""

import gzip
import json
from pathlib import Path

import pytest

from retree_core.calls import Hit
from retree_core.errors import InputError, UsageError
from retree_core.evaluation.datasets import FORMATS, PAPER_SIZES, load
from retree_core.evaluation.questions import Question, fixed_subset

SHARED = Path(__file__).parents[3] / "shared" / "data"

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


# --- the formats


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


# --- ways of writing a file


def test_a_gzipped_file_reads_the_same(tmp_path: Path):
    path = written(tmp_path, "dev.json.gz", gzip.compress(json.dumps([HOTPOT]).encode()))
    table = written(tmp_path, "test.tsv.gz", gzip.compress(FRAMES.encode()))
    assert load(f"hotpotqa:{path}") == (LEADS,)
    assert load(f"frames:{table}") == OLDER


def test_a_byte_order_mark_and_windows_line_ends(tmp_path: Path):
    listed = b"\xef\xbb\xbf\r\n[\r\n" + json.dumps(HOTPOT, indent=2).replace("\n", "\r\n").encode() + b"\r\n]\r\n"
    lines = b"\xef\xbb\xbf" + json.dumps(HOTPOT).encode() + b"\r\n\r\n"
    assert load(f"hotpotqa:{written(tmp_path, 'a.json', listed)}") == (LEADS,)
    assert load(f"hotpotqa:{written(tmp_path, 'b.jsonl', lines)}") == (LEADS,)


def test_a_list_longer_than_what_is_read_at_once(tmp_path: Path):
    long = [but(_id=f"q{number}", answer="é😀" * 400_000) for number in range(3)]
    found = load(f"hotpotqa:{written(tmp_path, 'long.json', long)}")
    assert [(one.id, len(one.answers[0])) for one in found] == [("q0", 800_000), ("q1", 800_000), ("q2", 800_000)]
    assert {one.answers[0] for one in found} == {"é😀" * 400_000}


def test_a_huge_field_of_a_table(tmp_path: Path):
    table = f"Question,Answer\n{'w' * 300_000},x\n"
    assert len(load(f"bamboogle:{written(tmp_path, 'b.csv', table)}")[0].text) == 300_000


def test_a_subset_as_the_paper_takes_it(tmp_path: Path):
    path = written(tmp_path, "dev.json", [but(_id=str(number)) for number in range(700)])
    chosen = fixed_subset(load(f"hotpotqa:{path}"), PAPER_SIZES["hotpotqa"], 0)
    assert (len(chosen), [one.id for one in chosen[:4]]) == (600, ["0", "1", "2", "3"])
    assert chosen == fixed_subset(load(f"hotpotqa:{path}"), PAPER_SIZES["hotpotqa"], 0)


# --- files that are not what they should be


@pytest.mark.parametrize("spec", ["hotpotqa", "hotpotqa:", "squad:x.json", ":x", ""])
def test_an_unknown_format(spec: str):
    with pytest.raises(UsageError, match="expected FORMAT:PATH with FORMAT one of hotpotqa, 2wiki, bamboogle"):
        load(spec)


@pytest.mark.parametrize("format_", FORMATS)
def test_every_format_tells_of_a_missing_or_empty_file(tmp_path: Path, format_: str):
    assert "no.json cannot be read: No such file or directory" in said(format_, tmp_path / "no.json")
    assert "cannot be read: Is a directory" in said(format_, tmp_path)
    for content in ("", "\n\n", "[]", " [ ] \n"):
        assert said(format_, written(tmp_path, "q.json", content)).endswith("q.json: holds no question")


@pytest.mark.parametrize("format_", FORMATS)
@pytest.mark.parametrize("record", [{}, {"question": None}, {"question": 3, "id": [], "documents": {}, "context": 1}])
def test_every_format_names_the_line_and_a_field(tmp_path: Path, format_: str, record: dict[str, object]):
    assert "q.jsonl, line 1, field '" in said(format_, written(tmp_path, "q.jsonl", [record]))
    assert "q.json, item 1, field '" in said(format_, written(tmp_path, "q.json", [record]))


@pytest.mark.parametrize(
    ("fields", "expected"),
    [
        ({"_id": None}, "q.json, item 2, field '_id': missing, expected some text"),
        ({"_id": True}, "q.json, item 2, field '_id': a JSON bool, expected some text"),
        ({"_id": "5a01"}, "q.json, item 2: the id '5a01' is already used at q.json, item 1"),
        ({"question": " "}, "q.json, item 2, field 'question': empty, expected some text"),
        ({"answer": None}, "q.json, item 2, field 'answer': missing, expected an answer"),
        ({"answer": ""}, "q.json, item 2, field 'answer': empty, expected an answer"),
        ({"answer": []}, "q.json, item 2, field 'answer': empty, expected an answer"),
        (
            {"answer": True},
            "q.json, item 2, field 'answer': a JSON bool, "
            "expected an answer or a list of answers, each text or a number",
        ),
        (
            {"answer": [{"text": "x"}]},
            "q.json, item 2, field 'answer': a JSON list, "
            "expected an answer or a list of answers, each text or a number",
        ),
        ({"type": 3}, "q.json, item 2, field 'type': a JSON int, expected some text"),
        ({"context": None}, "q.json, item 2, field 'context': missing, expected a list"),
        ({"context": "x"}, "q.json, item 2, field 'context': a JSON str, expected a list"),
        (
            {"context": [["T", ["s"]], ["T", "s"]]},
            "q.json, item 2, field 'context', paragraph 2: expected a title and a list of sentences",
        ),
        (
            {"context": [["T"]]},
            "q.json, item 2, field 'context', paragraph 1: expected a title and a list of sentences",
        ),
        (
            {"context": {"title": ["T"]}},
            "q.json, item 2, field 'context', field 'sentences': missing, expected a list",
        ),
        (
            {"context": {"title": ["T"], "sentences": []}},
            "q.json, item 2, field 'context': 1 titles, but sentences for 0",
        ),
    ],
)
def test_what_is_said_of_a_half_right_record(tmp_path: Path, fields: dict[str, object], expected: str):
    assert said("hotpotqa", written(tmp_path, "q.json", [HOTPOT, but(**{"_id": "5a02", **fields})])) == expected


@pytest.mark.parametrize(
    ("format_", "record", "expected"),
    [
        ("ramdocs", {"documents": [{"text": "a"}, 3]}, ", document 2: a JSON int, expected an object"),
        ("ramdocs", {"documents": [{"type": "noise"}]}, ", document 1, field 'text': missing, expected some text"),
        ("conflictqa", {**CONFLICT, "counter_memory": 3}, ", field 'counter_memory': a JSON int, expected some text"),
        ("wikicontradict", {**CONTRADICT, "answer2": ""}, ", field 'answer2': empty, expected an answer"),
        ("jsonl", {"passages": ["x"]}, ", passage 1: a JSON str, expected an object"),
        ("jsonl", {"passages": [{"text": "x"}]}, ", passage 1, field 'title': missing, expected some text"),
    ],
)
def test_what_is_said_of_a_half_right_part(tmp_path: Path, format_: str, record: dict[str, object], expected: str):
    whole = {"id": "1", "question": "Who?", "answers": ["x"], "gold_answers": ["x"], **record}
    assert said(format_, written(tmp_path, "q.jsonl", [whole])) == f"q.jsonl, line 1{expected}"


def test_half_right_aliases(tmp_path: Path):
    path = written(tmp_path, "dev.json", [HOTPOT])
    written(tmp_path, "id_aliases.json", '{"Q_id": "Q7", "aliases": {}}')
    assert said("2wiki", path).startswith("id_aliases.json, line 1, field 'aliases': a JSON dict, expected")


@pytest.mark.parametrize(
    ("content", "expected"),
    [
        ('[{"a": 1}', "item 1: the file ends here, cut off, expected ',' or ']'"),
        ('[{"a": 1} {"a": 2}]', "item 1: '{' follows, expected ',' or ']'"),
        ('[{"a": 1}, ', "item 2: not JSON ("),
        ('[{"a": 1}, {"b": "c', "item 2: not JSON (Unterminated string"),
        ('[{"a": 1},]', "item 2: not JSON ("),
        ('[{"a": 1, "a": 2}]', "item 1: not JSON (key 'a' appears twice in one object)"),
        ("[3]", "item 1: a JSON int, expected an object"),
        ('[{"a": 1}] x', ": 'x' after the end of the list"),
        ("[" * 100_000, "item 1: not JSON ("),
        ('[{"a": NaN}]', "item 1: not JSON (NaN is not JSON)"),
    ],
)
def test_what_is_said_of_a_broken_list(tmp_path: Path, content: str, expected: str):
    # FRAMES asks no id of a record, so the list is read on until it breaks.
    content = content.replace('"a": 1', '"a": 1, "prompt": "Who?", "answer": "x"')
    assert expected in said("frames", written(tmp_path, "q.json", content))


@pytest.mark.parametrize(
    ("content", "expected"),
    [
        (b"Question,Answer\nWho?\n", "b.csv, line 2: 1 columns, expected the 2 of the first line"),
        (b"Question,Answer\nWho?,x,y\n", "b.csv, line 2: 3 columns, expected the 2 of the first line"),
        (b'Question,Answer\n"a\nb",x\nWho?,\n', "b.csv, line 4, field 'answer': empty, expected an answer"),
        (b'Question,Answer\nWho?,x\n"Why?,y\nz,z\n', "b.csv, line 3: not a table (unexpected end of data)"),
        (b"Q,A\nWho?,x\n", "b.csv, line 2, field 'answer': missing, expected an answer"),
        (b"Question,Answer\n", "b.csv: holds no question"),
        (b"Question,Answer\nCaf\xe9?,x\n", "b.csv: not UTF-8 after its start; save it as UTF-8"),
        (b"PK\x03\x04....", "b.csv: is a zip archive; unpack it"),
        (b"PAR1....", "b.csv: is Parquet; export it as JSON Lines"),
        (gzip.compress(b"Question,Answer\nWho?,x\n")[:-12], "b.csv: damaged gzip data after its start"),
    ],
)
def test_what_is_said_of_a_broken_table(tmp_path: Path, content: bytes, expected: str):
    assert said("bamboogle", written(tmp_path, "b.csv", content)).endswith(expected)


def test_lines_that_are_no_json(tmp_path: Path):
    good = b'{"id": "1", "question": "Who?", "answers": ["x"]}\n\n'
    assert "q.jsonl, line 3: not JSON (" in said("jsonl", written(tmp_path, "q.jsonl", good + b"{oops\n"))
    assert said("jsonl", written(tmp_path, "q.jsonl", good + b"[]\n")) == (
        "q.jsonl, line 3: a JSON list, expected an object"
    )
    assert "q.jsonl, line 3: not JSON (not UTF-8" in said(
        "jsonl", written(tmp_path, "q.jsonl", good + b'{"a": "\xe9"}')
    )

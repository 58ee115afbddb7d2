"""Ways of writing a data set file, and what is said of files that are half right."""

import gzip
import json
from pathlib import Path

import pytest
from evaluation.files import CONFLICT, CONTRADICT, FRAMES, HOTPOT, LEADS, OLDER, but, said, written

from retree_core.errors import UsageError
from retree_core.evaluation.datasets import FORMATS, PAPER_SIZES, load
from retree_core.evaluation.questions import fixed_subset

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
        ({"_id": True}, "q.json, item 2, field '_id': true or false, expected some text"),
        ({"_id": "5a01"}, "q.json, item 2: the id '5a01' is already used at q.json, item 1"),
        ({"question": " "}, "q.json, item 2, field 'question': empty, expected some text"),
        ({"answer": None}, "q.json, item 2, field 'answer': missing, expected an answer"),
        ({"answer": ""}, "q.json, item 2, field 'answer': empty, expected an answer"),
        ({"answer": []}, "q.json, item 2, field 'answer': empty, expected an answer"),
        (
            {"answer": True},
            "q.json, item 2, field 'answer': true or false, "
            "expected an answer or a list of answers, each text or a number",
        ),
        (
            {"answer": [{"text": "x"}]},
            "q.json, item 2, field 'answer': a list, expected an answer or a list of answers, each text or a number",
        ),
        ({"type": 3}, "q.json, item 2, field 'type': a number, expected some text"),
        ({"context": None}, "q.json, item 2, field 'context': missing, expected a list"),
        ({"context": "x"}, "q.json, item 2, field 'context': text, expected a list"),
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
        ("ramdocs", {"documents": [{"text": "a"}, 3]}, ", document 2: a number, expected an object"),
        ("ramdocs", {"documents": [{"type": "noise"}]}, ", document 1, field 'text': missing, expected some text"),
        ("conflictqa", {**CONFLICT, "counter_memory": 3}, ", field 'counter_memory': a number, expected some text"),
        ("wikicontradict", {**CONTRADICT, "answer2": ""}, ", field 'answer2': empty, expected an answer"),
        ("jsonl", {"passages": ["x"]}, ", passage 1: text, expected an object"),
        ("jsonl", {"passages": [{"text": "x"}]}, ", passage 1, field 'title': missing, expected some text"),
    ],
)
def test_what_is_said_of_a_half_right_part(tmp_path: Path, format_: str, record: dict[str, object], expected: str):
    whole = {"id": "1", "question": "Who?", "answers": ["x"], "gold_answers": ["x"], **record}
    assert said(format_, written(tmp_path, "q.jsonl", [whole])) == f"q.jsonl, line 1{expected}"


def test_half_right_aliases(tmp_path: Path):
    path = written(tmp_path, "dev.json", [HOTPOT])
    written(tmp_path, "id_aliases.json", '{"Q_id": "Q7", "aliases": {}}')
    assert said("2wiki", path).startswith("id_aliases.json, line 1, field 'aliases': an object, expected")


@pytest.mark.parametrize(
    ("content", "expected"),
    [
        ('[{"a": 1}', "item 1: the file ends here, cut off, expected ',' or ']'"),
        ('[{"a": 1} {"a": 2}]', "item 1: '{' follows, expected ',' or ']'"),
        ('[{"a": 1}, ', "item 2: not JSON ("),
        ('[{"a": 1}, {"b": "c', "item 2: not JSON (a text that does not end"),
        ('[{"a": 1},]', "item 2: not JSON ("),
        ('[{"a": 1, "a": 2}]', "item 1: not JSON (key 'a' appears twice in one object)"),
        ("[3]", "item 1: a number, expected an object"),
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
        "q.jsonl, line 3: a list, expected an object"
    )
    assert "q.jsonl, line 3: not JSON (not UTF-8" in said(
        "jsonl", written(tmp_path, "q.jsonl", good + b'{"a": "\xe9"}')
    )

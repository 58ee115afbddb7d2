import pytest

from retree_core.evaluation.exact_match import exact_match, normalised, official_match


@pytest.mark.parametrize(
    ("prediction", "gold", "expected"),
    [
        ("The Beatles", "beatles", True),
        ("a  b\tc", "B, C", True),
        ("U.S.A.", "usa", True),
        ("twenty-one", "twentyone", True),
        ("1,000", "1000", True),
        ("Café", "cafe", False),
        ("“Yes”", "Yes", False),
        ("theatre", "atre", False),
        ("An apple a day", "apple day", True),
        ("yes", "no", False),
    ],
)
def test_the_official_definition(prediction: str, gold: str, expected: bool):
    assert official_match(prediction, gold) is expected


def test_the_best_of_several_golds_counts():
    assert exact_match("Fab Four", ["The Beatles", "fab four"])
    assert not exact_match("Fab Four", [])


@pytest.mark.parametrize("blank", ["", " \n", None])
def test_a_blank_or_missing_prediction_is_never_right(blank: str | None):
    assert not exact_match(blank, ["A", "The The", ""])


def test_articles_alone_are_equal_in_the_official_definition():
    assert normalised("The") == normalised("A") == ""
    assert official_match("", "A")
    assert official_match("The", "The The")
    assert exact_match("The", ["A"])

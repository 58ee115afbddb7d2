"""No output changes unless it is meant to: not a sentence, not a picture, not what a screen is given."""

from golden.record import made, recorded

MOST_NAMED = 40


def test_every_output_is_as_it_was_recorded() -> None:
    """If this fails after a change that is meant: python tests/golden/record.py; with a name, it prints that output."""
    now, before = made(), recorded()
    changed = [name for name in {**before, **now} if now.get(name) != before.get(name)]
    named = "\n".join([*changed[:MOST_NAMED], *(["…"] if len(changed) > MOST_NAMED else [])])
    assert not changed, f"{len(changed)} of {len(before)} outputs changed:\n{named}"

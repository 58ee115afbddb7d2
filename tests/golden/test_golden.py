"""No output changes unless it is meant to: not a sentence, not a picture, not what a screen is given."""

import pytest
from golden.outputs import OLD_TRACES, Named, of_samples, outputs
from golden.record import made, recorded
from random_worlds import FULL

MOST_NAMED = 40


def test_every_output_is_as_it_was_recorded() -> None:
    """If this fails after a change that is meant: python tests/golden/record.py; with a name, it prints that output."""
    before = recorded()
    same(outputs(), before)


@pytest.mark.skipif(not FULL, reason="RETREE_FULL=1 looks at the samples as release 0.1 wrote them too")
def test_a_sample_of_release_0_1_looks_like_that_of_now() -> None:
    before = recorded()
    same(of_samples(OLD_TRACES), {name: value for name, value in before.items() if not name.startswith("old ")})


def same(items: Named, before: dict[str, str]) -> None:
    now = made(items)
    changed = [name for name in {**before, **now} if now.get(name) != before.get(name)]
    named = "\n".join([*changed[:MOST_NAMED], *(["…"] if len(changed) > MOST_NAMED else [])])
    assert not changed, f"{len(changed)} of {len(before)} outputs changed:\n{named}"

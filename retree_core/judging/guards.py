"""All guards over the texts, in the order in which they are recorded."""

from collections.abc import Callable, Mapping
from typing import Final

from retree_core.judging.compare import Comparison, compare
from retree_core.judging.facts import FactPair, GuardResult
from retree_core.judging.guards_many import many_valued_attribute
from retree_core.judging.guards_other import other_attribute, other_entity
from retree_core.judging.guards_same import (
    approximate,
    no_opposed_value,
    not_only,
    nothing_changes,
    place_within_place,
    refinement,
    unclear_notation,
    values_equal,
)
from retree_core.judging.guards_source import value_not_in_passage
from retree_core.judging.guards_time import cue_word_one_side, different_scope, different_time

Guard = Callable[[Comparison], GuardResult]

TEXT_GUARDS: Final[Mapping[str, Guard]] = {
    "values_equal": values_equal,
    "nothing_changes": nothing_changes,
    "refinement": refinement,
    "approximate": approximate,
    "place_within_place": place_within_place,
    "unclear_notation": unclear_notation,
    "not_only": not_only,
    "cue_word_one_side": cue_word_one_side,
    "different_time": different_time,
    "different_scope": different_scope,
    "many_valued_attribute": many_valued_attribute,
    "other_entity": other_entity,
    "other_attribute": other_attribute,
    "no_opposed_value": no_opposed_value,
    "value_not_in_passage": value_not_in_passage,
}
"""Guard by name, in order."""


def text_guards(pair: FactPair) -> tuple[GuardResult, ...]:
    """Return what every guard over the texts says, in the order of `TEXT_GUARDS`."""
    comparison = compare(pair)
    return tuple(guard(comparison) for guard in TEXT_GUARDS.values())

"""All guards over the texts, in the order in which they are recorded."""

from collections.abc import Callable, Mapping
from typing import Final

from retree_core.judging.compare import Comparison, compare
from retree_core.judging.facts import FactPair, GuardResult
from retree_core.judging.guards_many import many_valued_attribute
from retree_core.judging.guards_other import other_attribute, other_entity
from retree_core.judging.guards_parts import PART_GUARDS
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
"""Guard by name, in the order in which they are recorded."""

GUARDS: Final[Mapping[str, str]] = {
    "values_equal": "All values agree after normalising numbers, units, dates and aliases.",
    "nothing_changes": "Both facts say the same in other words.",
    "refinement": "One fact says all the other says, and more.",
    "approximate": "One value is a less exact form of the other.",
    "place_within_place": "The places differ only because one lies in the other.",
    "unclear_notation": "A number or date can be read so that both facts say the same.",
    "not_only": "The negation is a 'not only', which denies nothing.",
    "cue_word_one_side": "A word of one fact alone sets it in another time, plan, area, part or version.",
    "different_time": "The facts speak of different times and differ in something else as well.",
    "different_scope": "The facts differ in the part, group or version they are about as well as in the value.",
    "many_valued_attribute": "Both values can hold at once.",
    "other_entity": "The facts are about different things, persons or parts.",
    "other_attribute": "The facts are about different attributes of the entity.",
    "no_opposed_value": "Nothing in one fact excludes anything in the other.",
    "value_not_in_passage": "The new value does not stand in the passage it is said to come from.",
    **PART_GUARDS,
}
"""Guard -> what it vetoes, for the legend."""


def text_guards(pair: FactPair) -> tuple[GuardResult, ...]:
    """Return what every guard over the texts says, in the order of `TEXT_GUARDS`."""
    comparison = compare(pair)
    return tuple(guard(comparison) for guard in TEXT_GUARDS.values())

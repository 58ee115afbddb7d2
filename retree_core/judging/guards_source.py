"""Guard against repairs with a value its own source does not state."""

from retree_core.judging.compare import Comparison
from retree_core.judging.facts import GuardResult
from retree_core.judging.opposed import oppositions
from retree_core.text.support import unsupported_values


def value_not_in_passage(comparison: Comparison) -> GuardResult:
    """Veto when the disputed value of the new fact does not stand in the passage it is said to come from."""
    name = "value_not_in_passage"
    passage = comparison.pair.new_passage
    if not passage.strip():
        return GuardResult(name=name, passed=True, detail="The passage is not known, so the value is not checked.")
    missing = unsupported_values(comparison.pair.new, passage)
    disputed = [o.new.lower() for o in oppositions(comparison) if o.kind in ("number", "date", "name")]
    for value in missing:
        if not disputed or any(value.lower() in text or text in value.lower() for text in disputed):
            return GuardResult(
                name=name, passed=False, detail=f"'{value}' does not stand in the passage of the new fact."
            )
    return GuardResult(name=name, passed=True, detail="The passage of the new fact states its value.")

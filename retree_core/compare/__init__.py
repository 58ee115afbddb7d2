"""Comparing: two moments of a run, or two runs side by side. Pure data from the records alone; nothing here prints."""

from retree_core.compare.answers import Answers, ClaimPair, ClaimSide, Fault, Premise, given_up_premises
from retree_core.compare.metrics import Metric
from retree_core.compare.moments import Changes, FactChange, SummaryChange, changes
from retree_core.compare.parting import Parting, Stop, Sync, stops
from retree_core.compare.runs import Comparison, agent_of, compare
from retree_core.compare.trees import FactPair, NodePair, Trees

__all__ = [
    "Answers",
    "Changes",
    "ClaimPair",
    "ClaimSide",
    "Comparison",
    "FactChange",
    "FactPair",
    "Fault",
    "Metric",
    "NodePair",
    "Parting",
    "Premise",
    "Stop",
    "SummaryChange",
    "Sync",
    "Trees",
    "agent_of",
    "changes",
    "compare",
    "given_up_premises",
    "stops",
]

"""Agents on question sets: data sets, batches of runs, metrics, the paper's tables (paper, section 5)."""

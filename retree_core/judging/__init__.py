"""Deciding whether two facts contradict each other (paper, section 4.3), with guards that can only say no.

First duplicates, which need no call; then guards over the two texts, before the confirmation is spent; then guards over
the parts that the confirmation states. Every guard is a small named function that may veto a repair and nothing else.
"""

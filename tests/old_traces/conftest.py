"""`record.py` runs on the engine of release 0.1 alone, so nothing of it is collected."""

collect_ignore = ["record.py"]

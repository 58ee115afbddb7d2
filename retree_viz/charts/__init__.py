"""Charts of one run: its policy contexts, facts, calls and evidence on the time axis."""

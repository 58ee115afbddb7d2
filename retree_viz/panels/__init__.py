"""The panels of the debugger: pure functions from a run and a moment to safe markup."""

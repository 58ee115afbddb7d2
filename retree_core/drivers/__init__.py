"""Drivers: everything around an agent. Live, replay, fork, stepping; each sends the agent its replies."""

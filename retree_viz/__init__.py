"""The visual debugger: knows traces and states, not how to reach a model."""

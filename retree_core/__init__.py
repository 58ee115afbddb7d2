"""The ReTree engine: agents, memory, traces. No Streamlit, no drawing; runs headless."""

__version__ = "0.2.0.dev0"

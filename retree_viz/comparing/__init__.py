"""Two runs side by side: the pieces of the compare page."""

"""The page over results folders: tables, figure, and the list of all runs."""

"""ReTree's visual debugger: `streamlit run app.py`."""

from retree_core.garbage import uncollected

with uncollected():  # modules stay: to look for cycles among what they hold takes a seventh of their import
    from retree_viz.app import main

main()

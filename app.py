"""ReTree's visual debugger: `streamlit run app.py`."""

from retree_viz.app import main

main()

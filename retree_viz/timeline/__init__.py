"""The time axis of a run: what it shows (`data`) and the component that draws it (`component`)."""

"""The evidence tree: graph, layout, and the component that draws it."""

"""The evidence tree: graph, layout, and the component that draws it."""

from retree_viz.tree.component import TreeClick, show_tree
from retree_viz.tree.graph import TreeOptions, tree_graph
from retree_viz.tree.index import TreeIndex
from retree_viz.tree.view import to_network, tree_view

__all__ = ["TreeClick", "TreeIndex", "TreeOptions", "show_tree", "to_network", "tree_graph", "tree_view"]

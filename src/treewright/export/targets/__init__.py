"""One file for each system that models are exported to; their list is in treewright.export."""

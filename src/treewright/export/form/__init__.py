"""The one intermediate form that every exporter reads: inputs, nodes, and how trees combine."""

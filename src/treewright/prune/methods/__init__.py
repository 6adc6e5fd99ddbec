"""One pruning method each."""

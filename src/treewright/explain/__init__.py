"""Why a row got its answer, why a node asks, which columns matter."""

"""What all ensembles share."""

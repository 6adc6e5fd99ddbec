"""From a typed table and options to a tree. No scikit-learn and no dataframes here."""

"""Any table in, typed columns out: schema, intake, target, files and examples."""

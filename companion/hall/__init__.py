"""Several tables: each companion tells a broker of its table, `companion hall` shows them all to the director."""

"""Search for the constants of a system that forecast a table best."""

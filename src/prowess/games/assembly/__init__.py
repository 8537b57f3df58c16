"""Rows of a table become games between two sides, or contests of many."""

"""Compute tasks in other processes and on other machines, with the same numbers."""

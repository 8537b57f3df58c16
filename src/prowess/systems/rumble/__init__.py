"""The formulas of a league of programs that all meet: one file a system."""

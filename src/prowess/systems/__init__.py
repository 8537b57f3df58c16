"""The formulas: one file a system."""

"""The formulas of league tables and of ratings by linear algebra: one file a system."""

"""The formulas of static ratings: one likelihood, one prior, all results at once."""

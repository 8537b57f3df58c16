"""Simulated leagues, whose true strengths are known."""

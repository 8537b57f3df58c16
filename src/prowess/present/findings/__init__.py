"""Figures and page of a diagnosis."""

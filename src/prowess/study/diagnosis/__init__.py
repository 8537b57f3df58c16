"""Diagnosis of a league: checks of its ratings, results, players and connections."""

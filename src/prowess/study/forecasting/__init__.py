"""Forecasts of games, series, seasons, brackets and Swiss tournaments; performances."""

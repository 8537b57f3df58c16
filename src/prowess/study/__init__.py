"""Studies of rating systems: backtests, comparison, tuning, simulation, forecasts, diagnosis."""

"""Rate tables larger than memory: pieces, checkpoints, forecasts by file, limits of memory."""

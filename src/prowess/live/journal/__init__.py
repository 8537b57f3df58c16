"""The results desk: takes entries, writes them to the store and tells the ladders."""

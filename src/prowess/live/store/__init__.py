"""The store: results with all their versions, players, categories, tokens; never a rating."""

"""The rating engine: replay loops, fits and ratings, for systems declared as pure functions."""

"""What follows from what was said: results in memory, in order of play, and their ratings."""

"""Static ratings: what results say of strengths, and every way to find out how much."""

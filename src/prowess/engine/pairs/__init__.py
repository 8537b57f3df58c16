"""Every pair of a roster at once: shares, votes, paths, circles and the orders they give."""

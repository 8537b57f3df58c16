"""Theory of rating systems: win probabilities, games, updates, populations.

Everything here is a pure function of numbers, of curves and of updates that are handed in. Equation
numbers, theorems and claims are those of W. D. Smith, "Rating systems for gameplayers, and
learning", technical report 93-104-3-0058-5, 28 July 1994; where it errs, that is said.
"""

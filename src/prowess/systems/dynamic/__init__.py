"""Systems that move a rating after every round."""

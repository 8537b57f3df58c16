"""Tables of other shapes become tables with one column for each role."""

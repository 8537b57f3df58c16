"""The formulas of voting: every pairing or ballot has a say, one file a method."""

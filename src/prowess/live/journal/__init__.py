"""The journal: write acts are staged, written to the store and played by the ladders."""

"""`prowess theory`: one small file for each of its words."""

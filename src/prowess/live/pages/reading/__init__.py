"""Pages that everybody may read."""

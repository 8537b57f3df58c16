"""The addresses under /api/v1, one file a subject."""

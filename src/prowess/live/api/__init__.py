"""The HTTP API of the live server."""

"""A client for programs that report results, with a queue for when the server is away."""

"""The ladder for people: pages made on the server, and the same pages as files."""

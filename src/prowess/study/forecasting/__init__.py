"""What is to come: series, seasons, brackets, Swiss tournaments; performances; what a game does."""

"""Is it any good: systems judged by games, and games made to judge them."""

"""What happened: results as columns, checked once at the door."""

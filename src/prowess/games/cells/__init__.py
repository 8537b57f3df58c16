"""What a cell says: names, dates, results, places; loops that find cells in bytes."""

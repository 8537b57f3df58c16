"""What is the matter with a league: one file for each thing looked for, all asked at once."""

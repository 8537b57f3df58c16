"""Pages and their values, for the live server and for a folder of files."""

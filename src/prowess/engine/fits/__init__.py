"""Statistical fits of static ratings: likelihood, posterior, uncertainty."""

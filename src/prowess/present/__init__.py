"""Views of ratings as plain values, and the ways to show them: charts, reports, pages."""

"""The live server's pages: requests, forms and sessions; `present` makes their values."""

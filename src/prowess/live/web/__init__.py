"""The live server's pages: requests, forms and sessions; what they show is made by `present`."""

"""What it is now: a ladder that is served, its results, and their corrections.

The log of results is the truth, ratings are a replay of it:

    facts < store, ladder < desk < api < pages        client stands alone

`store` keeps what was said, `ladder` plays it, the `desk` makes both agree, `api` and `pages`
show it.
"""

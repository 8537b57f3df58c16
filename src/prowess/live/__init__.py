"""The live server: ladders that are served, their results, and corrections.

The log of results is the truth, ratings are a replay of it:

    result < store, ladder < journal < api < web        client stands alone

`store` keeps results, `ladder` plays them, the `journal` keeps both in agreement, `api` and `web`
serve them.
"""

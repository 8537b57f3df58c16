"""The pages: one set of templates for the live server and for a folder of files.

    wording < boards, profiles, meetings, methods < site, routes

Views are pure functions from `Ratings` to plain values, templates show those values, and `Links`
knows where a page is: behind an address of the server, or in a file beside the one that is read.
"""

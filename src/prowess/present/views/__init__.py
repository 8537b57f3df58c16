"""What is shown, as plain data: ratings in, values out. No database, no request, no page.

Days are floats since 1970-01-01 UTC as in the engine; whoever shows them writes them as dates.
"""

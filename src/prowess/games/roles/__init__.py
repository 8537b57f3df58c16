"""Which column holds what: by the words of headings and by what stands in the cells."""

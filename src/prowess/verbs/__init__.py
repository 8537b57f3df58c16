"""The verbs: the public functions of `prowess`, which read tables, call the rooms below, answer."""

"""The verbs: the command `best-step` is `best_step_verb` of its module."""

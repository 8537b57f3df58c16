"""The verbs, one small file each, holding one Click command called `command`."""

"""How it rates: one loop, and the few functions a system hands to it."""

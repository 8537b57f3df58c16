"""Pages for those who keep the ladder: every change is shown before it is made."""

"""What is raised where there is nothing to draw, or no way to draw it."""


class Undrawable(ValueError):
    """A figure that cannot be drawn from these data, or not on this computer."""

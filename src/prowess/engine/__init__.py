"""The rating engine: replay loops, fits and ratings, for systems declared as pure functions."""

from typing import Any

draw_result: Any  # the figure of a result: figures stand above results, so the root gives it

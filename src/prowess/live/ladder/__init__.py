"""What follows from what was said: results in memory, in order of play, and their ratings."""

from prowess.live.ladder.ladder import Ladder, Mover, Preview
from prowess.live.ladder.opening import begun, loaded, restored

__all__ = ["Ladder", "Mover", "Preview", "begun", "loaded", "restored"]

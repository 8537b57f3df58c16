"""What follows from what was said: results in memory, in order of play, and their ratings."""

from prowess.live.ladder.fingerprint import fingerprint
from prowess.live.ladder.fitted import Shown, shown
from prowess.live.ladder.ladder import Ladder
from prowess.live.ladder.opening import begun, compared, loaded, restored
from prowess.live.ladder.preview import Mover, Preview

__all__ = [
    "Ladder",
    "Mover",
    "Preview",
    "Shown",
    "begun",
    "compared",
    "fingerprint",
    "loaded",
    "restored",
    "shown",
]

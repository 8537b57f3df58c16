"""Which constants of a system forecast best, how well they are known, and is it worth a change?

from prowess.study.tuning import tune

tuned = tune(games, system)
tuned.setting, tuned.gain, tuned.sentences()
"""

from __future__ import annotations

from prowess.study.tuning.optimum import tune
from prowess.study.tuning.outcome import Tuned

__all__ = ["Tuned", "tune"]

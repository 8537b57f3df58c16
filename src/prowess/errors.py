"""All errors of the library: the message begins with the remedy, `code` is for programs.

>>> from prowess import rate
>>> from prowess.errors import ProwessError
>>> try:
...     rate([("Ann", "Bob", 1)], system="ello")
... except ProwessError as error:
...     print(error.code)
unknown_system
"""

from prowess.compile import Uncompilable
from prowess.compile.refusals import ProwessError
from prowess.engine.cluster.machine import BadCluster
from prowess.engine.fit import NoModel
from prowess.engine.leaderboard import UnknownPlayer
from prowess.engine.params import BadSetting
from prowess.engine.periods import BadPeriod, BadRounds
from prowess.engine.streams.checkpoint import BadCheckpoint
from prowess.engine.system import BadSystem, Unratable
from prowess.games.arguments import BadArgument
from prowess.games.errors import BadData, DataWarning
from prowess.present.svg import Undrawable
from prowess.study.backtest import NoForecast
from prowess.study.diagnosis.diagnose import UnknownFinding
from prowess.study.folds import BadFolds
from prowess.study.tuning.evaluation import Untunable
from prowess.systems.catalogue import UnknownSystem
from prowess.verbs.saving import BadSave

__all__ = [
    "BadArgument",
    "BadCheckpoint",
    "BadCluster",
    "BadData",
    "BadFolds",
    "BadPeriod",
    "BadRounds",
    "BadSave",
    "BadSetting",
    "BadSystem",
    "DataWarning",
    "NoForecast",
    "NoModel",
    "ProwessError",
    "Uncompilable",
    "Undrawable",
    "UnknownFinding",
    "UnknownPlayer",
    "UnknownSystem",
    "Unratable",
    "Untunable",
]

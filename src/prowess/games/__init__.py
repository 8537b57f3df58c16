"""What happened: results as columns, checked once at the door."""

from prowess.games.games import Contests as Contests
from prowess.games.games import Games as Games

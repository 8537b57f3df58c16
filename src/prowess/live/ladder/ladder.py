"""What a ladder is: the results of a category that count, in order of play, and their ratings."""

from __future__ import annotations

from abc import ABC, abstractmethod
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

    from prowess.engine.ratings import Ratings
    from prowess.live.facts import Changes
    from prowess.live.ladder.preview import Preview


class Ladder(ABC):
    """The results that count and their ratings, changed by one thread and read by many.

    `apply` changes what will be shown, `publish` shows it: until then everybody else sees what
    was published before. What was handed out never changes.
    """

    revision: int = 0  # of what is published
    waiting: int = 0  # results that count and that `ratings` do not know yet

    @abstractmethod
    def __len__(self) -> int:
        """How many results count, as published."""

    @abstractmethod
    def preview(self, changes: Changes) -> Preview:
        """What changes would do to what is applied; raises Unratable as `apply` would."""

    @abstractmethod
    def apply(self, changes: Changes) -> None:
        """Make changes; raises Unratable, and then everything is as it was."""

    @abstractmethod
    def undo(self) -> None:
        """Take back the last `apply` that is not published yet."""

    @abstractmethod
    def publish(self, revision: int, renamed: bool = False) -> None:
        """Show what was applied; `renamed` says that players may be called otherwise."""

    @abstractmethod
    def ratings(self) -> Ratings | None:
        """The ratings as published, the same object until the next `publish`.

        None where nothing counts, as nothing is no table, or where nothing is fitted yet.
        """

    @abstractmethod
    def as_of(self, day: float) -> Ratings | None:
        """The ratings after the results up to a day (days since 1970, inclusive).

        None where there are none. Raises Unratable for a day that is no number.
        """

    @abstractmethod
    def checkpoint(self) -> bytes:
        """What is published, to be `restored` without playing it again."""

    @property
    @abstractmethod
    def ids(self) -> NDArray[np.int64]:
        """The store's number of the player in each row of `ratings()`."""

    @abstractmethod
    def row_of(self, player: int) -> int | None:
        """The row of `ratings()` in which a player (by the store's number) stands."""

    def load_compiled(self) -> None:  # noqa: B027 - most have nothing to compile
        """Load what so many results are worth compiling for, before somebody waits for it."""

    def settle(self) -> None:  # noqa: B027 - most have nothing to wait for
        """Wait until `ratings` are those of all results that are published."""

    def close(self) -> None:  # noqa: B027
        """Let go of whatever works in the background."""

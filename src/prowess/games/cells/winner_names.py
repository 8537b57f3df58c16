"""Whether the names of winners count, where a player is called as a side or a draw may be."""

from __future__ import annotations

from dataclasses import dataclass


@dataclass
class WinnerNames:
    """What the winners of a table are, as far as its rows were read."""

    asked: bool = False  # whether the caller says that winners are named
    words_met: bool = False  # whether one was no player of its row
    names_met: bool = False  # whether one was a name that is no word for an outcome
    judged: bool = False  # whether rows whose winner is a name and another outcome were read
    overturned: bool = False  # whether rows after these would have judged them otherwise

    @property
    def prevail(self) -> bool:
        """Whether a name counts as such, also where it is a word for another outcome."""
        return not self.words_met and (self.asked or self.names_met)

    def note_winners(self, *, words: bool, names: bool, doubtful: bool = False) -> None:
        """Take note of further winners: whether there are words, names that are no words, and
        names that are words for another outcome.
        """
        before = self.prevail
        self.words_met |= words
        self.names_met |= names
        self.overturned |= self.judged and self.prevail is not before
        self.judged |= doubtful

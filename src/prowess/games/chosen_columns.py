"""The columns of a table, as the caller names them or as headings are guessed."""

from __future__ import annotations

from collections.abc import Iterable, Sequence

from prowess.games.layout import NONE, Options, several
from prowess.games.outcomes import plain
from prowess.games.refusal import BadData, quoted

OF_MEMBERS = ("player_a", "player_b", "winner", "loser", "player")  # take several columns


class Chosen:
    """The headings of one table, and what the caller says of them."""

    def __init__(self, names: Sequence[str], options: Options, file: str, line: int | None) -> None:
        self.names, self.options, self.file, self.line = names, options, file, line
        self.plain: dict[str, str] = {}
        for name in names:
            self.plain.setdefault(plain(name), name)

    def one(self, role: str, guesses: Iterable[str]) -> str | None:
        """The column that the caller names for a role, else the first that looks like it."""
        return self.chosen(role) if role in self.options.roles else self.guess(guesses)

    def some(self, role: str, guesses: Iterable[str]) -> tuple[str, ...]:
        """As `one`, for a role that may take several columns."""
        if role not in self.options.roles:
            guess = self.guess(guesses)
            return (guess,) if guess else ()
        named = several(self.options.roles[role])
        if named == (NONE,) and NONE not in self.names:
            return ()
        return tuple(self.column(name, role) for name in named)

    def guess(self, guesses: Iterable[str]) -> str | None:
        return next((self.plain[name] for name in guesses if name in self.plain), None)

    def chosen(self, role: str) -> str | None:
        named = several(self.options.roles.get(role))
        if not named or (named == (NONE,) and NONE not in self.names):
            return None
        if len(named) > 1 and role not in OF_MEMBERS:
            raise self.bad(f"{role} is one column, not {len(named)}", "name one")
        return self.column(named[0], role)

    def group(self, role: str) -> tuple[str, ...]:
        """The columns that the caller names for the members of a side."""
        named = several(self.options.roles.get(role))
        if named == (NONE,) and NONE not in self.names:
            return ()
        found = tuple(self.column(name, role) for name in named)
        if len(set(found)) < len(found):
            raise self.bad(f"{role}= names a column twice", "name each once")
        return found

    def signed(self, name: str) -> tuple[str, float]:
        if name in self.names or not name.startswith("-"):
            return self.column(name, "points"), 1.0
        return self.column(name[1:], "points"), -1.0

    def column(self, name: str, role: str) -> str:
        """The column of that name, read without regard to case and separators if need be."""
        if name in self.names:
            return name
        alike = [each for each in self.names if plain(each) == plain(name)]
        if len(alike) == 1:
            return alike[0]
        from difflib import get_close_matches

        near = get_close_matches(name, self.names, n=1)
        hint = f"did you mean {quoted(near[0])}?" if near else f"name another with {role}="
        raise self.bad(f"{role}= names column {quoted(name)}, which is not there", hint)

    def bad(self, what: str, remedy: str) -> BadData:
        found = ", ".join(quoted(name)[1:-1] for name in self.names[:40])
        more = f" and {len(self.names) - 40} more" if len(self.names) > 40 else ""
        return BadData(
            f"{what}; columns found: {found}{more}", file=self.file, line=self.line, remedy=remedy
        )

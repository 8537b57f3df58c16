"""Who is who: names, mergers, splits, forgetting."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import ClassVar

from sqlalchemy import delete, insert, update

from prowess.games.names import normal_name
from prowess.live.errors import Conflict
from prowess.live.journal.corrections import of_players
from prowess.live.journal.registry import Registry
from prowess.live.journal.unit_of_work import UnitOfWork
from prowess.live.result import COUNTS
from prowess.live.store.tables import identity, name, player, published_row, version


@dataclass(frozen=True)
class Alias:
    """A further name that leads to a player."""

    kind: ClassVar[str] = "alias"
    scope: ClassVar[str] = "admin"

    player: str
    name: str
    reason: str | None = None
    look_alikes: bool = False  # whether the name is meant though it looks like another player's

    def stage(self, draft: UnitOfWork) -> None:
        """See Entry."""
        number = draft.registry.people.find(self.player)
        _named(draft, number, self.name, self.reason, self.look_alikes)


@dataclass(frozen=True)
class Rename:
    """Another name to show; the old one still leads to the player."""

    kind: ClassVar[str] = "rename"
    scope: ClassVar[str] = "admin"

    player: str
    name: str
    reason: str | None = None
    look_alikes: bool = False  # whether the name is meant though it looks like another player's

    def stage(self, draft: UnitOfWork) -> None:
        """See Entry."""
        people = draft.registry.people
        number, called = people.find(self.player), self.name
        if called not in people.names:
            called = normal_name(called)
        if people.shown[number] == called:
            raise Conflict("nothing_changes", f"{called!r} is the name already", field="name")
        if people.names.get(called) != number:
            called = _named(draft, number, called, self.reason, self.look_alikes)
        else:
            _about(draft, number, self.reason)
        _show(draft, number, called)


@dataclass(frozen=True)
class Merge:
    """One player's results are another's from now on; his names lead there. A split undoes it."""

    kind: ClassVar[str] = "merge"
    scope: ClassVar[str] = "admin"

    player: str
    into: str
    reason: str | None = None

    def stage(self, draft: UnitOfWork) -> None:
        """See Entry."""
        people = draft.registry.people
        number, into = people.find(self.player), people.find(self.into)
        if number == into:
            raise Conflict("nothing_changes", "both names are the same player's already")
        _about(draft, number, self.reason)
        draft.detail["into"] = into
        draft.touched.add(into)
        _moved(draft, number, into)
        draft.effects.append(lambda books: books.people.merge(number, into))


@dataclass(frozen=True)
class Split:
    """A merged player has his own results again; `player` is a name he was entered under."""

    kind: ClassVar[str] = "split"
    scope: ClassVar[str] = "admin"

    player: str
    reason: str | None = None

    def stage(self, draft: UnitOfWork) -> None:
        """See Entry."""
        people = draft.registry.people
        number = people.entered(self.player)
        if number not in people.into:
            raise Conflict(
                "not_merged", f"{self.player!r} was not merged into another player", field="player"
            )
        _about(draft, number, self.reason)
        draft.touched.add(people.canonical(number))
        _moved(draft, number, None)
        draft.effects.append(lambda books: books.people.split(number))


@dataclass(frozen=True)
class Anonymise:
    """Forget a player's names for good; his games stay, under a pseudonym."""

    kind: ClassVar[str] = "anonymise"
    scope: ClassVar[str] = "admin"

    player: str
    reason: str | None = None

    def stage(self, draft: UnitOfWork) -> None:
        """See Entry."""
        people = draft.registry.people
        own = people.find(self.player)
        _about(draft, own, self.reason)
        draft.forgets = True
        for number in people.group(own):
            pseudonym = f"anonymous-{number}"
            while people.names.get(pseudonym, number) != number:
                pseudonym += "-"
            draft.statements.append(delete(name).where(name.c.player_id == number))
            draft.statements.append(insert(name).values(name=pseudonym, player_id=number))
            draft.statements.append(
                update(player).where(player.c.id == number).values(name=pseudonym, anonymous=True)
            )
            draft.statements.append(
                update(published_row)
                .where(published_row.c.player_id == number)
                .values(name=pseudonym)
            )
            draft.effects.append(_forgetting(number, pseudonym))


def _forgetting(number: int, pseudonym: str) -> Callable[[Registry], None]:
    def effect(books: Registry) -> None:
        books.people.forget_names(number)
        books.people.add_name(pseudonym, number)
        books.people.shown[number] = pseudonym

    return effect


def _named(
    draft: UnitOfWork, number: int, called: str, reason: str | None, look_alikes: bool
) -> str:
    """Let a name that nobody has yet lead to a player; gives the name as it is written."""
    if called not in draft.registry.people.names:
        called = draft.checked_name(called, "name", look_alikes, number)
    if called in draft.registry.people.names:
        raise Conflict(
            "name_taken",
            f"{called!r} leads to a player already; merge the two if they are one",
            field="name",
        )
    _about(draft, number, reason)
    draft.insert(name, {"name": called, "player_id": number})
    draft.effects.append(lambda books: books.people.add_name(called, number))
    return called


def _show(draft: UnitOfWork, number: int, called: str) -> None:
    draft.statements.append(update(player).where(player.c.id == number).values(name=called))
    draft.effects.append(lambda books: books.people.shown.update({number: called}))


def _about(draft: UnitOfWork, number: int, reason: str | None) -> None:
    draft.detail, draft.reason = {"player": number}, reason
    draft.names = True
    draft.touched.add(number)


def _moved(draft: UnitOfWork, number: int, into: int | None) -> None:
    """Write a merger or a split, and let the ladders play the games concerned anew."""
    concerned = draft.select(of_players(draft, number), version.c.state == COUNTS)
    draft.insert(identity, {"revision": draft.revision, "player_id": number, "merged_into": into})
    draft.statements.append(update(player).where(player.c.id == number).values(merged_into=into))
    draft.merged(number, into)
    for one in concerned:
        draft.play(draft.category_of(one), one.with_players(draft.canonical))

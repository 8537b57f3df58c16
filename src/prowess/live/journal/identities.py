"""Write acts on the identity of players: alias, rename, merge, split, anonymise."""

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
    """Add a name that leads to a player."""

    kind: ClassVar[str] = "alias"
    scope: ClassVar[str] = "admin"

    player: str
    name: str
    reason: str | None = None
    look_alikes: bool = False  # whether the name is meant though it looks like another player's

    def stage(self, unit: UnitOfWork) -> None:
        """See WriteAct."""
        number = unit.registry.people.find(self.player)
        _add_name(unit, number, self.name, self.reason, self.look_alikes)


@dataclass(frozen=True)
class Rename:
    """Change the displayed name; the old name still leads to the player."""

    kind: ClassVar[str] = "rename"
    scope: ClassVar[str] = "admin"

    player: str
    name: str
    reason: str | None = None
    look_alikes: bool = False  # whether the name is meant though it looks like another player's

    def stage(self, unit: UnitOfWork) -> None:
        """See WriteAct."""
        people = unit.registry.people
        number, called = people.find(self.player), self.name
        if called not in people.names:
            called = normal_name(called)
        if people.shown[number] == called:
            raise Conflict("nothing_changes", f"{called!r} is the name already", field="name")
        if people.names.get(called) != number:
            called = _add_name(unit, number, called, self.reason, self.look_alikes)
        else:
            _describe_act(unit, number, self.reason)
        _show(unit, number, called)


@dataclass(frozen=True)
class Merge:
    """Merge a player into another, with all names and results. A split undoes it."""

    kind: ClassVar[str] = "merge"
    scope: ClassVar[str] = "admin"

    player: str
    into: str
    reason: str | None = None

    def stage(self, unit: UnitOfWork) -> None:
        """See WriteAct."""
        people = unit.registry.people
        number, into = people.find(self.player), people.find(self.into)
        if number == into:
            raise Conflict("nothing_changes", "both names are the same player's already")
        _describe_act(unit, number, self.reason)
        unit.detail["into"] = into
        unit.touched.add(into)
        _write_merger(unit, number, into)
        unit.effects.append(lambda registry: registry.people.merge(number, into))


@dataclass(frozen=True)
class Split:
    """Undo a merger; `player` is a name under which the merged player was entered."""

    kind: ClassVar[str] = "split"
    scope: ClassVar[str] = "admin"

    player: str
    reason: str | None = None

    def stage(self, unit: UnitOfWork) -> None:
        """See WriteAct."""
        people = unit.registry.people
        number = people.number_as_entered(self.player)
        if number not in people.into:
            raise Conflict(
                "not_merged", f"{self.player!r} was not merged into another player", field="player"
            )
        _describe_act(unit, number, self.reason)
        unit.touched.add(people.canonical(number))
        _write_merger(unit, number, None)
        unit.effects.append(lambda registry: registry.people.split(number))


@dataclass(frozen=True)
class Anonymise:
    """Delete a player's names for good; the games stay, under a pseudonym."""

    kind: ClassVar[str] = "anonymise"
    scope: ClassVar[str] = "admin"

    player: str
    reason: str | None = None

    def stage(self, unit: UnitOfWork) -> None:
        """See WriteAct."""
        people = unit.registry.people
        own = people.find(self.player)
        _describe_act(unit, own, self.reason)
        unit.forgets = True
        for number in people.group(own):
            pseudonym = f"anonymous-{number}"
            while people.names.get(pseudonym, number) != number:
                pseudonym += "-"
            unit.statements.append(delete(name).where(name.c.player_id == number))
            unit.statements.append(insert(name).values(name=pseudonym, player_id=number))
            unit.statements.append(
                update(player).where(player.c.id == number).values(name=pseudonym, anonymous=True)
            )
            unit.statements.append(
                update(published_row)
                .where(published_row.c.player_id == number)
                .values(name=pseudonym)
            )
            unit.effects.append(_build_forgetting(number, pseudonym))


def _build_forgetting(number: int, pseudonym: str) -> Callable[[Registry], None]:
    def effect(registry: Registry) -> None:
        registry.people.forget_names(number)
        registry.people.add_name(pseudonym, number)
        registry.people.shown[number] = pseudonym

    return effect


def _add_name(
    unit: UnitOfWork, number: int, called: str, reason: str | None, look_alikes: bool
) -> str:
    """Add a name that is not in use to a player; returns its normal form. Raises Conflict."""
    if called not in unit.registry.people.names:
        called = unit.checked_name(called, "name", look_alikes, number)
    if called in unit.registry.people.names:
        raise Conflict(
            "name_taken",
            f"merge the two players if they are one: {called!r} is in use already",
            field="name",
        )
    _describe_act(unit, number, reason)
    unit.insert(name, {"name": called, "player_id": number})
    unit.effects.append(lambda registry: registry.people.add_name(called, number))
    return called


def _show(unit: UnitOfWork, number: int, called: str) -> None:
    unit.statements.append(update(player).where(player.c.id == number).values(name=called))
    unit.effects.append(lambda registry: registry.people.shown.update({number: called}))


def _describe_act(unit: UnitOfWork, number: int, reason: str | None) -> None:
    unit.detail, unit.reason = {"player": number}, reason
    unit.names = True
    unit.touched.add(number)


def _write_merger(unit: UnitOfWork, number: int, into: int | None) -> None:
    """Write a merger or a split, and replay the results of the players."""
    concerned = unit.select(of_players(unit, number), version.c.state == COUNTS)
    unit.insert(identity, {"revision": unit.revision, "player_id": number, "merged_into": into})
    unit.statements.append(update(player).where(player.c.id == number).values(merged_into=into))
    unit.note_merger(number, into)
    for one in concerned:
        unit.play(unit.category_of(one), one.with_players(unit.canonical))

"""What may be sent: strict, and nothing that is not named here.

The desk checks what the fields mean; here only their forms are.
"""

from __future__ import annotations

from typing import Annotated, Any, Literal

from pydantic import (
    AfterValidator,
    BaseModel,
    ConfigDict,
    Discriminator,
    Field,
    StringConstraints,
    Tag,
)
from pydantic_core import PydanticCustomError

from prowess.engine.params import MOST_SETTINGS
from prowess.live.api.encoding import parse_time
from prowess.live.journal.line_ups import MOST_MEMBERS, LineUp
from prowess.live.journal.registry import INACTIVE_DAYS, LARGEST_SIDE, PROVISIONAL_GAMES
from prowess.live.journal.submission import MOST_FACTS, Submission

BIGGEST = 2**63 - 1  # a number of the store
UNPRINTABLE = r"^[^\x00-\x1f\x7f]*$"


def _time(text: str) -> str:
    try:
        parse_time(text)
    except ValueError as error:
        raise PydanticCustomError("bad_time", "{told}", {"told": str(error)}) from None
    return text


Time = Annotated[
    str,
    StringConstraints(max_length=40),
    AfterValidator(_time),
    Field(description="ISO 8601, UTC where no zone is said", examples=["2024-06-30T17:05:00Z"]),
]
Number = Annotated[float, Field(allow_inf_nan=False)]
Label = Annotated[str, StringConstraints(min_length=1, max_length=200, pattern=UNPRINTABLE)]
Reason = Annotated[str, StringConstraints(max_length=1000, pattern=UNPRINTABLE)]
Key = Annotated[str, StringConstraints(pattern=r"^[a-z0-9][a-z0-9_-]{0,39}$")]
Scope = Literal["read", "submit", "correct", "admin"]
News = Literal[
    "*",
    "result.recorded",
    "correction.applied",
    "list.published",
    "season.made",
    "category.changed",
    "player.changed",
]
NUMBER, TEXT, NAME, MEMBER, LIST = "(number)", "(text)", "(name)", "(member)", "(list)"
# one of several forms; in brackets: a fault is told without them


def _form_of_value(sent: Any) -> str | None:
    """Which of its two forms a value has; None for what is neither."""
    if isinstance(sent, str):
        return TEXT
    return NUMBER if isinstance(sent, int | float) and not isinstance(sent, bool) else None


Value = Annotated[
    Annotated[Number, Tag(NUMBER)] | Annotated[Label, Tag(TEXT)], Discriminator(_form_of_value)
]


def _form_of_setting(sent: Any) -> str | None:
    """Which form a constant of a system has: a value, or a list of them, which makes a bank."""
    return LIST if isinstance(sent, list) else _form_of_value(sent)


Params = dict[
    Label,
    Annotated[
        Annotated[Number, Tag(NUMBER)]
        | Annotated[Label, Tag(TEXT)]
        | Annotated[list[Value], Field(min_length=1, max_length=MOST_SETTINGS), Tag(LIST)],
        Discriminator(_form_of_setting),
    ],
]


class RequestBody(BaseModel):
    """Anything a client sends."""

    model_config = ConfigDict(strict=True, extra="forbid", frozen=True)


class SentPlacing(RequestBody):
    """A player's row of a contest; place 1 is best, equal places are ties."""

    player: Label
    place: Number
    points: Number | None = None


class SentMember(RequestBody):
    """A player of a side; `share` says how much of the result the player took part in."""

    player: Label
    share: Number = Field(1.0, description="Above 0, at most 1: 0.5 for half of the playing time.")


def _form_of_seat(sent: Any) -> str:
    """Which of its two forms a player of a side has."""
    return NAME if isinstance(sent, str) else MEMBER


Seat = Annotated[
    Annotated[Label, Tag(NAME)] | Annotated[SentMember, Tag(MEMBER)], Discriminator(_form_of_seat)
]


class SentSide(RequestBody):
    """A side: of a game with a score, a place or points, of a contest with a place."""

    players: list[Seat] = Field(max_length=MOST_MEMBERS)
    score: Number | None = Field(None, ge=0, le=1, description="1, 0.5, 0 or between.")
    place: Number | None = Field(None, description="1 is best, equal places are ties.")
    points: Number | None = None

    def line_up(self) -> LineUp:
        """For the desk."""
        players = tuple(
            (one, 1.0) if isinstance(one, str) else (one.player, one.share) for one in self.players
        )
        return LineUp(players, self.score, self.place, self.points)


class SentResult(RequestBody):
    """A game (player_a, player_b, score of player_a), a contest (placings), or either by sides.

    Sides may have several players. Of a game the first side is what player_a is elsewhere.
    """

    category: Label | None = Field(None, description="May be left out where there is only one.")
    player_a: Label | None = None
    player_b: Label | None = None
    score: Number | None = Field(None, ge=0, le=1, description="Of player_a: 1, 0.5, 0 or between.")
    placings: list[SentPlacing] = Field(default=[], max_length=MOST_MEMBERS)
    sides: list[SentSide] = Field(
        default=[],
        max_length=MOST_MEMBERS,
        description="Instead of player_a, player_b, score, points and placings.",
        examples=[[{"players": ["Ann", "Bob"], "score": 1}, {"players": ["Cid", "Dee"]}]],
    )
    facts: dict[Label, Value] | None = Field(
        None,
        max_length=MOST_FACTS,
        description="Numbers and categories by name: surface, map, best_of, ...",
        examples=[{"surface": "clay", "best_of": 3}],
    )
    time: Time | None = Field(None, description="When it was received, if left out.")
    side: Number | None = Field(
        None, description="1: the first side has the side advantage, -1, 0."
    )
    weight: Number | None = None
    margin: Number | None = None
    length: Number | None = None
    points_a: Number | None = None
    points_b: Number | None = None
    round: Label | None = None
    source: Label | None = Field(
        None,
        description="The token's own, if left out; another one may say the administrator only.",
    )
    external_id: Label | None = Field(
        None, description="The reporter's own number; with the source it names a result for ever."
    )

    def submission(self) -> Submission:
        """For the desk."""
        given = {name: getattr(self, name) for name in SIMPLE}
        return Submission(
            **given,
            time=None if self.time is None else parse_time(self.time),
            placings=tuple((p.player, p.place, p.points) for p in self.placings),
            sides=tuple(side.line_up() for side in self.sides),
        )


NESTED = ("time", "placings", "sides")
SIMPLE = tuple(name for name in SentResult.model_fields if name not in NESTED)


class SentCorrection(SentResult):
    """What a result says from now on, whole."""

    reason: Reason | None = None


class SentReason(RequestBody):
    """Why."""

    reason: Reason | None = None


class SentVoid(RequestBody):
    """Whose results count no longer: all conditions together; both ends of a span belong to it."""

    category: Label | None = None
    player: Label | None = None
    source: Label | None = None
    since: Time | None = None
    until: Time | None = None
    reason: Reason | None = None


class SentRestore(RequestBody):
    """What one entry made void, and is so still, counts again."""

    revision: int = Field(ge=1, le=BIGGEST, description="The entry that made it void.")
    reason: Reason | None = None


class SentCategory(RequestBody):
    """A ladder of its own."""

    key: Key
    name: Label | None = None
    kind: Literal["games", "contests"] = "games"
    system: Label = "elo"
    params: Params = {}
    period: Label | None = None
    extra: list[Literal["margin", "length", "points"]] = Field(default=[], max_length=3)
    provisional_games: int = Field(PROVISIONAL_GAMES, ge=0, le=10**6)
    inactive_days: int = Field(INACTIVE_DAYS, ge=1, le=10**6)
    side_size: int = Field(1, ge=1, le=LARGEST_SIDE, description="Players of a side at most.")


class SentMethod(RequestBody):
    """Another system or other constants; what is left out stays."""

    system: Label | None = None
    params: Params | None = None
    period: Label | None = Field(None, description="none: game by game")
    provisional_games: int | None = Field(None, ge=0, le=10**6)
    inactive_days: int | None = Field(None, ge=1, le=10**6)
    side_size: int | None = Field(None, ge=1, le=LARGEST_SIDE)
    reason: Reason | None = None


class SentSeason(RequestBody):
    """A span of time; both ends belong to it."""

    key: Key
    name: Label
    starts: Time
    ends: Time


class SentList(RequestBody):
    """The leaderboard after all games up to a time (left out: all games), kept for ever."""

    key: Key
    name: Label
    until: Time | None = None
    reason: Reason | None = None


class SentName(RequestBody):
    """A further name."""

    name: Label
    reason: Reason | None = None


class SentMerger(RequestBody):
    """Whose results they are from now on."""

    into: Label
    reason: Reason | None = None


class SentToken(RequestBody):
    """What a token is for, and what it may do."""

    name: Label
    scopes: list[Scope] = Field(min_length=1, max_length=4)
    source: Label | None = Field(
        None, description="Results come in under this source only; if left out, under the name."
    )
    review: bool = Field(False, description="What is submitted waits for acceptance.")
    expires: Time | None = None


class SentWebhook(RequestBody):
    """Where events are told."""

    url: Annotated[str, StringConstraints(max_length=2000, pattern=r"^https?://[^\x00-\x20\x7f]+$")]
    events: list[News] = Field(min_length=1, max_length=20, description="* means all.")
    shape: Literal["prowess", "discord", "slack"] = "prowess"

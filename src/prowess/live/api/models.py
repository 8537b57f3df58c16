"""Request bodies as strict pydantic models; unknown fields are refused.

The models check types and lengths; the journal checks the meaning of the values.
"""

from __future__ import annotations

from collections.abc import Collection
from dataclasses import MISSING, fields
from typing import Annotated, Any, Literal, cast

from pydantic import (
    AfterValidator,
    BaseModel,
    ConfigDict,
    Discriminator,
    Field,
    StringConstraints,
    Tag,
    create_model,
    model_validator,
)
from pydantic_core import PydanticCustomError

from prowess.engine.params import MOST_SETTINGS
from prowess.engine.single_contest import MOST_RATED
from prowess.live.api.encoding import parse_time
from prowess.live.journal.acts import MOMENTS
from prowess.live.journal.corrections import MOST_ADDED, MOST_FIXTURES
from prowess.live.journal.registry import LARGEST_SIDE
from prowess.live.journal.submission import (
    MOST_FACTS,
    MOST_MEMBERS,
    LineUp,
    PlannedGame,
    Submission,
    check_text,
)

MOST_PARTS = 50  # of a player, and settings of a system
BIGGEST = 2**63 - 1  # of a primary key
UNPRINTABLE = r"^[^\x00-\x1f\x7f]*$"


def check_time(text: str) -> str:
    try:
        parse_time(text)
    except ValueError as error:
        raise PydanticCustomError("bad_time", "{reason}", {"reason": str(error)}) from None
    return text


Time = Annotated[
    str,
    StringConstraints(max_length=40),
    AfterValidator(check_time),
    Field(description="ISO 8601, UTC if it has no zone", examples=["2024-06-30T17:05:00Z"]),
]
Number = Annotated[float, Field(allow_inf_nan=False)]
Label = Annotated[str, StringConstraints(min_length=1, max_length=200, pattern=UNPRINTABLE)]
Reason = Annotated[str, StringConstraints(max_length=1000, pattern=UNPRINTABLE)]
Key = Annotated[str, StringConstraints(pattern=r"^[a-z0-9][a-z0-9_-]{0,39}$")]
Scope = Literal["read", "submit", "correct", "metrics", "admin"]
EventName = Literal[
    "*",
    "result.recorded",
    "correction.applied",
    "list.published",
    "season.made",
    "category.changed",
    "player.changed",
]
NUMBER, TEXT, NAME, MEMBER, LIST = "(number)", "(text)", "(name)", "(member)", "(list)"
VALUES = "(values)"
# tags of unions; faults leave out what is in brackets


def _form_of_value(sent: Any) -> str | None:
    """The tag of a value: number or text; None for anything else."""
    if isinstance(sent, str):
        return TEXT
    return NUMBER if isinstance(sent, int | float) and not isinstance(sent, bool) else None


Value = Annotated[
    Annotated[Number, Tag(NUMBER)] | Annotated[Label, Tag(TEXT)], Discriminator(_form_of_value)
]


def _form_of_setting(sent: Any) -> str | None:
    """The tag of a system parameter: a value, or a list of values, which makes a bank."""
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
    """The base of all request bodies."""

    model_config = ConfigDict(strict=True, extra="forbid", frozen=True)


class SentPlacing(RequestBody):
    """The placing of one player in a contest; place 1 is best, equal places are ties."""

    player: Label
    place: Number
    points: Number | None = None


class SentMember(RequestBody):
    """A player of a side; `share` is the part of the result that the player played."""

    player: Label
    share: Number = Field(1.0, description="Above 0, at most 1: 0.5 for half of the playing time.")


def _form_of_seat(sent: Any) -> str:
    """The tag of a player of a side: a name, or an object."""
    return NAME if isinstance(sent, str) else MEMBER


Seat = Annotated[
    Annotated[Label, Tag(NAME)] | Annotated[SentMember, Tag(MEMBER)], Discriminator(_form_of_seat)
]


def _form_of_seats(sent: Any) -> str:
    """The tag of a side: a name, or a list of players."""
    return NAME if isinstance(sent, str) else LIST


def _form_of_rating(sent: Any) -> str:
    """The tag of what is known of a player: a number, or values by name."""
    return NUMBER if isinstance(sent, int | float) else VALUES


Seats = Annotated[
    Annotated[Label, Tag(NAME)]
    | Annotated[list[Seat], Field(min_length=1, max_length=MOST_RATED), Tag(LIST)],
    Discriminator(_form_of_seats),
]
Known = Annotated[
    Annotated[Number, Tag(NUMBER)]
    | Annotated[dict[Label, Number], Field(max_length=MOST_PARTS), Tag(VALUES)],
    Discriminator(_form_of_rating),
]
Days = Annotated[
    Annotated[Number, Tag(NUMBER)]
    | Annotated[dict[Label, Number], Field(max_length=MOST_RATED), Tag(VALUES)],
    Discriminator(_form_of_rating),
]


class SentMatch(RequestBody):
    """One match to rate: nothing is read from the store, and nothing is kept."""

    system: Annotated[str, StringConstraints(pattern=r"^[a-z0-9_]{1,60}$")] = Field(
        "glicko2", description="A dynamic system that needs no table."
    )
    params: dict[Label, Value] = Field({}, max_length=MOST_PARTS)
    sides: list[Seats] = Field(
        min_length=2,
        max_length=MOST_RATED,
        description="A side is a player, or a list of players.",
        examples=[[["Ann", "Bob"], ["Cid", {"player": "Dee", "share": 0.5}]]],
    )
    result: Value | None = Field(
        None, description='Of the first of two sides: a score from 0 to 1, or "win", "draw", "1-0".'
    )
    places: list[Number] | None = Field(
        None, max_length=MOST_RATED, description="Of all sides: 1 is best, equal places are ties."
    )
    ratings: dict[Label, Known] = Field(
        {},
        max_length=MOST_RATED,
        description="By player: the rating, or values by name. Who is not there is new.",
        examples=[{"Ann": 1500, "Bob": {"rating": 1620, "deviation": 80}}],
    )
    side: Number = Field(0.0, description="1: the first of two sides has the advantage, -1, 0.")
    days: Days | None = Field(
        None, description="Since the last game: one number, or by player. Default: no time passes."
    )
    new: list[Label] = Field(
        [], max_length=MOST_RATED, description="Newcomers whose names look like those of players."
    )

    @model_validator(mode="after")
    def check_members(self) -> SentMatch:
        """Raise ValueError for too many players in all."""
        count = sum(1 if isinstance(one, str) else len(one) for one in self.sides)
        if count > MOST_RATED:
            raise PydanticCustomError(
                "too_long", "name at most {most} players in all", {"most": MOST_RATED}
            )
        return self

    @property
    def line_ups(self) -> list[Any]:
        """The sides as the library takes them."""
        return [
            one
            if isinstance(one, str)
            else [seat if isinstance(seat, str) else (seat.player, seat.share) for seat in one]
            for one in self.sides
        ]


class SentSide(RequestBody):
    """A side: of a game with a score, a place or points, of a contest with a place."""

    players: list[Seat] = Field(max_length=MOST_MEMBERS)
    score: Number | None = Field(None, ge=0, le=1, description="1, 0.5, 0 or between.")
    place: Number | None = Field(None, description="1 is best, equal places are ties.")
    points: Number | None = None

    def line_up(self) -> LineUp:
        """Convert to the value of the journal."""
        players = tuple(
            (one, 1.0) if isinstance(one, str) else (one.player, one.share) for one in self.players
        )
        return LineUp(players, self.score, self.place, self.points)


NOTHING: list[Any] = cast("list[Any]", ())  # no list: that would be copied for each result


class SentResult(RequestBody):
    """A game (player_a, player_b, score of player_a), a contest (placings), or either by sides.

    Sides may have several players. The first side of a game corresponds to player_a.
    """

    category: Label | None = Field(None, description="May be left out where there is only one.")
    player_a: Label | None = None
    player_b: Label | None = None
    score: Number | None = Field(None, ge=0, le=1, description="Of player_a: 1, 0.5, 0 or between.")
    placings: list[SentPlacing] = Field(default=NOTHING, max_length=MOST_MEMBERS)
    sides: list[SentSide] = Field(
        default=NOTHING,
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
    time: Time | None = Field(None, description="Default: when it was received.")
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
        description="Default: that of the token; only administrators may give another.",
    )
    external_id: Label | None = Field(
        None, description="The reporter's own number; with the source it identifies the result."
    )

    def submission(self) -> Submission:
        """Convert to the value of the journal."""
        found = vars(self) | {
            "time": None if self.time is None else parse_time(self.time),
            "placings": tuple((p.player, p.place, p.points) for p in self.placings),
            "sides": tuple(side.line_up() for side in self.sides),
        }
        return Submission(*map(found.__getitem__, Submission._fields))


class SentReason(RequestBody):
    """The reason of a change."""

    reason: Reason | None = None


class SentFixture(RequestBody):
    """A game to come."""

    player_a: Label
    player_b: Label
    time: Time
    side: Number = Field(0.0, ge=-1, le=1, description="1: player_a has the side advantage, -1, 0.")

    def planned_game(self) -> PlannedGame:
        """Convert to the value of the journal."""
        return PlannedGame(self.player_a, self.player_b, parse_time(self.time), self.side)


# Bodies of the acts, made from their fields.


Count = Annotated[int, Field(ge=0, le=10**6)]
Words = Annotated[str, StringConstraints(max_length=10_000)]
FIELD_TYPES: dict[str, Any] = {  # by field of an act; what may be left out may be null, too
    **dict.fromkeys(("name", "icon", "noun", "system", "period"), Label),
    **dict.fromkeys(("category", "player", "source", "into"), Label),
    **dict.fromkeys(MOMENTS, Time),
    **dict.fromkeys(("home", "imprint"), Words),
    "links": Annotated[Words, Field(examples=["Club https://club.example"])],
    "reason": Reason,
    "key": Key,
    "kind": Literal["games", "contests"],
    "params": Params,
    "extra": Annotated[list[Literal["margin", "length", "points"]], Field(max_length=3)],
    "provisional_games": Count,
    "inactive_days": Annotated[Count, Field(ge=1)],
    "side_size": Annotated[
        int, Field(ge=1, le=LARGEST_SIDE, description="Players of a side at most.")
    ],
    "revision": Annotated[
        int, Field(ge=1, le=BIGGEST, description="The revision that voided the results.")
    ],
    "accent": Annotated[str, Field(max_length=40, examples=["#0b7557"])],
    "logo": Annotated[str, Field(max_length=100_000, examples=["data:image/png;base64,..."])],
    "names": Annotated[
        list[Label], Field(min_length=1, max_length=MOST_ADDED, examples=[["Ann", "Ben"]])
    ],
    "games": Annotated[list[SentFixture], Field(min_length=1, max_length=MOST_FIXTURES)],
    "once": Annotated[
        bool,
        Field(
            description="As for all games of a table: those that were settled or struck do not "
            "come again, and one that is planned for another time is moved, but for one that "
            "stands in the table still, also on a day before today."
        ),
    ],
}
BODY_NAMES = {"plays": "kind"}  # of fields of an act that bodies call otherwise


def make_body(name: str, act: type[Any], given: Collection[str]) -> type[RequestBody]:
    """The body of a write act: its fields but those `given` in the path or the query."""
    base: type[RequestBody] = RequestBody
    kept: dict[str, Any] = {}
    for one in fields(act):
        called = BODY_NAMES.get(one.name, one.name)
        if one.name == "submission":
            base = SentResult
        elif one.name not in given:
            kind, usual = FIELD_TYPES[called], one.default
            if one.default_factory is not MISSING:
                usual = one.default_factory()
            if usual is None or usual == "":
                kind, usual = kind | None, None
            kept[called] = kind, ... if usual is MISSING else usual
    return create_model(name, __base__=base, **kept)


class SentToken(RequestBody):
    """A new token: name, scopes, source and expiry."""

    name: Label
    scopes: list[Scope] = Field(min_length=1, max_length=4)
    source: Label | None = Field(
        None, description="The only source of its results; default: the name."
    )
    review: bool = Field(False, description="Submitted results wait for acceptance.")
    expires: Time | None = None

    def fields(self) -> dict[str, Any]:
        """What `access.make_token` takes; raises Refused."""
        if self.source is not None:
            check_text(self.source, "source")
        moment = None if self.expires is None else parse_time(self.expires, end_of_day=True)
        return dict(self) | {"expires": moment}


class SentWebhook(RequestBody):
    """A new webhook: the URL that receives events."""

    url: Annotated[str, StringConstraints(max_length=2000, pattern=r"^[^\x00-\x20\x7f]+$")]
    events: list[EventName] = Field(min_length=1, max_length=20, description="* means all.")
    shape: Literal["prowess", "discord", "slack"] = "prowess"

    def fields(self) -> dict[str, Any]:
        """What `webhooks.make_webhook` takes."""
        return dict(self)

"""Write acts of pages, in two steps: preview, then commit; acts and new names in words."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass, fields, replace
from difflib import get_close_matches
from hashlib import sha256
from secrets import token_urlsafe
from typing import TYPE_CHECKING, Any, NamedTuple

from starlette.responses import Response

from prowess.games.names import normal_name
from prowess.games.reading import format_count
from prowess.live.api.write_request import WriteRequest
from prowess.live.errors import NotFound, Stale
from prowess.live.journal.acts import ACTS, MOMENTS, Act
from prowess.live.journal.categories import (
    ChangeMethod,
    ChangeSite,
    Publish,
    RenameCategory,
    select_listing,
)
from prowess.live.journal.corrections import (
    AddPlayers,
    Alias,
    Anonymise,
    Cancel,
    ChangeState,
    Correct,
    Rename,
    RestoreWhere,
    Schedule,
    Void,
    VoidWhere,
)
from prowess.live.journal.record import RecordResults
from prowess.live.journal.registry import CATEGORY_LOOKS, METHOD_FIELDS
from prowess.live.journal.submission import Submission, check_submission
from prowess.live.journal.unit_of_work import (
    RECORDED,
    CommitResult,
    PreviewResult,
    UnitOfWork,
    WriteAct,
    describe_games_to_come,
)
from prowess.live.names import (
    describe_scripts,
    described_letter,
    look_keys,
    mixed_word,
    nearness,
    other_letter,
)
from prowess.live.result import HELD, days
from prowess.live.store import queries
from prowess.live.store.access import hash_secret
from prowess.live.store.tables import placing, version
from prowess.live.web.forms import build_act
from prowess.live.web.page_request import PageRequest
from prowess.live.web.results import (
    build_submission,
    describe_facts,
    format_score,
    format_side,
    format_time_of_result,
    order_title,
)
from prowess.present.brand import check_accent, derive_colours, describe_accent
from prowess.present.rendering import PAGE_COLOURS

if TYPE_CHECKING:
    from sqlalchemy import Connection

    from prowess.live.ladder.ladder import Preview
    from prowess.live.store.access import Actor


MOVERS = 100  # shown at most
MAX_NEW_NAMES = 100
MAX_LIST_ROWS = 20  # of a list that is to be published
MIN_MOVE = 0.5  # points that are noticeable
INTERNAL = ("csrf", "step", "seen", "click")
NUMBERED_ANEW = ("id", "published_id", "revision", "created_revision", "known_at")  # columns
Warn = Callable[["Connection"], Mapping[int, str]]  # what is said beside the rows of an act


class Move(NamedTuple):
    """The change of a player's rating and rank; None if they have none."""

    name: str
    before: float | None
    after: float | None
    change: float | None
    rank_before: int | None
    rank_after: int | None


class Shift(NamedTuple):
    """The effect of a change on one ladder."""

    category: str
    moves: tuple[Move, ...]
    movers: int  # in all
    far: int  # movers by at least `MIN_MOVE`, or who appear or disappear
    preview: Preview


def mark_act(act: WriteAct, warn: Warn | None, unit: UnitOfWork) -> tuple[str, Mapping[int, str]]:
    """A mark of what a staged act does, and the warnings beside its rows.

    Ratings that other games move meanwhile are not looked at.
    """
    warned: Mapping[int, str] = {} if warn is None else warn(unit.connection)
    said = repr((act, warned, list_outcomes(unit))).encode("utf-8", "surrogatepass")
    return sha256(said).hexdigest(), warned


def list_outcomes(unit: UnitOfWork) -> tuple[object, ...]:
    """What an act does to results, of which players, and to games to come, and on which versions.

    Of an act that does nothing to them, what it changes as it is before, and what it writes.
    """
    old, new = unit.registry.next_result, {at: name for name, at in unit.newcomers.items()}
    if not unit.statuses and not unit.fixtures:
        written = [
            (table.name, name, new.get(value, value) if name == "player_id" else value)
            for table, rows in unit.rows.items()
            for row in rows
            for name, value in row.items()
            if name not in NUMBERED_ANEW
        ]
        return list_known(unit), written, {key: [*each] for key, each in unit.changes.items()}
    rows = [
        (one.row, one.status, one.id if one.id is not None and one.id < old else None,
         one.error and one.error.code) for one in unit.statuses
    ]  # fmt: skip
    changed = [number for _, _, number, _ in rows if number is not None and unit.changes_results]
    games = [
        (done, new.get(one.a, one.a), new.get(one.b, one.b), one.time)
        for done, each in unit.fixtures.items()
        for one in each
    ]
    versions = [one.revision for one in unit.current(changed)]
    pairs = ((row["a"], row["b"]) for row in unit.rows.get(version, ()))
    seats = ((row["player_id"],) for row in unit.rows.get(placing, ()))
    players = [
        new.get(at, at)
        for each in (*pairs, *seats)
        for at in map(unit.canonical, filter(None, each))
    ]
    return rows, versions, games, players, list(unit.newcomers)


def list_known(unit: UnitOfWork) -> tuple[object, ...]:
    """The site, the category and the names of the players that an act is about, before it."""
    registry, people = unit.registry, unit.registry.people
    about = (unit.detail.get(one) for one in ("player", "into"))
    group = {one for number in about if number in people.shown for one in people.group(number)}
    names = sorted(name for name, number in people.names.items() if number in group)
    category = None if unit.category is None else registry.categories.get(unit.category.id)
    shown = [(one, people.shown.get(people.canonical(one))) for one in sorted(group)]
    return registry.brand, category, shown, names


class SeenPreview(NamedTuple):
    """The effect of an act, the mark with which it is entered so, and the warnings beside it."""

    effect: PreviewResult
    seen: str
    warned: Mapping[int, str]


def preview_act(
    request: PageRequest, entry: WriteAct, actor: Actor, warn: Warn | None = None
) -> SeenPreview:
    """Compute the effect of an act; raises Refused, Busy."""
    found = list[tuple[str, Mapping[int, str]]]()

    def note(unit: UnitOfWork) -> None:
        found.append(mark_act(entry, warn, unit))

    effect = request.journal.preview(entry, actor, checks=(note,))
    return SeenPreview(effect, *found[-1])


def commit_act(request: PageRequest, entry: WriteAct, warn: Warn | None = None) -> CommitResult:
    """Commit an act as the form says that it was seen; a second click is answered as the first.

    Raises Refused; Stale also where the form does not say that it was seen.
    """
    seen, click = request.field("seen"), request.field("click")
    if not seen:
        raise Stale.of("stale.unseen")
    # Of the act, too: what was typed anew after the first click is another entry.
    key = hash_secret(repr((click, entry))) if click else None
    write = WriteRequest(request.call, key, mark=hash_secret(seen))

    def check(unit: UnitOfWork) -> None:
        if mark_act(entry, warn, unit)[0] != seen:
            raise Stale.of("stale.meanwhile")

    return write.commit(entry, checks=(check,))


def submit_change(request: PageRequest) -> Response:
    """Preview an act, or commit it if confirmed; what has changed meanwhile is shown again."""
    kind = request.path_part("kind")
    act = ACTS.get(kind.replace("-", "_"))
    if act is None or not act.title:
        raise NotFound.of("no_such_change", kind=kind)
    actor = request.require_scope(*act.scopes)
    entry = build_act(request, act)
    if request.field("step") == "confirm":
        with suppress(Stale):
            return done_page(request, act.title, commit_act(request, entry))
    preview = preview_act(request, entry, actor)
    button = name_button(request, act, entry, preview.effect)
    return preview_page(request, act.title, entry, preview, button=button)


def name_button(request: PageRequest, act: Act, entry: Any, preview: PreviewResult) -> str:
    """What the button that commits an act says: what will be done, and to what."""
    named = {one.name: getattr(entry, one.name) for one in fields(entry)}
    if isinstance(entry, Schedule):
        named["games"] = format_count(len(entry.games), "game")
    if isinstance(entry, AddPlayers):
        named["names"] = format_count(len(entry.names), "player")
    if isinstance(entry, Correct):
        scores = compare_scores(request, entry)
        named["score"] = scores[1].score if scores and scores[0] != scores[1] else "this"
    named["results"] = format_count(preview.count, "result")
    return act.button.format(**named)


class ScoreWords(NamedTuple):
    """A result in short: `2–3`, and who won."""

    score: str
    words: str


def compare_scores(request: PageRequest, entry: Correct) -> tuple[ScoreWords, ...]:
    """A game as it is recorded and as it would be; empty for a contest."""
    both = find_both_versions(request, entry)
    return () if both.before.score is None else tuple(map(describe_score, both[:2]))


class BothVersions(NamedTuple):
    """A result as it is recorded and as it would be, and what its category rates."""

    before: Submission
    after: Submission
    noun: str


def find_both_versions(request: PageRequest, entry: Correct) -> BothVersions:
    """A result as it is recorded and as it would be."""
    with request.journal.store.read() as connection:
        (row,) = queries.find_results(connection, [entry.result])
    given = entry.submission
    given = given if given.time is not None else given._replace(time=row.time)
    category = request.journal.registry.categories[row.category]
    after = check_submission(given, category, request.journal.clock())
    before = build_submission(row, request.names)
    return BothVersions(before, _with_known_names(request, after), category.noun)


def describe_score(one: Submission) -> ScoreWords:
    """The score of a game, and who won."""
    first, second = one.line_ups
    score = 0.5 if one.score is None else one.score
    winner = first if score > 0.5 else second
    said = "Draw" if score == 0.5 else f"{format_side(winner)} won"
    return ScoreWords(format_score(one), said)


def select_first_rows(request: PageRequest, entry: Publish) -> tuple[list[dict[str, Any]], str]:
    """The first rows of a list to be published, and its listing rule in words."""
    ratings = request.journal.ratings(
        entry.category, None if entry.until is None else days(entry.until)
    )
    if ratings is None:
        return [], ""
    listing = select_listing(request.journal.category(entry.category), ratings)
    return listing.board(ratings, MAX_LIST_ROWS).rows(), listing.describe(ratings)


def done_page(request: PageRequest, words: str, committed: CommitResult, **values: Any) -> Response:
    """Render what a committed entry did."""
    to_come = describe_games_to_come(committed.numbers)
    return request.render(
        "admin/done.html", words=words, committed=committed, to_come=to_come, **values
    )


def preview_page(
    request: PageRequest,
    words: str,
    entry: WriteAct,
    seen: SeenPreview,
    *,
    button: str,
    back: str = "",
    **values: Any,
) -> Response:
    """Render the preview: what is entered, new names, rating changes, and the button to commit.

    `button` says what will be done, `back` is the text of the button back to the form.
    """
    preview, again = seen.effect, request.field("step") == "confirm"
    new = find_newcomers(request, names_of_act(entry))
    listed, rule = select_first_rows(request, entry) if isinstance(entry, Publish) else ([], "")
    nouns = {request.journal.category(key).noun for key in preview.previews}
    values |= {"noun": nouns.pop()} if len(nouns) == 1 else {}
    hidden = [
        (name, value)
        for name, value in request.form.multi_items()
        if isinstance(value, str) and name not in INTERNAL
    ]
    if isinstance(entry, ChangeSite) and entry.logo:  # a file is sent again as text
        hidden = [one for one in hidden if one[0] != "logo"] + [("logo", entry.logo)]
    return request.render(
        "admin/preview.html",
        words=words,
        button=button,
        scores=compare_scores(request, entry) if isinstance(entry, Correct) else (),
        hidden=hidden,
        entered=describe_act(request, entry, preview),
        preview=preview,
        seen=seen.seen,
        click=token_urlsafe(16),
        again=again,
        status=Stale.status if again else 200,
        shifts=[
            summarise_shift(request, key, one, preview) for key, one in preview.previews.items()
        ],
        new=new[:MAX_NEW_NAMES],
        more_new=len(new) - MAX_NEW_NAMES,
        held=sum(one.status == HELD for one in preview.results),
        grave=isinstance(entry, Void | VoidWhere | Anonymise),
        back=back,
        listed=listed,
        rule=rule,
        renames=isinstance(entry, Alias | Rename),
        look=find_look(entry) if isinstance(entry, ChangeSite) else None,
        address=request.http.url.path,
        **values,
    )


class SiteLook(NamedTuple):
    """What a changed site looks like: its logo, its colours in light and dark, what is said."""

    logo: str | None
    schemes: Sequence[tuple[str, Mapping[str, str]]]
    accent_note: str


def find_look(entry: ChangeSite) -> SiteLook:
    """The look of a site that is to be changed."""
    accent = check_accent(entry.accent or "")
    if not accent:
        return SiteLook(entry.logo, (), "")
    colours = PAGE_COLOURS | derive_colours(accent)
    schemes = [(name, {one: pair[k] for one, pair in colours.items()})
               for k, name in enumerate(("Light", "Dark"))]  # fmt: skip
    return SiteLook(entry.logo, schemes, describe_accent(accent))


def summarise_shift(request: PageRequest, key: str, one: Preview, preview: PreviewResult) -> Shift:
    """Summarise a preview: the movers by name, largest change first."""
    called = request.names
    moves = []
    for mover in one.movers[:MOVERS]:
        before, after = _first_value(mover.before), _first_value(mover.after)
        apart = None if before is None or after is None else after - before
        name = preview.names.get(mover.player) or called[mover.player]
        moves.append(Move(name, before, after, apart, mover.rank_before, mover.rank_after))
    far = sum(
        mover.before is None
        or mover.after is None
        or abs((_first_value(mover.after) or 0.0) - (_first_value(mover.before) or 0.0)) >= MIN_MOVE
        for mover in one.movers
    )
    return Shift(request.journal.category(key).name, tuple(moves), len(one.movers), far, one)


def _first_value(values: dict[str, float] | None) -> float | None:
    return None if not values else next(iter(values.values()))


# An act in words, for the preview.


MAX_RESULTS_SHOWN = 100
UNSAID = ("reason", "results", "look_alikes")  # fields that are shown separately
FIELD_WORDS = {
    "fixture": "game",
    "into": "into player",
    "names": "players",
    "plays": "kind",
    "side_size": "players of a side at most",
}


class FieldChange(NamedTuple):
    """A field of an act; `before` is None if it is new."""

    name: str
    before: str | None
    after: str

    @property
    def differs(self) -> bool:
        """Whether the value changes."""
        return self.before is not None and self.before != self.after


@dataclass(frozen=True)
class ActDescription:
    """The description of an act: results or field changes, and the reason."""

    columns: tuple[str, ...] = ()  # of the results
    results: tuple[dict[str, str], ...] = ()
    more: int = 0  # results that are not shown
    changes: tuple[FieldChange, ...] = ()
    explained: bool = False  # whether this kind of act has a reason
    reason: str | None = None

    @property
    def compared(self) -> bool:
        """Whether any field has an old value."""
        return any(one.before is not None for one in self.changes)


def describe_act(request: PageRequest, entry: WriteAct, preview: PreviewResult) -> ActDescription:
    """Describe an act by its preview."""
    if isinstance(entry, RecordResults):
        return _describe_results(_list_new_results(request, entry, preview), preview.count)
    if isinstance(entry, ChangeState | VoidWhere | RestoreWhere):
        numbers = [one.id for one in preview.results[:MAX_RESULTS_SHOWN] if one.id is not None]
        found = _describe_results(_list_known_results(request, numbers), preview.count)
    elif isinstance(entry, Correct):
        found = ActDescription(changes=tuple(_compare_versions(request, entry)))
    else:
        found = ActDescription(changes=tuple(_describe_fields(request, entry)))
    reason = getattr(entry, "reason", None)
    return replace(found, explained=hasattr(entry, "reason"), reason=reason)


def _describe_results(results: Iterable[dict[str, str]], count: int) -> ActDescription:
    """Describe results, with a column for every fact in use."""
    rows = tuple(results)
    named = dict.fromkeys(name for row in rows for name in row)
    return ActDescription((*sorted(named, key=order_title),), rows, count - len(rows))


def _list_new_results(
    request: PageRequest, entry: RecordResults, preview: PreviewResult
) -> Iterable[dict[str, str]]:
    taken = [one.row for one in preview.results if one.status in (RECORDED, HELD)]
    now = request.journal.clock()
    for row in taken[:MAX_RESULTS_SHOWN]:
        one = entry.submissions[row]
        category = request.journal.category(one.category)
        known = _with_known_names(request, check_submission(one, category, now))
        yield describe_facts(known, category.noun)


def _list_known_results(request: PageRequest, numbers: list[int]) -> Iterable[dict[str, str]]:
    with request.journal.store.read() as connection:
        rows = queries.find_results(connection, numbers)
    called = request.names
    for row in rows:
        noun = request.journal.registry.categories[row.category].noun
        yield {"result": str(row.id), "state": row.state} | describe_facts(
            build_submission(row, called), noun
        )


def _compare_versions(request: PageRequest, entry: Correct) -> Iterable[FieldChange]:
    """Every fact of a result as it is and as it would be."""
    *both, noun = find_both_versions(request, entry)
    before, after = (describe_facts(one, noun) for one in both)
    for name in {**before, **after}:
        yield FieldChange(name, before.get(name, ""), after.get(name, ""))


def _with_known_names(request: PageRequest, one: Submission) -> Submission:
    """Replace the names of known players by their current names."""
    people = request.journal.registry.people

    def display_name(name: str) -> str:
        number = people.number_of(name)
        return normal_name(name) if number is None else people.shown[number]

    return one._replace(
        player_a=None if one.player_a is None else display_name(one.player_a),
        player_b=None if one.player_b is None else display_name(one.player_b),
        placings=tuple((display_name(name), place, points) for name, place, points in one.placings),
        sides=tuple(
            side._replace(
                players=tuple((display_name(name), share) for name, share in side.players)
            )
            for side in one.sides
        ),
    )


def _describe_fields(request: PageRequest, entry: Any) -> Iterable[FieldChange]:
    """The fields of an act, with the current values that it changes."""
    before = _current_values(request, entry)
    for one in fields(entry):
        value = getattr(entry, one.name)
        if one.name in UNSAID or (value in (None, "", ()) and one.name not in before):
            continue
        old = before.get(one.name)
        if value is None:
            value = old
        if isinstance(entry, Cancel) and one.name == "fixture":
            value = _name_fixture(request, value)
        name = FIELD_WORDS.get(one.name, one.name.replace("_", " "))
        yield FieldChange(name, None if one.name not in before else _format_field(one.name, old),
                     _format_field(one.name, value))  # fmt: skip


def _name_fixture(request: PageRequest, number: int) -> str:
    """A game to come as its players and its day."""
    one = request.journal.registry.fixtures.get(number)
    if one is None:  # ended meanwhile
        return str(number)
    shown = request.journal.registry.people.shown
    return format_game((shown[one.a], shown[one.b]), one.time)


def format_game(players: tuple[str, str], time: int) -> str:
    """A game to come as both players and its day."""
    return f"{' – '.join(players)} {format_time_of_result(time)}"


def _current_values(request: PageRequest, entry: Any) -> Mapping[str, Any]:
    """The current values of the fields that an act changes."""
    if isinstance(entry, ChangeMethod):
        category = request.journal.category(entry.category)
        return {name: getattr(category, name) for name in METHOD_FIELDS}
    if isinstance(entry, RenameCategory):
        category = request.journal.category(entry.category)
        return {name: getattr(category, name) for name in ("key", "name", *CATEGORY_LOOKS)}
    if isinstance(entry, ChangeSite):
        return request.journal.registry.brand._asdict()
    if isinstance(entry, Rename):
        people = request.journal.registry.people
        return {"name": people.shown[people.find(entry.player)]}
    return {}


def _format_field(name: str, value: Any) -> str:
    """Format the value of a field."""
    if isinstance(value, Mapping):
        return ", ".join(f"{one}={each}" for one, each in value.items()) or "as usual"
    if name == "games":
        return ", ".join(format_game(one.players, one.time) for one in value)
    if isinstance(value, tuple):
        return ", ".join(map(str, value))
    if name in MOMENTS and value is not None:
        return format_time_of_result(value)
    if name == "logo" and value:
        return f"a picture of {len(value) * 3 // 4 / 1024:.1f} kB"
    if name == "period" and value in (None, "none"):
        return "game by game"
    return "" if value is None else str(value)


# New names with the known names that they resemble, to find misspellings.


NAMES_COMPARED = 10  # new names that are compared with all names
AMONG = 5_000  # known names: with more, a fuzzy search is too slow for a page
LIKE = 0.8  # share of letters in common, as difflib counts it


class Newcomer(NamedTuple):
    """A new name and the known name that it resembles."""

    name: str
    like: str | None
    odd: str = ""  # the differing letter of a name that looks the same
    mixed: str = ""  # the scripts of a word that mixes them


def names_of_act(entry: WriteAct) -> list[str]:
    """The names of players that an act gives."""
    if isinstance(entry, Alias | Rename):
        return [entry.name]
    if isinstance(entry, AddPlayers):
        return list(entry.names)
    if isinstance(entry, Schedule):
        return [name for one in entry.games for name in one.players]
    if isinstance(entry, Correct | RecordResults):
        many = entry.submissions if isinstance(entry, RecordResults) else (entry.submission,)
        names = [name for one in many for _, name in one.names() if name]
        return [*names, *(n for one in getattr(entry, "planned", ()) for n in one.players)]
    return []


def find_newcomers(request: PageRequest, names: Iterable[str]) -> list[Newcomer]:
    """The names that nobody has, in order, with similar known names."""
    people = request.journal.registry.people
    written = dict.fromkeys(normal_name(name) for name in names if people.number_of(name) is None)
    near = {nearness(name): name for name in people.names} if len(people.names) <= AMONG else {}
    found = []
    seen: dict[str, str] = {}  # by what is seen of them, earlier new names
    for place, name in enumerate(written):
        keys = look_keys(name)
        new = next((seen[key] for key in keys if key in seen), None)
        like = people.look_alike(name) or new
        for key in keys:
            seen.setdefault(key, name)
        known = like or near.get(nearness(name))
        if known is None and place < NAMES_COMPARED:
            close = get_close_matches(nearness(name), near, 1, LIKE)
            known = near[close[0]] if close else None
        odd = "" if like is None else described_letter(other_letter(name, like) or like[0])
        word = mixed_word(name)
        mixed = "" if word is None else describe_scripts(word)
        found.append(Newcomer(name, known, odd, mixed))
    return found

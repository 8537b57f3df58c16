"""The columns of results, of winners and of scorelines, by their headings and by their cells."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Collection, Iterable, Iterator, Mapping, Sequence
from dataclasses import replace
from typing import TYPE_CHECKING, Any, NamedTuple

from prowess.games.cells.outcome_words import (
    DRAWN,
    WON,
    State,
    as_scoreline,
    has_no_winner,
    is_score_so_far,
    reason_not_played,
    state_of_game,
)
from prowess.games.cells.outcomes import OutcomeParser, decide_numbers, find_notation, name_sides
from prowess.games.cells.scorelines import parse_scoreline
from prowess.games.dates import is_short_season
from prowess.games.errors import InvalidValue, Question, Suspicion, quote
from prowess.games.layout import Form
from prowess.games.reading import format_option, join_columns
from prowess.games.roles.candidates import UNNAMED, share_of_results
from prowess.games.roles.evidence import (
    MOST_FIT,
    MOST_ROWS_SEEN,
    NO_WORDS,
    SHARED,
    YES_WORDS,
    ColumnEvidence,
    TableEvidence,
    are_winner_first,
    choose_only,
    is_clock,
    is_flag_of_win,
    is_result_mark,
    may_tell_own_win,
    names_winners,
    tells_loser,
    tells_own_win,
    tells_sides,
    tells_winner,
)
from prowess.games.roles.headings import Headings
from prowess.games.values import (
    fold_text,
    is_blank,
    is_missing,
    lazy_pattern,
    parse_bool,
    parse_decimal,
    parse_or_none,
    plain_form,
    plain_word,
)
from prowess.games.vocabulary import (
    BRACKETS,
    SIDE_WORDS,
    WORD_STEMS,
    WORDS_IN_ORDER,
    alternatives,
    read_heading,
    words_for,
)

if TYPE_CHECKING:
    from prowess.games.layout import Layout, StateKind


OF_SCORELINES = ("result", "sets", "points")
NO_RESULTS = frozenset({"1", "2", "a", "b"})  # alone they may be groups or variants
LENGTHS = words_for("length")  # of games in minutes and seconds
OF_MANY_GAMES = frozenset({"league", "season", "round", "clock"})  # subjects of no result


def find_verdict(headings: Headings) -> str | None:
    """The column of judgments; of several, such as those of two orders of the answers, all
    have to say the same. Raises BadData.
    """
    found = headings.candidates.verdicts()
    if len(found) > 1:
        rows = headings.evidence.rows
        if headings.evidence.count == MOST_ROWS_SEEN or any(
            rows[x] != rows[found[0]] for x in found
        ):
            raise headings.ask(
                "winner_ambiguous", "name one with winner= (--winner)", map(quote, found)
            )
    return found[0] if found else None


class Telling(NamedTuple):
    """A way in which a column tells the result of games: by its heading and by its cells."""

    form: Form  # of the games then
    says: Callable[[str], object]
    holds: Callable[[Headings, str, str, str], object]  # of a column and those of both players


def find_told(
    headings: Headings, a: str, b: str, ways: Iterable[Telling], taken: Collection[Any] = ()
) -> list[tuple[Form, str]]:
    """The columns that tell the result in the first of these ways in which any does."""
    names = [
        name for name in headings.names
        if name not in {a, b, *taken} and headings.evidence[name].filled
    ]  # fmt: skip
    told = (
        [(way.form, name) for name in names if way.says(name) and way.holds(headings, name, a, b)]
        for way in ways
    )
    return next(filter(None, told), [])


def find_winner_beside(headings: Headings, result: str, a: str, b: str) -> tuple[Form, str] | None:
    """The column of winners beside one of scorelines, of which it tells whose come first, or
    beside one of other words, such as `normal`.
    """
    winner, column = headings.guessed.get("winner"), headings.evidence[result]
    of_words = winner is not None and share_of_results(column) < SHARED
    if column.scorelines < MOST_FIT and not of_words:
        return None
    found = choose_only(find_told(headings, a, b, [WON_BY_NAME], [result]))
    return found if found and winner in {None, found[1]} else None


def find_told_beside(headings: Headings, a: str, b: str) -> tuple[Form, str] | None:
    """The column that tells in a word or a flag how the first player fared, beside one of
    scorelines: `W/L`, `Won?`; or who lost, by name, by side, or by a flag.
    """
    if names_result(headings):
        return None
    winner = headings.guessed.get("winner")
    if any(map(may_tell_own_win, headings.names)):
        lines = [
            name for name in find_scorelines(headings, {a, b})
            if read_heading(name).subjects & {*OF_SCORELINES}
        ]  # fmt: skip
        own = choose_only(find_told(headings, a, b, [OWN_RESULT], lines))
        if own and len(lines) == 1 and winner in {None, own[1]}:
            return own
    words = ((name, "".join(read_heading(name).words)) for name in headings.names)
    letters = [name for name, word in words if len(word) == 1]  # L counts losses
    return None if winner else choose_only(find_told(headings, a, b, TELLING_LOSERS, letters))


def refuse_winner_first(headings: Headings, line: str, a: str, b: str) -> None:
    """Refuse scorelines that may have the winner first, beside a column that names a player of
    each row and may say who won; raises BadData.
    """
    if names_result(headings) or len(headings.names) < 4:
        return
    if not are_winner_first(headings.evidence.rows[line]):
        return
    if found := find_told(headings, a, b, [NAMING]):
        name = found[0][1]
        raise headings.bad(
            "points_order_ambiguous.larger",
            scores=line,
            name=name,
            option=won_or_lost(name),
            by_line=format_option("result", [line]),
        )


def names_losers(headings: Headings, form: Form, name: str) -> bool:
    """Whether a column of winners names the loser, or one of flags tells a defeat."""
    if "winner" in headings.options.roles:
        return False
    named = form == "winner" and "loser" in headings.options.roles
    return named or (tells_loser(name) and not tells_winner(name))


def names_result(headings: Headings) -> bool:
    return not {"result", "winner", "loser", "score_a"}.isdisjoint(headings.options.roles)


def names_players(headings: Headings, name: str, a: str, b: str) -> bool:
    """Whether the cells of a column name one of the two players of their row."""
    rows = headings.evidence.rows
    return names_winners(rows[name], rows[a], rows[b])


def refuse_named_players(headings: Headings, a: str, b: str) -> None:
    """Refuse columns that name a player of each row where nothing says who won; raises
    BadData.
    """
    if names_result(headings) or not (found := find_told(headings, a, b, [NAMING])):
        return
    name = found[0][1]
    raise headings.bad("won_or_lost_ambiguous", name=name, option=won_or_lost(name))


def find_score_line(
    headings: Headings, form: Form, result: str | None, taken: Collection[str | None]
) -> str | None:
    """The column of scorelines beside one that says who won; None where none or several are."""
    lines = find_scorelines(headings, taken)
    if form == "result":
        lines = [name for name in lines if read_heading(name).subjects & {*OF_SCORELINES}]
        if headings.evidence[str(result)].scorelines:
            return None
    return choose_only(lines)


def find_scorelines(headings: Headings, taken: Collection[str | None]) -> list[str]:
    """The columns of scorelines, those of sets alone where there are some."""
    found = []
    for name in headings.names:
        heading = read_heading(BRACKETS.sub(" ", name).strip() or name)  # (winner first)
        numbered = any(map(str.isdigit, heading.words)) and not name.startswith(UNNAMED)
        part = numbered and "result" not in heading.subjects  # the third of some sets
        other = heading.sides or heading.spoiled or LENGTHS & {*heading.words}
        seasons = headings.evidence[name].share(is_short_season) == 1.0
        open_ = not (name in taken or other or part or seasons)
        if open_ and has_scorelines(headings, name):
            found.append(name)
    told = [name for name in found if "clock" not in read_heading(name).subjects]
    found = told or found
    of_match = [name for name in found if plain_form(name).startswith("match")]
    if len(of_match) == 1:  # of a match of teams, which has sets and games beside
        return of_match
    for subject in OF_SCORELINES:
        told = [name for name in found if subject in read_heading(name).subjects]
        goals = [name for name in told if not is_of_match_points(headings.evidence[name].texts)]
        if len(goals or told) == 1:
            return goals or told
    return [] if any(has_clocks(headings, name) for name in found) else found


def has_scorelines(headings: Headings, name: str) -> bool:
    """Whether a column holds scorelines, also such as 03:02:00 where its heading says so."""
    column = headings.evidence[name]
    if column.scorelines >= MOST_FIT or read_heading(name).subjects.isdisjoint(OF_SCORELINES):
        return column.scorelines >= MOST_FIT
    return find_notation({*column.texts}) in {"times", "signed sets"}


def has_clocks(headings: Headings, name: str) -> bool:
    """Whether a column may hold times of the day or spans of time, and no scores."""
    heading = read_heading(name)
    return "clock" in heading.subjects or headings.evidence[name].share(is_clock) == 1.0


def find_result_by_cells(headings: Headings, a: str, b: str) -> tuple[Form, str] | None:
    """The column of winners or results as its cells tell; None where none or several may be.

    A column of winners names one of the two players in each row.
    """
    open_ = {headings.guessed.get(each) for each in ("round", "points", "score", "place")}
    taken = {a, b, *({*headings.guessed.values()} - open_)}
    spoiled = {name for name in headings.names if read_heading(name).spoiled}
    told = find_told(headings, a, b, [WON_BY_NAME], taken | spoiled)
    told = told or find_told(headings, a, b, [LOST_BY_NAME])
    lines = find_scorelines(headings, taken) if len(told) != 1 else []
    if len(lines) == 1:
        refuse_winner_first(headings, lines[0], a, b)
        return "result", lines[0]
    if not told and not lines:
        told = find_told(headings, a, b, [BY_SIDE, BY_MARK], taken | spoiled)
        rows = headings.evidence.rows
        if len(told) == 2 and are_opposite(*(rows[name] for _, name in told)):
            told = told[:1] if headings.names.index(a) < headings.names.index(b) else told[1:]
    return choose_only(told)


def has_sides_of(headings: Headings, name: str, a: str, b: str) -> bool:
    """Whether the cells of a column name the sides by their headings: Aff, Neg, draw."""
    column = headings.evidence[name]
    if read_heading(name).subjects & OF_MANY_GAMES or not column.names - NO_RESULTS:
        return False
    return bool(name_sides({*column.results_only.texts}, a, b))


def has_marks(headings: Headings, name: str, *_: str) -> bool:
    """Whether the cells are words or letters for who won, and no groups or variants."""
    column = headings.evidence[name]
    several = len(column.names) > 1 and column.names - NO_RESULTS
    of_many = read_heading(name).subjects & OF_MANY_GAMES
    return bool(several) and not of_many and column.results_only.share(is_result_mark) == 1.0


NAMING = Telling("winner", bool, names_players)
WON_BY_NAME = Telling("winner", tells_winner, names_players)
OWN_RESULT = Telling(
    "result", may_tell_own_win, lambda h, name, *_: tells_own_win(name, h.evidence[name])
)
LOST_BY_NAME = Telling("winner", tells_loser, names_players)
TELLING_LOSERS = (
    Telling("result", tells_loser, lambda h, name, *_: is_flag_of_win(name, h.evidence[name])),
    LOST_BY_NAME,
    Telling("winner", tells_loser, lambda h, name, *_: tells_sides(h.evidence[name])),
    Telling("winner", tells_loser, has_sides_of),
)
BY_SIDE, BY_MARK = Telling("winner", bool, has_sides_of), Telling("result", bool, has_marks)
JUDGMENT = Telling("winner", lambda name: read_heading(name).is_of("verdict"), has_sides_of)


def won_or_lost(name: str) -> str:
    """The options of a column that names the winner, or the loser."""
    return f"{format_option('winner', [name])} or {format_option('loser', [name])}"


def are_opposite(one: Sequence[Any], other: Sequence[Any]) -> bool:
    """Whether two columns say of both sides of each game how they fared: `○ ●`, `W L`, `D D`."""
    told = {**WON, **DRAWN}
    scores = [
        (told.get(plain_word(str(a))), told.get(plain_word(str(b))))
        for a, b in zip(one, other, strict=True)
        if not (is_missing(a) and is_missing(b))
    ]
    return all(a is not None and b is not None and a + b == 1.0 for a, b in scores)


def is_of_match_points(texts: Sequence[str]) -> bool:
    """Whether all scorelines are 2:0, 1:1 and 0:2, or 3:0, 1:1 and 0:3: points for the result."""
    lines = {as_scoreline(text) for text in texts}
    return any(lines <= {f"{win}-0", "1-1", f"0-{win}"} for win in (2, 3))


# Columns beside the result of a game: forfeits, its status, a second result, points of both sides.
#
# They are found by words and cells; `assembly` applies them when the scores of games are known.


STATES = WORDS_IN_ORDER["status"]
REMARKS = words_for("remark")
FORFEITS = words_for("forfeit")  # one side was not there: in headings, and in cells of any column
KICKS, STEMS_OF_KICKS = words_for("shootout"), WORD_STEMS["shootout"]
GROUND = words_for("venue")
NEUTRAL = words_for("neutral") | {"n"}
HOME_SIDE = SIDE_WORDS["home"]


def _tell_flag(text: str) -> State:
    """What yes and no say, or the name of the side that was not there."""
    return "finished" if fold_text(text) in NO_WORDS else "walkover"


def _tell_ending(text: str) -> State:
    """Whether a text says that one side did not play; `time forfeit` is no such word."""
    return "walkover" if plain_word(text) in FORFEITS else "finished"


STATES_BY_KIND: Mapping[StateKind, Callable[[str], State | None]] = {
    "forfeit": _tell_flag, "status": reason_not_played, "state": state_of_game,
    "ending": _tell_ending,
}  # fmt: skip


def find_beside(headings: Headings, layout: Layout) -> Layout:
    """The layout with the columns beside the result, by what they tell."""
    states: dict[StateKind, list[str]] = {kind: [] for kind in STATES_BY_KIND}
    kicks: list[str] = []
    marks: list[str] = []
    used, evidence = {*replace(layout, where={}, exclude={}).columns()}, headings.evidence
    sides = evidence[layout.a].names | evidence[layout.b].names
    for name in headings.names:
        if name in used:
            continue
        heading, column = read_heading(name), evidence[name]
        words = {*heading.words}
        if words & FORFEITS and (
            column.share(_is_flag) == 1.0 or (column.names and column.names <= sides)
        ):
            states["forfeit"].append(name)
        elif layout.form in {"result", "points"} and _are_flags_of_kicks(words, column):
            kicks.append(name)
        elif kind := _kind_of_states(words, column):
            states[kind].append(name)
        elif 0.0 < column.share(_is_forfeit) < 1.0:
            states["ending"].append(name)
        elif (
            layout.form == "points" and not heading.spoiled and len(words) == 1
            and (words & {"ftr", "res", "wl"} or "result" in heading.subjects)
            and column.results_only.share(is_result_mark) == 1.0
        ):  # fmt: skip
            marks.append(name)
    return replace(
        layout, kicks=tuple(kicks), marks=choose_only(marks),
        states=tuple((name, kind) for kind, held in states.items() for name in held),
    )  # fmt: skip


def _are_flags_of_kicks(words: Collection[str], column: ColumnEvidence) -> bool:
    """Whether a column says of some games that a shoot-out decided them, and not who won it."""
    if not any(word in KICKS or word.startswith(STEMS_OF_KICKS) for word in words):
        return False
    plain = {fold_text(str(cell)) for cell in column.cells}
    return bool(plain & YES_WORDS) and plain <= YES_WORDS | NO_WORDS


def _kind_of_states(words: Collection[str], column: ColumnEvidence) -> StateKind | None:
    """Whether a column tells of each game whether it was played (`state`: its words are asked
    about where they are not known), or has such words among others (`status`).
    """
    if column.numbers == 1.0:
        return None
    counts = Counter(column.texts)
    texts = Counter({text: count for text, count in counts.items() if not is_blank(text)})
    if not texts:
        return None
    if any(word.endswith(STATES) for word in words):
        played = sum(count for text, count in texts.items() if state_of_game(text) is not None)
        if 2 * played >= texts.total():
            return "state"
    elif _tells_states(texts):
        return "state"
    elif REMARKS.isdisjoint(words):
        return None
    return "status" if any(map(reason_not_played, texts)) else None


def _tells_states(texts: Iterable[str]) -> bool:
    """Whether all texts are states of games, of some that were played and of some that were not."""
    told: set[str] = set()
    for text in texts:
        if (state := state_of_game(text)) is None:
            return False
        if state != "not played" or "abandon" not in text.casefold():  # so a game of chess is won
            told.add(state)
    return {"finished", "not played"} <= told


def find_ground(headings: Headings, layout: Layout) -> str | None:
    """The column that says whether a game was played at home or on neutral ground."""
    if not layout.sided or layout.neutral:
        return None
    for name in headings.names:
        if GROUND.isdisjoint(read_heading(name).words):
            continue
        column = headings.evidence[name]
        words = {plain_form(text) for text in column.names}
        if words and words <= NEUTRAL | HOME_SIDE and column.filled == column.rows:
            return name
    return None


def _is_forfeit(cell: object) -> bool:
    return isinstance(cell, str) and _tell_ending(cell.strip()) == "walkover"


def _is_flag(cell: object) -> bool:
    return parse_or_none(parse_bool, cell) is not None


# Games without a winner whose status says why: `draw`, `remis`, `error`, `no result`.


LEAST_LETTERS_OF_DRAW = 3  # of a word for a draw: `D` may say much else
FAILED = words_for("failed")
ENDS_DRAWN = lazy_pattern(  # how games of chess and its like end without a winner
    rf"\b(?:{alternatives('drawn_ending')})\b|50.?move"
)


def find_reasons(headings: Headings, layout: Layout) -> str | None:
    """The column that says of each game without a winner whether it was drawn or is none."""
    if layout.form != "winner" or layout.draw or layout.points_a:
        return None
    rows = headings.evidence.rows
    without = [row for row, cell in enumerate(rows[layout.result]) if has_no_winner(cell)]
    if not without:
        return None
    found = [
        name for name in headings.names
        if all(explains_missing(rows[name][row]) for row in without)
        and not all(map(explains_missing, rows[name]))
        and name not in {layout.a, layout.b, layout.result}
    ]  # fmt: skip
    return choose_only(found)


def is_drawn(cell: Any) -> bool:
    text = fold_text(str(cell)).replace("_", " ")
    return DRAWN.get(plain_word(text)) is not None or ENDS_DRAWN.search(text) is not None


def explains_missing(cell: Any) -> bool:
    """Whether a cell says that a game was drawn or is none."""
    if not isinstance(cell, str) or sum(map(str.isalpha, cell)) < LEAST_LETTERS_OF_DRAW:
        return False
    word = plain_word(cell.strip(" .!"))
    none = reason_not_played(cell) is not None or is_score_so_far(cell)
    return none or word in FAILED or is_drawn(cell)


# What stands beside the points of both sides, decided by whether the two agree.


FEWEST_GAMES_TOLD = 3  # games that tell that fewer points win, or that points are of something else
CONTRADICTING = 5  # one game in so many contradicts the points: then they are of something else


def settle_points(headings: Headings, layout: Layout) -> Layout:
    """The layout as the points of both sides confirm it; as it is where they leave it open.

    Raises BadData where they contradict every way in which numbers may count the winners.
    """
    if not (layout.points_a and layout.points_b) or layout.share or layout.form == "points":
        return layout
    evidence, name = headings.evidence, layout.result
    leads = [find_lead(*cells) for cells in _cells(evidence, layout.points_a, layout.points_b)]
    won: Sequence[float | None] = [1.0] * len(leads)
    if layout.form == "result":
        if _are_margins(evidence.rows[name], leads):
            note = f"column {quote(name)} is the difference of the points"
            return replace(
                layout, form="points", result="", turned=False, said=(*layout.said, note)
            )
        if _are_of_others(evidence, layout):
            columns = join_columns((layout.points_a, layout.points_b))
            note = f"{columns} are other points than those of {quote(name)} and are not used"
            return _drop_points(layout, note)
        shares = (find_lead(cell, 0) for cell in evidence.rows[name])
        won = [share if share is not None and 0.0 <= share <= 1.0 else None for share in shares]
    elif layout.form == "winner":
        if counted := _count_winners(headings, layout, leads):
            return replace(layout, form="points", result="", said=(*layout.said, counted))
        won = _winners(evidence, layout, name)
        if _agree(won, leads):
            return layout
        others = (each for each in headings.names if "winner" in read_heading(each).sides)
        agreeing = [each for each in others if _agree(_winners(evidence, layout, each), leads)]
        if len(agreeing) == 1:
            note = f"{quote(agreeing[0])} agrees with the points, and {quote(name)} does not"
            return replace(layout, result=agreeing[0], said=(*layout.said, note))
    return _leave_other_points(layout, won, leads)


def _are_of_others(evidence: TableEvidence, layout: Layout) -> bool:
    """Whether scorelines mostly tell other points than two columns, as of a league table."""
    cells = _cells(evidence, layout.result, str(layout.points_a), str(layout.points_b))
    lines = [(parse_scoreline(line) if isinstance(line, str) else None, a, b)
             for line, a, b in cells]  # fmt: skip
    told = [(line.points, (find_lead(a, 0), find_lead(b, 0))) for line, a, b in lines if line]
    scored = any(sum(points) > 1.0 for points, _ in told)  # 1-0 alone may be who won
    return scored and 2 * sum(points != beside for points, beside in told) >= len(told)


def _leave_other_points(
    layout: Layout, won: Sequence[float | None], leads: Sequence[float | None]
) -> Layout:
    """The layout without points that the winners contradict always, or so often that they count
    something else, such as kills; single contradictions are refused where the rows are read.
    """
    told = [(one, lead) for one, lead in zip(won, leads, strict=True) if one is not None]
    decided = sum(bool(lead) for _, lead in told)
    against = sum(lead * (one - 0.5) < 0.0 for one, lead in told if lead)
    if against < FEWEST_GAMES_TOLD or CONTRADICTING * against < decided:
        return layout
    columns = join_columns(tuple(filter(None, (layout.points_a, layout.points_b))))
    if layout.form != "result" and against == len(told):
        note = f"the winner has fewer points in every game: {columns} are not used"
        return _drop_points(layout, note)
    who = quote(layout.result) if layout.result else "the winner"
    note = Suspicion(
        f"{columns} contradict {who} in {against:,} of {decided:,} games and are not used",
        f"{columns} contradict {who}",
    )
    return _drop_points(layout, note)


def _drop_points(layout: Layout, note: str) -> Layout:
    said = (*layout.said, note)
    return replace(layout, points_a=None, points_b=None, level_draws=False, said=said)


NUMBERINGS = (  # of winners
    ("from 0", {0.0: 1.0, 1.0: 0.0, -1.0: 0.5, 2.0: 0.5}),
    ("from 1", {1.0: 1.0, 2.0: 0.0, 0.0: 0.5}),
    ("", {1.0: 1.0, 0.0: 0.0}),
    ("", {1.0: 1.0, -1.0: 0.0, 0.0: 0.5}),
)


def _count_winners(headings: Headings, layout: Layout, leads: Sequence[float | None]) -> str | None:
    """How a column of numbers counts winners, as a note says it, where its cells leave that open
    and the points of every game agree with one way alone; None for other columns. Raises BadData
    where the cells leave it open and the points contradict every way.
    """
    rows = [*zip(headings.evidence.rows[layout.result], leads, strict=True)]
    named = [
        (find_lead(cell, 0), score_of_lead(lead)) for cell, lead in rows if not is_missing(cell)
    ]
    told = [(number, score) for number, score in named if number is not None]
    numbers, name = {number for number, _ in told}, quote(layout.result)
    if len(told) < len(named):
        return None

    decided = [(number, score) for number, score in told if score in {0.0, 1.0}]

    def count_against(scores: Mapping[float, float], rows: Any = told) -> int:
        return sum(scores.get(number) != score for number, score in rows if score is not None)

    try:
        meant = [decide_numbers(numbers, "winner", False, layout.a, layout.b)]
    except Question:
        meant = []
    level = all(lead == 0.0 for cell, lead in rows if is_missing(cell))
    whole = level and None not in leads and len(numbers) > 1
    fitting = [way for way, scores in NUMBERINGS if not count_against(scores)]
    if whole and len(fitting) == 1 and all(map(count_against, meant)):
        counts = f"counts {fitting[0]}" if fitting[0] else "tells whether the first won"
        return f"column {name} {counts}, as the points of every game say"
    ways = [scores for _, scores in NUMBERINGS if numbers <= scores.keys()]
    least = min((count_against(scores, decided) for scores in ways), default=0)
    if not meant and CONTRADICTING * least >= len(decided) > 0:
        raise headings.bad(
            "winners_contradict_points",
            name=name,
            by_points=format_option("winner", ["none"]),
            by_winner=format_option("score_a", ["none"]),
        )
    return None


def score_of_lead(lead: float | None) -> float | None:
    """The score of the first side that leads by so much; None where that is not known."""
    return None if lead is None else 0.5 * ((lead > 0.0) + 1.0 - (lead < 0.0))


def _cells(evidence: TableEvidence, *names: str) -> Iterator[tuple[Any, ...]]:
    return zip(*(evidence.rows[name] for name in names), strict=True)


def find_lead(a: Any, b: Any) -> float | None:
    """By how much the first side leads; None where a cell is no number."""
    try:
        return parse_decimal(a) - parse_decimal(b)
    except InvalidValue:
        return None


def _are_margins(cells: Sequence[Any], leads: Sequence[float | None]) -> bool:
    """Whether the cells are the difference of the points, one way or the other, and no scores."""
    told = [(find_lead(cell, 0), lead) for cell, lead in zip(cells, leads, strict=True)
            if lead is not None and not is_missing(cell)]  # fmt: skip
    if all(margin is None or 0.0 <= margin <= 1.0 for margin, _ in told):
        return False
    return any(all(margin == sign * lead for margin, lead in told) for sign in (1.0, -1.0))


def _winners(evidence: TableEvidence, layout: Layout, name: str) -> list[float | None]:
    """The score of the first side as a column of winners tells it, None where it does not."""
    parser = OutcomeParser(layout.a, layout.b, layout.family)
    parser.numbers = {1.0: 1.0, 2.0: 0.0, 0.0: 0.5}
    found: list[float | None] = []
    for a, b, cell in _cells(evidence, layout.a, layout.b, name):
        one, other, text = (str(each).strip().casefold() for each in (a, b, cell))
        try:
            won = float(text == one) if text in {one, other} else parser.winner(cell)
            found.append(1.0 - won if layout.names_loser and name == layout.result else won)
        except InvalidValue:
            found.append(None)
    return found


def _agree(won: Sequence[float | None], leads: Sequence[float | None]) -> bool:
    """Whether a column of winners tells all games as the points do, where these decide them."""
    told = ((one, lead) for one, lead in zip(won, leads, strict=True) if lead)
    return all(one is not None and lead * (one - 0.5) > 0.0 for one, lead in told)

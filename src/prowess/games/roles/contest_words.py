"""Headings of contests and of standings, in plain form: without case, spaces and separators."""

from __future__ import annotations

from prowess.games.values import plain_form
from prowess.games.vocabulary import SUBJECT_WORDS, split_heading
from prowess.games.words import WORDS_IN_ORDER, pairs_for, slots_for, words_for

POINTS = WORDS_IN_ORDER["heading_points"]
TIMES = WORDS_IN_ORDER["heading_time_taken"]
PLACE = WORDS_IN_ORDER["heading_place"]
CONTEST = WORDS_IN_ORDER["contest"]  # all that a table has tell its contests apart, with the date
TOTALS = words_for("total", "final_sum")
_MORE, _FEWER = slots_for("amounts")
MORE = _MORE | words_for("heading_points")
FEWER = _FEWER | words_for("heading_time_taken", "heading_place")
PLAYED = words_for("played_count")
GAMES = words_for("counted_thing")  # counted, where nothing else is told
STANDINGS = pairs_for("pair_of_sums")
SUMS = words_for("in_standings", "heading_points", "heading_place")  # beside those in standings
TASKS = words_for("task")  # what several are given to do, each once


def is_task(heading: str) -> bool:
    """Whether a heading is that of tasks or of judges: `question_id`, `prompt`, `judge`."""
    words = {*split_heading(heading)}
    whole = plain_form(heading) in TASKS  # data and set are words of other subjects
    return whole or (not words.isdisjoint(TASKS) and words <= TASKS | SUBJECT_WORDS["id"])

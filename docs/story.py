"""Draw the picture of the README: `python docs/story.py` writes docs/figures/story.svg."""

from __future__ import annotations

from datetime import date
from pathlib import Path

import prowess

ROOT = Path(__file__).parent.parent
GAMES = ROOT / "examples" / "international_football_results.csv.gz"
FIGURE = ROOT / "docs" / "figures" / "story.svg"
FIRST, LAST = date(2006, 1, 1), date(2026, 7, 19)
LOW, HIGH = 1600, 1950  # ratings at the edges of the panel
LEFT, TOP, WIDTH, HEIGHT = 56, 92, 770, 330
NATIONS = ("Germany", "Argentina", "Brazil", "Spain")  # the last is drawn above the others
TITLE = "Brazil led for most of twenty years; since 2024 Spain is ahead"
SUBTITLE = "Ratings of four of 337 nations, from 49,520 matches since 1872; nothing was tuned"
NOTES = {  # what happened, and where its text stands: (date, nation, text, x, y)
    "semi-final": (date(2014, 7, 8), "Brazil", "2014: Brazil 1–7 Germany", -10, -42),
    "final": (date(2026, 7, 19), "Spain", "2026 final: Spain 1–0 Argentina", 0, -66),
}
STYLE = """\
  text { font: 15px system-ui, sans-serif; fill: #334155 }
  .title { font-size: 23px; font-weight: 700; fill: #0f172a }
  .faint { fill: #64748b } line { stroke: #e2e8f0 } .leader { stroke: #64748b }
  path { fill: none; stroke-width: 2; stroke-linejoin: round }
  .Spain { stroke: #d1242f; stroke-width: 3.5 } text.Spain { fill: #d1242f }
  .Brazil { stroke: #1a7f37; stroke-width: 2.5 } text.Brazil { fill: #1a7f37 }
  .Argentina { stroke: #5b8def } text.Argentina { fill: #3f6fd1 }
  .Germany { stroke: #94a3b8 } text.Germany { fill: #64748b }
  text.name { stroke: none; font-weight: 600 } .mark { fill: #0f172a; stroke: none }
  @media (prefers-color-scheme: dark) {
    text { fill: #cbd5e1 } .title { fill: #f8fafc } .faint { fill: #94a3b8 }
    line { stroke: #334155 } .mark { fill: #f8fafc }
    .Spain { stroke: #ff7b80 } text.Spain { fill: #ff7b80 }
    .Brazil { stroke: #4cc26a } text.Brazil { fill: #4cc26a } text.Argentina { fill: #8fb3ff }
    text.Germany { fill: #a3b1c6 }
  }
"""


def place(day: date, rating: float) -> tuple[float, float]:
    """Where a rating on a day stands, in pixels."""
    along = (day - FIRST).days / (LAST - FIRST).days
    up = (rating - LOW) / (HIGH - LOW)
    return round(LEFT + along * WIDTH, 1), round(TOP + (1.0 - up) * HEIGHT, 1)


def read_ratings() -> dict[str, list[tuple[date, float]]]:
    """The ratings of each nation after its games, from the day before the first shown."""
    ratings = prowess.rate(prowess.read_games(GAMES, warn=False))
    found = {}
    for name in NATIONS:
        columns = ratings.history(name).to_columns()
        days = (date.fromisoformat(str(one)[:10]) for one in columns["date"])
        after = zip(days, map(float, columns["after"]), strict=True)
        found[name] = [(day, rating) for day, rating in after if day >= FIRST]
    return found


def draw(ratings: dict[str, list[tuple[date, float]]]) -> str:
    """The picture as SVG, which follows the reader's theme."""
    parts = [
        f'<text class="title" x="{LEFT}" y="36">{TITLE}</text>',
        f'<text class="faint" x="{LEFT}" y="62">{SUBTITLE}</text>',
    ]
    for rating in range(LOW, HIGH, 50):
        x, y = place(FIRST, rating)
        parts.append(f'<line x1="{x}" x2="{x + WIDTH}" y1="{y}" y2="{y}"/>')
        if rating % 100 == 0:
            parts.append(f'<text class="faint" x="{x - 44}" y="{y + 5}">{rating}</text>')
    for year in range(2006, 2027, 4):
        x, y = place(date(year, 1, 1), LOW)
        parts.append(f'<text class="faint" x="{x}" y="{y + 26}">{year}</text>')
    for name in NATIONS:
        points = " L".join(f"{x},{y}" for x, y in (place(*one) for one in ratings[name]))
        parts.append(f'<path class="{name}" d="M{points}"/>')
        x, y = place(LAST, ratings[name][-1][1])
        parts.append(f'<text class="{name} name" x="{x + 10}" y="{y + 5}">{name}</text>')
    for day, name, text, right, down in NOTES.values():
        x, y = place(*max(one for one in ratings[name] if one[0] <= day))
        anchor = "end" if x > LEFT + 0.7 * WIDTH else "middle"
        parts.append(f'<line class="leader" x1="{x}" x2="{x}" y1="{y}" y2="{y + down + 6}"/>')
        parts.append(f'<circle class="mark" cx="{x}" cy="{y}" r="5"/>')
        parts.append(f'<text text-anchor="{anchor}" x="{x + right}" y="{y + down}">{text}</text>')
    body = "\n".join(parts)
    return (
        '<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 930 470" role="img" '
        'aria-label="Ratings of Spain, Brazil, Argentina and Germany from 2006 to July 2026">\n'
        f"<style>\n{STYLE}</style>\n{body}\n</svg>\n"
    )


if __name__ == "__main__":
    FIGURE.write_text(draw(read_ratings()), encoding="utf-8")

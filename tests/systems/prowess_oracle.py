"""The system `prowess` the slow, obvious way: the equations of its docstring with floats and dicts.

It shares nothing with the engine. Numbers are logits, a setting of the bank is played at a time.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field
from math import ceil, exp, log, pi, sqrt
from typing import NamedTuple

REVERSIONS = (2e-5, 6e-5, 2e-4, 6e-4, 2e-3, 6e-3)
OF_GAMES = [(v, k) for v in (0.1, 0.2, 0.4, 0.8, 1.6, 3.2, 6.4) for k in REVERSIONS]
OF_CONTESTS = [(v, k) for v in (0.02, 0.05, 0.1, 0.2, 0.4, 0.8, 1.6) for k in REVERSIONS]


Named = tuple[tuple[str, ...], "Prior", float]  # a feature, and its x in a game
Tired = tuple[bool, bool] | None  # who of both played the day before; None: no side plays at home


def sigma(x: float) -> float:
    return 1.0 / (1.0 + exp(-x)) if x > -700.0 else 0.0


class Prior(NamedTuple):
    """What a feature starts with and how it changes while idle."""

    variance: float
    reversion: float
    walk: float = 0.0
    is_player: bool = False


@dataclass
class Feature:
    """A Gaussian belief, and when it was last seen."""

    prior: Prior
    mean: float
    variance: float
    seen: float

    def age(self, now: float) -> None:
        kept = exp(-self.prior.reversion * (now - self.seen))
        self.mean *= kept
        self.variance = self.prior.variance + (self.variance - self.prior.variance) * kept**2
        self.variance += self.prior.walk * (now - self.seen)
        self.seen = now


@dataclass
class Play:
    """A game: who played, what is known of it, and the result of the first player."""

    a: str
    b: str
    score: float
    day: float = 0.0
    side: float = 0.0
    league: str = ""
    margin: float | None = None
    context: str | None = None
    variant: str = ""
    family: tuple[str, str] | None = None


@dataclass
class Setting:
    """One setting of the bank, and what it knows."""

    variance: float
    reversion: float
    features: dict[tuple[str, ...], Feature] = field(default_factory=dict)
    level: float = 0.0
    slope: dict[str, list[float]] = field(default_factory=dict)  # value, sum of squares
    cuts: list[list[float]] = field(default_factory=list)
    log_weight: float = 0.0

    def feature(self, name: tuple[str, ...], prior: Prior, now: float) -> Feature:
        """A feature as it enters a game."""
        if name not in self.features:
            mean = self.level if prior.is_player else 0.0
            self.features[name] = Feature(prior, mean, prior.variance, now)
        self.features[name].age(now)
        return self.features[name]


def classes_of(plays: Sequence[Play]) -> tuple[list[int], int, bool]:
    """The signed class of each result, how many classes there are, and whether draws occur."""
    sign = [1 if one.score == 1.0 else -1 if one.score == 0.0 else 0 for one in plays]
    draws = any(one.score == 0.5 for one in plays)
    if plays[0].margin is None:
        return sign, 1, draws
    sizes = [abs(one.margin or 0.0) for one in plays]
    early = sorted(x for x in sizes[: ceil(0.2 * len(plays))] if x > 0.0)
    if all(x == int(x) for x in sizes) and sum(early) / len(early) <= 3.0:
        size = [min(max(int(x), 1), 5) for x in sizes]
    else:
        cut = sorted({quantile(early, k / 8) for k in range(1, 8)})
        if early.count(early[0]) / len(early) < 1 / 8:
            cut = [x for x in cut if x > early[0]]
        size = [1 + sum(x >= c for c in cut) for x in sizes]
    return [s * k for s, k in zip(sign, size, strict=True)], max(size), draws


def quantile(values: Sequence[float], share: float) -> float:
    """Of sorted values, linear between neighbours."""
    at = share * (len(values) - 1)
    low = int(at)
    high = min(low + 1, len(values) - 1)
    return values[low] + (values[high] - values[low]) * (at - low)


def features_of(one: Play, setting: Setting, tired: Tired) -> list[Named]:
    """(name, prior, x) of every feature of a game."""
    v, k = setting.variance, setting.reversion
    player = Prior(v * (0.1 if one.family else 1.0), k, 0.0, True)
    found: list[Named] = [((one.a,), player, 1.0), ((one.b,), player, -1.0)]
    if one.side:
        found.append((("side", one.league), Prior(0.1, 0.0, 1e-5), one.side))
        has = one.a if one.side > 0.0 else one.b
        found.append((("own side", has), Prior(0.02, 2e-4), one.side))
    if tired is not None:  # its clock begins with the table
        found.append((("rest",), Prior(0.05, 0.0, 1e-6), float(tired[1] - tired[0])))
    if one.context is not None:
        offset = Prior(0.15 * min(v, 1.0), k)
        found.append((("context", one.a, one.context), offset, 1.0))
        found.append((("context", one.b, one.context), offset, -1.0))
    if one.family and one.family[0] != one.family[1]:
        found.append((("family", one.family[0]), Prior(v, k), 1.0))
        found.append((("family", one.family[1]), Prior(v, k), -1.0))
    return found


def cut_at(cuts: Sequence[Sequence[float]], j: int) -> float:
    """c_j for any whole j: c_-j = -c_(j-1), and infinite beyond the highest class."""
    if j < 0:
        return -cut_at(cuts, -j - 1)
    return cuts[j][0] if j < len(cuts) else 1e9


def play(setting: Setting, one: Play, r: int, draws: bool, tired: Tired) -> tuple[float, float]:
    """The chances of win and draw before a game, which then teaches the setting."""
    named = [
        (setting.feature(name, prior, one.day), x)
        for name, prior, x in features_of(one, setting, tired)
    ]
    d = sum(x * f.mean for f, x in named)
    kappa = 1.0 / sqrt(1.0 + pi * sum(x * x * f.variance for f, x in named) / 8.0)
    slope = setting.slope.setdefault(one.variant, [1.0, 1.0])
    half = setting.cuts[0][0]
    win = sigma(slope[0] * kappa * (d - half))
    loss = sigma(slope[0] * kappa * (-d - half))
    draw = max(1.0 - win - loss, 1e-9) if draws else 0.0
    upper, lower = (sigma(kappa * (cut_at(setting.cuts, j) - d)) for j in (r, r - 1))
    g = kappa * (upper + lower - 1.0)
    information = kappa**2 * (upper * (1.0 - upper) + lower * (1.0 - lower))
    if draws:
        won, lost, loss = kappa * (d - half), kappa * (-d - half), 1.0 - win - draw
        climb = {
            1: (1.0 - win) * won,
            -1: (1.0 - loss) * lost,
            0: -(win * (1.0 - win) * won + loss * (1.0 - loss) * lost) / draw,
        }[(r > 0) - (r < 0)]
    else:
        climb = (one.score - win) * kappa * d
    teach_cuts(setting, r, draws, kappa, upper, lower)
    slope[1] += climb**2
    slope[0] = min(max(slope[0] + 0.05 * climb / sqrt(slope[1]), 0.3), 3.0)
    players = [(f, x) for f, x in named if f.prior.is_player]
    unknown = sum(x * f.variance / f.prior.variance for f, x in players)
    for f, x in named:
        f.mean += f.variance * x * g
        f.variance /= 1.0 + f.variance * x * x * information
    setting.level += 0.05 * unknown * g
    return win, draw


def teach_cuts(
    setting: Setting, r: int, draws: bool, kappa: float, upper: float, lower: float
) -> None:
    """AdaGrad on the cut points above and below the result, one after the other."""
    likelihood = max(upper - lower, 1e-9)
    cuts = setting.cuts
    for j, chance, sign in ((r, upper, 1.0), (r - 1, lower, -1.0)):
        at = j if j >= 0 else -j - 1
        if at >= len(cuts) or (at == 0 and not draws):
            continue
        climb = sign * kappa * chance * (1.0 - chance) / likelihood * (1.0 if j >= 0 else -1.0)
        cuts[at][1] += climb**2
        moved = cuts[at][0] + min(max(0.03 * climb / sqrt(cuts[at][1]), -0.1), 0.1)
        low = 0.01 if at == 0 else cuts[at - 1][0] + 0.02
        high = 1e9 if at == len(cuts) - 1 else cuts[at + 1][0] - 0.02
        cuts[at][0] = min(max(moved, low), high)


def tired_players(plays: Sequence[Play]) -> list[Tired]:
    """Who of both played the day before, where the table has sides."""
    last: dict[str, float] = {}
    found: list[Tired] = []
    for one in plays:
        pair = (one.day - last.get(one.a, -9.0) == 1.0, one.day - last.get(one.b, -9.0) == 1.0)
        found.append(pair if any(each.side for each in plays) else None)
        last[one.a] = last[one.b] = one.day
    return found


def mix(settings: Sequence[Setting], values: Sequence[float]) -> float:
    """The mean by the weights of the bank."""
    top = max(s.log_weight for s in settings)
    weights = [exp(s.log_weight - top) for s in settings]
    return sum(w * x for w, x in zip(weights, values, strict=True)) / sum(weights)


def rate_games(
    plays: Sequence[Play], grid: Sequence[tuple[float, float]] = OF_GAMES
) -> tuple[list[tuple[float, float]], list[Setting]]:
    """(chance of a win, of a draw) of every game before it, and the settings after all."""
    results, count, draws = classes_of(plays)
    early = [abs(r) for r in results[: ceil(0.2 * len(plays))]]
    share = [sum(r <= j for r in early) / len(early) for j in range(count)]
    share = [min(max(x, 1e-3), 1.0 - 1e-3) for x in share]
    settings = [Setting(v, k) for v, k in grid]
    for s in settings:
        s.cuts = [[1.3 * log((1.0 + x) / (1.0 - x)), 1e-2] for x in share]
        if not draws:
            s.cuts[0][0] = 0.0
    forecasts = []
    for one, r, tired in zip(plays, results, tired_players(plays), strict=True):
        chances = [play(s, one, r, draws, tired) for s in settings]
        forecasts.append(
            (mix(settings, [w for w, _ in chances]), mix(settings, [d for _, d in chances]))
        )
        for s, (win, draw) in zip(settings, chances, strict=True):
            right = win if one.score == 1.0 else 1.0 - win - draw if one.score == 0.0 else draw
            s.log_weight = 0.9998 * s.log_weight + log(max(right, 1e-12))
    return forecasts, settings


class Race(NamedTuple):
    """A contest: names, places, the day, and what each has beside them, such as a car."""

    names: Sequence[str]
    places: Sequence[float]
    day: float
    cars: Sequence[str] | None = None


def race(setting: Setting, one: Race) -> list[float]:
    """The share of the field that each beats, before a contest, which then teaches the setting."""
    n, f = len(one.names), 3.0 / (len(one.names) + 1.0)
    own = setting.variance * (0.5 if one.cars else 1.0)
    prior = Prior(own, setting.reversion, 0.0, True)
    sides = [[("player", name)] for name in one.names]
    if one.cars:
        sides = [[*side, ("car", car)] for side, car in zip(sides, one.cars, strict=True)]
    for name in {name for side in sides for name in side}:
        setting.feature(name, prior._replace(is_player=name[0] == "player"), one.day)
    known = setting.features
    slope = setting.slope.setdefault("", [1.0, 1.0])
    g, information, shares = [0.0] * n, [0.0] * n, [0.0] * n
    climb = fit = 0.0
    for i in range(n):
        for j in range(n):
            if i == j:
                continue
            apart = set(sides[i]) ^ set(sides[j])
            kappa = 1.0 / sqrt(1.0 + pi * sum(known[name].variance for name in apart) / 8.0)
            gap = sum(known[x].mean for x in sides[i]) - sum(known[x].mean for x in sides[j])
            behind, ahead = one.places[j], one.places[i]
            score = 1.0 if ahead < behind else 0.0 if ahead > behind else 0.5
            p, win = sigma(kappa * gap), sigma(slope[0] * kappa * gap)
            g[i] += f * kappa * (score - p)
            information[i] += f * kappa**2 * p * (1.0 - p)
            shares[i] += win / (n - 1)
            if i < j:
                climb += 2.0 * f / n * (score - win) * kappa * gap
                fit += f * (
                    score * log(max(win, 1e-12)) + (1.0 - score) * log(max(1.0 - win, 1e-12))
                )
    slope[1] += climb**2
    slope[0] = min(max(slope[0] + 0.05 * climb / sqrt(slope[1]), 0.3), 3.0)
    unknown = [known[side[0]].variance / own for side in sides]
    surprise = sum(u * x for u, x in zip(unknown, g, strict=True))
    setting.level += 0.05 * surprise / max(1.0, sum(unknown) / 2.0)
    for name in {name for side in sides for name in side}:
        on = [i for i in range(n) if name in sides[i]]
        known[name].mean += known[name].variance * sum(g[i] for i in on)
        known[name].variance /= 1.0 + known[name].variance * sum(information[i] for i in on)
    setting.log_weight = 0.9998 ** (f * n * (n - 1) / 2.0) * setting.log_weight + fit
    return shares


def rate_races(
    races: Sequence[Race], grid: Sequence[tuple[float, float]] = OF_CONTESTS
) -> tuple[list[float], list[Setting]]:
    """The share of the field that each side beats, before each contest, and the settings."""
    settings = [Setting(v, k) for v, k in grid]
    forecasts = []
    for one in races:
        weights = [Setting(0.0, 0.0, log_weight=s.log_weight) for s in settings]
        shares = [race(s, one) for s in settings]
        forecasts += [mix(weights, beaten) for beaten in zip(*shares, strict=True)]
    return forecasts, settings

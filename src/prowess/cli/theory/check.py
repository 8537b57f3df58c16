"""`prowess theory check`: does a win probability, or an update, fulfil what the theory asks?"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import click

from prowess.cli.exits import NO
from prowess.cli.output import json_option
from prowess.cli.rating import settings, system_names
from prowess.cli.theory.chosen import chosen, scale_option

if TYPE_CHECKING:
    from prowess.theory.properties import PropertyCheck
    from prowess.theory.wp import WinProbability

REQUIRED = {"defined", "symmetric", "rising", "differentiable", "limits"}
DYNAMIC = {"WSC", "SSC", "error decrease"}
MATCHES = (2, 3)  # points of the matches tried


@click.command("check", short_help="Does a win probability, or an update, fulfil the theory?")
@click.argument("name", metavar="[WP]", required=False)
@click.option("--h", type=float, metavar="H", help="Also judge the update dyn(x) = H wp(-x).")
@click.option(
    "--system", "-s", metavar="NAME", shell_complete=system_names,
    help="Instead of WP: judge the forecast and the update of a rating system.",
)  # fmt: skip
@click.option(
    "--set", "params", multiple=True, metavar="NAME=VALUE", callback=settings,
    help="Another value for a parameter of the system.",
)  # fmt: skip
@click.option(
    "--rating", "known", multiple=True, metavar="NAME=VALUE", callback=settings,
    help="What a newcomer of the system begins with instead, such as deviation=50.",
)  # fmt: skip
@click.option("--widest", type=float, metavar="X", help="The largest difference looked at.")
@scale_option
@json_option
def command(
    name: str | None,
    h: float | None,
    system: str | None,
    params: dict[str, str],
    known: dict[str, str],
    widest: float | None,
    scale: float | None,
    as_json: bool,
) -> int:
    """Look at every property on a grid and say in words which fails where.

    WP as in `prowess theory wp`; FILE.py:FUNCTION judges a function of yours. Ends with 1 when a
    property fails that the theory needs: symmetric, rising, differentiable, limits, and for updates
    WSC, SSC and error decrease.
    """
    from prowess.cli.output import json_text, put

    if (name is None) == (system is None):
        raise click.UsageError("give a WP or --system, one of them")
    if (params or known) and system is None:
        raise click.UsageError("--set and --rating are for a --system")
    if widest is not None and not 0.0 < widest < float("inf"):
        raise click.UsageError(f"--widest {widest:g} is not above 0")
    if h is not None and (system is not None or not 0.0 < h < float("inf")):
        raise click.UsageError("--h is a number above 0, for a WP: a system has its own")
    if system is None:
        needed, told = judged(chosen(name or "", scale), h, widest)
    else:
        needed, told = judged_system(system, params, numbers(known), widest)
    fulfilled = all(one.holds for one in needed)
    data = {
        "judged": system or name,
        "fulfils": fulfilled,
        "needed": [plain(one) for one in needed],
        "told": [plain(one) for one in told],
    }
    put(json_text(data) if as_json else page(data))
    return 0 if fulfilled else NO


def judged(
    wp: WinProbability, h: float | None, widest: float | None
) -> tuple[list[PropertyCheck], list[PropertyCheck]]:
    """What is needed and what is good to know of a win probability."""
    from prowess.theory.properties import (
        COMPOSITION_LAWS,
        check_ahead_match,
        check_assumptions,
        check_composition,
        check_first_to_match,
    )
    from prowess.theory.updates import check_update, update_function

    found = list(check_assumptions(wp, widest))
    if found[0].name != "defined":
        found.append(tail_of(wp))
        found += [
            check_composition(wp, law, f"{name} law") for name, law in COMPOSITION_LAWS.items()
        ]
        found += [check_ahead_match(wp, n) for n in MATCHES]
        found += [check_first_to_match(wp, n) for n in MATCHES]
        if h is not None:
            found += check_update(update_function(h, wp), wp, widest)
    return split(found)


def numbers(known: dict[str, str]) -> dict[str, float]:
    """What stands in --rating, as numbers."""
    try:
        return {name: float(text) for name, text in known.items()}
    except ValueError as error:
        raise click.UsageError(f"--rating: {error}") from None


def judged_system(
    system: str, params: dict[str, str], known: dict[str, float], widest: float | None
) -> tuple[list[PropertyCheck], list[PropertyCheck]]:
    """What is needed and what is good to know of a system's forecast and update."""
    from prowess.engine.params import settings as settled
    from prowess.engine.system import Dynamic
    from prowess.systems.catalogue import find
    from prowess.theory.properties import check_assumptions
    from prowess.theory.updates import NotAnUpdate, check_update, update_of

    value = find(system)
    if not isinstance(value, Dynamic):
        raise click.UsageError(f"{value.name} has no update after a game; a dynamic system has one")
    try:
        wp, dyn = update_of(value, settled(value, params), known)
    except NotAnUpdate as error:
        raise click.UsageError(str(error)) from None
    found = list(check_assumptions(wp, widest))
    if found[0].name != "defined":
        found += [tail_of(wp), *check_update(dyn, wp, widest)]
    return split(found)


def tail_of(wp: WinProbability) -> PropertyCheck:
    """The exponential tail as a finding."""
    from prowess.theory.properties import PropertyCheck
    from prowess.theory.wp import tail

    try:
        found = tail(wp)
    except ValueError as error:
        return PropertyCheck("exponential tail", False, str(error))
    return PropertyCheck("exponential tail", found.exponential, found.says)


def split(found: list[PropertyCheck]) -> tuple[list[PropertyCheck], list[PropertyCheck]]:
    """What the theory needs, and the rest."""
    needed = REQUIRED | DYNAMIC
    return [one for one in found if one.name in needed], [
        one for one in found if one.name not in needed
    ]


def plain(one: PropertyCheck) -> dict[str, Any]:
    """A finding as plain data."""
    at = None if one.at is None else list(one.at)
    return {"name": one.name, "holds": one.holds, "says": one.says, "at": at}


def page(data: dict[str, Any]) -> str:
    """The same for people."""
    from prowess.cli.table import drawn

    def table(rows: list[dict[str, Any]]) -> str:
        body = [[row["name"], "yes" if row["holds"] else "NO", row["says"]] for row in rows]
        return drawn([["name", "holds", "value"], *body])

    verdict = "fulfils" if data["fulfils"] else "does not fulfil"
    parts = [f"{data['judged']} {verdict} what the theory needs", table(data["needed"])]
    if data["told"]:
        parts += ["Good to know", table(data["told"])]
    return "\n\n".join(parts)

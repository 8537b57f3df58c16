"""A page about a rated table: what was played, who is best, how sure that is, how right it was.

from prowess.present.report import report

page = report(ratings, title="Our league")
page.to_html()
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from prowess.present.report.about import Report, own_forecasts, report

__all__ = ["Report", "own_forecasts", "report"]


def __getattr__(name: str) -> Any:
    if name not in __all__:
        raise AttributeError(f"module 'prowess.present.report' has no attribute {name!r}")
    from prowess.present.report import about

    return getattr(about, name)


def __dir__() -> list[str]:
    return sorted({*globals(), *__all__})

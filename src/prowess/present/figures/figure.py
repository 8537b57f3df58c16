"""What every figure is: a frozen value with a title, a description, plain data, and a drawing."""

from __future__ import annotations

from abc import ABC, abstractmethod
from base64 import b64encode
from dataclasses import dataclass
from typing import Any

from prowess.present.figures.marks import element, escaped
from prowess.present.figures.theme import Theme, paper, style

WIDTH = 720.0  # pixels of a screen; a phone takes about 340


@dataclass(frozen=True)
class Drawing:
    """Marks as SVG text and the size in pixels that they need."""

    width: float
    height: float
    marks: str


class Figure(ABC):
    """Data, what they mean in words, and how they are drawn at a width.

    Nothing is drawn before somebody asks, and nothing is saved.
    """

    @property
    @abstractmethod
    def title(self) -> str:
        """What is shown, in a few words."""

    @property
    @abstractmethod
    def description(self) -> str:
        """What is to be seen, for those who cannot see it, and how to read it."""

    @property
    @abstractmethod
    def data(self) -> list[dict[str, Any]]:
        """The numbers behind the figure at full precision, one dict a mark."""

    @abstractmethod
    def drawn(self, width: float) -> Drawing:
        """The marks at a width in pixels."""

    def picture(self, width: float = WIDTH, class_: str = "figure") -> str:
        """The figure for a page that has the style sheet of `theme` and shows the description."""
        drawing = self.drawn(width)
        return element(
            "svg", drawing.marks, class_=class_, role="img", aria_label=self.title,
            viewBox=f"0 0 {drawing.width:g} {drawing.height:g}",
            width=drawing.width, height=drawing.height,
        )  # fmt: skip

    def to_svg(self, width: float = WIDTH, theme: Theme = "both") -> str:
        """The figure as an SVG file; `both` follows light or dark of the reader's device."""
        drawing = self.drawn(width)
        ground = element("rect", width="100%", height="100%", fill=paper("light"), class_="ground")
        return element(
            "svg",
            element("title", escaped(self.title)),
            element("desc", escaped(self.description)),
            f"<style>{style(theme)}.figure .ground{{fill:{paper(theme)}}}</style>",
            ground,
            drawing.marks,
            xmlns="http://www.w3.org/2000/svg", class_="figure", role="img",
            aria_label=self._words(), viewBox=f"0 0 {drawing.width:g} {drawing.height:g}",
            width=drawing.width, height=drawing.height,
        )  # fmt: skip

    def to_png(self, width: float = WIDTH, scale: float = 2.0, theme: Theme = "light") -> bytes:
        """The figure as a PNG image of `scale` dots a pixel; needs the extra `report`.

        Raises ModuleNotFoundError without it, Undrawable where the computer has no font.
        """
        from prowess.present.figures.raster import raster

        return raster(self.to_svg(width, "light" if theme == "both" else theme), scale)

    def _words(self) -> str:
        return f"{self.title}. {self.description}"

    def _repr_html_(self) -> str:
        """For notebooks: an image, so that no style of the notebook and the figure mix."""
        image = b64encode(self.to_svg().encode()).decode()
        return element("img", src=f"data:image/svg+xml;base64,{image}", alt=self._words())

"""SVG to PNG by resvg: one small wheel, no library of the system, no network."""

from __future__ import annotations

from functools import cache

from prowess.present.figures.refusal import Undrawable

PROBE = '<svg xmlns="http://www.w3.org/2000/svg" width="40" height="20">{}</svg>'


def raster(svg: str, scale: float) -> bytes:
    """The image as PNG, `scale` dots a pixel; raises as `Figure.to_png` says."""
    try:
        from resvg_py import svg_to_bytes
    except ModuleNotFoundError:
        raise ModuleNotFoundError(
            "PNG images need resvg: pip install 'prowess[report]', or write .svg instead"
        ) from None
    if not writes():
        raise Undrawable(
            "this computer has no font, so a PNG image would lack all words: install one, such as "
            "the package fonts-dejavu-core, or write .svg instead"
        )
    return bytes(svg_to_bytes(svg_string=svg, zoom=scale, font_family="sans-serif"))


@cache
def writes() -> bool:
    """Whether words leave a trace, which they do not where no font is found."""
    from resvg_py import svg_to_bytes

    word = PROBE.format('<text x="2" y="15" font-family="sans-serif">Hx</text>')
    return bytes(svg_to_bytes(svg_string=word)) != bytes(svg_to_bytes(svg_string=PROBE.format("")))

"""What the owner of a site sets: name, logo, accent colour, words of the first page, imprint.

Everything is kept as text, as it was given; pages get two files, the logo and a style sheet.
No text is HTML, and no picture can run a script.
"""

from __future__ import annotations

import re
import struct
from base64 import b64decode, b64encode
from binascii import Error as NotBase64
from collections.abc import Callable, Sequence
from functools import lru_cache
from math import atan2, ceil, cos, degrees, hypot, radians, sin
from typing import NamedTuple
from urllib.parse import urlsplit
from xml.etree import ElementTree as ET

from prowess.games.arguments import BadArgument
from prowess.present.rendering import PAGE_COLOURS, scheme_rules, split_links

MAX_LINKS, LINK_LETTERS, ADDRESS_LETTERS = 5, 40, 500
TEXT_LETTERS = 5_000  # of the first page, of the imprint
LOGO_BYTES, LOGO_PIXELS = 64 << 10, 2_048  # pixels each way
BRAND_KINDS = {"css": "text/css; charset=utf-8", "png": "image/png", "svg": "image/svg+xml",
               "webp": "image/webp"}  # fmt: skip


class Brand(NamedTuple):
    """What an owner sets for a whole site; "" is what a site has until an owner changes it."""

    name: str = ""
    accent: str = ""  # #rrggbb
    logo: str = ""  # a data URL of a PNG, WebP or SVG
    home: str = ""  # on the first page; paragraphs, see `split_text`
    links: str = ""  # at the foot of every page; a line each: words, then an address
    imprint: str = ""  # a page that every footer leads to; as `home`


NO_BRAND = Brand()


@lru_cache(8)
def brand_files(brand: Brand) -> dict[str, bytes]:
    """The files that pages of a brand load, by name: `logo.svg`, `accent.css`."""
    found = {}
    if brand.logo:
        kind, content = decode_logo(brand.logo)
        found[f"logo.{kind}"] = content
    if brand.accent:
        light, dark = (
            ";".join(f"--{name}:{pair[k]}" for name, pair in derive_colours(brand.accent).items())
            for k in (0, 1)
        )
        found["accent.css"] = scheme_rules(light, dark).encode()
    return found


def link_brand_files(brand: Brand, address: Callable[[str, bytes], str]) -> dict[str, str]:
    """The addresses of the `logo` and of the sheet of the `accent`; "" where there is none."""
    found = {name.partition(".")[0]: address(name, one) for name, one in brand_files(brand).items()}
    return {"logo": "", "accent": ""} | found


# Words: plain text in which addresses are links (`split_text`).


HIDDEN_LETTER = re.compile(
    r"[\x00-\x09\x0b-\x1f\x7f-\x9f\xad\u034f\u061c\u115f\u1160\u17b4\u17b5\u180b-\u180f"
    r"\u200b-\u200f\u2028-\u202e\u2060-\u206f\u2800\u3164\ufeff\uffa0\ufff9-\ufffb]"
)


def check_lines(text: str) -> str:
    """A text of several lines without what is not seen; raises BadArgument."""
    text = re.sub(r"\r\n?", "\n", text).replace("\t", " ").strip()
    if (unseen := HIDDEN_LETTER.search(text)) is not None:
        raise BadArgument.of("bad_letter", letter=ord(unseen.group()))
    if len(text) > TEXT_LETTERS:
        raise BadArgument.of("too_long.site_text", most=TEXT_LETTERS, letters=len(text))
    return text


def check_links(text: str) -> str:
    """Lines of words and an address; raises BadArgument."""
    text = check_lines(text)
    found = split_links(text)
    if len(found) > MAX_LINKS:
        raise BadArgument.of("too_many_links", most=MAX_LINKS, count=len(found))
    for words, address in found:
        if not words or len(words) > LINK_LETTERS:
            link = f"{words} {address}".strip()
            raise BadArgument.of("bad_link.words", most=LINK_LETTERS, link=link)
        if len(address) > ADDRESS_LETTERS or not is_address(address):
            raise BadArgument.of("bad_link.address", address=address)
    return text


def is_address(text: str) -> bool:
    """Whether a text is an address of the web or of mail."""
    try:
        parts = urlsplit(text)
        web = parts.scheme in ("http", "https") and bool(parts.hostname) and parts.port != 0
    except ValueError:
        return False
    return (web or (parts.scheme == "mailto" and "@" in parts.path)) and text.isprintable()


# The accent: one colour for light and dark, moved until words in it can be read.


READABLE = 4.5  # contrast of words to their ground (W3C, WCAG 2.2, 1.4.3)
LIGHTNESS_STEP = 0.004  # of lightness
WARM = (20.0, 100.0)  # degrees of hue: beside them the second colour of charts is blue
BLUE = ("#2f6fd0", "#6ea8ff")
GREY = 0.03  # chroma below which a colour has no hue
PAGE_GROUNDS = ("paper", "bg", "sunken")
# In light and dark: lightness and most chroma of tinted grounds, how much words differ, the way.
TINT = ((0.955, 0.018, -0.03, -LIGHTNESS_STEP), (0.27, 0.055, 0.04, LIGHTNESS_STEP))


def check_accent(text: str) -> str:
    """A colour as `#rrggbb`; raises BadArgument."""
    text = text.strip().lower()
    if re.fullmatch(r"#[0-9a-f]{3}", text):
        text = "#" + "".join(2 * digit for digit in text[1:])
    if text and not re.fullmatch(r"#[0-9a-f]{6}", text):
        raise BadArgument.of("bad_colour", text=text[:40])
    return text


@lru_cache(32)
def derive_colours(accent: str) -> dict[str, tuple[str, str]]:
    """The colours of pages that an accent replaces, in light and in dark.

    Source: lightness, chroma and hue are those of B. Ottosson, "A perceptual color space for image
    processing" (2020). Lightness moves until the contrast to all grounds is `READABLE`.

    >>> derive_colours("#3451d1")["data"][0]
    '#3451d1'
    """
    lightness, chroma, hue = to_lch(accent)
    found: dict[str, tuple[str, str]] = {}
    schemes: list[dict[str, str]] = []
    for k, (tint, most, ink, step) in enumerate(TINT):
        grounds = [PAGE_COLOURS[name][k] for name in PAGE_GROUNDS]
        ground = to_hex(tint, min(chroma, most), hue)
        start = accent
        if k == 1 and contrast(accent, grounds[-1]) < READABLE:
            start = to_hex(max(lightness, 0.74), min(chroma, 0.14), hue)
        data = move_to_contrast(start, [*grounds, ground], step)
        at, colour, _ = to_lch(data)
        words = move_to_contrast(to_hex(at + ink, colour, hue), [*grounds, ground], step)
        schemes.append({"data": data, "accent-ink": words, "accent-soft": ground})
    for name in schemes[0]:
        found[name] = schemes[0][name], schemes[1][name]
    if chroma > GREY and WARM[0] <= hue <= WARM[1]:
        found["more"] = BLUE
    return found


def describe_accent(accent: str) -> str:
    """What is said of an accent that cannot be read as it is; "" of one that can."""
    said = []
    for k, colour in enumerate(derive_colours(accent)["data"]):
        if colour != accent:
            least = min(contrast(accent, PAGE_COLOURS[name][k]) for name in PAGE_GROUNDS)
            said.append(f"{('light', 'dark')[k]} pages show {colour} (contrast {least:.1f})")
    if not said:
        return ""
    return f"Words in {accent} are hard to read on some grounds: {' and '.join(said)}."


def move_to_contrast(colour: str, grounds: Sequence[str], step: float) -> str:
    """The colour itself, or the nearest lighter or darker one that can be read on the grounds."""
    lightness, chroma, hue = to_lch(colour)
    while min(contrast(colour, one) for one in grounds) < READABLE and 0.0 < lightness < 1.0:
        lightness += step
        colour = to_hex(lightness, chroma, hue)
    return colour


def contrast(one: str, other: str) -> float:
    """The contrast of two colours, 1 to 21 (W3C, WCAG 2.2).

    >>> contrast("#ffffff", "#000000")
    21.0
    """
    lights = sorted(
        sum(w * part for w, part in zip((0.2126, 0.7152, 0.0722), to_linear(c), strict=True))
        for c in (one, other)
    )
    return (lights[1] + 0.05) / (lights[0] + 0.05)


def to_linear(colour: str) -> list[float]:
    """The light of red, green and blue of `#rrggbb`, 0 to 1."""
    parts = [int(colour[k : k + 2], 16) / 255 for k in (1, 3, 5)]
    return [one / 12.92 if one <= 0.04045 else ((one + 0.055) / 1.055) ** 2.4 for one in parts]


def to_lch(colour: str) -> tuple[float, float, float]:
    """Lightness (0 to 1), chroma and hue (degrees) of `#rrggbb`."""
    r, g, b = to_linear(colour)
    long = (0.4122214708 * r + 0.5363325363 * g + 0.0514459929 * b) ** (1 / 3)
    middle = (0.2119034982 * r + 0.6806995451 * g + 0.1073969566 * b) ** (1 / 3)
    short = (0.0883024619 * r + 0.2817188376 * g + 0.6299787005 * b) ** (1 / 3)
    x = 1.9779984951 * long - 2.4285922050 * middle + 0.4505937099 * short
    y = 0.0259040371 * long + 0.7827717662 * middle - 0.8086757660 * short
    lightness = 0.2104542553 * long + 0.7936177850 * middle - 0.0040720468 * short
    return lightness, hypot(x, y), degrees(atan2(y, x)) % 360.0


def to_hex(lightness: float, chroma: float, hue: float) -> str:
    """`#rrggbb` of a colour; one that no screen shows loses chroma."""
    x, y = chroma * cos(radians(hue)), chroma * sin(radians(hue))
    long = (lightness + 0.3963377774 * x + 0.2158037573 * y) ** 3
    middle = (lightness - 0.1055613458 * x - 0.0638541728 * y) ** 3
    short = (lightness - 0.0894841775 * x - 1.2914855480 * y) ** 3
    lights = (
        4.0767416621 * long - 3.3077115913 * middle + 0.2309699292 * short,
        -1.2684380046 * long + 2.6097574011 * middle - 0.3413193965 * short,
        -0.0041960863 * long - 0.7034186147 * middle + 1.7076147010 * short,
    )
    if chroma > 0.001 and not all(-0.001 <= one <= 1.001 for one in lights):
        return to_hex(lightness, 0.97 * chroma, hue)
    shares = [min(max(one, 0.0), 1.0) for one in lights]
    parts = [12.92 * s if s <= 0.0031308 else 1.055 * s ** (1 / 2.4) - 0.055 for s in shares]
    return "#" + "".join(f"{round(255 * one):02x}" for one in parts)


# The logo: a picture that runs nothing and loads nothing.


SVG = "{http://www.w3.org/2000/svg}"
DRAWING_ELEMENT = re.compile(  # the elements that draw, and nothing else
    "svg|g|path|rect|circle|ellipse|line|polyline|polygon|text|tspan|defs|use|symbol|title|desc|"
    "metadata|style|(linear|radial)Gradient|stop|clipPath|mask|pattern|marker|filter|switch|"
    "fe(Blend|ColorMatrix|Composite|Flood|GaussianBlur|Merge|MergeNode|Offset)"
)
INERT_SPACES = (  # of what drawing programs note beside a drawing
    "{http://www.inkscape.org/", "{http://sodipodi.sourceforge.net/", "{http://www.w3.org/1999/02/",
    "{http://creativecommons.org/", "{http://web.resource.org/cc/", "{http://purl.org/dc/",
)  # fmt: skip
LOADS = re.compile(  # also what a drawing of another program names without url()
    r"url\((?!\s*['\"]?#)|image(-set)?\(|src\(|@import|javascript:|expression\(|\\", re.IGNORECASE
)


def encode_logo(content: bytes) -> str:
    """A picture as a data URL; raises BadArgument for one that is no logo."""
    if len(content) > LOGO_BYTES:
        size = ceil(len(content) / 1024)
        raise BadArgument.of("logo_too_large.bytes", most=LOGO_BYTES >> 10, size=size)
    if content.startswith(b"\x89PNG\r\n\x1a\n"):
        kind, sides = "png", struct.unpack(">II", content[16:24].ljust(8, b"\0"))
        whole = content[12:16] == b"IHDR" and b"IEND" in content[-16:]
    elif content[:4] == b"RIFF" and content[8:12] == b"WEBP":
        kind, sides = "webp", measure_webp(content)
        whole = int.from_bytes(content[4:8], "little") + 8 <= len(content)
    else:
        check_drawing(content)
        kind, sides, whole = "svg", (1, 1), True
    if not whole or not all(sides):
        raise BadArgument.of("bad_logo.damaged")
    if max(sides) > LOGO_PIXELS:
        width, height = sides
        raise BadArgument.of("logo_too_large.pixels", most=LOGO_PIXELS, width=width, height=height)
    return f"data:{BRAND_KINDS[kind]};base64,{b64encode(content).decode()}"


def check_logo(url: str) -> str:
    """The data URL of a logo, which may be empty; raises BadArgument."""
    return encode_logo(decode_logo(url)[1]) if url else ""


def decode_logo(url: str) -> tuple[str, bytes]:
    """The kind of a logo as its file ends (`svg`) and its bytes, of a data URL."""
    head, _, data = url.partition(";base64,")
    kind = next((k for k, media in BRAND_KINDS.items() if head == f"data:{media}"), "")
    try:
        content = b64decode(data, validate=True)
    except (NotBase64, ValueError):
        kind, content = "", b""
    if kind not in ("png", "webp", "svg"):
        raise BadArgument.of("bad_logo.url")
    return kind, content


def measure_webp(content: bytes) -> tuple[int, int]:
    """Width and height of a WebP picture; zeros where it does not say."""
    form, body = content[12:16], content[20:30]
    if len(body) < 10:
        return 0, 0
    if form == b"VP8X":
        return 1 + int.from_bytes(body[4:7], "little"), 1 + int.from_bytes(body[7:10], "little")
    if form == b"VP8L" and body[0] == 0x2F:
        bits = int.from_bytes(body[1:5], "little")
        return 1 + (bits & 0x3FFF), 1 + (bits >> 14 & 0x3FFF)
    if form == b"VP8 " and body[3:6] == b"\x9d\x01\x2a":
        wide, high = struct.unpack("<HH", body[6:10])
        return wide & 0x3FFF, high & 0x3FFF
    return 0, 0


def check_drawing(content: bytes) -> None:
    """Raise BadArgument unless an SVG drawing runs no script and loads nothing.

    It has only elements and attributes that draw; what is not known is refused.
    """
    text = content.decode("utf-8-sig", "replace")
    if "<!ENTITY" in text.upper() or "<?xml-stylesheet" in text:
        raise BadArgument.of("unsafe_logo", what="entities or a style sheet")
    try:
        tree = ET.fromstring(text)
    except (ET.ParseError, ValueError):
        tree = ET.Element("none")
    if tree.tag != f"{SVG}svg":
        raise BadArgument.of("bad_logo.kind")
    for one in tree.iter():
        space, _, name = str(one.tag).rpartition("}")
        draws = f"{space}}}" == SVG and DRAWING_ELEMENT.fullmatch(name)
        if not (draws or space.startswith(INERT_SPACES)):
            raise BadArgument.of("unsafe_logo", what=f"<{name}>")
        if name == "style" and LOADS.search("".join(one.itertext())):
            raise BadArgument.of("unsafe_logo", what="styles that load something")
        for label, value in one.items():
            local = label.rpartition("}")[2].lower()
            if local.startswith("on"):
                raise BadArgument.of("unsafe_logo", what=local)
            if local == "href" and not value.startswith("#"):
                raise BadArgument.of("unsafe_logo", what=f"{local}={value[:40]!r}")
            if not label.startswith(INERT_SPACES) and LOADS.search(value):
                raise BadArgument.of("unsafe_logo", what=f"{local}={value[:40]!r}")


SITE_CHECKS = {
    "accent": check_accent, "logo": check_logo, "home": check_lines, "links": check_links,
    "imprint": check_lines,
}  # fmt: skip

"""The owner's site: name, logo, colour, words; what could harm a reader is refused."""

from __future__ import annotations

import struct
import zlib
from base64 import b64encode
from io import BytesIO
from typing import Any

import pytest
from click.testing import CliRunner
from starlette.testclient import TestClient

from prowess.cli.commands import prowess as command
from prowess.games.arguments import BadArgument
from prowess.live.api.middleware import ServerSettings
from prowess.live.journal.journal import Journal
from prowess.live.journal.registry import read_brand
from prowess.live.store.backup import write_backup
from prowess.live.store.reading import open_to_read
from prowess.present.brand import (
    LOGO_BYTES,
    PAGE_GROUNDS,
    SITE_CHECKS,
    Brand,
    check_accent,
    derive_colours,
    describe_accent,
    encode_logo,
)
from prowess.present.rendering import PAGE_COLOURS, split_text
from tests.live.house import housed, signed_in
from tests.live.pages.club import Elements, unsafe
from tests.live.whole import secret, whole
from tests.refusals import refused

SVG = b'<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 8 8"><path d="M0 0h8v8z"/></svg>'
WORDS = "Tuesdays, 19:00.\n\nRead [the rules](https://club.example/rules) <b>first</b>."


def png(wide: int = 8, high: int = 8) -> bytes:
    """A black picture, by the PNG specification (W3C, third edition)."""

    def chunk(kind: bytes, data: bytes) -> bytes:
        return (
            struct.pack(">I", len(data)) + kind + data + struct.pack(">I", zlib.crc32(kind + data))
        )

    head = struct.pack(">IIBBBBB", wide, high, 8, 0, 0, 0, 0)
    rows = zlib.compress((b"\0" + b"\0" * wide) * high)
    return b"\x89PNG\r\n\x1a\n" + chunk(b"IHDR", head) + chunk(b"IDAT", rows) + chunk(b"IEND", b"")


@pytest.fixture
def house(sqlite_url):
    """A server with a keeper who is signed in, and a stranger."""
    with housed(sqlite_url) as one:
        yield one


def change(client, logo=None, *, removed=False, **fields):
    """Send the form of the site as a browser does, and press the button of its preview.

    `removed`: with the tick that removes the logo, which stands below the picture.
    """
    address = "/admin/changes/change-site"
    data = {"csrf": Elements(client.get("/admin/categories").text).field("csrf"), **fields}
    files: list[Any] = [] if logo is None else [("logo", ("logo", BytesIO(logo)))]
    files += [("logo", (None, ""))] * removed
    answer = client.post(address, data=data, files=files)
    if answer.status_code != 200:
        return answer
    assert unsafe(answer.text) == []
    page = Elements(answer.text)
    sent = {one["name"]: [fields[one["name"]]] for one in page.of("textarea")}
    for one in page.of("input"):
        if one.get("type") == "hidden":
            sent.setdefault(one["name"], []).append(one["value"])
    assert client.post(address, data=sent).status_code == 200
    return answer


def test_an_owner_makes_the_site_theirs(house):
    """Logo, colour, words, links and imprint stand on the pages; the diary tells."""
    words = {"home": WORDS, "imprint": "A. Body\n1 Mill Lane"}
    links = "The club https://club.example"
    seen = change(house.keeper, SVG, name="Northgate", accent="#0B7557", links=links, **words)
    assert "#66bf9d" in seen.text  # what dark pages show is said before it is done
    home = house.stranger.get("/").text
    assert '<a href="https://club.example/rules">the rules</a> &lt;b&gt;first' in home
    assert '<a href="https://club.example">The club</a>' in home
    assert "1 Mill Lane" in house.stranger.get("/imprint").text
    (logo,) = [one["src"] for one in Elements(home).of("img")]
    answer = house.stranger.get(logo)
    assert (answer.content, answer.headers["content-type"]) == (SVG, "image/svg+xml")
    assert "sandbox" in answer.headers["content-security-policy"]
    change(house.keeper, name="", **words)  # it has the name of the server again
    assert house.journal.registry.brand.name == ""
    (sheet,) = [one["href"] for one in Elements(home).of("link") if "accent" in one["href"]]
    assert "--data:#0b7557" in house.stranger.get(sheet).text
    assert "logo and home" in house.keeper.get("/admin").text
    assert "change_site" in house.keeper.get("/admin/audit").text
    told = house.stranger.get("/api/v1/site").json()
    assert (told["accent"], told["home"]) == ("#0b7557", WORDS)


def test_what_is_left_alone_stays_and_what_is_emptied_goes(house):
    """A form without a new picture keeps the logo; a tick removes it; empty words are gone."""
    change(house.keeper, png(), name="N", home="Hello", imprint="Me")
    change(house.keeper, name="N", home="", imprint="Me", accent="", links="")
    brand = house.journal.registry.brand
    assert (brand.home, brand.imprint, brand.logo[:15]) == ("", "Me", "data:image/png;")
    change(
        house.keeper, SVG, removed=True, name="N", imprint="Me"
    )  # the preview has shown the new one
    assert house.journal.registry.brand.logo == encode_logo(SVG)
    token = {"Authorization": f"Bearer {secret(house.journal, 'admin')}"}
    put = house.stranger.put("/api/v1/site", json={"logo": ""}, headers=token)
    assert put.status_code == 200
    assert house.journal.registry.brand == Brand("N", imprint="Me")
    assert house.stranger.get("/imprint").status_code == 200


def test_the_brand_outlives_the_server_and_is_in_backups(house, tmp_path):
    """A new server, a backup and `prowess site --brand` have the same logo, colour and words."""
    change(house.keeper, SVG, name="Northgate", accent="#c8102e", home="Hello", imprint="Me")
    brand = house.journal.registry.brand
    write_backup(house.journal.store, tmp_path / "copy.db")
    address = f"sqlite:///{tmp_path / 'copy.db'}"
    with open_to_read(address) as store, store.read() as connection:
        assert read_brand(connection) == brand
    games = tmp_path / "games.csv"
    games.write_text("player_a,player_b,score\nAnn,Ben,1\nBen,Cid,1\n")
    words = ["site", str(games), "-o", str(tmp_path / "p"), "--brand", str(tmp_path / "copy.db")]
    assert CliRunner().invoke(command, words).exit_code == 0
    front = (tmp_path / "p" / "index.html").read_text()
    assert "<bdi>Northgate</bdi>" in front
    assert "Hello" in front
    assert (tmp_path / "p" / "static" / "logo.svg").read_bytes() == SVG
    assert "#c8102e" in (tmp_path / "p" / "static" / "accent.css").read_text()
    assert "Me" in (tmp_path / "p" / "imprint.html").read_text()


def test_a_private_site_shows_strangers_nothing(sqlite_url):
    """Neither the pages nor the files of the owner are open to those who are not signed in."""
    with whole(sqlite_url, ServerSettings(private=True)) as (app, journal):
        keeper, stranger = (TestClient(app, raise_server_exceptions=False) for _ in range(2))
        assert signed_in(keeper, secret(journal, "admin")).status_code == 303
        change(keeper, SVG, name="Secret", accent="#c8102e", home="Within", imprint="Me",
               links="Inner https://inner.example")  # fmt: skip
        for path in ("/", "/imprint", "/brand/logo.svg", "/brand/accent.css", "/login", "/nowhere"):
            answer = stranger.get(path)
            assert SVG not in answer.content
            assert "brand" not in str([one["href"] for one in Elements(answer.text).of("link")])
            for word in ("c8102e", "Within", "inner.example", "<img"):
                assert word not in answer.text, path


HOSTILE = (  # within an SVG
    "<script>alert(1)</script>", "<g onload='alert(1)'/>", "<foreignObject/>",
    "<a href='javascript:alert(1)'><path/></a>", "<image href='https://x.example/a.png'/>",
    "<use href='https://x.example/a.svg#a'/>", "<style>@import 'https://x.example'</style>",
    "<rect fill='url(https://x.example/a)'/>", "<rect fill='u\\72l(https://x.example/a)'/>",
    "<style>a<g/>{fill:url(//x.example)}</style>", "<rect fill='url( \t&quot;//x.example)'/>",
    "<style>g{mask:image-set('http://x.example/a' 1x)}</style>",
    "<h:script xmlns:h='http://www.w3.org/1999/xhtml'/>",
    "<animate attributeName='href' to='javascript:1'/>",
)  # fmt: skip
OPEN = '<svg xmlns="http://www.w3.org/2000/svg">'
DRAWINGS = (
    *(f"{OPEN}{one}</svg>".encode() for one in HOSTILE),
    f'<!DOCTYPE svg [<!ENTITY a "b">]>{OPEN}&a;</svg>'.encode(),
    f'<?xml-stylesheet href="https://x.example"?>{OPEN}</svg>'.encode(),
)


@pytest.mark.parametrize("drawing", DRAWINGS)
def test_a_drawing_that_does_more_than_draw_is_refused(drawing):
    """A script, a foreign page, what loads something: the error says what to save."""
    with refused(BadArgument, "unsafe_logo"):
        encode_logo(drawing)


@pytest.mark.parametrize(
    ("content", "code"),
    [
        (b"GIF89a", "bad_logo"), (b"", "bad_logo"), (b"<html/>", "bad_logo"),
        (png()[:30], "bad_logo"), (b"RIFF\x10\0\0\0WEBPVP8 ", "bad_logo"),
        (b"\xff\xfe<\0", "bad_logo"), (png(4000, 1), "logo_too_large"),
        (b" " * (LOGO_BYTES + 1), "logo_too_large"),
    ],
)  # fmt: skip
def test_other_files_are_refused(content, code):
    """Another format, a cut file, too many bytes or pixels."""
    with refused(BadArgument, code):
        encode_logo(content)


def test_pictures_of_programs_are_taken():
    """PNG, the three forms of WebP (RFC 9649), and SVG with the notes of a drawing program."""
    for form, body in (
        (b"VP8X", bytes(4) + b"\x07\0\0\x07\0\0"), (b"VP8L", b"\x2f\x07\xc0\x01\0" + bytes(5)),
        (b"VP8 ", b"\0\0\0\x9d\x01\x2a\x08\0\x08\0"),
    ):  # fmt: skip
        data = form + struct.pack("<I", len(body)) + body
        assert encode_logo(b"RIFF" + struct.pack("<I", len(data) + 4) + b"WEBP" + data)
    inkscape = SVG.replace(
        b"<path",
        b'<metadata xmlns:i="http://www.inkscape.org/namespaces/inkscape" i:path="C:\\a"/>'
        b"<style>path{fill:url(#a);mask:url('#a')}</style>"
        b'<path style="fill:#fff" fill="url( #a )" clip-path="url(&quot;#a&quot;)"',
    )
    for one in (png(), SVG, inkscape, b'<!DOCTYPE svg PUBLIC "-//W3C//DTD SVG 1.1//EN" "a">' + SVG):
        assert SITE_CHECKS["logo"](encode_logo(one)) == encode_logo(one)
    with refused(BadArgument, "bad_logo"):
        SITE_CHECKS["logo"]("data:text/html;base64," + b64encode(SVG).decode())


def light(colour: str) -> float:
    """Relative luminance, by the definition of WCAG 2.2."""
    parts = [int(colour[k : k + 2], 16) / 255 for k in (1, 3, 5)]
    linear = [c / 12.92 if c <= 0.04045 else ((c + 0.055) / 1.055) ** 2.4 for c in parts]
    return 0.2126 * linear[0] + 0.7152 * linear[1] + 0.0722 * linear[2]


def test_every_accent_can_be_read():
    """Of any colour: 4.5 to all grounds and on a button, in light and dark (WCAG 2.2, 1.4.3)."""
    for red in range(0, 256, 51):
        for green in range(0, 256, 51):
            for blue in range(0, 256, 51):
                accent = f"#{red:02x}{green:02x}{blue:02x}"
                found = derive_colours(accent)
                for k in (0, 1):
                    grounds = [PAGE_COLOURS[name][k] for name in (*PAGE_GROUNDS, "on-accent")]
                    for name in ("data", "accent-ink"):
                        for ground in (*grounds, found["accent-soft"][k]):
                            pair = sorted((light(found[name][k]), light(ground)))
                            assert (pair[1] + 0.05) / (pair[0] + 0.05) >= 4.5, (accent, name, k)
    assert derive_colours("#0b7557")["data"][0] == "#0b7557"  # one that can be read stays
    assert "#ffcc00" in describe_accent("#ffcc00")
    assert check_accent(" #ABC ") == "#aabbcc"
    assert derive_colours("#c8102e")["more"][0] == "#2f6fd0"  # two reds would be one


@pytest.mark.parametrize(
    ("field", "text", "code"),
    [
        ("accent", "red", "bad_colour"), ("accent", "#12345g", "bad_colour"),
        ("accent", "#fff;}*{", "bad_colour"), ("home", "a\x00b", "bad_letter"),
        ("home", "a\u202eb", "bad_letter"), ("imprint", "\u2060\xad", "bad_letter"),
        ("imprint", "x" * 5_001, "too_long"),
        ("links", "Club javascript:alert(1)", "bad_link"), ("links", "Club", "bad_link"),
        ("links", "https://club.example", "bad_link"), ("links", "Club http://[::1", "bad_link"),
        ("links", "Club https://a b", "bad_link"), ("links", "x" * 41 + " https://a", "bad_link"),
        ("links", "a https://a\n" * 6, "too_many_links"),
    ],
)  # fmt: skip
def test_bad_fields_are_refused(field, text, code):
    """The error says what to give."""
    with refused(BadArgument, code):
        SITE_CHECKS[field](text)


def test_words_are_never_code():
    """Only addresses of the web and of mail become links, and they hold no quote."""
    text = (
        '[x](javascript:alert(1)) [y](mailto:a@b.example) https://a.example/"><b>. [z](https://c)'
    )
    (parts,) = split_text(text)
    assert [address for _, address in parts if address] == [
        "mailto:a@b.example", "https://a.example/", "https://c",
    ]  # fmt: skip


def test_a_refused_picture_is_said_on_a_page(house):
    """The keeper sees why, on a page also where nothing of it is read; nothing is changed."""
    answer = change(house.keeper, png() + bytes(LOGO_BYTES), name="N")
    assert (answer.status_code, "up to 64 kB: this one has 65" in answer.text) == (422, True)
    answer = house.keeper.post(
        "/admin/changes/change-site", files={"logo": ("logo", BytesIO(bytes(2 << 20)))},
        headers={"Accept": "text/html"},
    )  # fmt: skip
    assert (answer.status_code, "Choose a smaller file" in answer.text) == (413, True)
    answer = change(house.keeper, DRAWINGS[0], name="N")
    assert (answer.status_code, house.journal.registry.brand) == (422, Brand())
    assert "plain SVG" in answer.text


def test_a_store_of_before_has_its_name(tmp_path):
    """The name that an earlier version kept is the name of the brand."""
    with whole(f"sqlite:///{tmp_path / 'a.db'}") as (_, journal):
        assert isinstance(journal, Journal)
        journal.store.writer.do(
            lambda c: c.exec_driver_sql("INSERT INTO setting VALUES ('site_name', 'Old')")
        )
        with journal.store.read() as connection:
            assert read_brand(connection) == Brand("Old")

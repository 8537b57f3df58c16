"""Short tables in the encodings of programs and countries, told apart by their letters."""

from __future__ import annotations

import io

import pytest

from prowess.games import BadData, read_games
from prowess.games.formats.delimited import csv_table
from prowess.games.formats.encodings import find_encoding, guess_encoding
from tests.refusals import refused

WESTERN = (
    "Müller Weiß", "Jürgen", "René François", "Peña Muñoz", "Søren Kjær Ødegaard", "Bøe Dæhlie",
    "João Conceição Simões", "Gonçalves Ibáñez", "Sjögren Åberg", "Guðmundsson Þór Sigurðsson",
    "Hélène Bérénice", "Niccolò Cantù", "Benoît Têtu", "O’Brien D’Angelo", "Põld Mõtus Käärik",
    "½-½", "Atlético Cádiz Málaga", "Vålerenga Tromsø Strømsgodset", "Köln Fürth Nürnberg",
    "Mönchengladbach", "Deportivo Coruña", "Saint-Étienne", "Académica Guimarães Paços",
    "IFK Göteborg Brommapojkarna Östersund", "København Brøndby Nordsjælland", "Zoë Raphaël",
    "Éric Müller-Lüdenscheidt", "Sebastián Báez Fernández", "Vitória Avaí Criciúma Grêmio",
    "Jokerit Ässät Kärpät", "Víkingur Fylkir Þróttur", "Curaçao Réunion São Tomé", "Égypte",
)  # fmt: skip
CENTRAL = (
    "Łukasz Świątek Gżegżółka", "Wałęsa", "Dvořák Čech", "Černý Svobodová", "Kovačić Petrović",
    "Djoković Đoković", "Szőke Erdős Győri", "Řehoř Přemysl Jiří", "Zięba Dębski Kaczmarek",
    "Kraków Wisła Śląsk", "Zaręba Kowalski Wiśniewska", "Škoda Žižka Šťastný", "Brătianu Ştefan",
    "Ľuboš Tóth Kučera", "Plzeň Liberec Jablonec Teplice", "Modrić Rakitić Perišić",
    "Jagiellonia Białystok Zagłębie Lubin", "Bohemians Slovácko Hradec Králové Zlín Bačkora",
    "Žilina Trenčín Dunajská Streda", "Ferencváros Újpest Győr Fehérvár", "Rijeka Varaždin Šibenik",
    "Olimpija Celje Gorica Koper Mežek Rogaška", "Piątek Szczęsny Błaszczykowski",
    "Hamšík Škriniar Ľupták", "Vlahović Milinković-Savić",
)  # fmt: skip
CASES = [
    *(("cp1252", text) for text in WESTERN), *(("cp1250", text) for text in CENTRAL),
    ("iso8859_2", "Świątek Wiśniewska Żak"), ("iso8859_2", "Šťastný Žižka Škoda"),
    ("cp1254", "Yıldız Şahin Çalhanoğlu İbrahim"), ("cp1254", "Beşiktaş Fenerbahçe Başakşehir"),
    ("cp1251", "Иванов Петров Сидоров"), ("cp1251", "Шахтар Динамо Металіст"),
    ("mac_roman", "Müller José François"), ("cp850", "Müller Jürgen Weiß"), ("cp850", "Björn"),
    ("cp1253", "Γιώργος Παπαδόπουλος Ολυμπιακός"), ("shift_jis", "田中さん 鈴木 佐藤 高橋"),
    ("gb18030", "王伟 李娜 张敏 刘洋"), ("euc_kr", "김민수 이서연 박지훈"),
]  # fmt: skip


def write_names(text: str, encoding: str) -> bytes:
    """A table whose players have these names."""
    names = text.split()
    rows = [f"{name},Ann,1" for name in names]
    return "\n".join(["home,away,result", *rows, ""]).encode(encoding)


def test_encodings_by_letters():
    """A few names tell their encoding: their letters are those of a language and stand as there."""
    wrong = []
    for encoding, text in CASES:
        data = write_names(text, encoding)
        found = guess_encoding(data)
        if found is None or data.decode(found) != data.decode(encoding):
            wrong.append(f"{text} ({encoding}): {found}")
    assert not wrong


@pytest.mark.parametrize("encoding", ["cp1252", "cp1250"])
def test_the_guess_is_said(encoding):
    """The lines of a reading say the encoding with a name that shows it; the option decides."""
    data = write_names("Łukasz Świątek" if encoding == "cp1250" else "Jürgen René", encoding)
    games = read_games(io.BytesIO(data), format="csv")
    assert f'read as {encoding}, such as "{games.players[0]}"' in games.reading.look_at
    other = read_games(io.BytesIO(data), format="csv", encoding="latin-1")
    assert not any("read as" in line for line in other.reading.look_at)


@pytest.mark.parametrize("declared", ["windows-1250", "", "utf-9"])
def test_pages_in_other_encodings(declared):
    """A page is read in the encoding that it declares, or else in one that is guessed."""
    meta = f'<meta charset="{declared}">' if declared else ""
    page = (
        f"<html>{meta}<table><tr><th>home<th>away<th>result<tr><td>Łódź<td>Wisła<td>1-0"
        "<tr><td>Wisła<td>Śląsk<td>1-0</table>"
    )
    games = read_games(io.BytesIO(page.encode("cp1250")), format="html")
    assert games.players == ["Łódź", "Wisła", "Śląsk"]
    assert bool(games.reading.look_at) == (declared != "windows-1250")


@pytest.mark.parametrize(
    "encoding",
    ["punycode", "idna", "unicode_escape", "raw_unicode_escape", "utf_7", "base64", "rot13", "zlib",
     "undefined", "utf-8\0", "\0", "../utf-8", "x" * 10_000, "\ud7ff", "charmap", "uu", "bz2",
     "mbcs"],
)  # fmt: skip
def test_encodings_that_are_none(encoding):
    """An encoding that is none of text is refused, whatever the file holds."""
    with refused(BadData, "unknown_encoding"):
        find_encoding(encoding)


@pytest.mark.parametrize(("blank", "lines"), [("", 0), ("\n", 1), ("\r\n\r\n", 2), ("\n\r\n\r", 3)])
def test_line_of_the_headings(blank, lines):
    """Blank lines above the headings count, of whatever ends they are."""
    table = csv_table("games.csv", f"{blank}a,b,score\nAnn,Ben,1\n")
    assert table.heading == lines + 1
    (chunk,) = table.chunks(["a"])
    assert chunk.line(0) == lines + 2

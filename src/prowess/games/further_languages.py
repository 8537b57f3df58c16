"""Words of headings in languages of northern, eastern and southern Europe, without accents.

Swedish, Danish, Norwegian, Finnish, Czech, Slovak, Hungarian, Romanian, Croatian, Turkish,
Russian (also in Latin letters), Ukrainian.
"""

from __future__ import annotations

from collections.abc import Mapping

FURTHER_SIDES = {
    "home": (
        "hemma hemmalag hjemme hjemmehold hjemmelag koti kotijoukkue domaci hazai gazde domacin "
        "evsahibi хозяева дома khozyaeva hozyaeva"
    ),
    "away": (
        "borta bortalag ude udehold borte bortelag vieras vierasjoukkue hoste hostia vendeg "
        "oaspeti gosti deplasman konuk гости госты"
    ),
    "white": (
        "vit vita hvid hvit valkea valkoinen valkoiset bily bile biely bieli vilagos feher alb "
        "albe bijeli beli beyaz белые белыи belye belyye belyj bili"
    ),
    "black": (
        "svart svarta sort musta mustat cerny cerne cierny cierni sotet fekete negru negre crni "
        "siyah черные черныи chernye chernyye chornye chorni"
    ),
    "winner": (
        "vinnare vinder vinner voittaja vitez vitaz gyoztes castigator pobjednik kazanan "
        "победитель pobeditel"
    ),
    "loser": (
        "forlorare taber taper haviaja porazeny vesztes pobijedeni kaybeden проигравшии "
        "proigravshiy"
    ),
    "opponent": "motstandare modstander motstander vastustaja souper ellenfel rakip соперник",
}  # fmt: skip
FURTHER_SUBJECTS = {
    "player": (
        "spelare spiller pelaaja joukkue hrac druzstvo jatekos csapat jucator echipa igrac oyuncu "
        "takim игрок команда igrok komanda deltagare deltager osallistuja"
    ),
    "points": (
        "poang mal maalit pisteet goly branky golok pontok puncte goluri bodovi golovi puan очки "
        "голы ochki"
    ),
    "result": "tulos vysledek vysledok skore eredmeny rezultat sonuc skor счет результат schet",
    "date": "dato pvm paivamaara tarih datoen дата",
    "round": "omgang rond kierros kolo fordulo etapa tur тур",
    "place": "plats plass sijoitus umisteni poradi helyezes locul mjesto sira место mesto",
}  # fmt: skip


def join_words(words: Mapping[str, str], further: Mapping[str, str]) -> dict[str, str]:
    """The words of each meaning in all languages."""
    return {meaning: f"{known} {further.get(meaning, '')}" for meaning, known in words.items()}

"""Words of headings in eight languages, and what a heading means by its words.

A heading is split into words without case and accents: `Tore Heim`, `heim_tore`, `HeimTore` and
`Heimtore` have the same two. Each word means a side (home, the first, the winner, ...), a subject
(a player, points, a date, ...), or nothing of use; a heading of other subjects is spoiled: `Heim
Rating` is neither a player nor points.
"""

from __future__ import annotations

import unicodedata
from collections.abc import Collection
from functools import cache, lru_cache
from typing import NamedTuple

from prowess.games.further_languages import FURTHER_SIDES, FURTHER_SUBJECTS, join_words
from prowess.games.patterns import lazy_pattern

_SIDES = {  # English, German, French, Spanish, Italian, Portuguese, Dutch, Polish
    "home": (
        "home h hometeam host hosts heim heimteam heimmannschaft heimverein gastgeber domicile dom "
        "recevant receveur locaux local locales anfitrion casa mandante mandantes visitado "
        "visitados visitada recoit recevante receveuse accueillant ospitante ospitanti hosting "
        "anfitriao thuis thuisploeg thuisclub gospodarz gospodarze gospodarzy gosp"
    ),
    "away": (
        "away awayteam visitor visitors visiting guest guests gast gaste gaeste gastteam "
        "gastmannschaft gastverein auswarts auswaerts ausw exterieur exterieure ext visiteur "
        "visiteurs visitante visitantes visita ospite ospiti trasferta fora uit uitploeg uitclub "
        "gasten gosc goscie gosci goscia visiteuse visiteuses forasteiro"
    ),
    "white": (
        "white whites weiss blanc blancs blancas blanca bianco bianchi brancas branco wit biale "
        "bialy bialymi"
    ),
    "black": (
        "black blacks schwarz noir noirs negras negra nero neri pretas negro zwart czarne czarny "
        "czarnymi"
    ),
    "first": (
        "1 a one first erster erste premier primero primo primeiro eerste pierwszy left links "
    ),
    "second": (
        "2 b two second zweiter zweite deuxieme segundo secondo tweede drugi right rechts"
    ),
    "blue": "blue blau bleu azul blu blauw niebieski",
    "red": "red rot rouge rojo rosso vermelho rood czerwony",
    "zero": "0 zero",
    "radiant": "radiant",
    "dire": "dire",
    "winner": (
        "champion champions champ meister "
        "winner winners winning w sieger siegerin gewinner gagnant gagnants vainqueur vainqueurs "
        "ganador ganadores ganadora vencedor vencedores vencedora vincitore vincitori vincente "
        "winnaar zwyciezca zwyciezcy chosen preferred"
    ),
    "loser": (
        "runnerup finalist vizemeister loser losers losing l verlierer verliererin perdant "
        "perdants vaincu vaincus perdedor perdedores perdedora perdente perdenti sconfitto "
        "verliezer przegrany przegrani rejected dispreferred"
    ),
    "opponent": (
        "opponent opponents opp opposition gegner gegnerin gegenspieler adversaire rival oponente "
        "contrincante adversario avversario avversaria avversari tegenstander przeciwnik against "
        "conceded allowed contre contra subiti sofridos tegen stracone gegentore kassiert "
        "encaisses"
    ),
}  # fmt: skip
_SUBJECTS = {
    "player": (
        "contender generator item doppel doubles pareja parejas paar paire coppia dupla para title "
        "fighters player players p team teams name names club clubs side bot bots engine engines "
        "model models agent agents competitor contestant participant fighter wrestler driver rider "
        "racer runner handle user username nickname spieler spielerin mannschaft verein teilnehmer "
        "teilnehmerin fahrer fahrerin joueur joueuse joueurs equipe equipes nom participante "
        "jugador jugadora jugadores equipo equipos nombre concursante giocatore giocatrice squadra "
        "nome partecipante concorrente jogador jogadora time clube speler speelster ploeg naam "
        "deelnemer zawodnik zawodniczka gracz druzyna nazwa zespol klub imie nazwisko uczestnik "
        "pair pairs summoner gamertag solver algorithm algo llm policy "
        "submission tm entrant laufer laeufer lauferin runners helm boat boats swimmer athlete "
        "athletes pilot skipper crew coureur nageur atleta corredor cyclist schwimmer segler duo "
        "golfer golfers skier jockey rower shooter fencer climber biker reiter reiterin "
        "schutze schuetze schutzin bogenschutze sportschutze skifahrer skilaufer ruderer "
        "kegler keglerin cavalier cavaliere jinete amazone ruiter jezdziec tireur tireuse "
        "tiratore tirador atirador schutter strzelec nageuse nadador nadadora nuotatore "
        "nuotatrice zwemmer zwemster plywak plywaczka coureuse corredora ciclista cycliste "
        "wielrenner kolarz skieur skieuse sciatore sciatrice esquiador golfeur golfeuse "
        "golfista golfspeler pilote pilota piloto kierowca lopers loper biegacz biegaczka "
        "podista sailor rameur remero rematore arciere arquero lucznik lutteur judoka fechter "
        "fechterin escrimeur schermidore kartfahrer atleet zeiler zeglarz gymnast "
        "archer archere bowler boxeador boxer boxerin boxeur combattant debater kaempfer kampfer "
        "lottatore luchador lutador pugile rikishi szermierz vechter zapasnik"
    ),
    "points": (
        "bp mp g imp imps vp vps reward rewards gegentore score scores goal goals point points pts "
        "runs punkte pkt tore tor treffer ergebnis resultat buts but pointage goles gol puntos "
        "tantos anotacion marcador punti reti rete gols pontos placar golos doelpunten doelpunt "
        "punten bramki bramka gole punkty punktow wynik fulltime ft resultado risultato punteggio "
        "caramboles karambolagen holz pins ringe augen stammpunkte"
    ),
    "games": "games juegos jeux giochi jogos gemy",
    "sets": (
        "set sets satze saetze satz legs leg frames frame maps mapscore manches manche sety mapas "
        "mappe mapy rounds partien sezione"
    ),
    "result": (
        "result results outcome outcomes res ergebnis resultat resultats ausgang spielstand "
        "endstand resultado resultados marcador risultato risultati esito punteggio placar uitslag "
        "eindstand wynik rezultat score scoreline final finalscore endergebnis signo segno"
    ),
    "verdict": (
        "verdict vote choice preference preferencia judgment judgement label decision urteil "
        "wahl votum vote choix eleccion scelta escolha keuze wybor better best pref"
    ),
    "overall": "overall",
    "date": (
        "date datetime timestamp tstamp datum spieldatum spieltermin jour dia fecha fechas giorno "
        "data dag dzien termin tag utcdate gespieltam"
    ),
    "clock": (
        "anwurf spielbeginn spielzeit time clock kickoff uhrzeit zeit beginn anstoss anpfiff heure "
        "horaire hora horario ora orario tijd aanvang godzina czas uhr start"
    ),
    "year": "year jahr annee ano anno jaar rok",
    "month": "month monat mois mes mese maand miesiac",
    "day": "day tag jour dia giorno dag dzien",
    "round": (
        "round rd rnd gw gameweek gamweek matchweek matchday week runde spieltag durchgang tour "
        "journee ronde ronda jornada fecha turno giornata rodada speelronde speeldag runda kolejka "
        "etap stage jorn jor jda giorn rod spt kol rde jee mw md"
    ),
    "season": "season saison spielzeit temporada stagione seizoen sezon",
    "league": (
        "league division div competition tournament tourney event cup liga staffel klasse gruppe "
        "turnier wettbewerb ligue championnat tournoi coupe competicion torneo campeonato copa "
        "campionato girone torneio competitie toernooi poule rozgrywki turniej puchar pool"
    ),
    "place": (
        "place position rank rnk pl pos placing finish platz platzierung rang classement puesto "
        "lugar posicion clasificacion posizione classifica posicao colocacao plaats positie "
        "ranglijst miejsce pozycja lokata arrivee arrivo llegada chegada aankomst zieleinlauf "
        "placement"
    ),
    "draw": (
        "draw draws drawn tie tied remis unentschieden nul nuls egalite empate empates pareggio "
        "gelijk gelijkspel"
    ),
    "weight": "weight gewichtung ponderation poids peso ponderacion wagi waga wegingsfactor",
    "neutral": "neutral neutre neutro neutraal neutralny neutralne",
    "match": (
        "match matches game games fixture partie spiel begegnung paarung ansetzung rencontre "
        "affiche duel partido encuentro partita incontro gara partida jogo confronto wedstrijd "
        "mecz spotkanie pairing matchup battle bout fight juego gioco gra partia episode"
    ),
    "occasion": (
        "session sesion sessao sessione sitzung meeting treffen night evening abend soiree noche "
        "noite sera serata avond wieczor race rennen lauf course carrera carreira corrida corsa "
        "gara regata regatta regate heat wyscig bieg event lobby contest episode "
        "wettkampf wettbewerb bewerb concours concurso concorso wedstrijddag"
    ),
    "id": "id no nr num number nummer numero key uid uuid lfd code ident",
    "short": "abbreviation abbr abbrev short tla tricode kurz kurzel kurzname acronym",
}  # fmt: skip
SIDES, SUBJECTS = join_words(_SIDES, FURTHER_SIDES), join_words(_SUBJECTS, FURTHER_SUBJECTS)
SPOILING = (  # words of other subjects
    "elo rating ratings rated dwz glicko mmr deviation ranking rk seed seeding seeded odds quote "
    "quoten cote cuota quota prob probability chance expected xg xga predicted prediction forecast "
    "half ht halftime halbzeit hz mitemps mt descanso medio intervalo intervallo rust przerwa "
    "pause quarter q1 q2 q3 q4 period overtime ot extra penalties penalty pens pen elfmeter shots "
    "shot shutout possession corners corner fouls foul yellow cards card booking offsides saves "
    "tackles assists assist rebounds reb ast fg fga fg3 tov stl blk hits errors innings kills "
    "deaths kda gold age alter edad eta height hand ioc country nation nationality land pays pais "
    "kraj federation fed titel city stadt town venue stadium ground arena halle ort platzanlage "
    "spielort lieu stade lugar estadio stadio campo sede stadion hala attendance crowd zuschauer "
    "spectators affluence asistencia spettatori publico toeschouwers widzowie referee "
    "schiedsrichter arbitre arbitro juiz scheidsrechter sedzia coach trainer manager captain "
    "bemerkung bemerkungen anmerkung notes note comment comments kommentar remarque observaciones "
    "opmerking uwagi rest days last previous prev next form streak record wins losses diff "
    "difference delta change gd tiebreak tb move moves opening eco termination url uri link prompt "
    "response answer text color colour farbe birth born geburt geburtsdatum registered joined "
    "update updated modified export exported scraped retrieved email mail phone telefon license "
    "lizenz toss coin serve serves server served starter starting starts begins bats batting "
    "batted aufschlag anspiel saque battuta"
)
SPOILERS = frozenset(SPOILING.split())
FILLERS = (
    "of the der die das des de du la le les el los las il lo i gli do da dos di del della van het "
    "od qui che que utc local est cet gmt full final end endgultig total won lost gewonnen "
    "gewonnene verloren played at on am ist was is in and und et y e en"
)
FAMILIES = (  # pairs of sides
    ("home", "away"), ("white", "black"), ("winner", "loser"), ("blue", "red"), ("red", "blue"),
    ("white", "blue"), ("radiant", "dire"), ("zero", "first"), ("first", "second"),
)  # fmt: skip
LETTER_OF = {"red": "r", "blue": "b"}  # a letter that may stand for a side, where both do
SIDED = frozenset({("home", "away"), ("white", "black")})
WEAK = frozenset(
    {"zero", "first", "second"}
)  # their letters and numbers stand beside other sides, too
ANSWERS = frozenset({"response", "answer", "text"})  # of which a judge says that one is better
BESIDE_OTHERS = frozenset({"player", "match"})  # subjects that another one in a heading overrules
SHORTEST = 3  # letters of a word within a compound such as Heimtore
_LETTERS = str.maketrans({"ł": "l", "Ł": "L", "ø": "o", "Ø": "O", "ß": "ss", "æ": "ae", "đ": "d"})
_SPLIT = lazy_pattern(r"[A-Z]+(?![a-z])|[A-Z]?[a-z]+|[0-9]+|[^\W\d_]+|½")
_FOR = frozenset(["for", "pour", "favor", "fatti", "voor", "own", "eigene", "zdobyte", "pro"])


class HeadingMeaning(NamedTuple):
    """What a heading means by its words: sides and subjects, of which a word may have several."""

    name: str
    words: tuple[str, ...]
    sides: frozenset[str]
    subjects: frozenset[str]
    unknown: int  # words that mean nothing known
    spoiled: bool  # it has a word of another subject

    def is_of(self, subject: str) -> bool:
        """Whether the heading may mean this subject."""
        return subject in self.subjects and not self.spoiled

    @property
    def vague(self) -> int:
        """How little the heading is understood: words that mean nothing, shortened names, ids."""
        return 4 * self.unknown + 2 * ("id" in self.subjects) + ("short" in self.subjects)


class _Word(NamedTuple):
    sides: frozenset[str]
    subjects: frozenset[str]
    spoils: bool = False


def fold_letters(text: str) -> str:
    """A text without accents, letters of other alphabets as they are."""
    if text.isascii():
        return text
    split = unicodedata.normalize("NFKD", text.translate(_LETTERS))
    return "".join(letter for letter in split if not unicodedata.combining(letter))


@cache
def _known_words() -> dict[str, _Word]:
    sides: dict[str, set[str]] = {}
    subjects: dict[str, set[str]] = {}
    for meanings, found in ((SIDES, sides), (SUBJECTS, subjects)):
        for meaning, words in meanings.items():
            for word in words.split():
                found.setdefault(word, set()).add(meaning)
    known = {
        word: _Word(frozenset(sides.get(word, ())), frozenset(subjects.get(word, ())))
        for word in {*sides, *subjects}
    }
    nothing = _Word(frozenset(), frozenset())
    known |= dict.fromkeys(set(FILLERS.split()) - known.keys(), nothing)
    known |= dict.fromkeys(_FOR - known.keys(), nothing)
    return known | dict.fromkeys(SPOILERS - known.keys(), nothing._replace(spoils=True))


def known_sides() -> dict[str, frozenset[str]]:
    """The sides that each word of a side means."""
    return {word: known.sides for word, known in _known_words().items() if known.sides}


def split_heading(name: str) -> list[str]:
    """The words of a heading, compounds such as Heimtore split into what is known."""
    found = [word.casefold() for word in _SPLIT.findall(fold_letters(name))]
    known = _known_words()
    words: list[str] = []
    for word in found:
        letter = len(word) == 1 and words and words[-1] in known  # Jugador A is not Jugadora
        if words and not letter and len(words[-1] + word) > SHORTEST and words[-1] + word in known:
            words[-1] += word
        elif word in known or word.isdigit():
            words.append(word)
        else:
            words += _split_compound(word) or [word]
    return words


def _split_compound(word: str) -> list[str]:
    """The known words that a compound consists of; empty where something is left."""
    known = _known_words()
    for end in range(len(word) - SHORTEST, SHORTEST - 1, -1):
        if word[:end] in known:
            for rest in (word[end:], word[end + 1 :] if word[end] == "s" else ""):
                if rest in known and len(rest) >= SHORTEST:
                    return [word[:end], rest]
                if len(rest) > 2 * SHORTEST and (more := _split_compound(rest)):
                    return [word[:end], *more]
    return []


LETTERS = lazy_pattern(r"[A-Za-z]\s?/\s?[A-Za-z]\s?/\s?[A-Za-z]|1\s?[/-]?\s?[xX]\s?[/-]?\s?2")
BRACKETS = lazy_pattern(r"[(\[][^()\[\]]*[)\]]")


@lru_cache(4096)
def read_heading(name: str) -> HeadingMeaning:
    """What a heading means."""
    known = _known_words()
    words = split_heading(name)
    if LETTERS.fullmatch(name.strip()):  # S/U/N
        return HeadingMeaning(name, ("result",), frozenset(), frozenset({"result"}), 0, False)
    if (outside := BRACKETS.sub(" ", name)) != name:
        plain = split_heading(outside)
        within = [word for part in BRACKETS.findall(name) for word in split_heading(part)]
        if plain and not any(word in known for word in within):
            words = plain
    sides: set[str] = set()
    subjects: set[str] = set()
    unknown, spoiled = 0, False
    for word in words:
        if (found := known.get(word)) is None:
            unknown += 1
            continue
        sides |= found.sides
        subjects |= found.subjects
        spoiled |= found.spoils
    spoiled |= "is" in words and "result" in words  # whether there is one
    if "time" in words and sides:  # Portuguese: a team
        subjects.add("player")
    if not sides <= WEAK:
        sides -= WEAK
    if "time" not in words:
        subjects = subjects - BESIDE_OTHERS or subjects
    return HeadingMeaning(
        name, tuple(words), frozenset(sides), frozenset(subjects), unknown, spoiled
    )


def is_spoiled(heading: HeadingMeaning) -> bool:
    """Whether a heading has a word of another subject, apart from the answers of models."""
    return (
        heading.spoiled
        and read_heading(" ".join(word for word in heading.words if word not in ANSWERS)).spoiled
    )


def words_of_side(side: str) -> frozenset[str]:
    """The words, without accents, that name this side in a cell: home, heim, domicile, ..."""
    return frozenset(SIDES[side].split())


# Headings of draws and dates by single words, whatever stands beside them.


DRAW_WORDS = frozenset({"draw", "draws", "drawn", "tie", "tied"})  # one of them in a heading,
BESIDE_DRAW = frozenset({"is", "was", "game", "match", "flag"})  # with nothing but these
DATE_WORDS = frozenset({"date", "datetime", "datum", "timestamp", "tstamp"})  # part of a heading
OTHER_DATES = frozenset({  # beside one of them: a date of something else than a game
    "birth", "born", "geburt", "geburts", "nacimiento", "naissance", "nascita", "nascimento",
    "geboorte", "urodzenia", "last", "update", "updated", "modified", "registered",
    "registration", "joined", "signup", "export", "exported", "import", "imported", "scraped",
    "retrieved", "expiry", "rating", "ranking", "rank",
})  # fmt: skip
_PARTS = lazy_pattern(r"[A-Z]+(?![a-z])|[A-Z]?[^\W\dA-Z_]+")


def words_of(heading: str) -> set[str]:
    """The words of a heading: `GAME_DATE_EST`, `game date (EST)` and `gameDateEST` have three."""
    return {word.casefold() for word in _PARTS.findall(heading)}


def is_draw(heading: str) -> bool:
    """Whether a heading is that of draws by its words: `Draw?`, `is_tied`, but not `draw_size`."""
    words = words_of(heading)
    return not words.isdisjoint(DRAW_WORDS) and words <= DRAW_WORDS | BESIDE_DRAW


def is_date(heading: str) -> bool:
    """Whether a heading is that of dates by one of its words; `update` and `birth_date` are not."""
    words = words_of(heading)
    return not words.isdisjoint(DATE_WORDS) and words.isdisjoint(OTHER_DATES)


def is_numbered(words: Collection[str], subject: str) -> bool:
    """Whether words of a heading are of a subject and its number: `Spiel-Nr.`, `PlayerId`."""
    known = {*SUBJECTS[subject].split()}
    return not known.isdisjoint(words) and known | {*SUBJECTS["id"].split()} >= {*words}


def is_match(heading: str) -> bool:
    """Whether a heading tells matches apart: `Spiel-Nr.`, but not `match winner` or `matches`."""
    words = {*split_heading(heading)}
    return words.isdisjoint({"games", "matches"}) and is_numbered(words, "match")


def tells_contests(heading: str) -> bool:
    """Whether a heading tells contests apart by its words: `Sessão`, `Race no.`, `Turnier`."""
    meaning = read_heading(heading)
    apart = {"match", "occasion", "league", "season", "round"}
    plural = not {"games", "matches", "rounds", "sets"}.isdisjoint(meaning.words)
    return (
        not meaning.subjects.isdisjoint(apart)
        and meaning.subjects <= apart | {"id", "date", "place", "clock"}
        and not (meaning.unknown or meaning.spoiled or meaning.sides or plural)
    )

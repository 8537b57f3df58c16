"""The file of words: each stands once in its meaning, as readers compare it, and is asked for."""

from __future__ import annotations

import ast
import subprocess
import sys
import tomllib
from functools import cache

import pytest

from prowess.games import vocabulary

LANGUAGES = (  # of ISO 639-1, and of ISO 639-2 for several
    "aa ab ae af ak am an ar as av ay az ba be bg bi bm bn bo br bs ca ce ch co cr cs cu cv cy "
    "da de dv dz ee el en eo es et eu fa ff fi fj fo fr fy ga gd gl gn gu gv ha he hi ho hr ht "
    "hu hy hz ia id ie ig ii ik io is it iu ja jv ka kg ki kj kk kl km kn ko kr ks ku kv kw ky "
    "la lb lg li ln lo lt lu lv mg mh mi mk ml mn mr ms mt my na nb nd ne ng nl nn no nr nv ny "
    "oc oj om or os pa pi pl ps pt qu rm rn ro ru rw sa sc sd se sg si sk sl sm sn so sq sr ss "
    "st su sv sw ta te tg th ti tk tl tn to tr ts tt tw ty ug uk ur uz ve vi vo wa wo xh yi yo "
    "za zh zu "
    "mul"
)
ASKING = ("words_for", "alternatives", "WORDS_IN_ORDER", "WORD_STEMS")
READERS = [*vocabulary.FILE.parent.rglob("*.py")]
OWN = vocabulary.FILE.with_name("vocabulary.py")  # asks for words where it loads them
OF_LISTS = ("slots_for", "pairs_for")  # whose words may stand in several languages


@cache
def find_requests():
    """Everywhere the source asks for words: the name, the arguments or the key, the statement."""
    found = []
    for path in READERS:
        text = path.read_text(encoding="utf-8")
        if "prowess.games.vocabulary import" not in text and path != OWN:
            continue
        for statement in ast.parse(text).body:
            for node in ast.walk(statement):
                match node:
                    case ast.Call(func=ast.Name(id=name), args=arguments):
                        found.append((name, arguments, statement))
                    case ast.Subscript(value=ast.Name(id=name), slice=key):
                        found.append((name, [key], statement))
    return found


def find_asked(*functions, open_=True):
    """The meanings for which the source asks by these functions and tables.

    Where an argument is no text, it is `open_`: one of the texts of its statement.
    """
    asked = set()
    for name, arguments, statement in find_requests():
        if name in functions:
            told = all(isinstance(given, ast.Constant) for given in arguments)
            texts = arguments if told else ast.walk(statement) if open_ else ()
            asked |= {text.value for text in texts if isinstance(text, ast.Constant)}
    return asked


def find_faults(meaning, lines, is_list=False):
    """What is wrong with the lines of a meaning."""
    faults = []
    if not lines.get(vocabulary.ABOUT):
        faults.append(f"{meaning} does not say what it is about")
    seen = set()
    for language, text in lines.items():
        if language == vocabulary.ABOUT:
            continue
        if language not in LANGUAGES.split():
            faults.append(f"{meaning}: {language} is no language of ISO 639")
        for word in text.replace("\n", " ").split(", "):
            if not (word or is_list) or word != " ".join(word.split()) or "," in word:
                faults.append(f"{meaning}, {language}: {word!r} between commas")
            if word != word.casefold():
                faults.append(f"{meaning}, {language}: {word} is not in lower case")
            if word in seen and not is_list:
                faults.append(f"{meaning}: {word} stands twice")
            seen.add(word)
    return faults


def test_the_file_is_what_a_reader_of_toml_reads():
    """The lines are those that `tomllib` finds, but for ends of lines."""
    file = tomllib.loads(vocabulary.FILE.read_text(encoding="utf-8"))
    plain = {
        meaning: {name: text.replace("\n", " ") for name, text in lines.items()}
        for meaning, lines in file.items()
    }
    name = vocabulary.HEADING_LINE
    said = {meaning: lines.pop(name) for meaning, lines in plain.items() if name in lines}
    assert said == vocabulary.IN_HEADINGS
    assert plain == vocabulary.ENTRIES, 'write a line as: et = "kaotaja, kaotajad"'


def test_words_are_written_as_readers_compare_them():
    """A word is in lower case, stands once in a meaning, and its language is one of ISO 639."""
    lists = find_asked(*OF_LISTS)
    faults = [
        fault
        for meaning, lines in vocabulary.ENTRIES.items()
        for fault in find_faults(meaning, lines, meaning in lists)
    ]
    assert faults == []


@pytest.mark.parametrize(
    "lines",
    [
        {"en": "draw"},
        {"about": "A draw", "en": "draw, draw"},
        {"about": "A draw", "en": "tie", "de": "tie"},
        {"about": "A draw", "en": "Draw"},
        {"about": "A draw", "en": "draw,tie"},
        {"about": "A draw", "en": "draw, "},
        {"about": "A draw", "english": "draw"},
    ],
)
def test_faults_are_found(lines):
    """A word that stands twice or in capitals is found, and a language of no code."""
    assert len(find_faults("draw", lines)) == 1


@pytest.mark.parametrize(
    "pair",
    [
        ("home", "away"), ("white", "black"), ("first", "second"), ("blue", "red"),
        ("winner", "loser"), ("own", "against"), ("won", "lost"), ("won", "drawn"),
        ("lost", "drawn"), ("beats", "loses"), ("defeats", "loses_to"), ("yes", "no"),
    ],
)  # fmt: skip
def test_opposite_meanings_share_no_word(pair):
    """A word that stands for both sides, or for a win and a loss, would tell neither."""
    one, other = map(vocabulary.words_for, pair)
    assert one & other == frozenset(), f"move the word to one of {pair}, or leave it out"


def test_every_meaning_is_asked_for_and_every_asked_one_is_there():
    """No reader asks for a meaning without words, and no words are there for nobody."""
    asked = find_asked(*ASKING, *OF_LISTS)
    asked |= vocabulary.IN_HEADINGS.keys()
    assert [meaning for meaning in vocabulary.ENTRIES if meaning not in asked] == []
    assert find_asked(*ASKING, *OF_LISTS, open_=False) <= vocabulary.ENTRIES.keys()


def test_words_are_known_with_and_without_accents():
    """Readers that keep accents and those that do not know a word that is written once."""
    assert {"año", "ano", "jahr"} <= vocabulary.words_for("year")
    in_order = vocabulary.WORDS_IN_ORDER["year"]
    assert in_order.index("année") + 1 == in_order.index("annee")
    assert "o" not in vocabulary.words_for("average")  # ø is a mark


def test_stems_are_no_words():
    """A word with a star is the beginning of words."""
    assert "verlang" in vocabulary.WORD_STEMS["overtime"]
    assert not any("*" in word for word in vocabulary.words_for("overtime"))
    assert r"abandon\w*" in vocabulary.alternatives("no_event")


def test_lists_hold_all_languages():
    """Each month has its words of all languages, and a pair its two headings."""
    months = vocabulary.slots_for("months")
    assert len(months) == 12
    assert {"march", "mars", "marzec"} <= months[2]
    assert ("gewonnen", "verloren") in vocabulary.pairs_for("pair_of_sums")


def test_help_reads_no_words():
    """`prowess --help` does not wait for the words of tables."""
    script = (
        "import sys\nfrom prowess.cli import main\nsys.argv[1:] = ['--help']\ntry:\n    main()\n"
        "except SystemExit:\n    pass\nassert 'prowess.games.vocabulary' not in sys.modules"
    )
    done = subprocess.run([sys.executable, "-c", script], capture_output=True, check=False)
    assert done.returncode == 0, done.stderr.decode()

"""The sentence splitter: `split_sentences` cuts English text into sentences by rules.

Every corpus, the summaries and the Wikipedia tasks use this splitter. To change its behaviour,
extend the lists of abbreviations or `_ends_sentence` below, and add a case to
tests/unit/data/test_sentences.py. The model page has the same rules and lists in JavaScript
(book/_static/model/engine/sentences.js); change both.

It needs no model and no download, and processes about ten million characters per second.
"""

import re


def _words(text: str) -> frozenset[str]:
    return frozenset(text.split())


# Abbreviations, without their last full stop, that never end a sentence because a word always
# follows.
ALWAYS = _words("""
    Mr Mrs Ms Messrs Mme Mlle Dr Drs Prof Rev Revd Hon Gen Lt Col Capt Cpt Cmdr Cdr Comm Sgt Cpl
    Pvt Maj Brig Adm Gov Sen Reps Rep Pres Supt Insp Fr Msgr Amb e.g i.e vs cf viz ca approx
    Gens Sens Govs Profs
""")

# Abbreviations that end a sentence only if the next word is in STARTERS, words with which names do
# not begin ("Acme Inc. The firm ...").
SOMETIMES = _words("""
    St Ste Mt Mts Ft Ave Blvd Rd Inc Ltd Co Corp Bros Jr Sr Esq al et ed eds trans Univ Dept est
    Assn vol Vol Jan Feb Mar Apr Jun Jul Aug Sep Sept Oct Nov Dec Mon Tue Tues Wed Thu Thur
    Thurs Fri Sat Sun
""")

# Words that are abbreviations only before a number ("No. 5"; "No." alone is an answer).
NUMBERED = _words("""
    No Nos no nos p pp P Pp vol Vol vols Vols fig Fig figs Figs Eq eq eqs Eqs ch Ch chap Chap
    sec Sec sect Sect art Art Op op ver n v r b d c para Para v
""")

# Words that begin a sentence after one of SOMETIMES.
STARTERS = _words("""
    The A An This That These Those He She It They We You I His Her Its Their Our My Your In On
    At By For From With Within Without After Before During As When While If Although Though
    Because Since However But And Or So Then There Here What Who Why How Where Which Some Many
    Most Several Both All One Each Another Other Others No Not Nor Yet Only Even Also Later
    Under Upon Until Once Today Now Thus Therefore Moreover Furthermore Additionally Meanwhile
    Despite Such To Is Are Was Were Do Does Did Can Could Would Should Between Among Through
    Throughout According
""")

# One or more end marks, closing quotes or brackets, a space, opening quotes or brackets, then a
# character that is not a lowercase letter.
CANDIDATE = re.compile(
    r"""
    (?<! [.!?…] ) (?P<stop> [.!?…]++ )
    (?: ["'’”»)\]] | \[\d+\] )*
    [ ] (?= ["'“‘«(\[¿¡*–—-]* [ ]? (?P<next> [^\sa-zß-öø-ÿ,;:.!?…)\]"'“‘«(\[–—-] ) )
""",
    re.VERBOSE,
)
STARTER = re.compile(rf"""["'“‘«(\[]*(?:{"|".join(sorted(STARTERS))})\b(?![.-])""")
FIRST_PERSON = re.compile(r"""I\b(?!\.)""")
DOTTED = re.compile(r"(?:[^\W\d_]{1,2}\.)+[^\W\d_]{1,2}")  # U.S, Ph.D, p.m
INITIAL = re.compile(r"(?:.*[-.])?[^\W\d_]")  # J, J.-B
PARAGRAPH_END = re.compile(r"\n[^\S\n]*\n")
OPENERS = "\"'“‘«([–—-"


def split_sentences(text: str) -> list[str]:
    """The sentences of an English text, in order. No character is lost except white space, which
    is reduced to single spaces.

    A blank line always ends a sentence; a single line break counts as a space. Otherwise a sentence
    ends at '.', '!', '?' or '…', including closing quotes, brackets and [1], if the next word does
    not begin with a lowercase letter. It does not end at '.' after a title (Dr.), an initial (J. R.
    R.), a dotted abbreviation (U.S.) or an abbreviation from the lists above. For abbreviations
    that may end a sentence ('in the U.S. The'), the next word decides.
    """
    sentences = []
    for paragraph in PARAGRAPH_END.split(text):
        paragraph = " ".join(paragraph.split())
        start = 0
        for candidate in CANDIDATE.finditer(paragraph):
            if _ends_sentence(paragraph, start, candidate):
                sentences.append(paragraph[start : candidate.end() - 1])
                start = candidate.end()
        if start < len(paragraph):
            sentences.append(paragraph[start:])
    return sentences


def _ends_sentence(paragraph: str, start: int, candidate: re.Match[str]) -> bool:
    stop = candidate["stop"]
    if stop == ".":
        at = candidate.start()
        word = paragraph[max(start, paragraph.rfind(" ", start, at) + 1) : at].lstrip(OPENERS)
        if word in ALWAYS:
            return False
        if word in NUMBERED and candidate["next"].isdigit():
            return False
        if word in SOMETIMES or INITIAL.fullmatch(word) or DOTTED.fullmatch(word):
            return STARTER.match(paragraph, candidate.end()) is not None
        return not (
            word.isdigit() and at - start == len(word)
        )  # the number of an item in a list: "2. The"
    if stop == "…" or stop == "...":
        return (
            FIRST_PERSON.match(paragraph, candidate.end()) is None
        )  # "Well... I think": 'I' is always a capital
    return not candidate["next"].islower()

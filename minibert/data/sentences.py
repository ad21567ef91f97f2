"""English text cut into sentences by rules: no model, no download, some ten million characters a second."""

import re

# Abbreviations, without their last stop, after which a sentence never ends: something always follows.
ALWAYS = frozenset("""
    Mr Mrs Ms Messrs Mme Mlle Dr Drs Prof Rev Revd Hon Gen Lt Col Capt Cpt Cmdr Cdr Comm Sgt Cpl Pvt Maj Brig Adm Gov Sen Reps
    Rep Pres Supt Insp Fr Msgr Amb e.g i.e vs cf viz ca approx Gens Sens Govs Profs
""".split())

# Abbreviations after which it ends when the next word is one that names do not begin with ("Acme Inc. The firm ...").
SOMETIMES = frozenset("""
    St Ste Mt Mts Ft Ave Blvd Rd Inc Ltd Co Corp Bros Jr Sr Esq al et ed eds trans Univ Dept est Assn vol Vol
    Jan Feb Mar Apr Jun Jul Aug Sep Sept Oct Nov Dec Mon Tue Tues Wed Thu Thur Thurs Fri Sat Sun
""".split())

# Abbreviations only in front of a number ("No. 5", where "No." alone is an answer).
NUMBERED = frozenset("""
    No Nos no nos p pp P Pp vol Vol vols Vols fig Fig figs Figs Eq eq eqs Eqs ch Ch chap Chap sec Sec sect Sect art Art
    Op op ver n v r b d c para Para v
""".split())

STARTERS = """
    The A An This That These Those He She It They We You I His Her Its Their Our My Your In On At By For From With Within
    Without After Before During As When While If Although Though Because Since However But And Or So Then There Here What
    Who Why How Where Which Some Many Most Several Both All One Each Another Other Others No Not Nor Yet Only Even Also Later
    Under Upon Until Once Today Now Thus Therefore Moreover Furthermore Additionally Meanwhile Despite Such To Is Are Was
    Were Do Does Did Can Could Would Should Between Among Through Throughout According
""".split()

# A stop (or several), what closes after it, a space, what opens before the next word, then no small letter.
CANDIDATE = re.compile(r"""
    (?P<stop> [.!?…]+ )
    (?: ["'’”»)\]] | \[\d+\] )*
    [ ] (?= ["'“‘«(\[¿¡*–—-]* [ ]? (?P<next> [^\sa-zß-öø-ÿ,;:.!?…)\]"'“‘«(\[–—-] ) )
""", re.VERBOSE)
STARTER = re.compile(rf"""["'“‘«(\[]*(?:{"|".join(STARTERS)})\b(?![.-])""")
FIRST_PERSON = re.compile(r"""I\b(?!\.)""")
DOTTED = re.compile(r"(?:[^\W\d_]{1,2}\.)+[^\W\d_]{1,2}")           # U.S, Ph.D, p.m
INITIAL = re.compile(r"(?:.*[-.])?[^\W\d_]")                        # J, J.-B
PARAGRAPH_END = re.compile(r"\n[^\S\n]*\n")
OPENERS = "\"'“‘«([–—-"


def split_sentences(text: str) -> list[str]:
    """The sentences of an English text, in order; no character is lost except white space, of which single spaces stay.

    A blank line always ends a sentence; a single line break is a space. Otherwise a sentence ends at '.', '!', '?' or '…',
    with the quotes, brackets and [1] that close after it, when what follows does not begin with a small letter; and not
    at '.' after a title (Dr.), an initial (J. R. R.), a dotted abbreviation (U.S.) or another one of the lists above.
    After those that may stand at an end ('in the U.S. The') the next word decides.
    """
    sentences = []
    for paragraph in PARAGRAPH_END.split(text):
        paragraph = " ".join(paragraph.split())
        start = 0
        for candidate in CANDIDATE.finditer(paragraph):
            if _ends_sentence(paragraph, start, candidate):
                sentences.append(paragraph[start:candidate.end() - 1])
                start = candidate.end()
        if start < len(paragraph):
            sentences.append(paragraph[start:])
    return sentences


def _ends_sentence(paragraph: str, start: int, candidate: re.Match) -> bool:
    stop = candidate["stop"]
    if stop == ".":
        at = candidate.start()
        word = paragraph[max(start, paragraph.rfind(" ", start, at) + 1):at].lstrip(OPENERS)
        if word in ALWAYS:
            return False
        if word in NUMBERED and candidate["next"].isdigit():
            return False
        if word in SOMETIMES or INITIAL.fullmatch(word) or DOTTED.fullmatch(word):
            return STARTER.match(paragraph, candidate.end()) is not None
        return not (word.isdigit() and at - start == len(word))         # the number of an item in a list: "2. The"
    if stop == "…" or stop == "...":
        return FIRST_PERSON.match(paragraph, candidate.end()) is None   # "Well... I think": 'I' is always a capital
    return not candidate["next"].islower()

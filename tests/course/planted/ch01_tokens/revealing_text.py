"""Answers to `revealing_text` on which its check is tried."""

from planted import Answers


def _with_a_cafe():
    return "Café, riverbanks [MASK] great☺"


def _in_another_order():
    return "great🙂 riverbanks [SEP] NAÏVE!"


def _no_capital():
    return "zoë's riverbanks [MASK] great☺"


def _no_accent():
    return "Zoe's riverbanks [MASK] great☺"


def _no_punctuation_at_a_word():
    return "Zoë riverbanks [MASK] great ☺"


def _no_cut_word():
    return "Thé river's [MASK] great☺"


def _emoji_apart():
    return "Zoë's riverbanks [MASK] great ☺"


def _no_special_token():
    return "Zoë's riverbanks are great☺"


def _too_long():
    return "Zoë's riverbanks [MASK] great☺ and more of the same"


def _nothing():
    return None


ANSWERS = Answers(
    right=(_with_a_cafe, _in_another_order),
    wrong={
        _no_capital: "reveals 5 of 6 bugs.*keeps capitals",
        _no_accent: "reveals 5 of 6 bugs.*keeps accents",
        _no_punctuation_at_a_word: "splits at spaces only",
        _no_cut_word: "forgets the ## inside",
        _emoji_apart: "keeps the known beginning",
        _no_special_token: "cuts a special token",
        _too_long: "at most 40",
        _nothing: "NoneType",
    },
)

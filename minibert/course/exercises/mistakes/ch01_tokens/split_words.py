"""Wrong answers to `split_words` that its check recognises, each with the feedback for it."""

import string
import unicodedata


def _split(
    text, drop=("Cc", "Cf"), spaces="\t\n\r", instead="", chinese=True, marks=True, late=False, alone=()
):  # fmt: skip
    """The words of a text with options, each of which plants a mistake."""
    apart = ""
    for c in text:
        kind = unicodedata.category(c)
        mark = marks and (c in string.punctuation or kind[0] == "P")
        if mark or (chinese and "\u4e00" <= c <= "\u9fff") or kind in alone:
            apart += f" {c} "
        elif c in spaces or kind not in drop or (late and c.isspace()):
            apart += c
        else:
            apart += instead
    return apart.split()


def _drops_line_breaks(text):
    return _split(text, spaces="")


def _drops_nothing(text):
    return _split(text, drop=())


def _control_only(text):
    return _split(text, drop=("Cc",))


def _format_only(text):
    return _split(text, drop=("Cf",))


def _space_instead(text):
    return _split(text, instead=" ")


def _splits_first(text):
    return _split(text, late=True)


def _next_line_separates(text):
    return _split(text, spaces="\t\n\r\x85")


def _chinese_together(text):
    return _split(text, chinese=False)


def _every_other_letter(text):
    return _split(text, alone=("Lo",))


def _marks_together(text):
    return _split(text, marks=False)


KNOWN = (
    (
        _every_other_letter,
        "every character of the category Lo is a word of its own, such as Thai letters and kana; of these, the package sets only the Chinese ones apart",
    ),
    (
        _next_line_separates,
        "U+0085 (next line) separates two words; `isspace()` is true of it, but the package drops all of the category Cc except \\t, \\n and \\r",
    ),
    (
        _marks_together,
        "a punctuation mark sticks to a word; it must be a word of its own, as before",
    ),
    (_chinese_together, "Chinese characters stay together; each is a word of its own"),
    (
        _drops_line_breaks,
        "line breaks or tabs are dropped, because they have the category Cc, too; but they separate words",
    ),
    (_drops_nothing, "the invisible character is not dropped"),
    (_format_only, "characters of the category Cc, such as the form feed, are not dropped"),
    (_control_only, "characters of the category Cf, such as the soft hyphen, are not dropped"),
    (
        _space_instead,
        "an invisible character separates two words; the package drops it, so the two become one",
    ),
    (
        _splits_first,
        "you split before you drop the form feed, which Python's `split()` treats as a space",
    ),
)

"""The cover of PDF and e-book: a sentence with a blank, and where the blank looks. One picture, which needs no file of letters."""

import html

TITLE, LINE = "minibert", "BERT built piece by piece, and proved equal to the reference"
TOKENS = ("the", "bank", "by", "the", "[MASK]")
LOOKS = (0.1, 0.5, 0.18, 0.12)  # of the blank at the others: a drawing, no measurement
WIDTH, HEIGHT = 600, 848  # as a sheet of A4
PAPER, INK, TOKEN, MASK, HEAD = "#10283a", "#ffffff", "#0072b2", "#ffb000", "#df8fb8"


def cover(edition: str) -> str:
    """The cover as SVG; `edition` is its last line."""
    lines = [
        f'<text x="56" y="{240 + 36 * i}" font-size="25" font-family="Source Serif 4, Georgia, serif" fill="{INK}">{html.escape(line)}</text>'
        for i, line in enumerate(split(LINE, 36))
    ]
    small = [
        f'<text x="56" y="{770 + 18 * i}" font-size="12" font-family="Source Serif 4, Georgia, serif" fill="{INK}">{html.escape(line)}</text>'
        for i, line in enumerate(split(edition, 80))
    ]
    return (
        f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {WIDTH} {HEIGHT}" role="img" aria-label="{TITLE}: {LINE}. {html.escape(edition)}">'
        f'<rect width="{WIDTH}" height="{HEIGHT}" fill="{PAPER}"/>'
        f'<text x="52" y="180" font-size="92" font-weight="700" letter-spacing="-3" font-family="Bricolage Grotesque, Helvetica, sans-serif" fill="{INK}">{TITLE}</text>'
        f"{''.join(lines)}{sentence(56, 560)}{''.join(small)}</svg>"
    )


def sentence(left: int, top: int) -> str:
    """The tokens as boxes, and an arc from the blank to each of the others, as wide as it looks there."""
    width, gap = 88, 12
    middle = [left + i * (width + gap) + width / 2 for i in range(len(TOKENS))]
    arcs = [
        f'<path d="M{middle[-1]:.0f} {top}C{middle[-1]:.0f} {top - 50 - 40 * (len(LOOKS) - i):.0f} {place:.0f} {top - 50 - 40 * (len(LOOKS) - i):.0f} {place:.0f} {top}" fill="none" '
        f'stroke="{HEAD}" stroke-width="{24 * share:.1f}" stroke-linecap="round" opacity="0.9"/>'
        for i, (place, share) in enumerate(zip(middle, LOOKS))
    ]
    boxes = [
        f'<rect x="{place - width / 2:.0f}" y="{top}" width="{width}" height="54" rx="8" fill="{MASK if token == "[MASK]" else TOKEN}"/>'
        f'<text x="{place:.0f}" y="{top + 34}" font-size="20" text-anchor="middle" font-family="JetBrains Mono, Menlo, monospace" fill="{PAPER if token == "[MASK]" else INK}">{token}</text>'
        for place, token in zip(middle, TOKENS)
    ]
    return "".join(arcs + boxes)


def split(text: str, longest: int) -> list[str]:
    """A text in lines of so many letters at most: SVG breaks none."""
    lines = [""]
    for word in text.split():
        if len(lines[-1]) + len(word) > longest:
            lines.append("")
        lines[-1] = f"{lines[-1]} {word}".strip()
    return lines

"""Answers to `greedy_trap` on which its check is tried."""

from planted import Answers


def _greedy_trap_dead_end():
    return "seashore", ["sea", "##shore"]


def _greedy_trap_plural():
    return "seasides", ["sea", "##side", "##s"]


def _greedy_trap_no_trap():
    return "seabed", ["sea", "##bed"]


def _greedy_trap_worse():
    return "seabed", ["sea", "##b", "##e", "##d"]


def _greedy_trap_without_marks():
    return "seaside", ["sea", "side"]


def _greedy_trap_other_word():
    return "seaside", ["sea", "##shore"]


def _greedy_trap_unknown_piece():
    return "seafront", ["sea", "##front"]


def _greedy_trap_greedy_itself():
    return "seaside", ["seas", "##i", "##d", "##e"]


def _greedy_trap_word_only():
    return "seaside"


def _greedy_trap_starts_inside():
    return "seaside", ["##sea", "##side"]


def _greedy_trap_longer_is_no_gain():
    return "undersea", ["under", "##s", "##e", "##b"]


ANSWERS = Answers(
    right=(_greedy_trap_dead_end, _greedy_trap_plural),
    wrong={
        _greedy_trap_no_trap: "itself gives for 'seabed'",
        _greedy_trap_worse: "loses nothing here",
        _greedy_trap_without_marks: "needs ## before it: '##side'",
        _greedy_trap_other_word: "pieces spell 'seashore'",
        _greedy_trap_unknown_piece: "'##front' is not in the vocabulary",
        _greedy_trap_greedy_itself: "itself gives for 'seaside'",
        _greedy_trap_word_only: "a word and the list of its pieces",
        _greedy_trap_starts_inside: "cannot begin a word",
        _greedy_trap_longer_is_no_gain: "pieces spell 'underseb'",
    },
)

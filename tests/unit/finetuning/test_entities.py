"""Names from tags, and their scores, against CoNLL's scoring program written again as the machine of states that it is."""

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from minibert.finetuning import Entity, entities, entity_f1, entity_scores
from minibert.finetuning.entities import is_iob

TAGS = st.sampled_from(["O", "B-a", "I-a", "B-b", "I-b"])
PAIRS = st.lists(
    st.lists(st.tuples(TAGS, TAGS), min_size=1, max_size=9), min_size=1, max_size=4
)  # sentences of (found, wanted)


def conlleval(sentences):
    """Precision, recall and FB1 as the program `conlleval` of CoNLL-2000 counts: word after word, without ever making a span."""

    def split(tag):
        return ("O", "") if tag == "O" else tuple(tag.split("-", 1))

    def ends(before, now):
        return (before[0] + now[0]) in ("BB", "BO", "IB", "IO") or (
            before[0] != "O" and before[1] != now[1]
        )

    def begins(before, now):
        return (before[0] + now[0]) in ("BB", "IB", "OB", "OI") or (
            now[0] != "O" and before[1] != now[1]
        )

    right = found = wanted = 0
    correct_so_far, last_found, last_wanted = False, ("O", ""), ("O", "")
    for one, other in [
        pair for sentence in sentences for pair in (*sentence, ("O", "O"))
    ]:  # a sentence's end is outside of names
        one, other = split(one), split(other)
        one_ends, other_ends = ends(last_found, one), ends(last_wanted, other)
        if correct_so_far and one_ends and other_ends and last_found[1] == last_wanted[1]:
            right, correct_so_far = right + 1, False
        elif correct_so_far and (one_ends != other_ends or one[1] != other[1]):
            correct_so_far = False
        one_begins, other_begins = begins(last_found, one), begins(last_wanted, other)
        correct_so_far = correct_so_far or (one_begins and other_begins and one[1] == other[1])
        found, wanted = found + one_begins, wanted + other_begins
        last_found, last_wanted = one, other
    precision, recall = (right / total if total else 0.0 for total in (found, wanted))
    f1 = 2 * precision * recall / (precision + recall) if precision + recall else 0.0
    return {"entity_f1": f1, "entity_precision": precision, "entity_recall": recall}


@settings(max_examples=150, deadline=None)
@given(PAIRS)
def test_scores_are_those_of_conlleval(sentences):
    found, wanted = (
        [[pair[side] for pair in sentence] for sentence in sentences] for side in (0, 1)
    )
    assert entity_scores(found, wanted) == pytest.approx(conlleval(sentences), abs=1e-12)
    assert entity_f1(found, wanted) == entity_scores(found, wanted)["entity_f1"]
    perfect = 1.0 if any(tag != "O" for tags in wanted for tag in tags) else 0.0
    assert set(entity_scores(wanted, wanted).values()) == {perfect}


@given(st.lists(st.tuples(st.sampled_from(["", "a", "b"]), st.integers(1, 3)), max_size=8))
def test_both_ways_of_writing_names_are_read_back(parts):
    names, iob1, iob2 = [], [], []
    for kind, length in parts:  # "" = words outside of names
        touches = bool(names) and names[-1].type == kind and names[-1].end == len(iob2)
        if kind:
            names.append(Entity(kind, len(iob2), len(iob2) + length))
        iob2 += [f"B-{kind}", *[f"I-{kind}"] * (length - 1)] if kind else ["O"] * length
        iob1 += (
            ["B-" * touches + "I-" * (not touches) + kind, *[f"I-{kind}"] * (length - 1)]
            if kind
            else ["O"] * length
        )
    assert entities(iob2) == entities(iob1) == names


@pytest.mark.parametrize(
    "tags, wanted",
    [
        ("I-a I-a", [("a", 0, 2)]),
        ("B-a I-b I-b", [("a", 0, 1), ("b", 1, 3)]),
        ("B-a O I-a", [("a", 0, 1), ("a", 2, 3)]),
        ("B-a B-a I-a O", [("a", 0, 1), ("a", 1, 3)]),
        ("O I-work-of-art B-work-of-art", [("work-of-art", 1, 2), ("work-of-art", 2, 3)]),
        ("B-creative-work I-creative-group", [("creative-work", 0, 1), ("creative-group", 1, 2)]),
        ("O O", []),
        ("", []),
    ],
)
def test_names_by_hand(tags, wanted):
    assert entities(tags.split()) == [Entity(*name) for name in wanted]


def test_scores_by_hand():
    wanted = [["B-a", "I-a", "O", "B-b"], ["B-a"]]
    # the first name too short, the second right, the third of another type; a name that goes on does so within its sentence
    assert entity_scores([["B-a", "O", "O", "B-b"], ["I-b"]], wanted) == pytest.approx(
        {"entity_f1": 1 / 3, "entity_precision": 1 / 3, "entity_recall": 1 / 3}
    )
    assert entity_scores([["O", "O", "O", "I-b"], ["I-b"]], wanted) == pytest.approx(
        {"entity_f1": 2 / 5, "entity_precision": 1 / 2, "entity_recall": 1 / 3}
    )
    assert entity_scores([["O"] * 4, ["O"]], wanted) == {
        "entity_f1": 0.0,
        "entity_precision": 0.0,
        "entity_recall": 0.0,
    }


def test_which_tags_spell_names():
    assert is_iob(["O", "B-person", "I-person"]) and is_iob(["I-NP"])
    assert (
        not is_iob(["O"])
        and not is_iob(["NOUN", "VERB"])
        and not is_iob(["O", "B-a", "E-a"])
        and not is_iob(["B-", "I-", "O"])
        and not is_iob([])
    )


def test_what_is_no_tag_of_a_name():
    for tag in ("NOUN", "E-a", "", "o", "B", "I-", "BI-a"):
        with pytest.raises(ValueError, match=f"O, or B- or I- with a type, not '{tag}'"):
            entities(["O", tag])
    with pytest.raises(ValueError, match="1 predicted tags and 2 gold tags"):
        entity_f1([["O"]], [["O", "O"]])
    with pytest.raises(ValueError):
        entity_f1([["O"]], [])

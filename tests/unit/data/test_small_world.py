"""The small world against brute force: every text, every choice of words, every corruption, one
after the other."""

import dataclasses
import itertools
import math
from collections import Counter, defaultdict

import numpy as np
import pytest
import torch
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy.stats import chisquare

from minibert.data import mask_tokens
from minibert.data.exact_predictor import CLS, MASK, PAD, SEP
from minibert.data.small_world import TEMPLATES, SmallWorld

# Small enough to be enumerated: texts of one to four words out of five. The tales share a word; the
# chain of templates is not symmetric.
TALES = """
who | does
ann | sings digs
bob | digs rows
"""
SHORT = {
    "templates": ("{who} {does}", "{does}", "{who}"),
    "odds": (1, 3, 2),
    "tales": TALES,
    "choices": {},
}
START = {0: 1 / 3, 1: 1 / 3, 2: 1 / 3}
AFTER = {
    0: {0: 1 / 6, 1: 3 / 6, 2: 2 / 6},
    1: {1: 1 / 6, 2: 3 / 6, 0: 2 / 6},
    2: {2: 1 / 6, 0: 3 / 6, 1: 2 / 6},
}
SCHEMES = [
    (0.15, (0.8, 0.1)),
    (0.5, (1.0, 0.0)),
    (0.4, (0.0, 1.0)),
    (0.3, (0.2, 0.5)),
    (1.0, (0.8, 0.1)),
]


def texts(tale: str, sentences: int, first: dict[int, float]):
    """Every text of a tale as (probability, words, last template); `first` says how likely each
    first template is."""
    does = {"ann": {"sings": 2 / 3, "digs": 1 / 3}, "bob": {"digs": 2 / 3, "rows": 1 / 3}}[tale]
    for template, chance in first.items():
        for sentence, share in (
            [([tale], 1.0)]
            if template == 2
            else [
                ([tale, word] if template == 0 else [word], share) for word, share in does.items()
            ]
        ):
            if sentences == 1:
                yield chance * share, sentence, template
            else:
                for rest, words, last in texts(tale, sentences - 1, AFTER[template]):
                    yield chance * share * rest, sentence + words, last


def all_rows(sentences: int) -> dict[tuple, float]:
    """P(row of words, label) by enumeration: {((A), (B), label): probability}."""
    rows = defaultdict(float)
    for tale in ("ann", "bob"):
        for chance, a, last in texts(tale, sentences, START):
            for other, b, _ in texts(tale, sentences, AFTER[last]):
                rows[tuple(a), tuple(b), 0] += chance * other / 4
            for elsewhere in ("ann", "bob"):
                for other, b, _ in texts(elsewhere, sentences, START):
                    rows[tuple(a), tuple(b), 1] += chance * other / 8
    return rows


def corruptions(words: tuple, rate: float, replace: tuple[float, float]):
    """Every (probability, was each word chosen?, what is seen) of a text, by the rules of masking,
    without [MASK] as a word."""
    masked, random = replace
    ordinary = ("ann", "bob", "sings", "digs", "rows")
    ways = [
        [
            (1 - rate, False, word),
            (rate * (1 - masked - random), True, word),
            (rate * masked, True, "[MASK]"),
            *((rate * random / 5, True, other) for other in ordinary),
        ]
        for word in words
    ]
    for way in itertools.product(*ways):
        if chance := math.prod(step[0] for step in way):
            yield chance, tuple(step[1] for step in way), tuple(step[2] for step in way)


def encode(world: SmallWorld, a: tuple, b: tuple) -> torch.Tensor:
    ids = [CLS, *(world.vocab[word] for word in a), SEP, *(world.vocab[word] for word in b), SEP]
    return torch.tensor([ids + [PAD] * (world.length - len(ids))])  # [1, S]


def corrupt(
    world: SmallWorld, batch: dict, rate: float, replace: tuple[float, float], seed: int = 0
):
    return mask_tokens(
        batch["input_ids"],
        mask_token_id=MASK,
        vocab_size=len(world.vocab),
        special_ids=range(5),
        rate=rate,
        replace=replace,
        generator=torch.Generator().manual_seed(seed),
    )


@pytest.mark.parametrize("rate, replace", SCHEMES)
def test_no_predictor_beats_the_floor_on_texts_short_enough_to_enumerate(rate, replace):
    """Over all texts, choices and corruptions: the entropy of the hidden word given what is seen is
    our expected loss."""
    world = SmallWorld(sentences=1, **SHORT)
    words, pairs, asked = defaultdict(Counter), defaultdict(Counter), 0.0
    for (a, b, label), chance in all_rows(1).items():
        for share, chosen, seen in corruptions(a + b, rate, replace):
            row = (seen[: len(a)], seen[len(a) :])
            pairs[row][label] += chance * share
            for position in range(len(seen)):
                if chosen[position]:
                    words[row, position][(a + b)[position]] += chance * share
                    asked += chance * share
    assert sum(count.total() for count in pairs.values()) == pytest.approx(1)

    found = world.posteriors(torch.cat([encode(world, *row) for row in pairs]), rate, replace)
    ours = {row: (found[0][number], found[1][number]) for number, row in enumerate(pairs)}
    best = loss = 0.0
    for (row, position), count in words.items():
        place = 1 + position + (position >= len(row[0]))
        for word, mass in count.items():
            exact = mass / count.total()
            assert ours[row][0][place, world.vocab[word]].item() == pytest.approx(exact, abs=1e-12)
            best -= mass * math.log(exact)
            loss -= mass * math.log(ours[row][0][place, world.vocab[word]])
    assert loss / asked == pytest.approx(best / asked, rel=1e-12)
    for row, count in pairs.items():
        assert ours[row][1][1].item() == pytest.approx(count[1] / count.total(), abs=1e-12)


@pytest.mark.parametrize("rate, replace", SCHEMES)
def test_two_sentences_in_each_text(rate, replace):
    """Rows drawn from the world itself, every text summed over by hand."""
    world = SmallWorld(seed=3, **SHORT)
    exact = all_rows(2)
    token, (masked, random) = list(world.vocab), replace

    def seen_as(word, seen):  # P(seen | word), whether it was chosen or not
        kept = rate * (1 - masked - random) + 1 - rate if word == seen else 0.0
        return rate * masked if seen == "[MASK]" else kept + rate * random / 5

    batch = world.batch(0, 40)
    ids, labels = corrupt(world, batch, rate, replace)
    words, pairs = world.posteriors(ids, rate, replace)
    for row in range(len(ids)):
        seen = [token[i] for i in ids[row] if i not in (PAD, CLS)]
        end = seen.index("[SEP]")
        a, b = seen[:end], seen[end + 1 : -1]
        mass, hidden = Counter(), Counter()
        asked = int(torch.nonzero(labels[row] != -100)[0]) if (labels[row] != -100).any() else None
        for (left, right, label), chance in exact.items():
            if (len(left), len(right)) == (len(a), len(b)):
                ways = [seen_as(word, found) for word, found in zip(left + right, a + b)]
                mass[label] += chance * math.prod(ways)
                if asked is not None:
                    place = asked - 1 - (asked > end)
                    word, found = (left + right)[place], (a + b)[place]
                    ways[place] = (
                        masked
                        if found == "[MASK]"
                        else random / 5 + (1 - masked - random) * (word == found)
                    )
                    hidden[word] += chance * math.prod(ways)
        assert pairs[row, 1].item() == pytest.approx(mass[1] / mass.total(), abs=1e-12)
        for word, share in hidden.items():
            assert words[row, asked, world.vocab[word]].item() == pytest.approx(
                share / hidden.total(), abs=1e-12
            )


@pytest.mark.parametrize("sentences", [1, 2])
def test_rows_have_the_distribution_that_is_stated(sentences):
    """χ² of 20,000 rows against the exact probability of every row with its label."""
    world, exact = SmallWorld(seed=5, sentences=sentences, **SHORT), all_rows(sentences)
    batch = world.batch(0, 20_000)
    found = Counter(
        zip(map(tuple, batch["input_ids"].tolist()), batch["next_sentence_label"].tolist())
    )
    expected = {
        (tuple(encode(world, a, b)[0].tolist()), label): 20_000 * chance
        for (a, b, label), chance in exact.items()
    }
    assert found.keys() <= expected.keys()
    common = [key for key, count in expected.items() if count >= 5]
    rest = 20_000 - sum(found[key] for key in common), 20_000 - sum(expected[key] for key in common)
    counts = [found[key] for key in common] + [rest[0]] * (rest[1] > 1)
    wanted = [expected[key] for key in common] + [rest[1]] * (rest[1] > 1)
    assert chisquare(counts, np.array(wanted) * sum(counts) / sum(wanted)).pvalue > 1e-3


def test_stories_keep_to_one_tale_and_to_the_chain():
    stories = SmallWorld(seed=2).documents(3000, sentences=4)
    assert all(
        len(story) == 4
        and len(
            {word for sentence in story for word in sentence.split()}
            & {"river", "forest", "castle", "market", "garden", "harbour", "school", "farm"}
        )
        <= 1
        for story in stories
    )
    shapes = [template.split() for template in TEMPLATES]

    def template(sentence):
        fits = [
            k
            for k, shape in enumerate(shapes)
            if len(shape) == len(sentence.split())
            and all(
                place.startswith("{") or place == word
                for place, word in zip(shape, sentence.split())
            )
        ]
        return fits[0] if len(fits) == 1 else 4 + bool({"tired", "sleepy"} & set(sentence.split()))

    steps = Counter(
        (template(after) - template(before)) % 6
        for story in stories
        for before, after in itertools.pairwise(story)
    )
    assert steps[0] == 0
    assert (
        chisquare([steps[k] for k in range(1, 6)], np.array([4, 3, 2, 1, 1]) * 9000 / 11).pvalue
        > 1e-3
    )
    firsts = Counter(template(story[0]) for story in stories)
    assert chisquare([firsts[k] for k in range(6)]).pvalue > 1e-3


def test_a_row_is_cls_a_sep_b_sep_with_its_segments_and_mask():
    world = SmallWorld(seed=1)
    tokenizer = world.tokenizer()
    batch = world.batch(0, 50)
    for ids, types, mask in zip(
        batch["input_ids"], batch["token_type_ids"], batch["attention_mask"]
    ):
        text = tokenizer.decode(ids[mask])
        a, b = text.removeprefix("[CLS] ").removesuffix(" [SEP]").split(" [SEP] ")
        again = tokenizer([a], [b], pad_to=world.length)
        assert a.count(".") == b.count(".") == 2 and tokenizer.unk_id not in ids
        assert ids.equal(again["input_ids"][0]) and types.equal(again["token_type_ids"][0])
        assert mask.equal(again["attention_mask"][0].bool())


def test_the_vocabulary_has_one_token_a_word():
    world = SmallWorld()
    tokenizer = world.tokenizer()
    assert tokenizer.vocab == world.vocab and tokenizer.vocab_size < 150
    for story in world.documents(20):
        for sentence in story:
            assert tokenizer.tokenize(sentence) == sentence.split()


def test_seeds_reproduce():
    one, same, other = SmallWorld(seed=7), SmallWorld(seed=7), SmallWorld(seed=8)
    assert one.documents(5) == same.documents(5) != other.documents(5)
    for key, tensor in one.batch(64, 32).items():
        assert tensor.equal(same.batch(64, 32)[key])
    assert not one.batch(64, 32)["input_ids"].equal(one.batch(96, 32)["input_ids"])
    assert not one.batch(64, 32)["input_ids"].equal(other.batch(64, 32)["input_ids"])
    assert one.vocab == other.vocab and np.array_equal(one.emission, other.emission)


@settings(max_examples=20, deadline=None)
@given(
    seed=st.integers(0, 2**31),
    sentences=st.integers(1, 3),
    rate=st.floats(0.01, 0.99),
    masked=st.floats(0, 1),
    random=st.floats(0, 1),
)
def test_posteriors_are_probabilities(seed, sentences, rate, masked, random):
    replace = (masked / max(1.0, masked + random), random / max(1.0, masked + random))
    world = SmallWorld(seed=seed, sentences=sentences)
    batch = world.batch(0, 6)
    ids, _labels = corrupt(world, batch, rate, replace, seed)
    words, pairs = world.posteriors(ids, rate, replace)
    assert (words >= 0).all() and (pairs >= 0).all()
    torch.testing.assert_close(words.sum(-1), torch.ones(ids.shape, dtype=torch.float64))
    torch.testing.assert_close(pairs.sum(-1), torch.ones(6, dtype=torch.float64))
    special = (ids < 5) & (ids != MASK)
    assert words[special].argmax(-1).equal(ids[special])
    assert (words[~special][:, :5] == 0).all()
    assert (
        words.gather(2, batch["input_ids"][..., None]) > 0
    ).all()  # what is true is never impossible


@pytest.mark.parametrize("rate, replace", SCHEMES[:4])
def test_posteriors_are_calibrated(rate, replace):
    """Where 30% is said, 30% are right: predictions in ten groups against what came true."""
    world = SmallWorld(seed=11)
    batch = world.batch(0, 600)
    ids, labels = corrupt(world, batch, rate, replace)
    words, pairs = world.posteriors(ids, rate, replace)
    asked = labels != -100
    true = torch.nn.functional.one_hot(labels[asked], len(world.vocab)).double()
    for said, came in (
        (words[asked].flatten(), true.flatten()),
        (pairs[:, 1], batch["next_sentence_label"].double()),
    ):
        group = (said * 10).long().clamp(max=9)
        for number in group.unique():
            here = group == number
            spread = float((said[here] * (1 - said[here])).sum()) ** 0.5
            assert abs(float((came[here] - said[here]).sum())) < 4.5 * spread + 0.5


def neighbour_table(world: SmallWorld, rows: int):
    """P(word | the words seen left and right of it), counted on corrupted rows: {(left, right):
    counts [V]}."""
    batch = world.batch(0, rows)
    ids, labels = corrupt(world, batch, 0.15, (0.8, 0.1))
    counts = defaultdict(lambda: np.full(len(world.vocab), 0.01))
    for row, place in torch.nonzero(labels != -100).tolist():
        counts[int(ids[row, place - 1]), int(ids[row, place + 1])][int(labels[row, place])] += 1
    return counts


def test_the_floor_lies_below_every_other_predictor():
    """Unigrams, neighbours, and the right posterior for the wrong corruption: all lose more than
    the floor, and each less than the one before."""
    world, held_out = SmallWorld(seed=0), SmallWorld(seed=1)
    counts = neighbour_table(world, 4000)
    batch = held_out.batch(0, 400)
    ids, labels = corrupt(world, batch, 0.15, (0.8, 0.1), seed=1)
    asked = labels != -100
    floor = held_out.floor(ids, labels, batch["next_sentence_label"])
    unigram = sum(counts.values())
    unigram = float(-np.log((unigram / unigram.sum())[labels[asked].numpy()]).mean())
    neighbours = np.mean(
        [
            -math.log(
                counts[int(ids[r, s - 1]), int(ids[r, s + 1])][int(labels[r, s])]
                / counts[int(ids[r, s - 1]), int(ids[r, s + 1])].sum()
            )
            for r, s in torch.nonzero(asked).tolist()
        ]
    )
    words, _pairs = held_out.posteriors(ids, 0.4, (0.8, 0.1))
    wrong = float(-words[asked].gather(1, labels[asked][:, None]).log().mean())
    assert floor.mlm_loss < wrong < neighbours - 0.5 < unigram - 1
    assert 0.1 < floor.nsp_loss < 0.25 and 0.9 < floor.nsp_accuracy < 0.98


def test_the_floor_is_the_mean_loss_of_the_posteriors():
    world = SmallWorld(seed=4)
    batch = world.batch(0, 100)
    ids, labels = corrupt(world, batch, 0.15, (0.8, 0.1))
    words, pairs = world.posteriors(ids)
    floor = world.floor(ids, labels, batch["next_sentence_label"])
    right = [math.log(words[r, s, labels[r, s]]) for r, s in torch.nonzero(labels != -100).tolist()]
    assert floor.mlm_loss == pytest.approx(-np.mean(right))
    follows = [
        math.log(pairs[r, label]) for r, label in enumerate(batch["next_sentence_label"].tolist())
    ]
    assert floor.nsp_loss == pytest.approx(-np.mean(follows))
    assert floor.nsp_accuracy == np.mean(
        [
            pairs[r].argmax() == label
            for r, label in enumerate(batch["next_sentence_label"].tolist())
        ]
    )
    assert all(0 < value < 1 for value in dataclasses.astuple(floor))


@pytest.mark.parametrize(
    "arguments, message",
    [
        ({"sentences": 0}, "sentences must be at least 1, not 0"),
        ({"odds": (1, 2)}, "one number of at least 0 for each of 6 templates"),
        ({"odds": (0, 1, 1, 1, 1, -1)}, "at least 0"),
        (
            {"templates": ("{hero} sleeps",), "odds": (1,)},
            r"templates: \{hero\} must be one of name, pronoun",
        ),
        (
            {"tales": "name | place\nanna |\n"},
            "tales: row 1 must have words in 2 columns, not in 1",
        ),
    ],
)
def test_tables_that_do_not_fit_are_refused(arguments, message):
    with pytest.raises(ValueError, match=message):
        SmallWorld(**arguments)


def test_rows_that_cannot_come_about_are_refused():
    world = SmallWorld()
    ids = world.batch(0, 3)["input_ids"]
    with pytest.raises(ValueError, match="sequences .CLS. A .SEP. B .SEP."):
        world.posteriors(ids[:, 1:])
    with pytest.raises(ValueError, match="sequences .CLS. A .SEP. B .SEP."):
        world.posteriors(ids[0])
    ids[1, 2] = MASK
    with pytest.raises(
        ValueError,
        match=r"row 1 cannot come from this world with sentences=2, rate=0.15, replace=\(0.0, 1.0\)",
    ):
        world.posteriors(ids, replace=(0.0, 1.0))
    with pytest.raises(ValueError, match="row 0 cannot come from this world with sentences=3"):
        SmallWorld(sentences=3).posteriors(ids)

"""Which words are hidden and what stands in their place, at the edges; the shares themselves are in
test_data_statistics.py."""

import pytest
import torch

from minibert.data import mask_tokens
from minibert.data.masking import ALL_MASK

MASK, V = 4, 50
SPECIAL = (0, 2, 3, MASK)
IDS = torch.randint(5, V, (40, 50), generator=torch.Generator().manual_seed(0))
IDS[:, 0], IDS[:, -1], IDS[3, 20:] = 2, 3, 0
ORDINARY = ~torch.isin(IDS, torch.tensor(SPECIAL))


def mask(**changes):
    options = {
        "mask_token_id": MASK,
        "vocab_size": V,
        "special_ids": SPECIAL,
        "generator": torch.Generator().manual_seed(1),
    } | changes
    return mask_tokens(options.pop("input_ids", IDS), **options)


def test_labels_are_the_true_words_and_only_where_they_are_to_be_predicted():
    before = IDS.clone()
    seen, labels = mask()
    chosen = labels != -100
    assert torch.equal(IDS, before), "what goes in stays as it was"
    assert torch.equal(labels[chosen], IDS[chosen]) and torch.equal(seen[~chosen], IDS[~chosen])
    assert 0.1 < chosen.sum() / ORDINARY.sum() < 0.2 and not (chosen & ~ORDINARY).any()


@pytest.mark.parametrize(
    "replace, masked, same", [(ALL_MASK, True, False), ((0.0, 0.0), False, True)]
)
def test_all_of_one_kind(replace, masked, same):
    """Shares of 1 and 0 leave nothing to chance: every ordinary word is chosen, and all are masked,
    or all stay."""
    seen, labels = mask(rate=1.0, replace=replace)
    assert torch.equal(labels != -100, ORDINARY)
    assert (seen[ORDINARY] == MASK).all() == masked and (
        seen[ORDINARY] == IDS[ORDINARY]
    ).all() == same


def test_by_default_the_shares_are_the_published_ones():
    seen, _ = mask(rate=1.0)
    assert [
        float(found[ORDINARY].float().mean()) for found in (seen == MASK, seen == IDS)
    ] == pytest.approx([0.8, 0.1 + 0.1 / 46], abs=0.02)


def test_all_replaced_by_ordinary_words():
    seen, _ = mask(rate=1.0, replace=(0.0, 1.0))
    assert not torch.isin(seen[ORDINARY], torch.tensor(SPECIAL)).any()
    assert (
        set(seen[ORDINARY].tolist()) == set(range(V)) - set(SPECIAL)
        and (seen == IDS)[ORDINARY].float().mean() < 0.1
    )


def test_a_draw_on_the_bound(monkeypatch):
    """torch.rand may be 0, never 1: at 0 a rate of 0 chooses nothing, and a share of 0 for [MASK]
    masks nothing."""
    monkeypatch.setattr(torch, "rand", lambda shape, generator: torch.zeros(shape))
    assert (mask(rate=0.0)[1] == -100).all()
    seen, labels = mask(rate=0.5, replace=(0.0, 1.0))
    assert (
        torch.equal(labels != -100, ORDINARY)
        and not (seen == MASK).any()
        and (seen != IDS)[ORDINARY].float().mean() > 0.9
    )


def test_the_same_seed_draws_the_same():
    assert all(torch.equal(one, other) for one, other in zip(mask(), mask()))
    assert not torch.equal(mask()[1], mask(generator=torch.Generator().manual_seed(2))[1])


def test_one_ordinary_word_is_enough_and_none_is_not():
    ids = torch.full((2, 3), 1)
    seen, labels = mask(input_ids=ids, vocab_size=5, rate=1.0, replace=(0.0, 1.0))
    assert torch.equal(seen, ids) and torch.equal(labels, ids)
    with pytest.raises(
        ValueError, match="special_ids leave no ordinary token in a vocabulary of 5"
    ):
        mask(vocab_size=5, special_ids=range(5), input_ids=IDS * 0)


@pytest.mark.parametrize("replace", [(0.8, 0.2), (0.0, 0.0), (1.0, 0.0), (0.0, 1.0)])
def test_shares_may_add_up_to_one(replace):
    mask(replace=replace)


@pytest.mark.parametrize(
    "changes, said",
    [
        ({"input_ids": [[2, 5]]}, "input_ids must be a tensor, not a list"),
        ({"input_ids": IDS.float()}, f"all ids must be whole numbers below vocab_size {V}"),
        ({"input_ids": IDS > 0}, f"all ids must be whole numbers below vocab_size {V}"),
        ({"input_ids": IDS + V}, "all ids must be whole numbers below"),
        ({"special_ids": [V]}, "all ids must be whole numbers below"),
        ({"mask_token_id": -1}, "all ids must be whole numbers below"),
        ({"rate": -0.1}, "rate must lie between 0 and 1, not -0.1"),
        ({"rate": 1.1}, "rate must lie between 0 and 1, not 1.1"),
        (
            {"replace": (-0.1, 0.5)},
            r"replace must be two shares that add up to at most 1, not \(-0.1, 0.5\)",
        ),
        (
            {"replace": (0.6, 0.5)},
            r"replace must be two shares that add up to at most 1, not \(0.6, 0.5\)",
        ),
    ],
)
def test_arguments_that_cannot_be_are_refused(changes, said):
    with pytest.raises(ValueError, match=said):
        mask(**changes)

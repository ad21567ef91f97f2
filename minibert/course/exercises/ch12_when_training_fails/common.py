"""Definitions that several exercises of this chapter share."""

import torch

from minibert import BertConfig, BertForPreTraining

CHAPTER = "12_when_training_fails"


def tiny():
    """A model with dropout and a batch of 4 rows, the same each time."""
    torch.manual_seed(0)
    model = BertForPreTraining(
        BertConfig(
            vocab_size=40,
            hidden_size=16,
            num_hidden_layers=1,
            num_attention_heads=2,
            intermediate_size=32,
            max_position_embeddings=12,
            initializer_range=0.1,
        )
    ).train()
    ids = torch.randint(5, 40, (4, 12))
    labels = ids.where(torch.rand(4, 12) < 0.3, -100)
    batch = {
        "input_ids": ids.where(labels == -100, 4),
        "token_type_ids": (torch.arange(12) >= 6).long().expand(4, 12),
        "attention_mask": torch.ones(4, 12, dtype=torch.long),
        "labels": labels,
        "next_sentence_label": torch.tensor([0, 1, 0, 1]),
    }
    return model, batch

"""Answers to `MendedProgram` on which its check is tried."""

from types import SimpleNamespace

import torch
import torch.nn.functional as F

from planted import Answers, named


class Base(torch.nn.Module):
    def __init__(self, model):
        super().__init__()
        self.model = model


class TheModelsOwn(Base):
    def forward(self, input_ids, token_type_ids, attention_mask, labels, next_sentence_label):
        return self.model(
            input_ids,
            token_type_ids=token_type_ids,
            attention_mask=attention_mask,
            labels=labels,
            next_sentence_label=next_sentence_label,
        )


class TwoCriteria(Base):
    def forward(self, input_ids, token_type_ids, attention_mask, labels, next_sentence_label):
        out = self.model(input_ids, token_type_ids=token_type_ids, attention_mask=input_ids != 0)
        words = torch.nn.CrossEntropyLoss(ignore_index=0)
        loss = words(out.prediction_logits.flatten(0, 1), labels.clamp(min=0).flatten())
        loss = loss + F.cross_entropy(out.seq_relationship_logits, next_sentence_label)
        return SimpleNamespace(prediction_logits=out.prediction_logits, loss=loss)


def _wrong(name, mask="real", ignored=-100, clamp=False, pairs=True, factor=1, returned="both"):
    class Answer(Base):
        def forward(self, input_ids, token_type_ids, attention_mask, labels, next_sentence_label):
            real = input_ids != 0
            mask_of = {"real": real, "padding": ~real, "none": torch.ones_like(real)}[mask]
            out = self.model(input_ids, token_type_ids=token_type_ids, attention_mask=mask_of)
            labels = labels.clamp(min=0) if clamp else labels
            loss = F.cross_entropy(out.prediction_logits.flatten(0, 1), labels.flatten())
            if pairs:
                loss = loss + factor * F.cross_entropy(
                    out.seq_relationship_logits, next_sentence_label, ignore_index=ignored
                )
            found = {
                "both": {"prediction_logits": out.prediction_logits, "loss": loss},
                "loss": {"loss": loss},
                "flat": {"prediction_logits": out.prediction_logits.flatten(0, 1), "loss": loss},
            }
            return SimpleNamespace(**found[returned])

    return named(name, Answer)


ANSWERS = Answers(
    right=(TheModelsOwn, TwoCriteria),
    wrong={
        _wrong("as_it_was", mask="padding", ignored=0): r"both faults are still there",
        _wrong("mask_left", mask="padding"): r"still attend to the padding",
        _wrong("class_left", ignored=0): r"pairs with label 0 still cost nothing",
        _wrong("no_mask", mask="none"): r"padding included",
        _wrong("every_position", clamp=True): r"scores every position",
        _wrong("words_only", pairs=False): r"add that of the pairs",
        _wrong("half", factor=0.5): r"your predictions are right, and the loss is",
        _wrong("no_logits", returned="loss"): r"a tensor .prediction_logits",
        _wrong("flat", returned="flat"): r"expected \[B, S, V\]",
    },
)

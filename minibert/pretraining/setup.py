"""The objects of a run before its first step: the model, the run, the validation."""

from typing import Any

import torch

from minibert.config import BertConfig, InputError
from minibert.heads import BertForPreTraining
from minibert.hub.find_pretrained import weights_digest
from minibert.hub.load_weights import matrix_parameters
from minibert.hub.pretrained_io import from_pretrained
from minibert.pretraining.preparation import PreparedText
from minibert.pretraining.run_dir import RunDir
from minibert.pretraining.settings import NO_HELD_OUT
from minibert.pretraining.trainer import Pretraining
from minibert.pretraining.validation import ValidationSet
from minibert.training.distributed import ProcessGroup
from minibert.training.memory import refuse_too_large


def make_run(
    run_dir: RunDir,
    text: PreparedText,
    device: torch.device,
    processes: ProcessGroup,
    shard: bool,
    is_new: bool,
) -> Pretraining:
    """The run at step 0, with the weights of a saved model if it starts from one and is new."""
    settings = run_dir.settings
    with torch.random.fork_rng([]):
        torch.manual_seed(settings.options.seed)
        if settings.start and is_new:
            began = run_dir.record.get("start")  # None: an older version began the run
            if began not in (None, weights_digest(settings.start)):
                raise InputError(
                    f"the weights of {settings.start} have changed since this run began: put the "
                    "old ones back, or begin a new run with another --out"
                )
            names = ("hidden_dropout_prob", "attention_probs_dropout_prob")
            value = settings.dropout
            dropout: dict[str, Any] = {} if value is None else dict.fromkeys(names, value)
            model = from_pretrained(settings.start, BertForPreTraining, **dropout)
            run_dir.remember("config", model.config.to_dict)
        else:
            ids = text.tokenizer.vocab_size, text.tokenizer.pad_id
            config = run_dir.remember("config", lambda: settings.config(*ids).to_dict())
            shape = BertConfig.from_dict(config)
            refuse_too_large(matrix_parameters(shape))
            model = BertForPreTraining(shape)
    return Pretraining(
        model.to(device), text.training, text.tokenizer, settings.options, processes, shard
    )


def make_validation(
    run_dir: RunDir, text: PreparedText, processes: ProcessGroup, sequences: int
) -> ValidationSet | None:
    """The validation of a run; None where it was not asked for, or, with a note, not possible."""
    settings = run_dir.settings
    if settings.held_out == NO_HELD_OUT:
        return None
    try:
        if text.validation is None:
            raise InputError("the corpus has no text left for it; --held-out names some")
        return ValidationSet(
            text.validation,
            text.training,
            text.tokenizer,
            settings.options.length,
            max(sequences, processes.world),
        )
    except InputError as error:
        if settings.held_out:
            raise InputError(f"--held-out cannot be used for the evaluation: {error}") from error
        if processes.rank == 0:
            pairs = "" if settings.options.next_sentence else " (it reads pairs in any case)"
            print(f"no held-out evaluation{pairs}: {error}")
        return None

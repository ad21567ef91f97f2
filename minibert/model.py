"""BERT itself: embeddings, encoder and pooler; and the base class of every model here."""

from __future__ import annotations

import dataclasses
import importlib
from collections import namedtuple
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any, ClassVar, Self, TypeVar, dataclass_transform

import torch
from torch import Tensor, nn

from minibert.attention import extended_mask
from minibert.config import BertConfig, InputError
from minibert.embeddings import BertEmbeddings, check_device, check_inputs, is_traced
from minibert.encoder import BertEncoder

if TYPE_CHECKING:  # for its type alone: it comes with `tokenizers`, which no model needs
    from minibert.tokenization import WordPieceTokenizer

T = TypeVar("T")

# The package's models and the modules that define them, so that a file that names one can be opened
# without importing all of them.
PACKAGE_MODELS = {
    "BertModel": "minibert.model",
    "BertForPreTraining": "minibert.heads",
    "BertForMaskedLM": "minibert.heads",
    "BertForNextSentencePrediction": "minibert.heads",
    "BertForSequenceClassification": "minibert.heads",
    "BertForTokenClassification": "minibert.heads",
    "BertForQuestionAnswering": "minibert.heads",
    "BertForMultipleChoice": "minibert.heads",
    "BertForSentenceSimilarity": "minibert.inference.sentence_embeddings",
    "BertSumExt": "minibert.summarization.model",
}


@dataclass_transform()
def model_outputs(cls: type[T]) -> type[T]:
    """Make a dataclass that torch.export, torch.onnx.export and torch.compile can take apart (a
    "pytree").
    """
    made = dataclass(cls)
    name = f"{cls.__module__}.{cls.__qualname__}"  # in files that torch.export.save writes
    torch.export.register_dataclass(made, serialized_type_name=name)
    return made


@model_outputs
class BertOutputs:
    """What a BertModel returns."""

    last_hidden_state: Tensor  # [B, S, H]
    pooler_output: Tensor | None = None  # [B, H]
    hidden_states: list[Tensor] | None = None  # L + 1 of [B, S, H]: the embeddings, then each layer
    attentions: list[Tensor] | None = None  # L of [B, A, S, S], before dropout; rows sum to 1


class BertPooler(nn.Module):
    """The vector of a whole text: the last layer's [CLS] through a linear map and tanh.

    google-research/bert, modeling.py, class BertModel ("pooler"); pretrained by next-sentence
    prediction.
    """

    def __init__(self, config: BertConfig) -> None:
        super().__init__()
        self.dense = nn.Linear(config.hidden_size, config.hidden_size)

    def forward(self, last_hidden_state: Tensor) -> Tensor:
        """[B, S, H] -> [B, H]."""
        return self.dense(last_hidden_state[:, 0]).tanh()  # [B, H]


class BertPreTrainedModel(nn.Module):
    """The base of every model here.

    It has a config, opens and saves itself, and draws its weights as published. A class made from
    this one is known by its name from then on: `minibert.from_pretrained` opens a folder whose
    config.json names it.
    """

    classes: ClassVar[dict[str, type[BertPreTrainedModel]]] = {}  # made from this one, by name
    source_folder: Path | None = None  # where the weights came from, and the vocabulary lies

    def __init_subclass__(cls, **options: Any) -> None:
        super().__init_subclass__(**options)
        BertPreTrainedModel.classes[cls.__name__] = cls

    def __init__(self, config: BertConfig) -> None:
        super().__init__()
        if not isinstance(config, BertConfig):
            raise InputError(f"config must be a BertConfig, not a {type(config).__name__}")
        self.config = config

    def __call__(self, *inputs: Any, **named: Any) -> Any:
        """Call `forward`. torch.jit.trace cannot return a dataclass.

        It gets a named tuple of the tensors.
        """
        outputs = super().__call__(*inputs, **named)
        return _as_named_tuple(outputs) if is_traced() else outputs

    @classmethod
    def from_pretrained(cls, name_or_folder: str | Path, **options: Any) -> Self:
        """Open a saved model as a model of this class, in evaluation mode.

        A head that the file lacks is fresh.
        `options` are those of `minibert.from_pretrained`: dtype, and config fields to change, such
        as num_labels=3.
        """
        # deferred: `hub` builds on this module
        from minibert.hub.pretrained_io import from_pretrained

        return from_pretrained(name_or_folder, cls, **options)

    def save_pretrained(
        self, folder: str | Path, tokenizer: WordPieceTokenizer | None = None
    ) -> None:
        """Write config.json, model.safetensors and the vocabulary to a folder, as
        `minibert.save_pretrained` does.
        """
        # deferred: `hub` builds on this module
        from minibert.hub.pretrained_io import save_pretrained

        save_pretrained(self, folder, tokenizer)

    @property
    def device(self) -> torch.device:
        """The device of the weights, where inputs have to be too."""
        return next(self.parameters()).device

    @property
    def dtype(self) -> torch.dtype:
        """The number format of the weights."""
        return next(self.parameters()).dtype

    def initialize_weights(self) -> None:
        """Draw fresh weights.

        Linear and embedding weights N(0, initializer_range), biases 0, LayerNorm 1 and 0, the
        padding row 0. The original program truncates the normal distribution at two standard
        deviations; the reference implementation, and this one, do not.
        """
        for module in self.modules():
            if isinstance(module, (nn.Linear, nn.Embedding)):
                nn.init.normal_(module.weight, std=self.config.initializer_range)
                if isinstance(module, nn.Linear):
                    nn.init.zeros_(module.bias)
                elif module.padding_idx is not None:
                    with torch.no_grad():
                        module.weight[module.padding_idx].zero_()


class BertModel(BertPreTrainedModel):
    """The bidirectional encoder of Devlin et al. 2018, without a task head.

    Its modules are named as in the published checkpoints, so that they load without any renaming.
    """

    def __init__(self, config: BertConfig, add_pooling_layer: bool = True) -> None:
        super().__init__(config)
        self.embeddings = BertEmbeddings(config)
        self.encoder = BertEncoder(config)
        self.pooler = BertPooler(config) if add_pooling_layer else None
        self.initialize_weights()

    def forward(
        self,
        input_ids: Tensor | None = None,
        *,
        token_type_ids: Tensor | None = None,
        attention_mask: Tensor | None = None,
        position_ids: Tensor | None = None,
        inputs_embeds: Tensor | None = None,
        output_attentions: bool = False,
        output_hidden_states: bool = False,
    ) -> BertOutputs:
        """Run the encoder.

        input_ids       [B, S] integer ids below vocab_size
        token_type_ids  [B, S] segment of each token; 0 everywhere by default
        attention_mask  [B, S], 1 or True = a real token, 0 or False = padding; or boolean
                        [B, S, S], True = query (row) may attend to key (column), for several texts
                        packed into one sequence
        position_ids    [B, S] or [1, S]; 0, 1, 2, … by default
        inputs_embeds   [B, S, H] word vectors, instead of input_ids; segments and positions are
                        added to them

        Raises an InputError, with the numbers in it, for ids outside their table, a sequence beyond
        the positions, a mask of another shape or dtype, an empty batch, a tensor on another device
        than the model, and for input_ids and inputs_embeds both given or missing.
        """
        check_device(
            self.embeddings.word_embeddings.weight.device,
            input_ids=input_ids,
            token_type_ids=token_type_ids,
            attention_mask=attention_mask,
            position_ids=position_ids,
            inputs_embeds=inputs_embeds,
        )
        check_inputs(self.config, input_ids, token_type_ids, position_ids, inputs_embeds)
        if (
            inputs_embeds is not None
            and torch.promote_types(inputs_embeds.dtype, self.dtype) != self.dtype
            and not torch.is_autocast_enabled(inputs_embeds.device.type)
        ):
            raise InputError(
                f"inputs_embeds is of dtype {inputs_embeds.dtype}, the model {self.dtype}: convert "
                "it with .to(model.dtype)"
            )
        embedded = self.embeddings(
            input_ids,
            token_type_ids=token_type_ids,
            position_ids=position_ids,
            inputs_embeds=inputs_embeds,
        )  # [B, S, H]
        mask = extended_mask(attention_mask, embedded[..., 0])  # [B, 1, 1 or S, S]
        states, weights = self.encoder(embedded, mask, output_attentions)
        last = states[-1]  # [B, S, H]
        return BertOutputs(
            last_hidden_state=last,
            pooler_output=self.pooler(last) if self.pooler is not None else None,  # [B, H]
            hidden_states=states if output_hidden_states else None,
            attentions=weights if output_attentions else None,
        )


def model_class_named(name: str) -> type[BertPreTrainedModel] | None:
    """The package's class of this name, or one made elsewhere from BertPreTrainedModel.

    None where there is neither.
    """
    if name in PACKAGE_MODELS:
        module = importlib.import_module(PACKAGE_MODELS[name])
        found: type[BertPreTrainedModel] = getattr(module, name)
        return found
    return BertPreTrainedModel.classes.get(name)


def bert_of(model: BertPreTrainedModel) -> BertModel:
    """The BertModel inside a model with a head; a BertModel itself."""
    bert = model if isinstance(model, BertModel) else getattr(model, "bert", None)
    if not isinstance(bert, BertModel):
        raise InputError(f"a {type(model).__name__} has no BertModel as its `bert`")
    return bert


@contextmanager
def evaluating(model: nn.Module) -> Iterator[None]:
    """Within it the model is in evaluation mode (no dropout).

    After it every module is in the mode it had before.
    """
    modes = [(module, module.training) for module in model.modules()]  # some parts may be frozen
    model.eval()
    try:
        yield
    finally:
        for module, mode in modes:
            module.training = mode


def _as_named_tuple(outputs: Any) -> Any:
    """A dataclass of outputs as a named tuple of those that are there.

    The others are None on it, not in it.
    """
    values = {field.name: getattr(outputs, field.name) for field in dataclasses.fields(outputs)}
    present = {name: value for name, value in values.items() if value is not None}
    absent = dict.fromkeys(values.keys() - present.keys())
    named = type(type(outputs).__name__, (namedtuple("Outputs", present),), absent)
    return named(**present)

"""Modules with shapes and without numbers."""

import subprocess
import sys

from minibert import BertConfig, BertForPreTraining
from minibert.hub.shapes_only import shapes_only


def test_a_model_with_its_shapes_and_nothing_else():
    config = BertConfig(60, hidden_size=16, num_hidden_layers=2, num_attention_heads=2)
    with shapes_only():
        empty = BertForPreTraining(config)
    full = BertForPreTraining(config)
    assert {tensor.device.type for tensor in empty.parameters()} == {"meta"}
    assert {name: each.shape for name, each in empty.state_dict().items()} == {
        name: each.shape for name, each in full.state_dict().items()
    }
    assert full.bert.embeddings.word_embeddings.weight.std() > 0  # numbers again afterwards


def test_counting_and_opening_a_summarizer_do_not_import_the_compiler():
    """Its import takes seconds, and nothing is compiled."""
    program = (
        "import sys, minibert\n"
        "from minibert.inference.model_cost import count_parameters\n"
        "from minibert.summarization.head_store import open_summarizer\n"
        "count_parameters(minibert.BertConfig(60)), open_summarizer('minibert-small')\n"
        "sys.exit('torch._dynamo' in sys.modules)"
    )
    assert subprocess.run([sys.executable, "-c", program]).returncode == 0

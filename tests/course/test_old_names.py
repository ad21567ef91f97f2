"""Notebooks of the first edition, downloaded before the package was rearranged, still import."""

import importlib
import subprocess
import sys

import pytest

from minibert.course import old_names

# Every import of minibert in the notebooks of the first edition, each line once.
FIRST_EDITION = """
from minibert import BertConfig, BertForMaskedLM, WordPieceTokenizer, training
from minibert import BertConfig, BertForPreTraining, WordPieceTokenizer, from_pretrained
from minibert import BertConfig, BertModel, WordPieceTokenizer, from_pretrained
from minibert import (
    BertConfig, BertModel, WordPieceTokenizer, from_pretrained, heads, save_pretrained,
)
from minibert import BertConfig, WordPieceTokenizer, from_pretrained
from minibert import (
    BertForMultipleChoice, BertForQuestionAnswering, BertForSequenceClassification,
    BertForTokenClassification, BertModel, WordPieceTokenizer, from_pretrained,
)
from minibert import BertForPreTraining, BertModel, WordPieceTokenizer, from_pretrained
from minibert import WordPieceTokenizer
from minibert.attention import BertAttention
from minibert.attention import BertAttention, BertSelfAttention, BertSelfOutput
from minibert.attention import BertSelfAttention, attend, fused_attend
from minibert.attention import attend
from minibert.cli import main
from minibert.clinic import PATIENTS, PROBES, PUZZLES, admit, infected, operate, shown
from minibert.clinic.probes import question
from minibert.config import BertConfig
from minibert.data import (
    PairRows, TokenFile, create_instances_from_document, create_masked_lm_predictions,
    create_training_instances, mask_tokens, write_tokens,
)
from minibert.data import PairRows, TokenFile, mask_tokens, write_tokens
from minibert.data import mask_tokens
from minibert.data.sentences import split_sentences
from minibert.data.small_world import SmallWorld
from minibert.data.wikipedia import wikipedia_articles
from minibert.data.wikipedia_tasks import topic_sentences
from minibert.embeddings import BertEmbeddings
from minibert.encoder import BertEncoder
from minibert.encoder import BertEncoder, BertIntermediate, BertLayer, BertOutput
from minibert.encoder import BertLayer
from minibert.exercises import check
from minibert.exercises import check, similarities
from minibert.exercises import check, similarities, swap_in
from minibert.exercises import check, swap_in
from minibert.exercises.swap import SENTENCES
from minibert.figures import (
    COLORS, all_heads, attention_head, flipbook, heat_table, show_source, use_style,
)
from minibert.figures import COLORS, all_heads, flipbook, heat_table, show_source, use_style
from minibert.figures import (
    COLORS, benchmark_log, flipbook, heat_table, mask_sampler, show_source, use_style,
)
from minibert.figures import (
    COLORS, benchmark_log, flipbook, heat_table, show_source, use_style,
)
from minibert.figures import (
    COLORS, benchmark_log, flipbook, heat_table, show_source, use_style,
)
from minibert.figures import (
    COLORS, benchmark_log, heat_table, show_source, summary_choice, use_style,
)
from minibert.figures import (
    COLORS, calculator, heat_table, residual_stream, show_source, use_style,
)
from minibert.figures import COLORS, embedding_sum, heat_table, show_source, use_style
from minibert.figures import COLORS, flipbook, heat_table, show_source, use_style
from minibert.figures import COLORS, flipbook, show_source, use_style, word_pieces
from minibert.figures import (
    COLORS, heat_table, position_clocks, position_products, show_source, use_style,
)
from minibert.figures import benchmark_log
from minibert.filling import fill_mask
from minibert.finetuning import (
    ChoiceExample, Classification, FineTuning, FineTuningOptions, MultipleChoice,
    QuestionAnswering, QuestionExample, Regression, TaggedExample, Tagging, TextExample,
    answer_f1, entities, entity_f1, evaluate, exact_match, finetune, model_for, predict,
)
from minibert.heads import IGNORE
from minibert.hub import find_pretrained
from minibert.inspection import activations, count_parameters, flops, memory
from minibert.interpretability import (
    ablate_heads, capture, control_task, head_means, majority_accuracy, rollout, train_probe,
)
from minibert.model import BertOutputs
from minibert.model import BertOutputs, BertPooler, extended_mask
from minibert.model import extended_mask
from minibert.optim import make_optimizers, schedule, set_learning_rate
from minibert.positions import SinusoidalPositions, sinusoidal_table
from minibert.positions import sinusoidal_table
from minibert.resume import load_checkpoint, save_checkpoint
from minibert.sentence import embed, mean_pool
from minibert.summarization import (
    BertSumExt, InterSentenceEncoder, SentenceClassifier, SentenceRNN, collate,
    encode_document, encode_windows, greedy_oracle, load_bertsum_head, score_document,
    select_sentences, summarize,
)
from minibert.summarization import BertSumExt, first_layers
from minibert.summarization import InterSentenceEncoder
from minibert.summarization import summarize
from minibert.summarization.examples import lead_examples, section_examples
from minibert.summarization.oracle import clean_words, ngrams, overlap_f1
from minibert.summarization.oracle import ngrams, overlap_f1
from minibert.summarization.packaged import open_summarizer
from minibert.summarization.training import encode_sentences
from minibert.training import Pretraining, PretrainingOptions
import minibert
"""


def run(code: str, *options: str) -> subprocess.CompletedProcess[str]:
    """Run code in a process of its own, in which nothing of minibert is imported yet."""
    return subprocess.run([sys.executable, *options, "-c", code], capture_output=True, text=True)


def test_the_notebooks_of_the_first_edition_import():
    done = run(FIRST_EDITION + "print(PairRows, schedule, find_pretrained, extended_mask)")
    assert done.returncode == 0, done.stderr
    assert "minibert.data.sequences.PairSequences" in done.stdout
    assert "learning_rate_schedule" in done.stdout


def test_an_old_name_is_the_new_object_and_not_a_copy():
    done = run(
        "import minibert.exercises.swap, minibert.course.exercises.swap as new\n"
        "from minibert.exercises import swap\n"
        "assert swap.SENTENCES is new.SENTENCES\n"
        "from minibert.clinic import PATIENTS\n"
        "import minibert.course.clinic\n"
        "assert PATIENTS is minibert.course.clinic.PATIENTS\n"
    )
    assert done.returncode == 0, done.stderr


def test_functions_whose_name_is_a_module_today_can_be_called():
    """Twice: the first edition's cells are run again."""
    code = (
        "from minibert.cli import main\n"
        "from minibert.hub import find_pretrained\n"
        "main(['info', 'tiny'])\n"
        "print(find_pretrained('minibert-small'))\n"
    )
    done = run(code + code)
    assert done.returncode == 0, done.stderr
    assert done.stdout.count("tiny: a BertModel of 2 layers") == 2


def test_a_module_of_today_is_itself():
    """An old name must not stand in for a module that is imported the ordinary way."""
    done = run(
        "import types\n"
        "from minibert.hub import find_pretrained\n"
        "from minibert.training import optim\n"
        "from minibert.data.wikipedia import articles\n"
        "import sys\n"
        "assert 'minibert.pretraining' not in sys.modules\n"
        "from minibert.cli import main\n"
        "for module in (main, find_pretrained, optim, articles):\n"
        "    assert isinstance(module, types.ModuleType), module\n"
    )
    assert done.returncode == 0, done.stderr
    assert "Deprecation" not in done.stderr


def test_an_old_name_warns_once_and_says_the_new_one():
    code = (
        "from minibert.optim import schedule\n"
        "from minibert.optim import schedule\n"
        "from minibert.training import PretrainingOptions\n"
    )
    done = run(code, "-W", "always::DeprecationWarning")
    told = [line for line in done.stderr.splitlines() if "first edition" in line]
    assert len(told) == 2, done.stderr
    assert "minibert.optim.schedule" in told[0]
    assert told[0].endswith("write minibert.training.optim.learning_rate_schedule")
    assert told[0].startswith("<string>:1:"), "the warning points to the line that imports"


def test_a_name_that_never_was_is_an_error_that_names_it():
    done = run("from minibert.training import Nonsense")
    assert "cannot import name 'Nonsense' from 'minibert.training'" in done.stderr
    done = run("import minibert.nonsense")
    assert "No module named 'minibert.nonsense'" in done.stderr
    done = run("from minibert.figures import no_such_figure")
    assert "cannot import name 'no_such_figure'" in done.stderr


@pytest.mark.parametrize("old", old_names.MODULES)
def test_every_entry_of_the_table_leads_to_a_module(old):
    for place in old_names.MODULES[old]:
        importlib.import_module(f"minibert.{place}")


def test_every_new_name_exists():
    places = {place for places in old_names.MODULES.values() for place in places}
    homes = [importlib.import_module(f"minibert.{place}") for place in sorted(places)]
    for old, new in old_names.NAMES.items():
        assert any(hasattr(home, new) for home in homes), f"{old} -> {new}"


def test_the_package_itself_uses_no_old_name():
    """Everything is imported with the warning as an error, and without the old names."""
    done = run(
        "import pkgutil, sys, minibert\n"
        "sys.meta_path[:] = [f for f in sys.meta_path if type(f).__name__ != '_OldNamesFinder']\n"
        "for module in pkgutil.walk_packages(minibert.__path__, 'minibert.'):\n"
        "    if module.name != 'minibert.__main__':\n"
        "        __import__(module.name)\n"
    )
    assert done.returncode == 0, done.stderr

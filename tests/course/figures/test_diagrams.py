"""The diagrams: their shapes are those of real tensors, and their text is legible in Chromium."""

import itertools
from dataclasses import replace
from functools import cache

import pytest
import torch
from shape_runs import MODEL, config, ids
from tiny_run import TOKENIZER
from tokenizers.pre_tokenizers import BertPreTokenizer

import minibert
from minibert.attention import attend
from minibert.course.diagrams import (
    bertsum,
    failing_run,
    five_heads,
    head,
    layer,
    model,
    one_query,
    pretraining_input,
    sentence_pairs,
    tokenizer,
)
from minibert.course.diagrams.head import KEY, QUERY, VALUE, mixed, weights
from minibert.course.diagrams.model import LIT
from minibert.course.diagrams.pretraining_input import CHOSEN, TEXTS, rows
from minibert.course.diagrams.tokenizer import IDS, NORMAL, PIECES, TEXT, WORDS, tokens
from minibert.data import mask_tokens
from minibert.hub.find_pretrained import MINILM
from minibert.inference.sentence_embeddings import mean_pool
from minibert.positions import sinusoidal_table
from minibert.summarization import BertSumExt
from tools.stills import letters

SPLIT = BertPreTokenizer()
SIZES = {**MODEL, "B": 5, "S": 7, "N": 6, "P": 29, "C": 11, "K": 3}
CLOSE_UPS = {
    "layer": layer,
    "head": head,
    "pretraining_input": pretraining_input,
    "five_heads": five_heads,
    "bertsum": bertsum,
    "tokenizer": tokenizer,
}
DRAWN = {**{chapter: lambda chapter=chapter: model(chapter) for chapter in LIT}, **CLOSE_UPS}
DRAWN["failing_run"] = failing_run
DRAWN["sentence_pairs"] = sentence_pairs
DRAWN["one_query"] = lambda: one_query(
    ["the", "bank", "by", "river"], 1, [3, 0], [[0, 0], [1, 2], [0, 0], [2, 2]], [[0, 0], [1, 1], [0, 0], [2, 0]]
)  # fmt: skip


def seen(whole, **inputs):
    """Inputs and outputs of every module in one run: name -> (its tensors that go in, what comes out)."""
    kept = {}
    for name, module in whole.named_modules():
        module.register_forward_hook(
            lambda _, before, after, name=name: kept.update({name: (before, after)})
        )
    with torch.no_grad():
        kept["result"] = whole.eval()(**inputs)
    return kept


@cache
def of_model():
    """The tensors that the diagram of the model names."""
    whole = minibert.BertForPreTraining(config())
    mask = torch.ones(5, 7, dtype=torch.bool)
    run = seen(whole, input_ids=ids(5, 7), attention_mask=mask, output_attentions=True, output_hidden_states=True)  # fmt: skip
    masked, labels = mask_tokens(ids(5, 7), mask_token_id=4, vocab_size=43, special_ids=[0])
    table = whole.bert.embeddings
    layer0 = "bert.encoder.layer.0"
    attention = whole.bert.encoder.layer[0].attention.self
    query = attention.split_heads(run[f"{layer0}.attention.self.query"][1])
    mixed = run[f"{layer0}.attention.self"][1][0]
    states = run["result"].hidden_states
    assert len(states) == SIZES["L"] + 1 == len(run["result"].attentions) + 1
    return {
        "input_ids": ids(5, 7),
        "masked input_ids": masked,
        "labels": labels,
        "token_type_ids": run["bert.embeddings.token_type_embeddings"][0][0],
        "position_ids": run["bert.embeddings.position_embeddings"][0][0],
        "attention_mask": mask,
        "word table": table.word_embeddings.weight,
        "segment table": table.token_type_embeddings.weight,
        "position table": table.position_embeddings.weight,
        "word vectors": run["bert.embeddings.word_embeddings"][1],
        "segment vectors": run["bert.embeddings.token_type_embeddings"][1],
        "position vectors": run["bert.embeddings.position_embeddings"][1],
        "sum": run["bert.embeddings.LayerNorm"][0][0],
        "embeddings": run["bert.embeddings"][1],
        "mask": run[f"{layer0}.attention.self"][0][1],
        "query": query,
        "key": attention.split_heads(run[f"{layer0}.attention.self.key"][1]),
        "value": attention.split_heads(run[f"{layer0}.attention.self.value"][1]),
        "scores": run["result"].attentions[0],
        "weights": run["result"].attentions[0],
        "mixed": attention.split_heads(mixed),
        "joined": run[f"{layer0}.attention.output.dense"][0][0],
        "output": run[f"{layer0}.attention.output.dense"][1],
        "hidden": run[f"{layer0}.attention.self.query"][0][0],
        "attention": run[f"{layer0}.attention.output.dense"][1],
        "after attention": run[f"{layer0}.attention"][1][0],
        "intermediate": run[f"{layer0}.intermediate"][1],
        "feed-forward": run[f"{layer0}.output.dense"][1],
        "hidden states": states[1],
        "to the MLM head": run["bert.encoder"][1][0][-1],
        "[CLS]": run["bert.pooler.dense"][0][0],
        "pooled": run["bert.pooler"][1],
        "text vector": mean_pool(states[-1], mask),
        "mlm output": run["result"].prediction_logits,
        "nsp output": run["result"].seq_relationship_logits,
        "next_sentence_label": torch.zeros(5),
        "task output": minibert.BertForSequenceClassification(config())(ids(5, 7)).logits,
        "sentence vectors": of_bertsum()["sentence vectors"],
        "sentences output": of_bertsum()["scores"],
    }


@cache
def of_bertsum():
    summarizer = BertSumExt(minibert.BertModel(config()), num_heads=4)
    positions, present = torch.arange(6).expand(5, 6), torch.ones(5, 6, dtype=torch.bool)
    run = seen(summarizer, input_ids=ids(5, 7), sentence_positions=positions, sentence_mask=present)
    return {
        "input_ids": ids(5, 7),
        "hidden": run["bert"][1].last_hidden_state,
        "sentence vectors": summarizer.sentence_vectors(ids(5, 7), sentence_positions=positions, sentence_mask=present),
        "sentence positions": sinusoidal_table(6, 36),
        "encoder input": run["head.encoder"][0][0],
        "encoder output": run["head.encoder"][1][0][-1],
        "scores": run["result"].scores,
        "labels": run["result"].scores,
    }  # fmt: skip


@cache
def of_layer():
    """Post-norm and pre-norm: where each module of the first layer gets its input from."""
    found = {}
    for form, first in (("post", False), ("pre", True)):
        run = seen(minibert.BertModel(replace(config(), norm_first=first)), input_ids=ids(5, 7))
        name = "encoder.layer.0"
        stream = run[name][0][0]
        into, norm = run[f"{name}.attention.self"][0][0], f"{name}.attention.output.LayerNorm"
        assert torch.equal(into, run[norm][1] if first else stream), "what attention reads"
        middle = run[f"{name}.attention"][1][0]
        added = stream + run[f"{name}.attention.output.dense"][1]
        assert torch.allclose(added, middle if first else run[norm][0][0]), "what the norm reads"
        wide = run[f"{name}.intermediate"][0][0]
        assert torch.equal(wide, run[f"{name}.output.LayerNorm"][1] if first else middle)
        found |= {
            f"{form} input": stream,
            f"{form} attention input": into,
            f"{form} attention": run[f"{name}.attention.output.dense"][1],
            f"{form} feed-forward input": wide,
            f"{form} feed-forward": run[f"{name}.output.dense"][1],
            f"{form} output": run[name][1][0],
        }
        assert ("encoder.norm" in run) == first, "one more norm at the end of a pre-norm stack"
    return found


@cache
def of_five_heads():
    text = seen(minibert.BertForSequenceClassification(config()), input_ids=ids(5, 7))
    pair = seen(minibert.BertForSequenceClassification(config()), input_ids=ids(5, 7), token_type_ids=ids(5, 7) % 2)  # fmt: skip
    token = seen(minibert.BertForTokenClassification(config()), input_ids=ids(5, 7))
    span = seen(minibert.BertForQuestionAnswering(config()), input_ids=ids(5, 7))
    choice = seen(minibert.BertForMultipleChoice(config()), input_ids=ids(5, 3, 7))
    assert span["result"].start_logits.shape == span["result"].end_logits.shape
    return {
        "input_ids": ids(5, 7),
        "pooled": text["classifier"][0][0],
        "text logits": text["result"].logits,
        "pooled pair": pair["classifier"][0][0],
        "pair logits": pair["result"].logits,
        "states": token["classifier"][0][0],
        "token logits": token["result"].logits,
        "states for span": span["qa_outputs"][0][0],
        "span logits": span["result"].start_logits,
        "pooled choices": choice["classifier"][0][0],
        "choice logits": choice["result"].logits,
    }


def measured(name):
    return {"layer": of_layer, "five_heads": of_five_heads, "bertsum": of_bertsum}.get(
        name, of_model
    )()


def meant(shape):
    """The numbers that a shape means, such as [15, 36] for [B·K, H]."""
    sizes = []
    for letters_of_axis in shape.removeprefix("2 × ").strip("[]").split(", "):
        product = 1
        for letter in letters_of_axis.split("·"):
            product *= SIZES.get(letter) or int(letter)
        sizes.append(product)
    return sizes


@pytest.mark.parametrize("name", ["attention", *CLOSE_UPS])
def test_the_shapes_are_those_of_a_run(name):
    shapes, tensors = DRAWN[name]().shapes, measured(name)
    assert shapes
    wrong = {
        of: (shape, list(tensors[of].shape))
        for of, shape in shapes.items()
        if meant(shape) != list(tensors[of].shape)
    }
    assert wrong == {}


def test_the_numbers_of_the_head_come_out_of_each_other():
    q, k, v = (torch.tensor(m, dtype=torch.float)[None, None] for m in (QUERY, KEY, VALUE))
    result, shares = attend(q, k, v)
    assert torch.allclose(torch.tensor(weights()), shares[0, 0], atol=1e-6)
    assert torch.allclose(torch.tensor(mixed()), result[0, 0], atol=1e-6)
    assert shares[0, 0, 1].argmax() == 4, "bank looks at river"


def test_the_numbers_of_one_query_are_those_of_attend():
    keys, values = (
        torch.tensor([[0.0, 0], [1, 2], [2, 2]]),
        torch.tensor([[0.0, 0], [1, 1], [2, 0]]),
    )
    result, shares = attend(torch.tensor([[[[3.0, 0]]]]), keys[None, None], values[None, None])
    said = one_query(["a", "b", "c"], 1, [3, 0], keys.tolist(), values.tolist()).alt
    for weight in shares.flatten().tolist():
        assert f"weight {weight:.2f}" in said
    assert said.endswith(
        f"are ({', '.join(f'{round(each, 2):g}' for each in result.flatten().tolist())})."
    )


def test_the_input_of_pretraining_is_what_the_tokenizer_makes():
    batch = TOKENIZER([TEXTS[0]], [TEXTS[1]])
    length = batch["input_ids"].size(1)
    pad = len(rows()) - sum(row[3] for row in rows())
    own = sum(row[3] for row in rows())
    first = 2 + len(TEXTS[0].split())
    assert own == first + len(TEXTS[1].split()) + 1
    assert [row[2] for row in rows()][:first] == [0] * first
    types = batch["token_type_ids"][0].tolist()
    assert types[0] == 0 and types[-1] == 1 and sorted(types) == types
    padded = TOKENIZER([TEXTS[0], TEXTS[0]], [TEXTS[1], TEXTS[1] + " " + TEXTS[1]])
    assert padded["attention_mask"][0, -1] == 0 and padded["token_type_ids"][0, -1] == 0
    assert rows()[-1][2:] == (0, 0, str(minibert.heads.IGNORE)) and pad == 1 and length > 3
    for i, (token, _, _, _, label) in enumerate(rows()):
        assert label == (token if i in CHOSEN else "-100")


def test_the_tokenizer_in_the_drawing_is_the_real_one():
    real = minibert.WordPieceTokenizer.from_pretrained(MINILM)
    words = [NORMAL[begin:end] for _, (begin, end) in SPLIT.pre_tokenize_str(NORMAL)]
    assert words == WORDS and [real.tokenize(word) for word in WORDS] == PIECES
    batch = real([TEXT, f"{TEXT} {TEXT[-1]}"])
    assert batch["input_ids"][0].tolist() == IDS
    assert [real.id_to_token(i) for i in IDS] == tokens()
    assert set(tokenizer().shapes) == set(batch)


def test_every_chapter_has_its_lit_copy():
    from tools.environment import NOTEBOOKS

    stems = {path.stem[3:] for path in NOTEBOOKS.glob("[0-9][0-9]_*.ipynb")}
    assert set(LIT) == stems
    copies = [model(chapter).svg for chapter in LIT]
    assert len(set(copies)) == len(copies)
    with pytest.raises(ValueError, match="there are first_look, tokens"):
        model("nothing")


# where text goes beyond its drawing, and where two texts lie on each other
CROWDED = """() => [...document.querySelectorAll("svg")].flatMap(svg => {
    const texts = [...svg.querySelectorAll("text")], boxes = texts.map(text => text.getBBox());
    const bad = [], right = svg.viewBox.baseVal.width, bottom = svg.viewBox.baseVal.height;
    boxes.forEach((a, i) => {
        if (a.x < 1 || a.x + a.width > right - 1 || a.y + a.height > bottom + 1) bad.push("beyond the edge: " + texts[i].textContent);
        boxes.slice(i + 1).forEach((b, j) => {
            const wide = Math.min(a.x + a.width, b.x + b.width) - Math.max(a.x, b.x), high = Math.min(a.y + a.height, b.y + b.height) - Math.max(a.y, b.y);
            if (wide > 1 && high > 4.5) bad.push(texts[i].textContent + " | " + texts[i + 1 + j].textContent);
        });
    });
    return bad;
})"""


@pytest.mark.parametrize("fonts", ["of the book", "of the machine"])
@pytest.mark.parametrize("name", DRAWN)
def test_no_text_lies_on_another_or_beyond_the_edge(tab, name, fonts):
    rules = letters() if fonts == "of the book" else ""
    tab.set_content(f"<!doctype html><style>{rules}</style>{DRAWN[name]().svg}")
    tab.evaluate("document.fonts.ready")
    assert tab.evaluate(CROWDED) == []


COLOUR = "getComputedStyle(document.querySelector('svg rect')).fill"


def test_colours_follow_the_system_and_the_page_and_paper_is_light(tab):
    tab.set_content(layer().svg)
    colours = []
    for scheme, medium in itertools.product(("light", "dark"), ("screen", "print")):
        tab.emulate_media(color_scheme=scheme, media=medium)
        colours.append(tab.evaluate(COLOUR))
    light, dark = "rgb(255, 255, 255)", "rgb(16, 22, 28)"
    assert colours == [light, light, dark, light]
    tab.emulate_media(color_scheme="light", media="screen")


@pytest.mark.parametrize("name", DRAWN)
def test_the_alternative_says_what_is_drawn(name):
    diagram = DRAWN[name]()
    assert len(diagram.alt) > 200 and f'aria-label="{diagram.alt}"' in diagram.svg
    assert diagram._repr_mimebundle_()["text/plain"] == diagram.alt
    assert len(diagram.svg) < 40_000

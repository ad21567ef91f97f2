"""BERT in one file: the model, a tokenizer, the data and the pretraining, in PyTorch and NumPy.

    python examples/bert_in_one_file.py some.txt    any UTF-8 text, from 100,000 words or so
    python examples/bert_in_one_file.py             the 97 Wikipedia articles that minibert installs

It learns a vocabulary, trains a small BERT on masked words (MLM) and next sentences (NSP), as in
Devlin et al. 2018, measures it on a tenth of the text that it never saw, and fills blanks there.

There its 3,000 steps take 8 minutes of processor time. The held-out MLM loss falls to 5.66; a
model that ignores the context has 6.80. So little text teaches no NSP: 51% right is chance.

The parameters are named as in the published checkpoints, so minibert's BertForPreTraining loads the
state_dict() as it is. The comments give the shape of every tensor, in these letters:
    B batch   S tokens in a sequence   H hidden size   A attention heads   D = H / A head size
    I feed-forward size   V vocabulary   L layers   M masked positions in the batch
"""
import argparse
import re
import time
from collections import Counter, namedtuple
from pathlib import Path

import numpy as np
import torch
import torch.nn.functional as F
from torch import nn

SPECIAL = ["[PAD]", "[CLS]", "[SEP]", "[MASK]"]
PAD, CLS, SEP, MASK = range(4)

# ------------------------------------------------------------------------------------- the model
# The sizes of a model; BERT-base has V=30522, H=768, A=12, I=3072, L=12, S=512.
Config = namedtuple("Config", "V H A I L S dropout", defaults=(128, 2, 512, 3, 32, 0.1))

class Embeddings(nn.Module):
    """Which token it is, which of the two texts it is in, and where it is: three vectors, added."""
    def __init__(self, c: Config):
        super().__init__()
        self.word_embeddings = nn.Embedding(c.V, c.H)
        self.token_type_embeddings = nn.Embedding(2, c.H)
        # attention has no notion of order: without this table a text would be a bag of words
        self.position_embeddings = nn.Embedding(c.S, c.H)
        self.LayerNorm, self.dropout = nn.LayerNorm(c.H, eps=1e-12), nn.Dropout(c.dropout)
    def forward(self, input_ids, token_type_ids):
        x = self.word_embeddings(input_ids)                                         # [B, S, H]
        x = x + self.token_type_embeddings(token_type_ids)                          # [B, S, H]
        x = x + self.position_embeddings.weight[:x.size(1)]                         # [B, S, H]
        return self.dropout(self.LayerNorm(x))                                      # [B, S, H]

class SelfAttention(nn.Module):
    """Every token collects information from all tokens, on its left and on its right."""
    def __init__(self, c: Config):
        super().__init__()
        self.query, self.key, self.value = (nn.Linear(c.H, c.H) for _ in range(3))
        self.heads, self.dropout = c.A, nn.Dropout(c.dropout)
    def forward(self, x, mask):
        # one matrix product serves all heads: its result is cut into A heads of D
        q, k, v = (linear(x).unflatten(-1, (self.heads, -1)).transpose(1, 2)        # [B, A, S, D]
                   for linear in (self.query, self.key, self.value))
        # a sum of D products grows like √D; undivided, it would saturate the softmax
        scores = q @ k.transpose(-2, -1) / q.size(-1) ** 0.5                        # [B, A, S, S]
        # minus infinity becomes weight 0: no token can look at padding
        scores = scores.masked_fill(~mask, -torch.inf)                              # [B, A, S, S]
        weights = self.dropout(scores.softmax(dim=-1))                              # [B, A, S, S]
        return (weights @ v).transpose(1, 2).flatten(2)                             # [B, S, H]

class AddAndNorm(nn.Module):
    """How both halves of a layer end: residual connection, then norm (post-norm, as published)."""
    def __init__(self, c: Config, width: int):
        super().__init__()
        self.dense = nn.Linear(width, c.H)
        self.LayerNorm, self.dropout = nn.LayerNorm(c.H, eps=1e-12), nn.Dropout(c.dropout)
    def forward(self, x, residual):
        return self.LayerNorm(residual + self.dropout(self.dense(x)))               # [B, S, H]

class Layer(nn.Module):
    """Attention moves information between tokens; the feed-forward processes each token alone."""
    def __init__(self, c: Config):
        super().__init__()
        # the dictionaries compute nothing: they give the parameters their published names
        self.attention = nn.ModuleDict({"self": SelfAttention(c), "output": AddAndNorm(c, c.H)})
        self.intermediate = nn.ModuleDict({"dense": nn.Linear(c.H, c.I)})
        self.output = AddAndNorm(c, c.I)
    def forward(self, x, mask):
        x = self.attention["output"](self.attention["self"](x, mask), x)            # [B, S, H]
        wide = F.gelu(self.intermediate["dense"](x))                                # [B, S, I]
        return self.output(wide, x)                                                 # [B, S, H]

class Bert(nn.Module):
    """The encoder: embeddings, L layers, and a pooler that makes one vector of the sequence."""
    def __init__(self, c: Config):
        super().__init__()
        self.embeddings = Embeddings(c)
        self.encoder = nn.ModuleDict({"layer": nn.ModuleList(Layer(c) for _ in range(c.L))})
        self.pooler = nn.ModuleDict({"dense": nn.Linear(c.H, c.H)})
    def forward(self, input_ids, token_type_ids, attention_mask):
        mask = attention_mask.bool()[:, None, None, :]      # [B, 1, 1, S], True = a real token
        x = self.embeddings(input_ids, token_type_ids)                              # [B, S, H]
        for layer in self.encoder["layer"]:
            x = layer(x, mask)                                                      # [B, S, H]
        # [CLS] is no word, so its vector is free to represent the whole sequence
        return x, self.pooler["dense"](x[:, 0]).tanh()                      # [B, S, H], [B, H]

class MaskedWordHead(nn.Module):
    """Gives every entry of the vocabulary a score at each masked position."""
    def __init__(self, c: Config):
        super().__init__()
        norm = nn.LayerNorm(c.H, eps=1e-12)
        self.transform = nn.ModuleDict({"dense": nn.Linear(c.H, c.H), "LayerNorm": norm})
        self.bias = nn.Parameter(torch.zeros(c.V))                                  # [V]
    def forward(self, x, table):
        x = self.transform["LayerNorm"](F.gelu(self.transform["dense"](x)))         # [M, H]
        # tied weights: the decoder is the word embedding table, which saves V · H parameters
        return F.linear(x, table, self.bias)                                        # [M, V]

class BertForPreTraining(nn.Module):
    """BERT with the two heads of its pretraining: masked words and next sentence."""
    def __init__(self, c: Config):
        super().__init__()
        self.bert, words, pairs = Bert(c), MaskedWordHead(c), nn.Linear(c.H, 2)
        self.cls = nn.ModuleDict({"predictions": words, "seq_relationship": pairs})
        # BERT's 0.02 suits H = 768; with H = 128 all attention scores would begin close to 0
        for name, parameter in self.named_parameters():
            if "LayerNorm.weight" not in name:      # these begin at 1
                nn.init.normal_(parameter, std=0.05 if parameter.dim() == 2 else 0.0)
    def forward(self, input_ids, token_type_ids, attention_mask, chosen):
        x, pooled = self.bert(input_ids, token_type_ids, attention_mask)    # [B, S, H], [B, H]
        # the loss reads only the masked 15% of the positions, and V scores for each of the others
        # would cost more than the whole encoder: they are not computed
        table = self.bert.embeddings.word_embeddings.weight                         # [V, H]
        words = self.cls["predictions"](x[chosen], table)                           # [M, V]
        return words, self.cls["seq_relationship"](pooled)                          # [M, V], [B, 2]

# ---------------------------------------------------------------------- text, tokens, batches
class Tokenizer:
    """Lowercase words, cut from the left into the longest pieces known, as BERT's WordPiece does.
    '##' marks a piece that continues a word. Words are spelled in the bytes of UTF-8, one character
    for each byte, and all 256 are pieces: no character is unknown, in any language.
    """
    def __init__(self, text: str, size: int):
        words = Counter(self.words(text))
        pieces = SPECIAL + [mark + chr(byte) for mark in ("", "##") for byte in range(256)]
        # BERT's pieces come from repeated merging, which is slow in Python. Here the frequent words
        # stay whole, and the rest of the room goes to the pieces that shorten other words most.
        pieces += [word for word, count in words.most_common(size * 3 // 4) if count > 1]
        saved = Counter()
        for word in sorted(words.keys() - set(pieces)):     # sorted, for a set has no fixed order
            for i in range(len(word)):
                for j in range(i + 2, min(i + 10, len(word)) + 1):
                    saved["##" * (i > 0) + word[i:j]] += words[word] * (j - i - 1)
        pieces += [piece for piece, _ in saved.most_common(max(0, size - len(pieces)))]
        self.pieces = list(dict.fromkeys(pieces))
        self.ids = {piece: number for number, piece in enumerate(self.pieces)}
    @staticmethod
    def words(text: str) -> list[str]:
        return [w.encode().decode("latin-1") for w in re.findall(r"\w{1,30}|[^\w\s]", text.lower())]
    def encode(self, text: str) -> list[int]:
        numbers = []
        for word in self.words(text):
            mark = ""
            while word:     # every single byte is a piece, so an end is always found
                end = next(n for n in range(len(word), 0, -1) if mark + word[:n] in self.ids)
                numbers.append(self.ids[mark + word[:end]])
                mark, word = "##", word[end:]
        return numbers
    def decode(self, ids) -> str:
        text = " ".join(self.pieces[number] for number in ids).replace(" ##", "")
        return text.encode("latin-1").decode("utf-8", "replace")

class Corpus:
    """A text as one array of tokens, and the positions in it where a sentence begins."""
    def __init__(self, sentences: list[str], tokenizer: Tokenizer, S: int):
        encoded = [tokenizer.encode(sentence) for sentence in sentences]
        self.tokens, self.S = np.array([i for ids in encoded for i in ids], np.int64), S
        starts = np.cumsum([0] + [len(ids) for ids in encoded])
        self.starts = starts[(starts >= S) & (starts <= len(self.tokens) - S)]  # room for A and B
    def batch(self, B: int, V: int, rng, device) -> list:
        """Masked pairs [CLS] A [SEP] B [SEP].
        A ends where a sentence starts. B is what follows there or, in half of the pairs, what
        follows at another start, equally long: only the words can tell the two kinds apart.
        """
        ids, is_random = np.full((B, self.S), PAD), rng.integers(2, size=B)         # [B, S], [B]
        segments = np.zeros_like(ids)                                               # [B, S]
        for row in range(B):
            # a tenth of the sequences is shorter, because a model has to read short texts too
            room = self.S - 3 if rng.random() < 0.9 else rng.integers(8, self.S - 2)
            a = rng.integers(room // 4, room * 3 // 4 + 1)      # tokens of A
            here, other = rng.choice(self.starts, 2, replace=False)
            begin = other if is_random[row] else here
            ids[row, :room + 3] = [CLS, *self.tokens[here - a:here], SEP,
                                   *self.tokens[begin:begin + room - a], SEP]
            segments[row, a + 2:room + 3] = 1
        seen, chosen = mask_tokens(ids, V, rng)                                 # [B, S], [B, S]
        arrays = seen, segments, ids != PAD, chosen, ids[chosen], is_random  # 4 · [B, S], [M], [B]
        return [torch.from_numpy(x).to(device) for x in arrays]     # 4 · [B, S], [M], [B]

def mask_tokens(ids, V: int, rng, rate: float = 0.15):
    """Hide some tokens: ids [B, S] -> what the model sees [B, S], which tokens to predict [B, S].
    Of the chosen tokens 80% become [MASK], 10% a random token, and 10% stay. Real text has no
    [MASK]; the other two kinds make the model represent the tokens that it can see as well.
    """
    draw, noise = rng.random(ids.shape), rng.integers(len(SPECIAL), V, ids.shape)   # 2 · [B, S]
    chosen = (draw < rate) & (ids >= len(SPECIAL))                              # [B, S]
    seen = np.where(chosen & (draw < 0.9 * rate), noise, ids)                   # [B, S]
    return np.where(chosen & (draw < 0.8 * rate), MASK, seen), chosen           # [B, S], [B, S]

# ------------------------------------------------------------------------------- the training
def scores(model, batch):
    """Mean loss of the words and of the pairs, in nats; NSP accuracy -> [3]."""
    *inputs, answers, is_random = batch                     # 4 · [B, S], [M], [B]
    words, pairs = model(*inputs)                           # [M, V], [B, 2]
    return torch.stack([F.cross_entropy(words, answers), F.cross_entropy(pairs, is_random),
                        (pairs.argmax(-1) == is_random).float().mean()])                    # [3]

def make_optimizer(model) -> torch.optim.AdamW:
    """AdamW, with weight decay on matrices only: it would pull the scales of the norms to 0."""
    groups = [{"params": [p for p in model.parameters() if p.dim() == 2], "weight_decay": 0.01},
              {"params": [p for p in model.parameters() if p.dim() == 1], "weight_decay": 0.0}]
    return torch.optim.AdamW(groups, betas=(0.9, 0.999), eps=1e-6)

def train_step(model, optimizer, batch, learning_rate: float) -> float:
    """One update of all weights; returns the masked-word loss before it."""
    for group in optimizer.param_groups:
        group["lr"] = learning_rate
    found = scores(model.train(), batch)                                            # [3]
    optimizer.zero_grad()
    found[:2].sum().backward()
    nn.utils.clip_grad_norm_(model.parameters(), 1.0)       # one bad batch cannot undo the others
    optimizer.step()
    return found[0].item()

@torch.no_grad()
def fill_blanks(model, corpus: Corpus, tokenizer: Tokenizer, rng, device) -> None:
    """Hide one word, chosen at random, in each of some passages, and print the best guesses."""
    for start in rng.choice(corpus.starts, 6):
        ids = np.array([CLS, *corpus.tokens[start:start + corpus.S - 2], SEP])      # [S]
        place = rng.choice([i for i, n in enumerate(ids) if tokenizer.pieces[n].isalpha()] or [1])
        answer, ids[place] = ids[place], MASK
        x = torch.from_numpy(ids).to(device)[None]                                  # [1, S]
        words, _ = model(x, torch.zeros_like(x), torch.ones_like(x), x == MASK)     # [1, V], [1, 2]
        best = zip(*(top[0].tolist() for top in words.softmax(-1).topk(4)))
        guesses = ", ".join(f"{tokenizer.decode([i])} {p:.0%}" for p, i in best)
        print(f"\n{tokenizer.decode(ids[1:-1])}")
        print(f"    hidden: {tokenizer.decode([answer])}; guesses: {guesses}")

def main():
    parser = argparse.ArgumentParser(description=__doc__, usage=argparse.SUPPRESS,
                                     formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("files", nargs="*", help="UTF-8 text; without any, minibert's corpus")
    parser.add_argument("--steps", type=int, default=3000, help="updates of the weights")
    parser.add_argument("--seed", type=int, default=0, help="the same seed gives the same run")
    args = parser.parse_args()
    if args.steps < 1 or not 0 <= args.seed < 2**64:
        parser.error("--steps must be at least 1, --seed at least 0 and below 2**64")
    try:
        if args.files:
            text = "\n\n".join(Path(file).read_text(encoding="utf-8") for file in args.files)
        else:
            from minibert.data.corpora import documents
            text = "\n\n".join("\n".join(lines) for lines in documents("default", "all"))
    except (OSError, ImportError, ValueError) as error:     # one of the last kind: not UTF-8
        what = " ".join(args.files) or "minibert's corpus, so name a text file"
        parser.error(f"cannot read {what}: {error}")
    # a rough rule: it cuts "Dr. Who" too, but it only decides where a pair may be cut
    sentences = [s for s in re.split(r"(?<=[.!?])\s+|\n\s*\n", text) if s.strip()]
    # five of fifty stretches are held out: not single sentences, whose neighbours in training would
    # give them away, and not the end of the file, which is often an index or a licence
    parts = [[s for i, s in enumerate(sentences) if (i * 50 // len(sentences) % 10 == 5) == held]
             for held in (False, True)]
    tokenizer = Tokenizer("\n".join(parts[0]), size=6000)       # knows nothing of the held-out text
    c = Config(V=len(tokenizer.pieces))
    train, held_out = (Corpus(part, tokenizer, c.S) for part in parts)
    if min(len(train.starts), len(held_out.starts)) < 10:
        parser.error(f"{' '.join(args.files)}: {len(sentences)} sentences are too few to train on")
    torch.manual_seed(args.seed)
    rng, device = np.random.default_rng(args.seed), "cuda" if torch.cuda.is_available() else "cpu"
    optimizer = make_optimizer(model := BertForPreTraining(c).to(device))
    exam = [held_out.batch(64, c.V, rng, device) for _ in range(20)]
    # the best prediction without context: the frequency of each token in the training text
    count = np.bincount(train.tokens, minlength=c.V) + 1                            # [V]
    surprise = torch.from_numpy(-np.log(count / count.sum()))                       # [V], in nats
    baseline = surprise[torch.cat([answers for *_, answers, _ in exam]).cpu()].mean()
    print(f"{len(train.tokens)} training tokens, {len(held_out.tokens)} held out, V = {c.V}\n"
          f"Unigram baseline (MLM loss held out, ignoring the context): {baseline:.3f}", flush=True)
    began, recent = time.perf_counter(), []
    for step in range(args.steps):
        rate = 1e-3 * min(step / 100, 1 - step / args.steps)    # linear warm-up, linear decay
        recent.append(train_step(model, optimizer, train.batch(64, c.V, rng, device), rate))
        if (step + 1) % max(1, args.steps // 16) == 0 or step + 1 == args.steps:
            with torch.no_grad():
                mlm, _, nsp = sum(scores(model.eval(), batch) for batch in exam) / len(exam)
            print(f"step {step + 1:5}: MLM loss {np.mean(recent[-100:]):.3f}, held out {mlm:.3f}; "
                  f"NSP accuracy {nsp:.1%}; {time.perf_counter() - began:.0f} s", flush=True)
    fill_blanks(model.eval(), held_out, tokenizer, rng, device)

if __name__ == "__main__":
    try:
        main()
    except KeyboardInterrupt:
        raise SystemExit("stopped")

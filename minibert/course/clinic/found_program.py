"""nanobert: masked words, one file, no dependency but torch. Run it, or call train().

This is the program of the last exercise of the bug clinic. It has one bug, on purpose.
"""

import math
import random

import torch
import torch.nn.functional as F
from torch import nn

DIM, DEPTH, HEADS, MAXLEN = 32, 2, 4, 24
STEPS, BATCH, LR, RATE = 200, 32, 3e-3, 0.2
PAD, MASK, OPEN, CLOSE = range(4)
SAYS = {"cat": "purrs", "cow": "moos", "dog": "barks", "duck": "quacks", "owl": "hoots"}
HOW = ["big", "old", "red", "shy", "tame", "wild"]
VOCAB = ["<pad>", "<mask>", "<s>", "</s>", "the", "and", *HOW, *SAYS, *SAYS.values()]


def sentence(rnd):
    out = [OPEN]
    for k in range(rnd.choice([1, 1, 1, 2, 3])):
        who = rnd.choice(sorted(SAYS))
        words = ["the", *rnd.sample(HOW, rnd.choice([0, 1, 2])), who, SAYS[who]]
        out += [VOCAB.index(w) for w in ["and"] * (k > 0) + words]
    return [*out, CLOSE]


def collate(rows):
    width = max(map(len, rows))
    return torch.tensor([row + [PAD] * (width - len(row)) for row in rows])


def hide(ids, gen):
    pick = (torch.rand(ids.shape, generator=gen) < RATE) & (ids > CLOSE)
    return ids.masked_fill(pick, MASK), pick


# Activations are laid out as (batch, channels, time), so a 1x1 convolution is the linear map.
class Norm(nn.Module):
    def __init__(self, dim, eps=1e-6):
        super().__init__()
        self.gain = nn.Parameter(torch.ones(dim, 1))
        self.bias = nn.Parameter(torch.zeros(dim, 1))
        self.eps = eps

    def forward(self, x):
        mean = x.mean(-1, keepdim=True)
        var = (x - mean).pow(2).mean(-1, keepdim=True)
        return self.gain * (x - mean) * (var + self.eps).rsqrt() + self.bias


class Mixer(nn.Module):
    def __init__(self, dim, heads):
        super().__init__()
        self.heads = heads
        self.qkv = nn.Conv1d(dim, 3 * dim, 1)
        self.out = nn.Conv1d(dim, dim, 1)

    def forward(self, x, pad):
        q, k, v = self.qkv(x).unflatten(1, (3, self.heads, -1)).unbind(1)
        score = torch.einsum("bhci,bhcj->bhij", q, k) / math.sqrt(q.shape[2])
        score = score - 1e4 * pad[:, None, None].float()
        mixed = torch.einsum("bhij,bhcj->bhci", score.softmax(-1), v)
        return self.out(mixed.flatten(1, 2))


class Block(nn.Module):
    def __init__(self, dim, heads):
        super().__init__()
        self.mix, self.norm1 = Mixer(dim, heads), Norm(dim)
        self.up, self.down = nn.Conv1d(dim, 4 * dim, 1), nn.Conv1d(4 * dim, dim, 1)
        self.norm2 = Norm(dim)

    def forward(self, x, pad):
        x = self.norm1(x + self.mix(x, pad))
        return self.norm2(x + self.down(F.gelu(self.up(x))))


class Net(nn.Module):
    def __init__(self):
        super().__init__()
        self.word = nn.Embedding(len(VOCAB), DIM)
        nn.init.normal_(self.word.weight, std=0.1)
        self.place = nn.Parameter(0.1 * torch.randn(DIM, MAXLEN))
        self.blocks = nn.ModuleList(Block(DIM, HEADS) for _ in range(DEPTH))
        self.bias = nn.Parameter(torch.zeros(len(VOCAB)))

    def encode(self, ids):
        x = self.word(ids).transpose(1, 2) + self.place[:, : ids.shape[1]]
        for block in self.blocks:
            x = block(x, ids == PAD)
        return x.transpose(1, 2)

    def forward(self, ids):
        return self.encode(ids) @ self.word.weight.T + self.bias


def score(net, rows, gen):
    ids = collate(rows)
    seen, pick = hide(ids, gen)
    with torch.no_grad():
        return (net(seen).argmax(-1) == ids)[pick].float().mean().item()


def train(steps=STEPS, seed=0):
    rnd, gen = random.Random(seed), torch.Generator().manual_seed(seed)
    torch.manual_seed(seed)
    net = Net()
    opt = torch.optim.AdamW(net.parameters(), lr=LR)
    for step in range(steps + 1):
        ids = collate([sentence(rnd) for _ in range(BATCH)])
        seen, pick = hide(ids, gen)
        loss = F.cross_entropy(net(seen)[pick], ids[pick])
        opt.zero_grad()
        loss.backward()
        opt.step()
        if step % 100 == 0:
            print(f"step {step:4}  loss {loss.item():.1f}")
    held_out = [sentence(rnd) for _ in range(500)]
    print(f"held out: {score(net, held_out, gen):.0%} of the hidden words are right")
    return net


if __name__ == "__main__":
    train()

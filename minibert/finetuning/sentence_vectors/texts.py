"""Which texts are trained on: sentences of a corpus, phrases cropped from them, words, scenes."""

import hashlib
import heapq
import random
import re
from collections import Counter
from collections.abc import Collection, Iterable, Iterator

from minibert.config import InputError
from minibert.finetuning.sentence_vectors.made import Scenes
from minibert.finetuning.sentence_vectors.options import SentenceOptions

Item = tuple[str, ...]  # a text, or a text and its neighbour

WORD = re.compile(r"\w+")
LETTERS = re.compile(r"[^\W\d_]{2,}")
PHRASE = (2, 7)  # words in a phrase, at least and at most
KINDS = {
    "neighbours": "two neighbouring sentences",
    "titles": "document with a title and a sentence",
}
TRIES = 4  # for each phrase, until there is one that is new


def plain(text: str) -> str:
    """The words of a text in lowercase: what decides whether it is excluded."""
    return " ".join(WORD.findall(text.lower()))


def choose_texts(
    documents: Iterable[tuple[str, list[str]]],
    options: SentenceOptions,
    excluded: Collection[str] = (),
) -> list[Item]:
    """The texts of a run in a random order, each once.

    documents   (source, sentences) of every document
    excluded    texts that may not be chosen, as `plain` gives them

    Every source gives equally many sentences; one that has fewer gives all of them, and the others
    share the rest. The same documents and options give the same texts. For the objective
    neighbours an item is two sentences that follow each other; no sentence is in two items. For the
    objective titles the sentences of a document are its title and its first sentence, and an item
    is both.

    Raises an InputError where nothing can be chosen.
    """
    samples: dict[str, _Sample] = {}
    counts: Counter[str] = Counter()
    scenes = Scenes()
    for source, sentences in documents:
        sample = samples.setdefault(source, _Sample(options.sentences, options.seed))
        for item in _items(sentences, options, excluded):
            sample.add(item)
            if options.made:
                scenes.read(item[0])
            if options.words:
                counts.update(LETTERS.findall(item[0].lower()))
    found = {source: samples[source].items() for source in sorted(samples)}
    quotas = share_out(options.sentences, [len(items) for items in found.values()])
    chosen: list[Item] = []
    seen = set(excluded)
    for items, quota in zip(found.values(), quotas, strict=True):
        for item in items[:quota]:
            if not seen.intersection(item):
                seen.update(item)
                chosen.append(item)
    if not chosen:
        what = KINDS.get(options.objective, "sentence")
        raise InputError(
            f"the corpus has no {what} of {options.min_words} to {options.max_words} words: "
            "there is nothing to train on (--min-words, --max-words)"
        )
    draw = random.Random(options.seed)
    phrases = list(_phrases([item[0] for item in chosen], options.phrases, draw, seen))
    by_count = sorted(counts, key=lambda word: (-counts[word], word))
    words = [word for word in by_count if word not in seen][: options.words]
    chosen += [(text,) for text in phrases + words]
    draw.shuffle(chosen)
    if options.sample is not None:
        del chosen[options.sample :]
    if options.made:
        made = scenes.sentences(options.made, draw)
        chosen += [(text,) for text in made if plain(text) not in seen]
        draw.shuffle(chosen)
    return chosen


def share_out(total: int, available: list[int]) -> list[int]:
    """Divide a total equally among sources of limited sizes.

    What a small source cannot give is divided among the others.
    """
    shares = [0] * len(available)
    by_size = sorted(range(len(available)), key=available.__getitem__)
    for done, source in enumerate(by_size):
        shares[source] = min(available[source], total // (len(by_size) - done))
        total -= shares[source]
    return shares


class _Sample:
    """A random sample of at most `size` different items from a stream, without keeping the stream.

    The items with the smallest hashes are kept. Equal items have equal hashes, so each is kept
    once, and their order in the stream does not matter.
    """

    def __init__(self, size: int, seed: int) -> None:
        self.size, self.key = size, str(seed).encode()
        self.heap: list[tuple[int, Item]] = []  # of negative hashes: the largest hash comes first
        self.hashes: set[int] = set()

    def add(self, item: Item) -> None:
        text = "\t".join(item).encode("utf-8", "surrogatepass")
        number = int.from_bytes(hashlib.blake2b(text, digest_size=8, key=self.key).digest())
        if number in self.hashes:
            return
        if len(self.heap) < self.size:
            heapq.heappush(self.heap, (-number, item))
        elif -number > self.heap[0][0]:
            dropped, _ = heapq.heapreplace(self.heap, (-number, item))
            self.hashes.remove(-dropped)
        else:
            return
        self.hashes.add(number)

    def items(self) -> list[Item]:
        """The sample in the order of the hashes, which is a random one."""
        return [item for _, item in sorted(self.heap, reverse=True)]


def _items(
    sentences: list[str], options: SentenceOptions, excluded: Collection[str]
) -> Iterator[Item]:
    """The sentences of a document that may be chosen, or its pairs of neighbours."""

    def fits(sentence: str) -> bool:
        words = sentence.count(" ") + 1  # all space in a sentence is single
        return options.min_words <= words <= options.max_words and (
            not excluded or plain(sentence) not in excluded
        )

    if options.objective == "titles":
        title, first = sentences
        if fits(first) and plain(title) not in excluded:
            yield title, first
        return
    if options.objective != "neighbours":
        yield from ((sentence,) for sentence in sentences if fits(sentence))
        return
    before: str | None = None  # a sentence that has no partner yet
    for sentence in sentences:
        if not fits(sentence):
            before = None
        elif before is None or before == sentence:
            before = sentence
        else:
            yield before, sentence
            before = None


def _phrases(
    sentences: list[str], number: int, draw: random.Random, seen: set[str]
) -> Iterator[str]:
    """Phrases cropped at random from random sentences; fewer than `number` where few are new."""
    made = 0
    for _ in range(TRIES * number):
        if made == number:
            return
        words = draw.choice(sentences).split(" ")
        least, most = PHRASE
        if len(words) <= least:
            continue
        length = draw.randint(least, min(most, len(words) - 1))
        first = draw.randint(0, len(words) - length)
        phrase = " ".join(words[first : first + length])
        if phrase not in seen and plain(phrase) not in seen:
            seen.add(phrase)
            made += 1
            yield phrase

"""Sets from the hub, without it: the adapters on rows of its schemas, the sharding on its own streams, the way it fails."""

import binascii
import gzip
import sys

import datasets
import huggingface_hub
import pytest

from minibert.data import hub_sets
from minibert.data.corpora import documents
from minibert.data.hub_sets import HUB_SETS, imdb_texts, untokenize, wikipedia_texts, wikitext_texts


def rows(*texts):
    return [{"text": text} for text in texts]


# -- adapters ----------------------------------------------------------------------------------------------------------


def test_wikitext_articles_begin_at_their_titles():
    found = wikitext_texts(
        rows(
            "",
            " = Robert Boulter = \n",
            "",
            " Robert Boulter is an actor . He acts . \n",
            " = = Career = = \n",
            " = = = 2000 – 2005 = = = \n",
            "",
            " In 2000 @-@ 05 he \n",
            " = Du Fu = \n",
            "",
            " x = 2 \n",
        )
    )
    assert list(found) == ["Robert Boulter is an actor. He acts.\n\nIn 2000-05 he", "x = 2"]


@pytest.mark.parametrize(
    ("tokens", "printed"),
    [
        (
            "a 1 @.@ 5 @-@ day trip , with 3 @,@ 000 km of road .",
            "a 1.5-day trip, with 3,000 km of road.",
        ),
        (
            'He said " it is " ( or was ) ; then : " why ? "',
            'He said "it is" (or was); then: "why?"',
        ),
        (
            "Valkyria 's team did n't win the players ' game ; it 'll be ' fine ' .",
            "Valkyria's team didn't win the players' game; it'll be 'fine'.",
        ),
        (
            "It cost $ 5 or £ 3 , that is 20 % of 25 ° C [ sic ] in the ' 70s .",
            "It cost $5 or £3, that is 20% of 25 °C [sic] in the '70s.",
        ),
        ("and / or ( see below ) , U.S. Route 2 ... ", "and/or (see below), U.S. Route 2..."),
    ],
)
def test_untokenize(tokens, printed):
    assert untokenize(tokens).strip() == printed


def test_a_real_wikitext(needs_shared_data):
    """WikiText-2's validation part has 60 articles."""
    with gzip.open(
        needs_shared_data / "wikitext2" / "valid.txt.gz", "rt", encoding="utf-8"
    ) as file:
        found = list(wikitext_texts(rows(*file)))
    assert len(found) == 60
    whole = "\n".join(found)
    for trace in ("@", " ,", " .", " ;", "( ", " )", " n't", " 's", "= "):
        assert whole.count(trace) <= 3, trace
    words = sum(len(text.split()) for text in found)
    assert 170_000 < words < 213_886, "fewer than its tokens, most of them kept"


def test_wikipedia_articles_lose_their_headings():
    row = {
        "id": "12",
        "url": "…",
        "title": "Anarchism",
        "text": "Anarchism is a philosophy. It is old.\n\nEtymology \nThe word is Greek.\n\nSee also\nLists",
    }
    assert list(wikipedia_texts([row])) == [
        "Anarchism is a philosophy. It is old.\n\nThe word is Greek."
    ]


def test_imdb_reviews_lose_their_markup():
    assert list(imdb_texts([{"text": "Bad.<br /><br />Very bad.", "label": 0}])) == [
        "Bad.\n\nVery bad."
    ]


# -- streams -----------------------------------------------------------------------------------------------------------

SPLITS = {
    "Salesforce/wikitext": {
        "train": [*(f" = Title {n} = " if n % 3 == 0 else f" It is {n} . " for n in range(90))],
        "validation": [" = Held out = ", " It is . "],
    },
    "wikimedia/wikipedia": {"train": [f"It is {n}." for n in range(1000)]},
    "stanfordnlp/imdb": {
        "train": ["It is 0.", "It is 1."],
        "unsupervised": ["It is 2."],
        "test": ["It is 3.", "It is 4."],
    },
}
# Their configurations of these names, from the sets' pages; of no other has the library anything.
CONFIGS = {
    "Salesforce/wikitext": ("wikitext-2-raw-v1", "wikitext-103-raw-v1"),
    "wikimedia/wikipedia": ("20231101.en",),
    "stanfordnlp/imdb": (None,),
}


@pytest.fixture
def hub(monkeypatch):
    """A hub with small sets, streamed by the library itself."""

    def load_dataset(path, name, split, streaming):
        assert streaming and name in CONFIGS[path]
        found = datasets.Dataset.from_list(
            [{"id": str(number), "text": text} for number, text in enumerate(SPLITS[path][split])]
        )
        return found.to_iterable_dataset(num_shards=min(5, len(found)))

    monkeypatch.setattr(datasets, "load_dataset", load_dataset)
    monkeypatch.setattr(huggingface_hub.HfApi, "dataset_info", lambda self, path, timeout: None)
    monkeypatch.setattr(hub_sets, "HELD_OUT", 50)


@pytest.mark.parametrize("name", HUB_SETS)
def test_shards_partition_a_set_and_its_splits_are_disjoint(name, hub):
    train, valid = list(documents(name)), list(documents(name, "valid"))
    assert train and valid and not any(document in train for document in valid)
    assert sorted(documents(name, "all")) == sorted(train + valid)
    for count in (2, 3, 7):
        for split, whole in (("train", train), ("valid", valid)):
            shards = [list(documents(name, split, shard=(index, count))) for index in range(count)]
            assert sorted(document for shard in shards for document in shard) == sorted(whole)


def test_one_wikipedia_article_in_a_thousand_is_held_out_the_same_ones_for_ever():
    held_out = [number for number in range(10_000) if hub_sets._is_held_out({"id": str(number)})]
    assert held_out == [
        number for number in range(10_000) if binascii.crc32(b"%d" % number) % 1000 == 0
    ]
    assert 3 <= len(held_out) <= 20


def test_what_is_in_the_splits(hub):
    assert list(documents("wikitext-2"))[:2] == [["It is 1.", "It is 2."], ["It is 4.", "It is 5."]]
    assert list(documents("imdb")) == [["It is 0."], ["It is 1."], ["It is 2."]]
    assert 10 <= len(list(documents("wikipedia", "valid"))) <= 30, "about one in fifty of 1,000"


# -- no hub ------------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("name", HUB_SETS)
def test_without_a_network_the_set_and_the_default_are_named_at_once(name, monkeypatch):
    def offline(self, path, timeout):
        raise ConnectionError("Name or service not known\nand more")

    monkeypatch.setattr(huggingface_hub.HfApi, "dataset_info", offline)
    with pytest.raises(ValueError) as told:
        documents(name)
    assert str(told.value) == (
        f"cannot read the corpus {name!r} ({HUB_SETS[name].path} on the hub): ConnectionError: Name or service not known. "
        "What to do: check the network; or use the corpus 'default', which needs neither"
    )


def test_a_network_that_fails_on_the_way_is_told_too(hub, monkeypatch):
    def broken(rows):
        yield "One."
        raise TimeoutError

    monkeypatch.setitem(
        HUB_SETS, "imdb", hub_sets.HubSet("stanfordnlp/imdb", None, HUB_SETS["imdb"].splits, broken)
    )
    reading = documents("imdb")
    assert next(reading) == ["One."]
    with pytest.raises(
        ValueError, match="cannot read the corpus 'imdb' .*: TimeoutError: no details"
    ):
        next(reading)


def test_without_the_package_it_says_what_to_install(monkeypatch):
    monkeypatch.setitem(sys.modules, "datasets", None)
    with pytest.raises(ValueError, match="'imdb' needs the package datasets: pip install datasets"):
        documents("imdb")

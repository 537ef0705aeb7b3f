"""The data that models are trained and measured on: files, their contents, and where to get them."""

from collections.abc import Sequence
from dataclasses import dataclass, replace


@dataclass(frozen=True)
class DataSet:
    """Files below the folder of `--data`, and a text about their contents and their origin."""

    files: tuple[str, ...]
    origin: str

    def below(self, folder: str) -> "DataSet":
        """The same files in a subfolder."""
        return replace(self, files=tuple(f"{folder}/{file}" for file in self.files))

    def __str__(self) -> str:
        return f"{' and '.join(f'`{file}`' for file in self.files)} ({self.origin})"


def describe(data_sets: Sequence[DataSet]) -> str:
    """What a folder has to contain, as the end of a sentence."""
    return f"a folder with {'; '.join(map(str, data_sets))}"


BOOKS = DataSet(
    ("standardebooks/*.txt.gz", "books.json"),
    "plain text of books from standardebooks.org, CC0; any public-domain texts will do",
)
WIKITEXT = DataSet(
    ("wikitext2_test.txt.gz",),
    "the test split of WikiText-2, Merity et al. 2016, github.com/pytorch/examples, "
    "word_language_model/data/wikitext-2, CC BY-SA; only to measure",
)
SHAKESPEARE = DataSet(
    ("tinyshakespeare.txt.gz",), "Karpathy 2015, github.com/karpathy/char-rnn, data/tinyshakespeare; public domain"
)
TATOEBA = DataSet(
    ("fra.tsv.gz",),
    "sentence pairs of Tatoeba, tatoeba.org, as collected by www.manythings.org/anki: English<TAB>French, one pair a "
    "line, CC BY 2.0",
)
WORD_ALIGNMENTS = DataSet(
    ("word_alignments/hansards_enfr_{dev37,test447}.jsonl", "alibi_enfr_stories.jsonl"),
    'links between words made by people, one sentence pair a line: {"src", "tgt", "sure", "possible"}, counted from 0; '
    "Hansards of Och and Ney 2003, github.com/mjpost/berkeleyaligner, resources/example, and stories, CC BY-SA 4.0, "
    "github.com/fyvo/AlibiWordAlignments",
)
PARTS_OF_SPEECH = DataSet(
    ("ud_english_ewt/{train,test}.jsonl.gz",),
    'one sentence a line: {"text", "words", "upos"}; github.com/UniversalDependencies/UD_English-EWT, annotations '
    "CC BY-SA 4.0",
)
DEPENDENCIES = DataSet(
    ("train.jsonl.gz", "test.jsonl.gz"),
    'one sentence a line: {"text", "words", "head" (the number of the governor, counted from 1; 0: none), "deprel"}; '
    "the English Web Treebank of Universal Dependencies, github.com/UniversalDependencies/UD_English-EWT, Silveira et "
    "al. 2014; annotations CC BY-SA 4.0",
)
SST2 = DataSet(
    ("sst2/glue_{train,dev}.tsv.gz",), "label<TAB>text; Socher et al. 2013, as in GLUE, gluebenchmark.com/tasks"
)
IMDB = DataSet(
    ("imdb/train.tsv.gz", "test.tsv.gz"),
    "film reviews: label, stars, text; Maas et al. 2011, ai.stanford.edu/~amaas",
)
IMDB_TEST = DataSet(("imdb/test.tsv.gz",), "film reviews: label<TAB>review; Maas et al. 2011, ai.stanford.edu/~amaas")
TWEETS = DataSet(
    ("tweets_es/{train,val,test}.tsv.gz",),
    "label, text; InterTASS 2017 as balanced by Barbieri et al. 2022, github.com/cardiffnlp/xlm-t",
)
SICK = DataSet(
    ("sick_en_fr/sick.tsv.gz",),
    "pair, split, label, relatedness, en_a, en_b; Marelli et al. 2014, marcobaroni.org/composes/sick.html, "
    "CC BY-NC-SA 3.0; only to measure",
)
SICK_FRENCH = DataSet(
    ("sick_en_fr/sick.tsv.gz",),
    "pair, split, label, relatedness, en_a, en_b, fr_a, fr_b; Marelli et al. 2014, "
    "github.com/kkalouli/SICK-processing, in French by Skandalis et al. 2024, github.com/mskandalis/hybrid_nli_fr, "
    "CC BY-NC-SA 3.0",
)
CIFAR10 = DataSet(
    ("cifar10_jpeg.npz",),
    "JPEG bytes of CIFAR-10, Krizhevsky 2009, cs.toronto.edu/~kriz/cifar.html, as `train_jpeg`, `train_offsets`, "
    "`train_labels`, `test_*`, `names`, in random order",
)
TINY_IMAGENET = DataSet(
    ("tiny_imagenet_100.npz",),
    "JPEG bytes of Tiny ImageNet, Stanford CS231n, cs231n.stanford.edu/tiny-imagenet-200.zip; every second of its 200 "
    "classes, as `train_jpeg`, `train_offsets`, `train_labels`, `val_*`, `wnids`, `names`",
)
FLICKR8K = DataSet(
    ("flickr8k/flickr8k_192.npz", "captions.json.gz"),
    "Flickr8k, Hodosh, Young and Hockenmaier 2013, nlp.cs.illinois.edu/HockenmaierGroup/8k-pictures.html, of which "
    "research and teaching may use the photographs: JPEG bytes and offsets of train, dev and test, 192 x 192, and five "
    "captions for each, in the order of the pictures",
)
EMOJI = DataSet(
    ("emoji_image_text/emoji64.npz", "emoji.json"),
    "pictures of github.com/googlefonts/noto-emoji, Apache-2.0, and descriptions, aliases and tags of "
    "github.com/github/gemoji, MIT, joined by code point",
)
PUBLISHED = (
    DataSet(("timm/",), "github.com/huggingface/pytorch-image-models, folder `results/`"),
    DataSet(("epoch/",), "epoch.ai/data/notable-ai-models"),
    DataSet(("scaling/",), "github.com/epoch-research/analyzing-chinchilla and github.com/EleutherAI/pythia"),
    DataSet(("nlp_progress/",), "github.com/sebastianruder/NLP-progress"),
)

"""English sentences with their French translations: split without leaks, tokenised and batched."""

import gzip
import random
import re
from collections import defaultdict
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path

import torch
from tokenizers import Regex, Tokenizer, decoders, models, pre_tokenizers, processors, trainers
from torch import Tensor

from core.translation.decoding import BEGIN, END, PAD, UNKNOWN
from core.translation.spelling import normalise_english, normalise_french

Pair = tuple[str, str]
HELD_OUT = 2000  # English sentences for the test, and as many for validation
SPECIAL = ("<pad>", "<s>", "</s>", "<unk>")  # with the numbers PAD, BEGIN, END and UNKNOWN


@dataclass(frozen=True)
class Split:
    """Training pairs (`learnt`), and held-out sentences with all their French translations."""

    learnt: list[Pair]
    validation: list[tuple[str, list[str]]]
    test: list[tuple[str, list[str]]]


def read(folder: Path, seed: int) -> Split:
    """Read Tatoeba's pairs and split them by English sentence, capitals and punctuation aside."""
    with gzip.open(folder / "fra.tsv.gz", "rt", encoding="utf-8") as file:
        rows = [line.rstrip("\n").split("\t") for line in file]
    groups: dict[str, list[Pair]] = defaultdict(list)
    for english, french in rows:
        pair = normalise_english(english), normalise_french(french)
        if pair not in groups[key := "".join(re.findall(r"\w+", pair[0].casefold()))]:
            groups[key].append(pair)
    keys = sorted(groups)
    random.Random(seed).shuffle(keys)
    test, validation, learnt = keys[:HELD_OUT], keys[HELD_OUT : 2 * HELD_OUT], keys[2 * HELD_OUT :]
    return Split(
        learnt=[pair for key in learnt for pair in groups[key]],
        validation=[_with_all_references(groups[key]) for key in validation],
        test=[_with_all_references(groups[key]) for key in test],
    )


def _with_all_references(pairs: list[Pair]) -> tuple[str, list[str]]:
    """The first English sentence of a group with all French translations."""
    return pairs[0][0], list(dict.fromkeys(french for _, french in pairs))


def train_tokenizer(pairs: Sequence[Pair], vocabulary: int) -> Tokenizer:
    """Byte-pair encoding (Sennrich et al. 2016) of both languages together; unknown characters are <unk>.

    A word keeps the space before it as "▁"; an apostrophe stays with what it shortens (l' accord), each digit and
    each sign stands alone.
    """
    tokenizer = Tokenizer(models.BPE(unk_token=SPECIAL[UNKNOWN], fuse_unk=True))
    parts = Regex(r"▁?(?:\p{N}|[^\p{N}\p{P}\p{S}▁]+'?|[\p{P}\p{S}])|▁")
    tokenizer.pre_tokenizer = pre_tokenizers.Sequence(
        [pre_tokenizers.Metaspace(), pre_tokenizers.Split(parts, "isolated")]
    )
    tokenizer.decoder = decoders.Metaspace()
    trainer = trainers.BpeTrainer(
        vocab_size=vocabulary, special_tokens=list(SPECIAL), limit_alphabet=140, show_progress=False, min_frequency=2
    )
    tokenizer.train_from_iterator((text for pair in pairs for text in pair), trainer)
    tokenizer.post_processor = processors.TemplateProcessing(single="$A </s>", special_tokens=[(SPECIAL[END], END)])
    return tokenizer


class Batches:
    """Every pair once an epoch, in batches of like lengths; some pairs are joined to longer texts.

    Tatoeba's sentences are short. A model that never read more than ten words cannot be asked what its
    *architecture* does with forty; so a share of the pairs, `joined`, are read two to six at once, one after the other
    (as in Kondo et al. 2021, "Sentence concatenation approach to data augmentation").
    """

    MOST = 6  # pairs joined to one

    def __init__(self, tokenizer: Tokenizer, pairs: Sequence[Pair], *, tokens: int, seed: int, joined: float = 0.25):
        self.tokens, self.seed, self.joined = tokens, seed, joined
        self.sources = _pieces(tokenizer, [english for english, _ in pairs])
        self.targets = _pieces(tokenizer, [french for _, french in pairs])
        self._epoch, self._batches = -1, list[list[tuple[list[int], list[int]]]]()
        # Every epoch has about as many batches; the plan is made with those of the first.
        self.per_epoch = len(self._cut(0))

    def batch(self, step: int) -> tuple[Tensor, Tensor, Tensor]:
        """Source, target and the tokens that follow the target's, padded with 0 at the end."""
        epoch, place = divmod(step, self.per_epoch)
        if epoch != self._epoch:
            self._epoch, self._batches = epoch, self._cut(epoch)
        chosen = self._batches[place % len(self._batches)]
        source = pad([[*english, END] for english, _ in chosen])
        target = pad([[BEGIN, *french, END] for _, french in chosen])
        return source, target[:, :-1], target[:, 1:]

    def _cut(self, epoch: int) -> list[list[tuple[list[int], list[int]]]]:
        rng = random.Random(self.seed * 1_000_003 + epoch)
        texts = sorted(self._texts(rng), key=lambda text: (len(text[0]) + len(text[1])) * rng.uniform(0.9, 1.1))
        batches: list[list[tuple[list[int], list[int]]]] = [[]]
        longest = 0
        for text in texts:
            longest = max(longest, len(text[0]) + 1, len(text[1]) + 1)
            if batches[-1] and longest * (len(batches[-1]) + 1) > self.tokens:
                batches.append([])
                longest = max(len(text[0]) + 1, len(text[1]) + 1)
            batches[-1].append(text)
        rng.shuffle(batches)
        return batches

    def _texts(self, rng: random.Random) -> Iterator[tuple[list[int], list[int]]]:
        order = list(range(len(self.sources)))
        rng.shuffle(order)
        alone = round(len(order) * (1 - self.joined))
        for number in order[:alone]:
            yield self.sources[number], self.targets[number]
        place = alone
        while place < len(order):
            joined = order[place : place + rng.randint(2, self.MOST)]
            place += len(joined)
            yield [t for n in joined for t in self.sources[n]], [t for n in joined for t in self.targets[n]]


def pad(rows: Sequence[Sequence[int]]) -> Tensor:
    """Rows of token ids as one tensor, padded with 0 at the end."""
    return torch.nn.utils.rnn.pad_sequence([torch.tensor(row) for row in rows], batch_first=True, padding_value=PAD)


def _pieces(tokenizer: Tokenizer, texts: Sequence[str]) -> list[list[int]]:
    return [encoding.ids for encoding in tokenizer.encode_batch(list(texts), add_special_tokens=False)]

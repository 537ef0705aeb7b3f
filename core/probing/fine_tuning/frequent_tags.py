"""The most frequent tag of each word: the baseline of a tagger, which does not read the context."""

import json
from collections import Counter
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from pathlib import Path

from ...models.bert_tasks import TAGS
from ...paths import naming

FILE, MADE_BY = "frequent_tags.json", "make train-bert-tasks DATA=..."
MIN_COUNT = 3  # times that a word was counted: a table of all words, however rare, would be a copy of the treebank's


@dataclass(frozen=True)
class TagCount:
    """The most frequent tag of a word: it has this tag in `times` of its `of` occurrences."""

    tag: str
    times: int
    of: int


@dataclass(frozen=True)
class FrequentTags:
    """The most frequent tag of each word as it is written, and that of all words."""

    by_word: Mapping[str, TagCount]
    of_all: TagCount

    def lookup(self, word: str) -> TagCount | None:
        """The count of a word, or of its lower-case form if only that was counted; None for an unknown word."""
        return self.by_word.get(word) or self.by_word.get(word.lower())

    def tag(self, word: str) -> str:
        """The baseline's prediction: the most frequent tag of the word as it is written, or that of all words."""
        return self.by_word.get(word, self.of_all).tag


def count(tagged: Iterable[tuple[str, str]]) -> FrequentTags:
    """Count pairs of word and tag. Of equally frequent tags the first in `tagged` wins."""
    by_word: dict[str, Counter[str]] = {}
    for word, tag in tagged:
        by_word.setdefault(word, Counter())[tag] += 1
    of_all: Counter[str] = sum(by_word.values(), Counter())
    return FrequentTags({word: _most(tags) for word, tags in by_word.items()}, _most(of_all))


def _most(tags: Counter[str]) -> TagCount:
    tag, times = tags.most_common(1)[0]
    return TagCount(tag, times, tags.total())


def save(tags: FrequentTags, folder: Path, *, least: int = MIN_COUNT) -> None:
    """Write the counts of words that occurred at least `least` times, and that of all words, into `folder`."""
    words = {
        word: [count.tag, count.times, count.of] for word, count in sorted(tags.by_word.items()) if count.of >= least
    }
    of_all = [tags.of_all.tag, tags.of_all.times, tags.of_all.of]
    lines = ",\n".join(f"{json.dumps(word, ensure_ascii=False)}: {json.dumps(count)}" for word, count in words.items())
    text = f'{{"of_all": {json.dumps(of_all)},\n"words": {{\n{lines}\n}}}}\n'
    (folder / FILE).write_text(text, encoding="utf-8")


def load(folder: Path) -> FrequentTags:
    """Read the file that `save` writes; ModelError where it is missing or wrong."""
    with naming(folder / FILE, MADE_BY):
        table = json.loads((folder / FILE).read_text(encoding="utf-8"))
        try:
            words = {word: TagCount(*count) for word, count in table["words"].items()}
            tags = FrequentTags(words, TagCount(*table["of_all"]))
        except (KeyError, TypeError, AttributeError) as error:
            raise ValueError("it holds no words with their tags") from error
        if unknown := {count.tag for count in tags.by_word.values()} - set(TAGS):
            raise ValueError(f"{sorted(unknown)[0]} is no tag")
    return tags

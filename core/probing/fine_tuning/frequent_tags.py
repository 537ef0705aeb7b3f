"""Each word by itself: the tag that it has most often. What a tagger must beat, and what context changes."""

import json
from collections import Counter
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from pathlib import Path

from ...models.bert_tasks import TAGS
from ...paths import naming

FILE, MADE_BY = "frequent_tags.json", "make train-bert-tasks DATA=..."
SEEN = 3  # times that a word was counted: a table of all words, however rare, would be a copy of the treebank's


@dataclass(frozen=True)
class Frequent:
    """The most frequent tag of a word, and in how many of its places it has it."""

    tag: str
    times: int
    of: int


@dataclass(frozen=True)
class FrequentTags:
    """The most frequent tag of each word as it is written, and that of all words."""

    by_word: Mapping[str, Frequent]
    of_all: Frequent

    def known(self, word: str) -> Frequent | None:
        """What was counted for a word; for one with capital letters that was never seen so, for the same without."""
        return self.by_word.get(word) or self.by_word.get(word.lower())

    def tag(self, word: str) -> str:
        """The baseline: the most frequent tag of the word just as it is written, or that of all words."""
        return self.by_word.get(word, self.of_all).tag


def count(tagged: Iterable[tuple[str, str]]) -> FrequentTags:
    """Count (word, tag). Of equally frequent tags the one that was met first."""
    by_word: dict[str, Counter[str]] = {}
    for word, tag in tagged:
        by_word.setdefault(word, Counter())[tag] += 1
    of_all: Counter[str] = sum(by_word.values(), Counter())
    return FrequentTags({word: _most(tags) for word, tags in by_word.items()}, _most(of_all))


def _most(tags: Counter[str]) -> Frequent:
    tag, times = tags.most_common(1)[0]
    return Frequent(tag, times, tags.total())


def save(tags: FrequentTags, folder: Path, *, seen: int = SEEN) -> None:
    """Write those of words that were seen so often."""
    words = {word: [of.tag, of.times, of.of] for word, of in sorted(tags.by_word.items()) if of.of >= seen}
    of_all = [tags.of_all.tag, tags.of_all.times, tags.of_all.of]
    lines = ",\n".join(f"{json.dumps(word, ensure_ascii=False)}: {json.dumps(of)}" for word, of in words.items())
    text = f'{{"of_all": {json.dumps(of_all)},\n"words": {{\n{lines}\n}}}}\n'
    (folder / FILE).write_text(text, encoding="utf-8")


def load(folder: Path) -> FrequentTags:
    """What `save` wrote; ModelError where it is missing or makes no sense."""
    with naming(folder / FILE, MADE_BY):
        found = json.loads((folder / FILE).read_text(encoding="utf-8"))
        try:
            words = {word: Frequent(*of) for word, of in found["words"].items()}
            tags = FrequentTags(words, Frequent(*found["of_all"]))
        except (KeyError, TypeError, AttributeError) as error:
            raise ValueError("it holds no words with their tags") from error
        if unknown := {of.tag for of in tags.by_word.values()} - set(TAGS):
            raise ValueError(f"{sorted(unknown)[0]} is no tag")
    return tags

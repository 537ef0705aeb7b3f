"""Two versions of a sentence, word by word: what went, what came."""

from collections.abc import Sequence
from dataclasses import dataclass
from difflib import SequenceMatcher

from dashboard import layout


@dataclass(frozen=True)
class Difference:
    """The places of the words that are gone from the first version, and of those that are new in the second."""

    gone: tuple[int, ...]
    new: tuple[int, ...]

    def __bool__(self) -> bool:
        return bool(self.gone or self.new)


def difference(before: Sequence[str], after: Sequence[str]) -> Difference:
    """What is left when the longest common runs of words are matched; spaces around words do not count."""
    first, second = ([word.strip() for word in words] for words in (before, after))
    gone, new = set(range(len(first))), set(range(len(second)))
    # Without "junk", which leaves out words that are frequent in long texts.
    for block in SequenceMatcher(None, first, second, autojunk=False).get_matching_blocks():
        gone -= set(range(block.a, block.a + block.size))
        new -= set(range(block.b, block.b + block.size))
    return Difference(tuple(sorted(gone)), tuple(sorted(new)))


def marked(words: Sequence[str], places: Sequence[int], *, gone: bool) -> str:
    """The sentence as Markdown, the words at these places struck through or set off."""
    return "".join(
        _marked(word, gone=gone) if place in places else layout.plain(word) for place, word in enumerate(words)
    )


def _marked(word: str, *, gone: bool) -> str:
    bare = layout.plain(word.strip())
    space = " " if word[:1].isspace() else ""
    if not bare:
        return layout.plain(word)
    return f"{space}~~{bare}~~" if gone else f"{space}:orange-background[**{bare}**]"

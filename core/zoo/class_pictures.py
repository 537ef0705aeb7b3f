"""Pictures of the classes that image models name: freely licensed ones that the project carries, where there are any.

Photographs that our models learned from are none of them: Tiny ImageNet is derived from ImageNet, for non-commercial
research and education. Drawings are those of Noto Emoji (Apache-2.0), photographs those of core/images.
"""

from collections.abc import Sequence
from functools import lru_cache

from ..images import EXAMPLES
from .emoji import emoji

# Names of emoji for classes of ImageNet that are called otherwise.
OTHER_NAMES = {"bee": "honeybee", "ladybug": "lady beetle", "orange": "tangerine", "sandal": "woman’s sandal"}
# First names of classes of ImageNet that share a name with an emoji of something else: a kite is a bird there.
HOMONYMS = frozenset({"ear", "kite", "lesser panda", "mouse", "notebook", "pick", "porcupine", "wing"})


def example_of(name: str) -> str | None:
    """The example photograph that shows a class, by its name; None if there is none.

    `name` is that of ImageNet: synonyms stand behind commas.
    """
    first = name.partition(",")[0]
    return next((example for example, picture in EXAMPLES.items() if first in picture.known), None)


def drawing_of(name: str) -> str | None:
    """The emoji whose description is the name of a class or one of its synonyms; None if there is none."""
    synonyms = [synonym.strip() for synonym in name.split(",")]
    if synonyms[0] in HOMONYMS:
        return None
    candidates = (OTHER_NAMES.get(synonyms[0]), *synonyms)
    return next((_drawings()[name.lower()] for name in candidates if name and name.lower() in _drawings()), None)


def places_matching(classes: Sequence[str], search: str) -> tuple[int, ...]:
    """The numbers of the classes with all words of a search in their names, in upper or lower case; all for no word."""
    words = search.casefold().split()
    return tuple(place for place, name in enumerate(classes) if all(word in name.casefold() for word in words))


@lru_cache(maxsize=1)
def _drawings() -> dict[str, str]:
    """Emoji by their descriptions in lower case."""
    return {entry.description.lower(): entry.character for entry in emoji()}

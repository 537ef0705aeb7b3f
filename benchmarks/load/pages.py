"""The pages that visitors of the benchmarks go to, with known and new inputs."""

import random
from dataclasses import dataclass
from io import BytesIO
from typing import Any

import numpy as np
from PIL import Image

from benchmarks.load.visitor import Visitor
from core.images import EXAMPLES

TEXT, PICTURE = "text", "picture"  # the keys of the widgets that take what a page is about
WIDE, HIGH = 640, 480  # pixels of a visitor's photograph
WHO = ("The old man", "My brother", "A tired teacher", "The small dog", "Our neighbour", "The queen", "A stranger")
DID = ("has seen", "told us about", "was looking for", "never forgot", "wrote about", "could not find", "asked for")
WHAT = ("the red house", "a letter", "the open window", "his daughter", "the broken clock", "a long road", "the garden")
WHERE = ("by the sea", "before the war", "in the rain", "on Sunday", "behind the school", "without a word", "at night")


@dataclass(frozen=True)
class Place:
    """A page: its name and address, and the key of the widget that takes its text or picture (`about`)."""

    name: str
    url: str
    about: str

    def known_input(self, number: int) -> str:
        """One of three inputs that every visitor uses: a sentence, or the name of an example."""
        examples = [name for name in EXAMPLES if name != "galaxies"]  # much larger than the others
        return sentence(random.Random(number % 3)) if self.about == TEXT else examples[number % 3]

    def new_input(self, chance: random.Random) -> str | bytes:
        """A random input: a sentence, or a photograph."""
        return sentence(chance) if self.about == TEXT else photograph(chance)

    def link(self, page_input: str) -> dict[str, str]:
        """The query parameters of an address with this input."""
        return {self.about: page_input} if self.about else {}

    async def show(self, visitor: Visitor, page_input: Any) -> dict[str, Any]:
        """The arguments of `visitor.rerun` that set this input; a photograph is uploaded first."""
        if isinstance(page_input, bytes):
            return {"widgets": {"own_photo file": await visitor.upload("photograph.jpg", page_input)}}
        return {"widgets": self.link(page_input), "query": self.link(page_input)}


def sentence(chance: random.Random) -> str:
    """A random sentence of about 16 words; two are hardly ever the same."""
    clauses = [" ".join(chance.choice(part) for part in (WHO, DID, WHAT, WHERE)) for _ in range(2)]
    return f"{clauses[0]}, and {clauses[1][0].lower()}{clauses[1][1:]}, {chance.randrange(10, 10_000)} times."


def photograph(chance: random.Random) -> bytes:
    """A JPEG of random soft colours, with the file size of a small photograph."""
    colours = np.random.default_rng(chance.randrange(2**32)).integers(0, 256, (12, 16, 3), dtype=np.uint8)
    file = BytesIO()
    Image.fromarray(colours).resize((WIDE, HIGH), Image.Resampling.BICUBIC).save(file, "JPEG", quality=90)
    return file.getvalue()


PLACES = (
    Place("Explore / Text", "text", TEXT),
    Place("Explore / Image", "image", PICTURE),
    Place("Many heads", "heads", TEXT),
    Place("Translation", "translation", TEXT),
    Place("Vision transformer", "vit", PICTURE),
)

"""How sure a network is of a caption, and whether the caption is right, where that is known."""

import math

from core.images import EXAMPLES
from core.images.described_words import content_words
from core.images.example_pictures import ExamplePicture
from core.zoo.captioners import CAPTIONERS
from dashboard import typeset
from dashboard.inputs.picture_input import PictureInput, truth_of
from pages.words_and_pictures.captioning.compute import Written

TRUE, FALSE = "True of this scene", "Not true of this scene"
NO_SENTENCE, NO_CONTENT = "Not a sentence about drawn scenes", "No content words"
LEAST = 0.005  # a smaller probability is not written as a whole number of percent


def verdict(written: Written, chosen: PictureInput) -> str:
    """The line below a caption, as Markdown: right or not, and how sure, as far as they are known."""
    return " · ".join(part for part in (correctness(written.text, chosen), certainty(written)) if part)


def certainty(written: Written) -> str:
    """The geometric mean of the probabilities of its words, the end included; "" for no words."""
    chances = written.attention.log_probabilities
    if not chances:
        return ""
    mean = _percent(math.exp(sum(chances) / len(chances)))
    return f"each {_unit(written)} {mean} probable (geometric mean)"


def correctness(caption: str, chosen: PictureInput) -> str:
    """Whether a caption is true of its scene, or how many words it shares with what is known of a photograph.

    "" for a photograph of which nothing is known.
    """
    if chosen.is_scene:
        truth = truth_of(chosen, caption)
        return f"**{NO_SENTENCE if truth is None else TRUE if truth else FALSE}**"
    example = example_in(chosen)
    if example is None:
        return ""
    count, matched = len(content_words(caption)), len(example.matched_words(caption))
    if not count:
        return f"**{NO_CONTENT}**"
    if not matched:
        return f"**None of {count} content words fits**"
    return f"**{matched} of {count} content words {'fits' if matched == 1 else 'fit'}**"


def details(written: Written, chosen: PictureInput) -> tuple[str, ...]:
    """Sentences behind the verdict: the least probable word, and what is known of an example photograph."""
    chances, sentences = written.attention.log_probabilities, []
    if len(chances) > 1:
        least = min(range(len(chances)), key=chances.__getitem__)
        word = f"“{typeset.plain(written.words.labels[least].strip())}”"
        named = "the end" if written.words.ids[least] == written.end else word
        sentences.append(
            f"Of its {len(chances)} {_unit(written)}s, the end included, the least probable is {named}: "
            f"{_percent(math.exp(chances[least]))}."
        )
    if example := example_in(chosen):
        matched = [f"“{typeset.plain(word)}”" for word in example.matched_words(written.text)]
        shared = ", ".join(matched) or "none of its content words"
        sentences.append(f"Known of this photograph: it shows {example.shows}. The caption shares {shared} with that.")
    return tuple(sentences)


def example_in(chosen: PictureInput) -> ExamplePicture | None:
    """The example photograph, of which it is known what it shows; None for any other picture."""
    if chosen.is_scene or not isinstance(chosen.picture, str):
        return None
    return EXAMPLES.get(chosen.picture)


def _unit(written: Written) -> str:
    return "word" if written.model.name in CAPTIONERS else "token"


def _percent(share: float) -> str:
    return f"{share:.0%}" if share >= LEAST else "less than 1%"

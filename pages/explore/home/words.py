"""What the first page says."""

from dataclasses import dataclass, replace

from dashboard.frame.layout import PageWords
from dashboard.inputs import example_texts

HOME = PageWords(
    question="See attention at work",
    lead=(
        "Attention is how a transformer decides which words, or which parts of a picture, matter to one another: here, "
        "live."
    ),
    try_this=(),
    references=(),
)

# What the small examples are made of.
REPEATING, SENTENCE, TRANSLATED = example_texts.examples("home").values()
PICTURE = "coffee"
SCENE = "0-2~star.red.large.plain.18.20~circle.blue.medium.plain.46.46"

# The way from the example to a visitor's own, by the name of the page.
OWN = {"Text": "Try it with your own sentence", "Image": "Try it with your own photograph"}


@dataclass(frozen=True)
class Door:
    """A way into the atlas for one kind of visitor: a symbol, what the visitor says, and what is there."""

    icon: str
    title: str
    about: str

    def counting(self, count: int) -> "Door":
        """The same with a number in the place that `about` has for it."""
        return replace(self, about=self.about.format(count=count))


NEW = Door(
    ":material/flag:",
    "I am new",
    "The first lesson: twenty minutes, {count} stations. At each you guess first, then you see what the model says.",
)
BEGIN = "Begin the first lesson"
OWN_INPUT = Door(
    ":material/edit_note:",
    "I have a text or a picture",
    "Every head of a running model reads what you bring: see what it attends to, and switch heads off.",
)
OWN_TEXT, OWN_PICTURE = "Explore a text", "Explore a picture"
TEACH = Door(
    ":material/co_present:",
    "I teach",
    "Lessons with questions that a model answers, a class whose pages follow yours, and a view for the projector.",
)
PROJECTOR = "Text on a projector"

PAGES = "All pages, by task"
CORE = "Core path"

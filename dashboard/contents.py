"""The table of contents: every page with its group, its question and its address."""

from pathlib import Path

from streamlit.navigation.page import StreamlitPage

from dashboard.page_entry import Page

ROOT = Path(__file__).parent.parent

HOME = Page("explore/home", "Home", "See attention at work", "")
LESSONS = Page(
    "learn/lessons",
    "Lessons",
    "Where do I begin?",
    "lessons",
    "Paths through the atlas, with a question at every station. A running model has the answer.",
)
TEXT = Page(
    "explore/text",
    "Text",
    "Who listens to whom?",
    "text",
    "Type a sentence and watch every head of a language model read it. Switch a head off: does the model still know "
    "what comes next?",
)
IMAGE = Page(
    "explore/image",
    "Image",
    "Where does it look?",
    "image",
    "Drop in a photograph, touch any part of it, and see which other parts it looks at.",
)
STEPS = Page(
    "foundations/attention_step_by_step",
    "Attention step by step",
    "How does a query find its values?",
    "steps",
    "Take one head apart, down to the single multiplication: with numbers that you can change, or with those of a "
    "real model.",
    builds_on=(TEXT,),
)
HEADS = Page(
    "foundations/many_heads",
    "Many heads",
    "What is each head for?",
    "heads",
    "Measure every head of a model, then ablate some: what did the model lose?",
    builds_on=(STEPS,),
)
ORDER = Page(
    "foundations/order",
    "Positional encoding",
    "How does a set know its order?",
    "order",
    "Shuffle your own sentence, and see the waves, rotations and biases that tell attention what came first.",
    builds_on=(STEPS,),
)
BEFORE = Page(
    "foundations/before_attention",
    "RNNs, LSTMs, convolutions",
    "What did RNN, LSTM, GRU and convolution see?",
    "before",
    "Five models read your sentence, and each forgets it in its own way: measured, letter by letter.",
)
INSIDE = Page(
    "foundations/inside_the_transformer",
    "Inside the transformer",
    "What happens between input and output?",
    "inside",
    "Walk through a running model, part by part, and look at the numbers that pass through it.",
    builds_on=(HEADS, ORDER),
)
LONG_TEXT = Page(
    "explore/long_text",
    "Long text",
    "What is far away and still attended to?",
    "long-text",
    "Read a book of up to 131,072 tokens with a running model, and zoom from the map of all of it down to one word.",
    builds_on=(TEXT, ORDER),
)
TRANSLATION = Page(
    "language/translation",
    "Translation",
    "Which word does each word come from?",
    "translation",
    "Three generations of translators turn your English into French, side by side: see what each of them looks at, "
    "cut a link, and watch the words change.",
    builds_on=(BEFORE, STEPS),
)

NEXT_WORD = Page(
    "language/next_word",
    "Next word (GPT)",
    "What does a GPT look at?",
    "next-word",
    "Let a GPT continue your text token by token: choose another token than it would, see which heads and MLPs raised "
    "its prediction, and what it copies.",
    builds_on=(INSIDE,),
)
MISSING_WORD = Page(
    "language/missing_word",
    "Masked words (BERT)",
    "What does a BERT look at?",
    "missing-word",
    "Mask words of your own sentence, and see what a BERT predicts there from both sides, and which of its heads "
    "follow grammar.",
    builds_on=(HEADS, INSIDE),
)
SENTIMENT = Page(
    "language/sentiment",
    "Sentiment",
    "Does attention explain a prediction?",
    "sentiment",
    "Write a review, see which sentiment networks predict and which words they attribute it to; then test whether "
    "those words are the reason.",
    builds_on=(HEADS,),
)
VISION = Page(
    "vision/vision_transformer",
    "Vision transformer",
    "How does a picture become a sequence?",
    "vit",
    "Follow your own photograph into a vision transformer, patch by patch; see where it looks, why it predicts "
    "its class, and whether the explanation is faithful.",
    builds_on=(HEADS, INSIDE),
)
SWIN = Page(
    "vision/swin",
    "Swin",
    "What do shifted windows see?",
    "swin",
    "Touch any place of your photograph and see the window that it looks at, in every stage: shifted, masked, merged.",
    builds_on=(VISION,),
)
RECONSTRUCTION = Page(
    "vision/reconstruction",
    "Reconstruction",
    "What can be told from a few patches?",
    "reconstruction",
    "Mask most of your photograph, and see how two networks fill it in: one predicts all masked patches at once, the "
    "other draws pixel by pixel. Which visible patches did each look at?",
    builds_on=(VISION,),
)
CAPTIONING = Page(
    "words_and_pictures/captioning",
    "Captioning",
    "Which word looks where?",
    "captioning",
    "A network describes your photograph, or a scene that you build: see where it looks for each word, and, in the "
    "drawn world, whether it looks at the right thing.",
    builds_on=(TRANSLATION,),
)
CLIP = Page(
    "words_and_pictures/clip",
    "CLIP",
    "Do words and picture agree?",
    "clip",
    "Your own pictures against your own sentences: how well they agree, which word and which patch make the score, and "
    "what happens when you change one.",
    builds_on=(VISION,),
)
JOINT = Page(
    "words_and_pictures/joint",
    "Vision-language model",
    "Do words look at the picture?",
    "joint",
    "A sentence and a scene in one network: who looks at whom in every layer and head, which words and patches it "
    "predicts under a mask, and whether the two belong together.",
    builds_on=(MISSING_WORD, VISION),
)

GENERATION = Page(
    "words_and_pictures/generation",
    "Generation",
    "Where does a new picture come from?",
    "generation",
    "Write a sentence and watch pictures of it being made, part by part: point at any part, and see which words and "
    "which earlier parts it was made from.",
    builds_on=(NEXT_WORD, CLIP),
)

SCALING = Page(
    "scale/scaling_comparison",
    "Scaling comparison",
    "What does size buy?",
    "scaling",
    "Published results of thousands of models on axes of your choice, each with its source; laws fitted to them, and a "
    "calculator for a model of your own.",
)
EFFICIENT = Page(
    "scale/efficient_attention",
    "Efficient attention",
    "What may be left out?",
    "efficient",
    "See what BigBird, Linformer, Performer and a sliding window leave out of a real head's map of your text, what it "
    "costs the model, and what it saves.",
    builds_on=(HEADS,),
)

SHRINKING = Page(
    "scale/shrinking",
    "Pruning and quantisation",
    "What can be removed?",
    "shrinking",
    "Take heads, bits or whole layers away from models that work here, on your own input, and see what that costs and "
    "what it saves.",
    builds_on=(HEADS, INSIDE),
)

GLOSSARY = Page(
    "learn/glossary",
    "Glossary",
    "What does this word mean?",
    "glossary",
    "Every term of these pages in a sentence or two, with the place where you can see what it means.",
)

# What the page STEPS begins with, for those who lead there.
STEPS_MODEL, OWN_SENTENCE = "gpt-books", "Your sentence"
EIGHT_STEPS = "Eight steps"  # the section of STEPS that follows one head
LONGEST_LINE = 2000  # characters that are typed in one line

CORE = (HOME, TEXT, STEPS, HEADS, ORDER, INSIDE, NEXT_WORD)  # the path that the sidebar shows at first
DEEPER: dict[str, tuple[Page, ...]] = {  # the other pages, by task
    "Language": (BEFORE, TRANSLATION, MISSING_WORD, SENTIMENT, LONG_TEXT),
    "Vision": (IMAGE, VISION, SWIN, RECONSTRUCTION),
    "Words and pictures": (CAPTIONING, CLIP, JOINT, GENERATION),
    "Scale": (SCALING, EFFICIENT, SHRINKING),
    "Lessons and terms": (LESSONS, GLOSSARY),
}
GROUPS: dict[str, tuple[Page, ...]] = {"": CORE, **DEEPER}


def page_at(address: str) -> Page:
    """The page with this address."""
    return next(page for page in pages() if page.url == address)


def page_asking(question: str) -> Page:
    """The page with this question."""
    return next(page for page in pages() if page.question == question)


def pages() -> list[Page]:
    """All pages, each after those that it builds on: the core path, then the groups that go deeper."""
    return [page for group in GROUPS.values() for page in group]


def step_by_step(model: str, text: object) -> str | None:
    """The address of the page STEPS for a text, without layer and head; None if the page cannot show model or text."""
    if model != STEPS_MODEL or not isinstance(text, str) or len(text) > LONGEST_LINE or "\n" in text:
        return None
    return STEPS.address(show=EIGHT_STEPS, begin=OWN_SENTENCE, text=text)


def navigation() -> dict[str, list[StreamlitPage]]:
    """The groups as `st.navigation` takes them."""
    return {group: [page.streamlit_page() for page in pages] for group, pages in GROUPS.items()}

"""The prose of the pages, in one place."""

from dataclasses import dataclass


@dataclass(frozen=True)
class PageWords:
    """What a page says besides its figures; everything here is Markdown written by us, never by a visitor."""

    question: str
    lead: str
    try_this: tuple[str, ...]
    references: tuple[str, ...]


VASWANI = (
    "Vaswani et al. 2017, [Attention Is All You Need](https://arxiv.org/abs/1706.03762), section 3.2: "
    "scaled dot-product and multi-head attention."
)
ALAMMAR = (
    "Alammar 2018, [The Illustrated Transformer](https://jalammar.github.io/illustrated-transformer/): the scores 112 "
    "and 96 of the classic example, as drawings."
)
RADFORD = (
    "Radford et al. 2019, [Language Models are Unsupervised Multitask Learners]"
    "(https://cdn.openai.com/better-language-models/language_models_are_unsupervised_multitask_learners.pdf), "
    "section 2.3: GPT-2, whose layers `gpt-books` has."
)
JAIN = (
    "Jain and Wallace 2019, [Attention is not Explanation](https://arxiv.org/abs/1902.10186), and "
    "Wiegreffe and Pinter 2019, [Attention is not not Explanation](https://arxiv.org/abs/1908.04626): "
    "what a map can and cannot prove."
)
CLARK = (
    "Clark et al. 2019, [What Does BERT Look At?](https://arxiv.org/abs/1906.04341): previous-token heads, "
    "separator heads, syntax."
)
OLSSON = (
    "Olsson et al. 2022, [In-context Learning and Induction Heads](https://arxiv.org/abs/2209.11895): "
    "heads that look for what came after the last time."
)
XIAO = (
    "Xiao et al. 2023, [Efficient Streaming Language Models with Attention Sinks]"
    "(https://arxiv.org/abs/2309.17453): why so much attention rests on the first token."
)
DOSOVITSKIY = (
    "Dosovitskiy et al. 2020, [An Image is Worth 16x16 Words](https://arxiv.org/abs/2010.11929): "
    "the vision transformer; figures 6 and 7 look at its attention."
)
DARCET = (
    "Darcet et al. 2023, [Vision Transformers Need Registers](https://arxiv.org/abs/2309.16588): "
    "why a few empty patches of sky can draw everybody's attention."
)

HOME = PageWords(
    question="See attention at work",
    lead=(
        "Attention is how a transformer, the kind of network behind today's language models, decides which words, or "
        "which parts of a picture, matter to one another. Here you watch it happen in every head of a real model: in "
        "this example, then in your own sentence or photograph."
    ),
    try_this=(),
    references=(),
)
TEXT = PageWords(
    question="Who listens to whom?",
    lead=(
        "The model reads your text in tokens: words, or pieces of words. Each row of the map is one token choosing "
        "which others to look at, and each head of the model chooses in its own way. Pick a head from the grid; point "
        "at a row, click to keep it."
    ),
    try_this=(
        "Write a name twice, a few words apart. Is there a head in which the second one looks at what came *after* "
        "the first?",
        "Silence the head you are looking at. Does the prediction change, or did nothing depend on it?",
        "Choose *Lines* and go down the layers with the arrow keys: in which layer do tokens begin to look far away?",
    ),
    references=(VASWANI, CLARK, OLSSON, XIAO, JAIN),
)
IMAGE = PageWords(
    question="Where does it look?",
    lead=(
        "The model cuts the picture into square patches, and every patch looks at every other. Touch a patch to see "
        "where it looks, or choose *class*: the token from which the model tells what is in the picture."
    ),
    try_this=(
        "Touch the background, then the subject. Do they look at the same places?",
        "Compare the first layer with the last: which heads look nearby, and which look across the whole picture?",
        "Silence a head that looks at the subject. Does the model still know what it is?",
    ),
    references=(DOSOVITSKIY, DARCET, VASWANI, JAIN),
)
STEPS = PageWords(
    question="How does a query find its values?",
    lead=(
        "Attention is eight small pieces of arithmetic. Walk through them one at a time, with numbers you can change "
        "or with those of a real model; rest the pointer on a number of the result to see the sum that made it."
    ),
    try_this=(
        "Turn the scale off and watch the largest weight: what is left for the other tokens?",
        "Turn the mask on. Which numbers change, and which stay exactly as they are?",
        "Move the temperature towards 4. When do all tokens get the same, and what does a token receive then?",
        "In the classic example, give both rows of *K* the same numbers. Can a query still tell the two tokens apart?",
    ),
    references=(VASWANI, ALAMMAR, RADFORD, CLARK),
)

# The way from the first page's example to a visitor's own, by the name of the page.
OWN = {"Text": "Try it with your own sentence", "Image": "Try it with your own photograph"}

# What the bars below a view answer, by the kind of model.
PREDICTIONS = {
    "NextToken": "What comes next?",
    "MissingToken": "What would it write in the last place?",
    "SourceToTarget": "What would it write next?",
    "Classifier": "What is its verdict?",
    "ImageModel": "What does it take the picture for?",
}

"""Networks that read a sentence and a picture together: words that are hidden, patches that are hidden, do they match?

joint = load_joint("two-streams")                        # one of JOINT
tokens = joint.encode("a red star above a blue circle")
with record_attention(joint.network) as record:
    output = joint.run(joint.prepare(picture).pixels, joint.mask_places(tokens, [2]))
joint.guesses(output, 2)                                 # words by probability, for place 2
joint.attention(record, len(tokens))[0].words            # from words to patches in layer 0: (head, word, patch)
"""

from collections.abc import Collection, Sequence
from contextlib import AbstractContextManager
from dataclasses import dataclass, field, replace
from itertools import product
from pathlib import Path

import torch
from jaxtyping import Bool, Float
from PIL import Image
from tokenizers import Tokenizer
from torch import Tensor

from ..capture import AttentionCall, Cut, Record, edit_attention
from ..errors import InputError
from ..images import Patches
from ..models.stored_weights import load_weights
from ..models.vilbert import JointConfig, JointOutput, SingleStream, ViLBERT
from ..text import Tokens, encode
from .clips import SPECIAL, plain_words
from .embedded import WEIGHTS, read_settings
from .image_models import Framing, PreparedPicture
from .text_models import Prediction

JOINT = {"two-streams": "Two streams (ViLBERT)", "one-stream": "One stream (VisualBERT)"}
NETWORKS: dict[str, type[ViLBERT] | type[SingleStream]] = {"two-streams": ViLBERT, "one-stream": SingleStream}
MASK = "[MASK]"
PICTURE_TOKEN = "picture"  # the label of the token of the picture as a whole, before those of its patches


@dataclass(frozen=True, eq=False)
class WordPatchAttention:
    """Attention weights of one layer between words and patches: from `words` to patches, from `patches` to words.

    Those of the picture's token are left out, so the weights of a query may sum to less than 1.
    """

    words: Float[Tensor, "head word patch"]
    patches: Float[Tensor, "head word patch"]


@dataclass(frozen=True, eq=False)
class JointReader:
    """A ViLBERT, or a network of one stream, with its tokenizer. Threads may share it: it is immutable."""

    name: str
    title: str
    network: ViLBERT | SingleStream
    tokenizer: Tokenizer
    framing: Framing
    parameters: int = field(init=False)

    def __post_init__(self):
        self.network.eval().requires_grad_(False)
        object.__setattr__(self, "parameters", sum(weight.numel() for weight in self.network.parameters()))

    @property
    def grid(self) -> tuple[int, int]:
        """Rows and columns of patches."""
        side = self.network.config.side // self.network.config.patch
        return side, side

    def prepare(self, picture: Image.Image) -> PreparedPicture:
        """The middle of an RGB picture, as the network takes it."""
        return PreparedPicture(
            self.framing.pixels(picture), self.framing.crop(picture), Patches(*self.grid, prefix=(PICTURE_TOKEN,))
        )

    def encode(self, text: str) -> Tokens:
        """The tokens of a sentence, in which [MASK] may stand for words.

        InputError where it is too long or has a word that is not in the vocabulary.
        """
        words = [MASK if word.strip(".,") == MASK else plain_words(word) for word in text.split()]
        tokens = encode(self.tokenizer, " ".join(word for word in words if word), context=10**6)
        context = self.network.config.context
        if len(tokens) > context:
            raise InputError(
                f"This sentence has {len(tokens) - 2} words; this network reads at most {context - 2}. Leave some out."
            )
        if unknown := self.unknown(text):
            raise InputError(
                f"“{unknown[0][:40]}” is not a word of this drawn world. It knows {', '.join(self.words)}."
            )
        return tokens

    @property
    def words(self) -> tuple[str, ...]:
        """The words of its vocabulary, in alphabetical order."""
        vocabulary = self.tokenizer.get_vocab().items()
        return tuple(sorted(word for word, number in vocabulary if number >= SPECIAL and word != MASK))

    def unknown(self, text: str) -> tuple[str, ...]:
        """The words of a text that are not in its vocabulary, without repetitions."""
        vocabulary = self.tokenizer.get_vocab()
        words = (plain_words(word) for word in text.split() if word.strip(".,") != MASK)
        return tuple(dict.fromkeys(word for word in words if word and word not in vocabulary))

    def mask_places(self, tokens: Tokens, places: Collection[int]) -> Tokens:
        """The same sentence with [MASK] at `places`."""
        mask = self.tokenizer.get_vocab()[MASK]
        masked = [place in places for place in range(len(tokens))]
        ids = (mask if is_masked else number for is_masked, number in zip(masked, tokens.ids, strict=True))
        labels = (f" {MASK}" if is_masked else label for is_masked, label in zip(masked, tokens.labels, strict=True))
        return replace(tokens, ids=tuple(ids), labels=tuple(labels))

    @torch.no_grad()
    def run(
        self,
        pixels: Float[Tensor, "batch channel row column"],
        tokens: Tokens,
        hidden: Bool[Tensor, "batch patch"] | None = None,
    ) -> JointOutput:
        """The output for pictures and one sentence; `hidden` patches are replaced by a learned vector."""
        return self.network(pixels, torch.tensor([tokens.ids] * len(pixels)), None, hidden)

    @property
    def one_stream(self) -> bool:
        """Whether words and patches form one sequence."""
        return isinstance(self.network, SingleStream)

    @property
    def layers(self) -> int:
        """The number of layers in which words and patches attend to one another."""
        network = self.network
        return len(network.blocks if isinstance(network, SingleStream) else network.joint)

    def attention(self, record: Record, count: int) -> tuple[WordPatchAttention, ...]:
        """The attention between words and patches in each of those layers, for a sentence of `count` tokens."""
        if isinstance(self.network, SingleStream):
            return tuple(one_stream_attention(call, count) for call in record.calls)
        calls = {call.path: call for call in record.calls}
        sides = [
            [_heads(calls[f"joint.{layer}.{side}.attention"]) for side in ("words_look", "picture_looks")]
            for layer in range(self.layers)
        ]
        return tuple(WordPatchAttention(words[:, :, 1:], patches[:, 1:].mT) for words, patches in sides)

    def cut_attention(self, layer: int, count: int) -> AbstractContextManager[None]:
        """A context in which words and picture do not attend to one another in a layer.

        `count`: the number of tokens of the sentence.
        """
        heads = range(self.network.config.heads)
        if isinstance(self.network, SingleStream):
            cut = Cut(cross_links(count, 1 + self.network.config.patches))
            return edit_attention(self.network, {(f"blocks.{layer}.attention", head): cut for head in heads})
        paths = [f"joint.{layer}.{side}.attention" for side in ("words_look", "picture_looks")]
        return edit_attention(self.network, {(path, head): "silence" for path in paths for head in heads})

    def guesses(self, output: JointOutput, place: int, top: int = 8) -> tuple[Prediction, ...]:
        """The `top` most probable words at a place."""
        probabilities = output.words[0, place].float().softmax(dim=-1)
        values, numbers = probabilities.topk(top)
        pairs = zip(numbers.tolist(), values.tolist(), strict=True)
        return tuple(Prediction(self.tokenizer.id_to_token(number) or "", value, number) for number, value in pairs)


def load_joint(name: str, *, weights: Path = WEIGHTS) -> JointReader:
    """The network and tokenizer of a name in JOINT."""
    folder = weights / "vilbert"
    file = folder / f"{name}.safetensors"
    sizes = read_settings(file)[name]
    network = load_weights(lambda: NETWORKS[name](JointConfig(**sizes)), file)
    tokenizer = Tokenizer.from_file(str(folder / "tokenizer.json"))
    tokenizer.no_padding()
    tokenizer.no_truncation()
    framing = Framing((3, network.config.side, network.config.side), (0.5,) * 3, (0.25,) * 3)
    return JointReader(name, JOINT[name], network, tokenizer, framing)


def places_of(tokens: Tokens) -> Sequence[int]:
    """The places of a sentence that hold words."""
    return [place for place, special in enumerate(tokens.special) if not special]


def one_stream_attention(call: AttentionCall, count: int) -> WordPatchAttention:
    """The attention between words and patches in a sequence of `count` words, the picture's token and its patches."""
    weights = _heads(call)
    return WordPatchAttention(weights[:, :count, count + 1 :], weights[:, count + 1 :, :count].mT)


def cross_links(first: int, second: int) -> list[tuple[int, int]]:
    """The links (query, key) between the `first` tokens of a sequence and the `second` ones after them, both ways."""
    forth = list(product(range(first), range(first, first + second)))
    return forth + [(key, query) for query, key in forth]


def _heads(call: AttentionCall) -> Float[Tensor, "head query key"]:
    return torch.stack([call.weights(head) for head in range(call.heads)])

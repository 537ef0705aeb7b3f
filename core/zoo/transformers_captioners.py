"""Captioners of the transformers library by name or folder: BLIP, GIT, and an encoder that sees with a GPT that writes.

model = load_named_captioner("Salesforce/blip-image-captioning-base")    # ask `inspect(name, "both")` first
seen = model.prepare(picture)
decoded = model.write(seen.pixels)                                       # the library's own beam search
looked = model.look(seen.pixels, model.tokens(decoded.best.tokens))
"""

from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import Any

import torch
from jaxtyping import Float
from PIL import Image
from tokenizers import Tokenizer
from torch import Tensor

from ..capture import AttentionCall, record_attention
from ..errors import CaptureError, InputError, ModelError
from ..hub.failures import as_sentence
from ..hub.permissions import AT_HOME, Permission
from ..images import Patches
from ..models.from_transformers import tame_generation
from ..text import Tokens, encode, read_tokens
from ..translation.decoding import Decoded, Hypothesis, Progress
from .captioners import Looked
from .image_models import Framing, PreparedPicture
from .loading import opened_for
from .transformers_translators import Watch

LONGEST = 40  # tokens of a caption
EYES = ("vision_model.", "encoder.", "git.image_encoder.")  # where pictures are seen, and no word looks


@dataclass(frozen=True, eq=False)
class NamedPictureWriter:
    """A network that writes what it sees. Threads may share it: nothing is set after it was made.

    `begin` and `end` are the tokens with which a caption begins and ends. What goes wrong while it runs is a
    ModelError.
    """

    name: str
    title: str
    network: Any  # with methods that torch's Module has not
    tokenizer: Tokenizer
    framing: Framing
    begin: int
    end: int
    warnings: tuple[str, ...] = ()
    parameters: int = field(init=False)

    def __post_init__(self):
        self.network.eval().requires_grad_(False)
        self.tokenizer.no_padding()
        self.tokenizer.no_truncation()
        object.__setattr__(self, "parameters", sum(weight.numel() for weight in self.network.parameters()))

    @property
    def grid(self) -> tuple[int, int]:
        """Rows and columns of patches."""
        config = self.network.config
        sees = getattr(config, "vision_config", None) or config.encoder
        _, rows, columns = self.framing.input_size
        return rows // sees.patch_size, columns // sees.patch_size

    @property
    def places(self) -> int:
        """Patches of a picture."""
        return self.grid[0] * self.grid[1]

    def prepare(self, picture: Image.Image) -> PreparedPicture:
        """The middle of an RGB picture, as the network takes it."""
        with as_sentence(self.name, "prepare this picture"):
            return PreparedPicture(self.framing.pixels(picture), self.framing.shown(picture), Patches(*self.grid))

    def encode(self, caption: str) -> Tokens:
        """The tokens of a caption of one's own, with the end; InputError where there are none, or too many."""
        with as_sentence(self.name, "read this caption"):
            tokens = encode(self.tokenizer, caption, context=10**6)
        ids = [number for number, special in zip(tokens.ids, tokens.special, strict=True) if not special]
        if len(ids) > LONGEST:
            raise InputError(f"This caption has {len(ids)} tokens; at most {LONGEST} are read. Leave some words out.")
        return self.tokens([*ids, self.end])

    def tokens(self, numbers: Sequence[int]) -> Tokens:
        """Tokens that were written, as a person reads them."""
        return read_tokens(self.tokenizer, numbers)

    def word(self, number: int) -> str:
        """One token of its vocabulary."""
        return self.tokenizer.id_to_token(number) or ""

    def text(self, numbers: Sequence[int]) -> str:
        """What was written, as plain text, special tokens left out."""
        return self.tokenizer.decode(list(numbers), skip_special_tokens=True).strip()

    @torch.no_grad()
    def write(
        self, pixels: Float[Tensor, "batch channel row column"], *, beam: int = 3, progress: Progress | None = None
    ) -> Decoded:
        """A caption by the library's `generate`; log-probabilities are measured once each hypothesis is complete."""
        with as_sentence(self.name, "describe this picture"):
            written = self.network.generate(
                pixel_values=pixels,
                max_new_tokens=LONGEST,
                num_beams=beam,
                num_return_sequences=beam,
                do_sample=False,
                **({} if self.network.config.model_type == "blip" else {"pad_token_id": self.end}),  # BLIP has its own
                stopping_criteria=[Watch(progress, beam)] if progress else None,
            )
            hypotheses = [self._hypothesis(pixels, row) for row in written.tolist()]
        return Decoded(tuple({hypothesis.tokens: hypothesis for hypothesis in hypotheses}.values()))

    @torch.no_grad()
    def look(self, pixels: Float[Tensor, "batch channel row column"], words: Tokens) -> Looked:
        """Let it write exactly these tokens (teacher forcing), and keep where it looked.

        CaptureError if no layer has a map from each token to each patch.
        """
        with as_sentence(self.name, "run on this picture"), record_attention(self.network) as record:
            logits = self._logits(pixels, words.ids)
        maps = [own for call in record.calls if (own := self._map(call, len(words))) is not None]
        if not maps:
            raise CaptureError(
                f"'{self.name}' has no attention from each word to each patch that could be shown. Name another one."
            )
        return Looked(words, _chosen(logits, words.ids), tuple(maps))

    @torch.no_grad()
    def try_once(self) -> None:
        """See a grey picture and write one word. Raises, in any way, where it cannot be used at all."""
        prepared = self.prepare(Image.new("RGB", self.framing.input_size[:0:-1], "grey"))
        self.look(prepared.pixels, self.tokens([self.end]))

    def _map(self, call: AttentionCall, count: int) -> Float[Tensor, "head word patch"] | None:
        """What `count` tokens give to patches in a call; None where they do not look at them.

        Where picture and text are one sequence (GIT), the picture comes first.
        """
        if call.batch_size != 1 or call.path.startswith(EYES):
            return None
        patches = (self.places, self.places + 1)  # with a class token before them, or without
        across = call.kind == "cross" and call.query_length == count and call.key_length in patches
        joined = call.query_length == call.key_length and call.query_length - count in patches
        if not (across or joined):
            return None
        seen = call.key_length if across else call.key_length - count
        return torch.stack([call.weights(head)[-count:, seen - self.places : seen] for head in range(call.heads)])

    def _logits(
        self, pixels: Float[Tensor, "batch channel row column"], target: Sequence[int]
    ) -> Float[Tensor, "token vocabulary"]:
        before = torch.tensor([[self.begin, *target[:-1]]])
        named = "decoder_input_ids" if self.network.config.model_type == "vision-encoder-decoder" else "input_ids"
        return self.network(pixel_values=pixels, **{named: before}).logits[0, -before.shape[1] :]

    def _hypothesis(self, pixels: Tensor, row: list[int]) -> Hypothesis:
        tokens = row[1:] if row[:1] == [self.begin] else row
        place = next((place for place, token in enumerate(tokens) if token == self.end), len(tokens))
        tokens = tokens[: place + 1] or [self.end]
        chosen = _chosen(self._logits(pixels, tokens), tokens)
        return Hypothesis(tuple(tokens), chosen, tokens[-1] == self.end)


def load_named_captioner(name: str, *, permission: Permission = AT_HOME) -> NamedPictureWriter:
    """A model that writes what it sees: one of the hub (fetched if it is not here), or a folder."""
    with opened_for(name, "caption", permission=permission) as parts:
        for part in (parts.network, getattr(parts.network, "text_decoder", None)):
            if getattr(part, "generation_config", None) is not None:
                tame_generation(part)
        begin, end = ends_of(parts.network)
        model = NamedPictureWriter(
            name, parts.title, parts.network, parts.tokenizer, parts.framing, begin, end, parts.warnings
        )
        model.try_once()
        return model


def ends_of(network: Any) -> tuple[int, int]:
    """The tokens with which a caption begins and ends; ModelError where the config does not say."""
    config = network.config
    if config.model_type == "blip":
        found = (config.text_config.bos_token_id, config.text_config.sep_token_id)
    elif config.model_type == "vision-encoder-decoder":
        said = network.generation_config
        begin = said.decoder_start_token_id
        begin = getattr(config, "decoder_start_token_id", None) if begin is None else begin
        begin = config.decoder.bos_token_id if begin is None else begin
        end = said.eos_token_id if said.eos_token_id is not None else config.decoder.eos_token_id
        found = (begin, end[0] if isinstance(end, list) and end else end)
    else:
        found = (config.bos_token_id, config.eos_token_id)
    if not all(isinstance(each, int) and not isinstance(each, bool) and each >= 0 for each in found):
        raise ModelError("Its config does not say with which tokens a caption begins and ends.")
    return found


def _chosen(logits: Float[Tensor, "token vocabulary"], target: Sequence[int]) -> tuple[float, ...]:
    """The log-probability of each token."""
    places = torch.tensor(list(target))[:, None]
    return tuple(logits.float().log_softmax(dim=-1).gather(1, places)[:, 0].tolist())

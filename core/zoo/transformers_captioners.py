"""Captioners of the transformers library by name or folder: BLIP, GIT, and a vision encoder with a GPT as decoder.

model = load_named_captioner("Salesforce/blip-image-captioning-base")    # ask `inspect(name, "both")` first
prepared = model.prepare(picture)
decoded = model.write(prepared.pixels)                                   # the library's own beam search
attention = model.look(prepared.pixels, model.tokens(decoded.best.tokens))
"""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import torch
from jaxtyping import Float
from PIL import Image
from torch import Tensor

from ..capture import AttentionCall, record_attention
from ..errors import CaptureError, InputError, ModelError
from ..hub.failures import as_model_error
from ..hub.permissions import AT_HOME, Permission
from ..models.from_transformers import restrict_generation
from ..text import Tokens, encode, read_tokens
from ..translation.decoding import Decoded, Hypothesis, Progress
from .captioners import CaptionAttention
from .loading import load_parts
from .transformers_pictures import NamedPictureReader
from .transformers_translators import Watch

LONGEST = 40  # tokens of a caption
VISION_ENCODERS = ("vision_model.", "encoder.", "git.image_encoder.")  # paths of modules without words


@dataclass(frozen=True, eq=False, kw_only=True)
class NamedPictureWriter(NamedPictureReader):
    """A captioner; `begin` and `end` are the tokens with which a caption begins and ends."""

    begin: int
    end: int

    @property
    def patch_size(self) -> tuple[int, int]:
        """Rows and columns of pixels of a patch."""
        config = self.network.config
        size = (getattr(config, "vision_config", None) or config.encoder).patch_size
        return size, size

    @property
    def places(self) -> int:
        """The number of patches of a picture."""
        return self.grid[0] * self.grid[1]

    def encode(self, caption: str) -> Tokens:
        """The tokens of a caption, with that of its end; InputError where there are none, or more than LONGEST."""
        with as_model_error(self.name, "read this caption"):
            tokens = encode(self.tokenizer, caption, context=10**6)
        ids = [number for number, special in zip(tokens.ids, tokens.special, strict=True) if not special]
        if len(ids) > LONGEST:
            raise InputError(f"This caption has {len(ids)} tokens; at most {LONGEST} are read. Leave some words out.")
        return self.tokens([*ids, self.end])

    def tokens(self, numbers: Sequence[int]) -> Tokens:
        """Generated tokens, with readable labels."""
        return read_tokens(self.tokenizer, numbers)

    def word(self, number: int) -> str:
        """The text of a token number."""
        return self.tokenizer.id_to_token(number) or ""

    def text(self, numbers: Sequence[int]) -> str:
        """Generated tokens as plain text, without special tokens."""
        return self.tokenizer.decode(list(numbers), skip_special_tokens=True).strip()

    @torch.no_grad()
    def write(
        self, pixels: Float[Tensor, "batch channel row column"], *, beam: int = 3, progress: Progress | None = None
    ) -> Decoded:
        """A caption by the library's `generate`; log-probabilities are measured once each hypothesis is complete."""
        with as_model_error(self.name, "describe this picture"):
            sequences = self.network.generate(
                pixel_values=pixels,
                max_new_tokens=LONGEST,
                num_beams=beam,
                num_return_sequences=beam,
                do_sample=False,
                **({} if self.network.config.model_type == "blip" else {"pad_token_id": self.end}),  # BLIP has its own
                stopping_criteria=[Watch(progress, beam)] if progress else None,
            )
            hypotheses = [self._hypothesis(pixels, row) for row in sequences.tolist()]
        return Decoded(tuple({hypothesis.tokens: hypothesis for hypothesis in hypotheses}.values()))

    @torch.no_grad()
    def look(self, pixels: Float[Tensor, "batch channel row column"], words: Tokens) -> CaptionAttention:
        """The attention to the picture while it writes exactly these tokens (teacher forcing).

        CaptureError if no layer has a map from each token to each patch.
        """
        with as_model_error(self.name, "run on this picture"), record_attention(self.network) as record:
            logits = self._logits(pixels, words.ids)
        maps = [weights for call in record.calls if (weights := self._map(call, len(words))) is not None]
        if not maps:
            raise CaptureError(
                f"'{self.name}' has no attention from each word to each patch that could be shown. Name another one."
            )
        return CaptionAttention(words, _log_probabilities(logits, words.ids), tuple(maps))

    @torch.no_grad()
    def try_once(self) -> None:
        """Run on a grey picture and one token; any exception where the model cannot be used at all."""
        prepared = self.prepare(Image.new("RGB", self.framing.input_size[:0:-1], "grey"))
        self.look(prepared.pixels, self.tokens([self.end]))

    def _map(self, call: AttentionCall, count: int) -> Float[Tensor, "head word patch"] | None:
        """The weights of `count` tokens to the patches in a call; None where they do not attend to patches.

        Where picture and text are one sequence (GIT), the picture comes first.
        """
        if call.batch_size != 1 or call.path.startswith(VISION_ENCODERS):
            return None
        patches = (self.places, self.places + 1)  # with a class token before them, or without
        is_cross = call.kind == "cross" and call.query_length == count and call.key_length in patches
        is_joint = call.query_length == call.key_length and call.query_length - count in patches
        if not (is_cross or is_joint):
            return None
        end = call.key_length if is_cross else call.key_length - count  # of the patches
        return torch.stack([call.weights(head)[-count:, end - self.places : end] for head in range(call.heads)])

    def _logits(
        self, pixels: Float[Tensor, "batch channel row column"], target: Sequence[int]
    ) -> Float[Tensor, "token vocabulary"]:
        before = torch.tensor([[self.begin, *target[:-1]]])
        argument = "decoder_input_ids" if self.network.config.model_type == "vision-encoder-decoder" else "input_ids"
        return self.network(pixel_values=pixels, **{argument: before}).logits[0, -before.shape[1] :]

    def _hypothesis(self, pixels: Tensor, row: list[int]) -> Hypothesis:
        tokens = row[1:] if row[:1] == [self.begin] else row
        place = next((place for place, token in enumerate(tokens) if token == self.end), len(tokens))
        tokens = tokens[: place + 1] or [self.end]
        log_probabilities = _log_probabilities(self._logits(pixels, tokens), tokens)
        return Hypothesis(tuple(tokens), log_probabilities, tokens[-1] == self.end)


def load_named_captioner(name: str, *, permission: Permission = AT_HOME) -> NamedPictureWriter:
    """A captioner of the hub (fetched if it is not here), or of a folder."""
    with load_parts(name, "caption", permission=permission) as parts:
        for part in (parts.network, getattr(parts.network, "text_decoder", None)):
            if getattr(part, "generation_config", None) is not None:
                restrict_generation(part)
        begin, end = begin_and_end_of(parts.network)
        model = NamedPictureWriter(name=name, begin=begin, end=end, **vars(parts))
        model.try_once()
        return model


def begin_and_end_of(network: Any) -> tuple[int, int]:
    """The tokens with which a caption begins and ends; ModelError where the config does not say."""
    config = network.config
    if config.model_type == "blip":
        ends = (config.text_config.bos_token_id, config.text_config.sep_token_id)
    elif config.model_type == "vision-encoder-decoder":
        settings = network.generation_config
        begin = settings.decoder_start_token_id
        begin = getattr(config, "decoder_start_token_id", None) if begin is None else begin
        begin = config.decoder.bos_token_id if begin is None else begin
        end = settings.eos_token_id if settings.eos_token_id is not None else config.decoder.eos_token_id
        ends = (begin, end[0] if isinstance(end, list) and end else end)
    else:
        ends = (config.bos_token_id, config.eos_token_id)
    if not all(isinstance(token, int) and not isinstance(token, bool) and token >= 0 for token in ends):
        raise ModelError("Its config does not say with which tokens a caption begins and ends.")
    return ends


def _log_probabilities(logits: Float[Tensor, "token vocabulary"], target: Sequence[int]) -> tuple[float, ...]:
    """The log-probability of each token of `target`."""
    places = torch.tensor(list(target))[:, None]
    return tuple(logits.float().log_softmax(dim=-1).gather(1, places)[:, 0].tolist())

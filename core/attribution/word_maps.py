"""For each word a map over the picture, by several methods: the patches that the word depends on.

Names of the methods, in files and addresses too:

    attention    the attention weights of each patch: the mean over layers and heads (of a CLIP, as usual for vision
                 transformers, over the heads of the last layer)
    rollout      attention followed through the layers (Abnar and Zuidema 2020)
    gradient     gradient x attention, layer by layer, positive parts (Chefer et al. 2021, equation 5)
    relevance    the same followed through both modalities (Chefer et al. 2021, equations 6 to 11)
    occlusion    the drop in the score when a patch is covered (Zeiler and Fergus 2014, section 4.2); of more than
                 MOST_COVERED patches 2 x 2 at a time
"""

from collections.abc import Sequence

import torch
from jaxtyping import Float, Int
from torch import Tensor

from ..capture import AttentionCall, record_attention
from ..models.vilbert import SingleStream
from ..text import Tokens
from ..translation.decoding import BEGIN
from ..zoo.captioners import PictureWriter, is_recurrent, maps_of
from ..zoo.clips import PictureText
from ..zoo.joint import JointReader
from .aggregation import readout_tokens
from .cross_modal import LayerAttention, Side, Steps, gradient_times_attention, mean_attention, relevance, rollout
from .image_methods import relevance as relevance_of_one

ATTENTION, ROLLOUT, GRADIENT, RELEVANCE, OCCLUSION = WAYS = (
    "attention",
    "rollout",
    "gradient",
    "relevance",
    "occlusion",
)
MOST_COVERED = 100  # patches that are covered one by one
WordMaps = dict[str, Float[Tensor, "word patch"]]  # by method


def captioner_maps(
    model: PictureWriter, pixels: Float[Tensor, "batch channel row column"], words: Tokens, *, occlude: bool = True
) -> WordMaps:
    """Maps of each word of a given caption, the end included; the score is the word's log-probability.

    An LSTM has one attention layer, so it has no rollout; its relevance is not defined in the paper.
    """
    ids = torch.tensor([[BEGIN, *words.ids[:-1]]])
    with torch.enable_grad(), record_attention(model.network, differentiable=True) as record:
        logits = model.network(pixels, ids)
        scores = _log_probabilities(logits, words)[0]
    calls = record.calls
    weights = [call.written.weights for call in calls if call.written is not None]
    rows = [torch.autograd.grad(score, weights, retain_graph=True, materialize_grads=True) for score in scores]
    maps: WordMaps = {}
    if is_recurrent(model.network):
        weights_by_word = maps_of(calls)[0][0]
        maps[ATTENTION] = weights_by_word
        maps[GRADIENT] = torch.stack(
            [
                (row[word][0, 0, 0] * weights_by_word[word]).clamp(min=0) for word, row in enumerate(rows)
            ]  # of its own step
        )
    else:
        steps = [_decoder_steps(calls, row) for row in rows]
        sizes = {"words": len(words), "picture": model.places}
        maps[ATTENTION] = mean_attention(steps[0])
        maps[ROLLOUT] = rollout(steps[0], **sizes)[: len(words), len(words) :]
        maps[GRADIENT] = torch.stack([gradient_times_attention(step)[word] for word, step in enumerate(steps)])
        maps[RELEVANCE] = torch.stack(
            [relevance(step, **sizes).words_on_picture[word] for word, step in enumerate(steps)]
        )
    if occlude:
        with torch.no_grad():
            pictures = torch.cat([pixels, cover_squares(pixels, model.grid)])
            log_probabilities = _log_probabilities(model.network(pictures, ids.expand(len(pictures), -1)), words)
        maps[OCCLUSION] = (log_probabilities[0] - log_probabilities[1:])[squares_of_patches(model.grid)].mT
    return maps


def _decoder_steps(calls: Sequence[AttentionCall], gradients: Sequence[Tensor]) -> Steps:
    steps = []
    for call, gradient in zip(calls, gradients, strict=True):
        assert call.written is not None
        key_side: Side = "picture" if call.kind == "cross" else "words"
        steps.append((LayerAttention("words", key_side, call.written.weights[0].detach(), gradient[0]),))
    return steps


def clip_maps(
    model: PictureText,
    pixels: Float[Tensor, "batch channel row column"],
    text: str,
    alternatives: Sequence[Sequence[str]],
    *,
    occlude: bool = True,
) -> WordMaps:
    """Maps of each word of a text; the score of a word is how much it adds to the cosine of picture and text.

    `alternatives`: for each word the texts in which it is replaced or left out; the score is the cosine with `text`
    minus the mean of theirs. Attention and rollout of the vision encoder do not depend on the text, so they are the
    same for every word.
    """
    with torch.no_grad():
        vectors = torch.stack(
            [model.texts([text])[0] - model.texts(list(others)).mean(dim=0) for others in alternatives]
        )  # (word, width)
    with torch.enable_grad(), record_attention(model.vision_encoder, differentiable=True) as record:
        scores = vectors @ model.embed_pictures(pixels)[0]
    weights = [call.written.weights for call in record.calls if call.written is not None]
    rows = [
        _vision_encoder_rows(
            weights, torch.autograd.grad(score, weights, retain_graph=True), model.grid[0] * model.grid[1]
        )
        for score in scores
    ]
    maps = {method: torch.stack([row[method] for row in rows]) for method in rows[0]}
    if occlude:
        cosines = model.pictures(torch.cat([pixels, cover_squares(pixels, model.grid)])) @ vectors.mT
        maps[OCCLUSION] = (cosines[0] - cosines[1:])[squares_of_patches(model.grid)].mT
    return maps


def text_relevance(model: PictureText, picture: Float[Tensor, " width"], text: str) -> Float[Tensor, " token"]:
    """The relevance of each token of a text for the cosine with a picture (Chefer et al. 2021, equations 5 and 6).

    Special tokens are included, padding is not.
    """
    count = len(model.encode(text))
    with torch.enable_grad(), record_attention(model.text_encoder, differentiable=True) as record:
        score = model.embed_text(text)[0] @ picture
    weights = tuple(call.written.weights for call in record.calls if call.written is not None)
    gradients = torch.autograd.grad(score, weights)
    detached = tuple(tensor.detach() for tensor in weights)
    read = readout_tokens(gradients[-1])
    return relevance_of_one(detached, gradients, read)[0, :count]


def _vision_encoder_rows(
    weights: Sequence[Tensor], gradients: Sequence[Tensor], patches: int
) -> dict[str, Float[Tensor, " patch"]]:
    """One row of each method, over the patches: of the class token, or of the query that pools all tokens (SigLIP).

    A pooling query is treated as the query of a decoder. Attention: that of the last layer.
    """
    layers = [(layer[0].detach(), gradient[0]) for layer, gradient in zip(weights, gradients, strict=True)]
    tokens = layers[0][0].shape[-1]
    patch_slice = slice(tokens - patches, None)  # behind the class token, if there is one
    last = layers[-1][0].mean(dim=0)[0]
    if layers[-1][0].shape[-2] == 1:
        steps: Steps = [
            *((LayerAttention("picture", "picture", *layer),) for layer in layers[:-1]),
            (LayerAttention("words", "picture", *layers[-1]),),
        ]
        rolled, relevant = rollout(steps, words=1, picture=tokens), relevance(steps, words=1, picture=tokens)
        return {
            ATTENTION: last[patch_slice],
            ROLLOUT: rolled[0, 1:][patch_slice],
            GRADIENT: gradient_times_attention(steps)[0, patch_slice],
            RELEVANCE: relevant.words_on_picture[0, patch_slice],
        }
    return {ATTENTION: last[patch_slice]} | _single_sequence_rows(layers, 0, patch_slice)


def _single_sequence_rows(
    layers: Sequence[tuple[Tensor, Tensor]], token: int, patches: slice
) -> dict[str, Float[Tensor, " patch"]]:
    """The rows of one token, in a network of one sequence; layers are (weights, gradient), each (head, query, key)."""
    steps: Steps = [(LayerAttention("words", "words", *layer),) for layer in layers]
    sizes = {"words": layers[0][0].shape[-1], "picture": 0}
    return {
        ROLLOUT: rollout(steps, **sizes)[token, patches],
        GRADIENT: gradient_times_attention(steps, key_side="words")[token, patches],
        RELEVANCE: relevance(steps, **sizes).words[token, patches],
    }


def joint_maps(
    model: JointReader,
    pixels: Float[Tensor, "batch channel row column"],
    tokens: Tokens,
    places: Sequence[int],
    *,
    occlude: bool = True,
) -> WordMaps:
    """Maps of the words at `places`, masked one at a time; the score is the log-probability of the true word."""
    maps: dict[str, list[Tensor]] = {}
    for place in places:
        hidden = model.mask_places(tokens, [place])
        ids = torch.tensor([hidden.ids])
        with torch.enable_grad(), record_attention(model.network, differentiable=True) as record:
            output = model.network(pixels, ids)
            score = output.words[0, place].log_softmax(dim=-1)[tokens.ids[place]]
        weights = [call.written.weights for call in record.calls if call.written is not None]
        gradients = torch.autograd.grad(score, weights, materialize_grads=True)
        for method, row in _joint_rows(model, record.calls, gradients, place, len(tokens)).items():
            maps.setdefault(method, []).append(row)
        if occlude:
            with torch.no_grad():
                pictures = torch.cat([pixels, cover_squares(pixels, model.grid)])
                logits = model.network(pictures, ids.expand(len(pictures), -1)).words[:, place]
            log_probabilities = logits.log_softmax(dim=-1)[:, tokens.ids[place]]
            drops = (log_probabilities[0] - log_probabilities[1:])[squares_of_patches(model.grid)]
            maps.setdefault(OCCLUSION, []).append(drops)
    return {method: torch.stack(rows) for method, rows in maps.items()}


def _joint_rows(
    model: JointReader, calls: Sequence[AttentionCall], gradients: Sequence[Tensor], place: int, words: int
) -> dict[str, Float[Tensor, " patch"]]:
    """One row of each method, over the patches; the token of the whole picture is left out."""
    recorded = [
        (call.path, call.written.weights[0].detach(), gradient[0])
        for call, gradient in zip(calls, gradients, strict=True)
        if call.written is not None
    ]
    if isinstance(model.network, SingleStream):
        patches = slice(words + 1, recorded[0][1].shape[-1])
        mean_weights = torch.stack([weights.mean(dim=0) for _, weights, _ in recorded]).mean(dim=0)
        layers = [(weights, gradient) for _, weights, gradient in recorded]
        return {ATTENTION: mean_weights[place, patches]} | _single_sequence_rows(layers, place, patches)
    steps = two_stream_steps(recorded)
    sizes = {"words": words, "picture": 1 + model.grid[0] * model.grid[1]}
    return {
        ATTENTION: mean_attention(steps)[place, 1:],
        ROLLOUT: rollout(steps, **sizes)[place, words + 1 :],
        GRADIENT: gradient_times_attention(steps)[place, 1:],
        RELEVANCE: relevance(steps, **sizes).words_on_picture[place, 1:],
    }


def two_stream_steps(layers: Sequence[tuple[str, Tensor, Tensor | None]]) -> Steps:
    """The layers of a ViLBERT (path, weights, gradient) as steps: parallel layers of both streams are one step."""
    sides: dict[str, tuple[Side, Side]] = {
        "words_look": ("words", "picture"),
        "picture_looks": ("picture", "words"),
        "words": ("words", "words"),
        "picture": ("picture", "picture"),
        "alone": ("words", "words"),
        "seen_alone": ("picture", "picture"),
    }
    steps: list[list[LayerAttention]] = []
    for path, weights, gradient in layers:
        parts = path.split(".")
        query_side, key_side = sides[parts[-2] if parts[0] == "joint" else parts[0]]
        layer = LayerAttention(query_side, key_side, weights, gradient)
        is_parallel = parts[0] == "joint" and parts[-2] in ("picture_looks", "picture")
        if is_parallel:
            steps[-1].append(layer)
        else:
            steps.append([layer])
    return steps


def cover_each_patch(
    pixels: Float[Tensor, "batch channel row column"], grid: tuple[int, int], *, side: int = 1
) -> Float[Tensor, "_ channel row column"]:
    """Copies of the picture, each with a square of `side` x `side` patches, row by row, in its median colour.

    In a drawn scene the median is about the colour of the ground.
    """
    rows, columns = grid
    height, width = pixels.shape[2] // rows, pixels.shape[3] // columns
    median = pixels[0].flatten(1).median(dim=1).values
    corners = [(row, column) for row in range(0, rows, side) for column in range(0, columns, side)]
    pictures = pixels.repeat(len(corners), 1, 1, 1)
    for picture, (row, column) in zip(pictures, corners, strict=True):
        picture[:, row * height : (row + side) * height, column * width : (column + side) * width] = median[
            :, None, None
        ]
    return pictures


def cover_squares(
    pixels: Float[Tensor, "batch channel row column"], grid: tuple[int, int]
) -> Float[Tensor, "_ channel row column"]:
    """The pictures of which occlusion takes the scores: each patch covered, or each square of 2 x 2."""
    return cover_each_patch(pixels, grid, side=_side_of_squares(grid))


def squares_of_patches(grid: tuple[int, int]) -> Int[Tensor, " patch"]:
    """For each patch the number of the picture of `cover_squares` in which it is covered."""
    side, (rows, columns) = _side_of_squares(grid), grid
    row, column = torch.arange(rows)[:, None] // side, torch.arange(columns) // side
    return (row * -(-columns // side) + column).flatten()


def _side_of_squares(grid: tuple[int, int]) -> int:
    return 1 if grid[0] * grid[1] <= MOST_COVERED else 2


def _log_probabilities(logits: Float[Tensor, "batch word vocabulary"], words: Tokens) -> Float[Tensor, "batch word"]:
    """The log-probability of each word."""
    ids = torch.tensor(words.ids).expand(len(logits), -1)
    return logits.float().log_softmax(dim=-1).gather(2, ids[..., None])[..., 0]

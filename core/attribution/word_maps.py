"""For each word a map over the picture, by every way to tell: what the word rests on, as each way has it.

Names of the ways, in files and addresses too:

    attention    what the weights themselves give to each patch: the mean over layers and heads (of a CLIP, as usual for
                 vision transformers, over the heads of the last layer)
    rollout      attention followed through the layers (Abnar and Zuidema 2020)
    gradient     gradient x attention, layer by layer, positive parts (Chefer et al. 2021, equation 5)
    relevance    the same followed through both modalities (Chefer et al. 2021, equations 6 to 11)
    occlusion    how far the score falls when a patch is covered (Zeiler and Fergus 2014, section 4.2)
"""

from collections.abc import Sequence

import torch
from jaxtyping import Float
from torch import Tensor

from ..capture import AttentionCall, record_attention
from ..models.vilbert import SingleStream
from ..text import Tokens
from ..translation.decoding import BEGIN
from ..zoo.captioners import PictureWriter, is_recurrent, maps_of
from ..zoo.clips import PictureText
from ..zoo.joint import JointReader
from .aggregation import read_tokens
from .cross_modal import Look, Side, Steps, gradient_times_attention, mean_attention, relevance, rollout
from .image_methods import relevance as relevance_of_one

ATTENTION, ROLLOUT, GRADIENT, RELEVANCE, OCCLUSION = WAYS = (
    "attention",
    "rollout",
    "gradient",
    "relevance",
    "occlusion",
)
WordMaps = dict[str, Float[Tensor, "word patch"]]  # by way


def captioner_maps(
    model: PictureWriter, pixels: Float[Tensor, "batch channel row column"], words: Tokens, *, occlude: bool = True
) -> WordMaps:
    """Maps of each word that a captioner is made to write, the end included; the score is the word's log-probability.

    An LSTM looks once for each word, so there is nothing to roll out; its relevance is not defined in the paper.
    """
    ids = torch.tensor([[BEGIN, *words.ids[:-1]]])
    with torch.enable_grad(), record_attention(model.network, differentiable=True) as record:
        logits = model.network(pixels, ids)
        scores = _chosen(logits, words)[0]
    calls = record.calls
    weights = [call.written.weights for call in calls if call.written is not None]
    rows = [torch.autograd.grad(score, weights, retain_graph=True, materialize_grads=True) for score in scores]
    found: WordMaps = {}
    if is_recurrent(model.network):
        own = maps_of(calls)[0][0]
        found[ATTENTION] = own
        found[GRADIENT] = torch.stack(
            [(row[word][0, 0, 0] * own[word]).clamp(min=0) for word, row in enumerate(rows)]  # of its own step
        )
    else:
        steps = [_decoder_steps(calls, row) for row in rows]
        sizes = {"words": len(words), "picture": model.places}
        found[ATTENTION] = mean_attention(steps[0])
        found[ROLLOUT] = rollout(steps[0], **sizes)[: len(words), len(words) :]
        found[GRADIENT] = torch.stack([gradient_times_attention(step)[word] for word, step in enumerate(steps)])
        found[RELEVANCE] = torch.stack([relevance(step, **sizes).across[word] for word, step in enumerate(steps)])
    if occlude:
        with torch.no_grad():
            several = torch.cat([pixels, covered(pixels, model.grid)])
            every = _chosen(model.network(several, ids.expand(len(several), -1)), words)
        found[OCCLUSION] = (every[0] - every[1:]).mT
    return found


def _decoder_steps(calls: Sequence[AttentionCall], gradients: Sequence[Tensor]) -> Steps:
    steps = []
    for call, gradient in zip(calls, gradients, strict=True):
        assert call.written is not None
        at: Side = "picture" if call.kind == "cross" else "words"
        steps.append((Look("words", at, call.written.weights[0].detach(), gradient[0]),))
    return steps


def clip_maps(
    model: PictureText,
    pixels: Float[Tensor, "batch channel row column"],
    text: str,
    instead: Sequence[Sequence[str]],
    *,
    occlude: bool = True,
) -> WordMaps:
    """Maps of each word of a text; the score of a word is how much it adds to the cosine of picture and text.

    `instead`: for each word the texts in which it is another one, or left out; what is scored is the cosine with
    `text` less the mean of theirs. Attention and rollout of the picture's encoder know nothing of the text: they are
    the same for every word.
    """
    with torch.no_grad():
        vectors = torch.stack(
            [model.texts([text])[0] - model.texts(list(others)).mean(dim=0) for others in instead]
        )  # (word, width)
    with torch.enable_grad(), record_attention(model.vision_encoder, differentiable=True) as record:
        scores = vectors @ model.see(pixels)[0]
    weights = [call.written.weights for call in record.calls if call.written is not None]
    rows = [
        _eye_rows(weights, torch.autograd.grad(score, weights, retain_graph=True), model.grid[0] * model.grid[1])
        for score in scores
    ]
    found = {way: torch.stack([row[way] for row in rows]) for way in rows[0]}
    if occlude:
        seen = model.pictures(torch.cat([pixels, covered(pixels, model.grid)])) @ vectors.mT
        found[OCCLUSION] = (seen[0] - seen[1:]).mT
    return found


def text_relevance(model: PictureText, picture: Float[Tensor, " width"], text: str) -> Float[Tensor, " token"]:
    """What each token of a text is worth for the cosine with a picture (Chefer et al. 2021, equations 5 and 6).

    Special tokens of the text are among them; what is padded behind it is not.
    """
    count = len(model.encode(text))
    with torch.enable_grad(), record_attention(model.reader, differentiable=True) as record:
        score = model.read(text)[0] @ picture
    weights = tuple(call.written.weights for call in record.calls if call.written is not None)
    gradients = torch.autograd.grad(score, weights)
    plain = tuple(each.detach() for each in weights)
    read = read_tokens(gradients[-1])
    return relevance_of_one(plain, gradients, read)[0, :count]


def _eye_rows(
    weights: Sequence[Tensor], gradients: Sequence[Tensor], patches: int
) -> dict[str, Float[Tensor, " patch"]]:
    """One row of each way, over the patches: of the class token, the first, or of the one query that pools them all.

    A query that pools (SigLIP) looks from outside, as a decoder does. Attention: that of the last layer.
    """
    layers = [(each[0].detach(), gradient[0]) for each, gradient in zip(weights, gradients, strict=True)]
    tokens = layers[0][0].shape[-1]
    own = slice(tokens - patches, None)  # behind the class token, if there is one
    last = layers[-1][0].mean(dim=0)[0]
    if layers[-1][0].shape[-2] == 1:
        steps: Steps = [
            *((Look("picture", "picture", *layer),) for layer in layers[:-1]),
            (Look("words", "picture", *layers[-1]),),
        ]
        rolled, relevant = rollout(steps, words=1, picture=tokens), relevance(steps, words=1, picture=tokens)
        return {
            ATTENTION: last[own],
            ROLLOUT: rolled[0, 1:][own],
            GRADIENT: gradient_times_attention(steps)[0, own],
            RELEVANCE: relevant.across[0, own],
        }
    return {ATTENTION: last[own]} | _rows_of_one(layers, 0, own)


def _rows_of_one(
    layers: Sequence[tuple[Tensor, Tensor]], token: int, patches: slice
) -> dict[str, Float[Tensor, " patch"]]:
    """What one token of a network of one sequence rests on: layers (weights, gradient), each (head, query, key)."""
    steps: Steps = [(Look("words", "words", *layer),) for layer in layers]
    sizes = {"words": layers[0][0].shape[-1], "picture": 0}
    return {
        ROLLOUT: rollout(steps, **sizes)[token, patches],
        GRADIENT: gradient_times_attention(steps, at="words")[token, patches],
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
    """Maps of the words at `places`, each hidden in its turn; the score is the log-probability of the true word."""
    found: dict[str, list[Tensor]] = {}
    for place in places:
        hidden = model.hide(tokens, [place])
        ids = torch.tensor([hidden.ids])
        with torch.enable_grad(), record_attention(model.network, differentiable=True) as record:
            said = model.network(pixels, ids)
            score = said.words[0, place].log_softmax(dim=-1)[tokens.ids[place]]
        weights = [call.written.weights for call in record.calls if call.written is not None]
        gradients = torch.autograd.grad(score, weights, materialize_grads=True)
        for way, row in _joint_rows(model, record.calls, gradients, place, len(tokens)).items():
            found.setdefault(way, []).append(row)
        if occlude:
            with torch.no_grad():
                several = torch.cat([pixels, covered(pixels, model.grid)])
                logits = model.network(several, ids.expand(len(several), -1)).words[:, place]
            every = logits.log_softmax(dim=-1)[:, tokens.ids[place]]
            found.setdefault(OCCLUSION, []).append(every[0] - every[1:])
    return {way: torch.stack(rows) for way, rows in found.items()}


def _joint_rows(
    model: JointReader, calls: Sequence[AttentionCall], gradients: Sequence[Tensor], place: int, words: int
) -> dict[str, Float[Tensor, " patch"]]:
    """One row of each way, over the patches; the token of the whole picture is left out."""
    looks = [
        (call.path, call.written.weights[0].detach(), gradient[0])
        for call, gradient in zip(calls, gradients, strict=True)
        if call.written is not None
    ]
    if isinstance(model.network, SingleStream):
        patches = slice(words + 1, looks[0][1].shape[-1])
        own = torch.stack([weights.mean(dim=0) for _, weights, _ in looks]).mean(dim=0)
        layers = [(weights, gradient) for _, weights, gradient in looks]
        return {ATTENTION: own[place, patches]} | _rows_of_one(layers, place, patches)
    steps = two_streams(looks)
    sizes = {"words": words, "picture": 1 + model.grid[0] * model.grid[1]}
    return {
        ATTENTION: mean_attention(steps)[place, 1:],
        ROLLOUT: rollout(steps, **sizes)[place, words + 1 :],
        GRADIENT: gradient_times_attention(steps)[place, 1:],
        RELEVANCE: relevance(steps, **sizes).across[place, 1:],
    }


def two_streams(looks: Sequence[tuple[str, Tensor, Tensor | None]]) -> Steps:
    """The looks of a ViLBERT (path, weights, gradient) as steps: what both streams do side by side is one step."""
    sides: dict[str, tuple[Side, Side]] = {
        "words_look": ("words", "picture"),
        "picture_looks": ("picture", "words"),
        "words": ("words", "words"),
        "picture": ("picture", "picture"),
        "alone": ("words", "words"),
        "seen_alone": ("picture", "picture"),
    }
    steps: list[list[Look]] = []
    for path, weights, gradient in looks:
        parts = path.split(".")
        side, at = sides[parts[-2] if parts[0] == "joint" else parts[0]]
        look = Look(side, at, weights, gradient)
        together = parts[0] == "joint" and parts[-2] in ("picture_looks", "picture")
        if together:
            steps[-1].append(look)
        else:
            steps.append([look])
    return steps


def covered(
    pixels: Float[Tensor, "batch channel row column"], grid: tuple[int, int]
) -> Float[Tensor, "_ channel row column"]:
    """The picture once for each patch, with that patch covered by the picture's median colour; patches row by row.

    In a drawn scene the median is the ground, or near it.
    """
    rows, columns = grid
    high, wide = pixels.shape[2] // rows, pixels.shape[3] // columns
    median = pixels[0].flatten(1).median(dim=1).values
    several = pixels.repeat(rows * columns, 1, 1, 1)
    for patch in range(rows * columns):
        row, column = divmod(patch, columns)
        several[patch, :, row * high : (row + 1) * high, column * wide : (column + 1) * wide] = median[:, None, None]
    return several


def _chosen(logits: Float[Tensor, "batch word vocabulary"], words: Tokens) -> Float[Tensor, "batch word"]:
    """The log-probability of each word."""
    chosen = torch.tensor(words.ids).expand(len(logits), -1)
    return logits.float().log_softmax(dim=-1).gather(2, chosen[..., None])[..., 0]

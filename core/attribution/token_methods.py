"""Which words does a verdict rest on? One score for each token, told in five ways."""

from collections.abc import Callable
from contextlib import nullcontext
from functools import partial
from typing import Any

import torch
import torch.nn.functional as F
from jaxtyping import Float, Int
from torch import Tensor, nn
from torch.overrides import TorchFunctionMode

from ..capture import record_attention
from ..errors import CaptureError, ModelError
from ..hub.failures import as_sentence
from ..progress import Progress, no_progress
from ..text import Tokens
from ..tokens.words import word_spans
from ..zoo.text_models import A_WORD, TextModel, logits_of
from .aggregation import last_attention, read_tokens, rolled_out

# The explanations by the names that files and addresses use.
METHODS = {
    "attention": "Attention",
    "rollout": "Rollout",
    "gradient": "Gradient × input",
    "integrated": "Integrated gradients",
    "occlusion": "Occlusion",
}
FROM_ATTENTION = ("attention", "rollout")
# What can stand for no word, the best first; the last is what GPT-2 calls its unknown token.
NOTHING = ("[MASK]", "<mask>", "[UNK]", "<unk>", "[PAD]", "<pad>", "<|endoftext|>")
STEPS = 32  # of the path of integrated gradients
TOGETHER = 2**13  # tokens that are computed at once
MOST_WEIGHTS = 2**25  # of all layers and heads together: with their gradients they take about 300 MB


def methods_of(model: TextModel) -> tuple[str, ...]:
    """The explanations that a classifier has: without attention there is nothing to show of it.

    Of a network that puts its tokens in another order before it looks them up only occlusion can be told.
    """
    tokens = model.encode(" ".join([A_WORD] * 3))
    rows = torch.tensor([tokens.ids])
    try:
        with torch.no_grad():
            logits_from(model, rows, vectors_of(model, rows))
    except ModelError:
        return ("occlusion",)
    try:
        with torch.no_grad(), record_attention(model.network) as record:
            model.run(tokens)
    except CaptureError:
        record = None
    # What looks at something else than the tokens of the one text, in their order, gives no score for each of them.
    if record is None or any((call.batch_size, call.key_length) != (1, len(tokens)) for call in record.calls):
        return tuple(method for method in METHODS if method not in FROM_ATTENTION)
    stacked = all(call.query_length == call.key_length for call in record.calls)
    return tuple(method for method in METHODS if method != "rollout" or stacked)


def explain(
    model: TextModel, tokens: Tokens, method: str, target: int, progress: Progress = no_progress
) -> Float[Tensor, " token"]:
    """One score for each token; of all but attention and rollout, a negative one speaks against the class `target`.

    Gradients and occlusion explain the log-odds of the class, log(p / (1 - p)), which do not level off where the
    model is sure. ModelError if the model has no such explanation, or the text is too long for it.
    """
    with as_sentence(model.name, "be explained") if model.foreign else nullcontext():
        if method in FROM_ATTENTION:
            return _from_attention(model, tokens, method, target)
        if method == "occlusion":
            return occlusion(model, tokens, target, progress)
        return _from_gradients(model, tokens, method, target)


def log_odds(logits: Float[Tensor, "batch class"], target: int | Int[Tensor, " batch"]) -> Float[Tensor, " batch"]:
    """log(p / (1 - p)) of a class: its logit, less the logarithm of the sum of the others' exponentials."""
    targets = torch.as_tensor(target, device=logits.device).expand(len(logits))[:, None]
    others = logits.scatter(1, targets, -torch.inf)
    return logits.gather(1, targets)[:, 0] - others.logsumexp(dim=-1)


@torch.no_grad()
def logits_for(model: TextModel, rows: Int[Tensor, "batch token"]) -> Float[Tensor, "batch class"]:
    """The logits of many texts of one length, some at a time; there is no padding."""
    device = next(model.network.parameters()).device
    parts = rows.split(_together(model, rows.shape[1]))
    return torch.cat([logits_of(model.network(part.to(device))).float() for part in parts]).cpu()


def _together(model: TextModel, length: int) -> int:
    """How many texts of a length the network is given at once.

    The decoders of transformers read the last token that is no padding: without a name for that, one text at a time.
    """
    config = getattr(model.network, "config", None)
    return 1 if getattr(config, "pad_token_id", 0) is None else max(1, TOGETHER // length)


def probabilities_of(model: TextModel, rows: Int[Tensor, "batch token"]) -> Float[Tensor, "batch class"]:
    """How probable each class is for many texts of one length."""
    return logits_for(model, rows).softmax(dim=-1)


def replacement_of(model: TextModel) -> int:
    """The token that stands for no word: the one for a hidden word, for an unknown one, or for none."""
    found = (model.tokenizer.token_to_id(name) for name in NOTHING)
    return next((number for number in found if number is not None), 0)


def emptied(model: TextModel, tokens: Tokens) -> Int[Tensor, "1 token"]:
    """The text with nothing in place of each word: what integrated gradients begin from."""
    nothing = replacement_of(model)
    return torch.tensor([[number if own else nothing for number, own in zip(tokens.ids, tokens.special, strict=True)]])


@torch.no_grad()
def odds_of_nothing(model: TextModel, tokens: Tokens, target: int) -> float:
    """The log-odds of a class where integrated gradients begin: the vectors are those of the emptied text.

    The tokens stay, for some networks look for the end of the text in them.
    """
    start = vectors_of(model, emptied(model, tokens))
    return float(log_odds(logits_from(model, torch.tensor([tokens.ids]), start), target))


def words_of(tokens: Tokens) -> tuple[range, ...]:
    """Which tokens make up each word of the visitor's; the tokenizer's own belong to none."""
    return tuple(span for span in word_spans(tokens) if not tokens.special[span.start])


def by_word(scores: Float[Tensor, " token"], tokens: Tokens) -> Float[Tensor, " word"]:
    """The score of each word: the sum over its tokens."""
    return torch.stack([scores[span.start : span.stop].sum() for span in words_of(tokens)])


def occlusion(
    model: TextModel, tokens: Tokens, target: int, progress: Progress = no_progress
) -> Float[Tensor, " token"]:
    """How far the log-odds fall when a word is replaced by nothing (Zeiler and Fergus 2014, section 4.2, for words).

    The pieces of a word go together, and share its score equally. The tokenizer's own tokens stay, with 0.
    """
    rows, spans = torch.tensor([tokens.ids]), words_of(tokens)
    without = rows.repeat(len(spans), 1)
    for number, span in enumerate(spans):
        without[number, span.start : span.stop] = replacement_of(model)
    whole, found, done = log_odds(logits_for(model, rows), target), [], 0
    for part in without.split(_together(model, len(tokens))):
        found.append(log_odds(logits_for(model, part), target))
        done += len(part)
        progress(done, len(spans))
    scores = torch.zeros(len(tokens))
    for span, fall in zip(spans, whole - torch.cat(found), strict=True):
        scores[span.start : span.stop] = fall / len(span)
    return scores


def _from_attention(model: TextModel, tokens: Tokens, method: str, target: int) -> Float[Tensor, " token"]:
    """Where the tokens that are read out look in the last layer; or through all layers (Abnar and Zuidema 2020)."""
    rows = torch.tensor([tokens.ids])
    with torch.no_grad(), record_attention(model.network) as seen:
        logits_of(model.network(rows))
    if (held := sum(call.heads * call.query_length * call.key_length for call in seen.calls)) > MOST_WEIGHTS:
        raise ModelError(
            f"All heads together have {held / 1e6:,.0f} million weights for this text; at most "
            f"{MOST_WEIGHTS / 1e6:,.0f} million are followed back. Choose a shorter text, or a smaller model."
        )
    # With respect to the words, for a network whose weights need no gradient keeps none otherwise.
    with torch.enable_grad(), record_attention(model.network, differentiable=True) as record:
        vectors = vectors_of(model, rows).requires_grad_()
        score = log_odds(logits_from(model, rows, vectors), target).sum()
    weights = tuple(call.written.weights for call in record.calls if call.written is not None)
    if not weights:
        raise ModelError(f"{model.title} has no attention: nothing of it can be shown.")
    # By the last call alone, not by paths: a network that shares its layers runs one path several times.
    (gradient,) = torch.autograd.grad(score, weights[-1], materialize_grads=True)
    combine = rolled_out if method == "rollout" else last_attention
    return combine(tuple(each.detach() for each in weights), read_tokens(gradient))[0]


def _from_gradients(model: TextModel, tokens: Tokens, method: str, target: int) -> Float[Tensor, " token"]:
    """Gradient x input (Shrikumar et al. 2016), or integrated gradients (Sundararajan et al. 2017, equation 1).

    The inputs are the vectors of the tokens; the scores of a token's numbers are added up. Those of integrated
    gradients add up to what the log-odds gain from the emptied text to the text (their proposition 1).
    """
    from captum.attr import InputXGradient, IntegratedGradients  # here, because it takes seconds

    rows = torch.tensor([tokens.ids])
    read = partial(_log_odds_of, model, rows, target)
    with torch.enable_grad():
        vectors = vectors_of(model, rows).requires_grad_()
        if method == "gradient":
            found = InputXGradient(read).attribute(vectors)
        else:
            start, most = vectors_of(model, emptied(model, tokens)), _together(model, len(tokens))
            found = IntegratedGradients(read).attribute(
                vectors, start, n_steps=STEPS, method="gausslegendre", internal_batch_size=most
            )
    return found[0].sum(dim=-1).detach()


def _log_odds_of(
    model: TextModel, rows: Int[Tensor, "1 token"], target: int, vectors: Float[Tensor, "batch token width"]
) -> Float[Tensor, " batch"]:
    return log_odds(logits_from(model, rows.expand(len(vectors), -1), vectors), target)


@torch.no_grad()
def vectors_of(model: TextModel, rows: Int[Tensor, "batch token"]) -> Float[Tensor, "batch token width"]:
    """The vectors that the network's table holds for tokens."""
    return F.embedding(rows, table_of(model.network))


def logits_from(
    model: TextModel, rows: Int[Tensor, "batch token"], vectors: Float[Tensor, "batch token width"]
) -> Float[Tensor, "batch class"]:
    """What the network says of tokens with given vectors in place of those of its table.

    ModelError if it looks up something else than these tokens, as where they are put in another order first.
    """
    with _Looking(table_of(model.network), rows, vectors):
        return logits_of(model.network(rows)).float()


def table_of(network: nn.Module) -> Float[Tensor, "vocabulary width"]:
    """The table in which the network looks its tokens up."""
    find: Callable[[], Any] | None = getattr(network, "get_input_embeddings", None)
    table = find() if find else next((each for each in network.modules() if isinstance(each, nn.Embedding)), None)
    if table is None:
        raise ModelError("This network looks no tokens up: there are no vectors by which a gradient could be taken.")
    return table.weight


class _Looking(TorchFunctionMode):
    """Whoever looks into one table gets given vectors; in this thread alone, for others may run the same network."""

    def __init__(self, table: Tensor, rows: Tensor, vectors: Tensor):
        self.table, self.rows, self.vectors = table, rows, vectors

    def __torch_function__(self, func: Any, types: Any, args: Any = (), kwargs: Any = None) -> Any:
        if func is F.embedding and len(args) > 1 and args[1] is self.table:
            if not torch.equal(args[0], self.rows):
                raise ModelError("It does not look its tokens up in the order of the text: no gradient can be told.")
            return self.vectors
        return func(*args, **(kwargs or {}))

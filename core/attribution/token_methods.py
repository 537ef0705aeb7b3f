"""Explanations of the prediction of a text classifier: one score for each token, by five methods."""

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
from ..hub.failures import as_model_error
from ..progress import Progress, no_progress
from ..text import Tokens
from ..tokens.words import word_spans
from ..zoo.text_models import A_WORD, TextModel, logits_of
from .aggregation import last_layer_attention, readout_tokens, rollout_of_tokens

# The explanations by the names that files and addresses use.
METHODS = {
    "attention": "Attention",
    "rollout": "Rollout",
    "gradient": "Gradient × input",
    "integrated": "Integrated gradients",
    "occlusion": "Occlusion",
}
FROM_ATTENTION = ("attention", "rollout")
# Tokens that replace a word, the best first; the last is what GPT-2 calls its unknown token.
REPLACEMENT_NAMES = ("[MASK]", "<mask>", "[UNK]", "<unk>", "[PAD]", "<pad>", "<|endoftext|>")
STEPS = 32  # of the path of integrated gradients
BATCH_TOKENS = 2**13  # tokens that are computed at once
MOST_WEIGHTS = 2**25  # of all layers and heads together: with their gradients they take about 300 MB


def methods_of(model: TextModel) -> tuple[str, ...]:
    """The methods that apply to a classifier; those from attention need attention over the tokens of the text.

    A network that reorders its tokens before the embedding has occlusion only.
    """
    tokens = model.encode(" ".join([A_WORD] * 3))
    rows = torch.tensor([tokens.ids])
    try:
        with torch.no_grad():
            logits_from(model, rows, embeddings_of(model, rows))
    except ModelError:
        return ("occlusion",)
    try:
        with torch.no_grad(), record_attention(model.network) as record:
            model.run(tokens)
    except CaptureError:
        record = None
    # Attention over anything but the tokens of this text, in their order, gives no score for each token.
    if record is None or any((call.batch_size, call.key_length) != (1, len(tokens)) for call in record.calls):
        return tuple(method for method in METHODS if method not in FROM_ATTENTION)
    stacked = all(call.query_length == call.key_length for call in record.calls)
    return tuple(method for method in METHODS if method != "rollout" or stacked)


def explain(
    model: TextModel, tokens: Tokens, method: str, target: int, progress: Progress = no_progress
) -> Float[Tensor, " token"]:
    """One score for each token; except by attention and rollout, negative scores are evidence against `target`.

    Gradients and occlusion explain the log-odds of the class, log(p / (1 - p)), which do not saturate where the model
    is certain. Raises ModelError if the model has no such explanation, or the text is too long for it.
    """
    with as_model_error(model.name, "be explained") if model.foreign else nullcontext():
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
    """The logits of many texts of one length, in batches without padding."""
    device = next(model.network.parameters()).device
    parts = rows.split(_batch_size(model, rows.shape[1]))
    return torch.cat([logits_of(model.network(part.to(device))).float() for part in parts]).cpu()


def _batch_size(model: TextModel, length: int) -> int:
    """The batch size for texts of a length.

    The decoders of transformers read the last token that is no padding; without a pad_token_id the batch size is 1.
    """
    config = getattr(model.network, "config", None)
    return 1 if getattr(config, "pad_token_id", 0) is None else max(1, BATCH_TOKENS // length)


def probabilities_of(model: TextModel, rows: Int[Tensor, "batch token"]) -> Float[Tensor, "batch class"]:
    """The class probabilities of many texts of one length."""
    return logits_for(model, rows).softmax(dim=-1)


def replacement_of(model: TextModel) -> int:
    """The id of the token that replaces a word: the mask token, else the unknown token, else the padding."""
    ids = (model.tokenizer.token_to_id(name) for name in REPLACEMENT_NAMES)
    return next((token_id for token_id in ids if token_id is not None), 0)


def baseline_tokens(model: TextModel, tokens: Tokens) -> Int[Tensor, "1 token"]:
    """The text with each word replaced: the baseline of integrated gradients."""
    replacement = replacement_of(model)
    return torch.tensor(
        [[number if is_special else replacement for number, is_special in zip(tokens.ids, tokens.special, strict=True)]]
    )


@torch.no_grad()
def baseline_log_odds(model: TextModel, tokens: Tokens, target: int) -> float:
    """The log-odds of a class at the baseline of integrated gradients, by the embeddings of the baseline tokens.

    The ids stay those of the text, because some networks look for its end in them.
    """
    start = embeddings_of(model, baseline_tokens(model, tokens))
    return float(log_odds(logits_from(model, torch.tensor([tokens.ids]), start), target))


def words_of(tokens: Tokens) -> tuple[range, ...]:
    """The tokens of each word of the text; special tokens belong to none."""
    return tuple(span for span in word_spans(tokens) if not tokens.special[span.start])


def by_word(scores: Float[Tensor, " token"], tokens: Tokens) -> Float[Tensor, " word"]:
    """The score of each word: the sum over its tokens."""
    return torch.stack([scores[span.start : span.stop].sum() for span in words_of(tokens)])


def occlusion(
    model: TextModel, tokens: Tokens, target: int, progress: Progress = no_progress
) -> Float[Tensor, " token"]:
    """The drop in log-odds when a word is replaced (Zeiler and Fergus 2014, section 4.2, for words).

    The tokens of a word are replaced together, and share its score equally. Special tokens get 0.
    """
    rows, spans = torch.tensor([tokens.ids]), words_of(tokens)
    occluded = rows.repeat(len(spans), 1)
    for number, span in enumerate(spans):
        occluded[number, span.start : span.stop] = replacement_of(model)
    full_odds, odds, done = log_odds(logits_for(model, rows), target), [], 0
    for part in occluded.split(_batch_size(model, len(tokens))):
        odds.append(log_odds(logits_for(model, part), target))
        done += len(part)
        progress(done, len(spans))
    scores = torch.zeros(len(tokens))
    for span, drop in zip(spans, full_odds - torch.cat(odds), strict=True):
        scores[span.start : span.stop] = drop / len(span)
    return scores


def _from_attention(model: TextModel, tokens: Tokens, method: str, target: int) -> Float[Tensor, " token"]:
    """The attention of the tokens that are read, in the last layer or by rollout (Abnar and Zuidema 2020)."""
    rows = torch.tensor([tokens.ids])
    with torch.no_grad(), record_attention(model.network) as plain_record:
        logits_of(model.network(rows))
    if (
        weight_count := sum(call.heads * call.query_length * call.key_length for call in plain_record.calls)
    ) > MOST_WEIGHTS:
        raise ModelError(
            f"All heads together have {weight_count / 1e6:,.0f} million weights for this text; at most "
            f"{MOST_WEIGHTS / 1e6:,.0f} million are followed back. Choose a shorter text, or a smaller model."
        )
    # The embeddings require gradients, because the network's parameters may not.
    with torch.enable_grad(), record_attention(model.network, differentiable=True) as record:
        vectors = embeddings_of(model, rows).requires_grad_()
        score = log_odds(logits_from(model, rows, vectors), target).sum()
    weights = tuple(call.written.weights for call in record.calls if call.written is not None)
    if not weights:
        raise ModelError(f"{model.title} has no attention: nothing of it can be shown.")
    # Of the last call, not by path: a network that shares its layers runs one path several times.
    (gradient,) = torch.autograd.grad(score, weights[-1], materialize_grads=True)
    combine = rollout_of_tokens if method == "rollout" else last_layer_attention
    return combine(tuple(tensor.detach() for tensor in weights), readout_tokens(gradient))[0]


def _from_gradients(model: TextModel, tokens: Tokens, method: str, target: int) -> Float[Tensor, " token"]:
    """Gradient x input (Shrikumar et al. 2016), or integrated gradients (Sundararajan et al. 2017, equation 1).

    The inputs are the embeddings of the tokens; the attributions are summed over their channels. Those of integrated
    gradients sum to the change in log-odds from the baseline to the text (their proposition 1).
    """
    from captum.attr import InputXGradient, IntegratedGradients  # here, because it takes seconds

    rows = torch.tensor([tokens.ids])
    log_odds_of = partial(_log_odds_of, model, rows, target)
    with torch.enable_grad():
        vectors = embeddings_of(model, rows).requires_grad_()
        if method == "gradient":
            attributions = InputXGradient(log_odds_of).attribute(vectors)
        else:
            start, batch_size = embeddings_of(model, baseline_tokens(model, tokens)), _batch_size(model, len(tokens))
            attributions = IntegratedGradients(log_odds_of).attribute(
                vectors, start, n_steps=STEPS, method="gausslegendre", internal_batch_size=batch_size
            )
    return attributions[0].sum(dim=-1).detach()


def _log_odds_of(
    model: TextModel, rows: Int[Tensor, "1 token"], target: int, vectors: Float[Tensor, "batch token width"]
) -> Float[Tensor, " batch"]:
    return log_odds(logits_from(model, rows.expand(len(vectors), -1), vectors), target)


@torch.no_grad()
def embeddings_of(model: TextModel, rows: Int[Tensor, "batch token"]) -> Float[Tensor, "batch token width"]:
    """The embeddings of tokens, from the network's own table."""
    return F.embedding(rows, embedding_table(model.network))


def logits_from(
    model: TextModel, rows: Int[Tensor, "batch token"], vectors: Float[Tensor, "batch token width"]
) -> Float[Tensor, "batch class"]:
    """The logits with `vectors` in place of the embeddings of the tokens.

    Raises ModelError if the network embeds anything but these tokens, for instance in another order.
    """
    with _EmbeddingOverride(embedding_table(model.network), rows, vectors):
        return logits_of(model.network(rows)).float()


def embedding_table(network: nn.Module) -> Float[Tensor, "vocabulary width"]:
    """The token embedding matrix of the network."""
    find: Callable[[], Any] | None = getattr(network, "get_input_embeddings", None)
    table = find() if find else next((module for module in network.modules() if isinstance(module, nn.Embedding)), None)
    if table is None:
        raise ModelError("This network looks no tokens up: there are no vectors by which a gradient could be taken.")
    return table.weight


class _EmbeddingOverride(TorchFunctionMode):
    """Replaces the embeddings from one table by other vectors, in this thread alone."""

    def __init__(self, table: Tensor, rows: Tensor, vectors: Tensor):
        self.table, self.rows, self.vectors = table, rows, vectors

    def __torch_function__(self, func: Any, types: Any, args: Any = (), kwargs: Any = None) -> Any:
        if func is F.embedding and len(args) > 1 and args[1] is self.table:
            if not torch.equal(args[0], self.rows):
                raise ModelError("It does not look its tokens up in the order of the text: no gradient can be told.")
            return self.vectors
        return func(*args, **(kwargs or {}))

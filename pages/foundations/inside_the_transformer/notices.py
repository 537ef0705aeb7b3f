"""Sentences of "What to notice": computed from what is shown."""

from core.anatomy import Stream
from core.anatomy.logit_lens import Lens
from dashboard import layout
from pages.foundations.inside_the_transformer.compute import Walk
from pages.foundations.inside_the_transformer.formulas import is_pre_norm


def walk_notices(walk: Walk) -> tuple[str, ...]:
    """How the model is built."""
    parts = walk.walked.parts.values()
    total = sum(weight.numel() for weight in walk.network.parameters())
    sentences = [_design(walk)]
    for kind, name in (("MLP", "MLPs"), ("attention", "attention parts"), ("embedding", "embeddings")):
        own = sum(part.parameters for part in parts if part.kind == kind and part.turn == 0)
        if own:
            sentences.append(f"The {name} hold **{own / total:.0%}** of its {total:,} weights.")
    return tuple(sentences[:3])


def _design(walk: Walk) -> str:
    blocks = len(walk.walked.stack.blocks)
    calls = [call for call in walk.walked.calls if call.kind == "self"]
    if len(walk.walked.lanes) > 1:
        design = "an encoder-decoder: the decoder's tokens look back at each other and across at the source"
    elif all(call.causal for call in calls):
        design = "a decoder: every token looks only at itself and at the tokens before it"
    else:
        design = "an encoder: every token looks at all others, in both directions"
    norm = "Its norms stand inside the branches" if is_pre_norm(walk) else "Its norms stand on the stream itself"
    return f"This model is {design}. {norm}, in each of {blocks} blocks."


def stream_notices(stream: Stream, labels: list[str]) -> tuple[str, ...]:
    """How the stream grows, who stands out, who adds most."""
    lengths = stream.lengths
    start, end = lengths[0].median().item(), lengths[-1].median().item()
    sentences = [
        f"From the first block to the last the median length of a token's vector goes from {start:.1f} to "
        f"**{end:.1f}**: {end / start:.1f} times."
    ]
    longest = int(lengths[-1].argmax())
    times = lengths[-1, longest].item() / end
    if times > 1.5:
        sentences.append(
            f"“{layout.plain(labels[longest])}” (token {longest}) stands out: after the last block its vector is "
            f"**{times:.1f} times** as long as the median."
        )
    if stream.added:
        most = max(stream.added, key=lambda added: (added.added / added.before).mean().item())
        share = (most.added / most.before).mean().item()
        sentences.append(
            f"The largest step for its place is that of the {most.kind} of block {most.block}: it adds "
            f"**{share:.0%}** of the length that was there."
        )
    return tuple(sentences)


def lens_notices(walk: Walk, lens: Lens, labels: list[str]) -> tuple[str, ...]:
    """From where on the model says what it says in the end."""
    settled = [_settled(lens, place) for place in range(len(lens.final))]
    last = len(lens.best) - 1
    place = len(settled) - 1
    answer = layout.plain(layout.readable(walk.label(int(lens.final[place]))))
    where = "before the first block" if settled[place] == 0 else f"after block {settled[place] - 1}"
    at = f"At “{layout.plain(labels[place])}” the" if len(labels) > 1 else "The"
    sentences = [
        f"{at} final answer “{answer}” ({lens.final_probability[-1, place]:.0%}) is the most probable one from "
        f"{where} on."
    ]
    if len(settled) > 1:
        late = sum(layer == last for layer in settled)
        sentences.append(f"At **{late} of {len(settled)}** tokens the answer changes in the very last block.")
    return tuple(sentences)


def _settled(lens: Lens, place: int) -> int:
    """The first layer from which on the most probable answer is the final one."""
    same = (lens.best[:, place] == lens.final[place]).tolist()
    changes = [layer for layer, equal in enumerate(same) if not equal]
    return changes[-1] + 1 if changes else 0

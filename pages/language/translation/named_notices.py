"""What to notice in a translation by any model: how sure it is, where its weight rests, which head is sharpest."""

from collections import Counter

import torch

from core.text import Tokens
from dashboard import layout
from pages.language.translation.compute_named import NamedTranslation
from pages.language.translation.word_maps import head_name

MOSTLY = 0.5  # a copy: more than half of the words written stand in the source


def about(translated: NamedTranslation) -> tuple[str, ...]:
    """All sentences."""
    found = (
        _about_certainty(translated),
        _about_sinks(translated),
        _about_sharpest(translated),
        _about_copy(translated),
    )
    return tuple(sentence for sentence in found if sentence)


def _about_certainty(translated: NamedTranslation) -> str:
    values = torch.tensor(translated.aligned.log_probabilities)
    least = int(values.argmin())
    return (
        f"Each token has a probability of **{values.mean().exp():.0%}** on (geometric) average. The least sure one is "
        f"{_quoted(translated.target, least)}, token {least + 1} of {len(values)}, with {values[least].exp():.1%}."
    )


def _about_sinks(translated: NamedTranslation) -> str:
    """Which share of the weight rests on tokens that are no words."""
    special = [place for place, added in enumerate(translated.source.special) if added]
    if not special:
        return ""
    heads = torch.cat(list(translated.aligned.cross))
    share = heads[:, :, special].sum(dim=-1).mean()
    names = " and ".join(dict.fromkeys(_quoted(translated.source, place) for place in special))
    even = len(special) / len(translated.source)
    return (
        f"In the mean over all {len(heads)} heads, **{share:.0%}** of the weight rests on {names}, which no word "
        f"stands for; even attention would leave {even:.0%} there."
    )


def _about_sharpest(translated: NamedTranslation) -> str:
    """The head whose rows are nearest to pointing at one token, those that the tokenizer added aside."""
    layers = translated.aligned.cross
    own = [place for place, added in enumerate(translated.source.special) if not added]
    sharpness = [heads[:, :, own].amax(dim=-1).mean(dim=-1) for heads in layers]
    layer, head = max(
        ((layer, head) for layer, values in enumerate(sharpness) for head in range(len(values))),
        key=lambda place: float(sharpness[place[0]][place[1]]),
    )
    return (
        f"The head that points most clearly at words is **{head_name(layer, head)}**: on average its strongest source "
        f"token gets {float(sharpness[layer][head]):.0%}. Whether it points at the right one, your eyes must tell."
    )


def _about_copy(translated: NamedTranslation) -> str:
    """Whether it repeats the source rather than translating it."""
    read, written = (Counter(text.lower().split()) for text in (translated.asked.text, translated.text))
    total = sum(written.values())
    if not total or (shared := sum((read & written).values())) / total <= MOSTLY:
        return ""
    return f"{shared} of the {total} words written stand in the source just like that: more a copy than a translation."


def _quoted(tokens: Tokens, place: int) -> str:
    return f"“{layout.plain(layout.readable(tokens.labels[place]))}”"

"""Sentences of "What to notice" on the page "Many heads": each is looked up in what was measured."""

from math import exp

import torch
from torch import Tensor

from core.heads import measures
from core.heads.ablation import Trial
from core.heads.head_table import HeadTable
from core.images import Patches
from dashboard.watched import Head, Watched, WatchedText

HABIT = 0.5  # of the attention: from here on a head is named after what it does
INDUCTION = 0.1  # a random head gives a hundredth
CHEAP = 0.02  # nats: a loss that few would notice


def measured(watched: Watched, table: HeadTable) -> tuple[str, ...]:
    """What the measures say about this input in this model."""
    about = _about_text if isinstance(watched, WatchedText) else _about_picture
    return (*about(watched, table), *_about_entropy(table))


def _about_text(_: Watched, table: HeadTable) -> list[str]:
    sentences, values = [], table.values
    if "previous_token" in values and not values["previous_token"].isnan().all():
        share, place = _largest(values["previous_token"])
        named = "a previous-token head." if share >= HABIT else "more than any other, but not enough to be its trade."
        sentences.append(
            f"**{_name(place)}** looks most at the token just before: {share:.0%} of its attention, {named}"
        )
        sentences.append(_about_first(values["first_token"]))
    if "induction" in values:
        share, place = _largest(values["induction"])
        verdict = (
            "it has learned to continue what was said before."
            if share >= INDUCTION
            else "none of them continues a repetition."
        )
        sentences.append(
            f"On random tokens said twice, **{_name(place).lower()}** gives {share:.0%} of its attention to what came "
            f"next the first time, more than any other: {verdict}"
        )
    return sentences


def _about_first(firsts: Tensor) -> str:
    share, place = _largest(firsts)
    resting, count = int((firsts > HABIT).sum()), int((~firsts.isnan()).sum())
    if not resting:
        return f"No head rests mainly on the first token; **{_name(place).lower()}** gives it most, {share:.0%}."
    return f"**{resting} of {count} heads** rest on the first token: it gets more than half of their attention."


def _about_picture(watched: Watched, table: HeadTable) -> list[str]:
    distances = table.values.get("mean_distance_in_plane")
    if distances is None or distances.isnan().all():
        return []
    (wide, widest), (near, nearest) = _largest(distances), _largest(-distances)
    sentence = (
        f"**{_name(nearest)}** looks nearest, {-near:.1f} patches away on average, and **{_name(widest).lower()}** "
        f"farthest, {wide:.1f} patches."
    )
    patches = watched.given.patches  # type: ignore[union-attr]  # a picture
    if distances.isnan().any() or not _sees_whole(watched, patches):
        return [sentence]
    even = measures.even_distance_in_plane(patches)
    return [f"{sentence} Attention spread evenly over the picture would reach {even:.1f}."]


def _sees_whole(watched: Watched, patches: Patches) -> bool:
    return all(call.key_length == len(patches) for call in watched.record.calls)


def _about_entropy(table: HeadTable) -> list[str]:
    layers = table.values["entropy"].nanmean(dim=1)
    if len(layers) < 2:
        return []
    broad, narrow = int(layers.argmax()), int(layers.argmin())
    return [
        f"Layer {broad} looks most broadly ({layers[broad]:.1f} bits on average, of at most "
        f"{table.largest['entropy']:.1f}), layer {narrow} most narrowly ({layers[narrow]:.1f} bits)."
    ]


def silenced(trial: Trial, count: int, after: float | None) -> str:
    """What the silenced heads cost together: so many of them, and the loss in nats without them."""
    if after is None:
        if trial.quantity == "own answer":
            return f"While all heads speak, the model gives its own answer a probability of {exp(-trial.whole):.0%}."
        return (
            f"While all heads speak, the loss is {trial.whole:.2f} nats: the model is as unsure of the next token as "
            f"between {exp(trial.whole):,.0f} equally likely ones."
        )
    change = after - trial.whole
    heads = "the silenced head" if count == 1 else f"the {count} silenced heads"
    if abs(change) < 0.005:
        return f"Without {heads} the loss stays where it was: on this input nothing depended on it."
    rises, less = ("rises", "less") if change > 0 else ("falls", "more")
    return (
        f"Without {heads} the loss **{rises} by {abs(change):.2f} nats**: on average the right answer is "
        f"{exp(abs(change)):,.2f} times {less} probable."
    )


def alone(watched: Watched, costs: dict[Head, float]) -> tuple[str, ...]:
    """What silencing each head alone told, if every head was tried."""
    if len(costs) < sum(call.heads for call in watched.record.calls):
        return ("Silence one at a time, above, and this place will say which heads the model needs.",)
    dearest, cheapest = max(costs, key=costs.__getitem__), min(costs, key=costs.__getitem__)
    cheap = sum(cost < CHEAP for cost in costs.values())
    sentences = [
        f"**{cheap} of {len(costs)} heads** cost less than {CHEAP} nats when they are silenced alone.",
        f"**{_name(dearest)}** costs most: the loss rises by {costs[dearest]:.2f} nats.",
    ]
    if costs[cheapest] < -CHEAP:
        sentences.append(
            f"Without **{_name(cheapest).lower()}** the model does *better* here, by {-costs[cheapest]:.2f} nats: one "
            "input is not enough to call a head useless, or harmful."
        )
    return tuple(sentences)


def _largest(values: Tensor) -> tuple[float, Head]:
    """The largest value that is a number, and whose it is."""
    place = int(values.nan_to_num(nan=-torch.inf).argmax())
    layer, head = divmod(place, values.shape[1])
    return float(values[layer, head]), (layer, head)


def _name(place: Head) -> str:
    return f"Layer {place[0]}, head {place[1]}"

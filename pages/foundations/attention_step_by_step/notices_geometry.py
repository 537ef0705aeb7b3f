"""Sentences about a query that turns: what it attends to now, what the plane keeps, what angle and length decide."""

import math
from collections.abc import Sequence

from dashboard import typeset
from dashboard.number_format import signed
from pages.foundations.attention_step_by_step.turning import QUERY_PLANE, Turned

CLOSE = 0.005  # weights that differ by less read the same
SAME_ANGLE = 0.5  # degrees
EXACT = 0.005  # dot products that differ by less read the same


def notices(result: Turned, labels: Sequence[str], plane: str) -> tuple[str, ...]:
    """What the query attends to, what the plane hides, and whether the nearest key is the strongest."""
    names = [f"“{typeset.plain(label)}”" for label in labels]
    sentences = (tell_choice(result, names), tell_plane(result, plane), tell_length(result, names))
    return tuple(sentence for sentence in sentences if sentence)


def tell_choice(result: Turned, names: Sequence[str]) -> str:
    """Where most of the attention goes, before the turn and after it."""
    allowed, query = result.head.allowed, names[result.head.query]
    if int(allowed.sum()) == 1:
        return f"{query} may attend to only one token, which gets **100%**, however its query turns."
    if not float(result.vector.norm()):
        return f"The query of {query} is 0: it points nowhere, and every key it may attend to gets the same weight."
    weights, before = result.weights[allowed], result.weights_before[allowed]
    if float(weights.max() - weights.min()) < CLOSE:
        text = f"{query} cannot decide: all {len(weights)} keys that it may attend to get about "
        return f"{text}**{float(weights.mean()):.0%}**."
    places = allowed.nonzero().flatten().tolist()
    now, then = (places[int(row.argmax())] for row in (weights, before))
    angle = float(result.angles_in_plane[now])
    where = "" if math.isnan(angle) else f", {angle:.0f}° away from it in the plane"
    if not result.degrees:
        return f"The query of {query} gives **{float(weights.max()):.0%}** to the key of {names[now]}{where}."
    turn = f"Turned by {signed_degrees(result.degrees)}, the query of {query} gives"
    if now == then:
        return (
            f"{turn} **{float(weights.max()):.0%}** to the key of {names[now]}{where}; before the turn it gave "
            f"that key {float(before.max()):.0%}."
        )
    return (
        f"{turn} **{float(weights.max()):.0%}** to the key of {names[now]}{where}; before the turn most went to "
        f"{names[then]} ({float(before.max()):.0%}, now {float(result.weights[then]):.0%})."
    )


def tell_plane(result: Turned, plane: str) -> str:
    """What the plane keeps of the keys, of the query and of the dot products."""
    if result.is_exact:
        return (
            "This head has two channels, so the plane is exact: angles, lengths and dot products are those of the head."
        )
    channels, keys, query = len(result.vector), result.kept_share(keys=True), result.kept_share(keys=False)
    if math.isnan(keys):
        return "All keys are 0, so the plane has none to draw."
    sentence = f"The plane is two of {channels} dimensions: it keeps **{keys:.0%}** of the squared length of the keys"
    if not math.isnan(query):
        sentence += f" and {query:.0%} of that of the query"
    error, size = result.error, float(result.products[result.head.allowed].abs().max())
    if error < max(EXACT, 1e-5 * size):
        exact = f"{sentence}. Its dot products with the query are exact"
        if plane != QUERY_PLANE:
            return f"{exact}."
        return f"{exact}, because the query lies in it; angles of keys outside of it are nearer to 90° than drawn."
    return (
        f"{sentence}. A dot product in it differs from the exact one by up to {signed(error)}, where the exact ones "
        f"reach {signed(size)}."
    )


def tell_length(result: Turned, names: Sequence[str]) -> str:
    """Whether the key at the smallest angle has the highest dot product, or a longer key at a larger angle."""
    places = result.head.allowed.nonzero().flatten().tolist()
    angles, products = result.angles.tolist(), result.products.tolist()
    measured = [place for place in places if not math.isnan(angles[place])]
    strongest = max(places, key=products.__getitem__)
    if len(measured) < 2 or strongest not in measured:
        return ""
    nearest = min(measured, key=angles.__getitem__)
    if angles[strongest] - angles[nearest] < SAME_ANGLE:
        return f"The key of {names[strongest]} has the highest dot product and the smallest angle."
    if products[strongest] - products[nearest] < EXACT:
        return ""
    lengths = result.head.keys.norm(dim=1).tolist()
    return (
        f"Length counts, too: the key of {names[nearest]} is nearest in angle ({angles[nearest]:.0f}°), but that of "
        f"{names[strongest]} ({angles[strongest]:.0f}°) has the higher dot product, {signed(products[strongest])} "
        f"against {signed(products[nearest])}: their lengths are {lengths[nearest]:.2f} and {lengths[strongest]:.2f}."
    )


def signed_degrees(degrees: float) -> str:
    """An angle with its sign and a true minus."""
    return f"{degrees:+.0f}°".replace("-", "−")

"""Relations of grammar against the heads that follow them best, and where all heads stand for one of them."""

from collections.abc import Mapping, Sequence
from functools import partial

import numpy as np
import pandas as pd
import streamlit as st

from core.probing.grammar.relations import DIRECTIONS, TO_GOVERNOR, BestHead, Measured
from dashboard import theme, typeset
from dashboard.components.cell_map import cell_map
from dashboard.frame import layout
from dashboard.inputs import controls
from dashboard.number_format import CLEAR, compare, compare_shares, in_latex, share_error
from dashboard.output import charts
from dashboard.output.data_table import data_table
from pages.language.missing_word import compute_grammar
from pages.language.missing_word.figures_grammar import Dot, relation_dots
from pages.language.missing_word.prose import PAGE
from pages.language.missing_word.relation_names import NAMES

SECTION = PAGE.section("Grammar")
FEW, OFTEN = 30, 300  # cases: a share of fewer says little; of so many or more a relation is a frequent one
CLEARLY = 0.05  # by which a head is better than a distance
BETTER = "the better of both"
BEST, ONE = "the best of each relation", "one head"


def choose(measured: Measured | None) -> dict[str, BestHead]:
    """The best head of each relation in the direction that the visitor chooses; none where nothing was measured."""
    if measured is None:
        return {}
    direction = controls.choice(
        "Direction", [BETTER, *DIRECTIONS], key="grammar_direction", about=SECTION.text("Direction")
    )
    return rows_of(measured, direction)


def rows_of(measured: Measured, direction: str) -> dict[str, BestHead]:
    """The best head of each relation with at least FEW cases, those first that gain most on a fixed distance.

    Which direction is the better one is told by the sentences in which heads were chosen.
    """
    rows: dict[str, BestHead] = {}
    for best in measured.heads:
        if best.cases >= FEW and direction in (BETTER, best.direction):
            known = rows.get(best.relation)
            if known is None or best.chosen_share > known.chosen_share:
                rows[best.relation] = best
    return dict(sorted(rows.items(), key=lambda item: -item[1].gain))


def telling(rows: Mapping[str, BestHead]) -> list[str]:
    """The relations in which a head finds most more cases than a fixed distance, in number, come first."""
    return sorted(rows, key=lambda relation: -rows[relation].gain * rows[relation].cases)


def of_several_heads(rows: Mapping[str, BestHead]) -> list[str]:
    """Those in the order of `telling` of which no earlier one has the same best head: their arcs all differ.

    Only frequent relations in which the head clearly beats a fixed distance; the most telling one where there is none.
    """
    clear = [name for name in telling(rows) if rows[name].cases >= OFTEN and rows[name].gain >= CLEARLY]
    firsts = {rows[relation].head: relation for relation in reversed(clear)}
    return [relation for relation in clear if firsts[rows[relation].head] == relation] or telling(rows)[:1]


def titled(relation: str) -> str:
    """A relation with what it means."""
    about = NAMES.get(relation) or NAMES.get(relation.partition(":")[0])
    return f"{relation}: {about}" if about else relation


def show(rows: Mapping[str, BestHead], measured: Measured, own: bool) -> BestHead | None:
    """Relations against their best heads, beside the map of all heads for one of them; which one that is."""
    st.subheader("Which head follows which relation?", anchor=False)
    if not rows:
        st.info(SECTION.text("Too few cases", few=FEW), icon=":material/info:")
        return None
    heading = "Shares on your file" if own else "Shares on UD_English-EWT"
    st.caption(SECTION.text(heading, chosen=measured.chosen_in, tried=measured.tried_in, few=FEW))
    left, right = st.columns([3, 2], gap="large")
    with left:
        pairs = tuple((best, _published(best)) for best in rows.values())
        dots = tuple(dot_of(best, known) for best, known in pairs)
        distance = "best fixed distance" + (" to an earlier word" if measured.causal else "")
        named = {"best": "best head", "offset": distance, "published": "BERT-base, Clark et al. 2019"}
        charts.chart(
            partial(relation_dots, dots, look=theme.look(), **named),
            name="grammar-relations",
            alt=f"What the best head finds of each of {len(dots)} relations, beside the best fixed distance",
            table=partial(relations_table, pairs),
        )
    with right:
        chosen = rows[
            st.selectbox("Relation", telling(rows), format_func=titled, key="grammar_relation", bind="query-params")
        ]
        _show_heads(chosen)
    with st.expander("All relations in numbers"):
        percent = st.column_config.NumberColumn(format="percent")
        frame = relations_table(pairs)
        shares = {column: percent for column in frame.columns if frame[column].dtype == float}
        data_table(frame, hide_index=True, column_config=shares)
    return chosen


def _show_heads(best: BestHead) -> None:
    """Where all heads stand for one relation; a click draws the links of a head above the sentence."""
    values, layers = grid_of(best)
    cell_map(
        100 * values,
        key="grammar_map",
        x="head",
        y="layer",
        tell=f"layer {{row}}, head {{column}}: {{value}}% of {best.cases:,} cases ({best.relation} {best.direction})",
        rows=[str(layer) for layer in layers],
        marked=[(layers.index(best.head[0]), best.head[1])],
        mark="chosen in other sentences",
        on_click=_choose,
        alt=f"What each head finds of {best.relation} {best.direction}: at most {np.nanmax(values):.0%} of the cases",
        name="grammar-heads",
    )
    layout.caption(SECTION.text("Heads of a relation"))


def _choose(layer: int, head: int) -> None:
    st.session_state.update(grammar_heads=ONE, grammar_layer=layer, grammar_head=head)


def grid_of(best: BestHead) -> tuple[np.ndarray, list[int]]:
    """The shares of all heads (layer, head), NaN where a layer has fewer heads; and the numbers of the layers."""
    layers = sorted({layer for (layer, _), _ in best.by_head})
    values = np.full((len(layers), 1 + max(head for (_, head), _ in best.by_head)), np.nan)
    for (layer, head), share in best.by_head:
        values[layers.index(layer), head] = share
    return values, layers


def _published(best: BestHead) -> float | None:
    """What Clark et al. report, in the one direction in which it can be compared."""
    known = compute_grammar.published().get(best.relation) if best.direction == TO_GOVERNOR else None
    return known.share_percent / 100 if known else None


def dot_of(best: BestHead, published: float | None) -> Dot:
    """A relation as the figure takes it."""
    ahead = f"; in {1 - best.earlier:.0%} of them the other word comes later" if best.earlier < 1 else ""
    comparison = "" if published is None else f"; BERT-base {published:.0%}"
    tell = (
        f"{best.relation} {best.direction}: layer {best.head[0]}, head {best.head[1]} finds {best.share:.0%} of "
        f"{best.cases:,} cases; always {_distance(best.offset)}: {best.offset_share:.0%}{comparison}{ahead}"
    )
    arrow = "→ governor" if best.direction == TO_GOVERNOR else "→ dependent"
    return Dot(f"{best.relation} {arrow}", best.share, best.offset_share, published, tell)


def _distance(offset: int) -> str:
    count = "1 word" if abs(offset) == 1 else f"{abs(offset)} words"
    return f"{count} {'ahead' if offset > 0 else 'back'}"


def relations_table(pairs: Sequence[tuple[BestHead, float | None]]) -> pd.DataFrame:
    """One row for each relation, with what was published of it."""
    return pd.DataFrame(
        [
            {
                "relation": best.relation,
                "direction": best.direction,
                "layer": best.head[0],
                "head": best.head[1],
                "share found": best.share,
                "share where it was chosen": best.chosen_share,
                "best distance": best.offset,
                "share by distance": best.offset_share,
                "cases": best.cases,
                "other word is earlier": best.earlier,
                "BERT-base (Clark et al.)": np.nan if known is None else known,
            }
            for best, known in pairs
        ]
    )


def noticed(rows: Mapping[str, BestHead], measured: Measured) -> tuple[str, ...]:
    """What the shares say: of heads and distances, of what cannot be found, and of what others have found."""
    return (about_gains(rows), *about_ahead(measured), *about_published(rows))


def about_gains(rows: Mapping[str, BestHead]) -> str:
    """In how many relations a head is clearly better than a fixed distance, where most, and which layer has most."""
    clear = [best for best in rows.values() if is_clear(best)]
    most = max(rows.values(), key=lambda best: best.gain)
    if most.gain <= 0:
        return f"In **0 of {len(rows)}** relations a head finds more than the best fixed distance."
    layers = [best.head[0] for best in rows.values()]
    counts = {layer: layers.count(layer) for layer in sorted(set(layers))}
    first = [str(layer) for layer, count in counts.items() if count == max(counts.values())]
    where = f"Layer {first[0]} has" if len(first) == 1 else f"Layers {', '.join(first)} have each"
    return (
        f"In **{len(clear)} of {len(rows)}** relations the best head finds clearly more than the best fixed distance: "
        f"at least {100 * CLEARLY:.0f} points, and more than two standard errors. It gains most in "
        f"“{typeset.plain(most.relation)}” {most.direction}: layer {most.head[0]}, head {most.head[1]} finds "
        f"**{most.share:.0%}** of {most.cases:,} cases, always {_distance(most.offset)} {most.offset_share:.0%}. "
        f"{where} the best heads of {max(counts.values())} of these relations."
    )


def is_clear(best: BestHead) -> bool:
    """Whether a head beats the best fixed distance by CLEARLY, and by more than chance explains."""
    hits, fixed = (round(share * best.cases) for share in (best.share, best.offset_share))
    return best.gain >= CLEARLY and compare_shares(hits, best.cases, fixed, best.cases) == "more"


def about_ahead(measured: Measured) -> tuple[str, ...]:
    """What a model that cannot look ahead can never find."""
    if not measured.causal:
        return ()
    clauses = []
    for direction in DIRECTIONS:
        own = [best for best in measured.heads if best.direction == direction]
        if cases := sum(best.cases for best in own):
            later = sum(best.cases * (1 - best.earlier) for best in own) / cases
            clauses.append(f"**{later:.0%}** of {cases:,} cases {direction}")
    return (
        f"This model looks at earlier words only. In {' and '.join(clauses)} the other word comes later, and no "
        "head can find it, however good it is.",
    )


def about_published(rows: Mapping[str, BestHead]) -> tuple[str, ...]:
    """The shares against those of Clark et al., where both were measured in the same direction."""
    both = [(best, known) for best in rows.values() if (known := _published(best)) is not None]
    if not both:
        return ()
    sides = [compare(best.share, known, margin=CLEAR * share_error(best.share, best.cases)) for best, known in both]
    return (
        f"Clark et al. 2019 report a head of BERT-base for {len(both)} of these relations in the same direction. By "
        f"more than two standard errors of ours, the heads here find a larger share in {sides.count('more')} of them "
        f"and a smaller one in {sides.count('less')}. Treebank and labels differ.",
    )


def share_in_latex(best: BestHead | None) -> str:
    """The share of a head as a fraction, to stand behind its formula; "" where no head was measured."""
    if best is None:
        return ""
    fraction = rf"\frac{{{in_latex(round(best.share * best.cases))}}}{{{in_latex(best.cases)}}}"
    return f" = {fraction} = {best.share:.3f}"


def show_cases(best: BestHead | None) -> None:
    """Which words are the cases of the relation in the map."""
    if best is None:
        return
    heading = "Dependent words" if best.direction == TO_GOVERNOR else "Governing words"
    layer, head = best.head
    relation = typeset.plain(best.relation)  # of a visitor's treebank
    st.markdown(SECTION.text(heading, layer=layer, head=head, cases=best.cases, relation=relation))

"""Small tasks, counted: how often each head points to what matters, who is missed when silent, and the formula."""

from collections.abc import Collection
from functools import partial

import numpy as np
import streamlit as st

from core.probing.small_tasks import Aim, Links, Task
from core.probing.small_tasks.tasks import CARRY, COLUMN, COPY
from core.results import small_task_results
from dashboard.components.cell_map import cell_map
from dashboard.number_format import compare_shares, in_latex, points
from pages.language.next_word import compute_small_tasks as compute
from pages.language.next_word.compute_small_tasks import PROBLEMS, Accuracy, Head
from pages.language.next_word.prose import PAGE

SECTION = PAGE.section("Small tasks")
SHORT = {COLUMN: "column", CARRY: "carry"}
# An aim as the end of a sentence about a head.
POINTS_TO = {COPY: "the digit that it writes", COLUMN: "the column that is added up", CARRY: "the column of the carry"}


def show_links(task: Task, links: Links) -> None:
    """For each head and each digit of the answer, how often the strongest link points to what matters."""
    st.markdown(SECTION.text("Strongest links", problems=links.problems))
    shares = links.pointed.flatten(end_dim=1).numpy() / links.problems
    cell_map(
        np.concatenate([np.stack([links.chance.numpy(), links.fixed.numpy()]), shares]),
        key=f"small-links-{task.name}",
        x="",
        y="layer.head",
        tell="{row}: {value} of the strongest links for the {column}",
        rows=["by chance", "same place", *(f"{layer}.{head}" for layer, head in compute.heads_of(task.name))],
        columns=[_aimed(task, aim) for aim in links.aims],
        limits=(0, 1),
        alt="The share of problems in which each head's strongest link points to what matters for each digit",
        name=f"small-{task.name}-links",
        height=330,
    )


def silenced_heads(name: str) -> tuple[Head, ...]:
    """The heads that the visitor has silenced, with the way to wake them again; each model has its own."""
    by_label = {f"{layer}.{head}": (layer, head) for layer, head in compute.heads_of(name)}
    chosen = st.multiselect(
        "Ablated heads (layer.head)",
        list(by_label),
        key=f"small_silenced_{name}",
        bind="query-params",
        placeholder="none: choose some, or click heads below",
    )
    return tuple(sorted(by_label[label] for label in chosen))


def show_missed(name: str, accuracy: Accuracy, silenced: Collection[Head]) -> None:
    """The share of right answers now, and without each head alone; a click silences."""
    change = points(accuracy.left - accuracy.baseline) if silenced else None
    st.metric(f"Right answers to the same {PROBLEMS} problems", f"{accuracy.left:.1%}", change)
    st.markdown(SECTION.text("Accuracy without a head"))
    cell_map(
        accuracy.alone,
        key=f"small-missed-{name}",
        x="head",
        y="layer",
        tell="without layer {row}, head {column} the share of right answers is {value}",
        limits=(0, 1),
        marked=silenced,
        mark="ablated",
        on_click=partial(_switch, name),
        alt=f"The share of right answers without each head alone, {accuracy.alone.min():.0%} to "
        f"{accuracy.alone.max():.0%}",
        name=f"small-{name}-missed",
        height=200,
    )


def about_links(links: Links) -> tuple[str, ...]:
    """Which head's strongest link points most often to what matters, beside chance and beside always the same place."""
    return tuple(_about_kind(links, kind) for kind in dict.fromkeys(aim.kind for aim in links.aims))


def about_silence(accuracy: Accuracy, silenced: Collection[Head], best: Head) -> tuple[str, ...]:
    """What the silenced heads cost; which head is missed most, and whether it is `best`, the one that points best."""
    alone, sentences = accuracy.alone, []
    most, least = (divmod(int(place), alone.shape[1]) for place in (alone.argmin(), alone.argmax()))
    if silenced:
        names = ", ".join(f"{layer}.{head}" for layer, head in silenced)
        change = "stays at" if accuracy.left == accuracy.baseline else f"goes from {accuracy.baseline:.1%} to"
        sentences.append(f"Without {names} the share of right answers {change} **{accuracy.left:.1%}**.")
    right, fewest = (round(share * PROBLEMS) for share in (accuracy.baseline, float(alone.min())))
    if compare_shares(right, PROBLEMS, fewest, PROBLEMS) != "more":
        enough = (
            f"No single head is needed: with any one ablated, at least {alone.min():.1%} of answers are right, of "
            f"{accuracy.baseline:.1%} with all heads."
        )
        return (*sentences, enough)
    same = "It is also the head that points best."
    if most != best:
        same = f"The head that points best is another, {best[0]}.{best[1]}: without it {alone[best]:.1%} are right."
    sentences.append(
        f"**Head {most[0]}.{most[1]}** matters most: {alone[most]:.1%} of answers are right without it, "
        f"{alone[least]:.1%} without head {least[0]}.{least[1]}. {same}"
    )
    return tuple(sentences)


def best_head(links: Links) -> Head:
    """The head whose strongest link points most often to what matters, over all aims together."""
    shares = links.pointed.sum(dim=-1)
    return divmod(int(shares.argmax()), shares.shape[1])


def numbers(task: Task, links: Links) -> dict[str, object]:
    """The share of the head that points best as a fraction, and what was measured on all problems after training."""
    kind = links.aims[0].kind
    shares, cases = links.of_kind(kind), links.cases(kind)
    best, of = float(shares.max()), small_task_results.results()[task.name]
    return {
        "pointed": in_latex(round(best * cases)),
        "cases": in_latex(cases),
        "share": best,
        "problems": 10 ** len(task.places),
        "held_out": of.held_out,
        "right": of.held_out - of.held_out_wrong,
        "linear": of.linear,
        "parameters": of.parameters,
        "minutes": of.seconds / 60,
    }


def _about_kind(links: Links, kind: str) -> str:
    shares, cases = links.of_kind(kind), links.cases(kind)
    layer, head = divmod(int(shares.argmax()), shares.shape[1])
    chance, fixed = links.baselines(kind)
    best = float(shares[layer, head])
    sides = [
        compare_shares(round(float(share) * cases), cases, round(fixed * cases), cases) for share in shares.flatten()
    ]
    beaten = sides.count("more")
    if fixed == 1:
        place = "The place is always the same here, so a head needs no digit to find it."
    else:
        who = f"**{beaten} of {shares.numel()} heads** do" if beaten else "No head does"
        so = ", so where they look depends on what they read" if beaten else ""
        place = f"{who} clearly better than one that always looks at the same place ({fixed:.0%}){so}."
    return (
        f"The strongest link of **head {layer}.{head}** points to {POINTS_TO[kind]} in **{round(best * cases):,} of "
        f"{cases:,}** cases ({best:.0%}); by chance it would in {chance:.0%}, and the mean head does in "
        f"{float(shares.mean()):.0%}. {place}"
    )


def _aimed(task: Task, aim: Aim) -> str:
    """An aim below a column: "3rd", "tens: carry". A phone has room for sixteen letters."""
    name = task.answers[aim.answer]
    return name if aim.kind == COPY else f"{name}: {SHORT[aim.kind]}"


def _switch(name: str, layer: int, head: int) -> None:
    """Silence a head, or let it speak again."""
    key = f"small_silenced_{name}"
    st.session_state[key] = sorted(set(st.session_state.get(key) or []) ^ {f"{layer}.{head}"})

"""Why a weight of a translation is what it is: of cross-attention, or within the source or the target."""

from collections.abc import Callable
from functools import partial

import streamlit as st
from jaxtyping import Float
from torch import Tensor

from core.capture import AttentionCall
from core.heads.weight_explanation import WeightExplanation
from core.translation.translator_maps import Part
from core.view.codec import whole_number
from core.zoo import TRANSLATION as TITLES
from dashboard import contents
from dashboard.address import parameter
from dashboard.components.alignment_view import AlignmentScene, alignment_view
from dashboard.components.attention_view import Scene, attention_view, close_cell
from dashboard.number_format import small
from dashboard.output import why_weight
from dashboard.output import why_weight_sentences as sentences
from dashboard.output.explained_run import Consequence, ExplainedRun, TokenNames, names_of, ranked
from pages.language.translation import compute_explained, word_by_word, word_maps
from pages.language.translation.compute import BestHead
from pages.language.translation.compute_explained import Request
from pages.language.translation.prose import PAGE
from pages.language.translation.word_maps import head_name, quoted, words_of

ADDRESS = "why"  # of the cell in a map between target and source: panel.map.target.source
Cell = tuple[str, int, int, int]  # panel, map, target word, source word


def alignment(
    scene: AlignmentScene,
    requests: dict[str, Request],
    *,
    name: str,
    title: str = "translation",
    joined: bool,
    marks: bool = True,
    best: BestHead | None = None,
) -> Callable[[], None]:
    """Show maps between target and source whose cells can be explained; return what draws the explanation, if any.

    `requests` are those of the panels, by their keys; the key of the view is `name`_alignment, and `title` begins the
    names of its files. The other arguments are those that made `scene`.
    """
    chosen = parameter(ADDRESS, partial(cell_in_address, scene=scene))
    alignment_view(
        scene,
        key=f"{name}_alignment",
        name=title,
        on_why=_to_address,
        explains=why_weight.KEY,
        is_explained=chosen is not None,
    )

    def show() -> None:
        if chosen is not None:
            _show_cell(scene, requests[chosen[0]], chosen, joined=joined, marks=marks, best=best)

    return show


def self_attention(request: Request, part: Part, *, key: str, joined: bool) -> Callable[[], None]:
    """Show the heads of encoder or decoder; return what draws the explanation of the chosen weight, if any."""
    translated = request.translated
    scene: Scene = word_maps.self_attention(translated, part, joined=joined)
    choice = attention_view(scene, key=key, explains=why_weight.KEY)

    def show() -> None:
        if choice.token is None or choice.key is None:
            return
        query = words_of(translated.source if part == "encoder" else translated.target, joined=joined)
        keys = query if part == "encoder" else word_maps.read_before(query, translated.begin)
        spans = query.spans[choice.token], keys.spans[choice.key]
        _explain(request, part, (choice.layer, choice.head), spans, on_back=partial(close_cell, key))

    return show


def cell_in_address(text: str, scene: AlignmentScene) -> Cell | None:
    """The cell of an address, "transformer.4.2.0"; None where the scene has none like it."""
    parts = text.split(".")
    panel = scene.panel(parts[0])
    if panel is None or len(parts) != 4:
        return None
    counts = len(panel.maps), len(panel.target), len(scene.source)
    numbers = [whole_number(part, below=count) for part, count in zip(parts[1:], counts, strict=True)]
    weight_map, target, source = numbers
    if weight_map is None or target is None or source is None:
        return None
    return panel.key, weight_map, target, source


def _to_address(panel: str, weight_map: int, target: int, source: int) -> None:
    st.query_params[ADDRESS] = f"{panel}.{weight_map}.{target}.{source}"


def _forget() -> None:
    st.query_params.pop(ADDRESS, None)


def _show_cell(
    scene: AlignmentScene, request: Request, cell: Cell, *, joined: bool, marks: bool, best: BestHead | None
) -> None:
    """The explanation of a cell between target and source, or why there is none."""
    translated, (key, number, target_word, source_word) = request.translated, cell
    panel = scene.panel(key)
    assert panel is not None
    target, source = (words_of(tokens, joined=joined, marks=marks) for tokens in (translated.target, translated.source))
    target_place, source_place = target.visible[target_word], source.visible[source_word]
    names = quoted(target.labels[target_place]), quoted(source.labels[source_place])
    if request.name == "seq2seq":
        why_weight.refuse(PAGE.text("Cell without attention", target=names[0], source=names[1]), on_back=_forget)
        return
    if request.name == "bahdanau":
        why_weight.refuse(PAGE.text("Cell of additive attention", target=names[0]), on_back=_forget)
        _link_to_steps(request)
        return
    heads = {
        head_name(layer, head): (layer, head)
        for layer, weights in enumerate(translated.aligned.cross)
        for head in range(len(weights))
    }
    place = heads.get(panel.maps[number].name)
    if place is None and len(heads) == 1:
        place = (0, 0)
    if place is None:
        why_weight.refuse(PAGE.text("Cell of a mean"), on_back=_forget)
        return
    shift = best.shift if best and place == (best.layer, best.head) and key == "transformer" else 0
    spans = target.spans[target_place], source.spans[source_place]
    _explain(request, "cross", place, spans, on_back=_forget, shift=shift)


def _explain(
    request: Request,
    part: Part,
    place: tuple[int, int],
    spans: tuple[range, range],
    *,
    on_back: Callable[[], None],
    shift: int = 0,
) -> None:
    """Explain the largest weight between the tokens of two words; `shift`: rows are those of a later step."""
    layer, head = place
    translated = request.translated
    weights = translated.aligned.maps[part][layer][head]
    queries = [query + shift if query + shift < len(weights) else query for query in spans[0]]
    inside = weights[queries][:, spans[1].start : spans[1].stop]
    row, column = divmod(int(inside.argmax()), inside.shape[1])
    query, key = queries[row], spans[1][column]
    why_weight.show(
        run_of(request),
        compute_explained.call_place(request, part, layer),
        head,
        (query, key),
        on_back=on_back,
        about=_about_cell(inside, shifted=queries[0] != spans[0][0]),
        row=weights[query].numpy(),
    )


def _about_cell(inside: Float[Tensor, "query key"], *, shifted: bool) -> str:
    """How the weight that is explained belongs to the cell of the map; "" where it is the cell itself."""
    about = [PAGE.text("Cell of a later step")] if shifted else []
    if inside.numel() > 1:
        cell, largest = float(inside.sum(dim=-1).mean()), float(inside.max())
        about.append(
            PAGE.text("Cell of several weights", count=inside.numel(), cell=small(cell), largest=small(largest))
        )
    return " ".join(about)


def run_of(request: Request) -> ExplainedRun:
    """The run in which the model writes its translation, with what an explanation needs."""
    translated = request.translated
    source = names_of(translated.source)
    target = names_of(translated.target)
    steps = TokenNames(target.labels, tuple(f"the step that writes {phrase}" for phrase in target.phrases))
    read = TokenNames((translated.begin, *target.labels[:-1]), (quoted(translated.begin), *target.phrases[:-1]))
    names = {"cross": (steps, source), "encoder": (source, source), "decoder": (steps, read)}
    calls = compute_explained.forced_record(request).calls

    def consequence(explanation: WeightExplanation, key: str) -> Consequence:
        place = next(number for number, call in enumerate(calls) if call is explanation.call)
        cell = explanation.head, explanation.query, explanation.key
        removal = compute_explained.removal(request, place, *cell)
        if compute_explained.part_of(explanation.call) != "encoder":
            return Consequence(ranked(removal, explanation.query, _label, "**6. Next target word.** At this step", key))
        ids = translated.target.ids
        totals = [
            float(logits.log_softmax(-1)[range(len(ids)), list(ids)].sum())
            for logits in (removal.plain, removal.without_head, removal.without_cell)
        ]
        return Consequence(
            sentences.left_out("**6. Translation.** The log-probability of the translation is", totals, key)
        )

    def _label(number: int) -> str:
        return translated.model.tokens([number]).labels[0]

    def show_links(explanation: WeightExplanation) -> None:
        if compute_explained.part_of(explanation.call) == "cross" and not request.is_named:
            _link_to_steps(request, explanation)

    def names_of_call(call: AttentionCall) -> tuple[TokenNames, TokenNames]:
        return names[compute_explained.part_of(call)]

    return ExplainedRun(calls, names_of_call, lambda: compute_explained.head_outputs(request), consequence, show_links)


def _link_to_steps(request: Request, explanation: WeightExplanation | None = None) -> None:
    """A link to the section that shows a step in numbers, of the same model and text."""
    place = {}
    if explanation:
        layer = int(next(part for part in explanation.call.path.split(".") if part.isdecimal()))
        place = {"steps_layer": str(layer), "steps_head": str(explanation.head)}
    contents.TRANSLATION.link(
        "Every number of a step: Word by word",
        show=word_by_word.SECTION.name,
        text=request.text,
        steps_model=TITLES[request.name],
        **place,
    )

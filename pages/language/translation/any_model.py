"""Any model: a pretrained encoder-decoder by name or folder translates, and every one of its maps is shown."""

from collections import Counter
from dataclasses import dataclass

import streamlit as st
import torch

from core import zoo
from core.text import Tokens
from core.translation.decoding import Hypothesis
from core.zoo import NamedTranslator
from dashboard import theme, typeset
from dashboard.cache.models import named_translator
from dashboard.components.alignment_view import AlignmentScene, Map, Panel
from dashboard.frame import layout
from dashboard.inputs import controls, model_name
from dashboard.number_format import signed
from dashboard.output import streaming
from dashboard.theme import HUES
from pages.language.translation import compute, explained, inputs, word_maps, writing
from pages.language.translation.compute import Translated
from pages.language.translation.compute_explained import Request
from pages.language.translation.prose import PAGE
from pages.language.translation.word_maps import MEAN, head_name, quoted, words_of

SECTION = PAGE.section("Any model")
REMARKS = {"bart": "BART", "mt5": "mT5", "pegasus": "Pegasus", "led": "LED"}  # by kinds of model
ENGLISH = ("eng_Latn", "en_XX", "__en__")
FRENCH = ("fra_Latn", "fr_XX", "__fr__", ">>fra<<", ">>fr<<")
LONGEST_PREFIX = 200  # characters
MOST = 1_000_000  # cells sent at once, of 2 bytes: above that, the heads of one layer
FEWEST = 3  # words: one or two may be the same in both languages
TIMES = 2  # what even attention would give: a head that points gives its strongest token at least as much
MOSTLY = 0.5  # a copy: more than half of the words written stand in the source


@dataclass(frozen=True)
class Settings:
    """What stands before the sentence, and the languages in the model's own codes, where it takes any."""

    prefix: str = ""
    source_language: str | None = None
    target_language: str | None = None


def show() -> None:
    """The name of a model and the sentence; then the maps, and the translation as it comes."""
    model = model_name.named_model(
        "translator",
        "text",
        zoo.check_translates,
        named_translator,
        placeholder="Helsinki-NLP/opus-mt-en-fr, google-t5/t5-small, or the path of a folder",
        about=SECTION.text("Names of models"),
        empty_text=SECTION.text("No model yet"),
        without_hub="the three translators of this page",
    )
    if model is None:
        notice = ("No model is named yet: name one to see its attention.",)
        layout.notes(SECTION, notice=notice, numbers={"scores": _scores("d_k")})
        return
    with layout.control_bar():
        sentence = inputs.sentence()
        attention = st.container(width="content")
        with layout.settings():
            settings = _settings(model)
            beam, joined = inputs.beam(), inputs.between_words("named_units")
    text, figure = settings.prefix + sentence, st.container()
    layout.place_notice()
    explanation = st.container()
    translated = _translate(model, text, beam, settings)
    with attention:
        available = [label for label, part in inputs.PARTS.items() if translated.aligned.maps[part]]
        part = inputs.part("named_part", available)
    request = Request(model.name, text, beam, True, settings.source_language, settings.target_language)
    with figure:
        if part == "cross":
            scene, title = _scene(translated, joined=joined), f"translation-{model.title}"
            explain = explained.alignment(scene, {"named": request}, name="named", title=title, joined=joined)
        else:
            explain = explained.self_attention(request, part, key=f"named_{part}", joined=joined)
    with explanation:
        explain()
    if remark := REMARKS.get(model.kind):
        st.info(SECTION.text(remark), icon=":material/info:")
    typeset.show_cut_notice(translated.source)
    width = getattr(model.network.config, "d_model", 0) // len(translated.aligned.cross[0]) or "d_k"
    layout.notes(
        SECTION,
        notice=noticed(translated, text),
        numbers={"scores": r"Q K^\top" if _is_undivided(model) else _scores(width)},
        formula=lambda: _formula(translated, model),
    )


def _settings(model: NamedTranslator) -> Settings:
    """What this kind of model wants to know besides the sentence."""
    if model.languages:
        source = _language(model, "From", ENGLISH, "named_from") if model.names_source else None
        target = _language(model, "Into", FRENCH, "named_into")
        return Settings("", source, target) if model.names_source else Settings(f"{target} ")
    if not model.prefix and not model.kind.endswith("t5"):
        return Settings()
    return Settings(
        st.text_input(
            "Prefix",
            model.prefix,
            key="named_prefix",
            bind="query-params",
            max_chars=LONGEST_PREFIX,
            width=theme.PROSE,
            help=SECTION.text("Prefix"),
        )
    )


def _language(model: NamedTranslator, label: str, wanted: tuple[str, ...], key: str) -> str:
    codes = list(model.languages)
    first = next((place for place, code in enumerate(codes) if code in wanted), 0)
    return st.selectbox(
        label,
        codes,
        index=first,
        key=key,
        bind="query-params",
        width=controls.WIDTH,
        help=SECTION.text("Codes of languages"),
    )


def _translate(model: NamedTranslator, text: str, beam: int, settings: Settings) -> Translated:
    """The translation, appearing as it is written; what somebody has asked for before is there at once."""
    place = st.empty()
    request = (model.name, text, beam, settings.source_language, settings.target_language)
    translated = compute.translate_by_name.peek(*request)

    def so_far(step: int, best: Hypothesis) -> str:
        return _card(f"{writing.one_line(model.text(best.tokens))} ▍", f"step {step}")

    if translated is None:
        place.markdown("…")
        with layout.waiting_place():
            translated = compute.translate_by_name(*request, streaming.observer(place, so_far))
    below = f"{writing.how_probable(translated)} · {len(translated.target)} tokens"
    place.markdown(_card(writing.one_line(translated.text), below))
    return translated


def _card(text: str, below: str) -> str:
    return f"{text}\n\n:small[:gray[{below}]]"


def _scene(translated: Translated, *, joined: bool) -> AlignmentScene:
    source, target = (words_of(tokens, joined=joined) for tokens in (translated.source, translated.target))
    own = word_maps.of_panel(translated.aligned, target, source)
    own["maps"] = _few_enough(own["maps"], len(translated.aligned.cross))
    panel = Panel("named", translated.model.title, "attention weights of the decoder", hue=HUES[0], **own)
    return AlignmentScene(source.labels, (panel,))


def _few_enough(every: tuple[Map, ...], layers: int) -> tuple[Map, ...]:
    """All maps, if they are not too many for a browser; else the means, and the heads of one layer."""
    if sum(attention_map.weights.size for attention_map in every) <= MOST:
        return every
    layer = controls.number("Heads of layer", layers, key="named_layer")
    layout.caption(SECTION.text("Heads of one layer", maps=len(every)))
    return tuple(
        attention_map
        for attention_map in every
        if attention_map.name.endswith(MEAN) or attention_map.name.startswith(f"layer {layer}, ")
    )


def noticed(translated: Translated, source_text: str) -> tuple[str, ...]:
    """All sentences; `source_text` is what the model was given to translate."""
    aligned = translated.aligned
    sentences = (
        about_certainty(aligned.log_probabilities, translated.target),
        about_sinks(torch.cat(list(aligned.cross)), translated.source),
        about_sharpest(aligned.cross, translated.source),
        about_copy(source_text, translated.text),
    )
    return tuple(sentence for sentence in sentences if sentence)


def about_certainty(log_probabilities: tuple[float, ...], target: Tokens) -> str:
    """How probable a token is on average, and which one is least."""
    values = torch.tensor(log_probabilities)
    if len(values) < 2:
        return f"It writes {quoted(target.labels[0])} alone, with {values[0].exp():.1%}." if len(values) else ""
    least = int(values.argmin())
    return (
        f"Each token has a probability of **{values.mean().exp():.0%}** on (geometric) average. The least sure one is "
        f"{quoted(target.labels[least])}, token {least + 1} of {len(values)}, with {values[least].exp():.1%}."
    )


def about_sinks(heads: torch.Tensor, source: Tokens) -> str:
    """Which share of the weight (head, target, source) rests on tokens that are no words; "" without such tokens."""
    special = [place for place, added in enumerate(source.special) if added]
    if not special:
        return ""
    share = heads[:, :, special].sum(dim=-1).mean()
    names = " and ".join(dict.fromkeys(quoted(source.labels[place]) for place in special))
    return (
        f"In the mean over all {len(heads)} heads, **{share:.0%}** of the weight rests on {names}, which stand for no "
        f"word; even attention would leave {len(special) / len(source):.0%} there."
    )


def about_sharpest(layers: tuple[torch.Tensor, ...], source: Tokens) -> str:
    """The head whose rows are nearest to pointing at one token, those that the tokenizer added aside."""
    own = [place for place, added in enumerate(source.special) if not added]
    if not own:
        return ""
    sharpness = {
        (layer, head): float(weights[:, own].amax(dim=-1).mean())
        for layer, heads in enumerate(layers)
        for head, weights in enumerate(heads)
    }
    best, even = max(sharpness, key=sharpness.__getitem__), 1 / len(source)
    if len(own) == 1:
        return f"The source has a single token of its own, {quoted(source.labels[own[0]])}: no head can choose."
    if sharpness[best] < TIMES * even:
        return (
            f"No head points clearly at words: in {head_name(*best)}, which does so most, the strongest source token "
            f"gets {sharpness[best]:.0%} on average, less than {TIMES} times what even attention would give it "
            f"({even:.0%})."
        )
    return (
        f"The head that points most clearly at words is **{head_name(*best)}**: on average its strongest source token "
        f"gets {sharpness[best]:.0%} (even attention: {even:.0%}). Whether it points at the right one is for you to "
        "judge."
    )


def about_copy(source_text: str, written: str) -> str:
    """Whether most of what was written stands in the source; "" if not."""
    read, own = (Counter(text.lower().split()) for text in (source_text, written))
    total, shared = sum(own.values()), sum((read & own).values())
    if total < FEWEST or shared / total <= MOSTLY:
        return ""
    return (
        f"{shared} of the {total} words written stand in the source in the same form, capitals aside: more a copy than "
        "a translation."
    )


def _is_undivided(model: NamedTranslator) -> bool:
    """Whether the scores of a model are products of queries and keys that nothing divides."""
    return model.kind.endswith("t5")


def _scores(width: int | str) -> str:
    return rf"\frac{{Q K^\top}}{{\sqrt{{{width}}}}}"


def _formula(translated: Translated, model: NamedTranslator) -> None:
    if _is_undivided(model):
        st.markdown(SECTION.text("T5 without a root"))
    st.markdown(f"$\\log p$ of the translation: {sum_of(translated.aligned.log_probabilities)}.")


def sum_of(values: tuple[float, ...]) -> str:
    """The first three log-probabilities, which are never above 0, and the sum of all."""
    terms = " − ".join(f"{abs(value):.2f}" for value in values[:3])
    return f"−{terms}{' − …' if len(values) > 3 else ''} = **{signed(sum(values))}**"

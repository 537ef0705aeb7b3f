"""Single steps of a translation, worked out, and kept for the next visitor who looks at the same."""

from dataclasses import dataclass

import streamlit as st
import torch
from jaxtyping import Float
from torch import Tensor

from core.models.bahdanau import Bahdanau
from core.models.seq2seq import Seq2Seq
from core.models.transformer import Transformer
from core.translation.decoder_step import Look, Memory, look_additive, look_product, next_tokens, remember
from core.translation.decoding import BEGIN
from dashboard.kept import computing
from pages.language.translation.compute import translate


@dataclass(frozen=True, eq=False)
class WorkedStep:
    """What one step knows, and what it expects: the log-probability of every token. Shared: never changed."""

    known: Look | Memory
    log_probabilities: Float[Tensor, " vocabulary"]


@st.cache_resource(max_entries=64, show_spinner=False)
def worked_step(name: str, text: str, beam: int, place: int, layer: int = 0, head: int = 0) -> WorkedStep:
    """The step that writes token `place` of a model's own translation; `layer` and `head` are the transformer's."""
    translated = translate(name, text, beam=beam)
    network = translated.model.network
    source = torch.tensor([translated.source.ids])
    before = torch.tensor([(BEGIN, *translated.target.ids[:-1])])
    with computing():
        known: Look | Memory
        if isinstance(network, Bahdanau):
            known = look_additive(network, source, before, place)
        elif isinstance(network, Transformer):
            known = look_product(network, source, before, place, layer=layer, head=head)
        else:
            assert isinstance(network, Seq2Seq)
            known = remember(network, source, before, place)
        return WorkedStep(known, next_tokens(network, source, before, place))

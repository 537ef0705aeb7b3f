"""Pictures that were followed on their way to a sequence, kept for the next visitor."""

from dataclasses import dataclass
from functools import cached_property

import streamlit as st
from jaxtyping import Float
from torch import Tensor

from core.images import open_example, open_picture
from core.order.learned_positions import Way, other_way, similarity
from core.vision.patches import PrincipalFilters, Projection, principal_filters
from core.vision.picture_sequence import PictureSequence, sequence_of
from core.zoo import ImageModel, PreparedPicture
from dashboard.kept import Upload, computing
from dashboard.models import image_model


@dataclass(frozen=True, eq=False)
class Followed:
    """A model, a picture, and every stage between them. Shared by all visitors: never changed."""

    model: ImageModel
    given: PreparedPicture
    sequence: PictureSequence

    @property
    def filters(self) -> PrincipalFilters:
        """The principal components of the projection's filters."""
        return _filters(self.model.name, self.sequence.projection)

    @cached_property
    def alike(self) -> Float[Tensor, "token token"] | None:
        """The cosine between the positions of all pairs of patches; None if none are added."""
        positions = self.sequence.positions
        return None if positions is None else similarity(positions.patches)

    @cached_property
    def other_way(self) -> Way:
        """How the model tells places apart besides, or instead of, added positions."""
        return other_way(self.model.network)


@st.cache_resource(max_entries=8, show_spinner="Cutting the picture …")
def follow_picture(name: str, picture: str | Upload, resolution: int | None) -> Followed:
    """Follow a picture (an example's name, or the bytes of a file) through a model; ModelError if it has no patches."""
    model = image_model(name)
    opened = open_example(picture) if isinstance(picture, str) else open_picture(picture.content)
    given = model.prepare(opened, resolution=resolution)
    with computing():
        return Followed(model, given, sequence_of(model, given))


@st.cache_resource(max_entries=8, show_spinner=False)
def _filters(name: str, _projection: Projection) -> PrincipalFilters:
    del name
    with computing():
        return principal_filters(_projection)

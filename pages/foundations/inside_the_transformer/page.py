"""What happens between input and output?"""

import streamlit as st

from dashboard.frame import page_head, sections
from pages.foundations.inside_the_transformer import lens, sizes, stream, walk, words
from pages.foundations.inside_the_transformer.inputs import walked_through

page_head.head(words.INSIDE)
show = sections.chosen(
    {words.WALK: walk.show, words.STREAM: stream.show, words.LENS: lens.show, words.SIZES: sizes.show},
)
way = walked_through()
if way.cut:
    st.info(words.CUT.format(kept=way.cut.kept, total=way.cut.total), icon=":material/content_cut:")
show(way)

"""What happens between input and output?"""

from dashboard.frame import layout, page_head, sections
from pages.foundations.inside_the_transformer import lens, sizes, stream, walk, words
from pages.foundations.inside_the_transformer.inputs import walked_through

page_head.head(words.INSIDE)
show = sections.chosen(
    {words.WALK: walk.show, words.STREAM: stream.show, words.LENS: lens.show, words.SIZES: sizes.show},
)
way = walked_through()
if way.cut:
    layout.caption(words.CUT.format(kept=way.cut.kept, total=way.cut.total))
show(way)

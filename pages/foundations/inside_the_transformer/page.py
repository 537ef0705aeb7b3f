"""What happens between input and output?"""

from dashboard.frame import sections
from pages.foundations.inside_the_transformer import kinds, lens, sizes, stream, walk
from pages.foundations.inside_the_transformer.prose import PAGE

sections.show(PAGE, walk, stream, lens, sizes, kinds)

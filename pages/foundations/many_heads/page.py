"""What each head of a model does, what is lost without it, and what all of them make together."""

from dashboard.frame import sections
from pages.foundations.many_heads import added_up, measured, silenced, together
from pages.foundations.many_heads.prose import FORMER_NAMES, PAGE

sections.show(PAGE, measured, silenced, added_up, together, former_names=FORMER_NAMES)

"""What may be left out?"""

from dashboard.frame import sections
from pages.scale.efficient_attention import cost, from_scratch, maps, swapped_in
from pages.scale.efficient_attention.prose import PAGE

sections.show(PAGE, maps, swapped_in, from_scratch, cost)

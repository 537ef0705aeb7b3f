"""What can be removed?"""

from dashboard.frame import sections
from pages.scale.shrinking import bits, distilled, heads, specialist, together, weights
from pages.scale.shrinking.prose import PAGE

sections.show(PAGE, heads, weights, bits, distilled, specialist, together)

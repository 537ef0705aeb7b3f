"""What does a GPT look at?"""

from dashboard.frame import sections
from pages.language.next_word import cache, copying, small_tasks, tokens, why_this_word, writes
from pages.language.next_word.prose import PAGE

sections.show(PAGE, writes, why_this_word, copying, cache, tokens, small_tasks)

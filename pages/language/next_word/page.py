"""What does a GPT look at?"""

from dashboard.frame import page_head, sections
from pages.language.next_word import cache, copying, small_tasks, tokens, why_this_word, writes
from pages.language.next_word.prose import PAGE

page_head.head(PAGE)
sections.chosen(
    {
        writes.SECTION.name: writes.show,
        why_this_word.SECTION.name: why_this_word.show,
        copying.SECTION.name: copying.show,
        cache.SECTION.name: cache.show,
        tokens.SECTION.name: tokens.show,
        small_tasks.SECTION.name: small_tasks.show,
    }
)()

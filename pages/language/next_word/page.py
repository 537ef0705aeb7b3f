"""What does a GPT look at?"""

from dashboard.frame import page_head, sections
from pages.language.next_word import cache, copying, small_tasks, tokens, why_this_word, words, writes

page_head.head(words.PAGE)
sections.chosen(
    {
        words.WRITES: writes.show,
        words.WHY: why_this_word.show,
        words.COPYING: copying.show,
        words.CACHE: cache.show,
        words.TOKENS: tokens.show,
        words.SMALL: small_tasks.show,
    }
)()

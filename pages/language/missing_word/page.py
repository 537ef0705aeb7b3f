"""What does a BERT look at?"""

from dashboard.frame import page_head, sections
from pages.language.missing_word import across, both_ways, fill_in, grammar, inference, tasks, two_sentences, words

page_head.head(words.PAGE)
sections.chosen(
    {
        words.FILL: fill_in.show,
        words.BOTH: both_ways.show,
        words.PAIRS: two_sentences.show,
        words.GRAMMAR: grammar.show,
        words.TASKS: tasks.show,
        words.ACROSS: across.show,
        words.INFERENCE: inference.show,
    }
)()

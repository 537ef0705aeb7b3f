"""What does a BERT look at?"""

from dashboard.frame import page_head, sections
from pages.language.missing_word import across, both_ways, fill_in, grammar, inference, tasks, two_sentences
from pages.language.missing_word.prose import PAGE

page_head.head(PAGE)
sections.chosen(
    {
        fill_in.SECTION.name: fill_in.show,
        both_ways.SECTION.name: both_ways.show,
        two_sentences.SECTION.name: two_sentences.show,
        grammar.SECTION.name: grammar.show,
        tasks.SECTION.name: tasks.show,
        across.SECTION.name: across.show,
        inference.SECTION.name: inference.show,
    }
)()

"""What does a BERT look at?"""

from dashboard.frame import sections
from pages.language.missing_word import across, both_ways, fill_in, grammar, inference, tasks, two_sentences
from pages.language.missing_word.prose import PAGE

sections.show(PAGE, fill_in, both_ways, two_sentences, grammar, tasks, across, inference)

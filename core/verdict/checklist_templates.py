"""The templates of all languages, and the lists of words that fill them."""

from . import checklist_english, checklist_spanish

LANGUAGES = {"english": checklist_english, "spanish": checklist_spanish}
WORDS = {name: language.WORDS for name, language in LANGUAGES.items()}
TESTS = {name: language.TESTS for name, language in LANGUAGES.items()}

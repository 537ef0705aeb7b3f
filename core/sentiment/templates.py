"""The templates of all languages, and the lists of words that fill them."""

from . import english_templates, spanish_templates

LANGUAGES = {"english": english_templates, "spanish": spanish_templates}
WORDS = {name: language.WORDS for name, language in LANGUAGES.items()}
TESTS = {name: language.TESTS for name, language in LANGUAGES.items()}

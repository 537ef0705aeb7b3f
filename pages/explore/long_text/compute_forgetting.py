"""Texts that a model reads with a cache that forgets, cached for all visitors."""

from dataclasses import dataclass, replace

from core.errors import InputError
from core.long_context.cache_rules import RULES, CacheRule, HeavyHitters, RandomKeys, SmallNorms
from core.long_context.forgetting import ForgetfulRun, FullCache, KeptMap, forget, keep_everything, kept_map
from core.progress import Progress, no_progress
from core.text import Tokens, encode
from dashboard.cache.memo import cached
from dashboard.cache.models import long_text_model
from dashboard.cache.upload import Upload
from dashboard.recordings.watched import Text, content_of

READING = "Reading …"
FEWEST = 16  # tokens: in a shorter text no key is dropped
LETTERS = 24  # characters of a token at most, on average: so much of a book is tokenized for each token that is read


@dataclass(frozen=True)
class Setting:
    """What all rules have in common: the model, the text and how many of its tokens, the budget of each head.

    `newest` is the share of the budget for the newest keys in the rules that score the others.
    """

    name: str
    text: Text
    tokens: int
    budget: int
    newest: float

    @property
    def identity(self) -> tuple:
        """What tells it from any other; a file stands there by its digest, so that all that is made of it ages."""
        text = self.text.identity if isinstance(self.text, Upload) else self.text
        return self.name, text, self.tokens, self.budget, self.newest

    @property
    def of_text(self) -> tuple[str, Text, int]:
        """The model and what it reads."""
        return self.name, self.text, self.tokens


@dataclass(frozen=True, eq=False)
class Comparison:
    """The run with all keys and one run for each rule, by the names of RULES."""

    tokens: Tokens
    full: FullCache
    runs: dict[str, ForgetfulRun]

    @property
    def count(self) -> int:
        """The tokens that were read."""
        return len(self.tokens)


@cached()
def tokens_of(name: str, text: Text, tokens: int) -> Tokens:
    """The first tokens of a text; InputError where there are too few to forget any."""
    model = long_text_model(name)
    most = min(tokens, model.context)
    beginning = content_of(text)[: LETTERS * most]
    read = replace(encode(model.tokenizer, beginning, context=most), cut=None)
    if len(read) < FEWEST:
        raise InputError(
            f"A cache forgets something from {FEWEST} tokens on; this text has {len(read)}. Write a few words more."
        )
    return read


@cached(READING, unit="layers")
def full_run(name: str, text: Text, tokens: int, progress: Progress = no_progress) -> FullCache:
    """The run in which every key is kept."""
    return keep_everything(long_text_model(name), tokens_of(name, text, tokens), progress)


@cached(READING, unit="tokens")
def forgetful_run(setting: Setting, rule: str, progress: Progress = no_progress) -> ForgetfulRun:
    """The run under one of RULES."""
    return forget(
        long_text_model(setting.name),
        tokens_of(*setting.of_text),
        rule_of(rule, setting.newest),
        setting.budget,
        full=full_run(*setting.of_text),
        progress=progress,
    )


def compared(setting: Setting, progress: Progress) -> Comparison:
    """All runs, those that are not cached one after the other; `progress` counts tokens in all layers of all runs."""
    runs = dict[str, ForgetfulRun]()
    for number, rule in enumerate(RULES):

        def report(done: int, total: int, before: int = number) -> None:
            progress(before * total + done, len(RULES) * total)

        runs[rule] = forgetful_run(setting, rule, report)
    return Comparison(tokens_of(*setting.of_text), full_run(*setting.of_text), runs)


def rule_of(name: str, newest: float) -> CacheRule:
    """One of RULES, with a share of the budget for the newest keys where the rule scores the others."""
    rule = RULES[name]
    return replace(rule, newest=newest) if isinstance(rule, HeavyHitters | SmallNorms | RandomKeys) else rule


@cached()
def mapped(setting: Setting, rule: str, layer: int, head: int) -> KeptMap:
    """The map of a head: what is kept of it, and what is lost."""
    stored = full_run(*setting.of_text).layers[layer]
    group = stored.place.heads // stored.place.key_heads
    return kept_map(stored, head, forgetful_run(setting, rule).dropped[layer][head // group])

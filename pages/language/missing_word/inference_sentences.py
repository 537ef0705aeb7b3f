"""What is worth noticing in Inference across languages: numbers in, sentences out."""

from collections.abc import Mapping, Sequence

from core.models.bert_inference import RELATIONS
from core.probing.fine_tuning.inference import COMBINATIONS, Languages
from core.results.bert_inference_results import Results
from dashboard import typeset
from dashboard.number_format import CLEAR, POINT, Comparison, compare, compare_shares

CLOSE = 0.1  # two relations whose probabilities differ by less: the model cannot tell
LEARNED, FRENCH, MIXED = "en-en", "fr-fr", ("en-fr", "fr-en")


def name_of(languages: Languages) -> str:
    """The name of a combination of languages in the results."""
    return next(name for name, pair in COMBINATIONS.items() if pair == languages)


def in_words(languages: Languages) -> str:
    """A combination of languages as the end of a sentence."""
    first, second = languages
    return f"both sentences in {first}" if first == second else f"the first sentence in {first}, the second in {second}"


def about_relation(probabilities: Sequence[float]) -> str:
    """The most probable relation and the next one; neither where they are less than CLOSE apart."""
    order = sorted(range(len(RELATIONS)), key=lambda number: -probabilities[number])
    (first, most), (second, next_most) = ((RELATIONS[number], probabilities[number]) for number in order[:2])
    if most - next_most < CLOSE:
        return (
            f"**The model cannot tell**: {first} has {most:.1%} and {second} {next_most:.1%}, less than "
            f"{100 * CLOSE:.0f} points apart."
        )
    return f"The model predicts **{first}** ({most:.1%}), then {second} ({next_most:.1%})."


def about_worth(results: Results, languages: Languages) -> str:
    """How much an answer is worth in these languages: the measured accuracy beside the most frequent relation."""
    share = results.bilingual[name_of(languages)]
    worth = {
        "more": "better than always predicting neutral",
        "less": "worse than always predicting neutral",
    }.get(against_majority(results, share), "no better than always predicting neutral")
    return (
        f"With {in_words(languages)}, it is **{worth}**: it is right on {share:.1%} of {results.pairs:,} test pairs "
        f"(standard error {100 * results.error(share):.1f} points), of which {results.majority:.1%} are neutral."
    )


def against_majority(results: Results, share: float) -> Comparison:
    """Whether an accuracy is above or below the share of the most frequent relation by CLEAR standard errors."""
    return compare(share, results.majority, margin=CLEAR * results.error(share))


def about_mixed(results: Results) -> str:
    """How the pairs with one sentence in each language stand against the majority."""
    kinds = {
        "more": "better than the majority by more than two standard errors",
        "less": "worse than the majority by more than two standard errors",
    }
    parts = []
    for name in MIXED:
        share = results.bilingual[name]
        kind = kinds.get(against_majority(results, share), "within two standard errors of the majority")
        parts.append(f"{_short(COMBINATIONS[name])} {share:.1%}, {kind}")
    return f"One sentence in each language: {'; '.join(parts)}."


def about_french(results: Results) -> str:
    """Whether the model answers in French at all, and what is lost on the way there from English."""
    french, english = results.bilingual[FRENCH], results.bilingual[LEARNED]
    side = against_majority(results, french)
    works = "**French works**" if side == "more" else "**French does not work**"
    relation = {"more": "more than", "less": "less than"}.get(side, "not clearly different from")
    lost = {"more": "less than", "less": "more than"}.get(_compare(results, english, french), "about as much as")
    return (
        f"{works}: {french:.1%} is {relation} the majority's {results.majority:.1%} (two standard errors are "
        f"{100 * CLEAR * results.error(french):.1f} points), and {lost} the {english:.1%} in English."
    )


def about_bodies(results: Results) -> str:
    """What reading English beside French before was worth in each combination of languages; "" if not measured."""
    if results.english is None:
        return ""
    sides: dict[str, list[str]] = {"more": [], "as much": [], "less": [], "unknown": []}
    for name, languages in COMBINATIONS.items():
        bilingual, english = results.bilingual[name], results.english[name]
        sides[_compare(results, bilingual, english)].append(f"{_short(languages)} ({bilingual:.1%} and {english:.1%})")
    return _sorted_out("The same network without its bilingual training, tuned in the same way", sides)


def about_words(results: Results) -> str:
    """How the network stands against a logistic regression on shared words and negations."""
    sides: dict[str, list[str]] = {"more": [], "as much": [], "less": [], "unknown": []}
    for name, languages in COMBINATIONS.items():
        bilingual, words = results.bilingual[name], results.logistic[name]
        sides[_compare(results, bilingual, words)].append(f"{_short(languages)} ({bilingual:.1%} and {words:.1%})")
    return _sorted_out("Shared words and negations alone, in a logistic regression", sides)


def _sorted_out(other: str, sides: Mapping[str, Sequence[str]]) -> str:
    kinds = {
        "more": "worse than the model above",
        "as much": "not clearly different from it",
        "less": "better than it",
    }
    parts = [f"**{what}** for {', '.join(sides[side])}" for side, what in kinds.items() if sides[side]]
    return f"{other}: {'; '.join(parts)}. In brackets: the model above first, then the other."


def _compare(results: Results, share: float, other: float) -> Comparison:
    """`compare_shares` of two accuracies on the test pairs."""
    count = results.pairs
    return compare_shares(round(share * count), count, round(other * count), count)


def _short(languages: Languages) -> str:
    first, second = languages
    return first if first == second else f"{first} then {second}"


def about_head(head: tuple[int, int], moved: float, before: float, after: float, *, is_most: bool) -> str:
    """How much of a head's attention moved, and what a word gives to the other sentence before and after."""
    verb = {"more": "rises", "less": "falls"}.get(compare(after, before, margin=POINT))
    change = f"{verb} from {before:.0%} to {after:.0%}" if verb else f"stays at about {after:.0%}"
    most = "changed most of all heads" if is_most else "changed less than another head"
    return (
        f"Layer {head[0]}, head {head[1]} {most}: fine-tuning moved **{moved:.0%}** of its attention. What a word "
        f"gives to the other sentence {change} on average."
    )


def about_link(weights: Sequence[Sequence[float]], labels: Sequence[str], sides: tuple[list[int], list[int]]) -> str:
    """The strongest link of a head from a word of one sentence to one of the other."""
    first, second = sides
    links = [(row, column) for row in first for column in second] + [
        (row, column) for row in second for column in first
    ]
    if not links:
        return "There are no words on both sides, so nothing can go from one to the other."
    row, column = max(links, key=lambda link: weights[link[0]][link[1]])
    strongest = weights[row][column]
    if strongest < POINT:
        return "In this head no word gives 1% of its attention to a word of the other sentence."
    return (
        f"Its strongest link between the sentences: {_quoted(labels[row])} gives {strongest:.0%} to "
        f"{_quoted(labels[column])}."
    )


def _quoted(label: str) -> str:
    return f"“{typeset.plain(typeset.readable(label))}”"

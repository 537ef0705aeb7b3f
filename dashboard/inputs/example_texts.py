"""Example texts that several pages offer, by the label of their button."""

# For a model that continues a text; the first one is the default.
TO_GO_ON = {
    "Repetition": "The cat that the dogs chased sat down because it was tired. The cat that the dogs",
    "A pronoun": "Mary lent John her umbrella because it was raining, and John thanked",
    "Negation": "He was not rich, and he was not young, but he was never",
    "A list": "In spring, in summer, in autumn and in",
    "A dialogue": (
        "“Where have you been?” asked the king.\n“At the sea,” said the boy.\n“And what did you see?” asked the"
    ),
    "Code": "def add(a, b):\n    return a + b\n\ndef take(a, b):\n    return a",
    "Two languages": "The cat is black. Le chat est noir. The dog is white. Le chien est",
}

# English sentences for translators that were trained on short ones.
TO_TRANSLATE = {
    "A pronoun": "My brother bought a small red car because it was not expensive.",
    "Negation": "I have never seen this film.",
    "Repetition": "The more you eat, the more you want to eat.",
    "A question": "Why didn't you tell me that you were ill?",
    "An idiom": "It is raining cats and dogs.",
}

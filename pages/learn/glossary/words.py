"""What the page Glossary says."""

from dashboard.frame.layout import PageWords

GLOSSARY = PageWords(
    question="What does this word mean?",
    lead=(
        "The terms of these pages, each in a sentence or two, with a page on which you can see what it means. On every "
        "page the words with a dotted line below them are explained where they stand: tap one."
    ),
    try_this=(),
    references=(),
)
FIND = "Find a term"
PLACEHOLDER = "such as logit"
NONE = "No term here has “{sought}” in its name or its meaning."

"""What the page Lessons says."""

from dashboard.frame.layout import PageWords

PAGE = PageWords(
    question="Where do I begin?",
    lead=(
        "Lessons are paths through the atlas. At each station you read a few sentences and answer a question; then you "
        "see the page itself, and what the model says. The answer is read off the running model, never off a file."
    ),
    try_this=(),
    references=(),
)

ALL = "A first path, and seven lessons"
OWN = "Your own lesson"
OWN_ABOUT = (
    "A lesson is a Markdown file in the form of those above. Write one for your class, open it here, and give the "
    "class the link to its first station. The file is kept for an hour at most."
)
FORM = "How a lesson is written"

"""Eight steps: attention from the projections to the output, down to the single multiplication."""

from dashboard import theme
from dashboard.components.step_view import scene, step_view
from dashboard.frame import layout
from pages.foundations.attention_step_by_step import inputs, notes
from pages.foundations.attention_step_by_step.prose import PAGE

SECTION = PAGE.section("Eight steps")
# Links from before the page had sections are known by these parameters: they open this one.
PARAMETERS = (
    *("begin", "example", "text", "layer", "head", "token", "scaled", "masked", "mask", "temperature", "step", "cell"),
    *("X", "W_Q", "W_K", "W_V", "W_O", "Q", "K", "V"),
)


def show() -> None:
    """The figure of the steps, its arrays, sentences about one query, and the formulas."""
    chosen = inputs.choose()
    followed, options = chosen.followed, chosen.options
    steps = followed.compute(**options)
    other = followed.compute(**{**options, "scale": not options["scale"]})
    head, query, tokens = followed.head, followed.query, followed.tokens
    with chosen.figure:
        step_view(
            scene(steps, other, head=head, query=query, tokens=tokens, channels=followed.channels),
            name=f"attention-atlas-{followed.place}-head-{head}",
            present=theme.is_presented(),
        )
        layout.place_notice()
    notes.download(steps, tokens=tokens, name=followed.place)
    layout.notes(
        SECTION,
        notice=notes.notices(steps, other, tokens=tokens, head=head, query=query, scale=options["scale"]),
        formula=lambda: notes.formulas(steps, head=head, query=query),
    )

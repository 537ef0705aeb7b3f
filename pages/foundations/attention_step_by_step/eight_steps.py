"""Eight steps: attention from the projections to the output, down to the single multiplication."""

from dashboard import theme
from dashboard.components.step_view import scene, step_view
from dashboard.frame import layout
from pages.foundations.attention_step_by_step import inputs, notes, words


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
        words.STEPS_NOTES,
        notice=notes.notices(steps, other, tokens=tokens, head=head, query=query, scale=options["scale"]),
        formula=lambda: notes.formulas(steps, head=head, query=query),
    )

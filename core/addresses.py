"""Numbers in addresses and in messages of browsers, each parsed once."""

MOST_DIGITS = 9


def whole_number(text: object, below: int | None = None) -> int | None:
    """The whole number from 0 up that `text` writes, if it is less than `below`; None for anything else.

    A number has at most nine ASCII digits: "²" is no number, and of four hundred nines none is made.
    """
    text = str(text)
    if not (text.isascii() and text.isdecimal() and len(text) <= MOST_DIGITS):
        return None
    number = int(text)
    return number if below is None or number < below else None

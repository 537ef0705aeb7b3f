"""Where everything of the diagram lies: boxes, arrows and words, in units that are pixels on a wide window."""

from dataclasses import dataclass, field

from core.interpretability import OUTPUT, Block, Lane, Part, Stack, Step, Walked
from core.interpretability.parts import Kind
from dashboard.theme import HUES

LANE = 320  # the width of a lane
GAP = 56  # between two lanes
STREAM = 26  # how far from the edge the stream runs
INDENT = 58  # how far from the edge branches begin
LINE_WIDTH = 216  # of a box that is on the stream itself
BOX = 32  # the height of a box

KINDS: dict[Kind, str] = {
    "embedding": "Embedding",
    "positions": "Positions",
    "norm": "Norm",
    "attention": "Attention",
    "cross-attention": "Cross-attention",
    "MLP": "MLP",
    "linear": "Linear map",
    "head": "Head",
    "block": "Block",
    "other": "Part",
}
COLOURS: dict[Kind, str] = {
    "embedding": HUES[5],
    "positions": HUES[5],
    "attention": HUES[0],
    "cross-attention": HUES[3],
    "MLP": HUES[2],
    "linear": HUES[2],
    "head": HUES[1],
}
BLOCK = "block"
COMPUTED = "positions (computed)"
_CHIPS = 12  # blocks in one row


@dataclass
class Place:
    """Where the pen is: `y` grows downwards. A mirrored lane has its stream on the right, its branches to the left."""

    left: float
    mirrored: bool = False
    y: float = 0.0

    def x(self, offset: float, width: float = 0.0) -> float:
        """The left edge of something `width` wide that begins `offset` from the lane's own edge."""
        return self.left + (LANE - offset - width if self.mirrored else offset)


@dataclass(frozen=True)
class Box:
    """A part: its name in the address, what it is, its own name, and its rectangle."""

    key: str
    label: str
    name: str
    colour: str
    x: float
    y: float
    width: float
    tell: str


@dataclass(frozen=True)
class Chip:
    """A block that may be opened; `key` is the part that is then chosen."""

    key: str
    label: str
    x: float
    y: float
    on: bool
    tell: str


@dataclass(frozen=True)
class Word:
    """Words beside the parts."""

    text: str
    x: float
    y: float
    anchor: str = "start"
    strong: bool = False


@dataclass
class Scene:
    """All that is drawn; `paths` are SVG's, with an arrow at the end or without."""

    width: float
    height: float = 0.0
    box: float = BOX
    boxes: list[Box] = field(default_factory=list)
    chips: list[Chip] = field(default_factory=list)
    words: list[Word] = field(default_factory=list)
    paths: list[dict] = field(default_factory=list)
    sums: list[tuple[float, float]] = field(default_factory=list)
    frames: list[tuple[float, float, float, float]] = field(default_factory=list)


def scene(walked: Walked, chosen: str, *, begins: tuple[str, ...], ends: str) -> Scene:
    """The diagram of a model with the block of the `chosen` part open.

    `begins` says what goes into each lane ("17 tokens"), `ends` what comes out.
    """
    count = len(walked.lanes)
    drawn = Scene(width=LANE * count + GAP * (count - 1))
    memory: Place | None = None
    for number, lane in enumerate(walked.lanes):
        place = Place(left=number * (LANE + GAP), mirrored=number == 1)
        _lane(drawn, lane, place, chosen, begins[min(number, len(begins) - 1)], memory)
        if lane.name == "encoder":
            memory = place
        else:
            _arrow(drawn, [(place.x(STREAM), place.y - 18), (place.x(STREAM), place.y)])
            drawn.words.append(Word(ends, place.x(0), place.y + 18, "end" if place.mirrored else "start", True))
        drawn.height = max(drawn.height, place.y + 30)
    return drawn


def _lane(drawn: Scene, lane: Lane, place: Place, chosen: str, begins: str, memory: Place | None) -> None:
    title = f"{lane.name}: {begins}" if lane.name else begins
    drawn.words.append(Word(title, place.x(0), place.y + 14, "end" if place.mirrored else "start", True))
    place.y += 26
    top = place.y
    for item in lane.items:
        if isinstance(item, Step):
            _step(drawn, item, place, memory)
        else:
            _stack(drawn, item, place, chosen, memory)
    _line(drawn, [(place.x(STREAM), top), (place.x(STREAM), place.y)], "stream")


def _stack(drawn: Scene, stack: Stack, place: Place, chosen: str, memory: Place | None) -> None:
    """The numbers of all blocks, and the open one in a frame."""
    opened = next((block for block in stack.blocks if _holds(block, chosen)), stack.blocks[0])
    for number, block in enumerate(stack.blocks):
        row, column = divmod(number, _CHIPS)
        if place.mirrored:  # numbers grow to the right in both lanes
            column = min(_CHIPS, len(stack.blocks) - row * _CHIPS) - 1 - column
        x = place.x(INDENT + 23 * column, 22)
        tell = f"{BLOCK} {number}: open it"
        key = _same_part(block, opened, chosen)
        drawn.chips.append(Chip(key, str(number), x, place.y + 6 + 22 * row, block is opened, tell))
    place.y += 22 * (1 + (len(stack.blocks) - 1) // _CHIPS) + 14
    start = place.y
    place.y += 8
    for step in opened.steps:
        _step(drawn, step, place, memory, inset=8)
    place.y += 2
    drawn.frames.append((place.left, start, LANE, place.y - start))
    place.y += 14


def _step(drawn: Scene, step: Step, place: Place, memory: Place | None, inset: int = 0) -> None:
    if step.kind == "line":
        for part in step.parts:
            drawn.boxes.append(_box(part, place.x(inset, LINE_WIDTH), place.y + 6, LINE_WIDTH))
            place.y += BOX + 14
        return
    _branch(drawn, step, place, memory)


def _branch(drawn: Scene, step: Step, place: Place, memory: Place | None) -> None:
    """Out of the stream, through the parts, and back to where it is added; what looks things up begins by itself."""
    wide = LANE - INDENT - 14
    middle = place.x(INDENT + wide / 2)
    begins_alone = all(part.kind in ("embedding", "positions") for part in step.parts)
    y = place.y + 4
    if not begins_alone:
        _line(drawn, [(place.x(STREAM), y), (middle, y), (middle, y + 12)], "arrow")
        y += 14
    for number, part in enumerate(step.parts):
        if number:
            _arrow(drawn, [(middle, y), (middle, y + 10)])
            y += 12
        drawn.boxes.append(_box(part, place.x(INDENT, wide), y, wide))
        if part.kind == "cross-attention" and memory is not None:
            _from_encoder(drawn, memory, place, y + BOX / 2)
        y += BOX
    if step.summed is not None:
        y = _sum(drawn, step, place, middle, y)
    place.y = y + 10


def _sum(drawn: Scene, step: Step, place: Place, middle: float, y: float) -> float:
    """The plus, and the way to it."""
    y += 14
    if step.parts:
        _arrow(drawn, [(middle, y - 14), (middle, y), (place.x(STREAM + 10), y)])
    else:
        name = step.summed.name if step.summed and step.summed.name else COMPUTED
        drawn.words.append(Word(name, place.x(INDENT + 8), y + 4, "end" if place.mirrored else "start"))
        _arrow(drawn, [(place.x(INDENT + 2), y), (place.x(STREAM + 10), y)])
    drawn.sums.append((place.x(STREAM), y))
    return y + 6


def _from_encoder(drawn: Scene, memory: Place, place: Place, y: float) -> None:
    """From the end of the encoder, up between the lanes, into the cross-attention."""
    between = memory.left + LANE + GAP / 2
    end = place.left + 14
    _arrow(
        drawn,
        [
            (memory.x(STREAM), memory.y),
            (memory.x(STREAM), memory.y + 14),
            (between, memory.y + 14),
            (between, y),
            (end, y),
        ],
    )


def _box(part: Part, x: float, y: float, width: float) -> Box:
    label = KINDS[part.kind]
    name = "" if part.path == OUTPUT else part.name
    return Box(part.key, label, name, COLOURS.get(part.kind, ""), x, y, width, f"{label}: {part.key}")


def _same_part(block: Block, opened: Block, chosen: str) -> str:
    """The part of another block that is the chosen one's counterpart."""
    if _holds(opened, chosen):
        return block.path + chosen.removeprefix(opened.path)
    return block.steps[0].parts[0].key


def _holds(block: Block, key: str) -> bool:
    return key.startswith(block.path + ".") or key == block.path


def _line(drawn: Scene, points: list[tuple[float, float]], look: str) -> None:
    drawn.paths.append({"points": points, "look": look})


def _arrow(drawn: Scene, points: list[tuple[float, float]]) -> None:
    _line(drawn, points, "arrow")

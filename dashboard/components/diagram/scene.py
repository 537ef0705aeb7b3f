"""The layout of the diagram: boxes, arrows and words, in units that are pixels on a wide window."""

from dataclasses import dataclass, field

from core.interpretability import OUTPUT, Block, Lane, ModelWalk, Part, Stack, Step
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
    """The current position in a lane: `y` grows downwards. A mirrored lane has its residual stream on the right."""

    left: float
    mirrored: bool = False
    y: float = 0.0

    def x(self, offset: float, width: float = 0.0) -> float:
        """The left edge of something `width` wide that begins `offset` from the lane's own edge."""
        return self.left + (LANE - offset - width if self.mirrored else offset)


@dataclass(frozen=True)
class Box:
    """A part: its key in the address, its kind (`label`), its own name, and its rectangle."""

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
    """All that is drawn; `paths` are lines of SVG, with or without an arrow at the end."""

    width: float
    height: float = 0.0
    box: float = BOX
    boxes: list[Box] = field(default_factory=list)
    chips: list[Chip] = field(default_factory=list)
    words: list[Word] = field(default_factory=list)
    paths: list[dict] = field(default_factory=list)
    sums: list[tuple[float, float]] = field(default_factory=list)
    frames: list[tuple[float, float, float, float]] = field(default_factory=list)


def scene(model_walk: ModelWalk, chosen: str, *, inputs: tuple[str, ...], output: str) -> Scene:
    """The diagram of a model with the block of the `chosen` part open.

    `inputs` describes what goes into each lane ("17 tokens"), `output` what comes out.
    """
    count = len(model_walk.lanes)
    canvas = Scene(width=LANE * count + GAP * (count - 1))
    memory: Place | None = None
    for number, lane in enumerate(model_walk.lanes):
        place = Place(left=number * (LANE + GAP), mirrored=number == 1)
        _lane(canvas, lane, place, chosen, inputs[min(number, len(inputs) - 1)], memory)
        if lane.name == "encoder":
            memory = place
        else:
            _arrow(canvas, [(place.x(STREAM), place.y - 18), (place.x(STREAM), place.y)])
            canvas.words.append(Word(output, place.x(0), place.y + 18, "end" if place.mirrored else "start", True))
        canvas.height = max(canvas.height, place.y + 30)
    return canvas


def _lane(canvas: Scene, lane: Lane, place: Place, chosen: str, inputs: str, memory: Place | None) -> None:
    title = f"{lane.name}: {inputs}" if lane.name else inputs
    canvas.words.append(Word(title, place.x(0), place.y + 14, "end" if place.mirrored else "start", True))
    place.y += 26
    top = place.y
    for item in lane.items:
        if isinstance(item, Step):
            _step(canvas, item, place, memory)
        else:
            _stack(canvas, item, place, chosen, memory)
    _line(canvas, [(place.x(STREAM), top), (place.x(STREAM), place.y)], "stream")


def _stack(canvas: Scene, stack: Stack, place: Place, chosen: str, memory: Place | None) -> None:
    """Draw the numbers of all blocks, and the open block in a frame."""
    open_block = next((block for block in stack.blocks if _holds(block, chosen)), stack.blocks[0])
    for number, block in enumerate(stack.blocks):
        row, column = divmod(number, _CHIPS)
        if place.mirrored:  # numbers grow to the right in both lanes
            column = min(_CHIPS, len(stack.blocks) - row * _CHIPS) - 1 - column
        x = place.x(INDENT + 23 * column, 22)
        tell = f"{BLOCK} {number}: open it"
        key = _same_part(block, open_block, chosen)
        canvas.chips.append(Chip(key, str(number), x, place.y + 6 + 22 * row, block is open_block, tell))
    place.y += 22 * (1 + (len(stack.blocks) - 1) // _CHIPS) + 14
    start = place.y
    place.y += 8
    for step in open_block.steps:
        _step(canvas, step, place, memory, inset=8)
    place.y += 2
    canvas.frames.append((place.left, start, LANE, place.y - start))
    place.y += 14


def _step(canvas: Scene, step: Step, place: Place, memory: Place | None, inset: int = 0) -> None:
    if step.kind == "line":
        for part in step.parts:
            canvas.boxes.append(_box(part, place.x(inset, LINE_WIDTH), place.y + 6, LINE_WIDTH))
            place.y += BOX + 14
        return
    _branch(canvas, step, place, memory)


def _branch(canvas: Scene, step: Step, place: Place, memory: Place | None) -> None:
    """Draw a branch of the residual stream, through its parts, back to its addition; embeddings start a new one."""
    wide = LANE - INDENT - 14
    middle = place.x(INDENT + wide / 2)
    starts_stream = all(part.kind in ("embedding", "positions") for part in step.parts)
    y = place.y + 4
    if not starts_stream:
        _line(canvas, [(place.x(STREAM), y), (middle, y), (middle, y + 12)], "arrow")
        y += 14
    for number, part in enumerate(step.parts):
        if number:
            _arrow(canvas, [(middle, y), (middle, y + 10)])
            y += 12
        canvas.boxes.append(_box(part, place.x(INDENT, wide), y, wide))
        if part.kind == "cross-attention" and memory is not None:
            _from_encoder(canvas, memory, place, y + BOX / 2)
        y += BOX
    if step.addition is not None:
        y = _sum(canvas, step, place, middle, y)
    place.y = y + 10


def _sum(canvas: Scene, step: Step, place: Place, middle: float, y: float) -> float:
    """Draw the addition to the residual stream; returns the new y."""
    y += 14
    if step.parts:
        _arrow(canvas, [(middle, y - 14), (middle, y), (place.x(STREAM + 10), y)])
    else:
        name = step.addition.name if step.addition and step.addition.name else COMPUTED
        canvas.words.append(Word(name, place.x(INDENT + 8), y + 4, "end" if place.mirrored else "start"))
        _arrow(canvas, [(place.x(INDENT + 2), y), (place.x(STREAM + 10), y)])
    canvas.sums.append((place.x(STREAM), y))
    return y + 6


def _from_encoder(canvas: Scene, memory: Place, place: Place, y: float) -> None:
    """Draw the line from the end of the encoder, up between the lanes, into the cross-attention."""
    between = memory.left + LANE + GAP / 2
    end = place.left + 14
    _arrow(
        canvas,
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


def _same_part(block: Block, open_block: Block, chosen: str) -> str:
    """The key of the part of a block that corresponds to the chosen one."""
    if _holds(open_block, chosen):
        return block.path + chosen.removeprefix(open_block.path)
    return block.steps[0].parts[0].key


def _holds(block: Block, key: str) -> bool:
    return key.startswith(block.path + ".") or key == block.path


def _line(canvas: Scene, points: list[tuple[float, float]], look: str) -> None:
    canvas.paths.append({"points": points, "look": look})


def _arrow(canvas: Scene, points: list[tuple[float, float]]) -> None:
    _line(canvas, points, "arrow")

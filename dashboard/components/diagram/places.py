"""The measures of the diagram, and the pen that moves down a lane."""

from dataclasses import dataclass

LANE = 320  # the width of a lane
GAP = 56  # between two lanes
STREAM = 26  # how far from the edge the stream runs
INDENT = 58  # how far from the edge branches begin
LINE_WIDTH = 216  # of a box that is on the stream itself
BOX = 32  # the height of a box


@dataclass
class Place:
    """Where the pen is: `y` grows downwards. A mirrored lane has its stream on the right, its branches to the left."""

    left: float
    mirrored: bool = False
    y: float = 0.0

    def x(self, offset: float, width: float = 0.0) -> float:
        """The left edge of something `width` wide that begins `offset` from the lane's own edge."""
        return self.left + (LANE - offset - width if self.mirrored else offset)

import { direction } from "./labels.js";

const FINEST = 3; // pixels of the screen for one of the page: more are not seen, and cost time

// A figure is a list of marks. The screen, the PNG and the SVG are painted from the same list, so they agree.
//   text    x y text size colour [weight align turn serif italic backed]
//   rect    x y width height [fill stroke line radius alpha]
//   curve   points (8 numbers) stroke line [alpha]
//   hatch   x y width height colour
//   raster  x y width height columns rows pixels [smooth]
//   image   x y width height image source (an address, or what makes it)

/** Paints marks on a canvas. */
export function paint(context, marks, theme) {
  for (const mark of marks) {
    context.save();
    PAINTERS[mark.kind](context, mark, theme);
    context.restore();
  }
}

/** Marks on a canvas of the page, which is cleared and has the size in pixels of the page. */
export function paintOn(canvas, marks, theme, { width, height }) {
  const ratio = pixelRatio();
  const [wide, high] = [Math.round(width * ratio), Math.round(height * ratio)];
  if (canvas.width !== wide || canvas.height !== high) [canvas.width, canvas.height] = [wide, high];
  canvas.style.width = `${width}px`;
  canvas.style.height = `${height}px`;
  const context = canvas.getContext("2d");
  context.setTransform(1, 0, 0, 1, 0, 0);
  context.clearRect(0, 0, wide, high);
  context.setTransform(ratio, 0, 0, ratio, 0, 0);
  paint(context, marks, theme);
}

/** How many pixels of the screen there are for one of the page. */
export function pixelRatio() {
  return Math.min(FINEST, window.devicePixelRatio || 1);
}

/** The width of a text in pixels. */
export function measurer(theme) {
  const context = document.createElement("canvas").getContext("2d");
  return (text, size, weight = 400) => {
    context.font = `${weight} ${size}px ${theme.font}`;
    return context.measureText(text).width;
  };
}

const PAINTERS = {
  text(context, mark, theme) {
    const { x, y, text, size, colour, weight = 400, align = "start", turn = 0, serif, italic, backed } = mark;
    context.translate(x, y);
    context.rotate((turn * Math.PI) / 180);
    context.font = `${italic ? "italic " : ""}${weight} ${size}px ${serif ? theme.heading : theme.font}`;
    context.direction = direction(text);
    context.textAlign = { start: "left", middle: "center", end: "right" }[align];
    context.textBaseline = "alphabetic";
    if (backed) {
      const width = context.measureText(text).width + 6;
      context.fillStyle = backed;
      context.fillRect(align === "end" ? 3 - width : align === "middle" ? -width / 2 : -3, -size, width, size * 1.35);
    }
    context.fillStyle = colour;
    context.fillText(text, 0, 0);
  },
  rect(context, { x, y, width, height, fill, stroke, line = 1, radius = 0, alpha = 1 }) {
    context.globalAlpha = alpha;
    context.beginPath();
    context.roundRect(x, y, width, height, radius);
    if (fill) {
      context.fillStyle = fill;
      context.fill();
    }
    if (stroke) {
      context.strokeStyle = stroke;
      context.lineWidth = line;
      context.stroke();
    }
  },
  curve(context, { points, stroke, line, alpha = 1 }) {
    context.globalAlpha = alpha;
    context.strokeStyle = stroke;
    context.lineWidth = line;
    context.lineCap = "round";
    context.beginPath();
    context.moveTo(points[0], points[1]);
    context.bezierCurveTo(...points.slice(2));
    context.stroke();
  },
  raster(context, { x, y, width, height, columns, rows, pixels, smooth = false }) {
    context.imageSmoothingEnabled = smooth;
    context.drawImage(rasterCanvas(pixels, columns, rows), x, y, width, height);
  },
  hatch(context, { x, y, width, height, colour }) {
    context.beginPath();
    context.rect(x, y, width, height);
    context.clip();
    context.strokeStyle = colour;
    context.lineWidth = 1;
    context.beginPath();
    for (const [fromX, fromY, toX, toY] of hatchLines(x, y, width, height)) {
      context.moveTo(fromX, fromY);
      context.lineTo(toX, toY);
    }
    context.stroke();
  },
  image(context, { x, y, width, height, image }) {
    context.imageSmoothingEnabled = true;
    context.imageSmoothingQuality = "high";
    context.drawImage(image, x, y, width, height);
  },
};

/** A canvas of one pixel for each cell. */
export function rasterCanvas(pixels, columns, rows, canvas = document.createElement("canvas")) {
  canvas.width = columns;
  canvas.height = rows;
  canvas.getContext("2d").putImageData(new ImageData(pixels, columns, rows), 0, 0);
  return canvas;
}

/** A mark in another place. */
export function moved(mark, right, down) {
  if (mark.kind !== "curve") return { ...mark, x: mark.x + right, y: mark.y + down };
  return { ...mark, points: mark.points.map((place, index) => place + (index % 2 ? down : right)) };
}

/** A straight line as a mark. */
export function lineMark([fromX, fromY], [toX, toY], stroke, line) {
  return { kind: "curve", points: [fromX, fromY, fromX, fromY, toX, toY, toX, toY], stroke, line };
}

/** Slanted lines, 5 pixels apart and aligned over the whole figure, that cover a rectangle. */
export function hatchLines(x, y, width, height) {
  const lines = [];
  for (let sum = Math.ceil((x + y) / 5) * 5; sum <= x + y + width + height; sum += 5) {
    const from = [Math.max(x, sum - y - height), Math.min(y + height, sum - x)];
    const to = [Math.min(x + width, sum - y), Math.max(y, sum - x - width)];
    lines.push([...from, ...to]);
  }
  return lines;
}

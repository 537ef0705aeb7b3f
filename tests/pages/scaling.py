"""What the tests of the page "Scaling comparison" share: its address, what its figures draw, what its prose says."""

import base64
import csv
import json

import numpy as np

from core.published import FOLDER

PAGE = "scale/scaling_comparison"


def original(name):
    """A published table as it lies there, read without our loaders."""
    with (FOLDER / name).open(encoding="utf-8", newline="") as lines:
        return list(csv.DictReader(lines))


def drawn(app):
    """The points of the first figure: {row of the table: (x, y)}, by the traces that can be clicked."""
    found = {}
    for trace in traces(app):
        if "customdata" in trace:
            rows = zip(trace["customdata"], numbers(trace["x"]), numbers(trace["y"]), strict=True)
            found |= {row: (x, y) for row, x, y in rows}
    return found


def same(points, expected):
    """Whether two sets of points are the same, whatever their order."""
    return np.allclose(sorted(points), sorted(expected), rtol=1e-6) if len(points) == len(expected) else False


def families(app):
    """How many points each family has in the first figure."""
    return {trace["name"]: len(trace["customdata"]) for trace in traces(app) if "customdata" in trace}


def line(app, name):
    """The places of a line whose name begins so; None where it is not drawn."""
    for trace in traces(app):
        if trace.get("mode") == "lines" and trace.get("name", "").startswith(name):
            return numbers(trace["x"]), numbers(trace["y"])
    return None


def traces(app):
    return json.loads(app.get("plotly_chart")[0].proto.spec)["data"]


def numbers(given):
    """A list of numbers, or Plotly's packed form of one."""
    if isinstance(given, dict):
        return np.frombuffer(base64.b64decode(given["bdata"]), dtype=given["dtype"]).tolist()
    return given


def prose(app):
    return " ".join(element.value for element in app.markdown).replace("\\", "")


def told(app):
    return " ".join(element.value for kind in (app.info, app.warning) for element in kind).replace("\\", "")

"""The server of all classes, beside several fronts: a class outlives the front that its teacher came by.

It also outlives this server where ATLAS_CLASS_SECRET is the same at the next start: the teacher's page comes back by
itself and opens it, and its followers' pages come back to it.
"""

import os

from starlette.applications import Starlette
from starlette.middleware import Middleware
from starlette.responses import PlainTextResponse
from starlette.routing import Route

from dashboard.classroom import websocket
from dashboard.hosting.headers import OwnPagesOnly

HEALTH = "/health"


async def _health(_request: object) -> PlainTextResponse:
    return PlainTextResponse("ok")


_secret = os.environ.get("ATLAS_CLASS_SECRET", "").encode() or None
app = Starlette(routes=[websocket.route(_secret), Route(HEALTH, _health)], middleware=[Middleware(OwnPagesOnly)])

"""The server of all classes, beside several fronts: a class outlives the front that its teacher came by."""

from starlette.applications import Starlette
from starlette.middleware import Middleware
from starlette.responses import PlainTextResponse
from starlette.routing import Route

from dashboard.classroom import websocket
from dashboard.hosting.headers import OwnPagesOnly

HEALTH = "/health"


async def _health(_request: object) -> PlainTextResponse:
    return PlainTextResponse("ok")


app = Starlette(routes=[websocket.route(), Route(HEALTH, _health)], middleware=[Middleware(OwnPagesOnly)])

"""What a page asks of its address in a visit, and what each of its controls makes of any value that stands there."""

import sys
from collections.abc import Callable, Iterable
from dataclasses import dataclass, field
from pathlib import Path
from types import FrameType
from typing import Any
from urllib.parse import urlencode

import pytest
import streamlit as st
from streamlit.runtime.state.common import WidgetMetadata
from streamlit.runtime.state.query_params import QueryParams
from streamlit.runtime.state.session_state import SessionState
from streamlit.testing.v1 import AppTest

from core.errors import InputError
from dashboard import address
from dashboard.inputs import controls
from tests.pages.hostile_values import Value

Address = str | list[str]  # a parameter as it stands in the address, decoded


@dataclass
class AddressRequests:
    """What the visits since the last `clear` have asked the address for, by the names of the parameters."""

    bound: dict[str, WidgetMetadata[Any]] = field(default_factory=dict)  # by controls
    boxes: dict[str, Callable[[], object]] = field(
        default_factory=dict
    )  # by `controls.number_box`: the same call again
    parsers: dict[str, Callable[[str], object]] = field(default_factory=dict)  # by `address.parameter`
    by_hand: set[str] = field(default_factory=set)  # by `st.query_params.get` and its kin
    presence: set[str] = field(default_factory=set)  # by `in st.query_params`
    lines: set[tuple[Path, int]] = field(default_factory=set)  # of code that stood on the way to a parameter

    def clear(self) -> None:
        """Forget all of it."""
        for names in (self.bound, self.boxes, self.parsers, self.by_hand, self.presence, self.lines):
            names.clear()

    @property
    def names(self) -> set[str]:
        """All parameters that were asked for."""
        return self.bound.keys() | self.parsers.keys() | self.by_hand | self.presence


def watch(monkeypatch: pytest.MonkeyPatch) -> AddressRequests:
    """Note what is asked of the address as soon as it is asked, so that no list of parameters can be incomplete."""
    requests = AddressRequests()
    bind, read, box = SessionState._handle_query_param_binding, QueryParams.__getitem__, controls.number_box
    reads_of_boxes = controls.number_box.__globals__["_bind_if_finite"].__code__

    def note_lines(frame: FrameType | None) -> None:
        while frame:
            requests.lines.add((Path(frame.f_code.co_filename), frame.f_lineno))
            frame = frame.f_back

    def binding(state, metadata, key, widget):
        requests.bound[key] = metadata
        note_lines(sys._getframe())
        return bind(state, metadata, key, widget)

    def reading(params, key):
        asker, is_presence = sys._getframe(1), False
        while asker.f_back and any(name in asker.f_code.co_filename for name in ("streamlit", "_collections_abc")):
            is_presence |= asker.f_code.co_name == "__contains__"
            asker = asker.f_back
        if asker.f_code is address.parameter.__code__:
            requests.parsers[key] = asker.f_locals["parse"]
            note_lines(asker)
        elif is_presence:
            requests.presence.add(key)
        elif asker.f_code is not reads_of_boxes:
            requests.by_hand.add(key)
        return read(params, key)

    def boxing(*arguments, key, **more):
        requests.boxes[key] = lambda: box(*arguments, key=key, **more)
        return box(*arguments, key=key, **more)

    monkeypatch.setattr(SessionState, "_handle_query_param_binding", binding)
    monkeypatch.setattr(QueryParams, "__getitem__", reading)
    monkeypatch.setattr(controls, "number_box", boxing)
    return requests


def outcomes(parse: Callable[[str], object], values: Iterable[Value]) -> dict[str, Value]:
    """All that `parse` makes of these values, each with one of which it makes that; InputError is an outcome."""
    made = dict[str, Value]()
    for value in values:
        text = in_address("name", value)["name"]
        try:
            outcome = repr(parse(text[-1] if isinstance(text, list) else text))
        except InputError:
            outcome = "InputError"
        made.setdefault(outcome, value)
    return made


def in_address(name: str, value: Value | Address) -> dict[str, Address]:
    """The parameters of an address in which a value stands, as Streamlit decodes them."""
    params = QueryParams()
    params.populate_from_query_string(urlencode({name: value}, doseq=True))
    return {name: params._query_params.get(name, "")}


@dataclass(frozen=True)
class Result:
    """What a control holds when a value stands in the address: its value, and what of the address is left."""

    value: Any
    left: Address | None


@dataclass(frozen=True)
class Control:
    """A control of a page that is bound to the address, and its element in a visit (None: not among those)."""

    key: str
    metadata: WidgetMetadata[Any]
    element: Any
    box: Callable[[], object] | None = None

    @property
    def identity(self) -> object:
        """What tells it from any control with another key, range, default or list of options."""
        options = self.metadata.formatted_options
        return self.key, None if options is None else tuple(options), str(getattr(self.element, "proto", id(self)))

    @property
    def is_free(self) -> bool:
        """Whether it takes any text."""
        return self.metadata.value_type == "string_value" and self.metadata.formatted_options is None

    def distinct(self, values: Iterable[Value]) -> dict[str, Value]:
        """All that the control can be led to by these values except what it holds anyway, each with one that leads
        there; asserts that it raises nothing, stays within its own range and says in the address what it holds."""
        default, led_to = repr(self.metadata.deserializer(None)), dict[str, Value]()
        for value in values:
            result = self.result_of(value)
            assert self.is_allowed(result.value), (self.key, value, result)
            if repr(result.value) == default:
                assert result.left is None or repr(self.result_of(result.left).value) == default, (self.key, value)
            else:
                assert result.left is not None, (self.key, value)
                assert repr(self.result_of(result.left).value) == repr(result.value), (self.key, value, result)
                led_to.setdefault(repr(result.value), value)
        return led_to

    def result_of(self, value: Value | Address) -> Result:
        """What the control holds in the first run of a session with this value in its address, by Streamlit itself."""
        state, query = SessionState(), urlencode({self.key: value}, doseq=True)
        state.query_params.populate_from_query_string(query)
        state.query_params.set_initial_query_params(query)
        if self.box is None or self._is_box_bound(state.query_params):
            held = state.register_widget(self.metadata, self.key).value
        else:
            held = self.metadata.deserializer(None)
        left = state.query_params._query_params.get(self.key)
        return Result(held, left)

    def _is_box_bound(self, params: QueryParams) -> bool:
        """Whether `controls.number_box` lets Streamlit read the address; else it takes the parameter out of it."""
        with pytest.MonkeyPatch.context() as patch:
            patch.setattr(st, "query_params", params)
            patch.setattr(st, "number_input", lambda *_, bind, **__: bind)
            assert self.box is not None
            return self.box() is not None

    def is_allowed(self, value: Any) -> bool:
        """Whether a value is among those that somebody could choose by hand."""
        wire = self.metadata.serializer(value)
        wires = wire if isinstance(wire, list | tuple) else [] if wire is None else [wire]
        if self.metadata.formatted_options is not None:
            return set(wires) <= set(self.metadata.formatted_options)
        options = getattr(self.element, "options", None)
        match self.metadata.value_type:
            case "bool_value":
                return isinstance(value, bool)
            case "string_value":
                longest = getattr(self.element.proto, "max_chars", 0)
                return isinstance(value, str) and (not longest or len(value) <= longest)
            case "string_array_value" if options:
                return set(wires) <= set(options)
            case "double_value" | "double_array_value":
                return all(self.element.min <= number <= self.element.max for number in wires)
        return False


def controls_of(app: AppTest, requests: AddressRequests) -> list[Control]:
    """The controls that a visit has bound to the address."""
    elements = {element.key: element for element in app.main if getattr(element, "key", None)}
    return [
        Control(key, metadata, elements.get(key), requests.boxes.get(key)) for key, metadata in requests.bound.items()
    ]

"""Plotly in a real browser: a chart that is on the page is not computed a second time until somebody touches it."""

import pytest
from playwright.sync_api import expect

from tests.browser.conftest import settled

# Plotly keeps what it has computed of a chart in its element, and sets it anew whenever it draws all of it.
COUNT_DRAWINGS = """() => {
  window.redrawn = 0;
  const trap = (chart) => {
    let computed = chart.calcdata;
    Object.defineProperty(chart, 'calcdata', {
      get: () => computed,
      set: (anew) => { computed = anew; if (anew) window.redrawn += 1; },
    });
  };
  new MutationObserver(() => {
    for (const chart of document.querySelectorAll('.js-plotly-plot:not([data-trapped])')) {
      chart.dataset.trapped = '';
      trap(chart);
    }
  }).observe(document, { subtree: true, childList: true, attributes: true, attributeFilter: ['class'] });
}"""


@pytest.fixture
def browser_page(own_tab):
    own_tab.add_init_script(f"({COUNT_DRAWINGS})()")
    return own_tab


@pytest.mark.parametrize(
    ("page", "section", "entries"),
    [("scaling", "Images", 4), ("scaling", "Laws", 3), ("efficient", "Cost", 5), ("order", "Beyond training", 6)],
)
def test_a_chart_is_drawn_once_and_again_when_its_legend_is_clicked(visit, page, section, entries):
    opened = visit(page, section)
    chart = opened.locator(".js-plotly-plot[data-trapped]").first
    expect(chart.locator(".legend .traces").nth(entries - 1)).to_be_visible()
    settled(opened)  # a second drawing would be over by now
    assert opened.evaluate("window.redrawn") == 0
    chart.locator(".legendtoggle").first.click()
    opened.wait_for_function("() => window.redrawn > 0")

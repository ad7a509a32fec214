"""
A report does in a browser what it promises.
"""

import numpy as np
import pytest

pytest.importorskip("jinja2")
pytest.importorskip("plotly")
pytest.importorskip("selenium")

from gluonts.model.seasonal_naive import SeasonalNaivePredictor  # noqa: E402
from selenium.webdriver import ActionChains  # noqa: E402
from selenium.webdriver.support.ui import WebDriverWait  # noqa: E402

from gluonts_lai import LAIPredictor  # noqa: E402
from gluonts_lai.report import write_report  # noqa: E402

from .made import HOUR, detection, stacked, with_all  # noqa: E402

HOSTILE = [
    "<script>window.hacked = 1</script>",
    "</script><script>window.hacked = 1</script>",
    "<img src=x onerror='window.hacked = 1'>",
    '" onmouseover="window.hacked = 1" x=\'',
    "' autofocus onfocus='window.hacked = 1",
    "--><svg onload=window.hacked=1>",
    "{{ 7 * 7 }}{% raw %}",
    "chart-0",
    "温度 🌡 \u202egnp.x \ud800",
    "x" * 10_000,
    None,
    "twin",
    "twin",
]


@pytest.fixture(scope="module")
def predictor():
    """A model that takes no time to train."""
    values = np.tile(np.arange(24.0), 20)
    values[[100, 300]] = 500.0
    entry = {"item_id": "real", "start": HOUR, "target": values}
    naive = SeasonalNaivePredictor(2, season_length=24)
    model = LAIPredictor.from_predictor(naive, [entry], seed=0)
    return model, [entry]


@pytest.fixture(scope="module")
def report(tmp_path_factory, predictor):
    """Four series, three of them drawn, the last of them real."""
    model, dataset = predictor
    path = tmp_path_factory.mktemp("report") / "report.html"
    detections = [
        detection(800, [(100, 104), (600, 601)], "two segments"),
        detection(800, [], "nothing"),
        detection(9_000, [(50, 53), (7_000, 7_040)], "long"),
        *model.detect(dataset),
    ]
    write_report(path, detections, model, top=3, settings={"mode": "filter"})
    return path


def drawn(browser, number):
    """The plot of a chart, once it is there."""
    return browser.execute_async_script(
        """
        const [number, done] = arguments;
        const figure = document.querySelector(`#chart-${number}`);
        figure.scrollIntoView();
        const wait = () =>
          figure.drawn ? figure.drawn.then(done) : setTimeout(wait, 20);
        wait();
        """,
        number,
    )


def x_range(browser, plot):
    """What a chart shows now, in milliseconds since 1970."""
    return browser.execute_script(
        """
        const axis = arguments[0]._fullLayout.xaxis;
        return axis.range.map((end) => axis.r2l(end));
        """,
        plot,
    )


def milliseconds(t):
    return (HOUR + t).start_time.value / 1e6


def links(browser, selector, text):
    found = browser.find_elements("css selector", selector)
    return [link for link in found if link.text == text]


def test_the_charts_are_drawn_when_they_come_into_view(open_page, report):
    browser = open_page(report)
    count = "return document.querySelectorAll('.js-plotly-plot').length"
    assert browser.execute_script(count) < 3

    for number in range(3):
        plot = drawn(browser, number)
        for kind in ("path.js-line", "path.point", "path.js-fill"):
            marks = plot.find_elements("css selector", kind)
            shapes = [mark.get_attribute("d") for mark in marks]
            assert any(len(shape or "") > 10 for shape in shapes), kind

    assert browser.execute_script(count) == 3


def test_every_flagged_point_is_marked(open_page, report):
    browser = open_page(report)

    counts = [
        len(drawn(browser, n).find_elements("css selector", "path.point"))
        for n in range(3)
    ]

    # "long" has 43, "two segments" 5, and the real one what was found.
    assert counts[:2] == [43, 5]
    assert counts[2] >= 2


def test_hovering_shows_value_expected_and_probability(open_page, report):
    browser = open_page(report)
    plot = drawn(browser, 1)
    area = plot.find_element("css selector", ".nsewdrag")

    ActionChains(browser).move_to_element(area).pause(0.3).perform()

    label = plot.find_element("css selector", ".hoverlayer").text
    lines = dict(
        line.split(" : ") for line in label.splitlines() if " : " in line
    )
    assert list(lines) == ["observed", "expected", "probability"]
    assert 0 < float(lines["observed"]) < 20
    assert 0 <= float(lines["probability"]) <= 1


def test_clicking_a_segment_moves_the_chart_there(open_page, report):
    browser = open_page(report)
    plot = drawn(browser, 1)
    whole = np.ptp(x_range(browser, plot))

    for begin, end in [(100, 104), (600, 601)]:
        browser.execute_script("scrollTo(0, 0)")
        (link,) = [
            link
            for link in links(browser, "a.segment", "two segments")
            if f"show {HOUR + begin} to" in link.get_attribute("aria-label")
        ]
        browser.execute_script("arguments[0].click()", link)

        until_within(browser, plot, begin, end)
        assert np.ptp(x_range(browser, plot)) < whole / 4
        top = browser.execute_script("return scrollY")
        assert 0 <= plot.rect["y"] - top < 200
        assert browser.current_url.endswith("#chart-1")
        # From one segment to the other, and not just from the whole.
        other = (600, 601) if begin == 100 else (100, 104)
        assert not is_within(x_range(browser, plot), *other)


def until_within(browser, plot, begin, end):
    wait = WebDriverWait(browser, 20, poll_frequency=0.02)
    wait.until(lambda _: is_within(x_range(browser, plot), begin, end))


def is_within(shown, begin, end):
    """Whether a chart shows a segment, and not all of the series."""
    low, high = shown
    inside = low < milliseconds(begin) <= milliseconds(end - 1) < high
    return inside and high - low < milliseconds(400) - milliseconds(0)


def test_a_segment_can_be_reached_by_keyboard(open_page, report):
    browser = open_page(report)
    link = browser.find_elements("css selector", "a.segment")[0]
    number = link.get_attribute("href").split("-")[-1]

    browser.execute_script("arguments[0].focus()", link)
    link.send_keys("\ue007")  # Enter

    assert browser.current_url.endswith(f"#chart-{number}")
    drawn(browser, number)


def test_columns_can_be_sorted(open_page, report):
    browser = open_page(report)
    table = browser.find_element("css selector", "table")
    column = "return [...arguments[0].tBodies[0].rows].map(r => r.cells[%d]"

    def values(index):
        read = column % index + ".textContent.trim())"
        return browser.execute_script(read, table)

    assert values(3) == sorted(values(3), key=float, reverse=True)
    points, flagged = (
        table.find_elements("css selector", "th button")[k] for k in (1, 3)
    )
    flagged.click()
    flagged.click()
    assert values(3) == sorted(values(3), key=float)
    header = flagged.find_element("xpath", "..")
    assert header.get_attribute("aria-sort") == "ascending"

    points.click()
    assert values(1)[0] == "9,000"
    assert header.get_attribute("aria-sort") is None


def test_nothing_is_asked_of_a_network(open_page, report):
    browser = open_page(report)
    for number in range(3):
        drawn(browser, number)

    requests = browser.execute_script(
        "return performance.getEntriesByType('resource').map(r => r.name)"
    )

    assert [name for name in requests if not name.startswith("data:")] == []


def test_what_is_forbidden_would_be_noticed(browser, report):
    """The log is empty in other tests for no other reason."""
    browser.get(report.as_uri())
    browser.get_log("browser")

    refused = browser.execute_async_script("""
        const done = arguments[0];
        fetch("http://localhost:9/").then(() => done(false), () => done(true));
        """)
    browser.execute_script(
        "document.body.insertAdjacentHTML('beforeend',"
        "\"<img src='x' onerror='window.hacked = 1'>\")"
    )

    assert refused
    assert "Content Security Policy" in str(browser.get_log("browser"))
    assert browser.execute_script("return window.hacked") is None


def test_names_are_text_and_nothing_else(open_page, tmp_path, predictor):
    path = tmp_path / "hostile.html"
    segments = [(20, 22), (60, 61)]
    write_report(
        path,
        [detection(90, segments, name) for name in HOSTILE],
        predictor[0],
        title=HOSTILE[1],
        settings={name: name for name in HOSTILE[:8]},
    )

    browser = open_page(path)
    for number in (0, 1):
        drawn(browser, number)

    assert browser.execute_script("return window.hacked") is None
    assert browser.title == HOSTILE[1]
    headings = browser.execute_script(
        "return [...document.querySelectorAll('h3')].map(h => h.textContent)"
    )
    assert set(HOSTILE[:8]) <= set(headings)
    assert headings.count("twin") == 2
    identities = browser.execute_script(
        "return [...document.querySelectorAll('figure')].map(f => f.id)"
    )
    assert identities == [f"chart-{i}" for i in range(len(HOSTILE))]


def test_a_page_fits_on_a_narrow_screen(open_page, browser, report):
    browser.set_window_size(480, 900)
    open_page(report)
    drawn(browser, 0)

    width, room = browser.execute_script(
        "return [document.documentElement.scrollWidth, innerWidth]"
    )

    browser.set_window_size(1280, 900)
    assert width <= room


def test_odd_series_can_be_drawn(open_page, tmp_path, predictor):
    unknown = dict(value=np.nan, expected=np.nan, lower=np.nan, upper=np.nan)
    odd = [
        detection(0, item_id="no point"),
        detection(1, item_id="one point"),
        detection(1, [(0, 1)], "one flagged point"),
        with_all(detection(50, [(5, 9)], "all missing"), **unknown),
        with_all(detection(50, [(5, 9)], "constant"), value=3.0),
        with_all(
            detection(50, [(5, 9)], "no spread"),
            expected=np.nan,
            lower=np.nan,
            upper=np.nan,
        ),
        detection(50, [(0, 50)], "all flagged"),
        detection(50, [(5, 9)], "no start", start=None),
        stacked(detection(50, [(5, 9)], "both"), detection(50)),
    ]
    path = tmp_path / "odd.html"
    write_report(path, odd, predictor[0])

    browser = open_page(path)

    for number in range(len(odd) + 1):
        drawn(browser, number)
    names = {e.text for e in browser.find_elements("css selector", "h3")}
    assert {"no point", "all missing", "both [dim 0]", "both [dim 1]"} <= names
    for link in browser.find_elements("css selector", "a.segment"):
        browser.execute_script("arguments[0].click()", link)

"""
A real browser to open reports in.
"""

import shutil
from pathlib import Path

import pytest

FLAGS = [
    "--headless=new",
    "--no-sandbox",
    "--disable-gpu",
    "--disable-quic",
    "--no-first-run",
    "--disable-background-networking",
    "--disable-component-update",
    "--disable-sync",
    "--window-size=1280,900",
]


@pytest.fixture(scope="session")
def browser(tmp_path_factory):
    """Chromium, which must not look for anything on a network."""
    webdriver = pytest.importorskip("selenium.webdriver")
    from selenium.webdriver.chrome.service import Service

    chromium = shutil.which("chromium")
    driver = shutil.which("chromedriver")
    if not chromium or not driver:
        pytest.skip(
            "no Chromium here; on Debian: apt-get install chromium "
            "chromium-driver"
        )
    options = webdriver.ChromeOptions()
    options.binary_location = chromium
    options.set_capability("goog:loggingPrefs", {"browser": "ALL"})
    profile = tmp_path_factory.mktemp("chromium")
    for flag in [*FLAGS, f"--user-data-dir={profile}"]:
        options.add_argument(flag)
    opened = webdriver.Chrome(options=options, service=Service(driver))
    opened.set_script_timeout(60)
    yield opened
    opened.quit()


@pytest.fixture
def open_page(browser):
    """Open a file; afterwards the browser must have had nothing to say."""

    def get(path):
        browser.get(Path(path).as_uri())
        return browser

    browser.get_log("browser")
    yield get
    assert browser.get_log("browser") == []

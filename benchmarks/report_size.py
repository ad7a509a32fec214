"""
How large is a report, and how long does it take to open?

Series of waves with a few spikes, flagged as a detector would flag them, all
of them drawn; then the page is opened in a new headless Chromium, several
times. "loaded" is when the tables are there and the browser calls the page
complete, "drawn" when Plotly has been read and the first chart is there too,
both in seconds from the start of the navigation, by the wall clock.
"processor" is what the page's process worked up to then, on all its threads:
the wall clock sees whoever else is at work, so the load is printed besides.
Wanted are 15 MB and 3 s for 50 series of 10,000 points.

    python benchmarks/report_size.py
    python benchmarks/report_size.py --series 200 --points 2000 --opens 5
"""

import argparse
import os
import shutil
import tempfile
import time
import warnings
from pathlib import Path

os.environ.setdefault("OMP_NUM_THREADS", "1")

import numpy as np
import pandas as pd
from gluonts.env import env
from gluonts.model.seasonal_naive import SeasonalNaivePredictor

START = pd.Period("2024-01-01", "h")
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
LOADED = "return performance.getEntriesByType('navigation')[0].loadEventEnd"
DRAWN = """
const done = arguments[0];
const figure = document.querySelector("figure");
figure.scrollIntoView();
const wait = () => figure.drawn
  ? figure.drawn.then(() => done(performance.now())) : setTimeout(wait, 5);
wait();
"""


def detections(num_series, length, rate):
    """A share ``rate`` of the points in runs of two on average."""
    from gluonts_lai import Detection

    for seed in range(num_series):
        rng = np.random.default_rng(seed)
        expected = 10 + 3 * np.sin(np.arange(length) * 2 * np.pi / 24)
        value = expected + rng.normal(scale=0.4, size=length)
        score = rng.normal(-5.0, 1.2, size=length)
        for begin in rng.integers(0, length, size=int(rate * length / 2)):
            end = begin + rng.integers(1, 4)
            value[begin:end] += rng.uniform(3.0, 8.0)
            score[begin:end] = rng.uniform(1.0, 30.0)
        band = expected - 0.9, expected + 0.9
        probability = 1 / (1 + np.exp(-score))
        yield Detection(
            f"sensor-{seed}",
            START,
            value,
            probability,
            score,
            -score,
            expected,
            *band,
            value,
        )


def model():
    """Something to describe."""
    from gluonts_lai import LAIPredictor

    values = np.tile(np.arange(24.0), 10)
    naive = SeasonalNaivePredictor(1, season_length=24)
    return LAIPredictor.from_predictor(
        naive, [{"start": START, "target": values}], seed=0
    )


def opened(path):
    """Seconds until a page is loaded, drawn, and of the processor."""
    from selenium import webdriver
    from selenium.webdriver.chrome.service import Service

    options = webdriver.ChromeOptions()
    options.binary_location = shutil.which("chromium")
    with tempfile.TemporaryDirectory() as profile:
        for flag in [*FLAGS, f"--user-data-dir={profile}"]:
            options.add_argument(flag)
        driver = Service(shutil.which("chromedriver"))
        browser = webdriver.Chrome(options=options, service=driver)
        try:
            browser.get(path.as_uri())
            loaded = browser.execute_script(LOADED)
            drawn = browser.execute_async_script(DRAWN)
            return loaded / 1_000, drawn / 1_000, worked(driver)
        finally:
            browser.quit()


def worked(driver):
    """Processor time of the pages that a driver has opened; Linux only."""
    ticks, mine = 0, {driver.process.pid}
    for pid in sorted(int(p.name) for p in Path("/proc").glob("[0-9]*")):
        try:
            stat = Path(f"/proc/{pid}/stat").read_text().rpartition(")")[2]
            command = Path(f"/proc/{pid}/cmdline").read_bytes()
        except OSError:  # it has ended
            continue
        fields = stat.split()
        if int(fields[1]) in mine:
            mine.add(pid)
            if b"--type=renderer" in command:
                ticks += int(fields[11]) + int(fields[12])
    return ticks / os.sysconf("SC_CLK_TCK")


def arguments():
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawTextHelpFormatter
    )
    parser.add_argument("--series", type=int, default=50)
    parser.add_argument("--points", type=int, default=10_000)
    parser.add_argument("--rate", type=float, default=0.01)
    parser.add_argument("--opens", type=int, default=3)
    return parser.parse_args()


def main():
    options = arguments()
    warnings.simplefilter("ignore")
    from gluonts_lai.report import write_report

    with env._let(use_tqdm=False), tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / "report.html"
        found = detections(options.series, options.points, options.rate)
        begin = time.perf_counter()
        write_report(path, found, model(), top=options.series)
        seconds = time.perf_counter() - begin
        print(
            f"{options.series:,} series of {options.points:,} points: "
            f"{path.stat().st_size / 1e6:.1f} MB, written in {seconds:.1f} s"
        )
        print(
            f"{'open':>5}{'loaded':>10}{'drawn':>10}{'processor':>12}{'load':>8}"
        )
        for number in range(options.opens):
            seconds = opened(path)
            print(
                f"{number + 1:5}{seconds[0]:10.2f}{seconds[1]:10.2f}"
                f"{seconds[2]:12.2f}{os.getloadavg()[0]:8.1f}",
                flush=True,
            )


if __name__ == "__main__":
    main()

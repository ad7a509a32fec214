"""
The recipe of docs/deploying.md does what it says.
"""

import json
import os
import runpy
import shlex
import shutil
import signal
import socket
import subprocess
import sys
import time
import urllib.request
from contextlib import redirect_stdout
from dataclasses import dataclass
from importlib.util import find_spec
from io import StringIO

import numpy as np
import pytest
from gluonts.core.serde import load_json
from gluonts.model.predictor import Predictor
from gluonts.model.seasonal_naive import SeasonalNaivePredictor

from gluonts_lai import LAIPredictor, StreamingDetector

from .pages import commands_of, scripts_of

PAGE = "docs/deploying.md"
SCRIPTS = scripts_of(PAGE)
COMMANDS = commands_of(PAGE)
ADDRESS = "localhost:8080"
PATIENCE = 180  # seconds; a busy machine takes its time to load a framework

pytestmark = pytest.mark.filterwarnings("ignore")
HAS_SHELL = None not in (find_spec("waitress"), find_spec("flask"))
needs_shell = pytest.mark.skipif(
    not HAS_SHELL,
    reason="GluonTS's shell needs waitress and flask: pip install them",
)

# The real shell, but for the address that it would listen on.
SHELL = """
import runpy, sys, waitress
address, serve = sys.argv.pop(1), waitress.serve
waitress.serve = lambda app, listen: serve(app, listen=address)
runpy.run_module("gluonts.shell", run_name="__main__", alter_sys=True)
"""


def write_scripts(folder):
    for name, script in SCRIPTS.items():
        (folder / name).write_text(script.source, "utf-8")


def run(name, folder, run_name="__main__"):
    """Run a script of a folder as if it had been started there."""
    printed = StringIO()
    with pytest.MonkeyPatch.context() as patch, redirect_stdout(printed):
        patch.chdir(folder)
        patch.syspath_prepend(folder)
        for module in ("plant", "train"):
            patch.delitem(sys.modules, module, raising=False)
        try:
            names = runpy.run_path(name, run_name=run_name)
        finally:
            for module in ("plant", "train"):
                sys.modules.pop(module, None)
    return names if run_name != "__main__" else printed.getvalue()


class Server:
    """GluonTS's shell, on a port of its own."""

    def __init__(self, folder):
        with socket.socket() as free:
            free.bind(("127.0.0.1", 0))
            self.address = "127.0.0.1:%d" % free.getsockname()[1]
        (typed,) = (line for line in COMMANDS if " serve " in line)
        _, _, _, *arguments = shlex.split(typed)  # python -m gluonts.shell
        with open(folder / "server.log", "w") as log:
            self.process = subprocess.Popen(
                [sys.executable, "-c", SHELL, self.address, *arguments],
                cwd=folder,
                stdout=log,
                stderr=log,
            )

    def wait(self):
        """Until it answers."""
        give_up = time.monotonic() + PATIENCE
        while True:
            assert self.process.poll() is None, "the server has stopped"
            try:
                urllib.request.urlopen(f"http://{self.address}/ping")
                return self
            except OSError:
                assert time.monotonic() < give_up, "the server is silent"
                time.sleep(0.1)

    def stop(self):
        self.process.terminate()
        self.process.wait(PATIENCE)


@pytest.fixture(scope="module")
def service(tmp_path_factory):
    """A folder with all scripts, where the model has been trained."""
    pytest.importorskip("torch")
    folder = tmp_path_factory.mktemp("service")
    write_scripts(folder)
    (folder / "train.txt").write_text(run("train.py", folder))
    return folder


@pytest.fixture(scope="module")
def server(service):
    """Started early: it loads its model while other tests run."""
    if not HAS_SHELL:
        yield None
        return
    server = Server(service)
    yield server
    server.stop()


def test_training_prints_what_the_page_says(service):
    assert (service / "train.txt").read_text() == SCRIPTS["train.py"].printed


def test_a_model_folder_holds_what_the_page_says(service):
    (typed,) = (line for line in COMMANDS if line.startswith("find "))

    done = subprocess.run(
        ["sh", "-c", typed],
        cwd=service,
        env={**os.environ, "LC_ALL": "C"},
        capture_output=True,
        text=True,
    )

    assert sorted(done.stdout.split()) == sorted(COMMANDS[typed].split())


@needs_shell
def test_an_app_of_ones_own_forecasts_what_the_predictor_does(service):
    app = run("serve.py", service, run_name="app")["app"]
    entries = run("plant.py", service, "plant")["readings"](600, 800)
    instances = [as_instance(entry) for entry in entries]

    answer = app.test_client().post(
        "/invocations",
        json={"instances": instances, "configuration": {"freq": "h"}},
    )

    predictor = Predictor.deserialize(service / "service/model")
    for got, forecast in zip(
        answer.json["predictions"], predictor.predict(entries), strict=True
    ):
        # The shell reads targets in single precision.
        np.testing.assert_allclose(got["mean"], forecast.mean, rtol=1e-3)


@needs_shell
def test_a_batch_is_json_lines(service, monkeypatch):
    monkeypatch.setenv("SAGEMAKER_BATCH", "true")
    monkeypatch.setenv("INFERENCE_CONFIG", '{"freq": "h"}')
    app = run("serve.py", service, run_name="app")["app"]
    entries = run("plant.py", service, "plant")["readings"](600, 800)
    lines = [json.dumps(as_instance(entry)) for entry in entries]

    answer = app.test_client().post("/invocations", data="\n".join(lines))

    predictions = [json.loads(line) for line in answer.text.splitlines()]
    assert [len(p["mean"]) for p in predictions] == [24, 24]


def test_watching_and_training_again_print_what_the_page_says(service, server):
    for name in ("feed.py", "watch.py", "retrain.py"):
        assert run(name, service) == SCRIPTS[name].printed

    # The new model goes on where the old one has stopped.
    source = (service / "watch.py").read_text()
    assert 'Path("service")' in source
    source = source.replace('Path("service")', 'Path("service-next")')
    (service / "watch.py").write_text(source)
    with open(service / "points.csv", "a") as points:
        points.write("2024-03-24 08:00,north,10.0\n")
    printed = SCRIPTS["watch.py"].printed
    assert run("watch.py", service) == printed.replace("2496", "2497")


def asked(service, server):
    """What ``ask.py`` prints when it asks this server."""
    server.wait()
    source = SCRIPTS["ask.py"].source
    assert ADDRESS in source
    (service / "ask.py").write_text(source.replace(ADDRESS, server.address))
    return run("ask.py", service)


@needs_shell
def test_the_shell_serves_the_model(service, server):
    assert asked(service, server) == SCRIPTS["ask.py"].printed


@needs_shell
@pytest.mark.skipif(not shutil.which("curl"), reason="curl is not installed")
def test_curl_asks_the_same(service, server):
    if not (service / "request.json").exists():
        asked(service, server)
    (typed,) = (line for line in COMMANDS if line.startswith("curl "))
    typed = typed.replace(ADDRESS, server.address)

    answer = subprocess.check_output(["sh", "-c", typed], cwd=service)

    predictions = json.loads(answer)["predictions"]
    assert [len(p["mean"]) for p in predictions] == [24, 24]


def as_instance(entry):
    return {
        "item_id": entry["item_id"],
        "start": str(entry["start"]),
        "target": entry["target"].tolist(),
    }


# Crashes. The loop takes any model: one that needs no framework is quick.


@pytest.fixture(scope="module")
def whole(tmp_path_factory):
    """A watch of a week that nothing interrupts."""
    folder = tmp_path_factory.mktemp("whole")
    write_scripts(folder)
    training = run("plant.py", folder, "plant")["readings"](0, 800)
    naive = SeasonalNaivePredictor(1, season_length=24)
    predictor = LAIPredictor.from_predictor(naive, training, seed=0)
    (folder / "service/model").mkdir(parents=True)
    predictor.serialize(folder / "service/model")
    run("feed.py", folder)
    points = (folder / "points.csv").read_text().splitlines(keepends=True)
    (folder / "points.csv").write_text("".join(points[: 2 * 160]))
    shutil.copytree(folder, folder / "begun")
    run("watch.py", folder)
    return folder


@pytest.fixture
def begun(whole, tmp_path):
    """The same, before it began."""
    return shutil.copytree(whole / "begun", tmp_path / "begun")


def assert_same_in_the_end(folder, whole):
    alarms = (whole / "alarms.csv").read_bytes()
    assert alarms.count(b"\n") >= 3
    assert (folder / "alarms.csv").read_bytes() == alarms
    ours, theirs = (
        json.loads((place / "service/state.json").read_text())
        for place in (folder, whole)
    )
    assert ours == theirs


class Crash(BaseException):
    """Nothing in the script can catch it."""


def crashing(function, number, after=False):
    """A function that crashes when it is called for the nth time."""
    calls = []

    def call(*args, **kwargs):
        calls.append(args)
        if len(calls) == number and not after:
            raise Crash
        result = function(*args, **kwargs)
        if len(calls) == number:
            raise Crash
        return result

    return call


@pytest.mark.parametrize("number", [1, 3])
@pytest.mark.parametrize("after", [False, True], ids=["before", "after"])
def test_a_crash_while_the_state_is_saved_changes_nothing(
    begun, whole, number, after, monkeypatch
):
    with monkeypatch.context() as patch, pytest.raises(Crash):
        patch.setattr(os, "replace", crashing(os.replace, number, after))
        run("watch.py", begun)

    run("watch.py", begun)

    assert_same_in_the_end(begun, whole)


def test_crashes_between_two_saves_change_nothing(begun, whole, monkeypatch):
    update = StreamingDetector.update_many
    for number in (20, 70, 70):
        with monkeypatch.context() as patch, pytest.raises(Crash):
            patch.setattr(
                StreamingDetector, "update_many", crashing(update, number)
            )
            run("watch.py", begun)

    run("watch.py", begun)

    assert_same_in_the_end(begun, whole)


def test_it_can_be_killed(begun, whole):
    """Blocked while it waits for points, some of them not saved yet."""
    points = begun / "points.csv"
    lines = points.read_text().splitlines(keepends=True)
    points.unlink()
    os.mkfifo(points)
    process = subprocess.Popen([sys.executable, "watch.py"], cwd=begun)
    try:
        with open(points, "w") as pipe:  # waits for the other end
            pipe.write("".join(lines[: 2 * 75]))
            pipe.flush()
            wait_for(begun / "service/state.json", process)
            process.send_signal(signal.SIGKILL)
            process.wait(PATIENCE)
    finally:
        process.kill()
    points.unlink()
    points.write_text("".join(lines))

    run("watch.py", begun)

    assert process.returncode == -signal.SIGKILL
    assert_same_in_the_end(begun, whole)


def wait_for(path, process):
    give_up = time.monotonic() + PATIENCE
    while not path.exists():
        assert process.poll() is None and time.monotonic() < give_up
        time.sleep(0.01)


# Whom to trust

CALLED = []


@dataclass
class Named:
    """What a model folder may name."""

    text: str

    def __post_init__(self):
        CALLED.append(self.text)


def test_gluonts_json_calls_what_it_names():
    named = {
        "__kind__": "instance",
        "class": f"{__name__}.Named",
        "kwargs": {"text": "by a file"},
    }

    load_json(json.dumps(named))

    assert CALLED == ["by a file"]

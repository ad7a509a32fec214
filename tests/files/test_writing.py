"""
What is written appears whole, or not at all.
"""

import os
import signal
import subprocess
import sys
import time
from pathlib import Path

import pytest

from gluonts_lai.files import check_writable, whole_file, whole_folder


def names(folder):
    return sorted(path.name for path in folder.iterdir())


def test_a_file_appears_when_it_is_complete(tmp_path):
    place = tmp_path / "out.csv.gz"
    place.write_text("old")
    with whole_file(place) as path:
        path.write_text("new")
        assert place.read_text() == "old"
        assert path.parent == tmp_path and path.name.endswith("out.csv.gz")
    assert place.read_text() == "new" and names(tmp_path) == ["out.csv.gz"]


@pytest.mark.parametrize("error", [ValueError, KeyboardInterrupt, SystemExit])
@pytest.mark.parametrize("is_there", [False, True])
def test_a_file_that_fails_leaves_what_was_there(tmp_path, error, is_there):
    place = tmp_path / "out.csv"
    if is_there:
        place.write_text("old")
    with pytest.raises(error), whole_file(place) as path:
        path.write_text("half")
        raise error
    assert names(tmp_path) == (["out.csv"] if is_there else [])
    assert not is_there or place.read_text() == "old"


def test_a_link_and_its_permissions_stay(tmp_path):
    place, link = tmp_path / "out.csv", tmp_path / "link.csv"
    place.write_text("old")
    place.chmod(0o640)
    link.symlink_to(place)
    with whole_file(link) as path:
        path.write_text("new")
    assert link.is_symlink() and place.read_text() == "new"
    assert place.stat().st_mode & 0o777 == 0o640


def test_a_folder_appears_when_it_is_complete(tmp_path):
    place = tmp_path / "model"
    with whole_folder(place) as folder:
        (folder / "inner").mkdir()
        (folder / "inner" / "weights").write_text("new")
        assert not place.exists()
    assert (place / "inner" / "weights").read_text() == "new"
    assert names(tmp_path) == ["model"]


@pytest.mark.skipif(os.name == "nt", reason="folders cannot be synced there")
def test_what_is_written_outlasts_a_power_cut(tmp_path, monkeypatch):
    waited, fsync = [], os.fsync

    def heard(descriptor):
        waited.append(os.fstat(descriptor).st_ino)
        fsync(descriptor)

    monkeypatch.setattr(os, "fsync", heard)
    place, file = tmp_path / "model", tmp_path / "out.csv"
    with whole_folder(place) as folder:
        (folder / "inner").mkdir()
        (folder / "inner" / "weights").write_text("new")
    with whole_file(file) as path:
        path.write_text("new")

    inner = place / "inner"
    *first, last, second, end = waited
    nodes = {path.stat().st_ino for path in (place, inner, inner / "weights")}
    assert set(first) == nodes and second == file.stat().st_ino
    assert last == end == tmp_path.stat().st_ino  # where the names are


@pytest.mark.parametrize("error", [ValueError, KeyboardInterrupt])
def test_a_folder_that_fails_leaves_what_was_there(tmp_path, error):
    place = tmp_path / "model"
    place.mkdir()
    (place / "weights").write_text("old")
    with pytest.raises(error), whole_folder(place, overwrite=True) as folder:
        (folder / "weights").write_text("half")
        raise error
    assert names(tmp_path) == ["model"] and names(place) == ["weights"]
    assert (place / "weights").read_text() == "old"


def test_a_folder_is_replaced_only_if_asked_for(tmp_path):
    place = tmp_path / "model"
    place.mkdir()
    with whole_folder(place) as folder:  # it is empty
        (folder / "weights").write_text("old")

    with pytest.raises(FileExistsError, match=r"must be empty, .*\(--overwr"):
        with whole_folder(place):
            raise AssertionError("no work is done")
    assert (place / "weights").read_text() == "old"

    with whole_folder(place, overwrite=True) as folder:
        (folder / "other").write_text("new")
    assert names(place) == ["other"] and names(tmp_path) == ["model"]


def test_the_folder_that_one_works_in_is_never_replaced(tmp_path, monkeypatch):
    (tmp_path / "inner").mkdir()
    monkeypatch.chdir(tmp_path / "inner")
    for path in (tmp_path, Path("."), Path.home()):
        with pytest.raises(FileExistsError, match="that you live or work in"):
            check_writable(path, folder=True, overwrite=True)


def test_a_place_is_refused_before_any_work(tmp_path):
    (tmp_path / "file").write_text("")
    (tmp_path / "folder").mkdir()
    for place in ("no/out.csv", "file/out.csv"):
        with pytest.raises(FileNotFoundError, match="must exist, got none at"):
            check_writable(tmp_path / place)
    with pytest.raises(FileExistsError, match="must be a file, .* a folder;"):
        check_writable(tmp_path / "folder")
    with pytest.raises(FileExistsError, match="must be a folder, .* a file;"):
        check_writable(tmp_path / "file", folder=True)
    with pytest.raises(FileExistsError, match="got a device or a pipe; choo"):
        check_writable("/dev/null")
    with pytest.raises(PermissionError, match="'/proc' must be writable, got"):
        check_writable("/proc/out.csv")
    check_writable(tmp_path / "file")
    check_writable(tmp_path / "new")
    assert names(tmp_path) == ["file", "folder"]


@pytest.mark.skipif(os.geteuid() == 0, reason="root may write everywhere")
def test_a_protected_place_is_refused(tmp_path):
    path = tmp_path / "out.csv"
    path.write_text("")
    path.chmod(0o444)
    with pytest.raises(PermissionError, match="a file that is protected"):
        check_writable(path)
    tmp_path.chmod(0o555)
    with pytest.raises(PermissionError, match="must be writable, got 'Perm"):
        check_writable(tmp_path / "other.csv")
    tmp_path.chmod(0o755)


def test_ctrl_c_leaves_nothing(tmp_path):
    program = (
        "import sys, time\n"
        "from gluonts_lai.files import whole_folder\n"
        "with whole_folder(sys.argv[1]) as folder:\n"
        "    (folder / 'half').write_text('half')\n"
        "    print('begun', flush=True)\n"
        "    time.sleep(60)\n"
    )
    with subprocess.Popen(
        [sys.executable, "-c", program, str(tmp_path / "model")],
        stdout=subprocess.PIPE,
        stderr=subprocess.DEVNULL,
    ) as process:
        assert process.stdout.readline() == b"begun\n"
        assert len(names(tmp_path)) == 1
        process.send_signal(signal.SIGINT)
        begin = time.monotonic()
        assert process.wait(30) != 0 and time.monotonic() - begin < 30
    assert names(tmp_path) == []

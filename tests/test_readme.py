"""
What the README and the guide say runs as it stands.
"""

import re
from importlib.util import find_spec
from pathlib import Path

import pytest

ROOT = Path(__file__).parent.parent
PAGES = ["README.md", "docs/guide.md"]
SCRIPTS = [
    pytest.param(script, printed, id=f"{page}-{number}")
    for page in PAGES
    for number, (script, printed) in enumerate(
        re.findall(
            r"```python\n(.*?)```\n\n```\n(.*?)```",
            (ROOT / page).read_text("utf-8"),
            re.S,
        )
    )
]


def test_the_pages_have_python_in_them():
    assert len(SCRIPTS) >= 5


def test_the_readme_begins_with_fifteen_lines_of_python():
    script = SCRIPTS[0].values[0]

    assert sum(bool(line.strip()) for line in script.splitlines()) <= 15


@pytest.mark.filterwarnings("ignore")
@pytest.mark.parametrize("script, printed", SCRIPTS)
def test_the_python_of_a_page_prints_what_it_says(
    script, printed, capsys, monkeypatch, tmp_path
):
    if "gluonts.torch" in script and find_spec("torch") is None:
        pytest.skip("torch is not installed here")
    if "savefig" in script and find_spec("matplotlib") is None:
        pytest.skip("matplotlib is not installed here")
    monkeypatch.chdir(tmp_path)

    exec(compile(script, "README.md", "exec"), {})

    assert capsys.readouterr().out == printed
    pictures = re.findall(r'savefig\("(.*)"\)', script)
    assert [path.name for path in tmp_path.iterdir()] == pictures


@pytest.mark.parametrize("page", PAGES)
def test_what_a_page_links_to_is_there(page):
    path = ROOT / page
    links = re.findall(r"\]\(([^)#]*)(?:#[^)]*)?\)", path.read_text("utf-8"))

    for link in links:
        assert "://" in link or (path.parent / link).exists(), link

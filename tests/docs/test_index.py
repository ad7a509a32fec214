"""
The index of the documentation leads somewhere.
"""

import re

import pytest

import gluonts_lai

from .pages import ROOT

PAGES = [
    "README.md",
    "benchmarks/README.md",
    "docs/README.md",
    "docs/guide.md",
    "docs/deploying.md",
    "docs/several_processes.md",
    "docs/scale.md",
    "CONTRIBUTING.md",
]


def headings_of(path):
    """What a link may name of a page."""
    return {
        re.sub(r"[^\w -]", "", heading).strip().lower().replace(" ", "-")
        for heading in re.findall(r"^#+ (.*)$", path.read_text("utf-8"), re.M)
    }


@pytest.mark.parametrize("page", PAGES)
def test_links_lead_to_files_and_headings(page):
    text = (ROOT / page).read_text("utf-8")
    for link in re.findall(r"\]\((?!https:)([^)]+)\)", text):
        name, _, heading = link.partition("#")
        path = (ROOT / page).parent / name if name else ROOT / page
        assert path.exists(), link
        assert not heading or heading in headings_of(path), link


def test_the_index_has_all_public_names():
    text = (ROOT / "docs/README.md").read_text("utf-8")
    for name in gluonts_lai.__all__:
        assert name == "__version__" or f"`{name}`" in text

"""
The index of the documentation leads somewhere.
"""

import re

import pytest

import gluonts_lai

from .pages import ROOT

PAGES = [
    "docs/README.md",
    "docs/deploying.md",
    "docs/several_processes.md",
    "docs/scale.md",
    "CONTRIBUTING.md",
]


@pytest.mark.parametrize("page", PAGES)
def test_links_lead_to_files_and_headings(page):
    text = (ROOT / page).read_text("utf-8")
    headings = {
        re.sub(r"[^\w -]", "", heading).strip().lower().replace(" ", "-")
        for heading in re.findall(r"^#+ (.*)$", text, re.M)
    }
    for link in re.findall(r"\]\(([^)]+)\)", text):
        if link.startswith("#"):
            assert link[1:] in headings
        else:
            assert (ROOT / page).parent.joinpath(link).exists(), link


def test_the_index_has_all_public_names():
    text = (ROOT / "docs/README.md").read_text("utf-8")
    for name in gluonts_lai.__all__:
        assert name == "__version__" or f"`{name}`" in text
